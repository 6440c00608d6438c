//! Stretches of machines that hold identical processes: there are few of them, however many machines.

use super::Placement;
use crate::platform::MachineId;

/// Machines of one component that follow one another and hold identical processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    pub first: MachineId,
    pub count: u32,
    /// Component: a machine or a volunteer.
    pub component: usize,
    /// What sits on each machine, in order.
    pub parts: Vec<Part>,
}

/// Processes of one piece on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    /// Which piece of the placement.
    pub(super) piece: u32,
    /// Label of the processes.
    pub label: u32,
    /// Component of the device; none: the processors.
    pub device: Option<usize>,
    /// Processes before these on the machine that sit on the same kind of device.
    pub before: u64,
    pub count: u64,
}

impl Zone {
    /// Processes on a machine.
    pub fn processes(&self) -> u64 {
        self.parts.iter().map(|part| part.count).sum()
    }

    /// Processes on a machine that sit on this kind of device.
    pub fn in_group(&self, device: Option<usize>) -> u64 {
        self.parts.iter().filter(|part| part.device == device).map(|part| part.count).sum()
    }
}

pub(super) fn zones(placement: &Placement) -> Vec<Zone> {
    // Where stretches begin and end: (machine, ends first, piece, processes).
    let mut events: Vec<(u64, bool, u32, u64)> = Vec::new();
    for (index, piece) in placement.pieces.iter().enumerate() {
        for (first, machines, count) in piece.stretches(&placement.hosts) {
            events.push((u64::from(first), true, index as u32, count));
            events.push((u64::from(first) + u64::from(machines), false, index as u32, count));
        }
    }
    for run in &placement.runs {
        events.push((u64::from(run.first_machine), true, u32::MAX, 0));
    }
    events.sort_unstable();
    let mut zones: Vec<Zone> = Vec::new();
    let mut active: Vec<(u32, u64)> = Vec::new();
    let mut runs = placement.runs.iter();
    let mut run = runs.next();
    let mut next = 0;
    while next < events.len() {
        let at = events[next].0;
        while let Some(event) = events.get(next).filter(|event| event.0 == at) {
            match *event {
                (_, _, u32::MAX, _) => {}
                (_, true, piece, count) => active.push((piece, count)),
                (_, false, piece, count) => {
                    if let Some(found) = active.iter().position(|one| *one == (piece, count)) {
                        active.swap_remove(found);
                    }
                }
            }
            next += 1;
        }
        while let Some(current) = run
            && at >= u64::from(current.first_machine) + u64::from(current.machines)
        {
            run = runs.next();
        }
        let Some(current) = run else { break };
        let end = u64::from(current.first_machine) + u64::from(current.machines);
        let until = events.get(next).map_or(end, |event| event.0).min(end);
        if until > at {
            active.sort_unstable();
            let parts = parts(placement, &active);
            zones.push(Zone { first: at as u32, count: (until - at) as u32, component: current.component, parts });
        }
    }
    zones
}

fn parts(placement: &Placement, active: &[(u32, u64)]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(active.len());
    for (piece, count) in active {
        let found = &placement.pieces[*piece as usize];
        let before = parts.iter().filter(|part| part.device == found.device).map(|part| part.count).sum();
        parts.push(Part { piece: *piece, label: found.label, device: found.device, before, count: *count });
    }
    parts
}
