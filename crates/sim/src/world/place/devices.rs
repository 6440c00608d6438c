//! The computing devices of a machine, and the core that a process gets.

use crate::platform::MachineId;
use crate::system::{Kind, System};

/// A device of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slot {
    /// Its component: a processor, another device, or the machine itself where it names none.
    pub component: usize,
    pub cores: f64,
    /// Whether processes are placed on it by default.
    pub is_default: bool,
}

/// The devices of one kind of machine, in the order of the tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineDevices {
    /// One entry a device.
    pub slots: Vec<Slot>,
}

pub(super) static NONE: MachineDevices = MachineDevices { slots: Vec::new() };

/// Devices by number: those of identical machines that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceRun {
    /// Component of the machines.
    pub component: usize,
    pub first_machine: MachineId,
    pub machines: u32,
    /// Number of the first device.
    pub first: u32,
    /// Devices of a machine.
    pub each: u32,
}

/// The devices of a machine or a volunteer; none: the component is something else.
pub fn machine_devices(system: &System, component: usize) -> Option<MachineDevices> {
    let machine = &system.components[component];
    let cores = |component: usize| system.components[component].attributes.get("cores").unwrap_or(1.0).max(1.0);
    if !machine.kind.is_host() {
        return None;
    }
    let devices = system.devices(component);
    // Processors where there are any; a machine of accelerators alone runs its processes there.
    let is_cpu = |device: usize| system.components[device].kind == Kind::Cpu;
    let has_cpu = devices.iter().any(|device| is_cpu(*device));
    let slot = |device: usize| Slot { component: device, cores: cores(device), is_default: !has_cpu || is_cpu(device) };
    Some(MachineDevices { slots: devices.into_iter().map(slot).collect() })
}

pub(super) fn runs(system: &System, kinds: &[Option<MachineDevices>]) -> Vec<DeviceRun> {
    let mut first = 0_u32;
    let mut runs = Vec::new();
    for run in system.machines() {
        let each = kinds[run.component].as_ref().map_or(0, |devices| devices.slots.len() as u32);
        runs.push(DeviceRun { component: run.component, first_machine: run.first, machines: run.count, first, each });
        first = first.saturating_add(run.count.saturating_mul(each));
    }
    runs
}

impl MachineDevices {
    /// Cores of the processors.
    pub fn cores(&self) -> f64 {
        self.group(None).map(|(_, slot)| slot.cores).sum()
    }

    /// How many processes there are without two on a core (of processors), or on a device (of others).
    pub fn units(&self, device: Option<usize>) -> u64 {
        (self.group(device).map(|(_, slot)| width(slot)).sum::<f64>() as u64).max(1)
    }

    /// The device of the nth process of `total` on a kind of device.
    #[inline]
    pub(super) fn slot(&self, device: Option<usize>, nth: u64, total: u64) -> u32 {
        let core = self.core(device, nth, total);
        let mut until = 0.0;
        let mut last = 0;
        for (index, slot) in self.group(device) {
            last = index as u32;
            until += width(slot);
            if core < until {
                break;
            }
        }
        last
    }

    /// The number of the first process after the nth that may sit on another device.
    pub(super) fn stretch(&self, device: Option<usize>, nth: u64, total: u64) -> u64 {
        let own = self.slot(device, nth, total);
        // Devices are taken in order, so that the last process of one is found by bisection.
        let (mut low, mut high) = (nth + 1, total.max(nth + 1));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.slot(device, middle, total) == own {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The core of the nth process of `total`: one each, or its share when there are more.
    fn core(&self, device: Option<usize>, nth: u64, total: u64) -> f64 {
        let cores: f64 = self.group(device).map(|(_, slot)| width(slot)).sum();
        if total as f64 <= cores { nth as f64 } else { (nth as f64 * cores / total as f64).floor() }
    }

    fn group(&self, device: Option<usize>) -> impl Iterator<Item = (usize, &Slot)> {
        self.slots.iter().enumerate().filter(move |(_, slot)| match device {
            Some(component) => slot.component == component,
            None => slot.is_default,
        })
    }
}

/// Processes on a device without two of them sharing: its cores, or the whole device where it is not a processor.
fn width(slot: &Slot) -> f64 {
    if slot.is_default { slot.cores.floor().max(1.0) } else { 1.0 }
}
