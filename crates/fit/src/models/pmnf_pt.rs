//! The normal form fitted to the time of all processes together: strong scaling without negative times.

use super::log_linear::{check_logs, check_parameters};
use super::one_term::{OneTerm, Transform, describe};
use super::pmnf::candidate_terms;
use super::search::{Folds, Problem, select};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::Sample;
use runcast_core::Warning;

/// The terms of [`super::pmnf`] on `Y = p T`, divided by p afterwards.
///
/// Score by *forward chaining*: the two largest configurations, each predicted from all smaller ones (with three
/// configurations only the largest), mean SMAPE, against the constant's SMAPE over all points. Two configurations: no
/// model. A rate is fitted as its reciprocal. Metrics that are neither, and series along another parameter than the
/// process count, are fitted as they are.
pub struct PmnfPt;

impl Regression for PmnfPt {
    fn name(&self) -> &'static str {
        "pmnf-pt"
    }

    fn summary(&self) -> &'static str {
        "pmnf on p*T, scored on the two largest runs: times stay positive"
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        super::four_dimensions(sample)
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        if sample.dimensions.len() > 1 {
            return super::pmnf_multi::fit_pt(sample, options);
        }
        let (model, score, warning) = fit_one_term(sample, options, Folds::ForwardChaining)?;
        Ok(describe("pmnf-pt", sample, model, score, warning))
    }
}

/// How a metric is transformed for fitting the terms.
pub fn transform_of(sample: &Sample<'_>) -> Transform {
    let metric = &sample.series.metric;
    match (metric.is_time(), metric.is_rate(), sample.along_processes) {
        (true, false, true) => Transform::TimesX,
        (_, true, true) => Transform::XOverRate,
        (_, true, false) => Transform::Reciprocal,
        _ => Transform::None,
    }
}

/// Chooses and fits the term, with the given scoring.
///
/// # Errors
/// [`NoFit`] for fewer than three configurations and for values that are not positive.
pub fn fit_one_term(
    sample: &Sample<'_>,
    options: &FitOptions,
    folds: Folds,
) -> Result<(OneTerm, f64, Option<Warning>), NoFit> {
    check_logs(sample, "pmnf-pt", [])?;
    let transform = transform_of(sample);
    let (terms, warning) = if transform == Transform::None {
        candidate_terms(sample, "pmnf-pt", options)?
    } else {
        check_parameters(sample, "pmnf-pt", [sample.axis], "> 0", |value| value > 0.0)?;
        super::pmnf::terms_for(sample, sample.axis, false)
    };
    if sample.len() < 3 {
        return Err(NoFit::Unsuitable(format!("pmnf-pt needs three configurations, not {}", sample.len())));
    }
    let x = sample.x();
    let y: Vec<f64> = x.iter().zip(&sample.y).map(|(x, y)| transform.forward(*x, *y)).collect();
    let choice = select(&Problem::new(&x, &y, &terms, folds));
    Ok((choice.refit(sample, options, transform), choice.score, warning))
}
