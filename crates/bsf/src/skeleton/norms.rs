//! Norms of the steps `x' - x`: growth and divergence.

use serde::{Deserialize, Serialize};

/// Maximum number of ratios for the growth rate.
const RATIOS: usize = 20;

/// The first norm above 0, and the last ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Norms {
    first: Option<f64>,
    /// The last [`RATIOS`] + 1 of them, the oldest first.
    last: Vec<f64>,
}

impl Norms {
    pub fn push(&mut self, norm: f64) {
        if norm > 0.0 {
            self.first.get_or_insert(norm);
        }
        if self.last.len() > RATIOS {
            self.last.remove(0);
        }
        self.last.push(norm);
    }

    /// The last norm, if it is a number.
    pub fn last(&self) -> Option<f64> {
        self.last.last().copied().filter(|norm| norm.is_finite())
    }

    /// Whether the last norm is not a number, or more than `factor` times the first one above 0.
    pub fn diverges(&self, factor: f64) -> bool {
        let too_long = |last: f64| self.first.is_some_and(|first| last > factor * first);
        self.last.last().is_some_and(|&last| !last.is_finite() || too_long(last))
    }

    /// Geometric mean of the ratios of consecutive norms: an estimate of the spectral radius of a linear iteration.
    pub fn growth_rate(&self) -> Option<f64> {
        let ratios = self.last.windows(2).filter(|pair| pair[0] > 0.0 && pair[1].is_finite());
        let logarithms: Vec<f64> = ratios.map(|pair| (pair[1] / pair[0]).ln()).collect();
        let rate = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
        (!logarithms.is_empty() && rate.is_finite()).then_some(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_the_geometric_mean_of_the_last_twenty_ratios() {
        let mut norms = Norms::default();
        (0..50).for_each(|_| norms.push(7.0));
        assert_eq!(norms.growth_rate(), Some(1.0));
        (1..=20).for_each(|i| norms.push(7.0 * 0.5_f64.powi(i)));
        assert!((norms.growth_rate().expect("known") - 0.5).abs() < 1e-12);
        norms.push(0.0);
        assert_eq!(norms.growth_rate(), Some(0.0));
    }

    #[test]
    fn divergence_needs_a_large_factor_or_no_number() {
        let mut norms = Norms::default();
        assert!(!norms.diverges(1e6));
        norms.push(0.0);
        norms.push(1e-3);
        norms.push(999.0);
        assert!(!norms.diverges(1e6));
        norms.push(1001.0);
        assert!(norms.diverges(1e6));
        norms.push(f64::NAN);
        assert!(norms.diverges(1e300));
        assert_eq!(norms.last(), None);
        assert!(norms.growth_rate().expect("of the others").is_finite());
    }
}
