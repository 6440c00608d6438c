//! Advice: how many processes to ask for, what to run next, which regions will hurt, what a change did.

pub mod compare;
pub mod next;
pub mod processes;
pub mod regions;

use runcast_core::Prediction;

/// Half of the interval as a factor: `sqrt(high/low)`.
pub fn interval_factor(prediction: &Prediction) -> Option<f64> {
    let factor = (prediction.high? / prediction.low?).sqrt();
    factor.is_finite().then_some(factor)
}
