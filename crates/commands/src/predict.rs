//! `runcast predict`: what models say of configurations that were not run.

use crate::context::Context;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::models::{self, ModelArgs, Models};
use crate::options::{AtArgs, LevelArgs, OutArgs, PlotArgs};
use crate::output::Output;
use crate::plots;
use crate::tables::{self, TableArgs};
use clap::{Args, ValueHint};
use rayon::prelude::*;
use runcast_core::model::FailedSeries;
use runcast_core::plan::configurations_from;
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::table::{Column, ColumnData, Origin};
use runcast_core::{Configuration, Problem, Problems, Warning};
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `runcast predict`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct PredictArgs {
    /// Models written by fit, or tables of runs to fit first
    #[arg(required = true, value_name = "MODELS_OR_TABLE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub at: AtArgs,
    /// A plan or table whose configurations are the targets
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub targets: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub level: LevelArgs,
    /// Exit with 1 when members of a model disagree or a prediction is refused
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub models: ModelArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub table: TableArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub plot: PlotArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub out: OutArgs,
}

/// The document of kind `predict`.
#[derive(Debug, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    level: f64,
    warnings: Vec<Warning>,
    failed: Vec<FailedSeries>,
    predictions: Vec<Prediction>,
}

/// Predicts every target with every model.
///
/// # Errors
/// What is wrong with the files, the targets and the options.
pub fn run(args: &PredictArgs, context: &mut Context) -> Result<Output, Failure> {
    let targets = targets(args, context)?;
    let found = models::load_or_fit(&args.files, &args.table, &args.models, "auto", context)?;
    if found.models.is_empty() {
        return Err(no_model(&found));
    }
    let level = args.level.level;
    let (predictions, warnings) = predict_all(&found, &targets, level)?;
    let mut all_warnings = found.warnings.clone();
    all_warnings.extend(warnings);
    let refused = predictions.iter().filter(|prediction| prediction.verdict == Verdict::Refused).count();
    let disagree = predictions.iter().any(|prediction| prediction.verdict == Verdict::Disagree);
    let text = text(&predictions, level, context);
    let picture = match &args.plot.plot {
        Some(path) => {
            let model = &found.models[0];
            let own: Vec<Prediction> = predictions
                .iter()
                .filter(|p| {
                    p.model == model.fitted.model
                        && p.group == model.series.group
                        && p.metric == model.series.metric.name
                })
                .cloned()
                .collect();
            Some(plots::file(path, &plots::curve_plot(model, &own, level))?)
        }
        None => None,
    };
    let table = prediction_table(&predictions)?;
    let document = Document {
        kind: "predict",
        version: 1,
        level,
        warnings: all_warnings.clone(),
        failed: found.failed.clone(),
        predictions,
    };
    let mut output = Output::of(document).human(text).warned(all_warnings);
    let as_json = args.out.path().is_some_and(|path| path.extension().is_some_and(|extension| extension == "json"));
    output =
        if as_json { output.with_document_file(args.out.path()) } else { output.with_file(args.out.path(), table) };
    if let Some(path) = args.out.path().filter(|path| path.as_os_str() != "-") {
        output = output.noted(format!("wrote {}", path.display()));
    }
    output.files.extend(picture);
    output.warnings.extend(crate::fit::failures(&found));
    Ok(output.exit(u8::from(args.strict && (disagree || refused > 0))))
}

/// Why there is no model at all.
pub fn no_model(found: &Models) -> Failure {
    let problems: Vec<Problem> = found
        .failed
        .iter()
        .take(10)
        .map(|failure| {
            let name = crate::fit::series_name(&failure.group, &failure.metric);
            let problem = Problem::new("no_model", format!("no {} model of {name}: {}", failure.model, failure.reason));
            match (failure.line, found.summary.files.as_slice()) {
                (Some(line), [file]) => problem.in_file(file.clone()).at_line(line),
                _ => problem,
            }
        })
        .collect();
    if problems.is_empty() {
        return Failure::undone(Problem::new("no_model", "none of the models applies to these runs"));
    }
    Failure::undone(Problems(problems))
}

fn targets(args: &PredictArgs, context: &mut Context) -> Result<Vec<Configuration>, Failure> {
    let mut targets = args.at.at.clone();
    if let Some(path) = &args.targets {
        let planned = configurations_from(&tables::name_of(path), &context.read(path)?)?;
        let only_targets = planned.iter().any(|configuration| configuration.set == "target");
        for configuration in planned {
            let wanted = !only_targets || configuration.set == "target";
            if wanted && !targets.contains(&configuration.at) {
                targets.push(configuration.at);
            }
        }
    }
    if targets.is_empty() {
        let problem = Problem::new("missing_option", "there is no target").at("--at");
        return Err(problem.hint("--at p=1024, or --targets FILE").into());
    }
    Ok(targets)
}

/// Predictions of all targets by all models, and their warnings, each kind once for each model.
///
/// # Errors
/// A target that is not complete.
pub fn predict_all(
    found: &Models,
    targets: &[Configuration],
    level: f64,
) -> Result<(Vec<Prediction>, Vec<Warning>), Failure> {
    let per_model: Vec<Vec<(Prediction, Vec<Warning>)>> = found
        .models
        .par_iter()
        .map(|model| targets.iter().map(|target| model.predict(target, level)).collect::<Result<_, Problem>>())
        .collect::<Result<_, Problem>>()
        .map_err(|problem| Failure::input(if problem.pointer.is_some() { problem } else { problem.at("--at") }))?;
    let mut merged: indexmap::IndexMap<String, (usize, Warning, String)> = indexmap::IndexMap::new();
    let mut predictions = Vec::new();
    for (prediction, warnings) in per_model.into_iter().flatten() {
        for warning in warnings {
            let name = crate::fit::series_name(&prediction.group, &prediction.metric);
            merged
                .entry(warning.code.clone())
                .and_modify(|(count, ..)| *count += 1)
                .or_insert_with(|| (1, warning, format!("{} of {name}", prediction.model)));
        }
        predictions.push(prediction);
    }
    let warnings = merged
        .into_values()
        .map(|(count, warning, of)| {
            let others = match count {
                1 => String::new(),
                _ => format!(" (and {} more predictions)", count - 1),
            };
            Warning { message: format!("{of}: {}{others}", warning.message), ..warning }
        })
        .collect();
    Ok((predictions, warnings))
}

fn text(predictions: &[Prediction], level: f64, context: &Context) -> String {
    let several = predictions.iter().any(|p| p.model != predictions[0].model);
    let metrics = predictions.iter().any(|p| p.metric != predictions[0].metric);
    let labels: Vec<&String> = predictions.first().map_or(Vec::new(), |p| p.group.keys().collect());
    let mut table = Table::new();
    for label in &labels {
        table = table.text(label.as_str());
    }
    table = table.text("metric").text("model").text("at").number("prediction").number("low").number("high");
    let mut table = table.number("beyond").text("verdict").text("warnings");
    for p in predictions {
        let mut row: Vec<String> =
            labels.iter().map(|label| p.group.get(*label).cloned().unwrap_or_default()).collect();
        row.push(if metrics { p.metric.clone() } else { String::new() });
        row.push(if several { p.model.clone() } else { String::new() });
        row.push(p.at.to_string());
        row.push(human::optional_quantity(p.value, &p.unit));
        row.push(human::optional_quantity(p.low, &p.unit));
        row.push(human::optional_quantity(p.high, &p.unit));
        row.push(if p.extrapolates { format!("{}x", human::significant(p.horizon, 3)) } else { "within".to_owned() });
        row.push(verdict_name(p.verdict).to_owned());
        row.push(p.warnings.iter().filter(|code| *code != "extrapolation").cloned().collect::<Vec<_>>().join(" "));
        table.row(row);
    }
    let mut text = table.render(context.screen);
    let interval = predictions.iter().find_map(|p| p.interval.as_deref());
    let how = match interval {
        Some("conformal") => {
            format!(", calibrated on {} held-out real runs", runcast_fit::auto::calibration::SCORES.len())
        }
        Some("bootstrap") => ", by resampling the runs".to_owned(),
        Some(_) => ", by Student's t on the logarithmic scale".to_owned(),
        None => String::new(),
    };
    text.push_str(&format!(
        "\nlow, high: {} % range{how}; beyond: how far outside the measured range\n",
        human::significant(100.0 * level, 4)
    ));
    text
}

/// Its name in documents.
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Refused => "refused",
        Verdict::Disagree => "disagree",
        Verdict::FewPoints => "few_points",
        Verdict::Ok => "ok",
    }
}

/// The predictions as a table that `evaluate --predictions` and `report` read: a row for each configuration, group and
/// model, bounds beside the metric, in the unit that its name tells, else in SI units. The verdict stays in the JSON
/// document: as a column of text it would pass for a label.
fn prediction_table(predictions: &[Prediction]) -> Result<Vec<u8>, Failure> {
    // All metrics of a configuration share a row: an empty cell means a prediction that was refused.
    let mut rows: indexmap::IndexMap<(Vec<&String>, String, &String), Vec<&Prediction>> = indexmap::IndexMap::new();
    for prediction in predictions {
        let key = (prediction.group.values().collect(), prediction.at.to_string(), &prediction.model);
        rows.entry(key).or_default().push(prediction);
    }
    let rows: Vec<Vec<&Prediction>> = rows.into_values().collect();
    let text =
        |name: &str, value: &dyn Fn(&Prediction) -> String| column_of_text(name, rows.iter().map(|row| value(row[0])));
    let number = |name: String, value: &dyn Fn(&[&Prediction]) -> Option<f64>| Column {
        name,
        data: ColumnData::Number(rows.iter().map(|row| value(row).unwrap_or(f64::NAN)).collect()),
    };
    let mut labels: Vec<&String> = predictions.iter().flat_map(|p| p.group.keys()).collect();
    let mut parameters: Vec<&String> = predictions.iter().flat_map(|p| p.at.0.keys()).collect();
    let mut metrics: Vec<&String> = predictions.iter().map(|p| &p.metric).collect();
    for names in [&mut labels, &mut parameters, &mut metrics] {
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(*name));
    }
    let mut columns = Vec::new();
    for label in labels {
        columns.push(text(label, &|p| p.group.get(label).cloned().unwrap_or_default()));
    }
    for parameter in parameters {
        columns.push(number(parameter.clone(), &|row| row[0].at.get(parameter)));
    }
    columns.push(text("model", &|p| p.model.clone()));
    for metric in metrics {
        let suffix = runcast_formula::units::suffix_unit(metric);
        let scale = suffix.as_ref().map_or(1.0, |suffix| suffix.scale);
        let bound = |which: &str| match suffix.as_ref().and_then(|suffix| metric.strip_prefix(suffix.base)) {
            Some(unit) => format!("{}_{which}{unit}", &metric[..metric.len() - unit.len()]),
            None => format!("{metric}_{which}"),
        };
        let own = |row: &[&Prediction], value: fn(&Prediction) -> Option<f64>| {
            row.iter().find(|p| &p.metric == metric).and_then(|p| value(p)).map(|value| value / scale)
        };
        columns.push(number(metric.clone(), &|row| own(row, |p| p.value)));
        columns.push(number(bound("low"), &|row| own(row, |p| p.low)));
        columns.push(number(bound("high"), &|row| own(row, |p| p.high)));
    }
    let level = |row: &[&Prediction]| row.iter().find(|p| p.low.is_some()).map(|p| p.level);
    columns.push(number("interval_level".to_owned(), &level));
    let origins = vec![Origin { file: 0, line: 0 }; rows.len()];
    let table = runcast_core::Table { columns, origins, ..runcast_core::Table::default() };
    let mut bytes = Vec::new();
    table.write_csv(&mut bytes).map_err(|error| Failure::writing("the table of predictions".as_ref(), &error))?;
    Ok(bytes)
}

fn column_of_text(name: &str, cells: impl Iterator<Item = String>) -> Column {
    let mut names: indexmap::IndexSet<String> = indexmap::IndexSet::new();
    let codes = cells.map(|cell| names.insert_full(cell).0 as u32).collect();
    Column { name: name.to_owned(), data: ColumnData::Text { codes, names: names.into_iter().collect() } }
}
