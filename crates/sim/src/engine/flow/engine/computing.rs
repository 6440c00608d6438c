//! Blocks on devices whose cores may be shared (spec 2.4), and copies from and to storages.

use super::process::Busy;
use super::{Run, What};
use crate::application::Op;
use crate::flow::pool::{Pool, amount};
use crate::outcome::{Activity, DeviceAccount};
use crate::tick::{Tick, TickLength};
use crate::world::{Cost, Io, World};
use runcast_core::Problem;
use runcast_core::hash::MixMap;
use std::collections::HashMap;

/// Devices, storages and buses.
#[derive(Debug, Default)]
pub struct Computing {
    devices: Vec<Device>,
    resources: HashMap<u32, Shared>,
    /// Costs that were asked for, by block and class of places.
    costs: MixMap<(u32, u32), Cost>,
    ended: Vec<u32>,
}

/// Who works side by side, in seconds of work.
#[derive(Debug, Default)]
pub struct Shared {
    pool: Pool,
    joined: u64,
    /// Sequence number of the event of the next end: earlier ones are no longer true.
    due: u64,
    at_work: u32,
}

#[derive(Debug)]
struct Device {
    /// None: everybody has cores of their own.
    shared: Option<Box<Shared>>,
    threads: f64,
    since: Tick,
    account: DeviceAccount,
}

impl Device {
    /// Counts the computing threads up to now.
    fn count(&mut self, now: Tick) {
        let ticks = u128::from(now - self.since);
        self.since = now;
        if ticks == 0 || self.threads <= 0.0 {
            return;
        }
        let computing = &mut self.account.computing;
        match computing.binary_search_by(|(threads, _)| threads.total_cmp(&self.threads)) {
            Ok(at) => computing[at].1 += ticks,
            Err(at) => computing.insert(at, (self.threads, ticks)),
        }
    }
}

impl Shared {
    fn join(&mut self, now: Tick, seconds: f64, who: u32, tick: TickLength) {
        self.pool.advance(now, tick);
        self.joined += 1;
        self.at_work += 1;
        self.pool.join(amount(seconds), self.joined, who);
    }

    /// Who ends now.
    fn ended(&mut self, now: Tick, tick: TickLength, ended: &mut Vec<u32>) {
        self.pool.advance(now, tick);
        ended.clear();
        while let Some((_, _, who)) = self.pool.pop_ended(tick, |_| true) {
            ended.push(who);
            self.at_work -= 1;
        }
    }

    /// From now on each progresses so fast: when the next one ends.
    fn set_rate(&mut self, rate: f64, tick: TickLength) -> Option<Tick> {
        self.due = 0;
        if self.at_work == 0 {
            self.pool.clear();
            return None;
        }
        self.pool.set_rate(rate);
        self.pool.next(tick, |_| true)
    }
}

impl Computing {
    /// The devices of a world.
    pub fn new(world: &dyn World) -> Self {
        let device = |number| Device {
            shared: world.shares(number).then(Box::default),
            threads: 0.0,
            since: 0,
            account: DeviceAccount::default(),
        };
        Computing { devices: (0..world.devices()).map(device).collect(), ..Computing::default() }
    }

    /// A thread of a device was blocked for so long.
    pub fn blocked(&mut self, device: u32, ticks: Tick) {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.account.blocked += u128::from(ticks);
        }
    }

    /// The accounts, up to the end.
    pub fn accounts(&mut self, end: Tick) -> Vec<DeviceAccount> {
        for device in &mut self.devices {
            device.count(end.max(device.since));
        }
        self.devices.drain(..).map(|device| device.account).collect()
    }
}

impl Run<'_> {
    /// A process computes a block.
    pub(super) fn compute(&mut self, own: u32, block: u32) -> Result<(), Problem> {
        let world = self.job.world;
        let process = &mut self.processes[own as usize];
        let class = process.place.class;
        let described = &self.application.blocks[block as usize];
        let cost = match self.computing.costs.get(&(block, class)) {
            Some(cost) => *cost,
            None => {
                let cost = world.compute(described, class)?;
                self.computing.costs.insert((block, class), cost);
                cost
            }
        };
        let mut seconds = world.noisy(cost.seconds, u64::from(own), process.blocks, cost.spread);
        process.blocks += 1;
        if world.has_trace() {
            seconds = world.interrupted(self.tick.to_seconds(self.now), seconds, u64::from(own));
        }
        let number = if described.device.is_empty() {
            process.place.device
        } else {
            world.device_of(u64::from(own), described)?
        };
        let threads = described.threads;
        // An end that does not fit is an error here, rather than one that never comes.
        let ticks = self.tick.of(seconds)?;
        let device = &mut self.computing.devices[number as usize];
        let busy = Busy::Computes { device: number, threads };
        if ticks == 0 {
            return Ok(());
        }
        device.count(self.now);
        device.threads += threads;
        if let Some(shared) = &mut device.shared {
            shared.join(self.now, seconds, own, self.tick);
            process.busy = busy;
            return self.device_changed(number);
        }
        let at = self.later(ticks)?;
        self.busy_until(own, at, busy);
        Ok(())
    }

    /// A block is over.
    pub(super) fn end_compute(&mut self, own: u32, device: u32, threads: f64) {
        let process = &self.processes[own as usize];
        let ticks = self.now - process.since;
        self.accounts.labels[process.cursor.label() as usize].thread_ticks += ticks as f64 * threads;
        let device = &mut self.computing.devices[device as usize];
        device.count(self.now);
        device.threads -= threads;
        self.account(own, Activity::Compute, None);
    }

    /// Others compute on a device than before.
    fn device_changed(&mut self, number: u32) -> Result<(), Problem> {
        let device = &mut self.computing.devices[number as usize];
        let Some(shared) = &mut device.shared else { return Ok(()) };
        let mut rate = 1.0;
        if device.threads > 0.0 {
            rate = self.job.world.throughput(number, device.threads)? / device.threads;
        }
        if !(rate.is_finite() && rate > 0.0) {
            return Err(Problem::new("bad_throughput", "a device with computing threads must make progress")
                .value(rate.to_string())
                .hint("see the rule for `throughput`"));
        }
        if let Some(at) = shared.set_rate(rate, self.tick) {
            if at == Tick::MAX {
                return Err(self.tick.overflow());
            }
            let due = self.post(at, What::Device(number));
            if let Some(shared) = &mut self.computing.devices[number as usize].shared {
                shared.due = due;
            }
        }
        Ok(())
    }

    /// The first blocks on a device may be over.
    pub(super) fn device_event(&mut self, number: u32, sequence: u64) -> Result<(), Problem> {
        let Some(shared) = &mut self.computing.devices[number as usize].shared else { return Ok(()) };
        if shared.due != sequence {
            return Ok(());
        }
        let mut ended = std::mem::take(&mut self.computing.ended);
        shared.ended(self.now, self.tick, &mut ended);
        // All stop before any goes on: whoever starts again shares with those that are left.
        for own in &ended {
            let process = &mut self.processes[*own as usize];
            if let Busy::Computes { device, threads } = std::mem::replace(&mut process.busy, Busy::Free) {
                self.end_compute(*own, device, threads);
            }
            self.ready.push_back(*own);
        }
        self.computing.ended = ended;
        self.device_changed(number)
    }

    /// A process copies, reads or writes: latency first.
    pub(super) fn copy(&mut self, own: u32, op: Op) -> Result<(), Problem> {
        let names = &self.application.names;
        let name = |at: u32| names[at as usize].as_str();
        let (io, size) = match op {
            Op::Copy { to, size } => (Io::Copy(name(to)), size),
            Op::Read { storage, size } => (Io::Read(storage.map(name)), size),
            Op::Write { storage, size } => (Io::Write(storage.map(name)), size),
            _ => return Ok(()),
        };
        let cost = self.job.world.io(io, size, u64::from(own))?;
        let seconds = size as f64 / cost.bandwidth;
        self.tick.of(seconds)?;
        let at = self.later(self.tick.of(cost.latency_s)?)?;
        self.busy_until(own, at, Busy::Latency { resource: cost.resource, seconds });
        Ok(())
    }

    /// Bytes flow.
    pub(super) fn share_resource(&mut self, own: u32, resource: u32, seconds: f64) -> Result<(), Problem> {
        let shared = self.computing.resources.entry(resource).or_default();
        shared.join(self.now, seconds, own, self.tick);
        self.processes[own as usize].busy = Busy::Copies;
        self.resource_changed(resource)
    }

    fn resource_changed(&mut self, number: u32) -> Result<(), Problem> {
        let shared = self.computing.resources.entry(number).or_default();
        let rate = 1.0 / f64::from(shared.at_work.max(1));
        if let Some(at) = shared.set_rate(rate, self.tick) {
            if at == Tick::MAX {
                return Err(self.tick.overflow());
            }
            let due = self.post(at, What::Resource(number));
            self.computing.resources.entry(number).or_default().due = due;
        }
        Ok(())
    }

    /// The first copies may be over.
    pub(super) fn resource_event(&mut self, number: u32, sequence: u64) -> Result<(), Problem> {
        let shared = self.computing.resources.entry(number).or_default();
        if shared.due != sequence {
            return Ok(());
        }
        let mut ended = std::mem::take(&mut self.computing.ended);
        shared.ended(self.now, self.tick, &mut ended);
        for own in &ended {
            self.processes[*own as usize].busy = Busy::Free;
            self.account(*own, Activity::Io, None);
            self.ready.push_back(*own);
        }
        self.computing.ended = ended;
        self.resource_changed(number)
    }
}
