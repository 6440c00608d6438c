//! `runcast predict`: what models say of configurations that were not run.

use crate::answer::{self, Answer, Outputs};
use crate::context::{Context, Progress, Screen};
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::import::shell_word;
use crate::memory;
use crate::models::{self, ModelArgs, Models};
use crate::options::paths::InputFile;
use crate::options::{AtArgs, LevelArgs, OutArgs, PlotArgs};
use crate::output::Output;
use crate::own_ranges::{self, RangesArgs};
use crate::plots;
use crate::sentence::{self, prediction::Next};
use crate::tables::{self, TableArgs};
use clap::{Args, ValueHint};
use rayon::prelude::*;
use runcast_core::model::FailedSeries;
use runcast_core::plan::configurations_from;
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::roles::{ReadAs, Role};
use runcast_core::{Configuration, Problem, Problems, Warning};
use runcast_fit::Model;
use runcast_report::plot::Plot;
use serde::Serialize;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Arguments of `runcast predict`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct PredictArgs {
    /// Models written by fit, or tables of runs to fit first
    #[arg(required = true, value_name = "MODELS_OR_TABLE", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    #[command(flatten)]
    pub at: AtArgs,
    /// A plan or table whose configurations are the targets
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub targets: Option<InputFile>,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub ranges: RangesArgs,
    /// Exit with 1 when members of a model disagree or a prediction is refused
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub plot: PlotArgs,
    #[command(flatten)]
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
    let mut targets = targets(args, context)?;
    let found = models::load_or_fit(&args.files, &args.table, &args.models, "auto", context)?;
    if found.models.is_empty() {
        return Err(no_model(&found));
    }
    let following = without_followers(&mut targets, context.read_as.as_ref(), &found);
    let level = args.level.level;
    let (scores, few) = args.ranges.read(context)?;
    let (mut predictions, warnings) = predict_all(&found, &targets, level, &mut *context.progress)?;
    if let Some(scores) = &scores {
        predictions.iter_mut().for_each(|prediction| own_ranges::apply(prediction, scores, level));
    }
    let doubtful = |verdict| matches!(verdict, Verdict::Disagree | Verdict::Refused);
    let fails = args.strict && predictions.iter().any(|prediction| doubtful(prediction.verdict));
    let warnings = found.warnings.iter().cloned().chain(following).chain(few).chain(warnings).collect();
    let failed = found.failed.clone();
    let sentence = sentence_of(&predictions, &found);
    let answer = Predict { kind: "predict", version: 1, level, warnings, failed, predictions, found };
    let to = Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() };
    let mut output = answer::give(answer, to, context.screen)?.with_sentence(sentence);
    output.exit = output.exit.max(u8::from(fails));
    if args.out.path().is_some_and(|path| path.as_os_str() != "-") {
        output = output.noted(format!("to show it with the runs: {}", report_command(args)));
    }
    Ok(output)
}

/// The last target in one sentence; where models disagree, with what half as many processes would cost.
fn sentence_of(predictions: &[Prediction], found: &Models) -> Option<String> {
    let main = sentence::prediction::main(predictions)?;
    let is_of = |model: &&Model| {
        model.fitted.model == main.model && model.series.group == main.group && model.series.metric.name == main.metric
    };
    let model = found.models.iter().find(is_of);
    let next = model.and_then(|model| {
        let name = &model.series.parameters[model.series.process_parameter?];
        let processes = (main.at.get(name)? / 2.0).floor();
        let mut at = main.at.clone();
        at.0.insert(name.clone(), processes);
        let time_s = model.predict(&at, main.level).ok().and_then(|(prediction, _)| prediction.value);
        let time_s = time_s.filter(|_| main.unit == "s");
        (processes >= 1.0).then(|| Next { processes, core_hours: time_s.map(|time_s| processes * time_s / 3600.0) })
    });
    Some(sentence::prediction::of(main, model, next))
}

/// Takes the values of columns that follow from others out of the targets (`px` beside `nprocs`), and says so.
fn without_followers(targets: &mut [Configuration], read_as: Option<&ReadAs>, found: &Models) -> Option<Warning> {
    let is_known =
        |name: &str| found.models.iter().any(|model| model.series.parameters.iter().any(|parameter| parameter == name));
    let inputs = read_as.into_iter().flat_map(|read_as| &read_as.columns).filter(|read| read.role == Role::Parameter);
    let followers: Vec<&str> = inputs.map(|read| read.column.as_str()).filter(|name| !is_known(name)).collect();
    let named: Vec<&str> =
        followers.into_iter().filter(|name| targets.iter().any(|target| target.0.contains_key(*name))).collect();
    if named.is_empty() {
        return None;
    }
    for target in targets {
        target.0.retain(|name, _| !named.contains(&name.as_str()));
    }
    let message =
        format!("{}: decided by the other columns; what the targets say of that is not used", named.join(", "));
    Some(Warning::new("follows", message))
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
        let mut known: HashSet<Vec<(String, u64)>> = targets.iter().map(identity).collect();
        let planned = configurations_from(&tables::name_of(path), &context.read(path)?)?;
        let only_targets = planned.iter().any(|configuration| configuration.set == "target");
        for configuration in planned {
            let wanted = !only_targets || configuration.set == "target";
            if wanted && known.insert(identity(&configuration.at)) {
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

/// What makes two targets the same: their values by name, whatever their order.
fn identity(target: &Configuration) -> Vec<(String, u64)> {
    let mut values: Vec<(String, u64)> =
        target.0.iter().map(|(name, value)| (name.clone(), (value + 0.0).to_bits())).collect();
    values.sort_unstable();
    values
}

/// Bytes that a prediction takes until it is written: its configuration, intervals and members, and its row.
const BYTES_EACH: u64 = 6000;

/// Refuses predictions that would not fit into what is free.
fn check_room(count: usize, free: Option<u64>) -> Result<(), Failure> {
    let needed = (count as u64).saturating_mul(BYTES_EACH);
    let Some(free) = free.filter(|free| needed > *free) else { return Ok(()) };
    let gigabytes = |bytes: u64| human::significant(bytes as f64 / 1e9, 2);
    let (needed, free) = (gigabytes(needed), gigabytes(free));
    let count = human::count(count, "prediction", "predictions");
    let problem =
        Problem::new("out_of_memory", format!("{count} need about {needed} GB of memory, and {free} are free"));
    Err(problem.hint("take fewer targets at a time, or fewer series: --where, --metric").into())
}

/// Predictions made before the progress is shown again.
const BATCH: usize = 4096;

/// Work that takes less than this shows no progress.
const SHORT: Duration = Duration::from_secs(1);

/// Predictions of all targets by all models, and their warnings, each kind once for each model.
///
/// # Errors
/// A target that is not complete.
pub fn predict_all(
    found: &Models,
    targets: &[Configuration],
    level: f64,
    progress: &mut dyn Progress,
) -> Result<(Vec<Prediction>, Vec<Warning>), Failure> {
    let count = found.models.len() * targets.len();
    let one = |index: usize| {
        let (model, target) = (&found.models[index / targets.len()], &targets[index % targets.len()]);
        model.predict(target, level)
    };
    check_room(count, memory::free())?;
    let mut merged = crate::fit::Merged::default();
    let mut predictions = Vec::with_capacity(count);
    let (begun, mut is_shown) = (Instant::now(), false);
    while predictions.len() < count {
        let first = predictions.len();
        let batch: Vec<Result<(Prediction, Vec<Warning>), Problem>> =
            (first..count.min(first + BATCH)).into_par_iter().map(one).collect();
        // Of several problems the first in order, whichever thread finds one first.
        let batch: Vec<(Prediction, Vec<Warning>)> = batch
            .into_iter()
            .collect::<Result<_, Problem>>()
            .map_err(|problem| Failure::input(if problem.pointer.is_some() { problem } else { problem.at("--at") }))?;
        for (prediction, warnings) in batch {
            for warning in warnings {
                let name = || crate::fit::series_name(&prediction.group, &prediction.metric);
                merged.add(warning, || format!("{} of {}", prediction.model, name()));
            }
            predictions.push(prediction);
        }
        if !is_shown && predictions.len() < count && begun.elapsed() > SHORT {
            progress.begin(&format!("predicting {}", human::count(count, "value", "values")), count as u64);
            is_shown = true;
        }
        if is_shown {
            progress.step(predictions.len() as u64, "");
        }
    }
    if is_shown {
        progress.end();
    }
    Ok((predictions, merged.warnings("predictions")))
}

fn text(predictions: &[Prediction], level: f64, screen: Screen) -> String {
    let several = predictions.iter().any(|p| p.model != predictions[0].model);
    let metrics = predictions.iter().any(|p| p.metric != predictions[0].metric);
    let labels: Vec<&String> = predictions.first().map_or(Vec::new(), |p| p.group.keys().collect());
    let table = Table::of_labels(&labels)
        .text("metric")
        .text("model")
        .text("at")
        .number("prediction")
        .number("low")
        .number("high");
    let mut table = table.number("beyond").text("verdict").text("warnings");
    for p in predictions {
        let mut row = human::cells_of(&p.group, &labels);
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
    let first = predictions.iter().find_map(|p| Some((p.interval.as_deref()?, p.model.as_str())));
    let how = match first.map(|(interval, _)| interval) {
        Some("conformal") => {
            let own = first.and_then(|(_, model)| runcast_fit::ranges::scores(model)).map(|scores| scores.len());
            let runs = own.unwrap_or_else(|| runcast_fit::auto::calibration::SCORES.len());
            format!(", calibrated on {runs} held-out real runs")
        }
        Some("normal") => ", normal on the logarithmic scale, wider the farther from the runs".to_owned(),
        Some("runs") => ", for another run, by resampling the runs".to_owned(),
        Some("parts") => ", from those of the parts".to_owned(),
        Some(_) => ", by Student's t on the logarithmic scale".to_owned(),
        None => String::new(),
    };
    text.push_str(&format!(
        "\nlow, high: {} % range{how}; beyond: how far outside the measured range\n",
        human::significant(100.0 * level, 4)
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_that_do_not_fit_are_refused_with_what_they_need() {
        assert_eq!(check_room(100_000, Some(1_000_000_000)), Ok(()));
        assert_eq!(check_room(usize::MAX, None), Ok(()));
        let failure = check_room(5_000_000, Some(4_000_000_000)).expect_err("too many");
        assert_eq!(failure.problems.0[0].message, "5000000 predictions need about 30 GB of memory, and 4 are free");
    }
}
