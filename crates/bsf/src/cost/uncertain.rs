//! A time that is known within bounds.

use super::costs::{LEAST_S, MOST_S, is_time};
use super::error::CostError;
use runcast_core::numeric::normal;
use serde::Serialize;

/// A time with an interval: two half log-normal distributions that meet at their median, `value`.
///
/// ```text
/// z standard normal, z_level its two-sided quantile of the level:
/// z < 0: value (low/value)^(-z/z_level)        z > 0: value (high/value)^(z/z_level)
/// ```
///
/// # Examples
/// ```
/// use runcast_bsf::cost::Uncertain;
/// let transfer = Uncertain::new(190e-9, 150e-9, 240e-9)?;
/// assert!(!transfer.is_exact() && Uncertain::exact(190e-9).is_exact());
/// assert!(Uncertain::new(190e-9, 200e-9, 240e-9).is_err());
/// # Ok::<(), runcast_bsf::cost::CostError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Uncertain {
    /// The median \[s\].
    pub value: f64,
    /// The lower end of the interval \[s\].
    pub low: f64,
    /// The upper end of the interval \[s\].
    pub high: f64,
}

impl Uncertain {
    /// A value between its bounds.
    ///
    /// # Errors
    /// Not `0 < low <= value <= high`, or out of range.
    pub fn new(value: f64, low: f64, high: f64) -> Result<Self, CostError> {
        let ordered = low > 0.0 && low <= value && value <= high && is_time(low) && is_time(high);
        if ordered { Ok(Uncertain { value, low, high }) } else { Err(CostError::Interval { value, low, high }) }
    }

    /// A value without uncertainty; [`Costs::new`](super::Costs::new) checks whether it is a valid time.
    pub fn exact(value: f64) -> Self {
        Uncertain { value, low: value, high: value }
    }

    /// Whether the value is exact.
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// The value at a standard normal deviate, if the bounds are those of `level_deviate`.
    pub(super) fn at(&self, deviate: f64, level_deviate: f64) -> f64 {
        if self.is_exact() {
            return self.value;
        }
        let end = if deviate < 0.0 { self.low } else { self.high };
        let drawn = self.value * ((end / self.value).ln() * deviate.abs() / level_deviate).exp();
        drawn.clamp(LEAST_S, MOST_S)
    }
}

impl From<f64> for Uncertain {
    fn from(value: f64) -> Self {
        Uncertain::exact(value)
    }
}

/// The distance of the ends of a two-sided normal interval, in standard deviations.
pub(super) fn level_deviate(level: f64) -> f64 {
    normal::quantile(0.5 + 0.5 * level)
}
