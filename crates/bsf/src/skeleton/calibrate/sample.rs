//! Measurements of one quantity.

use runcast_core::statistics::quantile_of_sorted;
use serde::{Deserialize, Serialize};

/// A value with the interval that holds 90 % of its single measurements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub value: f64,
    /// The 5 % quantile.
    pub low: f64,
    /// The 95 % quantile.
    pub high: f64,
}

/// Measurements of one thing, sorted.
#[derive(Debug, Clone)]
pub(super) struct Sample(Vec<f64>);

impl Sample {
    pub fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Sample(values)
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Interpolated between the two nearest values; 0 if there are none.
    fn quantile(&self, share: f64) -> f64 {
        if self.0.is_empty() { 0.0 } else { quantile_of_sorted(&self.0, share) }
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Subtracts an overhead contained in every measurement; never below 0.
    pub fn less(&self, contained: f64) -> Sample {
        Sample(self.0.iter().map(|value| (value - contained).max(0.0)).collect())
    }

    /// None of them above a bound.
    pub fn at_most(&self, most: f64) -> Sample {
        Sample(self.0.iter().map(|value| value.min(most)).collect())
    }

    /// Median and quantiles. If the cost is positive, the interval never begins at 0, so that its logarithm exists.
    pub fn estimate(&self) -> Estimate {
        let value = self.median();
        Estimate { value, low: self.quantile(0.05).max(value * LEAST_SHARE), high: self.quantile(0.95) }
    }
}

/// Minimum ratio of the lower bound to the cost.
const LEAST_SHARE: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_measurements() {
        let sample = Sample::new((0..=100).rev().map(f64::from).collect());
        assert_eq!(sample.estimate(), Estimate { value: 50.0, low: 5.0, high: 95.0 });
        assert_eq!(Sample::new(vec![2.0, 4.0]).median(), 3.0);
        assert_eq!(Sample::new(vec![]).estimate(), Estimate { value: 0.0, low: 0.0, high: 0.0 });
    }

    #[test]
    fn what_is_taken_away_leaves_nothing_negative() {
        let rest = Sample::new(vec![1.0, 2.0, 3.0]).less(1.5);
        assert_eq!(rest.median(), 0.5);
        assert!(rest.estimate().low > 0.0 && rest.estimate().low <= 0.5);
    }
}
