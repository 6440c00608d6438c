//! The way of a message: down the tree on both sides to the lowest common aggregator, its network, and on the way up those
//! networks that messages from inside pass.

use super::wires::{Seats, Wires};
use crate::platform::{Endpoint, LinkId, RailChoice, Rails, Routing};
use crate::system::network::RailSpec;

/// A component, with what routes need.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub is_host: bool,
    /// Machines in one instance.
    pub size: u64,
    pub children: Vec<Joined>,
    /// Its network; of a machine, those inside it, the last of which joins all.
    pub networks: Vec<Wires>,
    /// Devices of a machine.
    pub seats: Seats,
}

/// Children of one component.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joined {
    pub node: u32,
    /// First machine, counted in one instance of the parent.
    pub first: u32,
    /// Machines of one child.
    pub size: u32,
    pub count: u32,
    /// First port.
    pub port: u32,
}

#[derive(Debug)]
pub(super) struct Routes {
    nodes: Vec<Node>,
    /// Whether each link is there, or one of each kind.
    each: bool,
    has_rails: bool,
    classes: Option<Classes>,
}

/// Where a machine is below an aggregator.
#[derive(Clone, Copy)]
struct Step {
    node: u32,
    instance: u32,
    /// Number of the machine in that instance.
    rest: u32,
    /// Port of the instance.
    port: u32,
}

/// Where two ends part.
#[derive(Clone, Copy)]
enum Common {
    /// In a machine.
    Host { node: u32, instance: u32 },
    /// In an aggregator.
    Group { node: u32, instance: u32, from: Step, to: Step },
}

impl Routes {
    pub(super) fn new(nodes: Vec<Node>, each: bool) -> Self {
        let classes = Classes::new(&nodes);
        let has_rails = nodes.iter().flat_map(|node| &node.networks).any(|network| network.rails.is_some());
        Routes { nodes, each, has_rails, classes }
    }

    /// The child that a machine is in.
    #[inline]
    fn step(&self, node: &Node, instance: u32, machine: u32) -> Step {
        let child = match node.children.as_slice() {
            [only] => only,
            children => {
                let after = children.partition_point(|child| child.first <= machine);
                &children[after.saturating_sub(1)]
            }
        };
        let within = machine - child.first;
        let (index, rest) = if child.size == 1 { (within, 0) } else { (within / child.size, within % child.size) };
        Step { node: child.node, instance: instance * child.count + index, rest, port: child.port + index }
    }

    #[inline]
    fn common(&self, from: Endpoint, to: Endpoint) -> Common {
        let (mut at, mut instance, mut from, mut to) = (0, 0, from.machine, to.machine);
        loop {
            let node = &self.nodes[at as usize];
            if node.is_host {
                return Common::Host { node: at, instance };
            }
            let (a, b) = (self.step(node, instance, from), self.step(node, instance, to));
            if a.port != b.port {
                return Common::Group { node: at, instance, from: a, to: b };
            }
            (at, instance, from, to) = (a.node, a.instance, a.rest, b.rest);
        }
    }

    /// From a machine up to the outside of a component.
    fn leave(&self, step: Step, slot: u32, rail: Option<u32>, links: &mut Vec<LinkId>) {
        let node = &self.nodes[step.node as usize];
        if node.is_host {
            if let Some((network, port)) = node.networks.iter().find_map(|network| network.out_of(slot)) {
                network.topology.leave(port, &mut |local| links.push(network.number(self.each, step.instance, local)));
            }
            return;
        }
        let below = self.step(node, step.instance, step.rest);
        self.leave(below, slot, rail, links);
        for network in node.networks.iter().filter(|network| network.through) {
            let (port, first) = network.railed(below.port, self.own_rail(network, below, slot, rail));
            let push = &mut |local| links.push(network.number(self.each, step.instance, first + local));
            network.topology.leave(port, push);
        }
    }

    /// From the outside of a component down to a machine.
    fn enter(&self, step: Step, slot: u32, rail: Option<u32>, links: &mut Vec<LinkId>) {
        let node = &self.nodes[step.node as usize];
        if node.is_host {
            if let Some((network, port)) = node.networks.iter().find_map(|network| network.out_of(slot)) {
                network.topology.enter(port, &mut |local| links.push(network.number(self.each, step.instance, local)));
            }
            return;
        }
        let below = self.step(node, step.instance, step.rest);
        for network in node.networks.iter().filter(|network| network.through) {
            let (port, first) = network.railed(below.port, self.own_rail(network, below, slot, rail));
            let push = &mut |local| links.push(network.number(self.each, step.instance, first + local));
            network.topology.enter(port, push);
        }
        self.enter(below, slot, rail, links);
    }

    /// The rail that an end takes in a network that its message passes.
    fn own_rail(&self, network: &Wires, step: Step, slot: u32, rail: Option<u32>) -> u32 {
        let Some(rails) = network.rails else { return 0 };
        let affine = || self.nodes[self.host(step) as usize].seats.rail(slot, rails.count);
        rail.map_or_else(|| affine().unwrap_or(0), |rail| rail % rails.count)
    }

    /// How messages from a device of a machine choose.
    fn choice(&self, rails: RailSpec, from: Step, slot: u32) -> RailChoice {
        rails.choice.unwrap_or_else(|| match self.nodes[self.host(from) as usize].seats.is_accelerator(slot) {
            true => RailChoice::Affinity,
            false => RailChoice::Load,
        })
    }

    /// The rails that two ends usually take.
    fn usual(&self, rails: RailSpec, (a, from): (Step, Endpoint), (b, to): (Step, Endpoint)) -> (u32, u32) {
        let spread = (from.machine % rails.count + to.machine % rails.count) % rails.count;
        if self.choice(rails, a, from.slot) != RailChoice::Affinity {
            return (spread, spread);
        }
        let rail = |step: Step, slot: u32| self.nodes[self.host(step) as usize].seats.rail(slot, rails.count);
        match (rail(a, from.slot), rail(b, to.slot)) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => {
                let only = one.or(other).unwrap_or(spread);
                (only, only)
            }
        }
    }

    /// Inside the machine of a sender to the device whose rail it is; its links.
    fn cross(&self, step: Step, slot: u32, rails: RailSpec, rail: u32, links: &mut Vec<LinkId>) {
        let node = &self.nodes[step.node as usize];
        let Some(other) = node.seats.on_rail(slot, rail, rails.count).filter(|_| node.is_host) else { return };
        if let Some((network, from, to)) = node.networks.iter().find_map(|network| network.between(slot, other)) {
            let push = &mut |local| links.push(network.number(self.each, step.instance, local));
            network.topology.route(from, to, push);
        }
    }
}

impl Routing for Routes {
    fn route(&self, from: Endpoint, to: Endpoint, rail: Option<u32>, links: &mut Vec<LinkId>) -> u32 {
        let (at, instance, a, b) = match self.common(from, to) {
            Common::Host { node, instance } => {
                let (network, from, to) = self.nodes[node as usize].inside(from.slot, to.slot);
                let push = &mut |local| links.push(network.number(self.each, instance, local));
                network.topology.route(from, to, push);
                return network.law;
            }
            Common::Group { node, instance, from, to } => (node, instance, from, to),
        };
        let network = &self.nodes[at as usize].networks[0];
        let (mut own, mut other) = (0, 0);
        if let Some(rails) = network.rails {
            (own, other) = match rail {
                Some(rail) => (rail % rails.count, rail % rails.count),
                None => self.usual(rails, (a, from), (b, to)),
            };
            if rails.planes && own != other {
                self.cross(a, from.slot, rails, other, links);
                own = other;
            }
        }
        self.leave(a, from.slot, rail, links);
        let ((start, first), (end, _)) = (network.railed(a.port, own), network.railed(b.port, other));
        let push = &mut |local| links.push(network.number(self.each, instance, first + local));
        network.topology.route(start, end, push);
        self.enter(b, to.slot, rail, links);
        network.law
    }

    fn class(&self, from: Endpoint, to: Endpoint) -> Option<u32> {
        let classes = self.classes.as_ref()?;
        match self.common(from, to) {
            Common::Host { node, .. } => Some(classes.same[node as usize]),
            Common::Group { node, from, to, .. } => {
                let (host_a, host_b) = (self.host(from), self.host(to));
                let topology = &self.nodes[node as usize].networks[0].topology;
                Some(classes.base(node, host_a, host_b) + topology.class(from.port, to.port)?)
            }
        }
    }

    fn rails(&self, from: Endpoint, to: Endpoint) -> Option<Rails> {
        if !self.has_rails {
            return None;
        }
        let Common::Group { node, instance, from: a, to: b } = self.common(from, to) else { return None };
        let network = &self.nodes[node as usize].networks[0];
        let rails = network.rails?;
        let port = |step: Step| u64::from(network.number(true, instance, 0)) << 32 | u64::from(step.port);
        Some(Rails {
            count: rails.count,
            choice: self.choice(rails, a, from.slot),
            usual: self.usual(rails, (a, from), (b, to)).0,
            ports: (port(a), port(b)),
        })
    }
}

impl Node {
    /// The network between two devices of a machine, and their ports.
    fn inside(&self, from: u32, to: u32) -> (&Wires, u32, u32) {
        let joining = self.networks.iter().find_map(|network| network.joins(from, to));
        // The last joins all.
        joining.unwrap_or((&self.networks[self.networks.len() - 1], 0, 0))
    }
}

impl Routes {
    /// The component of the machine that a step leads to.
    fn host(&self, mut step: Step) -> u32 {
        loop {
            let node = &self.nodes[step.node as usize];
            if node.is_host {
                return step.node;
            }
            step = self.step(node, step.instance, step.rest);
        }
    }
}

/// Numbers of classes of pairs: by the aggregator where they meet, the components of both machines, and the class that
/// its topology reports.
#[derive(Debug)]
struct Classes {
    /// Inside a machine, by component.
    same: Vec<u32>,
    /// Number of each component among the machines.
    hosts: Vec<u32>,
    /// First class by aggregator and both machines.
    bases: Vec<u32>,
    count: usize,
}

impl Classes {
    /// None where some ways depend on the pair alone, or there are too many kinds of machines to remember them by.
    fn new(nodes: &[Node]) -> Option<Self> {
        const MOST: usize = 1 << 20;
        let count = nodes.iter().filter(|node| node.is_host).count();
        let depends = nodes.iter().filter(|node| node.size > 0).any(|node| match node.is_host {
            true => node.networks.iter().any(|network| network.ports.is_some()),
            false => {
                let network = &node.networks[0];
                network.topology.classes() == 0 && node.size > 1 || network.through && !network.topology.is_even()
            }
        });
        if depends || nodes.len().saturating_mul(count.saturating_mul(count)) > MOST {
            return None;
        }
        let mut next = 0_u32;
        let mut same = vec![0; nodes.len()];
        let mut hosts = vec![0; nodes.len()];
        for (index, (at, _)) in nodes.iter().enumerate().filter(|(_, node)| node.is_host).enumerate() {
            hosts[at] = index as u32;
            same[at] = next;
            next += 1;
        }
        let mut bases = vec![0; nodes.len() * count * count];
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| !node.is_host && node.size > 0) {
            for base in &mut bases[at * count * count..(at + 1) * count * count] {
                *base = next;
                next = next.checked_add(node.networks[0].topology.classes())?;
            }
        }
        Some(Classes { same, hosts, bases, count })
    }

    fn base(&self, at: u32, a: u32, b: u32) -> u32 {
        let (a, b) = (self.hosts[a as usize] as usize, self.hosts[b as usize] as usize);
        self.bases[(at as usize * self.count + a) * self.count + b]
    }
}
