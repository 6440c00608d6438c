//! Work of unknown length, shown while it goes on: phases that are played or made, samples that are taken.

use crate::bsf::launch::Rank;
use crate::context::Context;
use crate::patient::{Patient, lock};
use runcast_bsf::skeleton::Iteration;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

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
    patient: Mutex<Patient>,
}

impl Watch {
    /// Takes the progress of the context until [`Watch::end`].
    pub fn new(what: &'static str, steps: u64, context: &mut Context) -> Watch {
        let patient = Mutex::new(Patient::take(context));
        Watch(Arc::new(Shared { what, steps, start: Instant::now(), done: AtomicU64::new(0), patient }))
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
        lock(&self.0.patient).end(context);
    }
}

impl Shared {
    fn show(&self, done: u64) {
        let Ok(mut patient) = self.patient.try_lock() else { return };
        patient.step(self.what, self.steps, done.min(self.steps), "");
    }
}
