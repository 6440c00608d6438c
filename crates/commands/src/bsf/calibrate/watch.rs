//! Measuring that is shown while it goes on.

use crate::context::Context;
use crate::patient::{Patient, lock};
use runcast_bsf::programs::Program;
use runcast_bsf::skeleton::{CalibrateOptions, Iteration, OnIteration};
use std::sync::{Arc, Mutex};

/// Iterations that are made at least, two of them to warm up.
pub const ITERATIONS: u64 = 22;

/// Shows how far the measuring has come.
pub struct Watch(Arc<Mutex<Shown>>);

struct Shown {
    patient: Patient,
    what: String,
    last: u64,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`].
    pub fn new(program: &Program, context: &mut Context) -> Self {
        let what = format!("measuring {}, size {}", program.name(), program.size());
        Watch(Arc::new(Mutex::new(Shown { patient: Patient::take(context), what, last: 0 })))
    }

    /// What the skeleton is to call.
    pub fn on_iteration(&self) -> OnIteration {
        let shown = Arc::clone(&self.0);
        OnIteration(Arc::new(move |at| lock(&shown).look(at)))
    }

    /// Gives the progress back.
    pub fn end(&self, context: &mut Context) {
        lock(&self.0).patient.end(context);
    }
}

impl Shown {
    fn look(&mut self, at: &Iteration) {
        let is_iterating = at.number > self.last;
        self.last = at.number;
        let (done, phase) = if is_iterating { (done(at), "iterations") } else { (ITERATIONS, "messages") };
        self.patient.step(&self.what, ITERATIONS, done, phase);
    }
}

/// Iterations as far as the time has come, too: there are more of them where they are short.
fn done(at: &Iteration) -> u64 {
    let share = at.elapsed_s / CalibrateOptions::default().time.as_secs_f64();
    at.number.min((share * ITERATIONS as f64) as u64).min(ITERATIONS)
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
