//! Medians, quantiles and means: one definition for the whole program.

/// The quantile `q` (0 to 1) by linear interpolation between the sorted values; NaN for none.
///
/// # Examples
/// ```
/// use runcast_core::statistics::quantile;
/// assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0], 0.5), 2.5);
/// assert_eq!(quantile(&[0.0, 10.0], 0.9), 9.0);
/// ```
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, q)
}

/// As [`quantile`], of values already in ascending order.
pub fn quantile_of_sorted(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = position.floor();
    let share = position - below;
    let (low, high) = (sorted[below as usize], sorted[(below as usize + 1).min(last)]);
    if share == 0.0 { low } else { low + share * (high - low) }
}

/// The median; NaN for none.
pub fn median(values: &[f64]) -> f64 {
    match *values {
        [one] => one,
        [a, b] => 0.5 * (a + b),
        _ => quantile(values, 0.5),
    }
}

/// The arithmetic mean; NaN for none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of a population (divided by n); NaN for none.
pub fn population_sd(values: &[f64]) -> f64 {
    let center = mean(values);
    (values.iter().map(|value| (value - center).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// The variance of a sample (divided by n - 1); `None` for fewer than two values.
pub fn sample_variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let center = mean(values);
    Some(values.iter().map(|value| (value - center).powi(2)).sum::<f64>() / (values.len() - 1) as f64)
}
