//! `runcast bsf calibrate`: the costs of a program on this machine, in a file from which `bsf predict` goes on.

mod document;
mod files;
mod options;
mod origin;
mod phases;
mod text;
mod warnings;
mod watch;

pub use options::CalibrateArgs;
pub(super) use warnings::busy;

use super::launch::{self, Launch, Part, Rank};
use super::own::OwnRuns;
use super::run::error;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use document::Document;
use origin::Origin;
use runcast_bench::Machine;
use runcast_bsf::cost::{Algorithm, Collective, Costs, Times, Work};
use runcast_bsf::pieces::Pieces;
use runcast_bsf::programs::Program;
use runcast_bsf::skeleton::Calibration;
use serde_json::{Map, Value};
use std::path::Path;
use watch::Watch;

/// Workers under an MPI launcher that this command starts itself: one to measure, one more for what the master is busy
/// with when it sends to several.
const MPI_WORKERS: usize = 2;

/// Runs of a program of the user's own, with each number of workers.
const OWN_RUNS: u32 = 3;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the documents, files and texts need to know.
struct Measured<'a> {
    args: &'a CalibrateArgs,
    subject: Subject,
    calibration: Calibration,
    /// As it was before.
    machine: Machine,
    /// Partial results that the master of the planned run will hold.
    workers: usize,
    /// The table that `--timings` asks for: of messages, or of the phases of runs.
    timings: String,
}

/// What was measured.
struct Subject {
    name: String,
    size: u64,
    parameters: Map<String, Value>,
    /// Operations of an iteration over the whole list, `c_Map + l c_a`, where the cost model counts them.
    operations: Option<f64>,
    /// Memory that an element touches.
    element_bytes: f64,
    backend: String,
    threads: usize,
}

impl Subject {
    fn of(program: &Program, args: &CalibrateArgs) -> Self {
        let counts = || Algorithm::find(program.cost_model()?)?.counts(program.size(), None).ok();
        Subject {
            name: program.name().to_owned(),
            size: program.size(),
            parameters: program.parameters().into_iter().filter(|(_, value)| !value.is_null()).collect(),
            operations: counts().map(|counts| counts.work()).filter(|count| *count > 0.0),
            element_bytes: program.memory_bytes() / program.list_length() as f64,
            backend: args.backend().name().to_owned(),
            threads: args.threads(),
        }
    }
}

impl Measured<'_> {
    /// Costs in pieces, where they were asked for.
    fn pieces(&self) -> Option<Pieces> {
        Pieces::of(&self.calibration, self.subject.element_bytes)
    }
}

/// Measures the costs of a program.
///
/// # Errors
/// The options are wrong, the code of the problem fails, a rank is lost, or the user asked to stop.
pub fn run(args: &CalibrateArgs, context: &mut Context) -> Result<Output, Failure> {
    if let Some(command) = &args.run {
        return run_own(args, command, context);
    }
    if !args.is_mpi() {
        return run_here(args, None, context);
    }
    match launch::part(&args.launch, context)? {
        Part::Parent => run_below(args, context),
        Part::Nothing(output) => Ok(output),
        Part::Rank(rank) => {
            let result = run_here(args, Some(&rank), context);
            rank.finish(result)
        }
    }
}

/// Runs a program of the user's own with one worker, two, and as many as are planned.
fn run_own(args: &CalibrateArgs, command: &str, context: &mut Context) -> Result<Output, Failure> {
    args.check_files()?;
    let own = args.own(command)?;
    let machine = Machine::observe();
    let workers = args.workers.unwrap_or_else(cores).max(2);
    let mut counts = vec![1, 2, workers as u64];
    counts.dedup();
    let runs = own.measured(&counts, OWN_RUNS, Collective::Flat, None, context)?;
    let (calibration, subject) = phases::read(&runs.csv, command)?;
    let OwnRuns { csv: timings, warnings } = runs;
    Ok(output(&Measured { args, subject, calibration, machine, workers, timings }, context)?.warned(warnings))
}

/// Starts the MPI launcher and watches.
fn run_below(args: &CalibrateArgs, context: &mut Context) -> Result<Output, Failure> {
    args.check_files()?;
    let program = args.program(context)?;
    args.planned_workers(&program)?;
    let launch = Launch {
        args: &args.launch,
        workers: MPI_WORKERS,
        are_equal: false,
        threads: args.threads(),
        checkpoint: None,
        resume: None,
        iterations: Some(watch::ITERATIONS),
    };
    launch::run(&launch, context).map_err(without_checkpoint)
}

/// Runs have checkpoints; what is measured here is measured anew.
pub fn without_checkpoint(mut failure: Failure) -> Failure {
    for problem in &mut failure.problems.0 {
        problem.hint.take_if(|hint| hint.contains("--checkpoint"));
    }
    failure
}

/// Measures in this process, as a rank or as the only one.
fn run_here(args: &CalibrateArgs, rank: Option<&Rank>, context: &mut Context) -> Result<Output, Failure> {
    args.check_files()?;
    let program = args.program(context)?;
    let workers = args.planned_workers(&program)?;
    let mut options = args.options(workers, context)?;
    let machine = Machine::observe();
    let watch = Watch::new(&program, context);
    options.run.on_iteration = Some(rank.and_then(Rank::on_iteration).unwrap_or_else(|| watch.on_iteration()));
    let calibration = program.calibrate(&options);
    watch.end(context);
    match calibration.map_err(error::failure)? {
        Some(calibration) => {
            let subject = Subject::of(&program, args);
            let timings = files::messages(&calibration.messages);
            output(&Measured { args, subject, calibration, machine, workers, timings }, context)
        }
        None => Ok(Output::default()),
    }
}

fn output(measured: &Measured<'_>, context: &Context) -> Result<Output, Failure> {
    let args = measured.args;
    let document = Document::of(measured, Origin::of(measured));
    let human = text::text(measured, &document, context.screen);
    let file = files::costs(measured, &document.origin)?;
    let warnings = document.warnings.clone();
    let mut output = Output::of(document).human(human).warned(warnings);
    output = output.with_file(args.out.path(), file).with_file(args.messages.as_deref(), measured.timings.clone());
    Ok(noted(output, args.out.path(), args.messages.as_deref()))
}

/// What was written, and what to type next.
fn noted(mut output: Output, costs: Option<&Path>, messages: Option<&Path>) -> Output {
    let named =
        |path: Option<&Path>| path.filter(|path| path.as_os_str() != "-").map(|path| path.display().to_string());
    if let Some(file) = named(messages) {
        output = output.noted(format!("wrote {file}"));
    }
    match (named(costs), costs) {
        (Some(file), _) => {
            output.noted(format!("wrote {file}; next: runcast bsf predict {}", crate::import::shell_word(&file)))
        }
        (None, None) => output.noted("with -o FILE.toml, runcast bsf predict and validate can go on from here"),
        (None, Some(_)) => output,
    }
}

/// Costs as the cost model takes them.
fn times(calibration: &Calibration) -> Times<runcast_bsf::cost::Uncertain> {
    let uncertain = files::uncertain;
    Times {
        list_length: calibration.list_length,
        latency_s: uncertain(&calibration.latency_s),
        overhead_s: calibration.overhead_s.as_ref().map(uncertain),
        send_s: uncertain(&calibration.send_s),
        receive_s: uncertain(&calibration.receive_s),
        work: Work::Fused(uncertain(&calibration.work_s)),
        fold_s: uncertain(&calibration.fold_s),
        compute_s: uncertain(&calibration.compute_s),
    }
}

/// The costs without their intervals, if they can be.
fn costs(calibration: &Calibration) -> Option<Costs> {
    Costs::new(times(calibration).map(|time| time.value)).ok()
}
