//! The performance-model normal form with one term, chosen by cross-validation.
//!
//! \[C\] A. Calotoiu et al., *Using automated performance modeling to find scalability bugs in complex codes* (SC13), and
//! the rule of its tool Extra-P 4.2.

use super::log_linear::check_parameters;
use super::one_term::{Transform, describe};
use super::search::{Folds, Problem, select};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::terms::{DEFAULT_TERMS, NEGATIVE_TERMS, PmnfTerm, PmnfTerms};
use runcast_core::Warning;
use runcast_core::series::Aggregate;

/// `DF = c0 + c1 p^i log2(p)^j`, or `c0` alone.
pub struct Pmnf;

impl Regression for Pmnf {
    fn name(&self) -> &'static str {
        "pmnf"
    }

    fn summary(&self) -> &'static str {
        "constant + one term p^i*log2(p)^j chosen by cross-validation, as Extra-P"
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Mean
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        super::four_dimensions(sample)
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        if sample.dimensions.len() > 1 {
            return super::pmnf_multi::fit(sample, options, &sample.y, super::pmnf_multi::Scale::Metric);
        }
        let (terms, warning) = candidate_terms(sample, "pmnf", options)?;
        let choice = select(&Problem::new(&sample.x(), &sample.y, &terms, Folds::LeaveOneOut));
        let model = choice.refit(sample, options, Transform::None);
        Ok(describe("pmnf", sample, model, choice.score, warning))
    }
}

/// The terms to try for this sample: those with logs only where every x is at least 1, falling ones where the series
/// falls or on request.
///
/// # Errors
/// [`NoFit::Parameter`] for a negative parameter.
pub fn candidate_terms(
    sample: &Sample<'_>,
    model: &'static str,
    options: &FitOptions,
) -> Result<(Vec<PmnfTerm>, Option<Warning>), NoFit> {
    check_parameters(sample, model, [sample.axis], ">= 0", |value| value >= 0.0)?;
    Ok(match &options.terms {
        Some(own) => own_terms(sample, sample.axis, own),
        None => terms_for(sample, sample.axis, options.negative || sample.falls()),
    })
}

/// The terms that can be tried along a parameter, and a warning if logarithms are excluded.
pub fn terms_for(sample: &Sample<'_>, parameter: usize, falling: bool) -> (Vec<PmnfTerm>, Option<Warning>) {
    let least = sample.range(parameter)[0];
    let falling = falling && least > 0.0;
    let mut terms: Vec<PmnfTerm> = DEFAULT_TERMS.to_vec();
    if falling {
        terms.extend(NEGATIVE_TERMS);
    }
    without_logs(sample, parameter, terms)
}

/// The user's terms, of which falling ones go where a parameter is 0.
pub fn own_terms(sample: &Sample<'_>, parameter: usize, own: &PmnfTerms) -> (Vec<PmnfTerm>, Option<Warning>) {
    let mut terms = own.terms.clone();
    if sample.range(parameter)[0] <= 0.0 {
        terms.retain(|term| term.numerator >= 0);
    }
    without_logs(sample, parameter, terms)
}

/// Logarithms are left out where a parameter is below 1, with a warning.
fn without_logs(sample: &Sample<'_>, parameter: usize, mut terms: Vec<PmnfTerm>) -> (Vec<PmnfTerm>, Option<Warning>) {
    let least = sample.range(parameter)[0];
    if least >= 1.0 || terms.iter().all(|term| term.log_power == 0) {
        return (terms, None);
    }
    terms.retain(|term| term.log_power == 0);
    let name = &sample.series.parameters[parameter];
    let warning = Warning::new(
        "log_terms_off",
        format!("the smallest {name} is {least}, below 1: terms with logarithms were omitted"),
    );
    (terms, Some(warning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    #[test]
    fn each_of_the_42_terms_comes_back_from_five_doublings() {
        for term in DEFAULT_TERMS {
            let points: Vec<(f64, f64)> =
                [2.0, 4.0, 8.0, 16.0, 32.0].iter().map(|&p| (p, 200.0 + 10.0 * term.at(p))).collect();
            let series = series(&points);
            let sample = Sample::new(&series, Aggregate::Mean, &FitOptions::default());
            let fitted = Pmnf.fit(&sample, &FitOptions::default()).expect("fits");
            assert_eq!(fitted.class, term.class("p"));
            assert!((fitted.coefficients["c0"] / 200.0 - 1.0).abs() < 1e-6);
            assert!((fitted.coefficients["c1"] / 10.0 - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_constant_metric_gives_the_constant() {
        for points in [vec![(1.0, 5.0)], vec![(1.0, 5.0), (2.0, 5.0)], vec![(1.0, 5.0), (2.0, 5.0), (4.0, 5.0)]] {
            let series = series(&points);
            let sample = Sample::new(&series, Aggregate::Mean, &FitOptions::default());
            let fitted = Pmnf.fit(&sample, &FitOptions::default()).expect("fits");
            assert_eq!((fitted.class.as_str(), fitted.formula.as_str()), ("constant", "5"));
        }
    }
}
