//! Waiting for some of several requests.

use super::process::{Order, Request, State};
use super::run::{Event, Run, What};
use crate::application::Wanted;
use crate::engine::kernel::ledger::Reason;
use crate::outcome::Activity;
use crate::tick::Tick;
use runcast_core::Problem;
use std::cmp::Reverse;

/// What a process spends that looks whether requests are complete, and finds that they are not: otherwise one that looks
/// again and again would never let time go on.
pub const LOOK_S: f64 = 1e-6;

impl Run<'_> {
    /// Whether enough of the requests of a set are complete; then the process may continue. The first to be complete counts,
    /// of several at one time that with the lowest place.
    pub fn several_are_over(&mut self, own: u32, set: u32, wanted: Wanted) -> Result<bool, Problem> {
        let process = &mut self.processes[own as usize];
        let free = process.free();
        if free > self.now {
            // Until then others may be complete.
            self.look_again(own, free);
            return Ok(false);
        }
        let numbers = &self.application.sets[set as usize];
        let completed = |request: Request| match request {
            Request::Free => Some(0),
            Request::Done { at, .. } | Request::TaskOver { at } => Some(at),
            _ => None,
        };
        let times: Vec<Option<Tick>> = numbers.iter().map(|number| completed(process.request(*number))).collect();
        let mut places: Vec<u32> =
            (0..times.len() as u32).filter(|place| times[*place as usize].is_some_and(|at| at <= self.now)).collect();
        match wanted {
            Wanted::Any => {
                places.sort_by_key(|place| times[*place as usize]);
                places.truncate(1);
            }
            Wanted::Some => {}
            Wanted::AllNow => {
                if places.len() < times.len() {
                    process.ready = self.job.tick.add(self.now, self.job.tick.of(LOOK_S)?)?;
                    process.idle = Some(Reason::As(Activity::Wait, None));
                    return Ok(true);
                }
            }
        }
        if places.is_empty() {
            if let Some(at) = times.iter().flatten().min() {
                self.look_again(own, *at);
            }
            return Ok(false);
        }
        for place in &places {
            let number = self.application.sets[set as usize][*place as usize];
            if let Request::Done { received, .. } = process.request(number) {
                process.received = received;
            }
            process.set_request(number, Request::Free);
        }
        process.completed = places;
        Ok(true)
    }

    fn look_again(&mut self, own: u32, at: Tick) {
        let order = Order { made: self.now, process: own, counter: u32::MAX };
        self.queue.push(Reverse(Event { at, order, what: What::Several(own) }));
    }

    /// A request of a process is complete that waits for some of a set.
    pub fn if_among_several(
        &mut self,
        own: u32,
        request: u32,
        reason: Reason,
        (set, wanted): (u32, Wanted),
    ) -> Result<(), Problem> {
        let is_among = self.application.sets[set as usize].contains(&request);
        if !is_among || !self.several_are_over(own, set, wanted)? {
            return Ok(());
        }
        self.leave_several(own, reason)
    }

    fn leave_several(&mut self, own: u32, reason: Reason) -> Result<(), Problem> {
        let process = &mut self.processes[own as usize];
        process.ready = process.ready.max(self.now);
        process.idle_until(self.now);
        self.account(own, reason);
        self.advance(own)
    }

    /// The time has come when a request is complete that a process may still wait for.
    pub fn several_event(&mut self, own: u32) -> Result<(), Problem> {
        let State::Several { set, wanted } = self.processes[own as usize].state else { return Ok(()) };
        if self.several_are_over(own, set, wanted)? {
            self.leave_several(own, Reason::As(Activity::Wait, None))?;
        }
        Ok(())
    }
}
