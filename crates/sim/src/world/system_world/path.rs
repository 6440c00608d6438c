//! From the number of a machine to the components that it is in.

use crate::platform::{Endpoint, MachineId};
use crate::system::System;
use runcast_core::Problem;

/// The tree of a system, so that numbers of machines can be followed down.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Network in use, by component; of a machine those inside it, in order.
    networks: Vec<Vec<Used>>,
}

/// A network in use.
#[derive(Debug, Clone)]
struct Used {
    network: usize,
    /// Of one that joins devices of a machine: which of them.
    joined: Option<Vec<bool>>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    /// Machines in one instance.
    size: u64,
    count: u64,
    is_host: bool,
    children: Vec<usize>,
}

impl Tree {
    pub(super) fn new(system: &System, chosen: &[(String, String)]) -> Result<Self, Problem> {
        let mut nodes: Vec<Node> = system
            .components
            .iter()
            .map(|component| Node { count: component.count, is_host: component.kind.is_host(), ..Node::default() })
            .collect();
        // Children are behind their parents.
        for index in (0..nodes.len()).rev() {
            if nodes[index].is_host {
                nodes[index].size = 1;
            }
            nodes[index].children.reverse();
            if let Some(parent) = system.components[index].parent {
                let size = nodes[index].size.saturating_mul(nodes[index].count);
                nodes[parent].size = nodes[parent].size.saturating_add(if nodes[parent].is_host { 0 } else { size });
                nodes[parent].children.push(index);
            }
        }
        let used = |of: usize| -> Result<Vec<Used>, Problem> {
            let number = |used: &crate::system::Network| {
                let network = system.networks.iter().position(|network| std::ptr::eq(network, used))?;
                let devices = |joined: &Vec<usize>| {
                    system.devices(of).iter().map(|device| joined.contains(device)).collect::<Vec<bool>>()
                };
                Some(Used { network, joined: used.between.as_ref().map(devices) })
            };
            Ok(system.networks_used(of, chosen)?.into_iter().filter_map(number).collect())
        };
        let networks = (0..nodes.len()).map(used).collect::<Result<_, _>>()?;
        Ok(Tree { nodes, networks })
    }

    /// The components that a machine is in, from the root to itself, each with its number among all of them.
    pub(super) fn path(&self, machine: MachineId) -> Vec<(usize, u64)> {
        let mut path = Vec::with_capacity(8);
        if self.nodes.is_empty() {
            return path;
        }
        let (mut at, mut instance, mut rest) = (0, 0_u64, u64::from(machine));
        loop {
            path.push((at, instance));
            if self.nodes[at].is_host {
                return path;
            }
            let mut found = None;
            for &child in &self.nodes[at].children {
                let node = &self.nodes[child];
                let size = node.size.saturating_mul(node.count);
                if rest < size {
                    found = Some(child);
                    break;
                }
                rest -= size;
            }
            let Some(child) = found else { return path };
            let node = &self.nodes[child];
            instance = instance.saturating_mul(node.count).saturating_add(rest / node.size.max(1));
            rest %= node.size.max(1);
            at = child;
        }
    }

    /// The network that messages between two ends use: that of their lowest common aggregator; in a machine the first that
    /// joins both devices.
    pub(super) fn network_between(&self, from: Endpoint, to: Endpoint) -> Option<usize> {
        let (above, other) = (self.path(from.machine), self.path(to.machine));
        let common = above.iter().zip(&other).take_while(|(one, other)| one == other).last()?;
        let has = |joined: &Vec<bool>, slot: u32| joined.get(slot as usize).copied().unwrap_or(false);
        let joins = |used: &&Used| match &used.joined {
            None => true,
            Some(joined) => from.slot != to.slot && has(joined, from.slot) && has(joined, to.slot),
        };
        self.networks[common.0.0].iter().find(joins).map(|used| used.network)
    }

    /// The network that a component uses.
    pub(super) fn network(&self, of: usize) -> Option<usize> {
        self.networks.get(of)?.first().map(|used| used.network)
    }
}
