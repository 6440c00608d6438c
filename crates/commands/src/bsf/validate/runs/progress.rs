//! Many runs, shown as one piece of work.

use crate::context::{Context, NoProgress, Progress};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Shared = Arc<Mutex<Box<dyn Progress + Send>>>;

/// Shows how many runs are done.
pub struct Watched {
    progress: Shared,
    begun: Mutex<u64>,
}

/// What a run sees: its lines are shown, how far it has come is not.
struct Lines(Shared);

impl Watched {
    /// Takes the progress of the context.
    pub fn begin(what: &str, runs: u64, context: &mut Context) -> Self {
        let mut progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        progress.begin(what, runs);
        Watched { progress: Arc::new(Mutex::new(progress)), begun: Mutex::new(0) }
    }

    /// Does the runs, and gives the progress back.
    pub fn during<T>(self, context: &mut Context, runs: impl FnOnce(&Watched, &mut Context) -> T) -> T {
        context.progress = Box::new(Lines(Arc::clone(&self.progress)));
        let done = runs(&self, context);
        let mut progress = lock(&self.progress);
        progress.end();
        context.progress = std::mem::replace(&mut *progress, Box::new(NoProgress));
        done
    }

    /// The next run begins.
    pub fn next(&self, now: &str) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        lock(&self.progress).step(*begun, now);
        *begun += 1;
    }
}

impl Progress for Lines {
    fn begin(&mut self, _: &str, _: u64) {}
    fn step(&mut self, _: u64, _: &str) {}
    fn end(&mut self) {}

    fn line(&mut self, text: &str) {
        lock(&self.0).line(text);
    }
}

/// A thread that has panicked leaves nothing half done here.
fn lock(progress: &Shared) -> MutexGuard<'_, Box<dyn Progress + Send>> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
