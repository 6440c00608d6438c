//! The exact interval of a share that was counted.

/// Bisections of an interval of length 1, to the last digit.
const ROUNDS: usize = 80;

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
    let hits = hits.min(trials);
    let tail = 0.5 * (1.0 - level);
    let low = if hits == 0 { 0.0 } else { solve(|p| at_most(trials - hits, trials, 1.0 - p) - tail) };
    let high = if hits == trials { 1.0 } else { solve(|p| tail - at_most(hits, trials, p)) };
    (low, high)
}

/// Where a rising function of a probability passes 0.
fn solve(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..ROUNDS {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The probability of at most so many hits.
fn at_most(hits: usize, trials: usize, p: f64) -> f64 {
    if p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return if hits >= trials { 1.0 } else { 0.0 };
    }
    // From term to term by their ratio, in logarithms: the first may be too small for a number.
    let odds = (p / (1.0 - p)).ln();
    let mut ln = trials as f64 * (1.0 - p).ln();
    let mut sum = ln.exp();
    for k in 0..hits.min(trials) {
        ln += ((trials - k) as f64 / (k + 1) as f64).ln() + odds;
        sum += ln.exp();
    }
    sum.min(1.0)
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
