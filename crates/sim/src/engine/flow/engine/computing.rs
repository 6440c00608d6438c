//! Blocks on devices whose cores may be shared, and copies from and to storages.

use super::process::Busy;
use super::{Run, What};
use crate::application::{Op, Task};
use crate::engine::kernel::device::{Device, Shared};
use crate::engine::kernel::node::{Begins, Node};
use crate::engine::kernel::rule::BlockCosts;
use crate::engine::kernel::streams::{Launches, Who};
use crate::outcome::{Activity, DeviceAccount};
use crate::tick::Tick;
use crate::world::{Io, World};
use runcast_core::Problem;
use runcast_core::hash::MixMap;

/// Devices, storages and buses.
#[derive(Debug, Default)]
pub struct Computing {
    devices: Vec<Device>,
    /// Nodes whose blocks may slow one another down, by their first device.
    nodes: MixMap<u32, Node>,
    resources: MixMap<u32, Shared>,
    costs: BlockCosts,
    ended: Vec<u32>,
}

impl Computing {
    /// The devices of a world.
    pub fn new(world: &dyn World) -> Self {
        let devices = (0..world.devices()).map(|device| Device::new(world.shares(device))).collect();
        Computing { devices, ..Computing::default() }
    }

    /// A thread of a device was blocked for so long.
    pub fn blocked(&mut self, device: u32, ticks: Tick) {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.account.blocked += u128::from(ticks);
        }
    }

    /// The accounts, up to the end.
    pub fn accounts(&mut self) -> Vec<DeviceAccount> {
        self.devices.iter_mut().for_each(Device::finish);
        for (device, watt_ticks) in self.nodes.values().flat_map(Node::drawn) {
            self.devices[*device as usize].account.drawn += watt_ticks;
        }
        self.devices.drain(..).map(|device| device.account).collect()
    }
}

impl Run<'_> {
    /// A process computes a block.
    pub(super) fn compute(&mut self, own: u32, block: u32) -> Result<(), Problem> {
        let described = &self.application.blocks[block as usize];
        let place = self.processes[own as usize].place;
        let device = match described.device.as_str() {
            "" => place.device,
            name => self.job.world.device_of(u64::from(own), name)?,
        };
        let (threads, stream) = (described.threads, (device, described.stream));
        if self.streams.is_at_work(own, stream) {
            return self.begin_task(own, Task::Block(block), None);
        }
        let seconds = self.block_seconds(own, block)?;
        // An end that does not fit is an error here, rather than one that never comes.
        let ticks = self.tick.of(seconds)?;
        if ticks == 0 {
            return Ok(());
        }
        if let Some(crowd) = self.crowd_of(own) {
            self.processes[own as usize].busy = Busy::AtVolunteers;
            return self.hand_out(Who::Process(own), own, crowd, (ticks, threads));
        }
        let busy = Busy::Computes { device, threads };
        if self.computing.devices[device as usize].shares {
            self.processes[own as usize].busy = busy;
            return self.begin_on_node(Who::Process(own), own, (device, block), seconds);
        }
        let at = self.tick.add(self.now, ticks)?;
        self.computing.devices[device as usize].compute(self.now, at, threads);
        self.busy_until(own, at, busy);
        Ok(())
    }

    /// Seconds of the next block of a process, with noise.
    pub(super) fn block_seconds(&mut self, own: u32, block: u32) -> Result<f64, Problem> {
        let world = self.job.world;
        let process = &mut self.processes[own as usize];
        let cost = self.computing.costs.of(world, self.application, block, process.place.class)?;
        let mut seconds = world.noisy(cost.seconds, u64::from(own), process.blocks, cost.spread);
        process.blocks += 1;
        if world.has_trace() {
            seconds = world.interrupted(self.tick.to_seconds(self.now), seconds, u64::from(own));
        }
        Ok(seconds)
    }

    /// A block begins on a device where others may slow it down.
    pub(super) fn begin_on_node(
        &mut self,
        who: Who,
        own: u32,
        (device, block): (u32, u32),
        seconds: f64,
    ) -> Result<(), Problem> {
        let world = self.job.world;
        let class = self.processes[own as usize].place.class;
        let account = &mut self.computing.devices[device as usize];
        account.count(self.now);
        account.busy += self.application.blocks[block as usize].threads;
        let demand = self.computing.costs.demand(world, self.application, block, class)?;
        let work = seconds / self.tick.seconds();
        let node = world.node(device).node;
        let shared = self.computing.nodes.entry(node).or_default();
        shared.advance(self.now);
        shared.begin(world, self.now, &demand, Begins { own, who: who.number(), block, class, device, work });
        self.node_changed(node)
    }

    /// A block is over.
    pub(super) fn end_compute(&mut self, own: u32, device: u32, threads: f64) {
        let since = self.processes[own as usize].since;
        self.stop_threads(own, since, device, threads);
        self.account(own, Activity::Compute, None);
    }

    /// Threads that computed for a process since some time do so no more.
    pub(super) fn stop_threads(&mut self, own: u32, since: Tick, device: u32, threads: f64) {
        let label = self.processes[own as usize].cursor.label() as usize;
        self.accounts.labels[label].thread_ticks += (self.now - since) as f64 * threads;
        let device = &mut self.computing.devices[device as usize];
        if device.shares {
            device.count(self.now);
            device.busy -= threads;
        }
    }

    /// Others compute on a node than before.
    fn node_changed(&mut self, number: u32) -> Result<(), Problem> {
        let node = self.computing.nodes.entry(number).or_default();
        let tick = self.tick;
        let next =
            node.changed(self.job.world, number, &self.application.blocks, &self.computing.costs.answered, &|| {
                tick.overflow()
            })?;
        let version = node.version;
        if let Some(at) = next {
            self.post(at, What::Node(number, version));
        }
        Ok(())
    }

    /// The first blocks on a node may be over.
    pub(super) fn node_event(&mut self, number: u32, version: u32) -> Result<(), Problem> {
        let node = self.computing.nodes.entry(number).or_default();
        if node.version != version {
            return Ok(());
        }
        let mut ended = std::mem::take(&mut self.computing.ended);
        node.advance(self.now);
        node.ended(self.now, &mut ended);
        let is_idle = node.is_idle();
        // All stop before any continues: a process that starts again shares with those that are left.
        for number in &ended {
            let device = match Who::of(*number) {
                Who::Process(own) => {
                    let busy = std::mem::replace(&mut self.processes[own as usize].busy, Busy::Free);
                    self.ready.push_back(own);
                    let Busy::Computes { device, threads } = busy else { continue };
                    self.end_compute(own, device, threads);
                    device
                }
                Who::Task(task) => self.stop_task(task),
            };
            if is_idle {
                // What rounding left of threads that are no whole numbers.
                self.computing.devices[device as usize].busy = 0.0;
            }
        }
        for number in &ended {
            if let Who::Task(task) = Who::of(*number) {
                self.end_task(task)?;
            }
        }
        self.computing.ended = ended;
        self.node_changed(number)
    }

    /// A process reads or writes: latency first.
    pub(super) fn begin_io(&mut self, own: u32, op: Op) -> Result<(), Problem> {
        let Some((io, size)) = Io::of(op, &self.application.names) else { return Ok(()) };
        let cost = self.job.world.io(io, size, u64::from(own))?;
        let seconds = size as f64 / cost.bandwidth;
        self.tick.of(seconds)?;
        let at = self.later(self.tick.of(cost.latency_s)?)?;
        self.busy_until(own, at, Busy::Latency { resource: cost.resource, seconds });
        Ok(())
    }

    /// Bytes flow.
    pub(super) fn share_resource(&mut self, who: Who, resource: u32, seconds: f64) -> Result<(), Problem> {
        let shared = self.computing.resources.entry(resource).or_default();
        shared.advance(self.now);
        shared.add(seconds / self.tick.seconds(), who.number());
        if let Who::Process(own) = who {
            self.processes[own as usize].busy = Busy::Copies;
        }
        self.resource_changed(resource)
    }

    fn resource_changed(&mut self, number: u32) -> Result<(), Problem> {
        let shared = self.computing.resources.entry(number).or_default();
        if shared.at_work() == 0 {
            return Ok(());
        }
        let Some(at) = shared.set_rate(1.0 / shared.at_work() as f64) else { return Err(self.tick.overflow()) };
        let version = shared.version;
        self.post(at, What::Resource(number, version));
        Ok(())
    }

    /// The first copies may be over.
    pub(super) fn resource_event(&mut self, number: u32, version: u32) -> Result<(), Problem> {
        let shared = self.computing.resources.entry(number).or_default();
        if shared.version != version {
            return Ok(());
        }
        let mut ended = std::mem::take(&mut self.computing.ended);
        shared.advance(self.now);
        shared.ended(&mut ended);
        for number in &ended {
            match Who::of(*number) {
                Who::Process(own) => {
                    self.processes[own as usize].busy = Busy::Free;
                    self.account(own, Activity::Io, None);
                    self.ready.push_back(own);
                }
                Who::Task(task) => self.end_task(task)?,
            }
        }
        self.computing.ended = ended;
        self.resource_changed(number)
    }
}
