//! The exact interval of a share that was counted.

use super::beta;

/// The interval of Clopper and Pearson (1934) for a probability, `hits` of `trials` having been seen: each end is the
/// probability at which as many, or as few, are seen with a chance of `(1 - level) / 2`.
///
/// # Examples
/// ```
/// use runcast_core::numeric::binomial::exact_interval;
/// let (low, high) = exact_interval(2, 3, 0.95);
/// assert!((low - 0.094299).abs() < 1e-6 && (high - 0.991596).abs() < 1e-6);
/// assert_eq!(exact_interval(0, 0, 0.95), (0.0, 1.0));
/// ```
pub fn exact_interval(hits: usize, trials: usize, level: f64) -> (f64, f64) {
    interval_of_share(hits.min(trials) as f64, trials as f64, level)
}

/// The same for counts that are not whole, such as those divided by a design effect.
///
/// ```text
/// low = Beta^-1((1-level)/2; k, n-k+1), 0 if k = 0      high = Beta^-1((1+level)/2; k+1, n-k), 1 if k = n
/// ```
pub fn interval_of_share(hits: f64, trials: f64, level: f64) -> (f64, f64) {
    let (tail, misses) = (0.5 * (1.0 - level), trials - hits);
    let low = if hits <= 0.0 { 0.0 } else { beta::quantile(tail, hits, misses + 1.0) };
    let high = if misses <= 0.0 { 1.0 } else { beta::quantile(1.0 - tail, hits + 1.0, misses) };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::exact_interval;

    /// Ends computed with SciPy's quantiles of the beta distribution.
    #[test]
    fn the_ends_are_quantiles_of_the_beta_distribution() {
        for (hits, trials, low, high) in [
            (0, 5, 0.0, 0.521824),
            (5, 5, 0.478176, 1.0),
            (2, 3, 0.094299, 0.991596),
            (1, 12, 0.002108, 0.384796),
            (10, 12, 0.515862, 0.979137),
            (180, 200, 0.849787, 0.937841),
        ] {
            let (a, b) = exact_interval(hits, trials, 0.95);
            assert!((a - low).abs() < 1e-6 && (b - high).abs() < 1e-6, "{hits} of {trials}: {a} {b}");
        }
        let (low, high) = exact_interval(90_000, 100_000, 0.95);
        assert!(0.897 < low && low < 0.9 && 0.9 < high && high < 0.903);
    }
}
