//! A log of jobs on a system: when each starts under a policy of the queue, how long it waits, what the machine does meanwhile.
//!
//! Source of the format: the Standard Workload Format 2.2 of the Parallel Workloads Archive. EASY: D. Lifka, *The ANL/IBM SP
//! scheduling system*, JSSPP 1995: jobs may pass the first one in the queue if they do not delay it, by the times that users
//! requested.

mod queue;
mod statistics;
mod swf;
mod waiting;

pub use queue::{Faults, Policy, Scheduled, Status, schedule};
pub use statistics::Statistics;
pub use swf::{Log, Window, read};

/// A job of a log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Job {
    /// Its number in the log.
    pub number: u64,
    /// Submission, in seconds from the start of the log.
    pub submit_s: f64,
    /// Run time, no longer than requested.
    pub run_s: f64,
    /// Requested time.
    pub requested_s: f64,
    pub processors: u64,
    /// Whether it would have run longer than requested.
    pub is_killed: bool,
}

#[cfg(test)]
mod tests;
