//! Arguments of the calls of an application.

use crate::application::{Counts, Direction, Schedule, Stencil};
use std::sync::Arc;

/// A computing block: operations, bytes, or seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compute<'a> {
    /// Size of the data: `d` of the complexity.
    pub size: f64,
    /// Operations as a formula of `d` (and of the application's parameters).
    pub complexity: &'a str,
    /// Operations, instead of a formula.
    pub ops: Option<f64>,
    /// Bytes moved to and from memory.
    pub bytes: f64,
    /// Kind of block, for the rules of a computational model (`type` in a script).
    pub kind: &'a str,
    pub threads: f64,
    /// The word of a [`crate::application::Precision`]: `double`, `single`, `bf16` ..
    pub op: &'a str,
    /// Software stack.
    pub stack: &'a str,
    pub opt: &'a str,
    /// Device, if not the processor that the process runs on.
    pub device: &'a str,
    /// Power state of the device while it runs; empty: that of the label, else that of the device.
    pub state: &'a str,
    /// The stream of the device that it is in.
    pub stream: u32,
    /// Share of an accelerator that it fills: blocks that fill more than all of it together slow one another down.
    pub occupancy: Option<f64>,
    /// Seconds, instead of all the above.
    pub time_s: Option<f64>,
    /// Bytes that the process works on again and again, which a cache may hold; 0: more than any.
    pub working_set: f64,
    /// A sweep over a grid: gives the bytes and the working set.
    pub stencil: Option<Stencil>,
}

impl Default for Compute<'_> {
    fn default() -> Self {
        Compute {
            size: 0.0,
            complexity: "d",
            ops: None,
            bytes: 0.0,
            kind: "",
            threads: 1.0,
            op: "double",
            stack: "",
            opt: "",
            device: "",
            state: "",
            stream: 0,
            occupancy: None,
            time_s: None,
            working_set: 0.0,
            stencil: None,
        }
    }
}

/// A copy between the memory of a machine and a device of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyCall<'a> {
    pub device: &'a str,
    pub direction: Direction,
    /// Bytes.
    pub size: u64,
    /// The stream of the device that it is in.
    pub stream: u32,
}

/// A farm: tasks that a master hands to the processes of a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FarmCall<'a> {
    /// Number of tasks.
    pub tasks: u64,
    /// Label of the slaves.
    pub to: &'a str,
    /// Bytes of a task.
    pub task_size: u64,
    /// Bytes of a result.
    pub result_size: u64,
    /// What a slave computes for a task.
    pub work: Compute<'a>,
    /// What the master computes for a result.
    pub master_work: Option<Compute<'a>>,
    /// Tasks in flight to one slave.
    pub window: u32,
    /// How tasks are handed out.
    pub schedule: Schedule,
}

impl Default for FarmCall<'_> {
    fn default() -> Self {
        FarmCall {
            tasks: 0,
            to: "",
            task_size: 0,
            result_size: 0,
            work: Compute::default(),
            master_work: None,
            window: 1,
            schedule: Schedule::Dynamic,
        }
    }
}

/// A partner: a rank of the own label, or a process of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partner<'a> {
    /// A rank of the own label.
    Rank(u64),
    /// A rank of a label.
    Of(&'a str, u64),
}

impl From<u64> for Partner<'_> {
    fn from(rank: u64) -> Self {
        Partner::Rank(rank)
    }
}

pub fn proc(label: &str, rank: u64) -> Partner<'_> {
    Partner::Of(label, rank)
}

/// Source of an awaited message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From_<'a> {
    /// From one process.
    One(Partner<'a>),
    Any,
}

/// Any source, or any tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Any;

impl<'a> From<Partner<'a>> for From_<'a> {
    fn from(partner: Partner<'a>) -> Self {
        From_::One(partner)
    }
}

impl From<u64> for From_<'_> {
    fn from(rank: u64) -> Self {
        From_::One(Partner::Rank(rank))
    }
}

impl From<Any> for From_<'_> {
    fn from(_: Any) -> Self {
        From_::Any
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FittingTag(pub(crate) crate::application::Tag);

impl From<i64> for FittingTag {
    fn from(tag: i64) -> Self {
        FittingTag(tag)
    }
}

impl From<Any> for FittingTag {
    fn from(_: Any) -> Self {
        FittingTag(crate::application::ANY_TAG)
    }
}

/// A group of processes of a label, for collectives.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Comm {
    /// Label; none: that of the caller.
    pub label: Option<String>,
    /// Ranks, in the order of the group.
    pub members: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CollectiveCall<'a> {
    /// Bytes as MPI counts them: allgather the result; scatter, gather all blocks; alltoall the data of one process.
    pub size: u64,
    /// Root: a number in the group.
    pub root: u64,
    /// The group; none: all of the own label.
    pub comm: Option<&'a Comm>,
    /// Name of the algorithm, if it is fixed.
    pub algorithm: Option<&'a str>,
    /// Bytes of each member, where they differ; `size` says nothing then.
    pub counts: Option<&'a Arc<Counts>>,
}

/// A request: a pending operation to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    pub(crate) number: u32,
    pub(crate) serial: u32,
}
