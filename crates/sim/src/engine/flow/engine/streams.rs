//! Tasks that devices do in streams, beside the processes that launched them.

use super::process::Blocked;
use super::{Run, What};
use crate::application::Task;
use crate::engine::kernel::streams::{Launched, Launches, Launching, Who, cost_of_copy};
use crate::flow::requests::Slot;
use runcast_core::Problem;

impl Run<'_> {
    /// A process launches a task; without a request it waits for it.
    pub(super) fn begin_task(&mut self, own: u32, task: Task, request: Option<u32>) -> Result<(), Problem> {
        let what = (&*self.application, self.job.world);
        let (number, is_first) = self.streams.launch(what, (own, u64::from(own)), task, request)?;
        let process = &mut self.processes[own as usize];
        match request {
            Some(request) => process.requests.insert(request, Slot::Task(number)),
            None => process.blocked = Blocked::Task(number),
        }
        if is_first && !self.start_task(number)? {
            self.end_task(number)?;
        }
        Ok(())
    }

    /// Its latency is over: bytes flow.
    pub(super) fn flow_of_task(&mut self, number: u32) -> Result<(), Problem> {
        let Launched { process, task: Task::Copy(copy), .. } = self.streams.get(number) else { return Ok(()) };
        let cost = cost_of_copy(self.application, self.job.world, process, copy)?;
        self.share_resource(Who::Task(number), cost.resource, cost.alone_s)
    }

    /// The threads of a block are free again: on which device.
    pub(super) fn stop_task(&mut self, number: u32) -> u32 {
        let Launched { process: own, task, device, began, .. } = self.streams.get(number);
        if let Task::Block(block) = task {
            let threads = self.application.blocks[block as usize].threads;
            self.stop_threads(own, began, device, threads);
        }
        device
    }

    /// A process that waited for its devices goes on.
    fn is_free(&mut self, own: u32) {
        self.account_blocked(own);
        self.processes[own as usize].blocked = Blocked::No;
        self.ready.push_back(own);
    }
}

impl Launches for Run<'_> {
    fn launching(&mut self) -> Launching<'_> {
        Launching { streams: &mut self.streams, application: self.application, world: self.job.world, now: self.now }
    }

    fn start_block(&mut self, number: u32, launched: Launched, block: u32) -> Result<bool, Problem> {
        let own = launched.process;
        let seconds = self.block_seconds(own, block)?;
        let ticks = self.tick.of(seconds)?;
        if ticks == 0 {
            return Ok(false);
        }
        if let Some(crowd) = self.crowd_of(own) {
            let threads = self.application.blocks[block as usize].threads;
            self.hand_out(Who::Task(number), own, crowd, (ticks, threads))?;
        } else {
            self.begin_on_node(Who::Task(number), own, (launched.device, block), seconds)?;
        }
        Ok(true)
    }

    fn start_copy(&mut self, number: u32, copy: u32) -> Result<(), Problem> {
        let cost = cost_of_copy(self.application, self.job.world, self.streams.get(number).process, copy)?;
        self.tick.of(cost.alone_s)?;
        let at = self.later(self.tick.of(cost.latency_s)?)?;
        self.post(at, What::Task(number));
        Ok(())
    }

    fn task_is_over(&mut self, number: u32, launched: Launched) -> Result<(), Problem> {
        let own = launched.process;
        let process = &mut self.processes[own as usize];
        if let Some(request) = launched.request {
            process.requests.end_task(request, number, self.now);
        }
        if process.blocked == Blocked::Task(number) {
            self.is_free(own);
        }
        self.look_at_several(own)?;
        if self.processes[own as usize].blocked == Blocked::Tasks && self.streams.are_over(own) {
            self.is_free(own);
        }
        Ok(())
    }
}
