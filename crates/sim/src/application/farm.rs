//! Farms: tasks handed out on demand (docs/theory/sim.md, section 7), as messages and as a closed queueing network.
//!
//! ```text
//! master  a first batch to each slave at once; on each result (from any slave) its work, then the next batch to the sender,
//!         by a blocking send; at the end an empty message for each receive that is still posted
//! slave   takes a batch, computes it, returns its results
//! ```
//!
//! A batch is one task (`dynamic`), the whole share of a slave (`static`), or half of an even share of the rest, but
//! at least one task
//! (`guided`; C. Polychronopoulos, D. Kuck, IEEE Transactions on Computers 36(12), 1987, with half the share).
//! The messages of a task and of a result count at least one byte, so that the empty message at the end is distinguishable.

mod batch;
mod master;
mod mva;
mod worker;

#[cfg(test)]
mod tests;

pub use batch::Batches;
pub use mva::{Customers, Flow, Station, mean_value_analysis, several_classes};

use crate::application::{Application, Tag};
use crate::cursor::Expansion;

/// Tags of tasks: this less twice the number of the farm; those of results are one lower.
pub const FIRST_TAG: Tag = -(1 << 50);

/// The steps of a farm's master.
pub fn master(application: &Application, farm: u32) -> Box<dyn Expansion> {
    Box::new(master::Master::new(application, farm))
}

/// The steps of a farm's worker.
pub fn worker(application: &Application, farm: u32, process: u64) -> Box<dyn Expansion> {
    let _ = process;
    Box::new(worker::Worker::new(application, farm))
}

fn task_tag(farm: u32) -> Tag {
    FIRST_TAG - 2 * Tag::from(farm)
}

fn result_tag(farm: u32) -> Tag {
    task_tag(farm) - 1
}

/// Bytes of this many tasks or results in one message.
pub fn message_bytes(each: u64, tasks: u64) -> u64 {
    each.max(1).saturating_mul(tasks)
}
