//! The weak-scaling regression without intercept of \[M\].
//!
//! \[M\] K. S. Mokrov, *Development of a method for forecasting weak scalability of supercomputer applications* (thesis,
//! Moscow State University, 2020), Eq. 7.

use super::log_linear::{Basis, LogLinear, LogLinearSpec};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use indexmap::IndexMap;
use runcast_core::series::Aggregate;

/// `log2 DF = b1 log2 p + b2 log2 N + b3 log2 p log2 N`                                  \[M\], Eq. 7
///
/// Ambiguity: \[M\] does not give the base of the logarithm; its Eq. 5 implies 2. `b1` and `b2` do not depend on it.
///
/// Limit: without an intercept the *unit of N* acts as one (\[M\] counts N in thousands, mostly): see
/// [`FitOptions::size_unit`]. In exact weak scaling `log N = u + v log p`; with `u = 0` the design has rank 2 and is
/// forced through `T(1) = 1`. A rank-deficient design has the minimum-norm solution. Without a size parameter `N = 2`,
/// and so its column is an intercept.
pub struct Mokrov;

impl Regression for Mokrov {
    fn name(&self) -> &'static str {
        "mokrov"
    }

    fn summary(&self) -> &'static str {
        "Mokrov 2020: log p, log N and their product, no intercept"
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Best
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        match sample.series.process_parameter {
            Some(_) => Ok(()),
            None => Err("it needs a parameter that counts processes".to_owned()),
        }
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        let p = sample
            .series
            .process_parameter
            .ok_or_else(|| NoFit::Unsuitable("mokrov needs a parameter that counts processes".to_owned()))?;
        let unit = options.size_unit.log2();
        let mut names = vec!["beta1".to_owned()];
        let mut basis = vec![Basis(vec![(p, 0.0)])];
        if sample.sizes.is_empty() {
            names.extend(["beta2".to_owned(), "beta3".to_owned()]);
            basis.extend([Basis(vec![]), Basis(vec![(p, 0.0)])]);
        }
        for &size in &sample.sizes {
            names.extend([format!("beta{}", names.len() + 1), format!("beta{}", names.len() + 2)]);
            basis.extend([Basis(vec![(size, unit)]), Basis(vec![(p, 0.0), (size, unit)])]);
        }
        let recency = Recency::Rank(options.recency.unwrap_or(1.0));
        let spec = LogLinearSpec { model: "mokrov", basis, recency, ridge: None, scale_columns: false };
        let model = LogLinear::fit(sample, options, spec)?;
        let coefficients: IndexMap<String, f64> =
            names.into_iter().zip(model.fit.coefficients.iter().copied()).collect();
        let (rank, condition) = (model.fit.rank, model.fit.condition);
        let mut fitted = Fitted::new("mokrov", model.formula(), model.class(), Box::new(model));
        fitted.coefficients = coefficients;
        fitted.rank = Some(rank);
        fitted.condition = Some(condition);
        fitted.warnings.extend(super::rank_warning(rank, fitted.coefficients.len()));
        Ok(fitted)
    }
}
