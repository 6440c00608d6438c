//! A run that is shown while it goes on.

use super::RunArgs;
use crate::context::{Context, NoProgress, Progress};
use crate::human;
use runcast_bsf::programs::{Look, Program};
use runcast_bsf::skeleton::{Iteration, OnIteration};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A run that is shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves at most so often.
const TICK: Duration = Duration::from_millis(100);
/// Numbers of an approximation that are shown.
const SHOWN: usize = 6;

/// Shows the progress of a run.
pub struct Watch(Arc<Mutex<Shown>>);

struct Shown {
    progress: Box<dyn Progress + Send>,
    what: String,
    /// How many iterations there will be, if that is known.
    iterations: Option<u64>,
    next: Instant,
    has_begun: bool,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`].
    pub fn new(args: &RunArgs, program: &Program, context: &mut Context) -> Self {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        let what = format!("running {}, size {}", program.name(), program.size());
        let iterations = args.iterations_of(program).or(args.max_iterations);
        let next = Instant::now() + PATIENCE;
        Watch(Arc::new(Mutex::new(Shown { progress, what, iterations, next, has_begun: false })))
    }

    /// What the skeleton is to call.
    pub fn on_iteration(&self) -> OnIteration {
        let shown = Arc::clone(&self.0);
        OnIteration(Arc::new(move |at| lock(&shown).iteration(at)))
    }

    /// Shows a line that stays.
    pub fn line(&self, text: &str) {
        lock(&self.0).progress.line(text);
    }

    /// Gives the progress back.
    pub fn end(&self, context: &mut Context) {
        let mut shown = lock(&self.0);
        shown.progress.end();
        context.progress = std::mem::replace(&mut shown.progress, Box::new(NoProgress));
    }
}

impl Shown {
    fn iteration(&mut self, at: &Iteration) {
        let Some(iterations) = self.iterations else { return };
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + TICK;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.progress.begin(&self.what, iterations);
        }
        self.progress.step(at.number, "");
    }
}

/// `iteration 20, 12.5 ms: 1  1  1`
pub fn line_of(look: Look<'_>) -> String {
    let mut numbers: Vec<String> =
        look.numbers.iter().take(SHOWN).map(|number| human::significant(*number, 6)).collect();
    if look.numbers.len() > SHOWN {
        numbers.push("..".to_owned());
    }
    format!("iteration {}, {}: {}", look.at.number, human::quantity(look.at.elapsed_s, "s"), numbers.join("  "))
}

/// A thread that has panicked leaves nothing half done here.
fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}
