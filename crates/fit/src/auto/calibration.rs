//! Errors of forecasts on real runs, which determine the interval of `auto`.
//!
//! A score is `|ln(measured/value)| / s` of one held-out real run, `s` as in [`scale`]. The scores ship with the program
//! (`calibration.txt`); `cargo run --release -p runcast-benches --bin accuracy -- --calibrate` regenerates them from
//! the public data sets that it names.

use std::sync::LazyLock;

/// `s = spread/2 + 0.02 + 0.3 ln(horizon)`: the unit in which errors are scored.
pub fn scale(spread: f64, horizon: f64) -> f64 {
    0.5 * spread + 0.02 + 0.3 * horizon.max(1.0).ln()
}

pub static SCORES: LazyLock<Vec<f64>> = LazyLock::new(|| parse(include_str!("calibration.txt")));

fn parse(text: &str) -> Vec<f64> {
    let mut scores: Vec<f64> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.trim().parse().ok())
        .filter(|score: &f64| score.is_finite())
        .collect();
    scores.sort_by(f64::total_cmp);
    scores
}

/// The score below which a share `level` of new runs stays: the `ceil((m+1) level)`-th smallest of m. The flag says
/// that the level is higher than m scores support, and that the largest was taken.
///
/// # Examples
/// ```
/// use runcast_fit::auto::calibration::quantile_of;
/// let scores = [0.1, 0.2, 0.3, 0.4];
/// assert_eq!(quantile_of(&scores, 0.5), Some((0.3, false)));
/// assert_eq!(quantile_of(&scores, 0.9), Some((0.4, true)));
/// ```
pub fn quantile_of(scores: &[f64], level: f64) -> Option<(f64, bool)> {
    let m = scores.len();
    // Slightly less, so that (m+1) level = 3 does not become 4 by rounding.
    let rank = ((m as f64 + 1.0) * level - 1e-9).ceil().max(1.0) as usize;
    let last = *scores.last()?;
    Some(scores.get(rank - 1).map_or((last, true), |score| (*score, false)))
}
