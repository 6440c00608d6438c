//! Collectives by formula: all enter, and all leave so many seconds after the last.

use super::account::Reason;
use super::process::{Request, State};
use super::run::Run;
use crate::outcome::{Activity, Cause};
use crate::tick::Tick;
use runcast_core::Problem;
use std::collections::HashMap;

/// Calls that not all members have made yet.
#[derive(Debug, Default)]
pub struct Meetings {
    /// By group, and the how manieth of the group.
    open: HashMap<(u32, u64), Meeting>,
    /// How many calls of a group a process has made.
    made: HashMap<(u32, u32), u64>,
}

/// A call.
#[derive(Debug)]
struct Meeting {
    collective: u32,
    /// Who has entered, each with its request.
    entered: Vec<(u32, Option<u32>)>,
    last: Tick,
    last_process: u32,
}

impl Run<'_> {
    /// A process enters; whether it must wait for the others.
    pub fn enter(&mut self, own: u32, collective: u32, request: Option<u32>) -> Result<bool, Problem> {
        let group = self.application.collectives[collective as usize].group;
        let made = self.meetings.made.entry((own, group)).or_insert(0);
        let ordinal = *made;
        *made += 1;
        let at = self.processes[own as usize].free();
        let meeting = self.meetings.open.entry((group, ordinal)).or_insert_with(|| Meeting {
            collective,
            entered: Vec::new(),
            last: 0,
            last_process: own,
        });
        if meeting.collective != collective {
            let (one, another) = (meeting.collective, collective);
            return Err(self.differ(own, one, another));
        }
        if at > meeting.last {
            meeting.last = at;
            meeting.last_process = own;
        }
        meeting.entered.push((own, request));
        let all = crate::collective::members(self.application, group);
        let full = meeting.entered.len() as u64 == all;
        let process = &mut self.processes[own as usize];
        match request {
            None => process.state = State::Gathers,
            Some(request) => process.set_request(request, Request::Gathers),
        }
        if !full {
            return Ok(request.is_none());
        }
        let Some(meeting) = self.meetings.open.remove(&(group, ordinal)) else { return Ok(false) };
        self.counts.collectives += 1;
        let seconds = self.seconds(collective)?;
        let leave = self.job.tick.add(meeting.last, self.job.tick.of(seconds)?)?;
        let cause = Some(Cause { process: meeting.last_process, at: meeting.last, link: None });
        for (member, request) in meeting.entered {
            if let Some(request) = request {
                let done = Request::Done { at: leave, received: None, collective: true };
                self.processes[member as usize].set_request(request, done);
                if member != own {
                    self.if_awaited(member, request, Reason::As(Activity::Collective, cause))?;
                }
                continue;
            }
            let process = &mut self.processes[member as usize];
            process.ready = process.ready.max(leave);
            process.ledger.idle = Some((Activity::Collective, cause));
            if member != own {
                self.advance(member)?;
            }
        }
        // It goes on by itself.
        Ok(false)
    }

    /// What a call takes after the last has entered.
    fn seconds(&self, collective: u32) -> Result<f64, Problem> {
        if self.tape.is_some() {
            // Only what is done counts, not when.
            return Ok(0.0);
        }
        crate::collective::closed(self.application, self.job, collective)
    }

    fn differ(&self, own: u32, one: u32, another: u32) -> Problem {
        let name = |collective: u32| self.application.collectives[collective as usize].kind.name();
        let (one, another) = (name(one), name(another));
        let message = if one == another {
            format!("{} calls {one} with another size, root or algorithm than the others", self.name(own))
        } else {
            format!("{} calls {another} where others call {one}", self.name(own))
        };
        Problem::new("collective_order", message)
            .at(self.application.place_of(self.processes[own as usize].cursor.site()))
            .hint("all members of a group make the same calls in the same order")
    }
}
