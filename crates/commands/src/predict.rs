//! `runcast predict`: what models say of configurations that were not run.

use crate::answer::{self, Answer, Outputs};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::import::shell_word;
use crate::models::{self, ModelArgs, Models};
use crate::options::paths::InputFile;
use crate::options::{AtArgs, LevelArgs, OutArgs, PlotArgs};
use crate::output::Output;
use crate::plots;
use crate::tables::{self, TableArgs};
use clap::{Args, ValueHint};
use rayon::prelude::*;
use runcast_core::model::FailedSeries;
use runcast_core::plan::configurations_from;
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::{Configuration, Problem, Problems, Warning};
use runcast_report::plot::Plot;
use serde::Serialize;

/// Arguments of `runcast predict`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct PredictArgs {
    /// Models written by fit, or tables of runs to fit first
    #[arg(required = true, value_name = "MODELS_OR_TABLE", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub at: AtArgs,
    /// A plan or table whose configurations are the targets
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub targets: Option<InputFile>,
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

/// The document of kind `predict`, with the models that it comes from.
#[derive(Serialize)]
pub struct Predict {
    kind: &'static str,
    version: u32,
    level: f64,
    warnings: Vec<Warning>,
    failed: Vec<FailedSeries>,
    predictions: Vec<Prediction>,
    #[serde(skip)]
    found: Models,
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
    let doubtful = |verdict| matches!(verdict, Verdict::Disagree | Verdict::Refused);
    let fails = args.strict && predictions.iter().any(|prediction| doubtful(prediction.verdict));
    let warnings = found.warnings.iter().cloned().chain(warnings).collect();
    let failed = found.failed.clone();
    let answer = Predict { kind: "predict", version: 1, level, warnings, failed, predictions, found };
    let to = Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() };
    let mut output = answer::give(answer, to, context.screen)?;
    output.exit = output.exit.max(u8::from(fails));
    if args.out.path().is_some_and(|path| path.as_os_str() != "-") {
        output = output.noted(format!("to show it with the runs: {}", report_command(args)));
    }
    Ok(output)
}

/// The command that draws the same predictions.
fn report_command(args: &PredictArgs) -> String {
    let mut words = vec!["runcast".to_owned(), "report".to_owned()];
    words.extend(args.files.iter().map(|file| file.display().to_string()));
    if let Some(targets) = &args.targets {
        words.extend(["--targets".to_owned(), targets.display().to_string()]);
    }
    words.extend(args.at.at.iter().flat_map(|at| ["--at".to_owned(), at.to_string()]));
    words.extend(args.table.metric.iter().flat_map(|metric| ["--metric".to_owned(), metric.clone()]));
    words.extend(["-o".to_owned(), "report.html".to_owned()]);
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

impl Answer for Predict {
    fn predictions(&self) -> Vec<Prediction> {
        self.predictions.clone()
    }

    fn text(&self, screen: Screen) -> String {
        text(&self.predictions, self.level, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        let failures = crate::fit::failures(&self.found);
        self.warnings.iter().cloned().chain(failures).collect()
    }

    /// The first model.
    fn plot(&self) -> Result<Plot, Failure> {
        let model = self.found.models.first().ok_or_else(|| no_model(&self.found))?;
        let is_own = |p: &&Prediction| {
            p.model == model.fitted.model && p.group == model.series.group && p.metric == model.series.metric.name
        };
        let own: Vec<Prediction> = self.predictions.iter().filter(is_own).cloned().collect();
        Ok(plots::curve_plot(model, &own, self.level))
    }
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
    let mut targets = args.at.configurations()?;
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

fn text(predictions: &[Prediction], level: f64, screen: Screen) -> String {
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
        row.push(p.verdict.name().to_owned());
        row.push(p.warnings.iter().filter(|code| *code != "extrapolation").cloned().collect::<Vec<_>>().join(" "));
        table.row(row);
    }
    let mut text = table.render(screen);
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
