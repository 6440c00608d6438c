//! Outliers among repetitions.

use crate::statistics;

/// Minimum number of repetitions for detecting an outlier.
const LEAST_REPETITIONS: usize = 3;

/// Which of the repetitions are outliers: `|value/median - 1| > 25 %` and `|ln(value/median)| > 5 s`, where
/// `s = 1.4826 * median |ln(value/median)|` is the robust standard deviation of the logs. With fewer than three
/// repetitions, or a median that is not positive, there are none; a value that is not positive is infinitely far from a
/// positive median.
pub(super) fn outliers(values: &[f64]) -> Vec<usize> {
    if values.len() < LEAST_REPETITIONS {
        return Vec::new();
    }
    // Most points vary little and need neither sorting nor logarithms.
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low > 0.0 && high <= 1.25 * low {
        return Vec::new();
    }
    let median = statistics::median(values);
    if median <= 0.0 {
        return Vec::new();
    }
    let distance: Vec<f64> =
        values.iter().map(|&value| if value > 0.0 { (value / median).ln().abs() } else { f64::INFINITY }).collect();
    let sigma = 1.4826 * median_of_distances(&distance);
    (0..values.len())
        .filter(|&index| (values[index] / median - 1.0).abs() > 0.25 && distance[index] > 5.0 * sigma)
        .collect()
}

/// The median of values that may be infinite, avoiding the difference of two infinities.
fn median_of_distances(distances: &[f64]) -> f64 {
    let mut sorted = distances.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (lower, upper) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    0.5 * (lower + upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrongly_fast_run_stands_out() {
        // 128 nodes of the SPARTA runs on Crossroads (lanl/benchmarks, ats3--scale--all.csv).
        assert_eq!(outliers(&[0.060_621, 0.112_774, 0.112_906, 0.113_517]), [0]);
    }

    #[test]
    fn noise_is_no_outlier() {
        assert!(outliers(&[1.0, 1.2, 0.9, 1.1]).is_empty(), "within 25 %");
        assert!(outliers(&[1.0, 2.0, 4.0, 8.0]).is_empty(), "the others are as far apart");
        assert!(outliers(&[1.0, 9.0]).is_empty(), "two repetitions cannot tell which is wrong");
        assert!(outliers(&[0.0, 0.0, 5.0]).is_empty(), "no logarithm of the median");
        assert_eq!(outliers(&[1.0, 1.0, 1.0, 1.3]), [3], "identical repetitions have no spread");
        assert_eq!(outliers(&[1.0, 1.0, 0.0]), [2]);
    }
}
