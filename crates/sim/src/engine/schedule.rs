//! Schedules: what each rank sends, receives and computes, and what has to come before what.
//!
//! Ranks that do the same, seen from themselves, share one [`Shape`]: partners are kept as distances around the ring of ranks.
//! A schedule in which all ranks are alike is as small as one of them.

pub mod parameters;
pub mod replay;

mod builder;
mod lanes;
mod numbers;
mod queue;

pub use builder::{Builder, Edge};
pub use parameters::Parameters;
pub use replay::{Control, Replayed, replay};

/// Any source, for a receive.
pub const ANY_SOURCE: u32 = u32::MAX;
/// Any tag, for a receive.
pub const ANY_TAG: u32 = u32::MAX;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Sends a message.
    Send,
    /// Posts a receive.
    Recv,
    /// Computes.
    Calc,
}

/// An operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Bytes; for a calculation ticks.
    pub size: u64,
    /// Distance to the partner around the ring of ranks, or [`ANY_SOURCE`].
    pub peer: u32,
    /// Tag, or [`ANY_TAG`].
    pub tag: u32,
    /// Processor that does it; for a send also the processor of the receiver that takes the message.
    pub cpu: u16,
    /// NIC that does it, on both sides.
    pub nic: u16,
    pub kind: Kind,
}

/// What a rank does. Operations have their numbers from the order in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    pub operations: Vec<Operation>,
    /// Where the dependents of each operation begin; one more than there are operations.
    first: Vec<u32>,
    /// Dependents: twice the number of the operation, plus one if it waits for the start only.
    dependents: Vec<u32>,
    /// Of how many others each operation depends.
    needs: Vec<u32>,
    /// Place of the counter of an operation that depends on others.
    counters: Vec<u32>,
    counted: u32,
    /// Operations that depend on nothing: sends, receives, calculations.
    free: [Vec<u32>; 3],
    /// Free receives by distance, tag and order; empty if they must be found in another way.
    posted: Vec<(u32, u32, u32)>,
    /// Whether a receive asks for any source or any tag.
    is_wild: bool,
    /// Whether a processor or NIC other than 0 is named.
    has_several: bool,
}

impl Shape {
    /// Dependents of an operation, in the order in which the file names them: number, and whether it waits for the start only.
    pub fn dependents(&self, operation: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let at = operation as usize;
        let (from, to) = (self.first[at] as usize, self.first[at + 1] as usize);
        self.dependents[from..to].iter().map(|dependent| (dependent >> 1, dependent & 1 == 1))
    }
}

/// What all ranks do.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// Name of the file, for messages.
    pub file: String,
    /// The shape of each rank.
    pub ranks: Vec<u32>,
    /// Different shapes, each once.
    pub shapes: Vec<Shape>,
    /// Whether events of one instant come by rank, as in the program that it was made of; else as they are made.
    pub by_rank: bool,
}

impl Schedule {
    pub fn shape(&self, rank: u32) -> &Shape {
        &self.shapes[self.ranks[rank as usize] as usize]
    }

    /// Operations of all ranks.
    pub fn operations(&self) -> u64 {
        self.ranks.iter().map(|shape| self.shapes[*shape as usize].operations.len() as u64).sum()
    }

    /// The partner of an operation of a rank; none: any.
    pub fn partner(&self, rank: u32, operation: &Operation) -> Option<u32> {
        (operation.peer != ANY_SOURCE)
            .then(|| ((u64::from(rank) + u64::from(operation.peer)) % self.ranks.len() as u64) as u32)
    }
}
