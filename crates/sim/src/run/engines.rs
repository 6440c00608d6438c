//! The engine of each fidelity.

use crate::application::Application;
use crate::budget::Budget;
use crate::job::{Fidelity, Job};
use crate::label;
use crate::outcome::{Observer, Outcome};
use runcast_core::Problem;

/// Simulates at a fidelity, with at most this many classes at `label`.
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

/// Memory of a process at least, in bytes (measured: halo programs, less than this).
fn bytes_of_process(fidelity: Fidelity) -> usize {
    match fidelity {
        Fidelity::Label => 0,
        Fidelity::Loggops => 150,
        Fidelity::Flow => 600,
    }
}

/// Refuses processes for which there is no memory, before an allocation fails in the midst of a run.
///
/// The memory is asked for and given back untouched: it costs nothing, and keeps to any limit that is set.
pub(super) fn fits(fidelity: Fidelity, processes: u64, budget: &Budget<'_>) -> Result<(), Problem> {
    let bytes = usize::try_from(processes).ok().and_then(|count| count.checked_mul(bytes_of_process(fidelity)));
    let given = bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if given && budget.room_for(bytes.unwrap_or(0) as u64).is_ok() {
        return Ok(());
    }
    let message = format!("there is no memory for {processes} processes one by one at the level {}", fidelity.word());
    let problem = Problem::new("too_many_processes", message).value(processes.to_string());
    Err(problem.hint("try --fidelity label, where identical processes are merged"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn processes_without_memory_are_refused_and_others_are_not() {
        let interrupt = AtomicBool::new(false);
        let budget = Budget::new(&interrupt);
        for fidelity in [Fidelity::Loggops, Fidelity::Flow] {
            assert!(fits(fidelity, 1000, &budget).is_ok());
            let problem = fits(fidelity, 1 << 50, &budget).expect_err("2^50 processes fit nowhere");
            assert_eq!(problem.code, "too_many_processes");
            assert!(problem.hint.is_some_and(|hint| hint.contains("--fidelity label")));
        }
        assert!(fits(Fidelity::Label, u64::MAX, &budget).is_ok(), "like processes are one");
        let small = Budget::new(&interrupt).limited(u64::MAX, Some(1 << 30));
        assert!(fits(Fidelity::Loggops, 1000, &small).is_ok());
        assert!(fits(Fidelity::Loggops, 10_000_000, &small).is_err(), "1.5 GB do not fit into 1 GiB");
    }
}
