//! Idealized worlds and platforms: the most that a better network or faster processors could save.

use crate::application::{Block, Collective};
use crate::platform::{NetworkLaw, NoLinks, Platform};
use crate::volunteer::Crowd;
use crate::world::node::AtWork;
use crate::world::{Cost, Demand, Device, DeviceId, Io, IoCost, LabelCall, NodeSeat, Place, Spread, World};
use runcast_core::Problem;

/// A network without latency, overheads and limits, between as many machines.
pub(super) fn network(like: &Platform) -> Platform {
    Platform {
        machines: like.machines,
        links: Vec::new(),
        routing: Box::new(NoLinks),
        laws: vec![NetworkLaw::plain("ideal")],
    }
}

/// What is left out of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Without {
    /// Rules of the user for messages and collectives.
    Network,
    /// The time of computing.
    Compute,
}

/// A world without something.
pub(super) struct Ideal<'a> {
    pub world: &'a dyn World,
    pub without: Without,
}

impl Ideal<'_> {
    fn free(&self) -> bool {
        self.without == Without::Compute
    }
}

impl World for Ideal<'_> {
    fn place(&self, process: u64) -> Place {
        self.world.place(process)
    }

    fn devices(&self) -> u32 {
        self.world.devices()
    }

    fn device(&self, device: DeviceId) -> Device {
        self.world.device(device)
    }

    fn device_of(&self, process: u64, name: &str) -> Result<DeviceId, Problem> {
        self.world.device_of(process, name)
    }

    fn copy_engines(&self, device: DeviceId) -> u32 {
        self.world.copy_engines(device)
    }

    fn compute(&self, block: &Block, class: u32) -> Result<Cost, Problem> {
        if self.free() { Ok(Cost { seconds: 0.0, spread: None }) } else { self.world.compute(block, class) }
    }

    fn throughput(&self, device: DeviceId, busy: f64) -> Result<f64, Problem> {
        if self.free() { Ok(busy) } else { self.world.throughput(device, busy) }
    }

    fn shares(&self, device: DeviceId) -> bool {
        !self.free() && self.world.shares(device)
    }

    fn demand(&self, block: &Block, class: u32) -> Result<Demand, Problem> {
        self.world.demand(block, class)
    }

    fn node(&self, device: DeviceId) -> NodeSeat {
        self.world.node(device)
    }

    fn domains_of(&self, process: u64, device: DeviceId, threads: f64, domains: &mut Vec<(u32, f64)>) {
        self.world.domains_of(process, device, threads, domains);
    }

    fn progress(&self, at_work: AtWork<'_>, rates: &mut Vec<f64>) -> Result<(), Problem> {
        self.world.progress(at_work, rates)
    }

    fn crowded(&self, block: &Block, class: u32, device: DeviceId) -> Result<f64, Problem> {
        if self.free() { Ok(1.0) } else { self.world.crowded(block, class, device) }
    }

    fn has_states(&self) -> bool {
        !self.free() && self.world.has_states()
    }

    fn draws(&self, at_work: AtWork<'_>, draws: &mut Vec<(DeviceId, f64)>) -> Result<(), Problem> {
        self.world.draws(at_work, draws)
    }

    fn draws_when_crowded(&self, block: &Block, class: u32, device: DeviceId) -> Result<Vec<(u32, f64)>, Problem> {
        self.world.draws_when_crowded(block, class, device)
    }

    fn noisy(&self, seconds: f64, process: u64, ordinal: u64, spread: Option<Spread>) -> f64 {
        if self.free() { 0.0 } else { self.world.noisy(seconds, process, ordinal, spread) }
    }

    fn crowd(&self, class: u32) -> Option<u32> {
        if self.free() { None } else { self.world.crowd(class) }
    }

    fn crowds(&self) -> &[Crowd] {
        self.world.crowds()
    }

    fn is_noisy(&self) -> bool {
        !self.free() && self.world.is_noisy()
    }

    fn interrupted(&self, start_s: f64, seconds: f64, process: u64) -> f64 {
        if self.free() { 0.0 } else { self.world.interrupted(start_s, seconds, process) }
    }

    fn has_trace(&self) -> bool {
        !self.free() && self.world.has_trace()
    }

    fn message(&self, size: u64, from: &Place, to: &Place) -> Result<Option<f64>, Problem> {
        if self.free() { self.world.message(size, from, to) } else { Ok(None) }
    }

    fn has_message_rule(&self) -> bool {
        self.free() && self.world.has_message_rule()
    }

    fn contention(&self, concurrent: u64, size: u64, from: &Place, to: &Place) -> Result<f64, Problem> {
        if self.free() { self.world.contention(concurrent, size, from, to) } else { Ok(1.0) }
    }

    fn has_contention_rule(&self) -> bool {
        self.free() && self.world.has_contention_rule()
    }

    fn between_labels(&self, call: &LabelCall, from: &Place) -> Result<Option<f64>, Problem> {
        if self.free() { self.world.between_labels(call, from) } else { Ok(None) }
    }

    fn collective(&self, collective: &Collective, processes: u64) -> Result<Option<f64>, Problem> {
        if self.free() { self.world.collective(collective, processes) } else { Ok(None) }
    }

    fn reduce_per_byte(&self, class: u32) -> f64 {
        if self.free() { 0.0 } else { self.world.reduce_per_byte(class) }
    }

    fn io(&self, io: Io<'_>, size: u64, process: u64) -> Result<IoCost, Problem> {
        self.world.io(io, size, process)
    }
}
