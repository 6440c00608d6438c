//! Shows a run while it goes on.

use super::RunArgs;
use crate::context::Context;
use crate::human;
use crate::patient::{Patient, lock};
use runcast_bsf::programs::{Look, Program};
use runcast_bsf::skeleton::{Iteration, OnIteration};
use std::sync::{Arc, Mutex};

/// Numbers of an approximation that are shown.
const SHOWN: usize = 6;

/// Shows the progress of a run.
pub struct Watch(Arc<Mutex<Shown>>);

struct Shown {
    patient: Patient,
    what: String,
    /// How many iterations there will be, if that is known.
    iterations: Option<u64>,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`].
    pub fn new(args: &RunArgs, program: &Program, context: &mut Context) -> Self {
        let what = format!("running {}, size {}", program.name(), program.size());
        let iterations = args.iterations_of(program).or(args.max_iterations);
        Watch(Arc::new(Mutex::new(Shown { patient: Patient::take(context), what, iterations })))
    }

    /// What the skeleton is to call.
    pub fn on_iteration(&self) -> OnIteration {
        let shown = Arc::clone(&self.0);
        OnIteration(Arc::new(move |at| lock(&shown).iteration(at)))
    }

    /// Shows a line that stays.
    pub fn line(&self, text: &str) {
        lock(&self.0).patient.line(text);
    }

    /// Gives the progress back.
    pub fn end(&self, context: &mut Context) {
        lock(&self.0).patient.end(context);
    }
}

impl Shown {
    fn iteration(&mut self, at: &Iteration) {
        if let Some(iterations) = self.iterations {
            self.patient.step(&self.what, iterations, at.number, "");
        }
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
