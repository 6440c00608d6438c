//! Copies over the bus of a machine; reads and writes of storages.

use super::SystemWorld;
use super::class::is_called;
use crate::application::Direction;
use crate::system::{Kind, Network, TopologySpec};
use crate::world::{Io, IoCost};
use runcast_core::Problem;

/// Where a machine has no network of its own: the speed of a copy in memory, as between its processes.
const BUS_BANDWIDTH: f64 = 5e9;
/// See [`BUS_BANDWIDTH`].
const BUS_LATENCY_S: f64 = 0.5e-6;

impl SystemWorld {
    pub(super) fn io_cost(&self, io: Io<'_>, size: u64, process: u64) -> Result<IoCost, Problem> {
        let _ = size;
        match io {
            Io::Copy(device, direction) => self.copy(device, direction, process),
            Io::Read(storage) => self.storage(storage, "read_bandwidth", process),
            Io::Write(storage) => self.storage(storage, "write_bandwidth", process),
        }
    }

    /// Between the memory of a machine and a device, over the network that joins them: its bus, or its first one. All copies
    /// of a direction share it, unless it says that they do not; on one of half duplex, those of both.
    fn copy(&self, device: &str, direction: Direction, process: u64) -> Result<IoCost, Problem> {
        let machine = self.machine(process);
        let component = self.placement.zones()[self.placement.zone_of(machine)].component;
        let known = self.system.children(component).any(|child| is_called(&self.system.components[child], device));
        if !known {
            return Err(self.no_device(component, device));
        }
        let is_processor = |child: &usize| self.system.components[*child].kind == Kind::Cpu;
        let joins_host =
            |network: &&Network| network.between.as_ref().is_none_or(|between| between.iter().any(is_processor));
        let mut buses =
            self.system.networks_of(component).filter(|network| matches!(network.topology, TopologySpec::Bus));
        let Some(bus) = buses.next().or_else(|| self.system.networks_of(component).find(joins_host)) else {
            let resource = resource(machine, false, direction == Direction::FromDevice);
            return Ok(IoCost { latency_s: BUS_LATENCY_S, bandwidth: BUS_BANDWIDTH, resource });
        };
        let is_back = bus.full_duplex() && direction == Direction::FromDevice;
        let resource =
            if bus.shared() { resource(machine, false, is_back) } else { resource(process as u32, true, is_back) };
        Ok(IoCost { latency_s: bus.latency_s(), bandwidth: bus.bandwidth(), resource })
    }

    /// The storage of this name that is nearest: in the machine, else in the aggregators around it, from inside out.
    fn storage(&self, name: Option<&str>, key: &str, process: u64) -> Result<IoCost, Problem> {
        let machine = self.machine(process);
        let path = self.tree.path(machine);
        let components = &self.system.components;
        for (around, instance) in path.iter().rev() {
            let found = self.system.children(*around).find(|&child| {
                components[child].kind == Kind::Storage && name.is_none_or(|name| components[child].id == name)
            });
            let Some(storage) = found else { continue };
            let attributes = &components[storage].attributes;
            let bandwidth = attributes.get(key).or_else(|| attributes.get("bandwidth")).ok_or_else(|| {
                let message = format!("the speed of the storage {} is unknown", components[storage].id);
                Problem::new("unknown_speed", message).at(key).hint(format!("give it set = {{ {key} = \"..GB/s\" }}"))
            })?;
            // Disks that stand side by side are one, as fast as all of them.
            let bandwidth = bandwidth * components[storage].count as f64;
            let resource = self.first_storage(storage).saturating_add(*instance as u32);
            return Ok(IoCost { latency_s: attributes.get("latency").unwrap_or(0.0), bandwidth, resource });
        }
        let known: Vec<&str> = components
            .iter()
            .filter(|component| component.kind == Kind::Storage)
            .map(|component| component.id.as_str())
            .collect();
        let message = match name {
            Some(name) => format!("no storage {name} is near the process"),
            None => "there is no storage near the process".to_owned(),
        };
        let mut problem = Problem::new("no_storage", message);
        if let Some(name) = name {
            problem = problem.value(name);
            problem.hint =
                runcast_formula::nearest(name, known.iter().copied()).map(|near| format!("did you mean {near}?"));
        }
        Err(if known.is_empty() {
            problem.hint("describe one: a component with kind = \"storage\"")
        } else {
            problem.allowed(known.join(", "))
        })
    }

    /// Number of the first resource of a storage: behind the buses of all machines, and the storages before it.
    fn first_storage(&self, storage: usize) -> u32 {
        let machines = self.system.machine_count();
        let components = &self.system.components;
        let before = components[..storage].iter().filter(|component| component.kind == Kind::Storage);
        let instances = before.map(|component| component.total / component.count.max(1));
        instances.fold(machines, u64::saturating_add).min(u64::from(BACK - 1)) as u32
    }
}

/// Numbers of buses back from devices.
const BACK: u32 = 1 << 30;
/// Numbers of buses that nobody shares.
const OWN: u32 = 1 << 31;

/// The number of the bus of a machine, or of one that a process has to itself.
fn resource(number: u32, is_own: bool, is_back: bool) -> u32 {
    number % BACK + u32::from(is_own) * OWN + u32::from(is_back) * BACK
}
