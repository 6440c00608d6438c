//! `plot`: samples, pieces, breaks and intervals; as text where no file is named.

use super::outcome::Outcome;
use super::runs::Runs;
use super::samples::{self, Question, Ranks};
use super::session::Named;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Content;
use crate::plots;
use runcast_call::piecewise::{Piecewise, Samples};
use runcast_core::problem::shorten;
use runcast_core::{Configuration, Problem};
use runcast_formula::template::Template;
use runcast_report::piecewise_plot::{self, Break, Curve, Picture, Place};
use runcast_report::plot::Plot;
use runcast_report::terminal::{self, TerminalOptions};
use serde_json::json;
use std::collections::HashSet;
use std::path::Path;

/// Values of `by` that have a curve of their own.
const MOST_CURVES: usize = 6;
/// Places of a curve beside the measured ones.
const STEPS: usize = 96;

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

/// The picture of a model, as `report` shows it, too.
pub fn picture_of(model: &Piecewise) -> Plot {
    model_plot(model, "", None, None).unwrap_or_default()
}

fn model_plot(model: &Piecewise, name: &str, x: Option<&str>, by: Option<&str>) -> Result<Plot, Failure> {
    let samples = model.samples();
    // Breaks are seen where their variable is on the axis.
    let along = model.breaks().iter().map(|b| b.variable.as_str()).find(|name| model.names().iter().any(|n| n == name));
    let axes = Axes::of(samples, model.names(), x.or(along), by)?;
    let level = model.settings().level;
    let points: Vec<(Configuration, f64, f64)> = model.points().collect();
    let breaks: Vec<Break> = model
        .breaks()
        .iter()
        .filter(|b| Some(b.variable.as_str()) == axes.x.as_deref())
        .map(|b| Break { at: b.at, low: b.low, high: b.high, label: b.constant.clone().unwrap_or_default() })
        .collect();
    let curves = axes
        .keys(points.iter().map(|(at, ..)| at))
        .into_iter()
        .map(|key| {
            let own: Vec<&(Configuration, f64, f64)> = points.iter().filter(|(at, ..)| axes.holds(key, at)).collect();
            let mut curve = Curve {
                name: key.map_or_else(|| "model".to_owned(), |key| axes.name(key)),
                measured: own.iter().filter_map(|(at, y, _)| Some((at.get(axes.x.as_ref()?)?, *y))).collect(),
                predicted: Vec::new(),
            };
            let mut targets: Vec<Configuration> = own.iter().map(|(at, ..)| at.clone()).collect();
            targets.extend(axes.between(&targets, &breaks));
            for target in targets {
                let Some(place) = axes.x.as_ref().and_then(|x| target.get(x)) else { continue };
                let Ok((prediction, _)) = model.predict(&target, level) else { continue };
                curve.predicted.push(Place {
                    x: place,
                    value: prediction.value,
                    interval: prediction.low.zip(prediction.high),
                });
            }
            curve.predicted.sort_by(|a, b| a.x.total_cmp(&b.x));
            curve.predicted.dedup_by(|a, b| a.x == b.x);
            curve
        })
        .collect();
    let group: Vec<&str> = samples.group.values().map(String::as_str).collect();
    let title = match (name, group.join(", ")) {
        ("", group) if group.is_empty() => samples.metric.name.clone(),
        ("", group) => format!("{group}: {}", samples.metric.name),
        (name, group) if group.is_empty() => format!("{name}: {}", samples.metric.name),
        (name, group) => format!("{name}: {group}, {}", samples.metric.name),
    };
    Ok(piecewise_plot::plot(&Picture {
        title,
        subtitle: model.settings().template.to_string(),
        x: axes.x.clone().unwrap_or_default(),
        metric: samples.metric.name.clone(),
        unit: samples.metric.unit.clone(),
        samples: single_samples(samples, &axes),
        aggregate: model.settings().aggregate.name().to_owned(),
        curves,
        breaks,
        level,
    }))
}

/// Every sample, if there are not too many to see.
fn single_samples(samples: &Samples, axes: &Axes) -> Vec<(f64, f64)> {
    const MOST: usize = 2_000;
    let Some(place) = axes.x.as_ref().and_then(|x| samples.parameters.iter().position(|name| name == x)) else {
        return Vec::new();
    };
    let all: usize = samples.configurations.iter().map(|repeated| repeated.values.len()).sum();
    let each = all.div_ceil(MOST).max(1);
    samples
        .configurations
        .iter()
        .flat_map(|repeated| repeated.values.iter().map(move |value| (repeated.at[place], *value)))
        .step_by(each)
        .collect()
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

/// What stands on the axis, and what makes curves.
struct Axes {
    x: Option<String>,
    by: Option<String>,
}

impl Axes {
    /// The parameters that were asked for, else those that vary most.
    fn of(samples: &Samples, names: &[String], x: Option<&str>, by: Option<&str>) -> Result<Axes, Failure> {
        let check = |name: &str, option: &str| {
            if names.iter().any(|known| known == name) {
                return Ok(name.to_owned());
            }
            let problem = Problem::new("unknown_name", format!("{} is not a parameter here", shorten(name, 60)));
            Err(problem.at(option).value(name).allowed(names.join(", ")))
        };
        let distinct = |name: &String| {
            let Some(place) = samples.parameters.iter().position(|known| known == name) else { return 0 };
            let values: HashSet<u64> =
                samples.configurations.iter().map(|repeated| repeated.at[place].to_bits()).collect();
            values.len()
        };
        let most = |without: Option<&str>| {
            let others = names.iter().filter(|name| Some(name.as_str()) != without);
            others.rev().max_by_key(|name| distinct(name)).cloned()
        };
        let places: Vec<Option<usize>> =
            names.iter().map(|name| samples.parameters.iter().position(|known| known == name)).collect();
        let key = |at: &[f64]| places.iter().flatten().map(|&place| at[place].to_bits()).collect::<Vec<u64>>();
        let configurations =
            samples.configurations.iter().map(|repeated| key(&repeated.at)).collect::<HashSet<_>>().len();
        let x = match x {
            Some(x) => Some(check(x, "x")?),
            None => most(by),
        };
        let by = match by {
            Some(by) => Some(check(by, "by")?),
            // Where every configuration has its own place on the axis, the others follow it.
            None if x.as_ref().is_none_or(|x| distinct(x) == configurations) => None,
            None => most(x.as_deref()).filter(|name| distinct(name) > 1),
        };
        Ok(Axes { x, by })
    }

    /// The values that make a curve each, evenly chosen where there are many.
    fn keys<'a>(&self, all: impl Iterator<Item = &'a Configuration>) -> Vec<Option<f64>> {
        let Some(by) = &self.by else { return vec![None] };
        let mut values: Vec<f64> = all.filter_map(|at| at.get(by)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() <= MOST_CURVES {
            return values.into_iter().map(Some).collect();
        }
        let step = (values.len() - 1) as f64 / (MOST_CURVES - 1) as f64;
        (0..MOST_CURVES).map(|index| values.get((index as f64 * step).round() as usize).copied()).collect()
    }

    fn holds(&self, key: Option<f64>, at: &Configuration) -> bool {
        match (&self.by, key) {
            (Some(by), Some(key)) => at.get(by) == Some(key),
            _ => true,
        }
    }

    fn name(&self, key: f64) -> String {
        format!("{} = {}", self.by.as_deref().unwrap_or_default(), runcast_report::number::parameter(key))
    }

    /// Places between measured ones where nothing but `x` changes, and on both sides of each break.
    fn between(&self, measured: &[Configuration], breaks: &[Break]) -> Vec<Configuration> {
        let (Some(x), Some(first)) = (&self.x, measured.first()) else { return Vec::new() };
        let others = |at: &Configuration| {
            let mut at = at.clone();
            at.0.shift_remove(x);
            at
        };
        if measured.iter().any(|at| others(at) != others(first)) {
            return Vec::new();
        }
        let values = || measured.iter().filter_map(|at| at.get(x));
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let mut places: Vec<f64> = (1..STEPS)
            .map(|step| {
                let share = step as f64 / STEPS as f64;
                if least > 0.0 { least * (most / least).powf(share) } else { least + (most - least) * share }
            })
            .collect();
        places.extend(breaks.iter().flat_map(|b| [b.at, b.at.next_up()]));
        places.retain(|place| (least..=most).contains(place));
        let at = |place: f64| {
            let mut at = first.clone();
            at.0.insert(x.clone(), place);
            at
        };
        places.into_iter().map(at).collect()
    }
}
