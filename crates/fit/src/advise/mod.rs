//! Advice: how many processes to request, what to run next, which regions will dominate, and the effect of a change.

pub mod compare;
pub mod next;
pub mod processes;
pub mod regions;
mod scenarios;

use runcast_core::Prediction;
use runcast_core::prediction::Interval;

/// Half-width of the interval as a factor: `sqrt(high/low)`.
pub fn interval_factor(prediction: &Prediction) -> Option<f64> {
    let interval = residual_interval(prediction)?;
    Some((interval.high / interval.low).sqrt()).filter(|factor| factor.is_finite())
}

/// The interval that the residuals make, where they make one: what one more run changes, and what two sets of runs of one
/// program do not share. What the form misses far out is neither. Else the interval of the prediction.
fn residual_interval(prediction: &Prediction) -> Option<Interval> {
    let own = prediction.intervals.get("parametric").copied().flatten();
    own.or_else(|| Some(Interval { low: prediction.low?, high: prediction.high? }))
}
