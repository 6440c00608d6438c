//! The engine at `loggops`: the fast one where it can, the plain one otherwise. They give the same ticks.

use crate::application::Application;
use crate::job::Job;
use crate::outcome::{Observer, Outcome};
use crate::{fast, plain};
use runcast_core::Problem;

/// Simulates an application at `loggops`.
///
/// # Errors
/// Those of [`plain::engine`].
pub fn engine(job: &Job<'_>, application: &mut Application, observer: &mut dyn Observer) -> Result<Outcome, Problem> {
    if !observer.wants()
        && let Some(outcome) = fast::simulate(job, application)?
    {
        return Ok(outcome);
    }
    plain::engine(job, application, observer)
}
