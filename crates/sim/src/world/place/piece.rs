//! A stretch of processes that is placed by one rule.

use super::hosts::Hosts;
use crate::platform::MachineId;
use runcast_core::Problem;
use std::collections::HashMap;

/// Processes of one label that follow one another.
#[derive(Debug)]
pub(super) struct Piece {
    pub first: u64,
    pub count: u64,
    pub label: u32,
    /// Component of the device that they sit on; none: the processors.
    pub device: Option<usize>,
    pub spread: Spread,
}

#[derive(Debug)]
pub(super) enum Spread {
    /// `per` on this machine, then the next.
    Block { machine: MachineId, per: u64 },
    /// In turn on the first this many machines of a set.
    Cyclic { hosts: usize, machines: u64 },
    /// Machine of each, and how many of them are there before it.
    List(Vec<(MachineId, u32)>),
}

impl Piece {
    /// Machine of the nth process, and how many of the piece sit there before it.
    #[inline]
    pub(super) fn machine(&self, nth: u64, hosts: &[Hosts]) -> (MachineId, u64) {
        match &self.spread {
            Spread::Block { machine, per } => (machine + (nth / per) as u32, nth % per),
            Spread::Cyclic { hosts: set, machines } => (hosts[*set].machine(nth % machines), nth / machines),
            Spread::List(places) => {
                let (machine, before) = places[nth as usize];
                (machine, u64::from(before))
            }
        }
    }

    /// Stretches of machines with as many processes of the piece on each: first machine, machines, processes.
    pub(super) fn stretches(&self, hosts: &[Hosts]) -> Vec<(MachineId, u32, u64)> {
        match &self.spread {
            Spread::Block { machine, per } => {
                let full = (self.count / per) as u32;
                let rest = self.count % per;
                let all = [(*machine, full, *per), (machine + full, u32::from(rest > 0), rest)];
                all.into_iter().filter(|(_, machines, _)| *machines > 0).collect()
            }
            Spread::Cyclic { hosts: set, machines } => {
                let (each, more) = (self.count / machines, self.count % machines);
                let mut all = Vec::new();
                for (from, until, each) in [(0, more, each + 1), (more, *machines, each)] {
                    for range in &hosts[*set].ranges {
                        let start = from.max(range.before);
                        let end = until.min(range.before + u64::from(range.count));
                        if start < end && each > 0 {
                            all.push((range.first + (start - range.before) as u32, (end - start) as u32, each));
                        }
                    }
                }
                all
            }
            Spread::List(places) => {
                let mut counts: HashMap<MachineId, u64> = HashMap::new();
                for (machine, _) in places {
                    *counts.entry(*machine).or_default() += 1;
                }
                counts.into_iter().map(|(machine, count)| (machine, 1, count)).collect()
            }
        }
    }
}

/// The machines of a list of numbers.
pub(super) fn listed(list: &[u64], count: u64, hosts: &Hosts, label: &str) -> Result<Vec<(MachineId, u32)>, Problem> {
    if list.len() as u64 != count {
        let message = format!("the list has {} machines for {count} processes of label {label}", list.len());
        return Err(Problem::new("bad_list", message).at("list").allowed(format!("{count} numbers of machines")));
    }
    let mut counts: HashMap<MachineId, u32> = HashMap::new();
    let mut places = Vec::with_capacity(list.len());
    for nth in list {
        if *nth >= hosts.machines {
            let problem =
                Problem::new("bad_list", format!("there is no machine {nth}")).at("list").value(nth.to_string());
            return Err(problem.allowed(format!("0 to {}", hosts.machines - 1)));
        }
        let machine = hosts.machine(*nth);
        let before = counts.entry(machine).or_default();
        places.push((machine, *before));
        *before += 1;
    }
    Ok(places)
}
