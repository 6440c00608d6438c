//! The log-linear regressions of Barnes et al., *A regression-based approach to scalability prediction* (ICS 2008).

use super::log_linear::{Basis, LogLinear, LogLinearSpec};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;

/// `log2 DF = g0 + g1 log2 p [+ g2 log2^2 p] + sum_i b_i log2 N_i`
///
/// A rank-deficient design keeps every column and has the minimum-norm solution.
pub struct Barnes {
    /// Whether to include the square of `log2 p`.
    pub quadratic: bool,
}

impl Regression for Barnes {
    fn name(&self) -> &'static str {
        if self.quadratic { "barnes-quadratic" } else { "barnes-linear" }
    }

    fn summary(&self) -> &'static str {
        if self.quadratic {
            "Barnes et al. 2008, with the square of log p"
        } else {
            "Barnes et al. 2008, linear in logs"
        }
    }

    fn applies(&self, _: &Sample<'_>) -> Result<(), String> {
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        let mut basis = vec![Basis(vec![])];
        let mut names = vec!["g0".to_owned()];
        if let Some(p) = sample.series.process_parameter {
            basis.push(Basis(vec![(p, 0.0)]));
            names.push("g1".to_owned());
            if self.quadratic {
                basis.push(Basis(vec![(p, 0.0), (p, 0.0)]));
                names.push("g2".to_owned());
            }
        }
        for (index, &size) in sample.sizes.iter().enumerate() {
            basis.push(Basis(vec![(size, 0.0)]));
            names.push(format!("b{}", index + 1));
        }
        let recency = Recency::Rank(options.recency.unwrap_or(1.0));
        let spec = LogLinearSpec { model: self.name(), basis, recency, ridge: None, scale_columns: false, unit: 1.0 };
        let model = LogLinear::fit(sample, options, spec)?;
        let coefficients = model.fit.coefficients.clone();
        let (rank, condition) = (model.fit.rank, model.fit.condition);
        let mut fitted = Fitted::new(self.name(), model.formula(), model.class(), Box::new(model))
            .with_coefficients(names.iter().map(String::as_str).zip(coefficients));
        fitted.rank = Some(rank);
        fitted.condition = Some(condition);
        fitted.warnings.extend(super::rank_warning(rank, fitted.coefficients.len()));
        Ok(fitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;
    use runcast_core::series::Aggregate;

    #[test]
    fn variance_factors_of_a_power_law_through_four_doublings() {
        let options = FitOptions::default();
        let weak = series(&[(8.0, 10.0), (16.0, 9.0), (32.0, 8.5), (64.0, 8.4)]);
        let sample = Sample::new(&weak, Aggregate::Median, &options);
        let fitted = Barnes { quadratic: false }.fit(&sample, &options).expect("fits");
        assert!((fitted.predictor.value(&[256.0]) / 7.307859 - 1.0).abs() < 1e-6);
        // x'(X'X)^-1 x = 1/4 + (8 - 4.5)^2 / 5 = 2.7
        let spec = LogLinearSpec {
            model: "test",
            basis: vec![Basis(vec![]), Basis(vec![(0, 0.0)])],
            recency: Recency::Rank(1.0),
            ridge: None,
            scale_columns: false,
            unit: 1.0,
        };
        let model = LogLinear::fit(&sample, &options, spec).expect("fits");
        assert!((model.variance_factor(&[256.0]) - 3.7).abs() < 1e-9);
    }
}
