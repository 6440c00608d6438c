//! The machines of a system, numbered in the order of the tree.

use super::System;

/// Machines of one component that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineRun {
    /// The component: a machine or a volunteer.
    pub component: usize,
    /// Number of the first machine.
    pub first: u32,
    pub count: u32,
}

/// More runs of machines are not listed: two kinds of machines in each of a million racks.
pub(super) const MOST_RUNS: u64 = 4_000_000;

impl System {
    /// All machines, runs of identical ones by their numbers. In a group, the machines of a component follow those of the one
    /// before it; the second group follows the first.
    pub fn machines(&self) -> Vec<MachineRun> {
        let mut runs = Vec::new();
        if !self.components.is_empty() {
            self.append(0, &mut runs);
        }
        runs
    }

    /// Number of machines.
    pub fn machine_count(&self) -> u64 {
        let hosts = self.components.iter().filter(|component| component.kind.is_host());
        hosts.fold(0, |sum, component| sum.saturating_add(component.total))
    }

    /// Machines in one instance of each component.
    pub(super) fn hosts(&self) -> Vec<u64> {
        let mut hosts = vec![0_u64; self.components.len()];
        for (index, component) in self.components.iter().enumerate().rev() {
            if component.kind.is_host() {
                hosts[index] = 1;
            }
            if let Some(parent) = component.parent {
                hosts[parent] = hosts[parent].saturating_add(hosts[index].saturating_mul(component.count));
            }
        }
        hosts
    }

    /// The runs of one instance of a component.
    fn append(&self, component: usize, runs: &mut Vec<MachineRun>) {
        if self.components[component].kind.is_host() {
            push(runs, MachineRun { component, first: next(runs), count: 1 });
            return;
        }
        for child in self.children(component) {
            let count = self.components[child].count;
            let from = runs.len();
            let start = next(runs);
            let before = runs.last().map_or(0, |run| run.count);
            self.append(child, runs);
            let size = next(runs) - start;
            if size == 0 {
                continue;
            }
            // Like machines alone: one run, however many.
            let grew = runs.len() == from && runs.last().is_some_and(|run| run.count == before + size);
            if runs.len() == from + 1 || grew {
                if let Some(run) = runs.last_mut() {
                    run.count += size * (count - 1) as u32;
                }
                continue;
            }
            let pattern: Vec<MachineRun> = runs[from..].to_vec();
            for _ in 1..count {
                for run in &pattern {
                    push(runs, MachineRun { first: next(runs), ..*run });
                }
            }
        }
    }

    /// How many runs [`System::machines`] gives at most.
    pub(super) fn most_runs(&self) -> u64 {
        self.runs_of(0).max(1)
    }

    fn runs_of(&self, component: usize) -> u64 {
        if self.components[component].kind.is_host() {
            return 1;
        }
        let children = self.children(component).map(|child| match self.runs_of(child) {
            runs @ 0..=1 => runs,
            runs => runs.saturating_mul(self.components[child].count),
        });
        children.fold(0, u64::saturating_add)
    }
}

fn next(runs: &[MachineRun]) -> u32 {
    runs.last().map_or(0, |run| run.first + run.count)
}

fn push(runs: &mut Vec<MachineRun>, run: MachineRun) {
    match runs.last_mut() {
        Some(last) if last.component == run.component => last.count += run.count,
        _ => runs.push(run),
    }
}
