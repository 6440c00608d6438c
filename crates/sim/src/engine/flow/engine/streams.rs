//! Tasks that devices do in streams, beside the processes that launched them.

use super::process::Blocked;
use super::{Run, What};
use crate::application::Task;
use crate::engine::kernel::streams::{Launched, Who, cost_of_copy, stream_of};
use crate::flow::requests::Slot;
use runcast_core::Problem;

impl Run<'_> {
    /// A process launches a task; without a request it waits for it.
    pub(super) fn begin_task(&mut self, own: u32, task: Task, request: Option<u32>) -> Result<(), Problem> {
        let (device, stream) = stream_of(self.application, self.job.world, u64::from(own), task)?;
        let launched = Launched { process: own, task, device, stream, request, began: 0 };
        let (number, is_first) = self.streams.add(launched);
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

    /// A task is the first of its stream; false: it takes no time.
    fn start_task(&mut self, number: u32) -> Result<bool, Problem> {
        self.streams.begin(number, self.now);
        let Launched { process: own, task, device, .. } = self.streams.get(number);
        match task {
            Task::Block(block) => {
                let seconds = self.block_seconds(own, block)?;
                let ticks = self.tick.of(seconds)?;
                if ticks == 0 {
                    return Ok(false);
                }
                if let Some(crowd) = self.crowd_of(own) {
                    let threads = self.application.blocks[block as usize].threads;
                    self.hand_out(Who::Task(number), own, crowd, (ticks, threads))?;
                    return Ok(true);
                }
                self.begin_on_node(Who::Task(number), own, (device, block), seconds)?;
            }
            Task::Copy(copy) => {
                let direction = self.application.copies[copy as usize].direction;
                let engines = self.job.world.copy_engines(device);
                if self.streams.take_engine(number, direction, engines) {
                    self.start_copy(number, copy)?;
                }
            }
        }
        Ok(true)
    }

    /// A copy has an engine: its latency.
    fn start_copy(&mut self, number: u32, copy: u32) -> Result<(), Problem> {
        let cost = cost_of_copy(self.application, self.job.world, self.streams.get(number).process, copy)?;
        self.tick.of(cost.alone_s)?;
        let at = self.later(self.tick.of(cost.latency_s)?)?;
        self.post(at, What::Task(number));
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

    /// A task is over, and those behind it in its stream that take no time.
    pub(super) fn end_task(&mut self, number: u32) -> Result<(), Problem> {
        let mut over = Some(number);
        while let Some(number) = over {
            let Launched { process: own, task, device, request, .. } = self.streams.get(number);
            let process = &mut self.processes[own as usize];
            if let Some(request) = request {
                process.requests.end_task(request, number, self.now);
            }
            if process.blocked == Blocked::Task(number) {
                self.account_blocked(own);
                self.processes[own as usize].blocked = Blocked::No;
                self.ready.push_back(own);
            }
            self.look_at_several(own)?;
            if let Task::Copy(copy) = task {
                let direction = self.application.copies[copy as usize].direction;
                let engines = self.job.world.copy_engines(device);
                if let Some(next) = self.streams.free_engine(device, direction, engines)
                    && let Task::Copy(copy) = self.streams.get(next).task
                {
                    self.start_copy(next, copy)?;
                }
            }
            over = match self.streams.end(number) {
                Some(next) if !self.start_task(next)? => Some(next),
                _ => None,
            };
            if self.processes[own as usize].blocked == Blocked::Tasks && self.streams.are_over(own) {
                self.account_blocked(own);
                self.processes[own as usize].blocked = Blocked::No;
                self.ready.push_back(own);
            }
        }
        Ok(())
    }
}
