//! Sums over processes, by label and phase.

use crate::outcome::{Activity, Interval, LabelAccount, PhaseAccount};

/// The sums of an engine that knows processes.
#[derive(Debug, Default)]
pub struct Accounts {
    pub labels: Vec<LabelAccount>,
    /// Ticks by phase and label.
    phases: Vec<u128>,
}

impl Accounts {
    pub fn new(labels: usize) -> Self {
        Accounts { labels: vec![LabelAccount::default(); labels], phases: Vec::new() }
    }

    /// A process of a label did this.
    #[inline]
    pub fn add(&mut self, label: u32, interval: &Interval) {
        let ticks = u128::from(interval.to - interval.from);
        let counted = if interval.collective { Activity::Collective } else { interval.activity };
        self.labels[label as usize].ticks[counted as usize] += ticks;
        if let Some(phase) = interval.phase {
            let at = phase as usize * self.labels.len() + label as usize;
            if self.phases.len() <= at {
                self.phases.resize(at + 1, 0);
            }
            self.phases[at] += ticks;
        }
    }

    /// Phases in the order of phase and label.
    pub fn phases(&self) -> Vec<PhaseAccount> {
        let labels = self.labels.len().max(1);
        let of = |(at, ticks): (usize, &u128)| PhaseAccount {
            phase: (at / labels) as u32,
            label: (at % labels) as u32,
            ticks: *ticks,
        };
        self.phases.iter().enumerate().filter(|(_, ticks)| **ticks > 0).map(of).collect()
    }
}
