//! A recorded application: what its processes do, before any time is known.
//!
//! A script (or Rust code) is run once per rank and yields a [`Program`]; identical programs are stored once.
//! [`crate::cursor`] derives the steps that engines execute from it; loops are never unrolled.

pub mod build;
pub mod check;
pub mod collective;
#[cfg(feature = "luau")]
pub mod dry_run;
mod executions;
pub mod farm;
mod operation;
mod precision;
#[cfg(feature = "luau")]
pub mod script;
mod stencil;
pub mod templates;

pub use collective::Counts;
pub use operation::{ANY_TAG, Access, DeviceCopy, Direction, Op, Peer, Site, Source, Tag, Task, Wanted};
pub use precision::{Precision, Rate, Rates};
use std::sync::Arc;
pub use stencil::Stencil;

/// An application as recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Application {
    /// Its name: the file without its extension.
    pub name: String,
    /// The file that positions of errors refer to, as the user named it.
    pub file: String,
    /// Parameters with the values that it was recorded for, in the order in which the script asked for them.
    pub parameters: Vec<Parameter>,
    /// Labels; their processes are numbered consecutively.
    pub labels: Vec<Label>,
    /// Different programs, each once.
    pub programs: Vec<Program>,
    /// Different computing blocks, each once.
    pub blocks: Vec<Block>,
    /// Different copies to and from devices, each once.
    pub copies: Vec<DeviceCopy>,
    /// Different collective calls, each once.
    pub collectives: Vec<Collective>,
    /// Groups of collectives.
    pub groups: Vec<Group>,
    /// Numbers of requests that are waited for together.
    pub sets: Vec<Vec<u32>>,
    pub farms: Vec<Farm>,
    /// Names of phases.
    pub phases: Vec<String>,
    /// Names of devices and storages used by operations.
    pub names: Vec<String>,
    /// Lines of the script, by [`Site`].
    pub sites: Vec<u32>,
    /// Messages of `log` in the script.
    pub log: Vec<String>,
    /// If several applications were joined into this one: the parts, by [`Label::app`]. Empty for a single one.
    pub parts: Vec<Part>,
}

/// One of several applications that were joined.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    pub name: String,
    /// The file that its sites refer to.
    pub file: String,
    /// Index of its first site.
    pub first_site: u32,
    /// Index of its first parameter: names of parameters are its own.
    pub first_parameter: u32,
}

/// A parameter of an application.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub value: f64,
    /// Its default value.
    pub default: f64,
    pub help: String,
    /// Its value, if its default is a text and not a number.
    pub text: Option<String>,
}

/// A class of processes.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    pub name: String,
    /// Which of several applications it belongs to, counted from 0.
    pub app: u32,
    /// Number of its first process among all processes.
    pub first: u64,
    pub count: u64,
    /// Memory of a process, in bytes.
    pub memory: f64,
    /// Component that it runs on, if the script sets it.
    pub on: Option<String>,
    /// When its processes start, in seconds.
    pub start_s: f64,
    /// Power state of the devices that its blocks run on; empty: that of the device.
    pub state: String,
    /// What its processes do.
    pub programs: Programs,
    /// Line of the script.
    pub line: u32,
}

impl Label {
    /// Processes anywhere that start at once and need no memory.
    pub fn new(name: impl Into<String>, first: u64, count: u64, programs: Programs) -> Label {
        Label {
            name: name.into(),
            app: 0,
            first,
            count,
            memory: 0.0,
            on: None,
            start_s: 0.0,
            state: String::new(),
            programs,
            line: 0,
        }
    }
}

/// What the processes of a label do.
#[derive(Debug, Clone, PartialEq)]
pub enum Programs {
    /// All the same: the function has no parameter, and was run once.
    Same(u32),
    /// One for each rank.
    PerRank(Vec<u32>),
    /// Run alongside simulated time: a process read a message or the clock.
    Live,
}

/// The operations of a process, in order. A loop is an [`Op::Repeat`] before its body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// Operations, each with its site.
    pub ops: Vec<(Op, Site)>,
    /// Request numbers run from 0 up to this.
    pub requests: u32,
}

impl Program {
    /// Each operation with how often a process executes it.
    pub fn each(&self, mut of: impl FnMut(&Op, f64)) {
        let mut loops: Vec<(usize, f64)> = Vec::new();
        for (at, (op, _)) in self.ops.iter().enumerate() {
            while loops.last().is_some_and(|(end, _)| *end <= at) {
                loops.pop();
            }
            let times = loops.last().map_or(1.0, |(_, times)| *times);
            match *op {
                Op::Repeat { count, len } => loops.push((at + 1 + len as usize, times * count as f64)),
                _ => of(op, times),
            }
        }
    }

    /// Operations, loops counted in full; none with tasks handed out on demand.
    fn operations(&self) -> Option<f64> {
        let mut sum = Some(0.0);
        self.each(|op, times| match op {
            Op::Farm(_) | Op::FarmWorker(_) => sum = None,
            _ => sum = sum.map(|sum| sum + times),
        });
        sum
    }
}

/// A computing block, as the script describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Size of the data.
    pub size: f64,
    /// Operations: `complexity` at `d = size`, unless given.
    pub ops: f64,
    /// Bytes moved to and from memory.
    pub bytes: f64,
    pub threads: f64,
    /// Kind of block, for the rules of a computational model.
    pub kind: String,
    /// The word of a [`Precision`].
    pub op: String,
    /// Software stack.
    pub stack: String,
    pub opt: String,
    /// Device, if not the processor that the process runs on.
    pub device: String,
    /// Power state of the device while it runs; empty: that of the device.
    pub state: String,
    /// The stream of the device that it is in.
    pub stream: u32,
    /// Share of an accelerator that it fills; none: its threads.
    pub occupancy: Option<f64>,
    /// Seconds, if the script sets them.
    pub time_s: Option<f64>,
    /// Bytes that a process works on again and again; 0: more than any cache holds.
    pub working_set: f64,
    /// A sweep over a grid, whose bytes depend on the cache.
    pub stencil: Option<Box<Stencil>>,
}

impl Default for Block {
    fn default() -> Self {
        Block {
            size: 0.0,
            ops: 0.0,
            bytes: 0.0,
            threads: 1.0,
            kind: String::new(),
            op: "double".to_owned(),
            stack: String::new(),
            opt: String::new(),
            device: String::new(),
            state: String::new(),
            stream: 0,
            occupancy: None,
            time_s: None,
            working_set: 0.0,
            stencil: None,
        }
    }
}

/// Collective operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CollectiveKind {
    Bcast,
    Scatter,
    Gather,
    Reduce,
    Allreduce,
    Allgather,
    ReduceScatter,
    Alltoall,
    /// Sums of all members up to each.
    Scan,
    /// Sums of all members before each.
    Exscan,
    Barrier,
}

/// A collective call. All members of the group make it, in the same order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Collective {
    pub kind: CollectiveKind,
    /// Bytes as MPI counts them: allgather the result; scatter, gather all blocks; alltoall the data of one process.
    pub size: u64,
    /// Root: a number in the group.
    pub root: u64,
    /// Index into [`Application::groups`].
    pub group: u32,
    /// Name of the algorithm, if the script sets one.
    pub algorithm: Option<String>,
    /// Bytes of each member, where they differ; then `size` is their sum.
    pub counts: Option<Arc<Counts>>,
}

/// The group of a collective.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Group {
    /// Label of the members.
    pub label: u32,
    /// Ranks in the label, in the order of the group; none: all of the label.
    pub members: Option<Vec<u64>>,
}

/// How a farm hands out tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The next task to the slave that returns a result.
    Dynamic,
    /// Equal shares, all known in advance.
    Static,
    /// Ever smaller chunks: a share of the rest.
    Guided,
}

/// A farm: a master hands tasks to the processes of a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Farm {
    /// Process number of the master.
    pub master: u64,
    /// Label of the slaves.
    pub to: u32,
    /// Number of tasks.
    pub tasks: u64,
    /// Bytes of a task.
    pub task_size: u64,
    /// Bytes of a result.
    pub result_size: u64,
    /// Block of a slave for a task.
    pub work: u32,
    /// Block of the master for a result.
    pub master_work: Option<u32>,
    /// Tasks in flight to one slave.
    pub window: u32,
    /// How tasks are handed out.
    pub schedule: Schedule,
}

impl Application {
    /// Number of all processes.
    pub fn processes(&self) -> u64 {
        self.labels.last().map_or(0, |label| label.first + label.count)
    }

    pub fn label_of(&self, process: u64) -> usize {
        self.labels.partition_point(|label| label.first <= process).saturating_sub(1)
    }

    /// Operations of all processes, loops counted in full; none where processes run alongside simulated time, or hand out
    /// tasks: their steps are not known in advance.
    pub fn operations(&self) -> Option<f64> {
        let of_program: Vec<Option<f64>> = self.programs.iter().map(Program::operations).collect();
        let of = |program: u32| of_program.get(program as usize).copied().flatten();
        let of_label = |label: &Label| match &label.programs {
            Programs::Same(program) => Some(of(*program)? * label.count as f64),
            Programs::PerRank(programs) => programs.iter().map(|program| of(*program)).sum(),
            Programs::Live => None,
        };
        self.labels.iter().map(of_label).sum()
    }

    /// The program of a process; none if it runs live.
    pub fn program_of(&self, process: u64) -> Option<u32> {
        let label = self.labels.get(self.label_of(process))?;
        match &label.programs {
            Programs::Same(program) => Some(*program),
            Programs::PerRank(programs) => programs.get((process - label.first) as usize).copied(),
            Programs::Live => None,
        }
    }

    /// `cell[3]`, for messages.
    pub fn name_of(&self, process: u64) -> String {
        let label = &self.labels[self.label_of(process)];
        let part = self.parts.get(label.app as usize).map_or(String::new(), |part| format!("{}: ", part.name));
        let rank = if label.count == 1 { String::new() } else { format!("[{}]", process - label.first) };
        format!("{part}{}{rank}", label.name)
    }

    pub fn file_of(&self, site: Site) -> &str {
        let after = self.parts.partition_point(|part| part.first_site <= site.0);
        after.checked_sub(1).map_or(&self.file, |index| &self.parts[index].file)
    }

    /// `heat.luau:14`, for messages.
    pub fn place_of(&self, site: Site) -> String {
        match self.sites.get(site.0 as usize) {
            Some(line) if *line > 0 => format!("{}:{line}", self.file_of(site)),
            _ => self.file_of(site).to_owned(),
        }
    }
}
