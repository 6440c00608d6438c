//! Reads and writes: latency first, then bytes at a rate shared evenly among those at work.

use super::process::{Order, Pending, State};
use super::run::{Event, Run, What};
use crate::application::Op;
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::streams::{Launches, Who};
use crate::outcome::Activity;
use crate::world::Io;
use runcast_core::Problem;
use std::cmp::Reverse;

impl Run<'_> {
    /// Begins an operation: its latency.
    pub fn begin_io(&mut self, own: u32, op: Op) -> Result<(), Problem> {
        self.settle(own);
        let Some((io, size)) = Io::of(op, &self.application.names) else { return self.advance(own) };
        let cost = self.job.world.io(io, size, u64::from(own))?;
        let alone_s = size as f64 / cost.bandwidth;
        // Both are errors here rather than ends that never come.
        let latency = self.job.tick.of(cost.latency_s)?;
        self.job.tick.of(alone_s)?;
        if let Some(step) = self.tape.as_mut().and_then(|tape| tape[own as usize].last_mut()) {
            step.alone_s = cost.latency_s + alone_s;
        }
        let now = self.now;
        let process = &mut self.processes[own as usize];
        process.state = State::Copies;
        process.pending = Pending::Flow { resource: cost.resource, alone_s };
        let order = process.order(own, now);
        let at = self.job.tick.add(now, latency)?;
        self.queue.push(Reverse(Event { at, order, what: What::Local(own) }));
        Ok(())
    }

    /// Its bytes begin to flow.
    pub fn flow(&mut self, who: Who, resource: u32, alone_s: f64) -> Result<(), Problem> {
        let shared = self.resources.entry(resource).or_default();
        shared.advance(self.now);
        shared.add(alone_s / self.job.tick.seconds(), who.number());
        self.resource_changed(resource)
    }

    fn resource_changed(&mut self, number: u32) -> Result<(), Problem> {
        let shared = self.resources.entry(number).or_default();
        if shared.at_work() == 0 {
            return Ok(());
        }
        let Some(at) = shared.set_rate(1.0 / shared.at_work() as f64) else {
            return Err(self.job.tick.overflow());
        };
        let version = shared.version;
        let order = Order { made: self.now, process: u32::MAX - 1, counter: number };
        self.queue.push(Reverse(Event { at, order, what: What::Resource(number, version) }));
        Ok(())
    }

    /// An operation may be over.
    pub fn resource_event(&mut self, number: u32, version: u32) -> Result<(), Problem> {
        let shared = self.resources.entry(number).or_default();
        if shared.version != version {
            return Ok(());
        }
        shared.advance(self.now);
        let mut ended = std::mem::take(&mut self.ended);
        shared.ended(&mut ended);
        ended.sort_unstable();
        for who in &ended {
            let own = match Who::of(*who) {
                Who::Process(own) => own,
                Who::Task(task) => {
                    self.end_task(task)?;
                    continue;
                }
            };
            self.go_on(own, Activity::Io)?;
        }
        self.ended = ended;
        self.resource_changed(number)
    }

    /// What a process waited for is over: its idle time was spent so.
    pub fn go_on(&mut self, own: u32, activity: Activity) -> Result<(), Problem> {
        self.processes[own as usize].idle_until(self.now);
        self.account(own, Reason::As(activity, None));
        let process = &mut self.processes[own as usize];
        process.ready = process.ready.max(self.now);
        self.advance(own)
    }
}
