//! Derives machines, links and routes from a system.

mod routes;
mod wires;

use super::{Network, System, TopologySpec};
use crate::platform::{Link, LinkId, NetworkLaw, Platform};
use crate::topology::{Bus, Common, Dragonfly, Explicit, FatTree, Inside, LinkKind, Star, Topology, Torus};
use routes::{Joined, Node, Routes};
use runcast_core::Problem;
use runcast_formula::nearest;
use wires::{Seats, Wires};

/// More links are not laid one by one: each has a name, and at `flow` a rate.
const MOST_LINKS: u64 = 1 << 22;

/// Between processes of a machine that has no network: a copy in memory.
pub(super) const COPY_BANDWIDTH: f64 = 5e9;
/// See [`COPY_BANDWIDTH`].
pub(super) const COPY_LATENCY_S: f64 = 0.5e-6;

/// How links are laid.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Laid {
    Each,
    OneOfAKind,
}

impl System {
    /// Its machines and links, with the networks that are chosen: pairs of the id of an aggregator and of a network of its.
    ///
    /// # Errors
    /// An unknown network; too many machines or links to lay each.
    pub fn platform(&self, chosen: &[(String, String)]) -> Result<Platform, Problem> {
        self.laid(chosen, Laid::Each)
    }

    /// The same with one link of each kind in place of all of them: ways have the same latency and bandwidth, but who
    /// shares links with whom cannot be seen. For engines that do not share links, however many machines there are.
    ///
    /// # Errors
    /// An unknown network; more than 2^32 machines.
    pub fn platform_unshared(&self, chosen: &[(String, String)]) -> Result<Platform, Problem> {
        self.laid(chosen, Laid::OneOfAKind)
    }

    /// The network of an aggregator that is used.
    ///
    /// # Errors
    /// An unknown network.
    pub fn network(&self, of: usize, chosen: &[(String, String)]) -> Result<Option<&Network>, Problem> {
        let id = &self.components[of].id;
        let Some((_, wanted)) = chosen.iter().find(|(group, _)| group == id) else {
            return Ok(self.networks_of(of).next());
        };
        if let Some(network) = self.networks_of(of).find(|network| network.id == *wanted) {
            return Ok(Some(network));
        }
        let names: Vec<&str> = self.networks_of(of).map(|network| network.id.as_str()).collect();
        let problem =
            Problem::new("unknown_network", format!("{id} has no network \"{wanted}\"")).value(wanted.as_str());
        let problem = problem.at(format!("use.{id}")).allowed(names.join(", "));
        Err(match nearest(wanted, names) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem,
        })
    }

    /// The network of a group that is used; of a machine, those that a message looks through for one that joins both its
    /// devices, in order.
    ///
    /// # Errors
    /// An unknown network.
    pub(crate) fn networks_used(&self, of: usize, chosen: &[(String, String)]) -> Result<Vec<&Network>, Problem> {
        let Some(first) = self.network(of, chosen)? else { return Ok(Vec::new()) };
        let mut all = vec![first];
        if first.between.is_some() {
            all.extend(self.networks_of(of).filter(|network| !std::ptr::eq(*network, first)));
            if let Some(last) = all.iter().position(|network| network.between.is_none()) {
                all.truncate(last + 1);
            }
        }
        Ok(all)
    }

    fn law_name(&self, network: &Network) -> String {
        let is_alone = self.networks.iter().filter(|other| other.id == network.id).count() == 1;
        match is_alone {
            true => network.id.clone(),
            false => format!("{}.{}", self.components[network.of].id, network.id),
        }
    }

    fn check_choice(&self, chosen: &[(String, String)]) -> Result<(), Problem> {
        for (group, _) in chosen {
            if self.find(group).is_some_and(|component| self.components[component].kind.is_aggregator()) {
                continue;
            }
            let problem =
                Problem::new("unknown_component", format!("\"{group}\" is not a group or machine of the system"));
            let groups = self.components.iter().filter(|component| component.kind.is_aggregator());
            let problem = problem.value(group.as_str()).at(format!("use.{group}"));
            return Err(match nearest(group, groups.map(|component| component.id.as_str())) {
                Some(near) => problem.hint(format!("did you mean {near}?")),
                None => problem,
            });
        }
        Ok(())
    }

    fn laid(&self, chosen: &[(String, String)], laid: Laid) -> Result<Platform, Problem> {
        self.check_choice(chosen)?;
        let machines = self.machine_count();
        let too_many = |what: &str, count: u64, most: u64| {
            let problem =
                Problem::new("too_large", format!("the system has {count} {what}")).in_file(self.file.as_str());
            problem.allowed(format!("at most {most}"))
        };
        if machines >= u64::from(u32::MAX) {
            return Err(too_many("machines", machines, u64::from(u32::MAX) - 1));
        }
        let mut builder = Builder {
            system: self,
            chosen,
            laid,
            links: Vec::new(),
            laws: Vec::new(),
            nodes: Vec::new(),
            hosts: self.hosts(),
        };
        if laid == Laid::Each {
            let links = builder.count()?;
            if links > MOST_LINKS {
                return Err(too_many("links", links, MOST_LINKS).hint("--fidelity loggops does not follow each link"));
            }
        }
        for component in 0..self.components.len() {
            builder.add(component)?;
        }
        let Builder { links, laws, nodes, .. } = builder;
        let routing = Box::new(Routes::new(nodes, laid == Laid::Each));
        Ok(Platform { machines: machines as u32, links, routing, laws })
    }
}

struct Builder<'s> {
    system: &'s System,
    chosen: &'s [(String, String)],
    laid: Laid,
    links: Vec<Link>,
    laws: Vec<NetworkLaw>,
    nodes: Vec<Node>,
    hosts: Vec<u64>,
}

impl<'s> Builder<'s> {
    /// Links of all networks.
    fn count(&self) -> Result<u64, Problem> {
        let mut sum = 0_u64;
        for component in 0..self.system.components.len() {
            if self.hosts[component] == 0 {
                continue;
            }
            for network in self.networks(component)? {
                let (topology, _) = self.topology(component, network);
                let planes =
                    network.and_then(Network::rails).filter(|rails| rails.planes).map_or(1, |rails| rails.count);
                let links = topology.links().saturating_mul(u64::from(planes));
                sum = sum.saturating_add(links.saturating_mul(self.system.components[component].total));
            }
        }
        Ok(sum)
    }

    /// The network of a group that is used; those inside a machine, the last of which joins all of it. None: what is assumed.
    fn networks(&self, component: usize) -> Result<Vec<Option<&'s Network>>, Problem> {
        let system = self.system;
        let mut all: Vec<Option<&Network>> =
            system.networks_used(component, self.chosen)?.into_iter().map(Some).collect();
        if !matches!(all.last(), Some(Some(network)) if network.between.is_none()) {
            all.push(None);
        }
        Ok(all)
    }

    /// Links and law of a network of a component.
    fn topology(&self, component: usize, network: Option<&Network>) -> (Topology, NetworkLaw) {
        let is_host = self.system.components[component].kind.is_host();
        let Some(network) = network else {
            let law = NetworkLaw::plain(format!("{} (assumed)", self.system.components[component].id));
            let copy =
                Common { bandwidth: COPY_BANDWIDTH, latency_s: COPY_LATENCY_S, shared: false, full_duplex: false };
            let topology = if is_host { Topology::Inside(Inside(copy)) } else { Topology::Ideal };
            return (topology, law);
        };
        let law = network.law(self.system.law_name(network));
        let link = Common {
            bandwidth: network.bandwidth(),
            latency_s: network.latency_s(),
            shared: network.shared() && network.bandwidth().is_finite(),
            full_duplex: network.full_duplex(),
        };
        let ports = match (&network.between, is_host) {
            (None, true) => return (Topology::Inside(Inside(link)), law),
            (Some(between), _) => between.iter().map(|&child| self.system.components[child].count as u32).sum(),
            (None, false) => {
                let rails = network.rails().filter(|rails| !rails.planes).map_or(1, |rails| rails.count);
                self.ports(component).saturating_mul(rails)
            }
        };
        let topology = match &network.topology {
            TopologySpec::Star { backbone } => Topology::Star(Star { ports, link, backbone: *backbone }),
            TopologySpec::Crossbar => Topology::Star(Star { ports, link, backbone: None }),
            TopologySpec::Bus => Topology::Bus(Bus(link)),
            TopologySpec::FatTree { down, up, links } => {
                Topology::FatTree(FatTree::new(down.clone(), up.clone(), links.clone(), link))
            }
            TopologySpec::Torus { dims } => Topology::Torus(Torus { dims: dims.clone(), link }),
            &TopologySpec::Dragonfly { groups, chassis, routers, nodes, group_links, chassis_links, router_links } => {
                Topology::Dragonfly(Dragonfly {
                    groups,
                    chassis,
                    routers,
                    nodes,
                    group_links,
                    chassis_links,
                    router_links,
                    link,
                })
            }
            TopologySpec::Explicit { .. } => Topology::Explicit(self.explicit(network)),
        };
        (topology, law)
    }

    /// Children with machines in them, instance by instance.
    fn ports(&self, component: usize) -> u32 {
        let children = self.system.children(component).filter(|&child| self.hosts[child] > 0);
        children.map(|child| self.system.components[child].count as u32).sum()
    }

    fn explicit(&self, network: &Network) -> Explicit {
        let TopologySpec::Explicit { links, routes } = &network.topology else {
            return Explicit { links: Vec::new(), routes: Default::default() };
        };
        super::network::explicit(self.system, network, links, routes)
    }

    fn add(&mut self, component: usize) -> Result<(), Problem> {
        let system = self.system;
        let this = &system.components[component];
        let mut node = Node { is_host: this.kind.is_host(), ..Node::default() };
        node.size = self.hosts[component];
        if node.size == 0 {
            self.nodes.push(node);
            return Ok(());
        }
        if !node.is_host {
            let (mut machine, mut port) = (0, 0);
            for child in system.children(component) {
                let size = self.hosts[child];
                if size == 0 {
                    continue;
                }
                let count = system.components[child].count;
                node.children.push(Joined {
                    node: child as u32,
                    first: machine as u32,
                    size: size as u32,
                    count: count as u32,
                    port: port as u32,
                });
                machine += size * count;
                port += count;
            }
        }
        if node.is_host {
            node.seats = Seats::new(system, component);
        }
        for network in self.networks(component)? {
            let wires = self.lay(component, network, &node);
            node.networks.push(wires);
        }
        self.nodes.push(node);
        Ok(())
    }

    /// Lays the links of a network in all instances of its component.
    fn lay(&mut self, component: usize, network: Option<&Network>, node: &Node) -> Wires {
        let (topology, law) = self.topology(component, network);
        let rails = network.and_then(Network::rails);
        let planes = rails.filter(|rails| rails.planes).map_or(1, |rails| rails.count);
        let of_plane = topology.links() as u32;
        let wires = Wires {
            first_link: self.links.len() as LinkId,
            of_plane,
            links: of_plane * planes,
            law: self.laws.len() as u32,
            through: network.is_some_and(|network| network.through),
            rails,
            ports: network.and_then(|network| network.between.as_deref()).map(|joined| node.seats.ports(joined)),
            topology,
        };
        let kinds = wires.topology.kinds();
        let link = |kind: &LinkKind, name: String| Link {
            name,
            network: wires.law,
            bandwidth: kind.bandwidth,
            latency_s: kind.latency_s,
            shared: kind.shared,
        };
        match self.laid {
            Laid::OneOfAKind => {
                self.links.extend(kinds.iter().map(|kind| link(kind, format!("{}: {}", law.name, kind.name))));
            }
            Laid::Each => {
                let between = network.and_then(|network| network.between.as_deref());
                let of_devices = between.map(|joined| joined_devices(self.system, joined));
                let children = of_devices.as_deref().unwrap_or(&node.children);
                let ports = PortNames { system: self.system, component, children };
                let of_port = rails.filter(|rails| !rails.planes).map_or(1, |rails| rails.count);
                let name = |port: u32| match of_port {
                    1 => ports.name(port),
                    _ => format!("{} rail {}", ports.name(port / of_port), port % of_port),
                };
                let total = self.system.components[component].total;
                for instance in 0..total {
                    let owner = if total == 1 { law.name.clone() } else { format!("{} {instance}", law.name) };
                    for local in 0..wires.links {
                        let (plane, local) = (local / of_plane.max(1), local % of_plane.max(1));
                        let plane = if planes == 1 { String::new() } else { format!(" rail {plane}") };
                        let kind = &kinds[wires.topology.kind_of(local) as usize];
                        let name = wires.topology.name(local, &name);
                        self.links.push(link(kind, format!("{owner}{plane}: {name}")));
                    }
                }
            }
        }
        self.laws.push(law);
        wires
    }
}

/// The devices that a network inside a machine joins, as its ports.
fn joined_devices(system: &System, joined: &[usize]) -> Vec<Joined> {
    let mut port = 0;
    let device = |&child: &usize| {
        let count = system.components[child].count as u32;
        port += count;
        Joined { node: child as u32, first: 0, size: 1, count, port: port - count }
    };
    joined.iter().map(device).collect()
}

/// Names of the ports of a network: `node 3`.
struct PortNames<'s> {
    system: &'s System,
    component: usize,
    children: &'s [Joined],
}

impl PortNames<'_> {
    fn name(&self, port: u32) -> String {
        match self.children.iter().rfind(|child| child.port <= port) {
            Some(child) if port - child.port < child.count => {
                let id = &self.system.components[child.node as usize].id;
                if child.count == 1 { id.clone() } else { format!("{id} {}", port - child.port) }
            }
            // A place of the topology that no child takes.
            _ => format!("{} port {port}", self.system.components[self.component].id),
        }
    }
}
