//! Error measures: how far a prediction is from the run that it predicted.
//!
//! \[M\] is K. S. Mokrov, *Development of a method for forecasting weak scalability of supercomputer applications*
//! (thesis, Moscow State University, 2020).

/// The relative error `|predicted - measured| / measured` (\[M\] Eq. 3), as a share.
pub fn relative_error(predicted: f64, measured: f64) -> f64 {
    (predicted - measured).abs() / measured.abs()
}

/// The logarithmic error `2^|log2 measured - log2 predicted| - 1` (\[M\] Eq. 5), as a share.
///
/// Erratum: \[M\] prints it as the relative error. The two are equal for over-prediction only: a prediction of half is
/// off by 50 % in one and by 100 % in the other. `None` unless both are positive.
///
/// # Examples
/// ```
/// use runcast_core::accuracy::{log_error, relative_error};
/// assert_eq!(relative_error(5.0, 10.0), 0.5);
/// assert_eq!(log_error(5.0, 10.0), Some(1.0));
/// ```
pub fn log_error(predicted: f64, measured: f64) -> Option<f64> {
    (predicted > 0.0 && measured > 0.0).then(|| (predicted / measured).max(measured / predicted) - 1.0)
}

/// The symmetric mean absolute percentage error, 0 to 200 %: `100/n * sum 2|a - b| / (|a| + |b|)`, where 0/0 counts as 0.
pub fn smape_pct(pairs: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for (predicted, measured) in pairs {
        let scale = predicted.abs() + measured.abs();
        if scale > 0.0 {
            sum += 2.0 * (predicted - measured).abs() / scale;
        }
        count += 1;
    }
    if count == 0 { 0.0 } else { 100.0 * sum / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smape_runs_from_0_to_200() {
        assert_eq!(smape_pct([(0.0, 0.0)]), 0.0);
        assert_eq!(smape_pct([(1.0, 0.0)]), 200.0);
        assert!((smape_pct([(3.0, 1.0)]) - 100.0).abs() < 1e-12);
    }
}
