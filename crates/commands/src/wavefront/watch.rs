//! Work of unknown length, shown while it goes on: phases that are played or made, samples that are taken.

use crate::bsf::launch::Rank;
use crate::context::{Context, NoProgress, Progress};
use runcast_bsf::skeleton::Iteration;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Work that is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves at most so often.
const TICK: Duration = Duration::from_millis(100);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// Takes a count of steps, from any thread.
pub(super) type Count = Arc<dyn Fn(u64) + Send + Sync>;

/// Shows how far some work has come.
pub(super) struct Watch(Arc<Shared>);

struct Shared {
    what: &'static str,
    steps: u64,
    start: Instant,
    done: AtomicU64,
    shown: Mutex<Shown>,
}

struct Shown {
    progress: Box<dyn Progress + Send>,
    next: Instant,
    has_begun: bool,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`].
    pub fn new(what: &'static str, steps: u64, context: &mut Context) -> Watch {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        let start = Instant::now();
        let shown = Mutex::new(Shown { progress, next: start + PATIENCE, has_begun: false });
        Watch(Arc::new(Shared { what, steps, start, done: AtomicU64::new(0), shown }))
    }

    /// To be called with the steps that were made since the last call, by as many threads as there are.
    pub fn more(&self) -> Count {
        let shared = Arc::clone(&self.0);
        Arc::new(move |steps| {
            let before = shared.done.fetch_add(steps, Ordering::Relaxed);
            let step = (shared.steps / STEPS).max(1);
            // Threads that have little to tell do not wait for each other.
            if before / step != (before + steps) / step {
                shared.show(before + steps);
            }
        })
    }

    /// To be called with the steps made so far, `before` others aside. A rank that is watched gives signs of life instead.
    pub fn done(&self, before: u64, rank: Option<&Rank>) -> Count {
        let shared = Arc::clone(&self.0);
        match rank.and_then(Rank::on_iteration) {
            Some(sign) => Arc::new(move |done| {
                let elapsed_s = shared.start.elapsed().as_secs_f64();
                (sign.0)(&Iteration { number: before + done, job: 0, counter: 0, elapsed_s });
            }),
            None => Arc::new(move |done| shared.show(before + done)),
        }
    }

    /// Gives the progress back.
    pub fn end(&self, context: &mut Context) {
        let mut shown = self.0.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.has_begun {
            shown.progress.end();
        }
        context.progress = std::mem::replace(&mut shown.progress, Box::new(NoProgress));
    }
}

impl Shared {
    fn show(&self, done: u64) {
        let Ok(mut shown) = self.shown.try_lock() else { return };
        let now = Instant::now();
        if now < shown.next {
            return;
        }
        shown.next = now + TICK;
        if !std::mem::replace(&mut shown.has_begun, true) {
            shown.progress.begin(self.what, self.steps);
        }
        shown.progress.step(done.min(self.steps), "");
    }
}
