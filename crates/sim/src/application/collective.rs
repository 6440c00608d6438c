//! Collectives: closed formulas and the messages of each algorithm, from one description.
//!
//! An [`Algorithm`] is a row of [`pattern`]s: who sends how much to whom in which round. [`expand`] walks it for one
//! process; [`closed`] sums it:
//!
//! ```text
//! T = sum over rounds of  a + m*b + (bytes reduced)*c      a = 2o + L   b = max(G, O)   c = hw.reduce_per_byte
//! ```
//!
//! Sources: R. Thakur, R. Rabenseifner, W. Gropp, *Optimization of collective communication operations in MPICH*,
//! International Journal of High Performance Computing Applications 19(1), 2005; J. Bruck et al., IEEE Transactions on
//! Parallel and Distributed Systems 8(11), 1997; D. Hensgen, R. Finkel, U. Manber, International Journal of Parallel
//! Programming 17(1), 1988 (dissemination).

pub mod algorithm;
mod choice;
mod closed;
mod counts;
pub mod devices;
mod layout;
mod messages;
pub mod pattern;
pub mod selector;
mod shape;
#[cfg(test)]
mod tests;

pub use algorithm::{ALGORITHMS, Algorithm};
pub use choice::{Choice, Chosen, DEFAULT_ROWS, Row};
pub use closed::{Prices, closed, seconds};
pub(crate) use counts::algorithm_of;
pub use counts::{Counts, IRREGULAR};
pub use devices::{Decision, Decisions};
pub use layout::Layout;
pub use messages::expand;
pub use shape::Shape;

use crate::application::{Application, CollectiveKind, Tag};

/// Tags of collectives: this minus the number of the group. Calls of one group are distinguished by their order.
pub const FIRST_TAG: Tag = -(1 << 40);

impl CollectiveKind {
    /// Every collective operation.
    pub const ALL: [CollectiveKind; 11] = [
        CollectiveKind::Bcast,
        CollectiveKind::Scatter,
        CollectiveKind::Gather,
        CollectiveKind::Reduce,
        CollectiveKind::Allreduce,
        CollectiveKind::Allgather,
        CollectiveKind::ReduceScatter,
        CollectiveKind::Alltoall,
        CollectiveKind::Scan,
        CollectiveKind::Exscan,
        CollectiveKind::Barrier,
    ];

    /// Its name in scripts, tables and models.
    pub fn name(self) -> &'static str {
        match self {
            CollectiveKind::Bcast => "bcast",
            CollectiveKind::Scatter => "scatter",
            CollectiveKind::Gather => "gather",
            CollectiveKind::Reduce => "reduce",
            CollectiveKind::Allreduce => "allreduce",
            CollectiveKind::Allgather => "allgather",
            CollectiveKind::ReduceScatter => "reduce_scatter",
            CollectiveKind::Alltoall => "alltoall",
            CollectiveKind::Scan => "scan",
            CollectiveKind::Exscan => "exscan",
            CollectiveKind::Barrier => "barrier",
        }
    }

    /// The operation of this name.
    pub fn find(name: &str) -> Option<CollectiveKind> {
        CollectiveKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Number of members of a group.
pub fn members(application: &Application, group: u32) -> u64 {
    let group = &application.groups[group as usize];
    match &group.members {
        Some(members) => members.len() as u64,
        None => application.labels[group.label as usize].count,
    }
}

/// Process number of a member of a group.
pub fn process_of(application: &Application, group: u32, member: u64) -> u64 {
    let group = &application.groups[group as usize];
    let rank = match &group.members {
        Some(members) => members[member as usize],
        None => member,
    };
    application.labels[group.label as usize].first + rank
}
