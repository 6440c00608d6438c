//! A network with its links numbered, and the devices of machines that it joins.

use crate::platform::LinkId;
use crate::system::network::RailSpec;
use crate::system::{Kind, System};
use crate::topology::{Local, Port, Topology};

/// The links of a network.
#[derive(Debug, Default)]
pub(super) struct Wires {
    pub topology: Topology,
    pub first_link: LinkId,
    /// How many links each instance has, those of all planes.
    pub links: u32,
    /// Those of one plane.
    pub of_plane: u32,
    pub law: u32,
    /// Whether messages from inside to outside pass it.
    pub through: bool,
    pub rails: Option<RailSpec>,
    /// Of one inside a machine: the port of each device. None: one link for all.
    pub ports: Option<Vec<Option<Port>>>,
}

impl Wires {
    /// Number of a link: of each, or one of its kind.
    #[inline]
    pub(super) fn number(&self, each: bool, instance: u32, local: Local) -> LinkId {
        match each {
            true => self.first_link + instance * self.links + local,
            false => self.first_link + self.topology.kind_of(local % self.of_plane.max(1)),
        }
    }

    /// The port of a child on a rail, and the first link of its plane.
    #[inline]
    pub(super) fn railed(&self, port: Port, rail: u32) -> (Port, Local) {
        match self.rails {
            None => (port, 0),
            Some(rails) if rails.planes => (port, rail * self.of_plane),
            Some(rails) => (port * rails.count + rail, 0),
        }
    }

    fn port(&self, slot: u32) -> Option<Port> {
        match &self.ports {
            None => Some(0),
            Some(ports) => ports.get(slot as usize).copied().flatten(),
        }
    }

    /// If it joins two devices, or processes on one.
    pub(super) fn joins(&self, from: u32, to: u32) -> Option<(&Wires, Port, Port)> {
        if self.ports.is_some() && from == to {
            return None;
        }
        Some((self, self.port(from)?, self.port(to)?))
    }

    /// If it gives devices ports of their own, and joins these two.
    pub(super) fn between(&self, from: u32, to: u32) -> Option<(&Wires, Port, Port)> {
        self.joins(from, to).filter(|_| self.ports.is_some())
    }

    /// If messages of a device pass it on their way out of the machine.
    pub(super) fn out_of(&self, slot: u32) -> Option<(&Wires, Port)> {
        Some((self, self.port(slot).filter(|_| self.through)?))
    }
}

/// The devices of a machine, in order.
#[derive(Debug, Default)]
pub(super) struct Seats(Vec<Seat>);

#[derive(Debug, Clone, Copy)]
struct Seat {
    component: usize,
    /// Number among the devices of its component, and how many these are.
    nth: u32,
    of: u32,
    is_accelerator: bool,
}

impl Seats {
    pub(super) fn new(system: &System, machine: usize) -> Self {
        let devices = system.devices(machine);
        let mut seats: Vec<Seat> = Vec::with_capacity(devices.len());
        for &component in &devices {
            let nth = match seats.last() {
                Some(last) if last.component == component => last.nth + 1,
                _ => 0,
            };
            let is_accelerator = component != machine && system.components[component].kind != Kind::Cpu;
            let of = system.components[component].count as u32;
            seats.push(Seat { component, nth, of, is_accelerator });
        }
        Seats(seats)
    }

    pub(super) fn is_accelerator(&self, slot: u32) -> bool {
        self.0.get(slot as usize).is_some_and(|seat| seat.is_accelerator)
    }

    /// The rail of a device: of device i of D, floor(i R / D).
    pub(super) fn rail(&self, slot: u32, rails: u32) -> Option<u32> {
        self.0.get(slot as usize).map(|seat| seat.rail(rails))
    }

    /// The first device like this one that has a rail.
    pub(super) fn on_rail(&self, slot: u32, rail: u32, rails: u32) -> Option<u32> {
        let own = self.0.get(slot as usize)?;
        let fits = |seat: &Seat| seat.component == own.component && seat.rail(rails) == rail;
        self.0.iter().position(fits).map(|slot| slot as u32)
    }

    /// Ports of the devices of some components, in order.
    pub(super) fn ports(&self, joined: &[usize]) -> Vec<Option<Port>> {
        let mut next = 0;
        let port = |seat: &Seat| {
            let joins = joined.contains(&seat.component);
            next += u32::from(joins);
            joins.then(|| next - 1)
        };
        self.0.iter().map(port).collect()
    }
}

impl Seat {
    fn rail(&self, rails: u32) -> u32 {
        (u64::from(self.nth) * u64::from(rails) / u64::from(self.of.max(1))) as u32
    }
}
