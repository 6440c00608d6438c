//! Whether two forecasts agree.

/// The standard deviation of the logarithm that a forecast without a range is given.
pub const ASSUMED: f64 = 0.1;

/// A forecast and the standard deviation of its logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    pub value: f64,
    pub sd: f64,
}

/// How far two forecasts are apart, in standard deviations of their difference and of `noise` (that of the logarithm of a run):
///
/// ```text
/// z = |ln a - ln b| / sqrt(sa^2 + sb^2 + noise^2)
/// ```
///
/// Forecasts whose z is at most the deviate of the level agree within their ranges. None unless both are positive; infinite
/// where they differ and nothing is uncertain.
///
/// ```
/// use runcast_core::comparison::{Law, Side, separation};
/// let side = |value, low, high| {
///     let law = Law::of_range(value, low, high, 0.9).expect("in order");
///     Side { value, sd: law.sd() }
/// };
/// let z = separation(side(100.0, 90.0, 112.0), side(110.0, 100.0, 120.0), 0.0).expect("positive");
/// assert!((z - 1.101227).abs() < 5e-7);
/// ```
pub fn separation(a: Side, b: Side, noise: f64) -> Option<f64> {
    if !(a.value > 0.0 && b.value > 0.0) {
        return None;
    }
    let gap = (a.value / b.value).ln().abs();
    let sd = a.sd.hypot(b.sd).hypot(noise);
    Some(if gap == 0.0 { 0.0 } else { gap / sd })
}
