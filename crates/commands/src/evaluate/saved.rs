//! Compares earlier predictions and saved models with runs.

use crate::context::Context;
use crate::failure::Failure;
use crate::models;
use crate::options::paths::InputFile;
use crate::tables::{self, TableArgs};
use clap::{Args, ValueHint};
use indexmap::IndexMap;
use runcast_core::evaluation::{self, EvaluationPoint, Joined};
use runcast_core::prediction::{Prediction, Predictions, Rename};
use runcast_core::series::SeriesSet;
use runcast_core::{Configuration, Problem, Series, Warning};
use runcast_fit::Model;
use serde::Deserialize;
use std::collections::HashMap;

/// Predictions of any method that are compared with runs.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct PredictionsArgs {
    /// Predictions of any method (tables, documents), or saved models; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub predictions: Vec<InputFile>,
    /// What the runs call K the predictions call workers; may be repeated
    #[arg(long, value_name = "K=workers")]
    pub rename: Vec<Rename>,
}

impl PredictionsArgs {
    /// What is in the files, with the names of the runs.
    ///
    /// # Errors
    /// What is wrong with a file; a name that nothing has.
    pub(crate) fn read(
        &self,
        files: &[InputFile],
        runs: &SeriesSet,
        level: f64,
        table: &TableArgs,
        context: &mut Context,
    ) -> Result<Vec<Predictions>, Failure> {
        let names = names_of(runs);
        let mut all = Vec::with_capacity(files.len());
        for file in files {
            let (name, bytes) = (tables::name_of(file), context.read(file)?);
            all.push(match models::saved(&name, &bytes)? {
                Some(models) => of_models(&name, &models, &self.as_models_call(runs, &models, &names)?, level)?,
                None => Predictions::read(&name, &bytes, &table.read_options(), &table.table_options())?,
            });
        }
        Rename::apply(&self.rename, &mut all, &names)?;
        Ok(all)
    }

    /// The runs with the names that the models know.
    fn as_models_call(&self, runs: &SeriesSet, models: &[Model], names: &[&str]) -> Result<SeriesSet, Failure> {
        let mut runs = runs.clone();
        for rename in &self.rename {
            let (own, of_runs) = rename.towards(names)?;
            let knows = |model: &Model| {
                let series = &model.series;
                series.metric.name == own
                    || series.parameters.iter().any(|name| name == own)
                    || series.group.contains_key(own)
            };
            if !models.iter().any(knows) {
                continue;
            }
            let renamed = |name: &String| if name == of_runs { own.to_owned() } else { name.clone() };
            for series in &mut runs.series {
                series.parameters = series.parameters.iter().map(renamed).collect::<Vec<_>>().into();
                series.group = series.group.iter().map(|(label, value)| (renamed(label), value.clone())).collect();
                series.metric.name = renamed(&series.metric.name);
            }
        }
        Ok(runs)
    }
}

/// Whether a file is a document of models or predictions, which are compared with runs.
pub(super) fn is_document(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        kind: String,
    }
    let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
    let kind = is_object.then(|| serde_json::from_slice::<Kind>(bytes).ok()).flatten();
    kind.is_some_and(|document| ["fit", "llac", "predict"].contains(&document.kind.as_str()))
}

/// Names of parameters, labels and metrics of runs.
fn names_of(runs: &SeriesSet) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for series in &runs.series {
        names.extend(series.parameters.iter().chain(series.group.keys()).map(String::as_str));
        names.push(&series.metric.name);
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Predictions beside runs, file by file. Models of the same name in several files, or among those that `others` are of,
/// are distinguished by the file.
///
/// # Errors
/// The predictions of a file fit to no run, or to several.
pub(crate) fn joined(
    all: &[Predictions],
    runs: &SeriesSet,
    others: &[EvaluationPoint],
) -> Result<Vec<Joined>, Problem> {
    let mut joined = Vec::with_capacity(all.len());
    for predictions in all {
        let file = predictions.file.clone().unwrap_or_default();
        joined.push(evaluation::join(predictions, &runs.series).map_err(|problem| match problem.file {
            None => problem.in_file(file),
            Some(_) => problem,
        })?);
    }
    let mut files: HashMap<(String, String), usize> = HashMap::new();
    for points in joined.iter().map(|of_file| of_file.points.as_slice()).chain([others]) {
        let names = points.iter().map(|point| (point.method.clone(), point.model.clone()));
        for name in names.collect::<indexmap::IndexSet<_>>() {
            *files.entry(name).or_default() += 1;
        }
    }
    for (of_file, predictions) in joined.iter_mut().zip(all) {
        for point in &mut of_file.points {
            if files.get(&(point.method.clone(), point.model.clone())).is_some_and(|count| *count > 1) {
                point.model = format!("{} ({})", point.model, predictions.file.as_deref().unwrap_or_default());
            }
        }
    }
    Ok(joined)
}

/// What models say of the configurations of runs: of the series with their metric whose labels are theirs.
///
/// # Errors
/// No series is one of theirs, or it lacks a parameter that a model needs.
fn of_models(name: &str, models: &[Model], runs: &SeriesSet, level: f64) -> Result<Predictions, Failure> {
    let mut all: Vec<Prediction> = Vec::new();
    let mut warnings: IndexMap<String, Warning> = IndexMap::new();
    for model in models {
        for target in targets(model, &runs.series) {
            let (prediction, found) = model.predict(&target, level).map_err(|problem| problem.in_file(name))?;
            all.push(prediction);
            for warning in found {
                warnings.entry(warning.code.clone()).or_insert(warning);
            }
        }
    }
    if all.is_empty() {
        let metrics: Vec<&str> = models.iter().map(|model| model.series.metric.name.as_str()).collect();
        let problem = Problem::new("nothing_to_compare", "no run is of the metric and the group of a model");
        return Err(problem.in_file(name).allowed(metrics.join(", ")).into());
    }
    Ok(Predictions { warnings: warnings.into_values().collect(), ..Predictions::of(all, name) })
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
