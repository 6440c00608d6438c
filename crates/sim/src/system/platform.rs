//! From a system to machines, links and routes.

mod routes;

use super::{Network, System, TopologySpec};
use crate::platform::{Link, LinkId, NetworkLaw, Platform};
use crate::topology::{Bus, Common, Dragonfly, Explicit, FatTree, Inside, Star, Topology, Torus};
use routes::{Joined, Node, Routes};
use runcast_core::Problem;
use runcast_formula::nearest;

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

    /// The network that a link of a platform of this system belongs to; none: what was assumed.
    pub fn link_owner(&self, platform: &Platform, link: LinkId) -> Option<usize> {
        let law = platform.links.get(link as usize)?.network;
        let name = &platform.laws.get(law as usize)?.name;
        self.networks.iter().position(|network| self.law_name(network) == *name)
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

impl Builder<'_> {
    /// Links of all networks.
    fn count(&self) -> Result<u64, Problem> {
        let mut sum = 0_u64;
        for component in 0..self.system.components.len() {
            if self.hosts(component) > 0 {
                let (topology, _, _) = self.topology(component)?;
                sum = sum.saturating_add(topology.links().saturating_mul(self.system.components[component].total));
            }
        }
        Ok(sum)
    }

    /// Machines in one instance of a component.
    fn hosts(&self, component: usize) -> u64 {
        self.hosts[component]
    }

    /// Links, law and whether messages from inside pass it.
    fn topology(&self, component: usize) -> Result<(Topology, NetworkLaw, bool), Problem> {
        let is_host = self.system.components[component].kind.is_host();
        let Some(network) = self.system.network(component, self.chosen)? else {
            let law = NetworkLaw::plain(format!("{} (assumed)", self.system.components[component].id));
            let copy =
                Common { bandwidth: COPY_BANDWIDTH, latency_s: COPY_LATENCY_S, shared: false, full_duplex: false };
            let topology = if is_host { Topology::Inside(Inside(copy)) } else { Topology::Ideal };
            return Ok((topology, law, false));
        };
        let law = network.law(self.system.law_name(network));
        let link = Common {
            bandwidth: network.bandwidth(),
            latency_s: network.latency_s(),
            shared: network.shared() && network.bandwidth().is_finite(),
            full_duplex: network.full_duplex(),
        };
        if is_host {
            return Ok((Topology::Inside(Inside(link)), law, network.through));
        }
        let ports = self.ports(component);
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
        Ok((topology, law, network.through))
    }

    /// Children with machines in them, instance by instance.
    fn ports(&self, component: usize) -> u32 {
        let children = self.system.children(component).filter(|&child| self.hosts(child) > 0);
        children.map(|child| self.system.components[child].count as u32).sum()
    }

    fn explicit(&self, network: &Network) -> Explicit {
        let TopologySpec::Explicit { links, routes } = &network.topology else {
            return Explicit { links: Vec::new(), routes: Default::default() };
        };
        super::network::explicit(self.system, network.of, links, routes)
    }

    fn add(&mut self, component: usize) -> Result<(), Problem> {
        let system = self.system;
        let this = &system.components[component];
        let mut node = Node { is_host: this.kind.is_host(), ..Node::default() };
        node.size = self.hosts(component);
        if node.size == 0 {
            self.nodes.push(node);
            return Ok(());
        }
        if !node.is_host {
            let (mut machine, mut port) = (0, 0);
            for child in system.children(component) {
                let size = self.hosts(child);
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
        let (topology, law, through) = self.topology(component)?;
        node.law = self.laws.len() as u32;
        node.first_link = self.links.len() as u32;
        node.links = topology.links() as u32;
        node.through = through;
        let kinds = topology.kinds();
        match self.laid {
            Laid::OneOfAKind => {
                for kind in &kinds {
                    self.links.push(Link {
                        name: format!("{}: {}", law.name, kind.name),
                        network: node.law,
                        bandwidth: kind.bandwidth,
                        latency_s: kind.latency_s,
                        shared: kind.shared,
                    });
                }
            }
            Laid::Each => {
                let ports = PortNames { system, component, children: &node.children };
                for instance in 0..this.total {
                    let owner = match this.total {
                        1 => law.name.clone(),
                        _ => format!("{} {instance}", law.name),
                    };
                    for link in 0..node.links {
                        let kind = &kinds[topology.kind_of(link) as usize];
                        self.links.push(Link {
                            name: format!("{owner}: {}", topology.name(link, &|port| ports.name(port))),
                            network: node.law,
                            bandwidth: kind.bandwidth,
                            latency_s: kind.latency_s,
                            shared: kind.shared,
                        });
                    }
                }
            }
        }
        self.laws.push(law);
        node.topology = topology;
        self.nodes.push(node);
        Ok(())
    }
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
