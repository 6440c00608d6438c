//! Which engine looks how closely.

use crate::application::Application;
use crate::job::{Fidelity, Job};
use crate::label;
use crate::outcome::{Observer, Outcome};
use runcast_core::Problem;

/// Simulates at a fidelity, with at most so many classes at `label`.
pub(super) fn play(
    fidelity: Fidelity,
    max_classes: u64,
    job: &Job<'_>,
    application: &mut Application,
    observer: &mut dyn Observer,
) -> Result<Outcome, Problem> {
    match fidelity {
        Fidelity::Label => {
            let options = label::Options { max_classes: usize::try_from(max_classes).unwrap_or(usize::MAX) };
            label::simulate(job, application, observer, &options)
        }
        Fidelity::Loggops => crate::loggops::engine(job, application, observer),
        Fidelity::Flow => crate::flow::engine(job, application, observer),
    }
}
