//! Advice: how many processes to request, what to run next, which regions will dominate, and the effect of a change.

pub mod compare;
pub mod next;
pub mod processes;
pub mod regions;
mod scenarios;

use runcast_core::Prediction;

/// Half-width of the interval as a factor: `sqrt(high/low)`.
pub fn interval_factor(prediction: &Prediction) -> Option<f64> {
    let factor = (prediction.high? / prediction.low?).sqrt();
    factor.is_finite().then_some(factor)
}
