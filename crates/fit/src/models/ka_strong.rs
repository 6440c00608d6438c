//! The strong-scaling function of \[K\].
//!
//! \[K\] Kazmina, Antonov, *Vestnik komp. i inf. tekhn.* 12, 2018, as described in section 3.5 of Mokrov's thesis.

use super::relative::{KnownSum, Signs, rank_weights, times_along_one_axis};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::{Sample, Scaling};
use crate::text::{name, number};
use runcast_core::series::Aggregate;
use std::sync::Arc;

/// `T(p) = a p + b/p + c/sqrt(p)`, `a, b, c >= 0`; squares weighted by `k / T_k^2`.                            \[K\]
///
/// Erratum: Mokrov's section 3.5 labels it weak; the text around it makes it strong.
///
/// The function is linear in its coefficients: their best non-negative values are found exactly, without starting values.
pub struct KaStrong;

impl Regression for KaStrong {
    fn name(&self) -> &'static str {
        "ka-strong"
    }

    fn summary(&self) -> &'static str {
        "Kazmina and Antonov 2018: a*p + b/p + c/sqrt(p)"
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Best
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        times_along_one_axis(sample)?;
        if sample.scaling == Scaling::Wide {
            return Err("it needs a varying number of processes".to_owned());
        }
        if !ever_falls(&sample.x(), &sample.y) {
            return Err(
                "the metric never falls from one process count to the next (--signs free fits it anyway)".to_owned()
            );
        }
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        if !options.free_signs {
            self.applies(sample).map_err(NoFit::Unsuitable)?;
        }
        super::one_dimension(sample).map_err(NoFit::Unsuitable)?;
        let sum = fit_along(sample, options)?;
        let (a, b, c) = (sum.coefficients[0], sum.coefficients[1], sum.coefficients[2]);
        let p = name(&sample.series.parameters[sample.axis]);
        let parts = [(a, format!("*{p}")), (b, format!("/{p}")), (c, format!("/sqrt({p})"))];
        let parts: Vec<String> =
            parts.iter().filter(|(c, _)| *c != 0.0).map(|(c, term)| format!("{}{term}", number(*c))).collect();
        let formula = if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") };
        let class = match (a != 0.0, c != 0.0) {
            (true, _) => p.clone(),
            (false, true) => format!("{p}^(-1/2)"),
            (false, false) => format!("{p}^(-1)"),
        };
        let (rank, condition) = (sum.fit.rank, sum.fit.condition);
        let mut fitted =
            Fitted::new("ka-strong", formula, class, Box::new(sum)).with_coefficients([("a", a), ("b", b), ("c", c)]);
        fitted.rank = Some(rank);
        fitted.condition = Some(condition);
        Ok(fitted.along_axis(sample))
    }
}

/// The function along the axis of a sample, ignoring whatever else varies.
///
/// # Errors
/// As [`KnownSum::fit`].
pub fn fit_along(sample: &Sample<'_>, options: &FitOptions) -> Result<KnownSum, NoFit> {
    let axis = sample.axis;
    super::log_linear::check_parameters(sample, "ka-strong", [axis], "> 0", |p| p > 0.0)?;
    let known: Vec<super::relative::Known> = vec![
        Arc::new(move |at| at[axis]),
        Arc::new(move |at| 1.0 / at[axis]),
        Arc::new(move |at| 1.0 / at[axis].sqrt()),
    ];
    let signs = if options.free_signs { Signs::Free } else { Signs::Nonnegative };
    KnownSum::fit(sample, "ka-strong", known, &rank_weights(&sample.x()), signs, options)
}

/// Whether y falls anywhere from one x to the next.
fn ever_falls(x: &[f64], y: &[f64]) -> bool {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    order.windows(2).any(|pair| y[pair[1]] < y[pair[0]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    #[test]
    fn the_function_comes_back() {
        let law = |p: f64| 0.01 * p + 100.0 / p + 2.0 / p.sqrt();
        let runs = series(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0].map(|p| (p, law(p))));
        let sample = Sample::new(&runs, KaStrong.aggregate(), &FitOptions::default());
        let fitted = KaStrong.fit(&sample, &FitOptions::default()).expect("fits");
        assert!((fitted.predictor.value(&[64.0]) - 2.4525).abs() < 1e-8);
        let least = (1..=1000u32).min_by(|a, b| {
            fitted.predictor.value(&[f64::from(*a)]).total_cmp(&fitted.predictor.value(&[f64::from(*b)]))
        });
        assert_eq!(least, Some(105));
    }
}
