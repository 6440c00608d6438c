//! Measuring that is shown while it goes on.

use crate::context::{Context, NoProgress, Progress};
use std::time::{Duration, Instant};

/// Measuring that is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves at most so often.
const TICK: Duration = Duration::from_millis(100);

/// Shows how far the measuring has come.
pub(super) struct Watch {
    progress: Box<dyn Progress + Send>,
    samples: u64,
    next: Instant,
    has_begun: bool,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`].
    pub fn new(samples: u64, context: &mut Context) -> Watch {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        Watch { progress, samples, next: Instant::now() + PATIENCE, has_begun: false }
    }

    /// So many samples are there.
    pub fn look(&mut self, done: u64) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + TICK;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.progress.begin("measuring updates and messages", self.samples);
        }
        self.progress.step(done.min(self.samples), "");
    }

    /// Gives the progress back.
    pub fn end(mut self, context: &mut Context) {
        self.progress.end();
        context.progress = self.progress;
    }
}
