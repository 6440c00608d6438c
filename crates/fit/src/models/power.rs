//! A power law whose last points count most.

use super::log_linear::{Basis, LogLinear, LogLinearSpec};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;

/// Weight ratio of neighbors along the axis, unless the user gives another.
pub const RECENCY: f64 = 4.0;

/// `log2 DF = a + b log2 x`, residual `k` of `n` multiplied by `r^(k-n)`.
pub struct Power;

impl Regression for Power {
    fn name(&self) -> &'static str {
        "power"
    }

    fn summary(&self) -> &'static str {
        "power law a*p^b, the largest runs counting most"
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        super::one_dimension(sample)
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        let model = fit_power(sample, options, Recency::Rank(options.recency.unwrap_or(RECENCY)))?;
        let coefficients = model.fit.coefficients.clone();
        let (rank, condition) = (model.fit.rank, model.fit.condition);
        let mut fitted = Fitted::new("power", model.formula(), model.class(), Box::new(model))
            .with_coefficients([("a", coefficients[0]), ("b", coefficients[1])]);
        fitted.rank = Some(rank);
        fitted.condition = Some(condition);
        fitted.unseen = sample.unseen_but_axis();
        Ok(fitted)
    }
}

/// The power law with a given recency.
///
/// # Errors
/// As [`LogLinear::fit`].
pub fn fit_power(sample: &Sample<'_>, options: &FitOptions, recency: Recency) -> Result<LogLinear, NoFit> {
    let spec = LogLinearSpec {
        model: "power",
        basis: vec![Basis(vec![]), Basis(vec![(sample.axis, 0.0)])],
        recency,
        ridge: None,
        scale_columns: true,
    };
    LogLinear::fit(sample, options, spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    /// Reference: `spec/fit` numbers computed with an independent least-squares program (numpy).
    #[test]
    fn published_cases() {
        let options = FitOptions::default();
        let weak = series(&[(8.0, 10.0), (16.0, 9.0), (32.0, 8.5), (64.0, 8.4)]);
        let strong = series(&[(1.0, 100.0), (2.0, 51.0), (4.0, 26.0), (8.0, 13.5), (16.0, 7.5), (32.0, 4.6)]);
        for (series, target, expected) in [(weak, 256.0, 8.106641), (strong, 64.0, 2.784409)] {
            let sample = Sample::new(&series, Power.aggregate(), &options);
            let value = Power.fit(&sample, &options).expect("fits").predictor.value(&[target]);
            assert!((value / expected - 1.0).abs() < 1e-6, "{value} instead of {expected}");
        }
    }
}
