//! Combines several forecasts into one.

use super::law::{Law, deviate, mean_of};

/// Errors below this are not distinguished.
const LEAST_ERROR: f64 = 0.02;
/// Members of less weight are left out.
const LEAST_WEIGHT: f64 = 0.01;
/// Points below which all members count the same.
const FEW: usize = 3;

/// What members count.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// A weight for each member, 0 for those left out; they sum to 1.
    pub of: Vec<f64>,
    /// Mean absolute logarithmic error of each member, where it has any.
    pub errors: Vec<Option<f64>>,
}

/// Weights of members by their errors `ln(measured/predicted)` on runs that they have not seen:
///
/// ```text
/// e = mean |error|      lambda = max(least e, 0.02)      w = exp(-e/lambda), normalized; below 0.01: left out
/// ```
///
/// Where a member has fewer than three errors all count the same.
pub fn weights(errors: &[Vec<f64>]) -> Weights {
    let mean = |errors: &Vec<f64>| {
        let sum: f64 = errors.iter().map(|error| error.abs()).sum();
        (!errors.is_empty()).then(|| sum / errors.len() as f64)
    };
    let means: Vec<Option<f64>> = errors.iter().map(mean).collect();
    let equal = || vec![1.0 / errors.len().max(1) as f64; errors.len()];
    if errors.iter().any(|errors| errors.len() < FEW) {
        return Weights { of: equal(), errors: means };
    }
    let least = means.iter().flatten().copied().fold(f64::INFINITY, f64::min).max(LEAST_ERROR);
    let weight = |mean: &Option<f64>| mean.map_or(0.0, |mean| (-mean / least).exp());
    let of = normalized(means.iter().map(weight).collect());
    let of = normalized(of.into_iter().map(|weight| if weight < LEAST_WEIGHT { 0.0 } else { weight }).collect());
    Weights { of, errors: means }
}

fn normalized(weights: Vec<f64>) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// A combined forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct Combined {
    /// Weighted geometric mean of the members.
    pub value: f64,
    pub low: f64,
    pub high: f64,
    members: Vec<(f64, Law)>,
}

/// Combines members with their weights, which need not sum to 1; none without a member, or for a level that is none.
///
/// ```text
/// value = exp(sum w ln value)      law = mixture of the members' laws
/// range = its quantiles, widened where needed to hold value * exp(-+ z D),   D^2 = sum w (ln value_k - ln value)^2
/// ```
///
/// So it is never narrower than what the disagreement of its members allows.
pub fn combine(members: &[(f64, Law)], level: f64) -> Option<Combined> {
    let members: Vec<(f64, Law)> = members.iter().copied().filter(|(weight, _)| *weight > 0.0).collect();
    let z = deviate(level)?;
    let sum: f64 = members.iter().map(|(weight, _)| weight).sum();
    let members: Vec<(f64, Law)> = members.into_iter().map(|(weight, law)| (weight / sum, law)).collect();
    let (_, first) = members.first()?;
    // From the first on, so that members that say the same say exactly that together.
    let mean: f64 = members.iter().map(|(weight, law)| weight * (law.value / first.value).ln()).sum();
    let value = first.value * mean.exp();
    let spread: f64 = members.iter().map(|(weight, law)| weight * (law.value / value).ln().powi(2)).sum();
    let floor = z * spread.sqrt();
    let mut combined = Combined { value, low: value, high: value, members };
    combined.low = combined.quantile(0.5 * (1.0 - level)).min(value * (-floor).exp());
    combined.high = combined.quantile(0.5 * (1.0 + level)).max(value * floor.exp());
    Some(combined)
}

impl Combined {
    /// The probability of a run that is not larger than this.
    pub fn share_below(&self, x: f64) -> f64 {
        self.members.iter().map(|(weight, law)| weight * law.share_below(x)).sum()
    }

    /// The mean of the runs.
    pub fn mean(&self) -> f64 {
        mean_of(|share| self.quantile(share))
    }

    /// What a share of the runs is below, by bisection between those of the members.
    pub fn quantile(&self, share: f64) -> f64 {
        let each = || self.members.iter().map(|(_, law)| law.quantile(share));
        let (mut low, mut high) = (each().fold(f64::INFINITY, f64::min), each().fold(0.0, f64::max));
        // Sixty halvings of a logarithm are beyond the last digit.
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            match self.share_below(middle) < share {
                true => low = middle,
                false => high = middle,
            }
        }
        (low * high).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn law(value: f64, low: f64, high: f64) -> Law {
        Law::of_range(value, low, high, 0.9).expect("in order")
    }

    /// Computed apart, with scipy.
    #[test]
    fn weights_fall_with_errors() {
        let pairs = [vec![0.10, -0.06], vec![0.02, 0.04], vec![-0.30, 0.20]];
        assert_eq!(weights(&pairs).of, [1.0 / 3.0; 3]);
        // The same means from three errors each.
        let errors = [vec![0.10, -0.06, 0.08], vec![0.02, 0.04, 0.03], vec![-0.30, 0.20, 0.25]];
        let found = weights(&errors);
        for (error, expected) in found.errors.iter().zip([0.08, 0.03, 0.25]) {
            assert!((error.expect("an error") - expected).abs() < 1e-15);
        }
        for (weight, expected) in found.of.iter().zip([0.158_869, 0.841_131, 0.0]) {
            assert!((weight - expected).abs() < 5e-7, "{found:?}");
        }
    }

    /// Computed apart, with scipy.
    #[test]
    fn a_mixture_of_two() {
        let combined =
            combine(&[(0.158_869, law(100.0, 90.0, 112.0)), (0.841_131, law(110.0, 100.0, 120.0))], 0.9).expect("two");
        let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 2e-7, "{found} {expected}");
        near(combined.value, 108.346_944);
        near(combined.low, 96.038_506);
        near(combined.quantile(0.5), 108.822_357);
        near(combined.high, 119.508_370);
        assert!((combined.share_below(115.0) - 0.828_089).abs() < 5e-7);
        // Sure of themselves, and apart: the range holds value * exp(-+ z D), D = 0.0348410.
        let sure = [(0.158_869, law(100.0, 100.0, 100.0)), (0.841_131, law(110.0, 110.0, 110.0))];
        let combined = combine(&sure, 0.9).expect("two");
        near(combined.high, 114.737_498);
        near(combined.low, 100.0);
    }

    proptest! {
        #[test]
        fn together_they_say_what_each_says(value in 1e-3..1e3f64, low in 0.3..1.0f64, high in 1.0..3.0f64, weight in 0.01..1.0f64) {
            let one = law(value, low * value, high * value);
            let combined = combine(&[(weight, one), (1.0, one)], 0.9).expect("two");
            prop_assert_eq!(combined.value, value);
            prop_assert!((combined.low / (low * value) - 1.0).abs() < 1e-9);
            prop_assert!((combined.high / (high * value) - 1.0).abs() < 1e-9);
        }

        #[test]
        fn the_range_holds_the_disagreement(a in 1.0..10.0f64, b in 1.0..10.0f64, width in 1.0..1.5f64) {
            let members = [(0.5, law(a, a / width, a * width)), (0.5, law(b, b / width, b * width))];
            let combined = combine(&members, 0.9).expect("two");
            let floor = 1.6448 * 0.5 * (a / b).ln().abs();
            prop_assert!(combined.low <= combined.value * (-floor).exp() * (1.0 + 1e-4));
            prop_assert!(combined.high >= combined.value * floor.exp() * (1.0 - 1e-4));
        }
    }
}
