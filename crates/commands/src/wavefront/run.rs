//! `runcast wavefront run`: a real iteration on threads or under MPI, against its prediction.

mod campaign;
mod document;
mod job;
mod launched;
mod options;
mod predicted;
mod program;
mod tables;
mod text;
mod warnings;

pub use options::RunArgs;

use crate::bsf::launch::{self, Launch, Part, Rank};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use document::Document;
pub(super) use job::failure;
use job::{Done, Job};
use runcast_bsf::skeleton::Backend;

/// Runs an iteration, and holds it against its prediction.
///
/// # Errors
/// What is wrong with the model and the options, the code of the operator, or the processes of MPI; a table cannot be
/// written; or a stop was asked for before anything was measured.
pub fn run(args: &RunArgs, context: &mut Context) -> Result<Output, Failure> {
    if args.is_campaign() {
        return campaign::run(args, context);
    }
    if args.backend() == Backend::Threads {
        let job = Job::read(args, context)?;
        let done = job.on_threads(context)?;
        return output(args, &job, &done, context);
    }
    match launch::part(&args.launch.args(), context).map_err(launched::own_words)? {
        Part::Parent => run_below(args, context),
        Part::Nothing(output) => Ok(output),
        Part::Rank(rank) => {
            let result = run_rank(args, &rank, context);
            rank.finish(result)
        }
    }
}

/// Starts the MPI launcher and watches.
fn run_below(args: &RunArgs, context: &mut Context) -> Result<Output, Failure> {
    let job = Job::read(args, context)?;
    let launch = Launch {
        args: &args.launch.args(),
        workers: job.processes() - 1,
        are_equal: true,
        threads: 1,
        checkpoint: None,
        resume: None,
        iterations: Some(args.phases.saturating_mul(args.runs)),
    };
    launch::run(&launch, context).map_err(launched::own_words)
}

/// Runs as one of the processes; the first one has the result.
fn run_rank(args: &RunArgs, rank: &Rank, context: &mut Context) -> Result<Output, Failure> {
    let job = Job::read(args, context)?;
    let done = job.on_ranks(rank, context)?;
    // The iterations are over: others may leave while the prediction is made.
    rank.over();
    match done {
        Some(done) => output(args, &job, &done, context),
        None => Ok(Output::default()),
    }
}

fn output(args: &RunArgs, job: &Job, done: &Done, context: &Context) -> Result<Output, Failure> {
    let document = Document::of(args, job, done, context)?;
    let exit = u8::from(done.is_interrupted);
    let human = text::text(&document, context.screen);
    let (warnings, files) = (document.warnings.clone(), document.files.clone());
    let mut output = Output::of(document).human(human).warned(warnings).exit(exit);
    for note in &job.notes {
        output = output.noted(note.clone());
    }
    if !files.is_empty() {
        output = output.noted(format!("wrote {}", files.join(", ")));
    }
    Ok(output)
}
