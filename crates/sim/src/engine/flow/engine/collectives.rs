//! Collectives by formula: all enter, and all leave so many seconds after the last.

use super::process::Blocked;
use super::{Run, What};
use crate::collective;
use crate::engine::kernel::slab::{NONE, Slab};
use crate::flow::requests::Slot;
use crate::outcome::Cause;
use crate::tick::Tick;
use runcast_core::Problem;
use std::collections::HashMap;

/// Calls that are not over.
#[derive(Debug, Default)]
pub struct Meetings {
    meetings: Slab<Meeting>,
    /// By group, and the how manieth of the group.
    open: HashMap<(u32, u64), u32>,
    /// How many calls of a group a process has made.
    made: HashMap<(u32, u32), u64>,
}

/// A call.
#[derive(Debug)]
struct Meeting {
    collective: u32,
    entered: Vec<u32>,
    /// Who has not left yet.
    inside: u32,
    last: Tick,
    last_process: u32,
    over: bool,
}

impl Meetings {
    /// Whether all have left.
    pub fn is_over(&self, meeting: u32) -> bool {
        self.meetings[meeting].over
    }

    /// One leaves; after the last it is forgotten.
    pub fn one_left(&mut self, meeting: u32) {
        let state = &mut self.meetings[meeting];
        state.inside -= 1;
        if state.inside == 0 {
            self.meetings.remove(meeting);
        }
    }

    /// For whom a process waited, once all are there.
    pub fn cause(&self, meeting: u32, own: u32) -> Option<Cause> {
        let meeting = &self.meetings[meeting];
        (meeting.over && meeting.last_process != own).then_some(Cause {
            process: meeting.last_process,
            at: meeting.last,
            link: None,
        })
    }
}

impl Run<'_> {
    /// A process enters.
    pub(super) fn enter(&mut self, own: u32, collective: u32, request: Option<u32>) -> Result<(), Problem> {
        let group = self.application.collectives[collective as usize].group;
        let made = self.meetings.made.entry((own, group)).or_insert(0);
        let ordinal = *made;
        *made += 1;
        let Meetings { meetings, open, .. } = &mut self.meetings;
        let number = *open.entry((group, ordinal)).or_insert_with(|| {
            let entered = Vec::new();
            meetings.insert(Meeting { collective, entered, inside: 0, last: 0, last_process: NONE, over: false })
        });
        let meeting = &mut meetings[number];
        if meeting.collective != collective {
            let other = meeting.collective;
            return Err(self.differ(own, other, collective));
        }
        meeting.entered.push(own);
        meeting.inside += 1;
        meeting.last = self.now;
        meeting.last_process = own;
        let entered = meeting.entered.len() as u64;
        let process = &mut self.processes[own as usize];
        match request {
            Some(request) => {
                process.open += 1;
                process.requests.insert(request, Slot::Closed(number));
            }
            None => process.blocked = Blocked::Meets(number),
        }
        if entered == collective::members(self.application, group) {
            self.meetings.open.remove(&(group, ordinal));
            self.counts.collectives += 1;
            let seconds = collective::closed(self.application, &self.job, collective)?;
            let at = self.later(self.tick.of(seconds)?)?;
            self.post(at, What::Leave(number));
        }
        Ok(())
    }

    /// All leave.
    pub(super) fn leave(&mut self, number: u32) {
        let meeting = &mut self.meetings.meetings[number];
        meeting.over = true;
        let entered = std::mem::take(&mut meeting.entered);
        for own in entered {
            if self.processes[own as usize].blocked == Blocked::Meets(number) {
                self.account_blocked(own);
                self.meetings.one_left(number);
                self.processes[own as usize].blocked = Blocked::No;
                self.ready.push_back(own);
            }
        }
    }

    fn differ(&self, own: u32, one: u32, another: u32) -> Problem {
        let name = |collective: u32| self.application.collectives[collective as usize].kind.name();
        let (one, another) = (name(one), name(another));
        let who = self.application.name_of(u64::from(own));
        let message = if one == another {
            format!("{who} calls {one} with another size, root or algorithm than the others")
        } else {
            format!("{who} calls {another} where others call {one}")
        };
        Problem::new("collective_order", message)
            .at(self.application.place_of(self.processes[own as usize].cursor.site()))
            .hint("all members of a group make the same calls in the same order")
    }
}
