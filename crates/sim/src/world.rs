//! Queries of engines about the machine: where processes are placed, how long blocks take, how cores are shared.
//!
//! [`crate::run`] makes a [`World`] of a system with its computational models, a placement and noise; [`PlainWorld`] is the
//! minimal one, for tests and for LogGOPS parameters without a system.

mod defaults;
pub mod model;
pub mod node;
pub mod noise;
pub mod place;
mod system_world;
pub mod volunteer;

pub use defaults::{DeviceLaw, MemoryLaw, Work, compute_time, throughput, turbo_factor};
use node::{AtWork, Need};
pub use system_world::{Class, ModelOptions, Scaled, SystemWorld};
pub(crate) use system_world::{DOUBT, idle_of};

use crate::application::{Block, Collective, DeviceCopy, Direction, Op};
use crate::platform::{Endpoint, MachineId};
use runcast_core::Problem;
use volunteer::Crowd;

/// Copies that a device makes at once, where it does not say: one in each direction.
pub const COPY_ENGINES: u32 = 2;

/// Number of a compute device: one processor of one machine, or one of its GPUs.
pub type DeviceId = u32;

/// The place of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub machine: MachineId,
    /// Device whose cores it computes on, unless a block names another.
    pub device: DeviceId,
    /// Number of that device among those of the machine.
    pub slot: u32,
    /// Places of one class are equivalent: a block takes equally long there, apart from noise.
    pub class: u32,
}

impl From<Place> for Endpoint {
    fn from(place: Place) -> Self {
        Endpoint { machine: place.machine, slot: place.slot }
    }
}

/// A device that several processes may share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    pub machine: MachineId,
    /// Component of the system that it is one of: an index that [`crate::run`] understands.
    pub component: u32,
    pub cores: f64,
    /// Processes placed on it, with their threads.
    pub placed: f64,
}

/// The cost of a block at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Seconds with its cores to itself, without noise.
    pub seconds: f64,
    /// Random factors of its own, where it has some.
    pub spread: Option<Spread>,
}

/// Random factors that some blocks have and others not: numbers that [`World::noisy`] understands; 0: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spread {
    /// That of the rule that gave the time.
    pub rule: u16,
    /// The noise of blocks of its type.
    pub kind: u16,
}

/// An operation between two labels, as a rule sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelCall {
    /// `p2p`, `one2one`, `scatter` or `gather`.
    pub kind: &'static str,
    /// Bytes of a message.
    pub size: u64,
    /// Messages in all.
    pub messages: u64,
    /// Processes that send.
    pub senders: u64,
}

/// What a block asks of the node that it shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    pub need: Need,
    /// Threads that count: no more than there are hardware threads.
    pub threads: f64,
    /// The seconds that [`World::compute`] gave before factors of software stack, run and noise.
    pub seconds: f64,
}

/// Where a device is in the node that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeSeat {
    /// The node: the number of its first device.
    pub node: DeviceId,
    /// The first of the device's domains among those of the node.
    pub domain: u32,
    /// How many it has.
    pub domains: u32,
}

/// A transfer that is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Io<'a> {
    /// Between the memory of the machine and a device.
    Copy(&'a str, Direction),
    /// From a storage; none: the nearest.
    Read(Option<&'a str>),
    /// To a storage; none: the nearest.
    Write(Option<&'a str>),
}

impl<'a> Io<'a> {
    /// A copy, and its bytes.
    pub fn of_copy(copy: &DeviceCopy, names: &'a [String]) -> (Io<'a>, u64) {
        (Io::Copy(names[copy.device as usize].as_str(), copy.direction), copy.size)
    }

    /// The transfer of an operation, and its bytes; none: the operation is none.
    pub fn of(op: Op, names: &'a [String]) -> Option<(Io<'a>, u64)> {
        let name = |at: u32| names[at as usize].as_str();
        match op {
            Op::Read { storage, size } => Some((Io::Read(storage.map(name)), size)),
            Op::Write { storage, size } => Some((Io::Write(storage.map(name)), size)),
            _ => None,
        }
    }
}

/// The time of an I/O operation alone, and the resource that it shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IoCost {
    /// Seconds before bytes flow.
    pub latency_s: f64,
    /// Bytes per second, shared evenly among those at work.
    pub bandwidth: f64,
    /// What is shared: operations of the same number compete.
    pub resource: u32,
}

/// Queries of engines. All answers are independent of time: engines may cache them.
pub trait World: Sync {
    /// The place of a process.
    fn place(&self, process: u64) -> Place;
    /// Number of devices.
    fn devices(&self) -> u32;
    fn device(&self, device: DeviceId) -> Device;
    /// The device that a process means by a name; its own where that is empty.
    ///
    /// # Errors
    /// The machine has no such device.
    fn device_of(&self, process: u64, name: &str) -> Result<DeviceId, Problem>;
    /// How many copies a device makes at once.
    fn copy_engines(&self, device: DeviceId) -> u32 {
        let _ = device;
        COPY_ENGINES
    }
    /// The cost of a block at places of a class.
    ///
    /// # Errors
    /// Those of the formula.
    fn compute(&self, block: &Block, class: u32) -> Result<Cost, Problem>;
    /// Cores' worth of work done by this many computing threads on a device (docs/theory/sim.md, section 4). Below or at its
    /// cores this is `busy`, unless a rule says otherwise.
    ///
    /// # Errors
    /// Those of the formula.
    fn throughput(&self, device: DeviceId, busy: f64) -> Result<f64, Problem>;
    /// Whether blocks of the processes placed on this device may slow one another down; otherwise engines need not look at
    /// who computes when.
    fn shares(&self, device: DeviceId) -> bool;
    /// What a block asks of the cores and the memory that it shares, at places of a class.
    ///
    /// # Errors
    /// Those of the formula.
    fn demand(&self, block: &Block, class: u32) -> Result<Demand, Problem> {
        let _ = class;
        Ok(Demand { need: Need::Cores, threads: block.threads, seconds: 1.0 })
    }
    /// Where a device is in its node: devices of one node may slow one another down.
    fn node(&self, device: DeviceId) -> NodeSeat {
        NodeSeat { node: device, domain: 0, domains: 1 }
    }
    /// Appends the domains of a device of several that this many threads of a process run on, each with its threads.
    fn domains_of(&self, process: u64, device: DeviceId, threads: f64, domains: &mut Vec<(u32, f64)>) {
        let _ = process;
        domains.push((self.node(device).domain, threads));
    }
    /// Appends how fast blocks at work on a node progress: in the seconds of [`World::demand`] a second.
    ///
    /// # Errors
    /// `bad_throughput`: no progress; those of rules of the user.
    fn progress(&self, at_work: AtWork<'_>, rates: &mut Vec<f64>) -> Result<(), Problem> {
        let AtWork { node, running, .. } = at_work;
        let busy: f64 = running.iter().map(|one| one.count * one.threads).sum();
        let rate = if busy > 0.0 { node::positive(self.throughput(node, busy)?)? / busy } else { 1.0 };
        rates.resize(rates.len() + running.len(), rate);
        Ok(())
    }
    /// By how much a block takes longer than [`World::compute`] says when all who are placed on the node run the like.
    ///
    /// # Errors
    /// Those of [`World::progress`].
    fn crowded(&self, block: &Block, class: u32, device: DeviceId) -> Result<f64, Problem> {
        let _ = class;
        let placed = self.device(device).placed.max(block.threads);
        Ok(if placed > 0.0 { placed / node::positive(self.throughput(device, placed)?)? } else { 1.0 })
    }
    /// Whether [`World::draws`] ever gives anything.
    fn has_states(&self) -> bool {
        false
    }
    /// Appends what devices of a node with power states draw above their power at rest, in watts, while these blocks run.
    ///
    /// # Errors
    /// Those of rules of the user.
    fn draws(&self, at_work: AtWork<'_>, draws: &mut Vec<(DeviceId, f64)>) -> Result<(), Problem> {
        let _ = (at_work, draws);
        Ok(())
    }
    /// The same for a process, by component, while all who are placed on the node of a device run the like of a block.
    ///
    /// # Errors
    /// Those of [`World::draws`].
    fn draws_when_crowded(&self, block: &Block, class: u32, device: DeviceId) -> Result<Vec<(u32, f64)>, Problem> {
        let _ = (block, class, device);
        Ok(Vec::new())
    }
    /// A computing time with noise: `ordinal` counts the blocks of the process, so that draws do not depend on order.
    fn noisy(&self, seconds: f64, process: u64, ordinal: u64, spread: Option<Spread>) -> f64 {
        let _ = (process, ordinal, spread);
        seconds
    }
    /// Whether noise differs from process to process or block to block.
    fn is_noisy(&self) -> bool {
        false
    }
    /// A computing time that begins at a point of simulated time, with the interruptions that a trace lays there.
    /// Asked after [`World::noisy`], and only where [`World::has_trace`] says so.
    fn interrupted(&self, start_s: f64, seconds: f64, process: u64) -> f64 {
        let _ = (start_s, process);
        seconds
    }
    /// Whether [`World::interrupted`] ever changes anything.
    fn has_trace(&self) -> bool {
        false
    }
    /// The number of the volunteers that compute for places of a class, in [`World::crowds`]; none: a place computes itself.
    fn crowd(&self, class: u32) -> Option<u32> {
        let _ = class;
        None
    }
    /// All volunteers, by component.
    fn crowds(&self) -> &[Crowd] {
        &[]
    }
    /// Seconds of a message between places by a user's rule, instead of the network's.
    ///
    /// # Errors
    /// Those of the formula.
    fn message(&self, size: u64, from: &Place, to: &Place) -> Result<Option<f64>, Problem> {
        let _ = (size, from, to);
        Ok(None)
    }
    /// Whether [`World::message`] ever gives anything.
    fn has_message_rule(&self) -> bool {
        false
    }
    /// Factor on the time per byte when this many messages are under way at once; for the label level, where links are not
    /// followed.
    ///
    /// # Errors
    /// Those of the formula.
    fn contention(&self, concurrent: u64, size: u64, from: &Place, to: &Place) -> Result<f64, Problem> {
        let _ = (concurrent, size, from, to);
        Ok(1.0)
    }
    /// Whether [`World::contention`] ever gives anything but 1.
    fn has_contention_rule(&self) -> bool {
        false
    }
    /// Seconds that a rule of the user gives for an operation between labels (`p2p`, `one2one`, `scatter`, `gather`) as a
    /// whole; for the label level, where it is not its messages.
    ///
    /// # Errors
    /// Those of the formula.
    fn between_labels(&self, call: &LabelCall, from: &Place) -> Result<Option<f64>, Problem> {
        let _ = (call, from);
        Ok(None)
    }
    /// Seconds that a rule of the user gives for a collective of this many processes.
    ///
    /// # Errors
    /// Those of the formula.
    fn collective(&self, collective: &Collective, processes: u64) -> Result<Option<f64>, Problem> {
        let _ = (collective, processes);
        Ok(None)
    }
    /// Whether places of a class are on a device other than a processor.
    fn on_accelerator(&self, class: u32) -> bool {
        let _ = class;
        false
    }
    /// Whether [`World::on_accelerator`] ever says so.
    fn has_accelerators(&self) -> bool {
        false
    }
    /// Seconds for the reduction of a byte at places of a class (`hw.reduce_per_byte`).
    fn reduce_per_byte(&self, class: u32) -> f64 {
        let _ = class;
        0.0
    }
    /// The cost of an I/O operation.
    ///
    /// # Errors
    /// There is no such storage or device.
    fn io(&self, io: Io<'_>, size: u64, process: u64) -> Result<IoCost, Problem>;
}

/// One process a machine; a block takes its `time_s`, or a nanosecond an operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainWorld {
    /// Number of processes.
    pub processes: u32,
}

impl World for PlainWorld {
    fn place(&self, process: u64) -> Place {
        Place { machine: process as u32, device: process as u32, slot: 0, class: 0 }
    }

    fn devices(&self) -> u32 {
        self.processes
    }

    fn device(&self, device: DeviceId) -> Device {
        Device { machine: device, component: 0, cores: 1.0, placed: 1.0 }
    }

    fn device_of(&self, process: u64, _: &str) -> Result<DeviceId, Problem> {
        Ok(process as u32)
    }

    fn compute(&self, block: &Block, _: u32) -> Result<Cost, Problem> {
        Ok(Cost { seconds: block.time_s.unwrap_or(block.ops * 1e-9), spread: None })
    }

    fn throughput(&self, _: DeviceId, busy: f64) -> Result<f64, Problem> {
        Ok(busy)
    }

    fn shares(&self, _: DeviceId) -> bool {
        false
    }

    fn io(&self, _: Io<'_>, _: u64, _: u64) -> Result<IoCost, Problem> {
        Err(Problem::new("no_storage", "there is no storage, and no bus, without a system")
            .hint("give a system: --system FILE"))
    }
}
