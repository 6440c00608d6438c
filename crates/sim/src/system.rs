//! The system model: a tree of components joined by networks, read from a file (docs/theory/sim.md, section 2).

mod assumptions;
pub mod attributes;
pub mod catalogue;
mod file;
mod machines;
mod network;
mod part;
mod parts;
mod platform;
mod profile;
pub(crate) mod topology;
mod totals;
mod write;

pub(crate) use file::stem;
pub use file::{Changes, FORMAT, Read, read};
pub use machines::MachineRun;
pub use network::{ExplicitLink, ExplicitRoute, Network, TopologySpec};
pub(crate) use parts::known_of_network;
pub use parts::{Fate, Other, Parts};
pub use totals::Totals;
pub(crate) use write::number_of;
pub use write::{state_line, write};

use crate::attributes::Attributes;
use crate::catalogue::Catalogue;
use crate::faults::Faults;
use crate::model::Model;
use std::fmt;
use std::sync::Arc;

/// A machine, or a group of machines, or many of them.
#[derive(Debug, Clone, Default)]
pub struct System {
    pub name: String,
    /// The file that it was read from, as the user named it.
    pub file: String,
    /// Components; a parent is before its children, the root first.
    pub components: Vec<Component>,
    /// Networks, in the order of the file.
    pub networks: Vec<Network>,
    /// Computational models; the default model is the first.
    pub models: Vec<Model>,
    /// Computational model of the whole tree, where components name no other.
    pub default_model: Option<String>,
    /// Whether components fail during runs, and how applications save their state.
    pub faults: Option<Faults>,
    /// What the file leaves open and is assumed.
    pub assumed: Vec<String>,
    /// The catalogue that it was read with: coefficients name entries that they were measured on.
    pub catalogue: Arc<Catalogue>,
}

/// What a component is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Groups far from each other.
    Wan,
    /// Machines, or groups of them: a cluster, a rack.
    Group,
    Machine,
    /// The cores of a socket.
    Cpu,
    Gpu,
    /// Another device that computes.
    Accelerator,
    /// Disks.
    Storage,
    /// A machine lent by a volunteer.
    Volunteer,
}

impl Kind {
    /// Its name in files.
    pub const WORDS: [&'static str; 8] =
        ["wan", "group", "machine", "cpu", "gpu", "accelerator", "storage", "volunteer"];
    const ALL: [Kind; 8] = [
        Kind::Wan,
        Kind::Group,
        Kind::Machine,
        Kind::Cpu,
        Kind::Gpu,
        Kind::Accelerator,
        Kind::Storage,
        Kind::Volunteer,
    ];

    /// Its name in files.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Whether others may be in it.
    pub fn is_aggregator(self) -> bool {
        matches!(self, Kind::Wan | Kind::Group | Kind::Machine)
    }

    pub fn computes(self) -> bool {
        matches!(self, Kind::Cpu | Kind::Gpu | Kind::Accelerator | Kind::Volunteer)
    }

    /// Whether processes reach it over a network: machines and volunteers.
    pub fn is_host(self) -> bool {
        matches!(self, Kind::Machine | Kind::Volunteer)
    }

    /// Kinds of catalogue entries that it may be.
    pub fn hardware(self) -> &'static [&'static str] {
        match self {
            Kind::Wan | Kind::Group => &[],
            Kind::Machine => &["machine"],
            Kind::Cpu => &["cpu"],
            Kind::Gpu => &["gpu", "accelerator"],
            Kind::Accelerator => &["accelerator", "gpu"],
            Kind::Storage => &["storage"],
            Kind::Volunteer => &["volunteer", "cpu", "machine"],
        }
    }

    /// Kinds that it may be in.
    pub fn parents(self) -> &'static [Kind] {
        match self {
            Kind::Wan => &[Kind::Wan],
            Kind::Group => &[Kind::Wan, Kind::Group],
            Kind::Machine | Kind::Volunteer => &[Kind::Wan, Kind::Group],
            Kind::Cpu | Kind::Gpu | Kind::Accelerator => &[Kind::Machine],
            Kind::Storage => &[Kind::Wan, Kind::Group, Kind::Machine],
        }
    }

    fn nth(index: usize) -> Self {
        Self::ALL[index]
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A component of the tree; `count` identical ones are one.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    pub id: String,
    pub kind: Kind,
    /// The component that it is in; none for the root.
    pub parent: Option<usize>,
    /// Number in one parent.
    pub count: u64,
    /// Total number.
    pub total: u64,
    /// Catalogue entry.
    pub hardware: Option<String>,
    /// Those of its entry, with its own in their place.
    pub attributes: Attributes,
    /// The keys of these that are its own.
    pub own: Vec<String>,
    /// What these were made of.
    pub parts: Parts,
    /// Its own computational model.
    pub model: Option<String>,
    /// Line in the file.
    pub line: u64,
}

impl System {
    /// Whether a component is another one, or in it.
    pub(crate) fn is_within(&self, component: usize, other: usize) -> bool {
        std::iter::successors(Some(component), |one| self.components[*one].parent).any(|one| one == other)
    }

    /// Number of a component.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.components.iter().position(|component| component.id == id)
    }

    /// What is in a component, in order.
    pub fn children(&self, component: usize) -> impl Iterator<Item = usize> {
        (component + 1..self.components.len()).filter(move |&child| self.components[child].parent == Some(component))
    }

    /// Name of the computational model of a component: its own, that of the nearest above it that has one, or that of the
    /// whole tree; none is the default model.
    pub fn model_of(&self, component: usize) -> Option<&str> {
        let mut at = Some(component);
        while let Some(index) = at {
            let component = &self.components[index];
            if let Some(model) = &component.model {
                return Some(model);
            }
            at = component.parent;
        }
        self.default_model.as_deref()
    }

    /// Networks of a component, the one that is used by default first.
    pub fn networks_of(&self, component: usize) -> impl Iterator<Item = &Network> {
        self.networks.iter().filter(move |network| network.of == component)
    }
}

#[cfg(test)]
mod tests;
