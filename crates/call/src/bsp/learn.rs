//! From recorded supersteps of small runs to a program of supersteps.
//!
//! ```text
//! lines of a rank     events     sends, waits, synchronizations, partitions, regions, with times
//! events              steps      the supersteps of each machine that the rank was in
//! all ranks           machines   one tree of machines for each visit of the region that communicates
//! machines of all runs  tasks    machines with the same supersteps are one task
//! observed numbers    numbers    formulas of me, procs, it and the arguments of the task
//! tasks               write      the program as TOML
//! ```
//!
//! docs/theory/bsp.md lists the rules. Nothing here reads files.

mod align;
mod events;
mod grid;
mod machines;
mod numbers;
mod periods;
mod steps;
mod tasks;
mod write;

pub use events::{Event, Recorded};
pub use machines::{Machine, Member, Run, procedure};
pub use steps::{Region, Sync};
pub use tasks::{Block, Formula, Learnt, Message, ModelUse, Task, TaskStep, Unlearned};

use runcast_core::Problem;

/// Learns a program from runs with different numbers of processes.
///
/// # Errors
/// `no_supersteps`: no run communicates. `different`: the ranks of a machine do not take the same supersteps.
pub fn learn(runs: &[Run]) -> Result<Learnt, Problem> {
    tasks::learn(runs)
}

#[cfg(test)]
mod tests;
