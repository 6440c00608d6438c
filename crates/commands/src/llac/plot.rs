//! `plot`: samples, pieces, breaks and intervals; as text where no file is named.

use super::outcome::Outcome;
use super::runs::Runs;
use super::samples::{self, Question, Ranks};
use super::session::Named;
use crate::context::Context;
use crate::failure::Failure;
use crate::models::piecewise::picture::{Axes, MOST_CURVES, model_plot};
use crate::output::Content;
use crate::plots;
use runcast_core::{Configuration, Problem};
use runcast_formula::template::Template;
use runcast_report::piecewise_plot::{self, Curve, Picture};
use runcast_report::plot::Plot;
use runcast_report::terminal::{self, TerminalOptions};
use serde_json::json;
use std::path::Path;

/// Draws.
///
/// # Errors
/// A parameter that is not there, a file that is no picture.
pub fn plot(
    named: Named<'_>,
    x: Option<&str>,
    by: Option<&str>,
    to: Option<&Path>,
    context: &mut Context,
) -> Result<Outcome, Failure> {
    let plot = match named {
        Named::Model(name, kept) => model_plot(&kept.model, name, x, by)?,
        Named::Table(name, runs) => table_plot(runs, name, x, by)?,
    };
    match to {
        Some(path) => {
            let file = plots::file(path, &plot)
                .map_err(|failure| Failure { problems: relabelled(failure.problems), exit: failure.exit })?;
            if let Content::Bytes(bytes) = file.content {
                context.write(path, bytes)?;
            }
            let file = path.display().to_string();
            Ok(Outcome::of(&json!({ "title": plot.title, "file": file }))?.noted(format!("wrote {file}")))
        }
        None => {
            let options = TerminalOptions {
                width: context.screen.width.unwrap_or(80),
                color: context.screen.color,
                ..TerminalOptions::default()
            };
            let text = terminal::render(&plot, &options);
            let bare = terminal::render(&plot, &TerminalOptions { color: false, ..options });
            Ok(Outcome::of(&json!({ "title": plot.title, "file": null, "text": bare }))?.human(text))
        }
    }
}

fn relabelled(problems: runcast_core::Problems) -> runcast_core::Problems {
    runcast_core::Problems(problems.0.into_iter().map(|problem| problem.at("to")).collect())
}

/// What a table without `time_s` is drawn of: its first metric that has values.
fn shown_metric(runs: &Runs) -> Result<Option<String>, Failure> {
    let metrics = runs.roles(None)?.metrics;
    if metrics.iter().any(|(_, metric)| metric.name == "time_s") {
        return Ok(None);
    }
    let has_values = |index: usize| {
        let values = runs.table.columns[index].as_numbers();
        values.is_some_and(|values| values.iter().any(|value| !value.is_nan()))
    };
    let first = metrics.into_iter().find(|(index, _)| has_values(*index));
    Ok(first.map(|(_, metric)| metric.name))
}

/// The samples of a table, the usual metric over a parameter.
fn table_plot(runs: &Runs, name: &str, x: Option<&str>, by: Option<&str>) -> Result<Plot, Failure> {
    let template = Template::parse("c[0]").map_err(|error| Problem::new("internal", error.to_string()))?;
    let mut curves = Vec::new();
    let (mut metric, mut unit, mut axis) = (String::new(), String::new(), String::new());
    let experiments = runs.experiments();
    let names: Vec<Option<&str>> = match experiments.len() {
        0 => vec![None],
        _ => experiments.iter().map(|name| Some(name.as_str())).collect(),
    };
    let mut last = None;
    let shown = shown_metric(runs)?;
    for experiment in names {
        let question = Question {
            experiment,
            template: &template,
            segmentation: &[],
            looks_everywhere: true,
            metric: shown.as_deref(),
            ranks: Ranks::All,
        };
        let samples = match samples::samples(runs, &question) {
            Ok(samples) => samples,
            Err(failure) => {
                last = Some(failure);
                continue;
            }
        };
        let parameters = samples.parameters.clone();
        let axes = Axes::of(&samples, &parameters, x, by)?;
        let points: Vec<(Configuration, f64)> = samples
            .configurations
            .iter()
            .map(|repeated| {
                let at = Configuration::from_pairs(&parameters, &repeated.at);
                (at, repeated.aggregated(runcast_call::piecewise::SampleAggregate::Median))
            })
            .collect();
        for key in axes.keys(points.iter().map(|(at, _)| at)) {
            let labels = [experiment.map(str::to_owned), key.map(|key| axes.name(key))];
            let own = points.iter().filter(|(at, _)| axes.holds(key, at));
            curves.push(Curve {
                name: labels.into_iter().flatten().collect::<Vec<_>>().join(", "),
                measured: own.filter_map(|(at, y)| Some((at.get(axes.x.as_ref()?)?, *y))).collect(),
                predicted: Vec::new(),
            });
        }
        metric.clone_from(&samples.metric.name);
        unit.clone_from(&samples.metric.unit);
        axis = axes.x.unwrap_or_default();
    }
    if curves.is_empty() {
        return Err(last.unwrap_or_else(|| Problem::new("empty_table", "there is nothing to draw").into()));
    }
    curves.truncate(3 * MOST_CURVES);
    Ok(piecewise_plot::plot(&Picture {
        title: format!("{name}: {metric}"),
        subtitle: String::new(),
        x: axis,
        metric,
        unit,
        samples: Vec::new(),
        aggregate: "median".to_owned(),
        curves,
        breaks: Vec::new(),
        level: 0.9,
    }))
}
