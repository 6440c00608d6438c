//! A network as a system file describes it.

use super::{Kind, Parts, System};
use crate::attributes::Attributes;
use crate::platform::{LogGops, NetworkLaw, RailChoice, Segment};
use crate::topology::{LinkKind, OUTSIDE};
use std::collections::HashMap;

/// A network that joins the children of an aggregator.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Its id: that of its aggregator, unless it has its own.
    pub id: String,
    /// The component whose children it joins.
    pub of: usize,
    /// Of a machine: the children whose devices have a port each. None: one link for all that is in the machine.
    pub between: Option<Vec<usize>>,
    /// Catalogue entry.
    pub hardware: Option<String>,
    /// Those of its entry, with its own in their place.
    pub attributes: Attributes,
    /// The keys of these that are its own.
    pub own: Vec<String>,
    /// What these were made of.
    pub parts: Parts,
    /// How its links are laid.
    pub topology: TopologySpec,
    /// What it does to messages by their size.
    pub segments: Vec<Segment>,
    /// Whether messages from inside to outside pass it.
    pub through: bool,
    /// Line in the file.
    pub line: u64,
}

/// Several ports of each child of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RailSpec {
    pub count: u32,
    /// How messages choose; none: by the device of the sender, or by load where it is on none.
    pub choice: Option<RailChoice>,
    /// Whether each is a network of its own.
    pub planes: bool,
}

/// Messages of this many bytes and more are striped, unless the network says otherwise.
const STRIPE_MIN: f64 = 1024.0 * 1024.0;

/// How the links of a network are laid.
#[derive(Debug, Clone, PartialEq)]
pub enum TopologySpec {
    /// One link per child to one switch, with a backbone that all share or none.
    Star {
        /// Bandwidth in bytes per second, latency in seconds.
        backbone: Option<(f64, f64)>,
    },
    /// As a star, without a backbone.
    Crossbar,
    /// One link that all share, in both directions together.
    Bus,
    /// Levels of switches, from the leaves up.
    FatTree {
        /// Children of a switch, by level.
        down: Vec<u32>,
        /// Parents of a node, by level.
        up: Vec<u32>,
        /// Parallel cables between a child and a parent, by level.
        links: Vec<u32>,
    },
    /// A grid closed in every dimension, the first running fastest.
    Torus { dims: Vec<u32> },
    /// Groups of chassis of routers, all pairs of a level joined.
    Dragonfly {
        groups: u32,
        /// Chassis in a group.
        chassis: u32,
        /// Routers in a chassis.
        routers: u32,
        /// Machines at a router.
        nodes: u32,
        /// Parallel cables between two groups.
        group_links: u32,
        /// Parallel cables between two chassis.
        chassis_links: u32,
        /// Parallel cables between two routers of a chassis.
        router_links: u32,
    },
    /// Each link and route by name.
    Explicit { links: Vec<ExplicitLink>, routes: Vec<ExplicitRoute> },
}

/// A link of an explicit topology.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplicitLink {
    pub id: String,
    /// Bytes per second.
    pub bandwidth: f64,
    /// Seconds.
    pub latency_s: f64,
    /// Whether messages share it.
    pub shared: bool,
    /// Whether each direction has the bandwidth for itself.
    pub full_duplex: bool,
}

/// A route of an explicit topology.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplicitRoute {
    /// From a child: `a`, `node[3]`, or the aggregator itself: from outside.
    pub from: String,
    /// To a child, or the aggregator itself: to outside.
    pub to: String,
    /// Links: an index into the links, and whether it is passed against its direction.
    pub links: Vec<(u32, bool)>,
    /// Whether the way back is not the same links in reverse.
    pub one_way: bool,
    /// Line in the file.
    pub line: u64,
}

impl TopologySpec {
    /// Its name in files.
    pub fn word(&self) -> &'static str {
        match self {
            TopologySpec::Star { .. } => "star",
            TopologySpec::Crossbar => "crossbar",
            TopologySpec::Bus => "bus",
            TopologySpec::FatTree { .. } => "fat_tree",
            TopologySpec::Torus { .. } => "torus",
            TopologySpec::Dragonfly { .. } => "dragonfly",
            TopologySpec::Explicit { .. } => "explicit",
        }
    }

    /// How many children it has places for; none: any number.
    pub fn places(&self) -> Option<u64> {
        let product = |extents: &[u32]| extents.iter().fold(1, |all: u64, &one| all.saturating_mul(u64::from(one)));
        match self {
            TopologySpec::FatTree { down, .. } => Some(product(down)),
            TopologySpec::Torus { dims } => Some(product(dims)),
            &TopologySpec::Dragonfly { groups, chassis, routers, nodes, .. } => {
                Some(product(&[groups, chassis, routers, nodes]))
            }
            _ => None,
        }
    }

    /// How many links a short way has: where only `L` is known, it is spread over them.
    fn usual_hops(&self) -> f64 {
        match self {
            TopologySpec::Bus | TopologySpec::Torus { .. } => 1.0,
            _ => 2.0,
        }
    }
}

impl Network {
    /// Bytes per second of a link; where only `G` is known, its reciprocal.
    pub fn bandwidth(&self) -> f64 {
        self.attributes.get("bandwidth").unwrap_or_else(|| match self.attributes.get("G") {
            Some(gap) if gap > 0.0 => 1.0 / gap,
            _ => f64::INFINITY,
        })
    }

    /// Seconds of a link.
    pub fn latency_s(&self) -> f64 {
        let of_way = || self.attributes.get("L").unwrap_or(0.0) / self.topology.usual_hops();
        self.attributes.get("latency").unwrap_or_else(of_way)
    }

    /// Whether messages share its links.
    pub fn shared(&self) -> bool {
        self.attributes.flag("shared").unwrap_or(true)
    }

    /// Whether each direction of a link has its bandwidth.
    pub fn full_duplex(&self) -> bool {
        self.attributes.word("duplex") != Some("half")
    }

    /// The rails of its children, where they have several.
    pub fn rails(&self) -> Option<RailSpec> {
        let count = self.attributes.get("rails").map_or(1, |count| count as u32);
        let choice = self.attributes.word("rail").map(|word| match word {
            "affinity" => RailChoice::Affinity,
            "hash" => RailChoice::Hash,
            "stripe" => RailChoice::Stripe(self.attributes.get("stripe_min").unwrap_or(STRIPE_MIN).ceil() as u64),
            _ => RailChoice::Load,
        });
        (count > 1).then(|| RailSpec { count, choice, planes: self.attributes.flag("planes").unwrap_or(false) })
    }

    /// LogGOPS parameters, where it sets any; those that it leaves out are 0, and all messages eager.
    pub fn loggops(&self) -> Option<LogGops> {
        let get = |key: &str| self.attributes.get(key);
        let any = ["L", "o", "g", "G", "O", "S"].iter().any(|key| get(key).is_some());
        any.then(|| LogGops {
            L: get("L").unwrap_or(0.0),
            o: get("o").unwrap_or(0.0),
            g: get("g").unwrap_or(0.0),
            G: get("G").unwrap_or(0.0),
            O: get("O").unwrap_or(0.0),
            S: get("S").map_or(u64::MAX, |limit| limit as u64),
        })
    }

    /// What it does to messages.
    pub fn law(&self, name: impl Into<String>) -> NetworkLaw {
        let mut law = NetworkLaw::plain(name);
        law.loggops = self.loggops();
        if !self.segments.is_empty() {
            law.segments.clone_from(&self.segments);
        } else if let Some(parameters) = law.loggops {
            // At `flow`, what LogGOPS parameters say about the processors.
            law.segments[0] = Segment {
                send_overhead_s: parameters.o,
                recv_overhead_s: parameters.o,
                send_overhead_per_byte_s: parameters.O,
                recv_overhead_per_byte_s: parameters.O,
                ..Segment::default()
            };
        }
        let limit = |key: &str| self.attributes.get(key).map(|bytes| bytes.ceil() as u64);
        let of_loggops = law.loggops.map(|parameters| parameters.S.saturating_add(1));
        law.detach_limit = limit("detach_limit").or(of_loggops).unwrap_or(u64::MAX);
        law.eager_limit = limit("eager_limit").unwrap_or(law.detach_limit);
        law.window = self.attributes.get("window");
        law
    }
}

/// Links and routes with the numbers of ports; unknown ids were refused when the file was read.
pub(super) fn explicit(
    system: &System,
    network: &Network,
    links: &[ExplicitLink],
    routes: &[ExplicitRoute],
) -> crate::topology::Explicit {
    let ports = PortIds::new(system, network.of, network.between.as_deref());
    let mut first = Vec::new();
    let mut laid = Vec::new();
    for link in links {
        first.push(laid.len() as u32);
        let kind =
            |name: String| LinkKind { bandwidth: link.bandwidth, latency_s: link.latency_s, shared: link.shared, name };
        match link.full_duplex {
            true => laid.extend([kind(format!("{} up", link.id)), kind(format!("{} down", link.id))]),
            false => laid.push(kind(link.id.clone())),
        }
    }
    let number =
        |&(link, back): &(u32, bool)| first[link as usize] + u32::from(back && links[link as usize].full_duplex);
    let mut all = HashMap::new();
    for route in routes {
        let (Some(from), Some(to)) = (ports.find(&route.from), ports.find(&route.to)) else { continue };
        all.insert((from, to), route.links.iter().map(number).collect());
        if !route.one_way {
            let back = route.links.iter().rev().map(|&(link, back)| number(&(link, !back)));
            all.insert((to, from), back.collect());
        }
    }
    crate::topology::Explicit { links: laid, routes: all }
}

/// Ids of what an aggregator joins: `a`, `node[3]`, and its own for the outside.
pub(super) struct PortIds<'s> {
    own: &'s str,
    /// Id, how many, first port.
    children: Vec<(&'s str, u64, u64)>,
}

impl<'s> PortIds<'s> {
    /// Of a machine: those of its devices that it joins.
    pub(super) fn new(system: &'s System, of: usize, between: Option<&[usize]>) -> Self {
        let mut children = Vec::new();
        let mut port = 0_u64;
        let hosts = system.hosts();
        let is_joined = |child: &usize| between.map_or(hosts[*child] > 0, |between| between.contains(child));
        for child in system.children(of).filter(is_joined) {
            let component = &system.components[child];
            children.push((component.id.as_str(), component.count, port));
            port = port.saturating_add(component.count);
        }
        PortIds { own: &system.components[of].id, children }
    }

    pub(super) fn find(&self, id: &str) -> Option<u32> {
        if id == self.own {
            return Some(OUTSIDE);
        }
        let child = |name: &str| self.children.iter().find(|(child, _, _)| *child == name);
        if let Some((_, 1, port)) = child(id) {
            return Some(*port as u32);
        }
        let (name, index) = id.strip_suffix(']')?.rsplit_once('[')?;
        let (_, count, port) = child(name)?;
        let index: u64 = index.parse().ok()?;
        (index < *count).then(|| (port + index) as u32)
    }

    /// How many ports there are.
    pub(super) fn count(&self) -> u64 {
        self.children.last().map_or(0, |(_, count, port)| port.saturating_add(*count))
    }

    /// Id of a port.
    pub(super) fn name(&self, port: u64) -> String {
        match self.children.iter().rfind(|(_, _, first)| *first <= port) {
            Some((id, 1, _)) => (*id).to_owned(),
            Some((id, _, first)) => format!("{id}[{}]", port - first),
            None => port.to_string(),
        }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.children.iter().map(|(id, _, _)| *id)
    }
}

/// Beyond this number the devices of a machine are not distinguished.
const MOST_DEVICES: u64 = 4096;

impl System {
    /// The devices of a machine or a volunteer that compute, in the order of the tree: the component of each. Where it names
    /// none, it is one itself.
    pub fn devices(&self, machine: usize) -> Vec<usize> {
        let computes = |child: &usize| self.components[*child].kind.computes();
        let mut all = Vec::new();
        if self.components[machine].kind == Kind::Machine {
            for child in self.children(machine).filter(computes) {
                all.extend(std::iter::repeat_n(child, self.components[child].count.min(MOST_DEVICES) as usize));
            }
        }
        if all.is_empty() {
            all.push(machine);
        }
        all
    }
}
