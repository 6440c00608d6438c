//! What processes did with their time: intervals without gaps, and their sums.

use super::Run;
use super::process::Blocked;
use crate::engine::kernel::slab::NONE;
use crate::flow::sharing::NO_LINK;
use crate::outcome::{Activity, Cause, Interval, LabelAccount, PhaseAccount};
use crate::tick::Tick;

/// Sums over processes.
#[derive(Debug)]
pub struct Accounts {
    pub labels: Vec<LabelAccount>,
    /// Ticks by phase and label.
    phases: Vec<u128>,
}

impl Accounts {
    pub fn new(labels: usize) -> Self {
        Accounts { labels: vec![LabelAccount::default(); labels], phases: Vec::new() }
    }

    /// Sums by phase, in the order of phase and label.
    pub fn phases(&self) -> Vec<PhaseAccount> {
        let labels = self.labels.len().max(1);
        let entries = self.phases.iter().enumerate().filter(|(_, ticks)| **ticks > 0);
        entries
            .map(|(at, ticks)| PhaseAccount { phase: (at / labels) as u32, label: (at % labels) as u32, ticks: *ticks })
            .collect()
    }
}

impl Run<'_> {
    /// A process did this from where its account ends up to now.
    pub(super) fn account(&mut self, own: u32, activity: Activity, cause: Option<Cause>) {
        self.account_until(own, self.now, activity, cause);
    }

    fn account_until(&mut self, own: u32, to: Tick, activity: Activity, cause: Option<Cause>) {
        let process = &mut self.processes[own as usize];
        let from = process.since;
        if to <= from {
            return;
        }
        process.since = to;
        let ticks = u128::from(to - from);
        let label = process.cursor.label() as usize;
        let counted = if process.collective { Activity::Collective } else { activity };
        self.accounts.labels[label].ticks[counted as usize] += ticks;
        let mut phase = None;
        if process.phase != NONE {
            phase = Some(process.phase);
            let at = process.phase as usize * self.accounts.labels.len() + label;
            if self.accounts.phases.len() <= at {
                self.accounts.phases.resize(at + 1, 0);
            }
            self.accounts.phases[at] += ticks;
        }
        let (collective, site) = (process.collective, process.cursor.site());
        self.observer.interval(own, Interval { activity, collective, from, to, site, phase, cause });
    }

    /// A process was blocked up to now; it may go on to be.
    pub(super) fn account_blocked(&mut self, own: u32) {
        let process = &self.processes[own as usize];
        if process.since >= self.now {
            return;
        }
        let device = process.place.device;
        self.computing.blocked(device, self.now - process.since);
        let (message, other_sends) = match process.blocked {
            Blocked::No => return,
            Blocked::Meets(meeting) => {
                let cause = self.meetings.cause(meeting, own);
                return self.account(own, Activity::Collective, cause);
            }
            Blocked::Sends(message) => (message, false),
            Blocked::Receives(receive) => (self.receives[receive].message, true),
        };
        if message == NONE || !self.messages[message].has_begun() {
            return self.account(own, Activity::Wait, None);
        }
        let state = &self.messages[message];
        let (begun, link) = (state.begun, state.link);
        let other = if other_sends { state.from } else { state.to };
        // The transfer began when the later of the two was there.
        let other_was_later = state.sender_was_later == other_sends;
        let cause = other_was_later.then_some(Cause { process: other, at: begun, link: None });
        let link = if link == NO_LINK { None } else { Some(link) };
        self.account_until(own, begun.min(self.now), Activity::Wait, cause);
        let process = if other_was_later { other } else { own };
        self.account(own, Activity::Transfer, Some(Cause { process, at: begun, link }));
    }
}
