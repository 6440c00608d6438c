//! A power law weighted towards the last points.

use super::log_linear::{Basis, LogLinear, LogLinearSpec};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;

/// Default weight ratio of neighbors along the axis.
pub const RECENCY: f64 = 4.0;

/// `log2 DF = a + b log2 x`, residual `k` of `n` multiplied by `r^(k-n)`.
pub struct Power;

impl Regression for Power {
    fn name(&self) -> &'static str {
        "power"
    }

    fn summary(&self) -> &'static str {
        "power law a*p^b, weighted towards the largest runs"
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
        Ok(fitted.along_axis(sample))
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
        unit: 1.0,
    };
    LogLinear::fit(sample, options, spec)
}
