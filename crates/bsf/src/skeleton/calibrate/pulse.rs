//! What happens between two measurements.

use crate::skeleton::error::RunError;
use crate::skeleton::fleet::Fleet;
use crate::skeleton::job::Iteration;
use crate::skeleton::options::RunOptions;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Workers that have nothing to do are visited so often, lest they lose their patience.
const VISIT_EVERY: Duration = Duration::from_secs(1);

/// Between two measurements: says that it goes on, looks whether it shall, and visits the workers that only wait.
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

    /// An iteration is over; what is measured later counts to the last one.
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
