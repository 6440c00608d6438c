//! A user's own calibration: how the ranges of any method did on runs, in units of the ranges themselves.

use super::{Range, Scores};
use crate::comparison::deviate;

/// The scale of these scores: half a range, as a number of standard deviations of the logarithm.
pub const OWN_SCALE: &str = "range-1";

/// The scale of a range: `s = ln(high/low)/(2 z)`, z the deviate of its level; none unless that is above 0.
pub fn own_scale(low: f64, high: f64, level: f64) -> Option<f64> {
    let scale = (high / low).ln() / (2.0 * deviate(level)?);
    (low > 0.0 && scale > 0.0 && scale.is_finite()).then_some(scale)
}

/// A line of the file for each score: cluster, series, logarithm of the horizon, scale, error `ln(measured/predicted)` (of a
/// rate of the reciprocal). Tabs and line breaks in names become spaces.
///
/// # Examples
/// ```
/// use runcast_core::ranges::{OWN_SCALE, Scores, own_file};
/// let text = own_file(&[("lulesh", "time_s", 0.7, 0.1, 0.05)]);
/// assert_eq!(Scores::parse(&text, OWN_SCALE)?.len(), 1);
/// # Ok::<(), runcast_core::Problem>(())
/// ```
pub fn own_file(scores: &[(&str, &str, f64, f64, f64)]) -> String {
    let clean = |name: &str| name.replace(['\t', '\n', '\r'], " ");
    let line = |(cluster, series, h, scale, error): &(&str, &str, f64, f64, f64)| {
        format!("{}\t{}\t{h}\t{scale}\t{error}\n", clean(cluster), clean(series))
    };
    let lines: String = scores.iter().map(line).collect();
    format!("# scale: {OWN_SCALE}\n# cluster\tseries\th\ts\te\n{lines}")
}

/// The range of a level that runs like those of the scores would have needed, around the same value; none without a scale.
///
/// # Examples
/// ```
/// use runcast_core::ranges::{Score, Scores, recalibrated};
/// // Errors up to 3 times what was claimed, evenly on both sides: 20 clusters.
/// let scores = (-10..=10).filter(|k| *k != 0);
/// let scores: Vec<Score> = scores.map(|k| Score { cluster: k.to_string(), d: 0.3 * f64::from(k) }).collect();
/// let range = recalibrated((100.0, 90.0, 110.0, 0.9), 0.9, &Scores::new(&scores), false).expect("a range");
/// assert!(range.low < 85.0 && range.high > 117.0);
/// ```
pub fn recalibrated(
    (value, low, high, of_level): (f64, f64, f64, f64),
    level: f64,
    scores: &Scores,
    is_rate: bool,
) -> Option<Range> {
    Range::of(value, own_scale(low, high, of_level)?, level, Some(scores), is_rate)
}
