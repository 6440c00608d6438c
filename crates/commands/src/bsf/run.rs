//! `runcast bsf run`: runs a program on the skeleton, serially, on threads or under MPI.

mod document;
pub mod error;
mod human;
mod options;
mod program;
mod tables;
mod watch;

pub use options::RunArgs;
pub(super) use options::duration;
pub use program::SettingArgs;

use super::launch::{self, Launch, Part, Rank};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use document::Document;
use runcast_bsf::programs::{Look, Program, Report};
use runcast_bsf::skeleton::{Backend, Status, timings_table, trace_table};
use watch::Watch;

/// What the documents, tables and texts about a run need to know.
struct Done<'a> {
    args: &'a RunArgs,
    program: &'a Program,
    report: &'a Report,
    restarts: u32,
}

impl Done<'_> {
    fn workers(&self) -> usize {
        self.report.times.ranks.len().saturating_sub(1)
    }
}

/// Runs a program.
///
/// # Errors
/// The options are wrong, the code of the problem fails, a rank is lost, or a file cannot be written.
pub fn run(args: &RunArgs, context: &mut Context) -> Result<Output, Failure> {
    if args.backend() != Backend::Mpi {
        let program = args.program(context)?;
        return run_here(args, &program, None, context);
    }
    match launch::part(&args.launch, context)? {
        Part::Parent => run_below(args, context),
        Part::Nothing(output) => Ok(output),
        Part::Rank(rank) => {
            let result = args.program(context).and_then(|program| run_here(args, &program, Some(&rank), context));
            rank.finish(result)
        }
    }
}

/// Starts the MPI launcher and watches.
fn run_below(args: &RunArgs, context: &mut Context) -> Result<Output, Failure> {
    let program = args.program(context)?;
    let workers = args.workers.unwrap_or(1);
    error::check_workers(workers, program.list_length())?;
    let launch = Launch {
        args: &args.launch,
        workers,
        are_equal: false,
        threads: args.threads(),
        checkpoint: args.checkpoint.as_deref(),
        resume: args.resume.as_deref(),
        iterations: args.iterations_of(&program),
    };
    launch::run(&launch, context)
}

/// Runs in this process, as a rank or as the only one.
fn run_here(args: &RunArgs, program: &Program, rank: Option<&Rank>, context: &mut Context) -> Result<Output, Failure> {
    let mut options = args.run_options(program, context)?;
    let watch = Watch::new(args, program, context);
    options.on_iteration = Some(watch.on_iteration());
    if let Some(rank) = rank {
        options.resume = rank.resume(args.resume.as_deref());
        options.on_iteration = rank.on_iteration().or(options.on_iteration);
    }
    let look = |look: Look<'_>| {
        let line = watch::line_of(look);
        if !rank.is_some_and(|rank| rank.line(&line)) {
            watch.line(&line);
        }
    };
    let report = program.run_watched(&options, args.print_every.unwrap_or(0), look);
    watch.end(context);
    let report = report.map_err(error::failure)?;
    Ok(match report {
        Some(report) => {
            output(&Done { args, program, report: &report, restarts: rank.map_or(0, Rank::restarts) }, context)?
        }
        None => Output::default(),
    })
}

fn output(done: &Done<'_>, context: &Context) -> Result<Output, Failure> {
    let Done { args, program, report, .. } = done;
    let output = Output::of(crate::document::value_of(&Document::of(done))?)
        .human(human::text(done, context.screen))
        .warned(report.warnings.iter().cloned())
        .warned(args.unused())
        .with_file(args.timings.as_deref(), timings_table(&report.times, &tables::labels(done)))
        .with_file(args.trace.as_deref(), trace_table(&report.times, &tables::labels(done)))
        .exit(u8::from(!report.status.is_done()));
    Ok(noted(output, report.status, args, program))
}

/// How to go on.
fn noted(output: Output, status: Status, args: &RunArgs, program: &Program) -> Output {
    if status.is_done() || status == Status::Diverged {
        return output;
    }
    match &args.checkpoint {
        Some(file) => {
            let file = crate::import::shell_word(&file.display().to_string());
            output.noted(format!("to go on: the same command with --resume {file}"))
        }
        None => output.noted(format!("with --checkpoint FILE, {} could go on from here", program.name())),
    }
}
