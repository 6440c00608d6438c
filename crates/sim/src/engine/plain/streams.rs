//! Tasks that devices do in streams, beside the processes that launched them.

use super::process::{Request, State};
use super::run::{Event, Run, What};
use crate::application::Task;
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::streams::{Launched, Who, activity, cost_of_copy, stream_of};
use runcast_core::Problem;
use std::cmp::Reverse;

impl Run<'_> {
    /// A process launches a task; without a request it waits for it.
    pub fn begin_task(&mut self, own: u32, task: Task, request: Option<u32>) -> Result<(), Problem> {
        self.settle(own);
        let (device, stream) = stream_of(self.application, self.job.world, u64::from(own), task)?;
        let launched = Launched { process: own, task, device, stream, request, began: 0 };
        let (number, is_first) = self.streams.add(launched);
        let process = &mut self.processes[own as usize];
        match request {
            Some(request) => process.set_request(request, Request::Task(number)),
            None => process.state = State::Task(number),
        }
        if is_first && !self.start_task(number)? {
            self.end_task(number)?;
        }
        // One that waits goes on when the task is over.
        if request.is_some() { self.advance(own) } else { Ok(()) }
    }

    /// A task is the first of its stream; false: it takes no time.
    fn start_task(&mut self, number: u32) -> Result<bool, Problem> {
        self.streams.begin(number, self.now);
        let Launched { process: own, task, device, .. } = self.streams.get(number);
        match task {
            Task::Block(block) => {
                let seconds = self.block_seconds(own, block)?;
                if self.job.tick.of(seconds)? == 0 {
                    return Ok(false);
                }
                if let Some(crowd) = self.crowd_of(own) {
                    let threads = self.application.blocks[block as usize].threads;
                    self.hand_out(Who::Task(number), own, crowd, (seconds, threads))?;
                    return Ok(true);
                }
                self.begin_on_node(Who::Task(number), own, (device, block), seconds)?;
            }
            Task::Copy(copy) => {
                let direction = self.application.copies[copy as usize].direction;
                if self.streams.take_engine(number, direction, self.job.world.copy_engines(device)) {
                    self.start_copy(number, copy)?;
                }
            }
        }
        Ok(true)
    }

    /// A copy has an engine: its latency.
    fn start_copy(&mut self, number: u32, copy: u32) -> Result<(), Problem> {
        let own = self.streams.get(number).process;
        let cost = cost_of_copy(self.application, self.job.world, own, copy)?;
        if let Some(step) = self.tape.as_mut().and_then(|tape| tape[own as usize].last_mut()) {
            step.alone_s = cost.latency_s + cost.alone_s;
        }
        // Both are errors here rather than ends that never come.
        let latency = self.job.tick.of(cost.latency_s)?;
        self.job.tick.of(cost.alone_s)?;
        let at = self.job.tick.add(self.now, latency)?;
        let order = self.processes[own as usize].order(own, self.now);
        self.queue.push(Reverse(Event { at, order, what: What::Task(number) }));
        Ok(())
    }

    /// Its latency is over: bytes flow.
    pub fn flow_of_task(&mut self, number: u32) -> Result<(), Problem> {
        let Launched { process, task: Task::Copy(copy), .. } = self.streams.get(number) else { return Ok(()) };
        let cost = cost_of_copy(self.application, self.job.world, process, copy)?;
        self.flow(Who::Task(number), cost.resource, cost.alone_s)
    }

    /// The threads of a block are free again: how many, on which device.
    pub fn stop_task(&mut self, number: u32) -> (u32, f64) {
        let Launched { process: own, task, device, began, .. } = self.streams.get(number);
        let Task::Block(block) = task else { return (device, 0.0) };
        let threads = self.application.blocks[block as usize].threads;
        self.count_threads(own, began, threads);
        (device, threads)
    }

    /// A task is over, and those behind it in its stream that take no time.
    pub fn end_task(&mut self, number: u32) -> Result<(), Problem> {
        let mut over = Some(number);
        while let Some(number) = over {
            let Launched { process: own, task, device, request, .. } = self.streams.get(number);
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
            self.tell(own, number, task, request)?;
        }
        Ok(())
    }

    /// A process may wait for a task that is over, or for all that it launched.
    fn tell(&mut self, own: u32, number: u32, task: Task, request: Option<u32>) -> Result<(), Problem> {
        let process = &mut self.processes[own as usize];
        let reason = Reason::As(activity(task), None);
        if let Some(request) = request.filter(|request| process.request(*request) == Request::Task(number)) {
            process.set_request(request, Request::TaskOver { at: self.now });
            self.if_awaited(own, request, reason)?;
        } else if process.state == State::Task(number) {
            return self.go_on(own, activity(task));
        }
        let process = &mut self.processes[own as usize];
        if process.state == State::Tasks && self.streams.are_over(own) {
            process.idle_until(self.now);
            process.ready = process.ready.max(self.now);
            process.state = State::Ended;
            self.account(own, reason);
        }
        Ok(())
    }
}
