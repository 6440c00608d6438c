//! Collectives by formula: all enter, and all leave this many seconds after the last. Calls of a group match by their order.

use super::slab::Slab;
use crate::application::{Application, Site};
use crate::outcome::Cause;
use crate::tick::Tick;
use runcast_core::Problem;
use std::collections::HashMap;

/// Calls that are not over.
#[derive(Debug, Default)]
pub struct Meetings {
    meetings: Slab<Meeting>,
    /// By group, and the number of the call in this group.
    open: HashMap<(u32, u64), u32>,
    /// How many calls of a group a process has made.
    made: HashMap<(u32, u32), u64>,
}

#[derive(Debug)]
pub struct Meeting {
    collective: u32,
    /// Processes that have entered, each with its request.
    pub entered: Vec<(u32, Option<u32>)>,
    /// How many have not left.
    inside: u32,
    pub last: Tick,
    pub last_process: u32,
    /// Whether all may leave.
    pub is_over: bool,
}

impl Meetings {
    /// A process enters; the number of the call, and whether all are there.
    ///
    /// # Errors
    /// `collective_order`: it calls another collective than the others.
    pub fn enter(
        &mut self,
        application: &Application,
        (own, site): (u32, Site),
        collective: u32,
        request: Option<u32>,
        at: Tick,
    ) -> Result<(u32, bool), Problem> {
        let group = application.collectives[collective as usize].group;
        let made = self.made.entry((own, group)).or_insert(0);
        let call = (group, *made);
        *made += 1;
        let Meetings { meetings, open, .. } = self;
        let number = *open.entry(call).or_insert_with(|| {
            let entered = Vec::new();
            meetings.insert(Meeting { collective, entered, inside: 0, last: 0, last_process: own, is_over: false })
        });
        let meeting = &mut meetings[number];
        if meeting.collective != collective {
            return Err(differ(application, own, site, meeting.collective, collective));
        }
        if at > meeting.last {
            (meeting.last, meeting.last_process) = (at, own);
        }
        meeting.entered.push((own, request));
        meeting.inside += 1;
        let all_there = meeting.entered.len() as u64 == crate::collective::members(application, group);
        if all_there {
            open.remove(&call);
        }
        Ok((number, all_there))
    }

    pub fn get(&mut self, meeting: u32) -> &mut Meeting {
        &mut self.meetings[meeting]
    }

    /// A process leaves; after the last the call is forgotten.
    pub fn leave(&mut self, meeting: u32) {
        let state = &mut self.meetings[meeting];
        state.inside -= 1;
        if state.inside == 0 {
            self.meetings.remove(meeting);
        }
    }

    /// For which process another waited, once all may leave.
    pub fn cause(&self, meeting: u32, own: u32) -> Option<Cause> {
        let meeting = &self.meetings[meeting];
        let cause = Cause { process: meeting.last_process, at: meeting.last, link: None };
        (meeting.is_over && cause.process != own).then_some(cause)
    }
}

fn differ(application: &Application, own: u32, site: Site, one: u32, another: u32) -> Problem {
    let name = |collective: u32| application.collectives[collective as usize].kind.name();
    let (one, another) = (name(one), name(another));
    let who = application.name_of(u64::from(own));
    let message = if one == another {
        format!("{who} calls {one} with a different size, root or algorithm than the others")
    } else {
        format!("{who} calls {another} where others call {one}")
    };
    Problem::new("collective_order", message)
        .at(application.place_of(site))
        .hint("all members of a group must make the same calls in the same order")
}
