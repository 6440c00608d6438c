//! Blocks of classes that are placed on volunteers: a job for each process, for whichever volunteer is idle.

use super::run::Run;
use super::state::{Waits, What};
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::streams::{Launches, Who};
use crate::engine::kernel::volunteers::{Events, Order};
use crate::outcome::Activity;
use crate::tick::Tick;
use runcast_core::Problem;

impl Run<'_> {
    /// The volunteers that compute for a class, if it is placed on some.
    #[inline]
    pub fn crowd_of(&self, own: u32) -> Option<u32> {
        self.job.world.crowd(self.places[own as usize].class)
    }

    /// A class, or a task of it, has volunteers do a job for each of its processes.
    pub fn hand_out(&mut self, who: Who, own: u32, crowd: u32, (seconds, threads): (f64, f64)) -> Result<(), Problem> {
        let work = self.job.tick.of(seconds)?;
        if let Who::Process(own) = who {
            if work == 0 {
                return self.advance(own);
            }
            self.state.classes[own as usize].waits = Waits::Volunteers;
        }
        let jobs = self.classes.list[own as usize].count;
        let order = Order { who: who.number(), of: own, jobs, more: 0, work, threads };
        self.ask_volunteers(crowd, order)
    }

    /// Jobs go to volunteers.
    pub fn ask_volunteers(&mut self, crowd: u32, order: Order) -> Result<(), Problem> {
        // When hosts come and go is not part of the state that is compared.
        self.watch.never();
        let next = self.devices.volunteers.add(self.job, crowd, order, self.now)?;
        self.await_volunteers(crowd, next);
        Ok(())
    }

    fn await_volunteers(&mut self, crowd: u32, next: Option<(Tick, u32)>) {
        if let Some((at, version)) = next {
            self.post_of_device(0, at, crowd, What::Volunteers(crowd, version));
        }
    }

    /// Jobs may be over.
    pub fn volunteers_event(&mut self, crowd: u32, version: u32) -> Result<(), Problem> {
        let mut events = Events::default();
        let next = self.devices.volunteers.advance(crowd, version, self.now, &mut events)?;
        self.await_volunteers(crowd, next);
        for (own, thread_ticks) in events.worked {
            let processes = self.classes.list[own as usize].count;
            self.progress.sums[own as usize].thread_ticks += thread_ticks / processes.max(1) as f64;
        }
        for who in events.over {
            match Who::of(who) {
                Who::Process(own) if self.devices.farms.contains_key(&own) => {
                    if let Some(away) = self.devices.farms.remove(&own) {
                        self.farm_is_over(u32::MAX, away)?;
                    }
                }
                Who::Process(own) => {
                    self.be_idle(own, Reason::As(Activity::Compute, None));
                    self.advance(own)?;
                }
                Who::Task(task) => self.end_task(task)?,
            }
        }
        Ok(())
    }
}
