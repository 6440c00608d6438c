//! Meetings of classes: collectives, farms, operations between labels.

use super::between;
use super::run::Run;
use super::state::{BLOCKING, Instance, Request, Waits};
use super::tasks::{self, FarmTimes};
use super::wiring::{Entry, What};
use crate::application::Op;
use crate::collective;
use crate::engine::kernel::ledger::Reason;
use crate::outcome::{Activity, Cause};
use crate::tick::Tick;
use runcast_core::Problem;

/// A farm that waits for its tasks.
#[derive(Debug)]
pub struct FarmAway {
    farm: u32,
    meeting: u32,
    /// When the last of its members came.
    start: Tick,
    /// Members that wait, with their requests.
    waiting: Vec<(u32, u32)>,
    times: FarmTimes,
}

impl Run<'_> {
    /// A class comes to an operation where it meets others. Whether it waits is seen in its state.
    pub fn enter(&mut self, own: u32, position: u32, op: Op, request: u32) -> Result<(), Problem> {
        let wiring = self.wiring;
        let entries = wiring.entries(own, position);
        let class = &self.state.classes[own as usize];
        let sends =
            matches!(op, Op::P2pSend { .. } | Op::One2OneSend { .. } | Op::ScatterSend { .. } | Op::GatherSend { .. });
        let at = if sends { self.now } else { class.free() };
        let Some(mine) = entries.iter().find(|entry| entry.own) else {
            let name = self.application.name_of(self.classes.list[own as usize].process);
            let message = format!("{name} takes part in an operation that it does not belong to");
            return Err(Problem::new("not_in_group", message).at(self.application.place_of(class.site)));
        };
        let class = &mut self.state.classes[own as usize];
        if request == BLOCKING {
            class.waits = Waits::Meets(mine.meeting);
        } else {
            class.set_request(request, Request::Meets);
        }
        for entry in entries {
            let meeting = &mut self.state.meetings[entry.meeting as usize];
            let index = meeting.ahead[entry.member as usize] as usize;
            meeting.ahead[entry.member as usize] += 1;
            let members = wiring.meetings[entry.meeting as usize].members.len();
            while meeting.open.len() <= index {
                meeting.open.push_back(Instance {
                    entered: vec![None; members],
                    times: vec![between::Times::default(); wiring.meetings[entry.meeting as usize].senders],
                    ..Instance::default()
                });
            }
            let instance = &mut meeting.open[index];
            instance.entered[entry.member as usize] = Some(at);
            if entry.own {
                instance.waiting.push((entry.member, request));
                if let Op::Collective(call) | Op::Icollective { collective: call, .. } = op {
                    self.same_call(own, *entry, index, call)?;
                }
            } else {
                instance.through += 1;
            }
            match wiring.meetings[entry.meeting as usize].what {
                What::Group(_) => self.gather(own, entry.meeting, index)?,
                What::Farm(farm) => self.farm(own, entry.meeting, index, farm)?,
                What::Between(..) => self.between(own, *entry, index, &op)?,
            }
            self.close(entry.meeting);
        }
        Ok(())
    }

    /// All members of a group must make the same call.
    fn same_call(&mut self, own: u32, entry: Entry, index: usize, call: u32) -> Result<(), Problem> {
        let instance = &mut self.state.meetings[entry.meeting as usize].open[index];
        let known = *instance.collective.get_or_insert(call);
        if known == call {
            return Ok(());
        }
        let name = |call: u32| self.application.collectives[call as usize].kind.name();
        let (one, another) = (name(known), name(call));
        let who = self.application.name_of(self.classes.list[own as usize].process);
        let message = if one == another {
            format!("{who} calls {one} with a different size, root or algorithm than the others")
        } else {
            format!("{who} calls {another} where others call {one}")
        };
        Err(Problem::new("collective_order", message)
            .at(self.application.place_of(self.state.classes[own as usize].site))
            .hint("all members of a group must make the same calls in the same order"))
    }

    /// Forgets instances that are over.
    fn close(&mut self, meeting: u32) {
        let members = self.wiring.meetings[meeting as usize].members.len() as u32;
        let meeting = &mut self.state.meetings[meeting as usize];
        while meeting.open.front().is_some_and(|instance| instance.through == members) {
            meeting.open.pop_front();
            for ahead in &mut meeting.ahead {
                *ahead -= 1;
            }
        }
    }

    /// The latest of the members that entered, if all did.
    fn last(&self, meeting: u32, index: usize, side: std::ops::Range<usize>) -> Option<(Tick, u32)> {
        let entered = &self.state.meetings[meeting as usize].open[index].entered[side.clone()];
        let members = &self.wiring.meetings[meeting as usize].members[side];
        let mut last = (0, members.first().copied().unwrap_or(0));
        for (at, member) in entered.iter().zip(members) {
            let at = (*at)?;
            if at > last.0 {
                last = (at, *member);
            }
        }
        Some(last)
    }

    /// A collective: all leave when the last is in and the formula's time has passed.
    fn gather(&mut self, own: u32, meeting: u32, index: usize) -> Result<(), Problem> {
        let all = self.wiring.meetings[meeting as usize].members.len();
        let Some((last, _)) = self.last(meeting, index, 0..all) else { return Ok(()) };
        let instance = &mut self.state.meetings[meeting as usize].open[index];
        let waiting = std::mem::take(&mut instance.waiting);
        instance.through += waiting.len() as u32;
        let Some(call) = instance.collective else { return Ok(()) };
        self.progress.counts.collectives = self.progress.counts.collectives.saturating_add(1);
        let seconds = collective::closed(self.application, self.job, call)?;
        let leave = self.job.tick.add(last, self.job.tick.of(seconds)?)?;
        for (member, request) in waiting {
            let class = self.wiring.meetings[meeting as usize].members[member as usize];
            if request == BLOCKING {
                let state = &mut self.state.classes[class as usize];
                state.ready = state.ready.max(leave);
                state.idle = Some(Reason::As(Activity::Collective, None));
                self.resume(own, class);
                continue;
            }
            let state = &mut self.state.classes[class as usize];
            state.set_request(request, Request::Done { at: leave, collective: true });
            if state.waits == Waits::Request(request) {
                let (now, site) = (self.now, state.site);
                state.ledger.idle_until(site, now);
                self.account(class, Reason::As(Activity::Collective, None));
                self.wait_is_over(class, request);
                self.resume(own, class);
            }
        }
        Ok(())
    }

    /// A farm: all leave when its time has passed since the last came.
    fn farm(&mut self, own: u32, meeting: u32, index: usize, farm: u32) -> Result<(), Problem> {
        let wiring = self.wiring;
        let members = &wiring.meetings[meeting as usize].members;
        let Some((start, _)) = self.last(meeting, index, 0..members.len()) else { return Ok(()) };
        let instance = &mut self.state.meetings[meeting as usize].open[index];
        let waiting = std::mem::take(&mut instance.waiting);
        instance.through += waiting.len() as u32;
        let times = tasks::times(self, farm, members)?;
        let of = &self.application.farms[farm as usize];
        for (label, messages, bytes) in [
            (self.classes.list[members[0] as usize].label, times.tasks_sent, of.task_size.saturating_mul(of.tasks)),
            (of.to, times.results_sent, of.result_size.saturating_mul(of.tasks)),
        ] {
            let extra = &mut self.progress.extra[label as usize];
            *extra = (extra.0.saturating_add(messages), extra.1.saturating_add(bytes));
        }
        let order = times.order;
        let away = FarmAway { farm, meeting, start, waiting, times };
        match order {
            Some((crowd, order)) => {
                self.devices.farms.insert(members[0], away);
                self.ask_volunteers(crowd, order)
            }
            None => self.farm_is_over(own, away),
        }
    }

    /// The tasks of a farm are done: all leave, no earlier than its time allows.
    pub(super) fn farm_is_over(&mut self, own: u32, away: FarmAway) -> Result<(), Problem> {
        let FarmAway { farm, meeting, start, waiting, times } = away;
        let members = &self.wiring.meetings[meeting as usize].members;
        let leave = self.job.tick.add(start, times.total)?.max(self.now);
        let of = &self.application.farms[farm as usize];
        for (member, _) in waiting {
            let class = members[member as usize];
            let spent = times.spent[member as usize];
            let state = &mut self.state.classes[class as usize];
            let (site, computed) = (state.site, (start + spent.compute).min(leave));
            state.ledger.idle_until(site, start);
            state.ledger.work(site, start, computed, Activity::Compute);
            state.ledger.work(site, computed, (computed + spent.overhead).min(leave), Activity::Overhead);
            let under_way = if member == 0 { Activity::Wait } else { Activity::Transfer };
            state.ledger.work(site, start, leave, under_way);
            state.clocks.cpu = state.clocks.cpu.max(leave);
            state.ready = leave;
            if let Some(block) = if member == 0 { of.master_work } else { Some(of.work) } {
                self.draw(class, block, spent.compute)?;
            }
            // What volunteers compute is counted where they do.
            if member == 0 || times.order.is_none() {
                let sums = &mut self.progress.sums[class as usize];
                sums.thread_ticks += spent.compute as f64 * spent.threads;
            }
            self.account(class, Reason::As(Activity::Wait, None));
            self.resume(own, class);
        }
        Ok(())
    }

    /// An operation between two labels.
    fn between(&mut self, own: u32, entry: Entry, index: usize, op: &Op) -> Result<(), Problem> {
        let wiring = self.wiring;
        let meeting = &wiring.meetings[entry.meeting as usize];
        let What::Between(kind, from, to) = meeting.what else { return Ok(()) };
        let (senders, all) = (meeting.senders, meeting.members.len());
        let member = entry.member as usize;
        if member < senders
            && let Some(call) = between::call(self.application, kind, from, to, op)
        {
            let place = self.places[own as usize];
            let times = between::times(self.application, self.job, kind, (from, to), &call, &place)?;
            let instance = &mut self.state.meetings[entry.meeting as usize].open[index];
            if instance.call.is_some_and(|known| known != call) {
                let message = "processes of a label send different sizes or numbers of messages to another label";
                let site = self.state.classes[own as usize].site;
                return Err(Problem::new("unlike_sends", message).at(self.application.place_of(site)));
            }
            instance.times[member] = times;
            if instance.call.replace(call).is_none() {
                let extra = &mut self.progress.extra[from as usize];
                let bytes = call.all.saturating_mul(call.size);
                *extra = (extra.0.saturating_add(call.all), extra.1.saturating_add(bytes));
            }
            if !times.rendezvous {
                instance.waiting.retain(|(waiting, _)| *waiting != entry.member);
                instance.through += 1;
                self.state.classes[own as usize].waits = Waits::Runs;
                self.sent_to_label(own, self.now, &times)?;
            }
        }
        let Some((last_sent, last_sender)) = self.last(entry.meeting, index, 0..senders) else { return Ok(()) };
        let instance = &self.state.meetings[entry.meeting as usize].open[index];
        let rendezvous = instance.times.iter().any(|times| times.rendezvous);
        let last_received = self.last(entry.meeting, index, senders..all);
        if rendezvous && last_received.is_none() {
            return Ok(());
        }
        let begun = if rendezvous { last_received.map_or(0, |(at, _)| at) } else { 0 };
        let instance = &mut self.state.meetings[entry.meeting as usize].open[index];
        let waiting = std::mem::take(&mut instance.waiting);
        instance.through += waiting.len() as u32;
        let (times, entered) = (instance.times.clone(), instance.entered.clone());
        // The last message of all senders decides; a receiver that came late takes what is there.
        let mut done = 0;
        for (times, entered) in times.iter().zip(&entered) {
            done = done.max(self.job.tick.add(entered.unwrap_or(0).max(begun), times.receiver)?);
        }
        let slowest = times.iter().max_by_key(|times| times.late).copied().unwrap_or_default();
        let cause = Cause { process: self.process(last_sender), at: last_sent.max(begun), link: None };
        for (member, _) in waiting {
            let class = meeting.members[member as usize];
            let came = entered[member as usize].unwrap_or(0);
            if (member as usize) < senders {
                let start = came.max(begun);
                let state = &mut self.state.classes[class as usize];
                let site = state.site;
                state.ledger.idle_until(site, start);
                self.account(class, Reason::As(Activity::Wait, None));
                self.sent_to_label(class, start, &times[member as usize])?;
                self.resume(own, class);
                continue;
            }
            let end = done.max(self.job.tick.add(came, slowest.late)?);
            let state = &mut self.state.classes[class as usize];
            let site = state.site;
            state.ledger.idle_until(site, end.saturating_sub(slowest.takes).max(came));
            state.ledger.work(site, came, end, Activity::Overhead);
            state.clocks.cpu = state.clocks.cpu.max(end);
            state.clocks.take_nic = state.clocks.take_nic.max(end);
            state.ready = state.ready.max(end);
            self.account(class, Reason::Sent(cause));
            self.resume(own, class);
        }
        Ok(())
    }

    /// The processor and the NIC of a sender to a label are busy from then on.
    fn sent_to_label(&mut self, own: u32, start: Tick, times: &between::Times) -> Result<(), Problem> {
        let end = self.job.tick.add(start, times.sender)?;
        let state = &mut self.state.classes[own as usize];
        state.clocks.cpu = state.clocks.cpu.max(end);
        state.clocks.send_nic = state.clocks.send_nic.max(self.job.tick.add(start, times.sender_nic)?);
        let site = state.site;
        state.ledger.work(site, start, end, Activity::Overhead);
        self.account(own, Reason::As(Activity::Overhead, None));
        Ok(())
    }

    /// A class may continue: at once, when it is the one that is at work, otherwise as soon as that one waits.
    fn resume(&mut self, own: u32, class: u32) {
        self.state.classes[class as usize].waits = Waits::Runs;
        if class != own {
            self.runnable.push(class);
        }
    }
}
