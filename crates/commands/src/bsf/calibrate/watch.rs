//! Measuring that is shown while it goes on.

use crate::context::{Context, NoProgress, Progress};
use runcast_bsf::programs::Program;
use runcast_bsf::skeleton::{CalibrateOptions, Iteration, OnIteration};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Iterations that are made at least, two of them to warm up.
pub const ITERATIONS: u64 = 22;
/// Measuring that is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves at most so often.
const TICK: Duration = Duration::from_millis(100);

/// Shows how far the measuring has come.
pub struct Watch(Arc<Mutex<Shown>>);

struct Shown {
    progress: Box<dyn Progress + Send>,
    what: String,
    last: u64,
    next: Instant,
    has_begun: bool,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`].
    pub fn new(program: &Program, context: &mut Context) -> Self {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        let what = format!("measuring {}, size {}", program.name(), program.size());
        let next = Instant::now() + PATIENCE;
        Watch(Arc::new(Mutex::new(Shown { progress, what, last: 0, next, has_begun: false })))
    }

    /// What the skeleton is to call.
    pub fn on_iteration(&self) -> OnIteration {
        let shown = Arc::clone(&self.0);
        OnIteration(Arc::new(move |at| lock(&shown).look(at)))
    }

    /// Gives the progress back.
    pub fn end(&self, context: &mut Context) {
        let mut shown = lock(&self.0);
        shown.progress.end();
        context.progress = std::mem::replace(&mut shown.progress, Box::new(NoProgress));
    }
}

impl Shown {
    fn look(&mut self, at: &Iteration) {
        let is_iterating = at.number > self.last;
        self.last = at.number;
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + TICK;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.progress.begin(&self.what, ITERATIONS);
        }
        let phase = if is_iterating { "iterations" } else { "messages" };
        self.progress.step(if is_iterating { done(at) } else { ITERATIONS }, phase);
    }
}

/// Iterations as far as the time has come, too: there are more of them where they are short.
fn done(at: &Iteration) -> u64 {
    let share = at.elapsed_s / CalibrateOptions::default().time.as_secs_f64();
    at.number.min((share * ITERATIONS as f64) as u64).min(ITERATIONS)
}

/// A thread that has panicked leaves nothing half done here.
fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_iterations_and_time_must_have_come_so_far() {
        let at = |number, elapsed_s| done(&Iteration { number, job: 0, counter: 0, elapsed_s });
        assert_eq!((at(5000, 0.5), at(3, 20.0), at(9000, 1.1)), (11, 3, 22));
    }
}
