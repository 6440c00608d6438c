//! The end: accounts, warnings, and deadlocks.

use super::classes::partner_of;
use super::run::Run;
use super::state::Waits;
use super::wiring::What;
use crate::application::{ANY_TAG, Op};
use crate::deadlock;
use crate::engine::kernel::ledger::Reason;
use crate::outcome::{Activity, LabelAccount, Outcome, PhaseAccount, add_drawn};
use runcast_core::{Problem, Warning};

/// Processes that are followed to find who waits for whom.
const MOST_FOLLOWED: usize = 10_000;

impl Run<'_> {
    /// Nothing happens any more: whether all have ended.
    pub fn ended(&self) -> bool {
        self.state.classes.iter().all(|class| class.waits == Waits::Ended)
    }

    /// Who waits forever for whom: from the representatives on to their partners, and to theirs.
    pub fn deadlock(&self) -> Problem {
        let mut blocked: std::collections::BTreeMap<u64, Option<u64>> = std::collections::BTreeMap::new();
        let mut next: Vec<u64> = self.classes.list.iter().rev().map(|class| class.process).collect();
        let mut of = 0;
        for (class, state) in self.classes.list.iter().zip(&self.state.classes) {
            of += if state.waits == Waits::Ended { 0 } else { class.count };
        }
        while let Some(process) = next.pop() {
            let Some(class) = self.classes.of(self.application, process) else { continue };
            if self.state.classes[class as usize].waits == Waits::Ended || blocked.contains_key(&process) {
                continue;
            }
            let partner = self.stuck(process, class).and_then(|op| partner_of(&op, process));
            blocked.insert(process, partner);
            if blocked.len() < MOST_FOLLOWED {
                next.extend(partner);
            }
        }
        let blocked: Vec<(u64, Option<u64>)> = blocked.into_iter().collect();
        let mut problem = deadlock::problem(&blocked, self.application.processes(), &|process| self.describe(process));
        if of > blocked.len() as u64 {
            problem.message = problem.message.replacen(&blocked.len().to_string(), &of.to_string(), 1);
        }
        problem.in_file(self.application.file.clone())
    }

    /// The operation of a process that its class waits in: for a request the one that began it.
    fn stuck(&self, process: u64, class: u32) -> Option<Op> {
        let state = &self.state.classes[class as usize];
        let program = self.application.program_of(process)?;
        let ops = &self.application.programs[program as usize].ops;
        let (op, _) = ops.get(state.position as usize)?;
        let Op::Wait { request } = *op else { return Some(*op) };
        let begun = |(op, _): &&(Op, _)| match op {
            Op::Isend { request: number, .. } | Op::Irecv { request: number, .. } => *number == request,
            Op::Icollective { request: number, .. } | Op::Launch { request: number, .. } => *number == request,
            _ => false,
        };
        // In a loop it may stand after the wait.
        let before = ops[..state.position as usize].iter().rev().find(begun);
        before.or_else(|| ops.iter().rev().find(begun)).map(|(op, _)| *op)
    }

    /// `cell[3] recv from cell[4] tag 1 (heat.luau:14)`.
    fn describe(&self, process: u64) -> String {
        let application = self.application;
        let name = application.name_of(process);
        let Some(class) = self.classes.of(application, process) else { return name };
        let state = &self.state.classes[class as usize];
        let tagged = |tag| if tag == ANY_TAG { "any tag".to_owned() } else { format!("tag {tag}") };
        let op = self.stuck(process, class);
        let partner = op.and_then(|op| partner_of(&op, process)).map_or("any".to_owned(), |to| application.name_of(to));
        let does = match op {
            Some(Op::Recv { tag, .. }) => format!("recv from {partner} {}", tagged(tag)),
            Some(Op::Irecv { tag, .. }) => format!("wait for recv from {partner} {}", tagged(tag)),
            Some(Op::Send { size, tag, .. }) => format!("send of {size} B to {partner} {}", tagged(tag)),
            Some(Op::Isend { size, tag, .. }) => format!("wait for send of {size} B to {partner} {}", tagged(tag)),
            _ => match state.waits {
                Waits::Meets(meeting) => match self.wiring.meetings[meeting as usize].what {
                    What::Group(_) => "in a collective that others do not enter".to_owned(),
                    What::Farm(_) => "in a farm that others do not enter".to_owned(),
                    What::Between(kind, from, to) => {
                        let label = |label: u32| &application.labels[label as usize].name;
                        format!("in a {} from {} to {} that others do not enter", kind.name(), label(from), label(to))
                    }
                },
                _ => "blocked".to_owned(),
            },
        };
        format!("{name} {does} ({})", application.place_of(state.site))
    }

    /// What was found out.
    pub fn outcome(mut self) -> Outcome {
        let labels = self.application.labels.len();
        let mut outcome = Outcome { labels: vec![LabelAccount::default(); labels], ..Outcome::default() };
        let mut phases = vec![vec![0_u128; labels]; self.application.phases.len()];
        let (mut messages, mut requests) = (0_u64, 0_u64);
        for ((own, _), node) in &self.devices.nodes {
            let class = self.classes.list[*own as usize];
            for (device, watt_ticks) in node.drawn() {
                let component = self.job.world.device(*device).component;
                let drawn = &mut outcome.labels[class.label as usize].drawn;
                add_drawn(drawn, component, watt_ticks * class.count as f64);
            }
        }
        for number in 0..self.state.classes.len() {
            let class = self.classes.list[number];
            let state = &mut self.state.classes[number];
            let (end, site) = (state.free(), state.site);
            state.ledger.idle_until(site, end);
            let left = state.requests.iter().filter(|request| request.is_left()).count() as u64;
            requests = requests.saturating_add(left.saturating_mul(class.count));
            messages = messages.saturating_add((state.matching.messages() as u64).saturating_mul(class.count));
            self.account(number as u32, Reason::As(Activity::Wait, None));
            let sums = &self.progress.sums[number];
            let count = u128::from(class.count);
            let account = &mut outcome.labels[class.label as usize];
            for (total, ticks) in account.ticks.iter_mut().zip(sums.ticks) {
                *total = total.saturating_add(ticks.saturating_mul(count));
            }
            account.finish = account.finish.saturating_add(u128::from(end).saturating_mul(count));
            account.last = account.last.max(end);
            account.thread_ticks += sums.thread_ticks * class.count as f64;
            for (component, watt_ticks) in &sums.drawn {
                add_drawn(&mut account.drawn, *component, watt_ticks * class.count as f64);
            }
            account.messages = account.messages.saturating_add(sums.messages.saturating_mul(class.count));
            account.bytes = account.bytes.saturating_add(sums.bytes.saturating_mul(class.count));
            account.classes += 1;
            outcome.end = outcome.end.max(end);
            let operations = sums.operations.saturating_mul(class.count);
            outcome.counts.operations = outcome.counts.operations.saturating_add(operations);
            for (phase, ticks) in sums.phases.iter().enumerate() {
                let total = &mut phases[phase][class.label as usize];
                *total = total.saturating_add(ticks.saturating_mul(count));
            }
        }
        for (label, (messages, bytes)) in self.progress.extra.iter().enumerate() {
            let account = &mut outcome.labels[label];
            account.messages = account.messages.saturating_add(*messages);
            account.bytes = account.bytes.saturating_add(*bytes);
        }
        for account in &outcome.labels {
            outcome.counts.messages = outcome.counts.messages.saturating_add(account.messages);
            outcome.counts.bytes = outcome.counts.bytes.saturating_add(account.bytes);
        }
        outcome.counts.collectives = self.progress.counts.collectives;
        outcome.counts.events = self.progress.counts.events;
        outcome.volunteers = self.devices.volunteers.seen();
        for (phase, of_labels) in phases.into_iter().enumerate() {
            for (label, ticks) in of_labels.into_iter().enumerate().filter(|(_, ticks)| *ticks > 0) {
                outcome.phases.push(PhaseAccount { phase: phase as u32, label: label as u32, ticks });
            }
        }
        if messages > 0 {
            outcome.warnings.push(Warning::new("never_received", format!("{messages} messages were never received")));
        }
        if requests > 0 {
            outcome.warnings.push(Warning::new("never_waited", format!("{requests} requests were never waited for")));
        }
        outcome
    }
}
