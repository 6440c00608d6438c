//! The end: accounts, warnings, and deadlocks.

use super::process::{Process, State};
use super::run::Run;
use crate::application::ANY_TAG;
use crate::cursor::Action;
use crate::deadlock;
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::node::Node;
use crate::outcome::{Activity, Outcome};
use runcast_core::{Problem, Warning};

impl Run<'_> {
    /// Nothing happens any more: all must have ended.
    ///
    /// # Errors
    /// `deadlock`.
    pub fn check_all_ended(&self) -> Result<(), Problem> {
        let waits = |(number, process): (usize, &Process)| {
            (process.state != State::Ended).then(|| (number as u64, self.awaited(process)))
        };
        let blocked: Vec<(u64, Option<u64>)> = self.processes.iter().enumerate().filter_map(waits).collect();
        if blocked.is_empty() {
            return Ok(());
        }
        let file = self.application.file.clone();
        Err(deadlock::problem(&blocked, self.processes.len() as u64, &|who| self.describe(who)).in_file(file))
    }

    /// For whom a process waits, where that is one.
    fn awaited(&self, process: &Process) -> Option<u64> {
        match (process.state, process.last) {
            (State::Receives, Some(Action::Recv { from, .. })) => from,
            (State::Sends { .. }, Some(Action::Send { to, .. })) => Some(to),
            (State::Waits { request }, _) => process.partner(request),
            (State::Locks { to }, _) => Some(u64::from(to)),
            _ => None,
        }
    }

    /// `cell[3] recv from cell[4] tag 1 (heat.luau:14)`.
    fn describe(&self, who: u64) -> String {
        let process = &self.processes[who as usize];
        let partner = |partner: Option<u64>| match partner {
            Some(partner) if partner < self.processes.len() as u64 => self.application.name_of(partner),
            Some(partner) => format!("process {partner}, which does not exist"),
            None => "any".to_owned(),
        };
        let tagged = |tag| if tag == ANY_TAG { "any tag".to_owned() } else { format!("tag {tag}") };
        let does = match (process.state, process.last) {
            (State::Receives, Some(Action::Recv { from, tag })) => {
                format!("recv from {} {}", partner(from), tagged(tag))
            }
            (State::Sends { .. }, Some(Action::Send { to, size, tag })) => {
                format!("send of {size} B to {} {}", partner(Some(to)), tagged(tag))
            }
            (State::Waits { request }, _) => match process.partner(request) {
                Some(other) => format!("wait for request {request}, with {}", partner(Some(other))),
                None => format!("wait for request {request}"),
            },
            (State::Several { .. }, _) => "wait for the first of several requests".to_owned(),
            (State::Locks { to }, _) => format!("lock of a window of {}", partner(Some(u64::from(to)))),
            (State::Gathers, _) => "in a collective that others do not enter".to_owned(),
            _ => "blocked".to_owned(),
        };
        format!("{} {does} ({})", self.name(who as u32), self.application.place_of(process.cursor.site()))
    }

    /// What was found out.
    pub fn outcome(mut self) -> Result<Outcome, Problem> {
        let mut outcome = Outcome::default();
        let mut left_requests = 0;
        for own in 0..self.processes.len() {
            let end = self.processes[own].free();
            self.processes[own].idle_until(end);
            self.account(own as u32, Reason::As(Activity::Wait, None));
            let process = &self.processes[own];
            left_requests += process.left_requests();
            outcome.counts.operations += process.cursor.operations();
            let label = &mut self.accounts.labels[process.cursor.label() as usize];
            label.finish += u128::from(end);
            label.last = label.last.max(end);
            label.classes += 1;
            outcome.end = outcome.end.max(end);
            outcome.finish.push(end);
        }
        outcome.counts = crate::outcome::Counts { operations: outcome.counts.operations, ..self.counts };
        outcome.volunteers = self.volunteers.seen();
        outcome.phases = self.accounts.phases();
        outcome.labels = std::mem::take(&mut self.accounts.labels);
        for (device, watt_ticks) in self.nodes.values().flat_map(Node::drawn) {
            self.devices[*device as usize].account.drawn += watt_ticks;
        }
        for (number, mut device) in self.devices.into_iter().enumerate() {
            device.finish();
            device.account.blocked = self.blocked[number];
            outcome.devices.push(device.account);
        }
        outcome.warnings = warnings(self.matching.messages(), left_requests);
        Ok(outcome)
    }
}

/// Warnings of all engines that work message by message.
pub fn warnings(messages: u64, requests: u64) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if messages > 0 {
        warnings.push(Warning::new("never_received", format!("{messages} messages were never received")));
    }
    if requests > 0 {
        warnings.push(Warning::new("never_waited", format!("{requests} requests were never waited for")));
    }
    warnings
}
