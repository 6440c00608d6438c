//! Sizes of the batches of tasks.

use crate::application::{Farm, Schedule};

/// Hands out the tasks of a farm in batches.
#[derive(Debug, Clone)]
pub struct Batches {
    schedule: Schedule,
    workers: u64,
    tasks: u64,
    left: u64,
    /// Batches handed out so far.
    handed: u64,
}

impl Batches {
    /// A farm with this many workers and all tasks left.
    pub fn new(farm: &Farm, workers: u64) -> Self {
        Batches { schedule: farm.schedule, workers: workers.max(1), tasks: farm.tasks, left: farm.tasks, handed: 0 }
    }

    /// Tasks of the next batch; 0 if none are left.
    pub fn next_batch(&mut self) -> u64 {
        let batch = match self.schedule {
            Schedule::Dynamic => 1,
            Schedule::Static => self.tasks / self.workers + u64::from(self.handed < self.tasks % self.workers),
            Schedule::Guided => (self.left / (2 * self.workers)).max(1),
        };
        let batch = batch.min(self.left);
        self.left -= batch;
        self.handed += 1;
        batch
    }

    /// Batches that go to a worker before its first result is back.
    pub fn first_batches(farm: &Farm) -> u32 {
        if farm.schedule == Schedule::Static { 1 } else { farm.window.max(1) }
    }
}
