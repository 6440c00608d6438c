//! Blocks of processes that are placed on volunteers: jobs for whichever of them is idle.

use super::process::Busy;
use super::{Run, What};
use crate::engine::kernel::streams::{Launches, Who};
use crate::engine::kernel::volunteers::{Events, Order};
use crate::outcome::Activity;
use crate::tick::Tick;
use runcast_core::Problem;

impl Run<'_> {
    /// The volunteers that compute for a process, if it is placed on some.
    #[inline]
    pub(super) fn crowd_of(&self, own: u32) -> Option<u32> {
        self.job.world.crowd(self.processes[own as usize].place.class)
    }

    /// A process, or a task of it, has volunteers do a job.
    pub(super) fn hand_out(
        &mut self,
        who: Who,
        own: u32,
        crowd: u32,
        (work, threads): (Tick, f64),
    ) -> Result<(), Problem> {
        let order = Order { who: who.number(), of: own, jobs: 1, more: 0, work, threads };
        let next = self.volunteers.add(&self.job, crowd, order, self.now)?;
        self.await_volunteers(crowd, next);
        Ok(())
    }

    fn await_volunteers(&mut self, crowd: u32, next: Option<(Tick, u32)>) {
        if let Some((at, version)) = next {
            self.post(at, What::Volunteers(crowd, version));
        }
    }

    /// Jobs may be over.
    pub(super) fn volunteers_event(&mut self, crowd: u32, version: u32) -> Result<(), Problem> {
        let mut events = Events::default();
        let next = self.volunteers.advance(crowd, version, self.now, &mut events)?;
        self.await_volunteers(crowd, next);
        for (own, thread_ticks) in events.worked {
            let label = self.processes[own as usize].cursor.label();
            self.accounts.labels[label as usize].thread_ticks += thread_ticks;
        }
        for who in events.over {
            match Who::of(who) {
                Who::Process(own) => {
                    self.processes[own as usize].busy = Busy::Free;
                    self.account(own, Activity::Compute, None);
                    self.ready.push_back(own);
                }
                Who::Task(task) => self.end_task(task)?,
            }
        }
        Ok(())
    }
}
