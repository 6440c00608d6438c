//! Ranks forecasts.

use crate::random::SplitMix;
use crate::statistics;

/// Draws of the bootstrap.
const DRAWS: usize = 1000;
/// Points below which nothing is distinguished.
const FEW: usize = 5;

/// Who comes first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Order {
    /// Their numbers, the best first.
    pub order: Vec<usize>,
    /// Those that cannot be distinguished from the one before them in the order, in groups of at least two.
    pub tied: Vec<Vec<usize>>,
}

/// Orders by the median of `|ln(measured/predicted)|`, a list of the same points for each.
///
/// Two neighbors in the order are tied when the 90 % range of the difference of their medians holds 0, over 1,000 draws of the
/// points with replacement (the same points for both), or when there are fewer than five points.
pub fn rank(errors: &[Vec<f64>], seed: u64) -> Order {
    let score = |of: &Vec<f64>| statistics::median(&of.iter().map(|error| error.abs()).collect::<Vec<_>>());
    let points = errors.first().map_or(0, Vec::len);
    if points == 0 {
        return Order::default();
    }
    let scores: Vec<f64> = errors.iter().map(score).collect();
    let mut order: Vec<usize> = (0..errors.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(a.cmp(&b)));
    let mut tied: Vec<Vec<usize>> = Vec::new();
    let mut group: Vec<usize> = Vec::new();
    for &next in &order {
        if group.first().is_some_and(|&first| !is_tied(&errors[first], &errors[next], seed)) {
            tied.push(std::mem::take(&mut group));
        }
        group.push(next);
    }
    tied.push(group);
    tied.retain(|group| group.len() > 1);
    Order { order, tied }
}

fn is_tied(a: &[f64], b: &[f64], seed: u64) -> bool {
    if a.len() < FEW {
        return true;
    }
    let mut random = SplitMix::new(seed, 0);
    let mut differences: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn: Vec<usize> = a.iter().map(|_| random.below(a.len())).collect();
            let score = |of: &[f64]| statistics::median(&drawn.iter().map(|&i| of[i].abs()).collect::<Vec<_>>());
            score(a) - score(b)
        })
        .collect();
    differences.sort_by(f64::total_cmp);
    let at = |share| statistics::quantile_of_sorted(&differences, share);
    at(0.05) <= 0.0 && 0.0 <= at(0.95)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_differences_rank_and_small_ones_tie() {
        let good: Vec<f64> = (0..20).map(|i| 0.01 * (1.0 + 0.1 * f64::from(i % 3))).collect();
        let alike: Vec<f64> = (0..20).map(|i| 0.01 * (1.0 + 0.1 * f64::from((i + 1) % 3))).collect();
        let bad: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 0.3 } else { -0.3 }).collect();
        let found = rank(&[bad.clone(), good.clone(), alike], 0);
        assert_eq!(found.order[2], 0);
        assert_eq!(found.tied.len(), 1);
        assert!(found.tied[0].contains(&1) && found.tied[0].contains(&2), "{found:?}");
        // Of four points nothing is said.
        assert_eq!(rank(&[bad[..4].to_vec(), good[..4].to_vec()], 0).tied, [[1, 0]]);
        assert_eq!(rank(&[], 0), Order::default());
        assert_eq!(rank(&[Vec::new()], 0), Order::default());
    }
}
