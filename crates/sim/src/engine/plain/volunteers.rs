//! Blocks of processes that are placed on volunteers: jobs for whichever of them is idle.

use super::process::{Order, State};
use super::run::{Event, Run, What};
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::streams::{Launches, Who};
use crate::engine::kernel::volunteers::{self, Events};
use crate::outcome::Activity;
use crate::tick::Tick;
use runcast_core::Problem;
use std::cmp::Reverse;

impl Run<'_> {
    /// The volunteers that compute for a process, if it is placed on some.
    #[inline]
    pub fn crowd_of(&self, own: u32) -> Option<u32> {
        self.job.world.crowd(self.processes[own as usize].place.class)
    }

    /// A process waits for a job, or a task of it does.
    pub fn hand_out(&mut self, who: Who, own: u32, crowd: u32, (seconds, threads): (f64, f64)) -> Result<(), Problem> {
        let work = self.job.tick.of(seconds)?;
        if let Who::Process(own) = who {
            if work == 0 || self.tape.is_some() {
                return self.advance(own);
            }
            let process = &mut self.processes[own as usize];
            process.state = State::Computes;
            process.clocks.cpu = Tick::MAX;
            process.ready = self.now;
        }
        let order = volunteers::Order { who: who.number(), of: own, jobs: 1, more: 0, work, threads };
        let next = self.volunteers.add(self.job, crowd, order, self.now)?;
        self.await_volunteers(crowd, next);
        Ok(())
    }

    fn await_volunteers(&mut self, crowd: u32, next: Option<(Tick, u32)>) {
        let Some((at, version)) = next else { return };
        let order = Order { made: self.now, process: u32::MAX, counter: crowd };
        self.queue.push(Reverse(Event { at, order, what: What::Volunteers(crowd, version) }));
    }

    /// Jobs may be over.
    pub fn volunteers_event(&mut self, crowd: u32, version: u32) -> Result<(), Problem> {
        let mut events = Events::default();
        let next = self.volunteers.advance(crowd, version, self.now, &mut events)?;
        self.await_volunteers(crowd, next);
        for (own, thread_ticks) in events.worked {
            let process = &self.processes[own as usize];
            self.accounts.labels[process.cursor.label() as usize].thread_ticks += thread_ticks;
        }
        for who in events.over {
            match Who::of(who) {
                Who::Process(own) => {
                    let process = &mut self.processes[own as usize];
                    process.clocks.cpu = self.now;
                    let began = process.ready;
                    self.work(own, began, self.now, Activity::Compute);
                    self.account(own, Reason::As(Activity::Compute, None));
                    self.advance(own)?;
                    self.await_take(own);
                }
                Who::Task(task) => self.end_task(task)?,
            }
        }
        Ok(())
    }
}
