//! Actions between two measurements.

use crate::skeleton::error::RunError;
use crate::skeleton::fleet::Fleet;
use crate::skeleton::job::Iteration;
use crate::skeleton::options::RunOptions;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Interval at which idle workers are contacted, so that they do not time out.
const VISIT_EVERY: Duration = Duration::from_secs(1);

/// Between two measurements: reports progress, checks for an interrupt, and contacts idle workers.
pub(super) struct Pulse<'a> {
    options: &'a RunOptions,
    workers: usize,
    start: Instant,
    visited: Instant,
    iteration: u64,
}

impl<'a> Pulse<'a> {
    pub fn new(options: &'a RunOptions, workers: usize) -> Self {
        let now = Instant::now();
        Pulse { options, workers, start: now, visited: now, iteration: 0 }
    }

    /// An iteration is over; later measurements count towards the last one.
    pub fn iterated<X>(&mut self, iteration: u64, fleet: &mut dyn Fleet<X>) -> Result<(), RunError> {
        self.iteration = iteration;
        self.beat(fleet)
    }

    pub fn beat<X>(&mut self, fleet: &mut dyn Fleet<X>) -> Result<(), RunError> {
        if let Some(told) = &self.options.on_iteration {
            let elapsed_s = self.start.elapsed().as_secs_f64();
            (told.0)(&Iteration { number: self.iteration, job: 0, counter: 0, elapsed_s });
        }
        if self.options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(RunError::Interrupted);
        }
        if self.workers > 1 && self.visited.elapsed() > VISIT_EVERY {
            (1..self.workers).try_for_each(|worker| fleet.round_trip(worker, 0, 0).map(|_| ()))?;
            self.visited = Instant::now();
        }
        Ok(())
    }
}
