//! Experiment in, result out.
//!
//! ```text
//! experiment, files ──Inputs::read──> Inputs ──prepare(variation)──> Prepared ──simulate(control)──> RunResult
//!                                               ^ again(other variation): reuses what did not change
//! ```
//!
//! [`Inputs::read`] opens every file once, through a function of the caller. [`prepare`] records the applications for their
//! parameters and reads the system with its hardware; [`Prepared::again`] does so for other values, cheaply: a sweep, a
//! calibration and an optimization are many of these. [`simulate`] plays all repetitions, on as many threads as it may use,
//! with the same answer on any number of them.

mod accounts;
mod bottleneck;
mod check;
mod engines;
mod essence;
pub mod experiment;
mod export;
mod faults;
mod ideal;
mod inputs;
mod join;
mod measure;
mod omissions;
mod places;
mod prepare;
mod repetitions;
mod result;
mod simulate;
mod stage;
mod uncertain;

pub use essence::Seated;
pub use export::{ExportFormat, Exported};
pub use inputs::{Files, Inputs, Settings, Text, beside};
pub use prepare::{
    Prepared, RecordedApp, RecordedApps, SystemRead, Variation, catalogue, place_option, prepare, prepare_after,
    prepare_recorded,
};
pub use result::{
    AppResult, Bottleneck, CheckResult, ComponentResult, CostOfSimulation, CountsResult, LabelResult, LinkResult,
    PhaseResult, RangeFrom, RunResult, Stopped, Unallocated,
};
pub use simulate::{LEVEL, MOST_ENDS, RunControl, Simulated, repetition, simulate};
pub use stage::unplaced;
pub use uncertain::calibrated_range;

use runcast_core::Problem;

/// The code of an interrupted run.
pub const INTERRUPTED: &str = "interrupted";

/// The problem of a run that was asked to stop.
pub fn interrupted() -> Problem {
    Problem::new(INTERRUPTED, "interrupted")
}

/// Whether a problem is not one of the input: a deadlock, a reached limit, an overflow of ticks, coefficients that
/// runs do not separate, an interrupt.
pub fn is_undone(problem: &Problem) -> bool {
    const CODES: [&str; 17] = [
        "deadlock",
        "not_determined",
        "too_few_repetitions",
        "time_overflow",
        INTERRUPTED,
        "script_steps",
        "script_memory",
        "script_time",
        "too_many_classes",
        "too_many_bytes",
        "too_many_events",
        "too_many_messages",
        "too_many_processes",
        "too_many_requests",
        "too_many_senders",
        "too_much_memory",
        "no_smaller_size",
    ];
    CODES.contains(&problem.code.as_str())
}
