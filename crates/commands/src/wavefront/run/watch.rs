//! A run that is shown while it goes on.

use crate::bsf::launch::Rank;
use crate::context::{Context, NoProgress, Progress};
use runcast_bsf::skeleton::Iteration;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A run that is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves at most so often.
const TICK: Duration = Duration::from_millis(100);

/// What process 1 calls after each phase.
pub type OnPhase = Arc<dyn Fn(u64) + Send + Sync>;

/// Shows the progress of runs, or tells whoever watches this rank.
pub struct Watch {
    shown: Arc<Mutex<Shown>>,
    start: Instant,
}

struct Shown {
    progress: Box<dyn Progress + Send>,
    all: u64,
    next: Instant,
    has_begun: bool,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`]; `all` phases are to be made.
    pub fn new(all: u64, context: &mut Context) -> Self {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        let shown = Shown { progress, all, next: Instant::now() + PATIENCE, has_begun: false };
        Watch { shown: Arc::new(Mutex::new(shown)), start: Instant::now() }
    }

    /// What process 1 is to call in a run before which so many phases were made.
    pub fn on_phase(&self, before: u64, rank: Option<&Rank>) -> OnPhase {
        let (shown, start) = (Arc::clone(&self.shown), self.start);
        if let Some(tell) = rank.and_then(Rank::on_iteration) {
            return Arc::new(move |phase| {
                let elapsed_s = start.elapsed().as_secs_f64();
                (tell.0)(&Iteration { number: before + phase, job: 0, counter: 0, elapsed_s });
            });
        }
        Arc::new(move |phase| shown.lock().unwrap_or_else(PoisonError::into_inner).phase(before + phase))
    }

    /// Gives the progress back.
    pub fn end(self, context: &mut Context) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.progress.end();
        context.progress = std::mem::replace(&mut shown.progress, Box::new(NoProgress));
    }
}

impl Shown {
    fn phase(&mut self, done: u64) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + TICK;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.progress.begin("iterating", self.all);
        }
        self.progress.step(done, "");
    }
}
