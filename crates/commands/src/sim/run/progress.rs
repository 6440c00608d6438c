//! Repetitions on a bar.

use crate::context::{Context, NoProgress, Progress};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is done sooner needs no bar.
const SOON: Duration = Duration::from_secs(1);

/// Shows how many simulations are done, while threads make them.
pub(crate) struct Bar {
    shown: Mutex<(Box<dyn Progress + Send>, bool)>,
    interrupt: Arc<AtomicBool>,
    start: Instant,
}

impl Bar {
    /// Takes the progress of the context until [`Bar::end`].
    pub fn new(context: &mut Context) -> Bar {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        Bar { shown: Mutex::new((progress, false)), interrupt: Arc::clone(&context.interrupt), start: Instant::now() }
    }

    /// What is raised to stop.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// So many simulations are done, of how many.
    pub fn done(&self, done: u64, of: u64) {
        if of < 2 || self.start.elapsed() < SOON {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !shown.1 {
            shown.0.begin("simulating", of);
            shown.1 = true;
        }
        shown.0.step(done, "");
    }

    /// So many simulations are done; nobody knows of how many.
    pub fn count(&self, done: u64) {
        if self.start.elapsed() < SOON {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !shown.1 {
            shown.0.begin("simulating", 0);
            shown.1 = true;
        }
        shown.0.step(done, &format!("{done} simulations"));
    }

    /// Gives the progress back.
    pub fn end(&self, context: &mut Context) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.1 {
            shown.0.end();
        }
        context.progress = std::mem::replace(&mut shown.0, Box::new(NoProgress));
    }
}
