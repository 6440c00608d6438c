//! Models to documents, and back.

use crate::fitted::{NoFit, Regression};
use crate::joint;
use crate::models::mokrov::{Mokrov, unit_of};
use crate::options::FitOptions;
use crate::predict::Model;
use crate::registry;
use indexmap::IndexMap;
use runcast_core::model::{FailedSeries, ModelEntry, Training, TrainingPoint};
use runcast_core::{Metric, Point, Problem, Series, Warning};
use runcast_formula::Formula;
use serde_json::json;
use std::sync::Arc;

/// Whether a warning concerns the runs, independent of the fitted model; the others come from the fit.
pub fn is_of_the_runs(warning: &Warning) -> bool {
    ["repetition_outlier", "missing_metric", "mixed_regime"].contains(&warning.code.as_str())
}

/// The entry of a model in the document of `runcast fit`.
pub fn entry_of(model: &Model) -> ModelEntry {
    if let Some(entry) = model.foreign_entry() {
        return entry;
    }
    let (series, fitted) = (&model.series, &model.fitted);
    let mut options = model.options.clone();
    let mut extra = IndexMap::new();
    if fitted.model == Mokrov.name() {
        // What is saved has lost the unit of its column.
        let metric = *options.metric_unit.get_or_insert(unit_of(series, &model.options));
        extra.insert("units".to_owned(), json!({ "metric": metric, "size": options.size_unit }));
    }
    let training = Training {
        process_parameter: series.process_parameter.map(|p| series.parameters[p].clone()),
        points: series
            .points
            .iter()
            .map(|point| TrainingPoint { at: series.configuration(point), values: point.values.clone() })
            .collect(),
        options: serde_json::to_value(&options).unwrap_or_default(),
    };
    let mut warnings: Vec<Warning> = series.warnings.clone();
    warnings.extend(fitted.warnings.iter().cloned());
    ModelEntry {
        group: series.group.clone(),
        metric: series.metric.name.clone(),
        unit: series.metric.unit.clone(),
        direction: series.metric.direction,
        model: fitted.model.to_owned(),
        formula: fitted.formula.clone(),
        class: fitted.class.clone(),
        terms: fitted.terms.clone(),
        coefficients: fitted.coefficients.clone(),
        rank: fitted.rank,
        condition: fitted.condition.filter(|condition| condition.is_finite()),
        scaling: model.scaling.name().to_owned(),
        points: series.points.len(),
        repetitions: series.runs(),
        range: series.parameters.iter().cloned().zip((0..).map(|k| model.range(k))).collect(),
        aggregate: model.aggregate.name().to_owned(),
        dropped: fitted.dropped.clone(),
        members: fitted.members.clone(),
        segments: fitted.segments.clone(),
        warnings,
        quality: model.quality.clone(),
        training: Some(training),
        extra,
    }
}

/// The document's entry for a series without a model.
pub fn failure_of(series: &Series, model: &str, reason: &NoFit) -> FailedSeries {
    FailedSeries {
        group: series.group.clone(),
        metric: series.metric.name.clone(),
        model: model.to_owned(),
        reason: reason.to_string(),
        line: reason.line(),
    }
}

/// A saved model, ready to predict: refitted to the runs that the document holds, which reproduces the same model.
///
/// # Errors
/// A [`Problem`] when the document holds no runs, an unknown model, or contradicts itself.
pub fn reload(entry: &ModelEntry) -> Result<Model, Problem> {
    if let Some(model) = joint::reload(entry) {
        return model;
    }
    let bad = |message: String| Problem::new("bad_model", message);
    let regression = registry::find(&entry.model).ok_or_else(|| {
        bad(format!("\"{}\" is not a model", entry.model)).allowed(registry::names().collect::<Vec<_>>().join(", "))
    })?;
    let series = series_of(entry)?;
    let options = entry.training.as_ref().map(|training| training.options.clone()).unwrap_or_default();
    let options: FitOptions =
        serde_json::from_value(options).map_err(|error| bad(format!("training.options: {error}")))?;
    Model::fit(&Arc::new(series), regression, &options).map_err(|reason| bad(reason.to_string()))
}

/// The runs that a document holds of a model.
pub(crate) fn series_of(entry: &ModelEntry) -> Result<Series, Problem> {
    let bad = |message: String| Problem::new("bad_model", message);
    let training = entry
        .training
        .as_ref()
        .ok_or_else(|| bad(format!("the model {} holds no runs (field training)", entry.model)))?;
    let parameters: Vec<String> = entry.range.keys().cloned().collect();
    let mut points = Vec::with_capacity(training.points.len());
    for point in &training.points {
        let at: Option<Vec<f64>> = parameters.iter().map(|name| point.at.get(name)).collect();
        match at {
            Some(at) if !point.values.is_empty() && at.iter().chain(&point.values).all(|value| value.is_finite()) => {
                points.push(Point { at, values: point.values.clone(), lines: vec![0; point.values.len()] });
            }
            _ => return Err(bad(format!("the run at {} lacks a parameter or its values", point.at))),
        }
    }
    let process_parameter = match &training.process_parameter {
        None => None,
        Some(name) => Some(
            parameters
                .iter()
                .position(|parameter| parameter == name)
                .ok_or_else(|| bad(format!("\"{name}\" is not a parameter of the model")))?,
        ),
    };
    Ok(Series {
        group: entry.group.clone(),
        metric: Metric::new(entry.metric.clone(), entry.unit.clone(), entry.direction),
        parameters: parameters.into(),
        process_parameter,
        points,
        file: None,
        warnings: entry.warnings.iter().filter(|warning| is_of_the_runs(warning)).cloned().collect(),
    })
}

/// Checks that a formula of a document can be read.
///
/// # Errors
/// A [`Problem`] that shows the formula.
pub fn formula_of(entry: &ModelEntry) -> Result<Formula, Problem> {
    Formula::parse(&entry.formula)
        .map_err(|error| Problem::new("bad_formula", error.to_string()).at("formula").value(entry.formula.clone()))
}
