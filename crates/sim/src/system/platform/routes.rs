//! The way of a message: down the tree on both sides to the lowest common aggregator, its network, and on the way up those
//! networks that messages from inside pass.

use crate::platform::{LinkId, MachineId, Routing};
use crate::topology::Topology;

/// A component, with what routes need.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub is_host: bool,
    /// Machines in one instance.
    pub size: u64,
    pub children: Vec<Joined>,
    pub topology: Topology,
    /// Its network's first link, and how many each instance has.
    pub first_link: LinkId,
    pub links: u32,
    pub law: u32,
    pub through: bool,
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

impl Routes {
    pub(super) fn new(nodes: Vec<Node>, each: bool) -> Self {
        let classes = Classes::new(&nodes);
        Routes { nodes, each, classes }
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
    fn number(&self, node: &Node, instance: u32, local: u32) -> LinkId {
        match self.each {
            true => node.first_link + instance * node.links + local,
            false => node.first_link + node.topology.kind_of(local),
        }
    }

    /// From a machine up to the outside of a component.
    fn leave(&self, step: Step, links: &mut Vec<LinkId>) {
        let node = &self.nodes[step.node as usize];
        if node.is_host {
            if node.through {
                node.topology.leave(0, &mut |local| links.push(self.number(node, step.instance, local)));
            }
            return;
        }
        let below = self.step(node, step.instance, step.rest);
        self.leave(below, links);
        if node.through {
            node.topology.leave(below.port, &mut |local| links.push(self.number(node, step.instance, local)));
        }
    }

    /// From the outside of a component down to a machine.
    fn enter(&self, step: Step, links: &mut Vec<LinkId>) {
        let node = &self.nodes[step.node as usize];
        if node.is_host {
            if node.through {
                node.topology.enter(0, &mut |local| links.push(self.number(node, step.instance, local)));
            }
            return;
        }
        let below = self.step(node, step.instance, step.rest);
        if node.through {
            node.topology.enter(below.port, &mut |local| links.push(self.number(node, step.instance, local)));
        }
        self.enter(below, links);
    }
}

impl Routing for Routes {
    fn route(&self, from: MachineId, to: MachineId, links: &mut Vec<LinkId>) -> u32 {
        let (mut at, mut instance, mut from, mut to) = (0, 0, from, to);
        loop {
            let node = &self.nodes[at as usize];
            if node.is_host {
                node.topology.route(0, 0, &mut |local| links.push(self.number(node, instance, local)));
                return node.law;
            }
            let (a, b) = (self.step(node, instance, from), self.step(node, instance, to));
            if a.port == b.port {
                (at, instance, from, to) = (a.node, a.instance, a.rest, b.rest);
                continue;
            }
            self.leave(a, links);
            node.topology.route(a.port, b.port, &mut |local| links.push(self.number(node, instance, local)));
            self.enter(b, links);
            return node.law;
        }
    }

    fn class(&self, from: MachineId, to: MachineId) -> Option<u32> {
        let classes = self.classes.as_ref()?;
        let (mut at, mut instance, mut from, mut to) = (0, 0, from, to);
        loop {
            let node = &self.nodes[at as usize];
            if node.is_host {
                return Some(classes.same[at as usize]);
            }
            let (a, b) = (self.step(node, instance, from), self.step(node, instance, to));
            if a.port == b.port {
                (at, instance, from, to) = (a.node, a.instance, a.rest, b.rest);
                continue;
            }
            let (host_a, host_b) = (self.host(a), self.host(b));
            return Some(classes.base(at, host_a, host_b) + node.topology.class(a.port, b.port)?);
        }
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
        let used = |node: &&Node| !node.is_host && node.size > 0;
        let depends = nodes
            .iter()
            .filter(used)
            .any(|node| node.topology.classes() == 0 && node.size > 1 || node.through && !node.topology.is_even());
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
                next = next.checked_add(node.topology.classes())?;
            }
        }
        Some(Classes { same, hosts, bases, count })
    }

    fn base(&self, at: u32, a: u32, b: u32) -> u32 {
        let (a, b) = (self.hosts[a as usize] as usize, self.hosts[b as usize] as usize);
        self.bases[(at as usize * self.count + a) * self.count + b]
    }
}
