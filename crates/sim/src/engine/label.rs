//! One clock for each class of identical processes: what a simulation costs does not depend on how many there are.
//!
//! Processes of a label with equal lists of operations, in like places, are a class. The lowest rank is simulated by the rules of
//! LogGOPS, and stands for all; a partner is represented by its class, operation by operation. Operations between labels,
//! collectives and farms cost what their formulas say.
//!
//! Processes that differ are never averaged: where a class would wait for its own later operation (a pipeline, a wavefront), it
//! is split by the classes of its members' partners, and so on.

mod between;
pub mod classes;
mod meet;
mod remote;
mod report;
mod run;
mod state;
mod steady;
mod streams;
mod tasks;
mod volunteers;
mod waits;
mod walk;
mod wiring;

use crate::application::Application;
use crate::job::Job;
use crate::outcome::{Blind, Observer, Outcome};
use classes::Classes;
pub use classes::MOST_ON_VOLUNTEERS;
use runcast_core::Problem;

/// What may be asked of the label engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Classes, over all labels, above which it gives up.
    pub max_classes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_classes: 4096 }
    }
}

/// Simulates by classes, at most 4,096 of them.
///
/// # Errors
/// `too_many_classes`, `not_recorded`, `deadlock`, `time_overflow`, `interrupted`; those of formulas.
pub fn engine(job: &Job<'_>, application: &mut Application, observer: &mut dyn Observer) -> Result<Outcome, Problem> {
    simulate(job, application, observer, &Options::default())
}

/// Simulates by classes.
///
/// # Errors
/// As [`engine`].
pub fn simulate(
    job: &Job<'_>,
    application: &Application,
    observer: &mut dyn Observer,
    options: &Options,
) -> Result<Outcome, Problem> {
    let mut classes = Classes::new(application, job.world)?;
    classes.check(application, options.max_classes)?;
    let mut looks = 0;
    loop {
        let waiting = waits::waiting(application, &classes, &mut looks);
        if waiting.is_empty() {
            break;
        }
        match classes.split(application, Some(&waiting), options.max_classes, &mut looks)? {
            Some(finer) => classes = finer,
            // Not even members that differ by their partners get on: the simulation says who waits for whom.
            None => break,
        }
    }
    loop {
        let wiring = wiring::Wiring::new(application, &classes)?;
        let mut blind = Blind;
        let mut run = run::Run::new(job, application, &mut blind, &classes, &wiring)?;
        if let Err(problem) = run.play() {
            return Err(job.budget.stopped(problem, || Ok(run.outcome())));
        }
        if run.ended() {
            if !observer.wants() {
                return Ok(run.outcome());
            }
            // An observer sees the final classes only.
            let mut run = run::Run::new(job, application, observer, &classes, &wiring)?;
            if let Err(problem) = run.play() {
                return Err(job.budget.stopped(problem, || Ok(run.outcome())));
            }
            return Ok(run.outcome());
        }
        // Finer classes may not wait for themselves.
        match classes.split(application, None, options.max_classes, &mut looks)? {
            Some(finer) => {
                finer.check(application, options.max_classes)?;
                classes = finer;
            }
            None => return Err(run.deadlock()),
        }
    }
}
