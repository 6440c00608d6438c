//! Identical processes: which of them leads makes no difference.

use crate::model::Model;

/// For every process the first identical one. Process 1, the clock, is unique.
#[derive(Debug, PartialEq)]
pub(super) struct Groups {
    first: Vec<usize>,
}

impl Groups {
    /// Every process alone.
    pub fn none(size: usize) -> Groups {
        Groups { first: (0..size).collect() }
    }

    /// Equal A, B and laws in all modes, if the start does not distinguish them.
    pub fn of(model: &Model) -> Groups {
        if model.start.iter().any(|offset| *offset != model.start[0]) {
            return Groups::none(model.size());
        }
        let updates = |process: usize| {
            let process = &model.processes[process];
            (process.alpha_updates, process.beta_updates)
        };
        let alike = |a: usize, b: usize| {
            updates(a) == updates(b) && model.modes.laws.iter().all(|laws| laws.update[a] == laws.update[b])
        };
        let mut found: Vec<usize> = Vec::new();
        let mut first = vec![0];
        for process in 1..model.size() {
            let known = found.iter().copied().find(|other| alike(*other, process));
            first.push(known.unwrap_or(process));
            if known.is_none() {
                found.push(process);
            }
        }
        Groups { first }
    }

    /// The first process that is like this one.
    pub fn first(&self, process: usize) -> usize {
        self.first[process]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.first.iter().enumerate().filter(|(process, first)| process == *first).count()
    }

    /// The processes that are like this one, itself among them.
    pub fn like(&self, process: usize) -> impl Iterator<Item = usize> {
        let first = self.first[process];
        self.first.iter().enumerate().filter(move |(_, other)| **other == first).map(|(member, _)| member)
    }
}
