//! Replays time-independent traces: they become an application, which any engine plays.

use super::changes::Change;
use super::options::ReplayArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::human::{Table, quantity, signed_percent, significant};
use crate::output::Output;
use crate::sim::run as sim_run;
use crate::sim::run::cost::Meter;
use crate::sim::run::inputs::{failure, named};
use crate::sim::run::progress::Bar;
use crate::tables;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_sim::budget::Monitor;
use runcast_sim::experiment::{Experiment, Named};
use runcast_sim::job::Collectives;
use runcast_sim::run::{self, Inputs, Prepared, RunControl, RunResult, Settings, Variation};
use runcast_sim::ti::{self, Text};
use runcast_sim::timeline::{Format, Wanted};
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
    /// Replays with changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what_if: Vec<Changed>,
}

/// A replay with a change.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Changed {
    what_if: String,
    time_s: f64,
    /// How much longer it takes than without.
    difference_pct: Option<f64>,
    /// How many times faster it is than without.
    speedup: Option<f64>,
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
    let bar = Bar::new(context);
    let output = inputs(args, None, &bar, context).and_then(|inputs| {
        let prepared = run::prepare_recorded(&inputs, &variation(args), parsed.application, parsed.warnings);
        play(args, &prepared.map_err(failure)?, None, meter, (&bar, &mut *context))
    });
    bar.end(context);
    output
}

/// What options change.
pub(super) fn variation(args: &ReplayArgs) -> Variation {
    Variation { fidelity: args.fidelity, map: args.map.clone(), ..Variation::default() }
}

/// What a replay of a recording is compared with.
pub(super) struct Compared {
    /// Time of the run.
    pub recorded_s: Option<f64>,
    /// Other replays.
    pub what_if: Vec<(Change, f64)>,
}

/// Plays what was prepared.
///
/// # Errors
/// A deadlock; it was stopped before the end.
pub(super) fn play(
    args: &ReplayArgs,
    prepared: &Prepared,
    compared: Option<Compared>,
    meter: Meter,
    (bar, context): (&Bar, &mut Context),
) -> Result<Output, Failure> {
    let timeline = args.timeline.as_ref().map(|file| Format::of(&file.display().to_string())).transpose()?;
    let interrupt = bar.interrupt();
    let wanted = timeline.map(|_| Wanted { ranks: None, span_s: None });
    let control = RunControl { timeline: wanted, ..RunControl::new(&interrupt) };
    let mut simulated = run::simulate(prepared, &control).map_err(failure)?;
    let recorder = simulated.timeline.take();
    let mut result = simulated.result;
    result.cost_of_simulation = Some(meter.read());
    let tick_s = prepared.inputs.settings.tick.seconds();
    let ends = simulated.finish.iter().map(|end| *end as f64 * (tick_s * 1e9)).collect();
    let recorded_s = compared.as_ref().and_then(|compared| compared.recorded_s).filter(|time_s| *time_s > 0.0);
    let what_if = compared.map_or_else(Vec::new, |compared| compared.what_if);
    let document = Document {
        kind: "sim-replay",
        version: 1,
        finish_ns: (!simulated.finish.is_empty()).then_some(ends),
        recorded: recorded_s.map(|time_s| Recorded { time_s, difference_pct: 100.0 * (result.time_s / time_s - 1.0) }),
        what_if: what_if.into_iter().map(|(change, time_s)| Changed::of(change, time_s, result.time_s)).collect(),
        result: result.clone(),
    };
    let warnings = result.warnings.clone();
    let mut human =
        sim_run::text::text(&sim_run::Document::new(result, &sim_run::ExperimentArgs::default()), context.screen);
    if let Some(Recorded { time_s, difference_pct }) = &document.recorded {
        let (time, difference) = (quantity(*time_s, "s"), signed_percent(Some(*difference_pct), 1));
        human.push_str(&format!("\nrecorded {time}: the replay differs by {difference}\n"));
    }
    if !document.what_if.is_empty() {
        human.push('\n');
        human.push_str(&table(&document.what_if).render(context.screen));
    }
    let mut output = Output::of(document).human(human).warned(warnings);
    if let (Some(format), Some(recorder), Some(path)) = (timeline, recorder, &args.timeline) {
        let bytes = format.write(&recorder, &prepared.recorded.application, prepared.inputs.settings.tick);
        output = output.with_written(path, bytes);
    }
    Ok(output)
}

fn table(changes: &[Changed]) -> Table {
    let mut table = Table::new().text("what if").number("time").number("difference").number("speedup");
    for change in changes {
        let speedup = change.speedup.map_or_else(|| "-".to_owned(), |speedup| significant(speedup, 4));
        let difference = signed_percent(change.difference_pct, 1);
        table.row([change.what_if.clone(), quantity(change.time_s, "s"), difference, speedup]);
    }
    table
}

impl Changed {
    fn of(change: Change, time_s: f64, unchanged_s: f64) -> Self {
        Changed {
            what_if: change.to_string(),
            time_s,
            difference_pct: (unchanged_s > 0.0).then(|| 100.0 * (time_s / unchanged_s - 1.0)),
            speedup: (time_s > 0.0).then(|| unchanged_s / time_s),
        }
    }
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

/// The system of the options, or LogGOPS parameters with a change. How far a simulation is stands on the bar.
///
/// # Errors
/// There is neither, or what is wrong with them.
pub(super) fn inputs(
    args: &ReplayArgs,
    change: Option<Change>,
    bar: &Bar,
    context: &mut Context,
) -> Result<Arc<Inputs>, Failure> {
    let loggops = args.loggops.is_some().then(|| args.parameters()).transpose()?.map(|parameters| parameters.loggops);
    let loggops = loggops.map(|loggops| change.map_or(loggops, |change| change.of_loggops(loggops)));
    if args.system.is_none() && loggops.is_none() {
        let problem = Problem::new("missing", "traces have no times: they need a system").at("--system");
        return Err(problem.hint("give --system FILE, or --loggops L=2us,o=1us,G=0.4ns").into());
    }
    let experiment = Experiment {
        system: args.system.as_ref().map(|path| named(path, "--system")),
        catalogue: args.catalogue.iter().map(|path| named(path, "--catalogue")).collect(),
        algorithms: args.collective.clone(),
        collectives: args.collectives.map_or_else(Collectives::default, Into::into),
        selector: args.selector.as_ref().map(|name| Named { name: name.clone(), ..Named::default() }),
        repetitions: Some(1),
        ..Experiment::default()
    };
    let default = Settings::default();
    let monitor = Monitor { interrupt: Arc::clone(&context.interrupt), show: Some(bar.show(default.tick, 1)) };
    let settings =
        Settings { loggops, max_events: args.most_events(), max_memory: args.most_memory(), monitor, ..default };
    sim_run::inputs::files(experiment, settings, context)
}
