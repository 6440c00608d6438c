//! Saved models held against runs: what they say of every configuration that was run.

use crate::failure::Failure;
use runcast_core::evaluation::Predictions;
use runcast_core::prediction::Prediction;
use runcast_core::series::SeriesSet;
use runcast_core::{Configuration, Problem, Series, Warning};
use runcast_fit::Model;
use serde_json::json;

/// What models say of the configurations of runs: of the series with their metric whose labels are theirs.
///
/// # Errors
/// No series is one of theirs, or it lacks a parameter that a model needs.
pub(super) fn predictions(name: &str, models: &[Model], runs: &SeriesSet, level: f64) -> Result<Predictions, Failure> {
    let mut all: Vec<Prediction> = Vec::new();
    let mut warnings: Vec<Warning> = Vec::new();
    for model in models {
        for target in targets(model, &runs.series) {
            let (prediction, found) = model.predict(&target, level).map_err(|problem| problem.in_file(name))?;
            all.push(prediction);
            for warning in found {
                if !warnings.iter().any(|known| known.code == warning.code) {
                    warnings.push(warning);
                }
            }
        }
    }
    if all.is_empty() {
        let metrics: Vec<&str> = models.iter().map(|model| model.series.metric.name.as_str()).collect();
        let problem = Problem::new("nothing_to_compare", "no run is of the metric and the group of a model");
        return Err(problem.in_file(name).allowed(metrics.join(", ")).into());
    }
    let document = json!({ "kind": "predict", "version": 1, "predictions": all });
    let bytes =
        serde_json::to_vec(&document).map_err(|error| Failure::undone(Problem::new("internal", error.to_string())))?;
    let mut predictions = Predictions::read(name, &bytes, &Default::default(), &Default::default())?;
    predictions.warnings.extend(warnings);
    Ok(predictions)
}

/// The configurations of the runs that a model has a say in, each once, with the parameters that it knows.
fn targets(model: &Model, runs: &[Series]) -> Vec<Configuration> {
    let own = &model.series;
    let is_own = |series: &&Series| {
        series.metric.name == own.metric.name
            && series.group.iter().all(|(label, value)| own.group.get(label).is_none_or(|known| known == value))
    };
    let mut targets: Vec<Configuration> = Vec::new();
    for series in runs.iter().filter(is_own) {
        for point in &series.points {
            let mut at = series.configuration(point);
            at.0.retain(|parameter, _| own.parameters.contains(parameter));
            if !targets.contains(&at) {
                targets.push(at);
            }
        }
    }
    targets
}
