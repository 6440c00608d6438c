//! LogGOPS for many processes: the answer of [`crate::plain`], tick for tick, without a queue of all events.
//!
//! No message arrives sooner after its send than the least o + L of all pairs. Time is cut into windows of that width: what a
//! process does in a window depends on nothing that others do in the same window, so that each is worked off alone, with its
//! state in the cache, in any order and on any number of threads. Windows in which nothing happens are skipped.
//!
//! ```text
//! for each window that has events
//!     for each part that has events in it                      (on several threads)
//!         messages that arrive in it join those of their receivers
//!         for each process with a message or a pending step
//!             until its next event lies beyond the window: the earliest of its pending step and its messages,
//!             ties by when it was made, by which process, its number there
//! ```
//!
//! What couples processes in less than o + L is left to the plain engine: messages beyond the eager limit, whose sender goes
//! on the moment that the receive is posted; cores, buses and storages that are shared; collectives by formula; processes that
//! run alongside simulated time.
//!
//! Source: conservative windows, R. M. Fujimoto, *Parallel and Distributed Simulation Systems*, 2000, chapter 3.

mod accounts;
mod code;
mod drive;
mod flood;
mod kinds;
mod lists;
mod matches;
mod more;
mod outcome;
mod part;
mod plan;
mod rank;
mod set;
mod wheel;

use crate::application::{Application, Op, Programs};
use crate::job::Job;
use crate::outcome::Outcome;
use crate::platform::Segment;
use code::Code;
use drive::Ground;
use plan::Halt;
use runcast_core::Problem;

/// Simulates an application; none: it is for the plain engine.
///
/// # Errors
/// `interrupted`; those of formulas and of collectives without an expansion.
pub fn simulate(job: &Job<'_>, application: &Application) -> Result<Option<Outcome>, Problem> {
    simulate_in_parts(job, application, PART)
}

/// Processes of a part, as a power of two: their state fits into the cache of a core.
const PART: u32 = 13;

/// The same, with parts of 2^`part` processes, at most 2^15: the answer does not depend on it.
///
/// # Errors
/// Those of [`simulate`].
pub fn simulate_in_parts(job: &Job<'_>, application: &Application, part: u32) -> Result<Option<Outcome>, Problem> {
    match attempt(job, application, part.min(15)) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(Halt::Problem(problem)) => Err(*problem),
        Err(Halt::Unsupported | Halt::TooSoon(_)) => Ok(None),
    }
}

fn attempt(job: &Job<'_>, application: &Application, part: u32) -> Result<Outcome, Halt> {
    if !suits(job, application) {
        return Err(Halt::Unsupported);
    }
    let code = Code::of(application, job.tick)?.ok_or(Halt::Unsupported)?;
    let ground = Ground::new(job, application, code)?;
    let mut width = ground.first_width()?;
    loop {
        match ground.simulate(width, part) {
            Err(Halt::TooSoon(latency)) if latency > 0 => width = latency,
            result => return result,
        }
    }
}

/// Whether nothing couples processes but messages.
fn suits(job: &Job<'_>, application: &Application) -> bool {
    let calls_collectives =
        || application.programs.iter().any(|program| program.ops.iter().any(|(op, _)| matches!(op, Op::Collective(_))));
    let at_once = |collective: u32| job.decision(application, collective).is_ok_and(|found| job.is_at_once(&found));
    let are_at_once = || (0..application.collectives.len() as u32).any(at_once);
    application.processes() < u64::from(u32::MAX)
        && application.labels.iter().all(|label| label.programs != Programs::Live)
        && !job.world.has_message_rule()
        && sends_are_alike(job)
        && !job.world.has_trace()
        && job.world.crowds().is_empty()
        && !(are_at_once() && calls_collectives())
        && (0..job.world.devices()).all(|device| !job.world.shares(device))
}

/// Whether it does not matter for its overhead how a message is sent.
fn sends_are_alike(job: &Job<'_>) -> bool {
    !job.platform.laws.iter().flat_map(|law| &law.segments).any(Segment::tells_sendings)
}
