//! How long a rank waits for others.

use crate::skeleton::error::RunError;
use crate::skeleton::options::RunOptions;
use std::time::Duration;

/// By default a rank waits this long for the others, or ten times the longest iteration.
const STALL_LEAST: Duration = Duration::from_secs(60);
/// Before the end of the first iteration its duration, and that of the set-up, are unknown.
const STALL_FIRST: Duration = Duration::from_secs(600);
const STALL_ITERATIONS: f64 = 10.0;

/// How long a rank waits for others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stall {
    given: Option<Duration>,
    longest_s: f64,
}

impl Stall {
    pub fn new(options: &RunOptions) -> Self {
        Stall { given: options.stall_timeout, longest_s: 0.0 }
    }

    /// When a rank times out.
    pub fn limit(&self) -> Duration {
        let own = Duration::try_from_secs_f64(STALL_ITERATIONS * self.longest_s).unwrap_or(Duration::MAX);
        let least = if self.longest_s > 0.0 { STALL_LEAST } else { STALL_FIRST };
        self.given.unwrap_or_else(|| own.max(least))
    }

    /// Records the duration of an iteration.
    pub fn took(&mut self, iteration_s: f64) {
        self.longest_s = self.longest_s.max(iteration_s);
    }
}

/// Names the iteration in which a rank stalled.
pub(super) fn at_iteration(error: RunError, iteration: u64) -> RunError {
    match error {
        RunError::Stalled { rank, waited_s, .. } => RunError::Stalled { rank, iteration, waited_s },
        other => other,
    }
}
