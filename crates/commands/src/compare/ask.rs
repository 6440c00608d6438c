//! All inputs are asked about the same configurations.

#[cfg(feature = "methods")]
mod command;
mod folds;
mod said;

use super::input::{Input, Said};
use super::rows::{Row, Rows, key_of};
use super::{CompareArgs, Setting};
use crate::context::Context;
use crate::failure::Failure;
use crate::models;
use crate::options::paths::InputFile;
use crate::tables;
#[cfg(feature = "methods")]
pub(super) use command::{command_of, parameters};
use runcast_core::prediction::{Prediction, Predictions, Rename};
use runcast_core::series::Point;
use runcast_core::statistics::median;
use runcast_core::{Configuration, Problem, Warning};
use runcast_fit::Model;
use said::spread;
use std::collections::HashSet;

/// Reasons that are kept of each.
const MOST_REASONS: usize = 5;

/// A model of an input, with its answer about each row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Competitor {
    /// What the input is called.
    pub input: String,
    pub file: String,
    pub method: String,
    pub model: String,
    /// What it says of each row.
    pub answers: Vec<Option<Prediction>>,
    /// Energy \[J\] that it forecasts for each row beside a time.
    pub energy_j: Vec<Option<f64>>,
    /// Whether it has seen the runs of each row.
    pub seen: Vec<bool>,
    /// Why it says nothing of some.
    pub reasons: Vec<String>,
    /// Configurations that it learned from.
    pub learned: HashSet<String>,
    /// Runs behind it.
    pub runs: Option<usize>,
    /// What they have cost.
    pub core_hours: Option<f64>,
    /// Least and greatest measured value of each parameter.
    pub range: Vec<(String, [f64; 2])>,
    /// Errors `ln(measured/predicted)` of its own forward folds.
    pub folds: Vec<f64>,
    /// What it models beyond what its method always does.
    pub features: Vec<&'static str>,
    /// Whether the machine was measured for it; none where unknown.
    pub machine_measured: Option<bool>,
    pub warnings: Vec<String>,
}

impl Competitor {
    fn of(input: &Input, rows: &Rows) -> Competitor {
        Competitor {
            input: input.name.clone(),
            file: input.file.display().to_string(),
            answers: vec![None; rows.list.len()],
            energy_j: vec![None; rows.list.len()],
            seen: vec![false; rows.list.len()],
            ..Competitor::default()
        }
    }

    /// Rows that it says something about, those that were measured or asked for.
    pub(crate) fn answered(&self) -> usize {
        self.answers.iter().flatten().filter(|prediction| prediction.value.is_some()).count()
    }

    fn refuse(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if self.reasons.len() < MOST_REASONS && !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }
}

/// What an input says, a competitor for each of its models; one with reasons if it says nothing.
pub(super) fn ask(
    input: &Input,
    renames: &[Rename],
    settings: &[&Setting],
    rows: &Rows,
    args: &CompareArgs,
    #[cfg_attr(not(feature = "methods"), expect(unused_variables, reason = "methods run commands"))]
    context: &mut Context,
) -> Result<Vec<Competitor>, Failure> {
    let nothing = |reason: String| {
        let mut competitor = Competitor::of(input, rows);
        competitor.refuse(reason);
        vec![competitor]
    };
    match &input.says {
        Said::Predictions(known) => {
            let mut known = known.clone();
            let names: Vec<&str> =
                rows.parameters.iter().map(String::as_str).chain([rows.metric.name.as_str()]).collect();
            for rename in renames {
                let Ok((from, to)) = rename.towards(&names) else { continue };
                if known.names().contains(&from) {
                    known.rename(from, to);
                }
            }
            Ok(spread(input, &known.list.iter().map(|one| one.prediction.clone()).collect::<Vec<_>>(), settings, rows)
                .unwrap_or_else(nothing))
        }
        Said::Models(models) => Ok(of_models(input, models, renames, settings, rows, args)),
        #[cfg(not(feature = "methods"))]
        Said::Command(kind) => Ok(nothing(format!(
            "this build of runcast cannot ask a file of kind {}: cargo build --release",
            kind.word()
        ))),
        #[cfg(feature = "methods")]
        Said::Command(kind) => command::ask(input, *kind, renames, settings, rows, args, context)
            .map(|found| found.unwrap_or_else(nothing)),
    }
}

/// Saved models, each asked about the rows of its metric and group.
fn of_models(
    input: &Input,
    models: &[Model],
    renames: &[Rename],
    settings: &[&Setting],
    rows: &Rows,
    args: &CompareArgs,
) -> Vec<Competitor> {
    let mut all: Vec<Competitor> = Vec::new();
    let names: Vec<&str> = rows.parameters.iter().map(String::as_str).collect();
    let of_metric = |model: &Model| is_of_metric(model, models, rows);
    let group = models.iter().find(|model| of_metric(model)).map(|model| &model.series.group);
    let has_one_group = models.iter().filter(|model| of_metric(model)).all(|model| Some(&model.series.group) == group)
        && rows.list.windows(2).all(|pair| pair[0].group == pair[1].group);
    for model in models.iter().filter(|model| of_metric(model) || models.len() == 1) {
        let own = &model.series;
        let learned = own.points.iter().map(|point| key_of(&own.configuration(point), &own.group));
        let learned: HashSet<String> = learned.collect();
        let mut predictions: Vec<(usize, Prediction, bool)> = Vec::new();
        let mut reasons: Vec<String> = Vec::new();
        if !of_metric(model) {
            reasons.push(format!("it is of {}, not of {}", own.metric.name, rows.metric.name));
        }
        for (index, row) in rows.list.iter().enumerate() {
            let is_other =
                |(label, value): (&String, &String)| own.group.get(label).is_some_and(|known| known != value);
            if !reasons.is_empty() || !has_one_group && row.group.iter().any(is_other) {
                continue;
            }
            match target(own.parameters.as_ref(), row, renames, settings, &names) {
                Ok(at) => match model.predict(&at, args.level.level) {
                    Ok((prediction, _)) => {
                        let has_seen =
                            own.points.iter().any(|point| own.configuration(point) == at && is_of(point, row));
                        predictions.push((index, prediction, has_seen));
                    }
                    Err(problem) => reasons.push(problem.message),
                },
                Err(reason) => reasons.push(reason),
            }
        }
        if predictions.is_empty() && reasons.is_empty() {
            reasons.push(format!("its group, {}, is none of the runs'", said::labels(&own.group)));
        }
        let name = predictions.first().map(|(_, one, _)| (one.method.clone(), one.model.clone()));
        let (method, name) = name.unwrap_or_else(|| ("fit".to_owned(), String::new()));
        let place = all.iter().position(|one| one.method == method && one.model == name);
        let competitor = match place {
            Some(place) => &mut all[place],
            None => {
                all.push(Competitor { method, model: name, ..Competitor::of(input, rows) });
                let last = all.len() - 1;
                &mut all[last]
            }
        };
        competitor.runs = Some(competitor.runs.unwrap_or(0) + own.runs());
        competitor.machine_measured = Some(true);
        competitor.learned.extend(learned);
        for (index, prediction, seen) in predictions {
            competitor.answers[index] = Some(prediction);
            competitor.seen[index] = seen;
        }
        for reason in reasons {
            competitor.refuse(reason);
        }
        for (number, name) in own.parameters.iter().enumerate() {
            let values = own.points.iter().map(|point| point.at[number]);
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
            if low.is_finite() && !competitor.range.iter().any(|(known, _)| known == name) {
                competitor.range.push((name.clone(), [low, high]));
            }
        }
    }
    all
}

/// Whether a point of a model holds runs of a row: a value in common, or the same median.
fn is_of(point: &Point, row: &Row) -> bool {
    let is_same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
    let in_common = point.values.iter().any(|own| row.values.iter().any(|run| is_same(*own, *run)));
    in_common || !row.values.is_empty() && is_same(median(&point.values), median(&row.values))
}

/// Whether a model is of the metric of the runs: by its name, or as the only one of its unit.
fn is_of_metric(model: &Model, all: &[Model], rows: &Rows) -> bool {
    let (own, wanted) = (&model.series.metric, &rows.metric);
    let is_named = |other: &Model| other.series.metric.name == wanted.name;
    let is_only =
        || all.iter().all(|other| other.series.metric.name == own.name || other.series.metric.unit != own.unit);
    is_named(model) || own.unit == wanted.unit && !all.iter().any(is_named) && is_only()
}

/// The configuration of a row with the names that an input knows.
fn target(
    parameters: &[String],
    row: &Row,
    renames: &[Rename],
    settings: &[&Setting],
    names: &[&str],
) -> Result<Configuration, String> {
    let mut at = Configuration::default();
    for parameter in parameters {
        let in_runs = renames.iter().find_map(|rename| {
            let (own, of_runs) = rename.towards(names).ok()?;
            (own == parameter).then_some(of_runs)
        });
        let value = row.at.get(in_runs.unwrap_or(parameter));
        let set = settings.iter().find(|setting| setting.name == *parameter).map(|setting| setting.value);
        match (value, set) {
            (Some(value), Some(set)) if value != set => return Err(format!("{parameter} is set to {set}")),
            (Some(value), _) | (None, Some(value)) => {
                at.0.insert(parameter.clone(), value);
            }
            (None, None) => return Err(format!("it needs {parameter}, which the runs do not say")),
        }
    }
    Ok(at)
}

/// Models fitted to the runs, or to some of them.
pub(super) fn fitted(
    args: &CompareArgs,
    train: Option<&str>,
    files: &[InputFile],
    rows: &Rows,
    context: &mut Context,
) -> Result<Vec<Competitor>, Failure> {
    if let Some(train) = train.filter(|_| files.is_empty()) {
        let problem = Problem::new("missing_option", "there is no table of runs to fit").at("--train").value(train);
        return Err(problem.hint("compare runs.csv --train 'p <= 8' --predictions ..").into());
    }
    let (table, mut options) = tables::read(&args.table, files, context)?;
    options.metrics = vec![rows.metric.name.clone()];
    options.filters.extend(train.map(str::to_owned));
    let table = args.models.prepared(table, &mut options);
    let mut set = tables::series(&table, &options, context)?;
    models::keep_regime(&mut set, &args.models)?;
    let process = |series: &runcast_core::Series, point: &runcast_core::series::Point| {
        series.process_parameter.map_or(1.0, |index| point.at[index])
    };
    let cost = |series: &runcast_core::Series| -> f64 {
        let each = series.points.iter().map(|point| process(series, point) * point.values.iter().sum::<f64>());
        each.sum::<f64>() * args.cores_per_process / 3600.0
    };
    let is_time = rows.metric.unit == "s";
    let core_hours = is_time.then(|| set.series.iter().map(cost).sum());
    let found = models::fit_all(set, &args.models.regressions("auto")?, &args.models.fit_options(&args.table))?;
    if found.models.is_empty() {
        return Err(crate::predict::no_model(&found));
    }
    let input =
        Input { name: "fit".to_owned(), file: files[0].to_path_buf(), says: Said::Predictions(Predictions::default()) };
    let mut all = of_models(&input, &found.models, &[], &[], rows, args);
    for one in &mut all {
        one.core_hours = core_hours;
        if train.is_none() {
            let own = found.models.iter().filter(|model| model.fitted.model == one.model);
            one.folds = own.flat_map(folds::errors).collect();
        }
    }
    Ok(all)
}

/// What must be said where it is not known whether an input has seen the runs that judge it.
pub(super) fn unknown_origin(competitors: &[Competitor], rows: &Rows) -> Option<Warning> {
    let is_doubtful = |one: &&Competitor| one.learned.is_empty() && one.runs.is_some();
    let names: Vec<&str> = competitors.iter().filter(is_doubtful).map(|one| one.input.as_str()).collect();
    let is_measured = rows.list.iter().any(|row| !row.values.is_empty());
    (is_measured && !names.is_empty()).then(|| {
        let message =
            format!("it is not known which of these runs {} learned from: all of them judge it", names.join(", "));
        Warning::new("unknown_origin", message)
    })
}
