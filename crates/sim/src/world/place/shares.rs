//! Machines reserved for single applications.

use super::hosts::{Hosts, Range};
use crate::platform::MachineId;
use crate::system::System;
use runcast_core::Problem;
use std::fmt;

/// Stretches of machines by their numbers in the system, first and last, ascending: `0-5+16-17`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Share(Vec<(MachineId, MachineId)>);

/// The share of each application; none: all machines.
pub type Shares = Vec<Option<Share>>;

impl Share {
    /// Of stretches that ascend, each with its first and its last machine.
    pub fn new(stretches: Vec<(MachineId, MachineId)>) -> Share {
        Share(stretches)
    }

    /// Reads `0-5+16-17`.
    ///
    /// # Errors
    /// `bad_share`: something else, or stretches that do not ascend.
    pub fn parse(text: &str) -> Result<Share, Problem> {
        let number = |text: &str| text.trim().parse::<MachineId>().ok();
        let stretch = |part: &str| match part.split_once('-') {
            Some((first, last)) => Some((number(first)?, number(last)?)),
            None => number(part).map(|only| (only, only)),
        };
        let stretches: Option<Vec<_>> = text.split('+').map(stretch).collect();
        let ascends = |all: &Vec<(MachineId, MachineId)>| {
            all.iter().all(|(first, last)| first <= last) && all.windows(2).all(|two| two[0].1 < two[1].0)
        };
        stretches.filter(ascends).map(Share).ok_or_else(|| {
            let problem = Problem::new("bad_share", "this is no share of the machines").value(text);
            problem.allowed("ascending numbers of machines from 0, such as 0-5+16-17")
        })
    }

    /// Checks it against the machines that there are.
    ///
    /// # Errors
    /// `bad_share`: a machine beyond the last.
    pub(super) fn check(&self, system: &System, app: &str) -> Result<(), Problem> {
        let machines: u64 = system.machines().iter().map(|run| u64::from(run.count)).sum();
        match self.0.iter().find(|(_, last)| u64::from(*last) >= machines) {
            None => Ok(()),
            Some((_, last)) => {
                let problem = Problem::new("bad_share", format!("there is no machine {last}"));
                let problem = problem.at(format!("share.{app}")).value(self.to_string());
                Err(problem.allowed(format!("0 to {}", machines.saturating_sub(1))))
            }
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            let plus = if index == 0 { "" } else { "+" };
            match first == last {
                true => write!(out, "{plus}{first}")?,
                false => write!(out, "{plus}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl Hosts {
    /// Those of these machines that are in a share.
    #[must_use]
    pub(super) fn within(self, share: Option<&Share>) -> Hosts {
        let Some(Share(stretches)) = share else { return self };
        let mut hosts = Hosts { ranges: Vec::new(), machines: 0, device: self.device };
        for range in self.ranges {
            for &(first, last) in stretches {
                let (from, until) = (first.max(range.first), (last + 1).min(range.first + range.count));
                if from < until {
                    hosts.ranges.push(Range { first: from, count: until - from, before: hosts.machines, ..range });
                    hosts.machines += u64::from(until - from);
                }
            }
        }
        hosts
    }
}
