//! How a network joins its ports: which links a message takes from one to another.
//!
//! Links of a network are numbered from 0; each belongs to a *kind*, whose links have the same bandwidth and latency, so that
//! engines which do not share links need one of each kind only. A new topology is a file here, a variant, and a line in
//! each match below.

mod dragonfly;
mod explicit;
mod fat_tree;
mod inside;
mod star;
mod torus;

pub(crate) use dragonfly::Dragonfly;
pub(crate) use explicit::{Explicit, OUTSIDE};
pub(crate) use fat_tree::{FatTree, MOST_LEVELS};
pub(crate) use inside::{Bus, Inside};
pub(crate) use star::Star;
pub(crate) use torus::Torus;

/// Number of a link in one instance of a network.
pub(crate) type Local = u32;
/// Number of a port: of a child.
pub(crate) type Port = u32;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinkKind {
    pub bandwidth: f64,
    pub latency_s: f64,
    pub shared: bool,
    /// What it is called where no single link is meant.
    pub name: String,
}

/// What the links of a network have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Common {
    pub bandwidth: f64,
    pub latency_s: f64,
    pub shared: bool,
    pub full_duplex: bool,
}

impl Common {
    fn kind(&self, name: &str) -> LinkKind {
        LinkKind { bandwidth: self.bandwidth, latency_s: self.latency_s, shared: self.shared, name: name.to_owned() }
    }
}

/// The interface of a topology.
pub(crate) trait Paths {
    /// How many links one instance has; no more than a `u64` holds.
    fn links(&self) -> u64;
    fn kinds(&self) -> Vec<LinkKind>;
    fn kind_of(&self, link: Local) -> u32;
    /// Name of a link, for people; `port` names ports.
    fn name(&self, link: Local, port: &dyn Fn(Port) -> String) -> String;
    /// The links from a port to another one.
    fn route(&self, from: Port, to: Port, push: &mut dyn FnMut(Local));
    /// The links from a port out of the network.
    fn leave(&self, from: Port, push: &mut dyn FnMut(Local));
    /// The links from outside to a port.
    fn enter(&self, to: Port, push: &mut dyn FnMut(Local));
    /// Pairs of different ports of one class have ways of the same latency and bandwidth; none: each pair is its own.
    fn class(&self, from: Port, to: Port) -> Option<u32>;
    /// How many classes there are.
    fn classes(&self) -> u32;
    /// Whether the ways out are alike for all ports.
    fn is_even(&self) -> bool;
}

/// A network that joins its ports.
#[derive(Debug, Clone, Default)]
pub(crate) enum Topology {
    /// No links: no time.
    #[default]
    Ideal,
    Inside(Inside),
    Star(Star),
    Bus(Bus),
    FatTree(FatTree),
    Torus(Torus),
    Dragonfly(Dragonfly),
    Explicit(Explicit),
}

impl Topology {
    fn paths(&self) -> &(dyn Paths + 'static) {
        match self {
            Topology::Ideal => &Ideal,
            Topology::Inside(paths) => paths,
            Topology::Star(paths) => paths,
            Topology::Bus(paths) => paths,
            Topology::FatTree(paths) => paths,
            Topology::Torus(paths) => paths,
            Topology::Dragonfly(paths) => paths,
            Topology::Explicit(paths) => paths,
        }
    }
}

impl std::ops::Deref for Topology {
    type Target = dyn Paths;

    fn deref(&self) -> &(dyn Paths + 'static) {
        self.paths()
    }
}

/// No links.
#[derive(Debug, Clone, Copy)]
struct Ideal;

impl Paths for Ideal {
    fn links(&self) -> u64 {
        0
    }

    fn kinds(&self) -> Vec<LinkKind> {
        Vec::new()
    }

    fn kind_of(&self, _: Local) -> u32 {
        0
    }

    fn name(&self, _: Local, _: &dyn Fn(Port) -> String) -> String {
        String::new()
    }

    fn route(&self, _: Port, _: Port, _: &mut dyn FnMut(Local)) {}

    fn leave(&self, _: Port, _: &mut dyn FnMut(Local)) {}

    fn enter(&self, _: Port, _: &mut dyn FnMut(Local)) {}

    fn class(&self, _: Port, _: Port) -> Option<u32> {
        Some(0)
    }

    fn classes(&self) -> u32 {
        1
    }

    fn is_even(&self) -> bool {
        true
    }
}

/// Name of a direction of a link.
fn direction(up: bool) -> &'static str {
    if up { "up" } else { "down" }
}

#[cfg(test)]
mod tests;
