//! What processes did with their time: intervals without gaps, and their sums.

use super::Run;
use super::process::Blocked;
use crate::engine::kernel::slab::NONE;
use crate::flow::sharing::NO_LINK;
use crate::outcome::{Activity, Cause, Interval};
use crate::tick::Tick;

impl Run<'_> {
    /// Counts a message that a process sent.
    pub(super) fn count_message(&mut self, own: u32, size: u64) {
        self.counts.messages += 1;
        self.counts.bytes = self.counts.bytes.saturating_add(size);
        let label = &mut self.accounts.labels[self.processes[own as usize].cursor.label() as usize];
        label.messages += 1;
        label.bytes = label.bytes.saturating_add(size);
    }

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
        let (collective, site, phase) = (process.collective, process.cursor.site(), process.phase);
        let interval = Interval { activity, collective, from, to, site, phase, cause };
        self.accounts.add(process.cursor.label(), &interval);
        self.observer.interval(own, interval);
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
            Blocked::Task(task) => {
                let activity = crate::engine::kernel::streams::activity(self.streams.get(task).task);
                return self.account(own, activity, None);
            }
            Blocked::Tasks => return self.account(own, Activity::Compute, None),
            Blocked::Flushes { .. } => return self.account(own, Activity::Transfer, None),
            Blocked::Locks { .. } => return self.account(own, Activity::Wait, None),
            Blocked::Several { .. } => return self.account(own, Activity::Wait, None),
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
