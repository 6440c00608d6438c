//! The skeleton: runs an iterative algorithm, given as Map and Reduce over a list, serially, on threads or under MPI.
//!
//! A [`Job`] is what a user writes: how an element of the list is mapped and folded into a partial result, how two
//! partial results are combined, and how the next approximation is computed. An [`Algorithm`] is one or more jobs
//! with a first approximation.

mod algorithm;
mod calibrate;
mod checkpoint;
mod choice;
mod erased;
mod error;
mod fleet;
mod fold;
mod gate;
mod job;
mod lane;
mod link;
mod master;
pub mod mpi;
mod norms;
mod options;
mod outcome;
mod ranks;
mod serial;
mod tables;
#[cfg(test)]
mod tests;
mod threads;
mod times;

pub use algorithm::{Algorithm, Dispatch};
pub use calibrate::{CalibrateOptions, Calibration, Estimate, Knot, MessageTable, Parts, calibrate, switches};
pub use error::{Place, RunError, UserError};
pub use job::{Element, Elements, Iteration, Job, JobError, Next, Presence, Step, Stop};
pub use options::{Backend, Checkpointing, CollectiveChoice, Every, Limits, OnIteration, RunOptions, Waiting};
pub use outcome::{Outcome, Status};
pub use tables::{RunLabels, timings_table, trace_table};
pub use times::{Phase, PhaseTimes, RankTimes, Times};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Runs an algorithm to its end; returns the outcome at the master, and nothing in the other ranks of MPI.
///
/// # Errors
/// [`RunError`].
pub fn run<X: Clone + Serialize + DeserializeOwned + Send + Sync>(
    algorithm: Algorithm<'_, X>,
    options: &RunOptions,
) -> Result<Option<Outcome<X>>, RunError> {
    master::run(algorithm, options)
}
