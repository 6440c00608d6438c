//! A simulation that is shown while it goes on.

use crate::context::{Context, NoProgress, Progress};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A simulation that is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves at most so often.
const TICK: Duration = Duration::from_millis(100);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// Shows the progress of a simulation.
pub(super) struct Watch(Arc<Shared>);

struct Shared {
    what: &'static str,
    phases: u64,
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
    pub fn new(what: &'static str, phases: u64, context: &mut Context) -> Watch {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        let shown = Mutex::new(Shown { progress, next: Instant::now() + PATIENCE, has_begun: false });
        Watch(Arc::new(Shared { what, phases, done: AtomicU64::new(0), shown }))
    }

    /// What a simulation is to call with the phases it has played.
    pub fn played(&self) -> Arc<dyn Fn(u64) + Send + Sync> {
        let shared = Arc::clone(&self.0);
        Arc::new(move |phases| shared.played(phases))
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
    fn played(&self, phases: u64) {
        let before = self.done.fetch_add(phases, Ordering::Relaxed);
        let step = (self.phases / STEPS).max(1);
        // Threads that have little to tell do not wait for each other.
        if before / step == (before + phases) / step {
            return;
        }
        let Ok(mut shown) = self.shown.try_lock() else { return };
        let now = Instant::now();
        if now < shown.next {
            return;
        }
        shown.next = now + TICK;
        if !std::mem::replace(&mut shown.has_begun, true) {
            shown.progress.begin(self.what, self.phases);
        }
        shown.progress.step((before + phases).min(self.phases), "");
    }
}
