//! A rule: its subject, its cases, and its formula.

use super::{Location, RuleFormula};
use crate::application::CollectiveKind;
use crate::noise::Distribution;

/// Subject of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum On {
    /// Seconds of a computing block.
    Compute,
    /// Seconds of a message, or at the label level of an operation between labels.
    P2p,
    One2one,
    /// Seconds of a collective; scatter and gather: of an operation between labels, too.
    Collective(CollectiveKind),
    /// Factor of a software stack on computing.
    Overhead,
    /// Factor on the time per byte.
    Contention,
    /// Cores' worth of work done.
    Throughput,
    /// Watts of a machine.
    Power,
    /// Failures per second.
    FailureRate,
}

impl On {
    /// Every one.
    pub fn all() -> impl Iterator<Item = On> {
        let collectives = CollectiveKind::ALL.into_iter().map(On::Collective);
        let others = [On::Overhead, On::Contention, On::Throughput, On::Power, On::FailureRate];
        [On::Compute, On::P2p, On::One2one].into_iter().chain(collectives).chain(others)
    }

    /// What a word of a file means.
    pub fn of_word(word: &str) -> Option<Self> {
        On::all().find(|on| on.word() == word)
    }

    /// The word of files.
    pub fn word(self) -> &'static str {
        match self {
            On::Compute => "compute",
            On::P2p => "p2p",
            On::One2one => "one2one",
            On::Collective(kind) => kind.name(),
            On::Overhead => "overhead",
            On::Contention => "contention",
            On::Throughput => "throughput",
            On::Power => "power",
            On::FailureRate => "failure_rate",
        }
    }
}

/// Subject of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// Kind of block.
    Type,
    /// `double` or `single`.
    Op,
    Opt,
    /// Software stack.
    Stack,
    /// Catalogue entry.
    Hardware,
    /// Device: id or kind of the component.
    Device,
    /// Id of the network.
    Network,
    Label,
}

impl Filter {
    /// All, with the words of files.
    pub const ALL: [(Filter, &'static str); 8] = [
        (Filter::Type, "type"),
        (Filter::Op, "op"),
        (Filter::Opt, "opt"),
        (Filter::Stack, "stack"),
        (Filter::Hardware, "hardware"),
        (Filter::Device, "device"),
        (Filter::Network, "network"),
        (Filter::Label, "label"),
    ];
}

/// The values that filters are compared with. An unknown value is empty, and no filter matches it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Case<'a> {
    pub kind: &'a str,
    pub op: &'a str,
    pub opt: &'a str,
    pub stack: &'a str,
    pub hardware: &'a str,
    /// Id of the component.
    pub device: &'a str,
    pub device_kind: &'a str,
    pub network: &'a str,
    pub label: &'a str,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its subject.
    pub on: On,
    /// All must fit.
    pub filters: Vec<(Filter, String)>,
    /// Its formula; none: the default's value, with a random factor.
    pub value: Option<RuleFormula>,
    /// Random factor 1 + X.
    pub spread: Option<Distribution>,
    pub location: Location,
}

impl Rule {
    /// The text that this filter asks for.
    pub fn filter(&self, filter: Filter) -> Option<&str> {
        self.filters.iter().find(|(own, _)| *own == filter).map(|(_, wanted)| wanted.as_str())
    }

    /// Whether it is about the same, and blocks of the same type.
    pub fn is_alike(&self, other: &Rule) -> bool {
        self.on == other.on && self.filter(Filter::Type) == other.filter(Filter::Type)
    }

    /// Whether all filters fit.
    pub fn fits(&self, case: &Case<'_>) -> bool {
        self.filters.iter().all(|(filter, wanted)| {
            let wanted = wanted.as_str();
            match filter {
                Filter::Type => case.kind == wanted,
                Filter::Op => case.op == wanted,
                Filter::Opt => case.opt == wanted,
                Filter::Stack => case.stack == wanted,
                Filter::Hardware => case.hardware == wanted,
                Filter::Device => case.device == wanted || case.device_kind == wanted,
                Filter::Network => case.network == wanted,
                Filter::Label => case.label == wanted,
            }
        })
    }
}
