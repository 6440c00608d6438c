//! A bar for work of unknown length: it appears once the work takes long, and moves at most ten times a second.

use crate::context::{Context, NoProgress, Progress};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Work that is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves at most this often.
const TICK: Duration = Duration::from_millis(100);

/// The progress of a context, until it is given back.
pub(crate) struct Patient {
    progress: Box<dyn Progress + Send>,
    next: Instant,
    has_begun: bool,
}

impl Patient {
    /// Takes the progress of the context until [`Patient::end`].
    pub fn take(context: &mut Context) -> Self {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        Patient { progress, next: Instant::now() + PATIENCE, has_begun: false }
    }

    /// Shows how many steps are done and a note, if it is time to.
    pub fn step(&mut self, what: &str, steps: u64, done: u64, note: &str) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + TICK;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.progress.begin(what, steps);
        }
        self.progress.step(done, note);
    }

    /// Shows a line that stays.
    pub fn line(&mut self, text: &str) {
        self.progress.line(text);
    }

    /// Gives the progress back.
    pub fn end(&mut self, context: &mut Context) {
        if self.has_begun {
            self.progress.end();
        }
        context.progress = std::mem::replace(&mut self.progress, Box::new(NoProgress));
    }
}

/// Locks what is shown: a thread that panicked leaves nothing half done in it.
pub(crate) fn lock<T>(shown: &Mutex<T>) -> MutexGuard<'_, T> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}
