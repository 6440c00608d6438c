//! From when on a run is late.

use runcast_formula::units::{Dimension, parse_quantity};

/// A time that a run should not exceed.
///
/// # Examples
/// ```
/// use runcast_wavefront::solve::time::Threshold;
/// assert_eq!(Threshold::parse("160s"), Some(Threshold::Seconds(160.0)));
/// assert_eq!(Threshold::parse("1.1x"), Some(Threshold::TimesMean(1.1)));
/// assert_eq!(Threshold::parse("late"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    Seconds(f64),
    /// As a multiple of phases * E\[Phi\].
    TimesMean(f64),
}

impl Threshold {
    /// `160s`, `2min`, `1.1x`; a bare number is in seconds.
    pub fn parse(text: &str) -> Option<Threshold> {
        let text = text.trim();
        let (value, threshold): (f64, fn(f64) -> Threshold) = match text.strip_suffix('x') {
            Some(factor) => (factor.trim().parse().ok()?, Threshold::TimesMean),
            None => (parse_quantity(text, Dimension::Time).ok()?, Threshold::Seconds),
        };
        (value.is_finite() && value >= 0.0).then(|| threshold(value))
    }

    /// In ticks; a value within 1e-9 of a whole tick is that tick.
    pub(super) fn ticks(self, step_s: f64, phases: u64, phase_mean: f64) -> f64 {
        let ticks = match self {
            Threshold::Seconds(seconds) => seconds / step_s,
            Threshold::TimesMean(factor) => factor * phases as f64 * phase_mean,
        };
        let whole = ticks.round();
        // Doubles of more than some million ticks are not exact to 1e-9 themselves.
        if (ticks - whole).abs() <= 1e-9_f64.max(4.0 * f64::EPSILON * whole) { whole } else { ticks }
    }
}
