//! LogGOPS in plain event order: one event after the other, whatever happens.
//!
//! All that can be asked for is done here: live processes, shared cores, noise, collectives by formula, storages. Faster
//! engines are measured against it, tick for tick.
//!
//! A program is played as if it were its schedule: after a non-blocking operation the next may begin when it has begun, after
//! a blocking one when it is complete, and a wait asks for the completion of what it waits for. Receives are posted at the
//! value that the clock of the processor has when they become ready.
//!
//! Source: A. Alexandrov et al., *LogGP*, SPAA 1995; T. Hoefler, T. Schneider, A. Lumsdaine, *LogGOPSim*, LSAP 2010.

mod io;
mod messages;
mod process;
mod remote;
pub(crate) mod report;
mod run;
mod several;
mod streams;
mod volunteers;

pub use process::Order;
pub use report::warnings;
pub use several::LOOK_S;

use crate::application::{Application, Site};
use crate::cursor::Action;
use crate::job::Job;
use crate::outcome::{Blind, Observer, Outcome};
use run::Run;
use runcast_core::Problem;

/// Plays an application at `loggops`, event by event.
///
/// # Errors
/// `deadlock`; `time_overflow`; `interrupted`; those of formulas and of live scripts.
pub fn engine(job: &Job<'_>, application: &mut Application, observer: &mut dyn Observer) -> Result<Outcome, Problem> {
    let mut run = Run::new(job, application, observer)?;
    if let Err(problem) = run.play() {
        return Err(job.budget.stopped(problem, || run.outcome()));
    }
    run.outcome()
}

/// A step of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub action: Action,
    /// Seconds that a block, or an operation of a storage, takes alone, without noise.
    pub alone_s: f64,
    /// Where in the script.
    pub site: Site,
}

/// The steps of all processes. The application is played for them, so that live processes and farms, which decide by what
/// they receive, have their steps too.
///
/// # Errors
/// Those of [`engine`].
pub fn record(job: &Job<'_>, application: &mut Application) -> Result<Vec<Vec<Step>>, Problem> {
    let mut blind = Blind;
    let mut run = Run::new(job, application, &mut blind)?;
    run.tape = Some(vec![Vec::new(); run.processes.len()]);
    run.play()?;
    Ok(run.tape.take().unwrap_or_default())
}
