//! What the skeleton itself costs: iterations in which nothing is computed.

use runcast_bsf::skeleton::{
    Algorithm, Backend, Element, Iteration, Job, JobError, Presence, RunOptions, Step, Waiting, run,
};
use std::fmt::Write as _;
use std::ops::Range;

/// The table.
pub fn section() -> Result<String, String> {
    let mut text = String::from(
        "An iteration in which nothing is computed; the mean of many, the best of 5 runs.\n\n\
         | | time | goal |\n|---|---|---|\n",
    );
    for (name, backend, workers, wait, iterations, goal) in [
        ("serial", Backend::Serial, 1, Waiting::Sleep, 1_000_000, "1 us"),
        ("1 thread, spinning", Backend::Threads, 1, Waiting::Spin, 100_000, ""),
        ("2 threads, spinning", Backend::Threads, 2, Waiting::Spin, 100_000, "20 us"),
        ("2 threads, sleeping", Backend::Threads, 2, Waiting::Sleep, 2000, ""),
    ] {
        let mut options = RunOptions { backend, workers, wait, ..RunOptions::default() };
        options.limits.iterations = Some(iterations);
        let mut best_s = f64::INFINITY;
        for _ in 0..5 {
            let algorithm = Algorithm::new("empty", ()).job(Empty);
            let outcome =
                run(algorithm, &options).map_err(|error| error.to_string())?.ok_or("this is not the master")?;
            best_s = best_s.min(outcome.time_s / iterations as f64);
        }
        let _ = writeln!(text, "| {name} | {:.2} us | {goal} |", 1e6 * best_s);
    }
    Ok(text)
}

struct Empty;

impl Job for Empty {
    type Approximation = ();
    type Block = ();
    type Partial = ();

    fn list_length(&self) -> u64 {
        2
    }

    fn set_up(&self, _: Range<u64>) -> Result<(), JobError> {
        Ok(())
    }

    fn identity(&self) {}

    fn map_fold(&self, _: Element<'_, ()>, (): &(), (): &mut ()) -> Result<Presence, JobError> {
        Ok(Presence::Present)
    }

    fn combine(&self, (): &mut (), (): &()) {}

    fn compute(&self, (): &mut (), (): &(), _: &Iteration) -> Result<Step, JobError> {
        Ok(Step::again())
    }
}
