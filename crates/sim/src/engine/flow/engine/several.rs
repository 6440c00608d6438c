//! Waiting for some of several requests.

use super::Run;
use super::process::{Blocked, Busy};
use crate::application::Wanted;
use crate::flow::requests::Slot;
use crate::plain::LOOK_S;
use crate::tick::Tick;
use runcast_core::Problem;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Send,
    Receive,
}

impl Run<'_> {
    /// A process waits for some of a set of requests, or looks whether all are complete.
    pub(super) fn wait_for_several(&mut self, own: u32, set: u32, wanted: Wanted) -> Result<(), Problem> {
        self.processes[own as usize].blocked = Blocked::Several { set, wanted };
        self.look_at_several(own)?;
        if wanted == Wanted::AllNow && self.processes[own as usize].blocked != Blocked::No {
            self.processes[own as usize].blocked = Blocked::No;
            let at = self.later(self.tick.of(LOOK_S)?)?;
            self.busy_until(own, at, Busy::Idle);
        }
        Ok(())
    }

    /// Something of a process is complete: it goes on if it waited for that among others. The first to be complete counts,
    /// of several at one time that with the lowest place.
    pub(super) fn look_at_several(&mut self, own: u32) -> Result<(), Problem> {
        let Blocked::Several { set, wanted } = self.processes[own as usize].blocked else { return Ok(()) };
        let numbers = self.application.sets[set as usize].clone();
        let times: Vec<Option<Tick>> = numbers.iter().map(|number| self.completed(own, *number)).collect();
        let mut places: Vec<u32> = (0..times.len() as u32).filter(|place| times[*place as usize].is_some()).collect();
        match wanted {
            Wanted::Any => {
                places.sort_by_key(|place| times[*place as usize]);
                places.truncate(1);
            }
            Wanted::Some => {}
            Wanted::AllNow if places.len() < times.len() => places.clear(),
            Wanted::AllNow => {}
        }
        if places.is_empty() {
            return Ok(());
        }
        self.account_blocked(own);
        self.processes[own as usize].blocked = Blocked::No;
        for place in &places {
            // It is complete: there is nothing to wait for.
            self.wait(own, numbers[*place as usize]);
        }
        self.processes[own as usize].completed = places;
        self.ready.push_back(own);
        Ok(())
    }

    /// When a request was complete.
    fn completed(&mut self, own: u32, request: u32) -> Option<Tick> {
        let at = |kind: Kind, number: u32| self.completed_at.get(&(kind, number)).copied().unwrap_or(0);
        match self.processes[own as usize].requests.get(request) {
            Slot::Done => Some(0),
            Slot::Send(message) => self.messages[message].is_done().then(|| at(Kind::Send, message)),
            Slot::Receive(receive) => self.receives[receive].done.then(|| at(Kind::Receive, receive)),
            Slot::Closed(meeting) => {
                let meeting = self.meetings.get(meeting);
                meeting.is_over.then_some(meeting.last)
            }
            Slot::Task(_) => None,
            Slot::TaskOver(at) => Some(at),
        }
    }
}
