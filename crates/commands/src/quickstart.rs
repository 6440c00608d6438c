//! `runcast quickstart`: measures a small parallel program on this machine, forecasts larger runs, makes these, too, and
//! shows how good the forecast was.
//!
//! Every step is a command of runcast as a user would type it; the commands that are shown are the ones that were run.

pub mod kernel;
mod page;
mod sizes;

use crate::command::Command;
use crate::context::Context;
use crate::document::value_of;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::models::{self, ModelArgs};
use crate::options::duration_s;
use crate::output::{Content, Destination, OutFile, Output};
use crate::report::typed;
use crate::tables::TableArgs;
use clap::{Args, Parser, ValueHint};
use runcast_bench::Machine;
use runcast_core::evaluation::EvaluationPoint;
use runcast_core::plan::{TARGET, TRAIN};
use runcast_core::{Problem, Warning};
use runcast_report::evaluation_report::Evaluation;
use runcast_report::terminal::{self, TerminalOptions};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `runcast quickstart`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct QuickstartArgs {
    /// Folder for everything that is measured and made
    #[arg(short = 'o', long = "output", alias = "dir", value_name = "DIR", default_value = "runcast-quickstart", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// How long all runs together may take, roughly
    #[arg(long = "time-limit", id = "limit time", alias = "budget", value_name = "DURATION", default_value = "25s", value_parser = duration_s)]
    pub budget: f64,
    /// Measure again what is there already; the old files are kept as .bak
    #[arg(long)]
    pub restart: bool,
}

/// What is forecast: times that the program tells itself, without its start.
const METRICS: [&str; 2] = ["iteration_s", "sweep_s"];
/// Probability that an interval holds.
const LEVEL: f64 = 0.9;

/// The files in the folder.
#[derive(Debug, Clone, Serialize)]
struct Paths {
    plan: PathBuf,
    runs: PathBuf,
    models: PathBuf,
    predictions: PathBuf,
    target_runs: PathBuf,
    evaluation: PathBuf,
    report: PathBuf,
}

/// The document of kind `quickstart`.
#[derive(Serialize)]
struct Document<'a> {
    kind: &'static str,
    version: u32,
    warnings: &'a [Warning],
    level: f64,
    machine: &'a Machine,
    files: &'a Paths,
    commands: Vec<String>,
    evaluation: &'a serde_json::Value,
}

/// What has been found out.
struct Findings {
    machine: Machine,
    evaluation: Evaluation,
    found: models::Models,
    commands: Vec<Vec<String>>,
    paths: Paths,
    warnings: Vec<Warning>,
}

/// Plans, measures, fits, predicts, measures again, compares.
///
/// # Errors
/// A file cannot be written, a run cannot be made, or the user interrupts.
pub fn run(args: &QuickstartArgs, context: &mut Context) -> Result<Output, Failure> {
    let paths = Paths::new(&args.dir);
    std::fs::create_dir_all(&args.dir).map_err(|error| Failure::writing(&args.dir, &error))?;
    let mut script = Script { context, commands: Vec::new(), warnings: Vec::new() };
    let program = program(&script.context.executable);
    if args.restart || !paths.plan.exists() {
        let (options, plan) = (sizes::options(args.budget), paths.plan.display().to_string());
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        script.run(&[&[&program, "plan"], &options[..], &["-o", &plan]].concat())?;
    }

    script.measure(&program, TRAIN, &paths, &paths.runs, args.restart)?;
    let metrics: Vec<&str> = METRICS.iter().flat_map(|metric| ["--metric", *metric]).collect();
    let [plan, runs, models_file] = [&paths.plan, &paths.runs, &paths.models].map(|path| path.display().to_string());
    let [predictions, target_runs, evaluation] =
        [&paths.predictions, &paths.target_runs, &paths.evaluation].map(|path| path.display().to_string());
    script.run(&[&[&program, "fit", &runs], &metrics[..], &["-o", &models_file]].concat())?;
    script.run(&[&program, "predict", &models_file, "--targets", &plan, "-o", &predictions])?;
    // The forecast is on disk before the runs that it is about are made.
    script.measure(&program, TARGET, &paths, &paths.target_runs, args.restart)?;
    let evaluate = [&program, "evaluate", "--predictions", &predictions, "--runs", &target_runs];
    let evaluated = script.run(&[&evaluate[..], &metrics, &["-o", &evaluation]].concat())?;

    let Script { commands, mut warnings, .. } = script;
    let found = models::load_or_fit(
        &[paths.models.clone().into()],
        &TableArgs::default(),
        &ModelArgs::default(),
        "auto",
        context,
    )?;
    let document = evaluated.document.map_or(Ok(serde_json::Value::Null), |document| document.value())?;
    let evaluation: Evaluation = serde_json::from_value(document.clone())
        .map_err(|error| Failure::undone(Problem::new("internal", error.to_string())))?;
    // Every target lies beyond the runs, and is meant to.
    warnings.retain(|warning| warning.code != "extrapolation");
    let findings = Findings { machine: Machine::observe(), evaluation, found, commands, paths, warnings };
    let page = page::page(&findings, &program);
    let report = OutFile {
        to: Destination::Path(findings.paths.report.clone()),
        content: Content::Bytes(page.to_html().into_bytes()),
    };
    let output = Output::of(value_of(&Document {
        kind: "quickstart",
        version: 1,
        warnings: &findings.warnings,
        level: LEVEL,
        machine: &findings.machine,
        files: &findings.paths,
        commands: findings.commands.iter().map(|command| typed(command)).collect(),
        evaluation: &document,
    })?);
    let mut output = output.human(story(&findings, &program, context)).warned(findings.warnings.iter().cloned());
    output.files.push(report);
    Ok(output)
}

impl Paths {
    fn new(folder: &Path) -> Paths {
        Paths {
            plan: folder.join("plan.csv"),
            runs: folder.join("runs.csv"),
            models: folder.join("models.json"),
            predictions: folder.join("predictions.csv"),
            target_runs: folder.join("target-runs.csv"),
            evaluation: folder.join("evaluation.json"),
            report: folder.join("report.html"),
        }
    }
}

/// Commands, run one after another.
struct Script<'c> {
    context: &'c mut Context,
    commands: Vec<Vec<String>>,
    warnings: Vec<Warning>,
}

/// A command line with nothing but the command.
#[derive(Debug, Parser)]
#[command(no_binary_name = false)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

impl Script<'_> {
    /// Runs a command line, writes its files, and gives what came out.
    fn run(&mut self, words: &[&str]) -> Result<Output, Failure> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = Line::try_parse_from(&words)
            .map_err(|error| Failure::undone(Problem::new("internal", error.to_string()).value(typed(&words))))?;
        let output = line.command.run(self.context)?;
        for file in &output.files {
            file.write(output.document.as_ref(), &output.folders)?;
        }
        if self.context.is_interrupted() {
            let problem = Problem::new("interrupted", "interrupted");
            return Err(Failure::undone(problem.hint("the same command goes on where it stopped")));
        }
        if output.exit != 0 {
            let problem = Problem::new("step_failed", format!("this step came to nothing: {}", typed(&words)));
            return Err(Failure::undone(problem.hint("run it by itself to see why")));
        }
        for warning in &output.warnings {
            if !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
        self.commands.push(words);
        Ok(output)
    }

    /// Measures a set of the plan into a table.
    fn measure(&mut self, program: &str, set: &str, paths: &Paths, table: &Path, restart: bool) -> Result<(), Failure> {
        let (plan, table) = (paths.plan.display().to_string(), table.display().to_string());
        // Braces are special in the templates of bench.
        let kernel = program.replace('{', "{{").replace('}', "}}");
        let repetitions = sizes::LARGE_REPETITIONS.to_string();
        let mut line = vec![program, "bench", &plan, "--only", set, "-o", &table];
        if set == TARGET {
            line.extend(["--repetitions", &repetitions]);
        }
        line.extend(kernel::FIGURES.iter().flat_map(|figure| ["--figure", *figure]));
        if restart {
            line.push("--restart");
        }
        line.extend(["--", &kernel, "quickstart-kernel", "--threads", "{p}", "--size", "{N}"]);
        self.run(&line).map(|_| ())
    }
}

/// How this program is called from here: by its name where the shell finds it, else by its path.
fn program(executable: &Path) -> String {
    let same = |path: &Path| path.canonicalize().ok().is_some_and(|path| Some(path) == executable.canonicalize().ok());
    let in_path = std::env::var_os("PATH").is_some_and(|paths| {
        std::env::split_paths(&paths)
            .map(|folder| folder.join("runcast"))
            .find(|path| path.is_file())
            .is_some_and(|path| same(&path))
    });
    if in_path {
        return "runcast".to_owned();
    }
    let here = std::env::current_dir().ok().and_then(|here| Some(executable.strip_prefix(here).ok()?.to_owned()));
    match here {
        // A name without a slash would be looked up in PATH.
        Some(path) if path.components().count() == 1 => format!("./{}", path.display()),
        Some(path) => path.display().to_string(),
        None => executable.display().to_string(),
    }
}

/// What was done, what came of it, what to type next.
fn story(findings: &Findings, program: &str, context: &Context) -> String {
    let mut text = String::new();
    let paths = &findings.paths;
    let seen = findings.found.models.first();
    let (runs, configurations) = seen.map_or((0, 0), |model| (model.series.runs(), model.series.points.len()));
    text.push_str(&format!(
        "What was done: {runs} runs of {configurations} small configurations were measured, models were fitted to them, and the\n\
         forecast of the large ones was written to {}.\n\
         Only then were these run, too. Here is the forecast beside what they took:\n\n",
        paths.predictions.display()
    ));
    text.push_str(&table(&findings.evaluation).render(context.screen));
    text.push_str(&format!("\n{}\n\n", page::verdict(&findings.evaluation, &findings.machine)));
    if let Some(plot) = page::main_plot(findings) {
        let width = context.screen.width.unwrap_or(80).min(100);
        let options = TerminalOptions { width, height: 14, color: context.screen.color, ..TerminalOptions::default() };
        text.push_str(&terminal::render(&plot, &options));
        text.push('\n');
    }
    text.push_str(&format!("The whole story with all pictures: {}\n", paths.report.display()));
    text.push_str(
        "Beside it: the plan, both tables of runs with their journals, the models, the predictions, the evaluation.\n",
    );
    text.push_str("\nThe steps, each a command that you can repeat:\n");
    for command in &findings.commands {
        text.push_str(&format!("  {}\n", typed(command)));
    }
    text.push_str("\nNext, with a program of your own:\n");
    for command in next_commands(program) {
        text.push_str(&format!("  {command}\n"));
    }
    text
}

/// What to type for one's own program.
fn next_commands(program: &str) -> Vec<String> {
    [
        "plan --processes 1,2,4,8 --targets 64 --fixed N=20000 --repetitions 3 -o plan.csv",
        "bench plan.csv --only train -o runs.csv -- ./your-program --threads {p} --size {N}",
        "predict runs.csv --targets plan.csv",
        "advise processes runs.csv",
        "report runs.csv --targets plan.csv -o report.html",
    ]
    .iter()
    .map(|rest| format!("{program} {rest}"))
    .collect()
}

/// Predicted beside measured, a row each.
fn table(evaluation: &Evaluation) -> Table {
    let mut table = Table::new().text("metric").number("p").number("N").number("predicted").number("90 % range");
    table = table.number("measured").number("error").text("in range");
    for point in &evaluation.points {
        table.row(cells(point));
    }
    table
}

/// The cells of a row of that table.
fn cells(point: &EvaluationPoint) -> [String; 8] {
    let parameter = |name: &str| point.at.get(name).map_or(String::new(), human::parameter);
    let range = match (point.low, point.high) {
        (Some(low), Some(high)) => format!("{} to {}", human::quantity(low, "s"), human::quantity(high, "s")),
        _ => human::DASH.to_owned(),
    };
    let error = point.predicted.map(|predicted| 100.0 * (predicted / point.measured - 1.0));
    [
        point.metric.clone(),
        parameter("p"),
        parameter("N"),
        human::optional_quantity(point.predicted, "s"),
        range,
        human::quantity(point.measured, "s"),
        human::signed_percent(error, 1),
        match point.covered {
            Some(true) => "yes",
            Some(false) => "no",
            None => human::DASH,
        }
        .to_owned(),
    ]
}
