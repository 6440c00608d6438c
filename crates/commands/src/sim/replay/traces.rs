//! Replays time-independent traces: they become an application, which any engine plays.

use super::options::ReplayArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::human::{quantity, signed_percent};
use crate::output::Output;
use crate::sim::run as sim_run;
use crate::sim::run::cost::Meter;
use crate::sim::run::inputs::{failure, named};
use crate::sim::run::progress::Bar;
use crate::tables;
use runcast_core::problem::shorten;
use runcast_core::{Problem, Warning};
use runcast_sim::application::Application;
use runcast_sim::budget::Monitor;
use runcast_sim::experiment::Experiment;
use runcast_sim::job::Collectives;
use runcast_sim::run::{self, Inputs, RunControl, RunResult, Settings, Variation};
use runcast_sim::ti::{self, Text};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The document of kind `sim-replay` for traces: that of a run, with the end of each rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    #[serde(flatten)]
    result: RunResult,
    /// Absent beyond 65,536 ranks.
    finish_ns: Option<Vec<f64>>,
    /// The run that is replayed, if its time is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<Recorded>,
}

/// The run that is replayed.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Recorded {
    time_s: f64,
    /// How much longer the replay takes.
    difference_pct: f64,
}

/// Files that a list may name.
const MOST_FILES: usize = 1_000_000;

/// Replays traces.
///
/// # Errors
/// What is wrong with the files and the options; a deadlock; it was stopped before the end.
pub(super) fn run(args: &ReplayArgs, bytes: &[u8], context: &mut Context) -> Result<Output, Failure> {
    let meter = Meter::start();
    let files = files(args, bytes, context)?;
    let texts: Vec<Text<'_>> = files.iter().map(|(file, bytes)| Text { file, bytes }).collect();
    let stem = args.file.file_stem().unwrap_or(args.file.as_os_str());
    let parsed = ti::parse(&texts, &stem.to_string_lossy())?;
    drop(texts);
    play(args, (parsed.application, parsed.warnings), None, meter, context)
}

/// Plays an application that was read on the system of the options.
///
/// # Errors
/// What is wrong with the options; a deadlock; it was stopped before the end.
pub(super) fn play(
    args: &ReplayArgs,
    (application, warnings): (Application, Vec<Warning>),
    recorded_s: Option<f64>,
    meter: Meter,
    context: &mut Context,
) -> Result<Output, Failure> {
    let bar = Bar::new(context);
    let simulated = inputs(args, &bar, context).and_then(|inputs| {
        let variation = Variation { fidelity: args.fidelity, map: args.map.clone(), ..Variation::default() };
        let prepared = run::prepare_recorded(&inputs, &variation, application, warnings).map_err(failure)?;
        let simulated = run::simulate(&prepared, &RunControl::new(&bar.interrupt())).map_err(failure)?;
        Ok((inputs, simulated))
    });
    bar.end(context);
    let (inputs, simulated) = simulated?;
    let mut result = simulated.result;
    result.cost_of_simulation = Some(meter.read());
    let tick_s = inputs.settings.tick.seconds();
    let ends = simulated.finish.iter().map(|end| *end as f64 * (tick_s * 1e9)).collect();
    let document = Document {
        kind: "sim-replay",
        version: 1,
        finish_ns: (!simulated.finish.is_empty()).then_some(ends),
        recorded: recorded_s
            .filter(|time_s| *time_s > 0.0)
            .map(|time_s| Recorded { time_s, difference_pct: 100.0 * (result.time_s / time_s - 1.0) }),
        result: result.clone(),
    };
    let warnings = result.warnings.clone();
    let human =
        sim_run::text::text(&sim_run::Document::new(result, &sim_run::ExperimentArgs::default()), context.screen);
    let human = match &document.recorded {
        Some(Recorded { time_s, difference_pct }) => {
            let (time, difference) = (quantity(*time_s, "s"), signed_percent(Some(*difference_pct), 1));
            format!("{human}\nrecorded {time}: the replay differs by {difference}\n")
        }
        None => human,
    };
    Ok(Output::of(document).human(human).warned(warnings))
}

/// The traces: the file itself, or those that it lists, which stand beside it.
pub(super) fn files(args: &ReplayArgs, bytes: &[u8], context: &mut Context) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let name = tables::name_of(&args.file);
    if !ti::is_list(bytes) {
        return Ok(vec![(name, bytes.to_vec())]);
    }
    let text = String::from_utf8_lossy(bytes);
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for (number, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if files.len() == MOST_FILES {
            let problem = Problem::new("too_many_files", "the list names too many files").in_file(name);
            return Err(problem.allowed(format!("up to {MOST_FILES}")).into());
        }
        let path: PathBuf = folder.join(line);
        let bytes = context.read(&path).map_err(|mut failure| {
            if files.is_empty() && args.format.is_none() {
                return unknown_format(&name, number as u64 + 1, line).into();
            }
            for problem in &mut failure.problems.0 {
                problem.hint = Some(format!("it is named in {name}:{}", number + 1));
            }
            failure
        })?;
        files.push((path.display().to_string(), bytes));
    }
    Ok(files)
}

/// A file that is no schedule and no trace, and whose first line is no name of a file either.
fn unknown_format(file: &str, line: u64, text: &str) -> Problem {
    let message = "this is neither a schedule nor a trace, and the line names no file of traces";
    Problem::new("unknown_format", message)
        .in_file(file)
        .at_line(line)
        .value(shorten(text, 60))
        .allowed("a GOAL schedule (num_ranks 2 ..), a time-independent trace (0 init ..), a list of such traces, a file a line")
        .hint("a table of runs is for runcast fit, evaluate and report")
}

fn inputs(args: &ReplayArgs, bar: &Bar, context: &mut Context) -> Result<Arc<Inputs>, Failure> {
    let loggops = args.loggops.is_some().then(|| args.parameters()).transpose()?.map(|parameters| parameters.loggops);
    if args.system.is_none() && loggops.is_none() {
        let problem = Problem::new("missing", "traces have no times: they need a system").at("--system");
        return Err(problem.hint("give --system FILE, or --loggops L=2us,o=1us,G=0.4ns").into());
    }
    let experiment = Experiment {
        system: args.system.as_ref().map(|path| named(path, "--system")),
        catalogue: args.catalogue.iter().map(|path| named(path, "--catalogue")).collect(),
        algorithms: args.collective.clone(),
        collectives: args.collectives.map_or_else(Collectives::default, Into::into),
        repetitions: Some(1),
        ..Experiment::default()
    };
    let default = Settings::default();
    let monitor = Monitor { interrupt: Arc::clone(&context.interrupt), show: Some(bar.show(default.tick, 1)) };
    let settings =
        Settings { loggops, max_events: args.most_events(), max_memory: args.most_memory(), monitor, ..default };
    sim_run::inputs::files(experiment, settings, context)
}
