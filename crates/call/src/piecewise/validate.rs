//! The same fit without some of the runs, compared with these.

use super::data::Data;
use super::error::NoFit;
use super::model::{Piecewise, fit_deep};
use super::samples::{Repeated, Samples};
use super::settings::{Method, Settings};
use rayon::prelude::*;
use runcast_core::numeric::binomial::exact_interval;
use runcast_core::{Configuration, json, statistics};
use runcast_formula::Formula;
use serde::Serialize;
use std::sync::atomic::AtomicBool;

/// Level of the interval of the coverage, as of every error of an estimate.
const LEVEL_OF_COVERAGE: f64 = 0.95;

/// The held-out runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Scheme {
    /// Each configuration once: of the sorted ones, those with the same index modulo this number together.
    Folds(usize),
    /// Those for which this is true.
    Hold(Formula),
}

/// Result of the validation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validation {
    /// The held-out configurations.
    pub points: Vec<HeldOut>,
    /// Mean absolute error; none if nothing could be predicted.
    #[serde(serialize_with = "json::as_optional_number")]
    pub mean_error_pct: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub median_error_pct: Option<f64>,
    /// The mean with one set of constants everywhere.
    #[serde(serialize_with = "json::as_optional_number")]
    pub single_mean_error_pct: Option<f64>,
    /// Held-out configurations for which there was no fit or no prediction; the means are over the others.
    pub unpredictable: usize,
    /// The same, under its first name.
    pub failed: usize,
    /// Nominal coverage of the ranges.
    #[serde(serialize_with = "json::as_number")]
    pub level: f64,
    /// Configurations with a range, and those whose measured value lies in it.
    pub ranges: usize,
    pub covered: usize,
    /// Share of these, with its exact interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub coverage: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub coverage_low: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub coverage_high: Option<f64>,
    /// Runs at configurations with a range, and those in it.
    pub runs: usize,
    pub covered_runs: usize,
}

/// A configuration that the fit did not know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeldOut {
    pub at: Configuration,
    #[serde(serialize_with = "json::as_number")]
    pub measured: f64,
    /// The prediction of the fit to the others; none if it refuses.
    #[serde(serialize_with = "json::as_optional_number")]
    pub predicted: Option<f64>,
    /// `100 (measured - predicted) / measured`
    #[serde(serialize_with = "json::as_optional_number")]
    pub residual_pct: Option<f64>,
    /// The range of the prediction.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Whether the measured value lies in it; none without a range.
    pub covered: Option<bool>,
    /// Runs there, and those in the range.
    pub runs: usize,
    pub covered_runs: Option<usize>,
    /// Why there is no prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a refit says of a configuration.
#[derive(Debug, Clone, Default)]
struct Answer {
    value: Option<f64>,
    range: Option<(f64, f64)>,
    reason: Option<String>,
}

/// Refits without some runs, and predicts these.
///
/// # Errors
/// A scheme that leaves nothing in or out, or the reason if no remainder can be fitted.
pub fn validate(model: &Piecewise, scheme: &Scheme) -> Result<Validation, NoFit> {
    validate_with(model, scheme, &AtomicBool::new(false))
}

/// The same, ended early with [`NoFit::Interrupted`] when `stop` is raised.
///
/// # Errors
/// A scheme that leaves nothing in or out, or the reason if no remainder can be fitted.
pub fn validate_with(model: &Piecewise, scheme: &Scheme, stop: &AtomicBool) -> Result<Validation, NoFit> {
    let settings = model.settings.clone();
    let alone = Settings { method: Some(Method::Single), bootstrap: false, ..settings.clone() };
    let (points, single) = match scheme {
        Scheme::Folds(folds) => {
            let parts = parts(model, *folds)?;
            (in_parts(model, &parts, &settings, stop)?, in_parts(model, &parts, &alone, stop))
        }
        Scheme::Hold(formula) => {
            let halves = Halves::new(model, formula)?;
            (halves.predict_each(&settings, stop)?, halves.predict_each(&alone, stop))
        }
    };
    let single = single.map(|points| sizes(&points)).unwrap_or_default();
    Ok(summary(model.settings.level, points, &single))
}

fn summary(level: f64, points: Vec<HeldOut>, single: &[f64]) -> Validation {
    let sizes = sizes(&points);
    let of = |values: &[f64], f: fn(&[f64]) -> f64| if values.is_empty() { None } else { Some(f(values)) };
    let with_range = || points.iter().filter(|point| point.covered.is_some());
    let (ranges, covered) = (with_range().count(), with_range().filter(|point| point.covered == Some(true)).count());
    let exact = (ranges > 0).then(|| exact_interval(covered, ranges, LEVEL_OF_COVERAGE));
    let unpredictable = points.len() - sizes.len();
    Validation {
        mean_error_pct: of(&sizes, statistics::mean),
        median_error_pct: of(&sizes, statistics::median),
        single_mean_error_pct: of(single, statistics::mean),
        unpredictable,
        failed: unpredictable,
        level,
        ranges,
        covered,
        coverage: (ranges > 0).then(|| covered as f64 / ranges as f64),
        coverage_low: exact.map(|(low, _)| low),
        coverage_high: exact.map(|(_, high)| high),
        runs: with_range().map(|point| point.runs).sum(),
        covered_runs: points.iter().filter_map(|point| point.covered_runs).sum(),
        points,
    }
}

/// The configurations of all parts, each predicted by the others; sorted.
fn in_parts(
    model: &Piecewise,
    parts: &[Vec<usize>],
    settings: &Settings,
    stop: &AtomicBool,
) -> Result<Vec<HeldOut>, NoFit> {
    let results: Vec<Result<Vec<HeldOut>, NoFit>> =
        parts.par_iter().map(|held| hold_out(model, held, settings, stop)).collect();
    let reason = results.iter().find_map(|result| result.as_ref().err().cloned());
    match reason {
        Some(NoFit::Interrupted) => return Err(NoFit::Interrupted),
        Some(reason) if results.iter().all(Result::is_err) => return Err(reason),
        _ => {}
    }
    let unknown = |held: &Vec<usize>, reason: &NoFit| {
        let answer = || Answer { reason: Some(reason.to_string()), ..Answer::default() };
        held.iter().map(|&row| held_out(&model.data, row, answer())).collect()
    };
    let results = results.into_iter().zip(parts);
    let results = results.map(|(result, held)| result.unwrap_or_else(|reason| unknown(held, &reason)));
    let results: Vec<Vec<HeldOut>> = results.collect();
    let mut points: Vec<(usize, HeldOut)> = parts.iter().flatten().copied().zip(results.concat()).collect();
    let rank = sorted(&model.data);
    points.sort_by_key(|(row, _)| rank.iter().position(|sorted| sorted == row));
    Ok(points.into_iter().map(|(_, point)| point).collect())
}

/// The samples for which a formula holds, and the others. The formula may use every parameter of the samples, also one
/// that the model does not use: `P > 4` of a part that does not depend on P.
struct Halves<'m> {
    model: &'m Piecewise,
    kept: Samples,
    held: Data,
}

impl<'m> Halves<'m> {
    fn new(model: &'m Piecewise, formula: &Formula) -> Result<Self, NoFit> {
        let samples = &model.samples;
        let names: Vec<&str> = samples.parameters.iter().map(String::as_str).collect();
        let program = formula.compile(&names).map_err(|error| NoFit::Setting { message: error.to_string() })?;
        let is_held = |repeated: &Repeated| {
            let value = program.row(&repeated.at);
            value != 0.0 && !value.is_nan()
        };
        let (held, kept): (Vec<Repeated>, Vec<Repeated>) = samples.configurations.iter().cloned().partition(is_held);
        if held.is_empty() || kept.is_empty() {
            let count = held.len() + kept.len();
            let message = format!("{} holds for {} of {count} configurations", formula.text(), held.len());
            return Err(NoFit::Setting { message });
        }
        let with = |configurations: Vec<Repeated>| Samples { configurations, ..samples.clone() };
        let variables: Vec<Formula> = model.variables().cloned().collect();
        let held = Data::new(&with(held), &model.settings, &variables)?;
        Ok(Halves { model, kept: with(kept), held })
    }

    fn predict_each(&self, settings: &Settings, stop: &AtomicBool) -> Result<Vec<HeldOut>, NoFit> {
        let refit = fit_deep(&self.kept, settings, false, stop)?;
        let predict = |row: usize| held_out(&self.held, row, predict_row(&refit, &self.held, row, self.model));
        Ok(sorted(&self.held).into_iter().map(predict).collect())
    }
}

fn predict_row(refit: &Piecewise, data: &Data, row: usize, model: &Piecewise) -> Answer {
    let at = Configuration::from_pairs(&data.terms.names, &data.at[row]);
    match refit.predict(&at, model.settings.level) {
        Ok((prediction, warnings)) => Answer {
            value: prediction.value,
            range: prediction.low.zip(prediction.high),
            reason: match prediction.value {
                Some(_) => None,
                None => warnings.first().map(|warning| warning.message.clone()),
            },
        },
        Err(problem) => Answer { reason: Some(problem.message), ..Answer::default() },
    }
}

fn sizes(points: &[HeldOut]) -> Vec<f64> {
    points.iter().filter_map(|point| point.residual_pct).map(f64::abs).collect()
}

/// The rows in the order of the first variable, then of the configurations.
fn sorted(data: &Data) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..data.len()).collect();
    if let Some(z) = data.z.first() {
        rows.sort_by(|&a, &b| z[a].total_cmp(&z[b]).then(a.cmp(&b)));
    }
    rows
}

/// The rows that are held out together.
fn parts(model: &Piecewise, folds: usize) -> Result<Vec<Vec<usize>>, NoFit> {
    let count = model.data.len();
    if folds < 2 || folds > count {
        let message = format!("{folds} folds of {count} configurations: allowed are 2 to {count}");
        return Err(NoFit::Setting { message });
    }
    let rows = sorted(&model.data);
    Ok((0..folds).map(|fold| rows.iter().copied().skip(fold).step_by(folds).collect()).collect())
}

fn hold_out(model: &Piecewise, held: &[usize], settings: &Settings, stop: &AtomicBool) -> Result<Vec<HeldOut>, NoFit> {
    let terms = &model.data.terms;
    let kept = (0..model.data.len()).filter(|row| !held.contains(row)).map(|row| model.data.repetitions[row].clone());
    let samples = Samples {
        group: model.samples.group.clone(),
        metric: model.samples.metric.clone(),
        parameters: terms.names.clone(),
        process_parameter: model.samples.process_parameter.clone(),
        configurations: kept.collect(),
        rejected: indexmap::IndexMap::new(),
    };
    let refit = fit_deep(&samples, settings, false, stop)?;
    let predict = |row: &usize| held_out(&model.data, *row, predict_row(&refit, &model.data, *row, model));
    Ok(held.iter().map(predict).collect())
}

fn held_out(data: &Data, row: usize, answer: Answer) -> HeldOut {
    let measured = data.y[row];
    let Answer { value: predicted, range, reason } = answer;
    let is_in = |value: f64| range.map(|(low, high)| (low..=high).contains(&value));
    let runs = &data.runs[row];
    HeldOut {
        at: Configuration::from_pairs(&data.terms.names, &data.at[row]),
        measured,
        predicted,
        residual_pct: predicted.map(|predicted| 100.0 * (measured - predicted) / measured),
        low: range.map(|(low, _)| low),
        high: range.map(|(_, high)| high),
        covered: is_in(measured),
        runs: runs.len(),
        covered_runs: range.map(|_| runs.iter().filter(|run| is_in(run.value) == Some(true)).count()),
        reason,
    }
}
