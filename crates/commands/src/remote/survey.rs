//! Which files a job reads, directly and through others, and how many points it has. No script is run.

use super::admit::Admitted;
use crate::bsf::Bsf;
use crate::bsp::Bsp;
use crate::cll::Cll;
use crate::command::Command;
use crate::context::Context;
use crate::failure::Failure;
use crate::sim::Sim;
use crate::sim::run::inputs;
use crate::wavefront::{self, Wavefront};
use crate::{advise, bsp, cll, compare, llac, report, sim};
use runcast_core::Problem;
use std::path::Path;

/// What is known of a job before it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The files that it reads, as paths in the project, sorted.
    pub files: Vec<String>,
    /// Its points: rows of a sweep; 1 of everything else.
    pub points: u64,
    /// Whether its points are computed one by one ([`super::run_points`]).
    pub is_sweep: bool,
}

/// Looks through the files that a job reads; the context has those of the project.
///
/// # Errors
/// What is wrong with them, as far as it is seen without running anything.
pub fn survey(admitted: &Admitted, context: &mut Context) -> Result<Survey, Vec<Problem>> {
    let points = points(admitted, context).map_err(|failure| failure.problems.0)?;
    let mut files: Vec<String> = context.files_read().iter().filter_map(|path| super::normalized(path)).collect();
    files.sort();
    files.dedup();
    Ok(Survey { files, points: points.unwrap_or(1), is_sweep: points.is_some() })
}

/// Whether entries of hardware can change what a command answers: a schedule without a system refuses them.
pub fn has_use_of_catalogues(command: &Command) -> bool {
    !matches!(command, Command::Sim(args) if matches!(&args.to, Sim::Replay(args) if args.system.is_none()))
}

/// The points, if it is a sweep.
fn points(admitted: &Admitted, context: &mut Context) -> Result<Option<u64>, Failure> {
    for path in &admitted.reads {
        read_all(Path::new(path), context)?;
    }
    of_command(&admitted.command, context)
}

/// The points of a command; reads what its files name.
fn of_command(command: &Command, context: &mut Context) -> Result<Option<u64>, Failure> {
    match command {
        Command::Sim(args) => match &args.to {
            Sim::Run(args) => drop(inputs::read(&args.experiment, context)?),
            Sim::Sweep(args) => return Ok(Some(sim::sweep::plan(args, context)?.1.points.len() as u64)),
            Sim::Calibrate(args) => drop(inputs::read(&args.experiment, context)?),
            Sim::Optimize(args) => drop(inputs::read(&args.experiment, context)?),
            Sim::Replay(args) => sim::replay::read_files(args, context)?,
            Sim::Jobs(args) => sim::jobs::read_files(args, context)?,
            Sim::New(_) | Sim::Learn(_) | Sim::System(_) | Sim::Hardware(_) => {}
        },
        Command::Bsp(args) => match &args.to {
            Bsp::Predict(args) => bsp::predict::read_files(args, context)?,
            Bsp::Learn(_) => {}
        },
        Command::Wavefront(args) => {
            let model = match &args.to {
                Wavefront::Solve(args) => Some(&args.model),
                Wavefront::Simulate(args) => Some(&args.model),
                Wavefront::Sample(_) | Wavefront::Run(_) => None,
            };
            if let Some(model) = model {
                wavefront::read_files(model, context)?;
            }
        }
        Command::Cll(args) => match &args.to {
            Cll::Translate(args) => cll::translate::read_files(args, context)?,
            Cll::Cc(_) | Cll::Run(_) | Cll::Suggest(_) | Cll::Runtime(_) => {}
        },
        Command::Llac(args) => llac::read_files(args, context)?,
        Command::Report(args) => report::read_files(args, context)?,
        Command::Compare(args) => {
            for asked in compare::commands(args, context)? {
                of_command(&asked, context)?;
            }
        }
        Command::Advise(args) => {
            for asked in advise::commands(args, context)? {
                of_command(&asked, context)?;
            }
        }
        Command::Bsf(args) => match &args.to {
            Bsf::Predict(_) | Bsf::Validate(_) | Bsf::Run(_) | Bsf::Calibrate(_) => {}
        },
        Command::Quickstart(_)
        | Command::QuickstartKernel(_)
        | Command::Plan(_)
        | Command::Bench(_)
        | Command::BenchTask(_)
        | Command::Import(_)
        | Command::Fit(_)
        | Command::Predict(_)
        | Command::Evaluate(_)
        | Command::Record(_) => {}
    }
    Ok(None)
}

/// A file, or a folder's own files.
fn read_all(path: &Path, context: &mut Context) -> Result<(), Failure> {
    if !context.files.is_folder(path) {
        return context.read(path).map(drop);
    }
    let inside = context.files.list(path).map_err(|error| Failure::reading(path, &error))?;
    for file in inside {
        if context.files.is_file(&file) && file.extension().is_some_and(|extension| extension == "toml") {
            context.read(&file)?;
        }
    }
    Ok(())
}
