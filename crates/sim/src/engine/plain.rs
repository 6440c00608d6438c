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
pub(crate) mod report;
mod run;
mod tape;

pub use process::Order;
pub use report::warnings;
pub use tape::{Step, record};

use crate::application::Application;
use crate::job::Job;
use crate::outcome::{Observer, Outcome};
use runcast_core::Problem;

/// Plays an application at `loggops`, event by event.
///
/// # Errors
/// `deadlock`; `time_overflow`; `interrupted`; those of formulas and of live scripts.
pub fn engine(job: &Job<'_>, application: &mut Application, observer: &mut dyn Observer) -> Result<Outcome, Problem> {
    let mut run = run::Run::new(job, application, observer)?;
    run.play()?;
    run.outcome()
}
