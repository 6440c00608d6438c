//! The weak-scaling regression without intercept of \[M\].
//!
//! \[M\] K. S. Mokrov, *Development of a method for forecasting weak scalability of supercomputer applications* (thesis,
//! Moscow State University, 2020), Eq. 7.

use super::log_linear::{Basis, LogLinear, LogLinearSpec};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use indexmap::IndexMap;
use runcast_core::Series;
use runcast_core::series::Aggregate;

/// `log2 DF = b1 log2 p + b2 log2 N + b3 log2 p log2 N`                                  \[M\], Eq. 7
///
/// Ambiguity: \[M\] does not give the base of the logarithm; its Eq. 5 implies 2. `b1` and `b2` do not depend on it.
///
/// Limit: without an intercept the *unit of N* acts as one (\[M\] counts N in thousands, mostly): see
/// [`FitOptions::size_unit`]; so does that of a rate, which is the column's unless [`FitOptions::metric_unit`] says another. In exact weak scaling `log N = u + v log p`; with `u = 0` the design has rank 2 and is
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
        let spec = LogLinearSpec {
            model: "mokrov",
            basis,
            recency,
            ridge: None,
            scale_columns: false,
            unit: unit_of(sample.series, options),
        };
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

/// The unit that `mokrov` counts the metric in.
pub fn unit_of(series: &Series, options: &FitOptions) -> f64 {
    options.metric_unit.unwrap_or(if series.metric.is_rate() { series.metric.scale } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::over;
    use runcast_core::{Direction, Metric};

    /// p, and N in thousands, at 1e12 operations a process (\[M\], Table 1).
    const PLAN: [(f64, f64); 18] = [
        (6.0, 18.0),
        (8.0, 20.0),
        (12.0, 23.0),
        (16.0, 25.0),
        (20.0, 27.0),
        (27.0, 30.0),
        (40.0, 34.0),
        (42.0, 35.0),
        (50.0, 37.0),
        (60.0, 39.0),
        (64.0, 40.0),
        (80.0, 43.0),
        (90.0, 45.0),
        (98.0, 46.0),
        (110.0, 48.0),
        (125.0, 50.0),
        (140.0, 52.0),
        (156.0, 53.85),
    ];

    /// Of the rate 2/3 (1000 N)^3/T, by an independent script: what the unit changes, and which one the column has.
    #[test]
    fn without_an_intercept_the_unit_of_a_rate_acts_as_one() {
        let rate = |p: f64| 2e10 * p / (1.0 + 0.02 * p.sqrt());
        let points = PLAN.iter().map(|&(p, n)| (vec![p, n], rate(p))).collect();
        let mut series = over(&["p", "N"], points);
        series.metric = Metric { scale: 1e9, ..Metric::new("perf_gflops", "flop/s", Direction::Higher) };
        let sample = Sample::new(&series, Aggregate::Best, &FitOptions::default());
        let found = |metric_unit: Option<f64>| {
            let fitted = Mokrov.fit(&sample, &FitOptions { metric_unit, ..FitOptions::default() }).expect("fits");
            (fitted.predictor.value(&[1369.0, 111.0]) / 1e9, fitted.coefficients.values().copied().collect::<Vec<_>>())
        };
        for (unit, value, coefficients) in [
            (Some(1.0), 16912.686, [-2.397068, 10.321657, -0.017116]),
            (Some(1e9), 17055.976, [0.673382, 1.280030, -0.023378]),
            (None, 17055.976, [0.673382, 1.280030, -0.023378]),
        ] {
            let (predicted, fitted) = found(unit);
            assert!((predicted - value).abs() < 1e-3, "{unit:?}: {predicted}");
            for (own, expected) in fitted.iter().zip(coefficients) {
                assert!((own - expected).abs() < 1e-6, "{unit:?}: {fitted:?}");
            }
        }
        assert!((found(Some(1e12)).0 - 17104.007).abs() < 1e-3);
    }
}
