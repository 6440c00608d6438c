//! Whether an axis is logarithmic.

use super::median;

/// Least ratio of the largest to the least value on a horizontal axis.
pub const RATIO_X: f64 = 8.0;
/// The same on a vertical axis.
pub const RATIO_Y: f64 = 20.0;

/// Whether these values stand better on a logarithmic axis: all above 0, the largest at least `ratio` times the least, and
/// the median of the distinct values nearer, by logarithms, to their geometric than to their arithmetic mean.
pub fn is_log(values: impl IntoIterator<Item = f64>, ratio: f64) -> bool {
    let mut distinct: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let (Some(least), Some(largest)) = (distinct.first(), distinct.last()) else { return false };
    if *least <= 0.0 || !largest.is_finite() || largest / least < ratio {
        return false;
    }
    let count = distinct.len() as f64;
    let median = median(&mut distinct.clone());
    let geometric = distinct.iter().map(|value| value.ln()).sum::<f64>() / count;
    let arithmetic = (distinct.iter().sum::<f64>() / count).ln();
    (median.ln() - geometric).abs() < (median.ln() - arithmetic).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_logarithmic_and_even_steps_are_not() {
        let is = |values: Vec<f64>| is_log(values, RATIO_X);
        assert!(is(vec![1.0, 2.0, 4.0, 8.0]));
        assert!(is(vec![1.0, 8.0, 27.0, 64.0, 125.0]));
        assert!(is((2..=7).map(|power| f64::from(1 << power)).collect()));
        assert!(!is((1..=64).map(f64::from).collect()));
        assert!(!is((1000..=5999).map(f64::from).collect()));
        assert!(!is(vec![1.0, 16.0]));
    }

    #[test]
    fn what_has_no_logarithm_is_not() {
        for values in [vec![], vec![0.0, 1.0, 10.0, 100.0], vec![-1.0, 100.0], vec![f64::NAN], vec![1.0, f64::INFINITY]]
        {
            assert!(!is_log(values.clone(), RATIO_X), "{values:?}");
        }
        assert!(!is_log([1.0, 2.0, 4.0, 8.0], RATIO_Y));
    }
}
