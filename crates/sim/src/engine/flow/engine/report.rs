//! The end: accounts, warnings, and deadlocks.

use super::Run;
use super::process::Blocked;
use crate::application::ANY_TAG;
use crate::engine::kernel::matching::ANY_SOURCE;
use crate::outcome::{LinkAccount, Outcome};
use runcast_core::Problem;

impl Run<'_> {
    /// A process has come to its end.
    pub(super) fn end(&mut self, own: u32) {
        let process = &mut self.processes[own as usize];
        process.ended = true;
        let label = &mut self.accounts.labels[process.cursor.label() as usize];
        label.finish += u128::from(self.now);
        label.last = label.last.max(self.now);
        label.classes += 1;
    }

    /// Nothing happens any more: all must have ended.
    pub(super) fn check_all_ended(&self) -> Result<(), Problem> {
        let waiting = self.processes.iter().enumerate().filter(|(_, process)| !process.ended);
        let blocked: Vec<(u64, Option<u64>)> =
            waiting.map(|(own, process)| (own as u64, self.awaited(process.blocked))).collect();
        if blocked.is_empty() {
            return Ok(());
        }
        let file = self.application.file.clone();
        let describe = |own: u64| self.describe(own);
        Err(crate::deadlock::problem(&blocked, self.processes.len() as u64, &describe).in_file(file))
    }

    /// For whom a process waits, where that is one.
    fn awaited(&self, blocked: Blocked) -> Option<u64> {
        match blocked {
            Blocked::Sends(message) => Some(u64::from(self.messages[message].to)),
            Blocked::Receives(receive) => {
                let source = self.receives[receive].source;
                (source != ANY_SOURCE).then_some(u64::from(source))
            }
            Blocked::Locks { to } => Some(u64::from(to)),
            Blocked::Flushes { .. }
            | Blocked::No
            | Blocked::Meets(_)
            | Blocked::Task(_)
            | Blocked::Tasks
            | Blocked::Several { .. } => None,
        }
    }

    /// `cell[3] recv from cell[4] tag 1 (heat.luau:14)`.
    fn describe(&self, own: u64) -> String {
        let process = &self.processes[own as usize];
        let tagged = |tag| if tag == ANY_TAG { "any tag".to_owned() } else { format!("tag {tag}") };
        let does = match process.blocked {
            Blocked::Sends(message) => {
                let message = &self.messages[message];
                let to = self.application.name_of(u64::from(message.to));
                format!("send of {} B to {to} {}", message.size, tagged(message.tag))
            }
            Blocked::Receives(receive) => {
                let receive = &self.receives[receive];
                let from = match receive.source {
                    ANY_SOURCE => "any".to_owned(),
                    source => self.application.name_of(u64::from(source)),
                };
                format!("recv from {from} {}", tagged(receive.tag))
            }
            Blocked::Locks { to } => format!("lock of a window of {}", self.application.name_of(u64::from(to))),
            Blocked::Several { .. } => "wait for the first of several requests".to_owned(),
            Blocked::Meets(_) => "in a collective that others do not enter".to_owned(),
            Blocked::No | Blocked::Task(_) | Blocked::Tasks | Blocked::Flushes { .. } => "blocked".to_owned(),
        };
        let place = self.application.place_of(process.cursor.site());
        format!("{} {does} ({place})", self.application.name_of(own))
    }

    /// What was found out.
    pub(super) fn outcome(mut self) -> Result<Outcome, Problem> {
        let finish: Vec<_> = self.processes.iter().map(|process| process.since).collect();
        let end = finish.iter().copied().max().unwrap_or(0);
        let mut links = Vec::with_capacity(self.job.platform.links.len());
        for link in 0..self.job.platform.links.len() as u32 {
            let (bytes, busy) = self.sharing.account(self.now, link);
            links.push(LinkAccount { link, bytes, busy });
        }
        let mut operations = 0;
        let mut unwaited = 0;
        for process in &self.processes {
            operations += process.cursor.operations();
            unwaited += process.open.max(0) as u64;
        }
        Ok(Outcome {
            end,
            finish,
            phases: self.accounts.phases(),
            labels: std::mem::take(&mut self.accounts.labels),
            devices: self.computing.accounts(),
            links,
            counts: crate::outcome::Counts { operations, ..self.counts },
            volunteers: self.volunteers.seen(),
            warnings: crate::plain::warnings(self.matching.messages(), unwaited),
        })
    }
}
