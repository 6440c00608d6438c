//! Programs under MPI: the process that the user started starts the MPI launcher, which starts this executable once
//! more for each rank. The first one watches; the ranks do the work.
//!
//! ```text
//! runcast bsf run .. --backend mpi                  the parent: part() gives Part::Parent, and it calls run()
//!   mpirun -n 5 runcast bsf run .. --launched 0     the ranks:  part() gives Part::Rank, and they call finish()
//! ```
//!
//! What rank 0 would print comes back to the parent on the standard output, in an envelope, a JSON document; files are
//! written by rank 0. Signs of life come on the standard error, on lines that the parent swallows. The wish to stop goes
//! to rank 0 through the standard input, which launchers pass on, also to another machine.
//!
//! Ranks that the user's own `mpirun` or `srun` has started have no parent, and speak for themselves.

mod args;
mod attempt;
mod envelope;
mod judge;
mod lost;
mod rank;
mod resume;
mod signs;
mod starter;
mod watch;

pub use args::{LaunchArgs, parallel_backend};
pub use rank::Rank;
pub(super) use rank::let_the_master_speak;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use attempt::Attempt;
use judge::End;
use resume::Resume;
use runcast_bsf::skeleton::mpi;
use runcast_core::Problem;
use std::path::Path;

/// What this process has to do in a run under MPI.
pub enum Part {
    /// Start the launcher and watch: [`run`].
    Parent,
    /// Be a rank; in the end [`Rank::finish`].
    Rank(Rank),
    /// Nothing: rank 0 tells what is wrong.
    Nothing(Output),
}

/// A program to be run under MPI.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The options that concern it.
    pub args: &'a LaunchArgs,
    /// Workers; with the master there is a process more.
    pub workers: usize,
    /// All processes do the same: none of them is called master or worker.
    pub are_equal: bool,
    /// Threads of each worker.
    pub threads: usize,
    /// The file into which the run saves.
    pub checkpoint: Option<&'a Path>,
    /// The file from which the user wants it to go on.
    pub resume: Option<&'a Path>,
    /// How many iterations there will be, if that is known beforehand.
    pub iterations: Option<u64>,
}

/// The version of runcast and of its MPI: `0.1.0 (MPI: Open MPI v4.1.4)`; `0.1.0` without it.
pub fn version() -> String {
    match mpi::library_version() {
        Some(library) => format!("{} (MPI: {library})", crate::VERSION),
        None => crate::VERSION.to_owned(),
    }
}

/// What this process has to do.
///
/// # Errors
/// There is no MPI in this build.
pub fn part(args: &LaunchArgs, context: &mut Context) -> Result<Part, Failure> {
    let world = mpi::under_launcher();
    if mpi::library_version().is_none() {
        return without_mpi(world.is_some_and(|world| world.rank > 0));
    }
    Ok(match world {
        None => Part::Parent,
        Some(world) => Part::Rank(Rank::new(world, args, context)),
    })
}

fn without_mpi(is_silent: bool) -> Result<Part, Failure> {
    if is_silent {
        rank::let_the_master_speak();
        return Ok(Part::Nothing(Output::default().exit(2)));
    }
    let problem = Problem::new("without_mpi", "this runcast was built without MPI").at("--backend").value("mpi");
    Err(problem.allowed("serial, threads").hint("build it with MPI: cargo build --release --features mpi").into())
}

/// Runs a program under MPI to its end, starting it again from its last checkpoint where `--retries` allows.
///
/// # Errors
/// Those of the program; or the launcher is missing or of another MPI, a rank was lost, nothing moved any more, or
/// the user asked to stop.
pub fn run(launch: &Launch<'_>, context: &mut Context) -> Result<Output, Failure> {
    let starter = starter::starter(launch)?;
    let resume = Resume::of(launch);
    let mut restarts = 0;
    loop {
        let attempt = Attempt { starter: &starter, launch, restarts, resume: resume.newest() };
        let lost = match attempt.run(context) {
            End::Output(output) => return Ok(*output),
            End::Failed(failure) => return Err(failure),
            End::Interrupted => return Err(told(Problem::new("interrupted", "interrupted"), &resume, context)),
            End::Lost(lost) => lost,
        };
        if context.is_interrupted() || restarts >= launch.args.retries {
            let again = if restarts > 0 { format!(", after {restarts} restarts") } else { String::new() };
            let problem = Problem::new(lost.code(), format!("{}{again}", lost.message()));
            return Err(told(problem, &resume, context));
        }
        restarts += 1;
        let from = resume.newest().map_or("the start".to_owned(), |file| file.display().to_string());
        context.progress.line(&format!("warning: {}; run {restarts} again, from {from}", lost.message()));
    }
}

/// The error, with the command that goes on.
fn told(problem: Problem, resume: &Resume<'_>, context: &Context) -> Failure {
    Failure::undone(problem.hint(resume.advice(&context.command_line)))
}
