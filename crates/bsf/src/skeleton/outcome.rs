//! The result of a run.

use super::times::Times;
use crate::cost::Collective;

/// The result of a run, at the master.
#[derive(Debug, Clone)]
pub struct Outcome<X> {
    /// The last approximation.
    pub approximation: X,
    pub status: Status,
    /// Iterations done, those before a resumed run included.
    pub iterations: u64,
    /// Elements that were present in the last iteration.
    pub counter: u64,
    /// The norm of the last step, if the algorithm reports norms.
    pub step_norm: Option<f64>,
    /// Geometric mean of the ratios of consecutive norms, the last 20 or fewer.
    pub growth_rate: Option<f64>,
    /// Wall time of the iterations, those before a resumed run included \[s\].
    pub time_s: f64,
    /// The collective in use at the end.
    pub collective: Collective,
    /// The iteration from which the run was resumed.
    pub resumed_from: Option<u64>,
    /// Times of the phases.
    pub times: Times,
    /// Warnings for the user.
    pub warnings: Vec<runcast_core::Warning>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The approximation has converged.
    Converged,
    /// Nothing is left to improve.
    Feasible,
    /// All work is done.
    Finished,
    /// The steps grow, or are no longer numbers.
    Diverged,
    /// The most iterations allowed are done.
    IterationLimit,
    /// The time is up.
    TimeLimit,
    /// The run was interrupted.
    Interrupted,
}

impl Status {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::Feasible => "feasible",
            Status::Finished => "finished",
            Status::Diverged => "diverged",
            Status::IterationLimit => "iteration_limit",
            Status::TimeLimit => "time_limit",
            Status::Interrupted => "interrupted",
        }
    }

    /// Whether the algorithm ended by itself.
    pub fn is_done(self) -> bool {
        matches!(self, Status::Converged | Status::Feasible | Status::Finished)
    }
}
