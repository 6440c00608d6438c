//! Tasks that devices do in streams, beside the processes that launched them.

use super::process::{Request, State};
use super::run::{Event, Run, What};
use crate::application::Task;
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::streams::{Launched, Launches, Launching, Who, activity, cost_of_copy};
use runcast_core::Problem;
use std::cmp::Reverse;

impl Run<'_> {
    /// A process launches a task; without a request it waits for it.
    pub fn begin_task(&mut self, own: u32, task: Task, request: Option<u32>) -> Result<(), Problem> {
        self.settle(own);
        let what = (&*self.application, self.job.world);
        let (number, is_first) = self.streams.launch(what, (own, u64::from(own)), task, request)?;
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
}

impl Launches for Run<'_> {
    fn launching(&mut self) -> Launching<'_> {
        Launching { streams: &mut self.streams, application: self.application, world: self.job.world, now: self.now }
    }

    fn start_block(&mut self, number: u32, launched: Launched, block: u32) -> Result<bool, Problem> {
        let own = launched.process;
        let seconds = self.block_seconds(own, block)?;
        if self.job.tick.of(seconds)? == 0 {
            return Ok(false);
        }
        if let Some(crowd) = self.crowd_of(own) {
            let threads = self.application.blocks[block as usize].threads;
            self.hand_out(Who::Task(number), own, crowd, (seconds, threads))?;
        } else {
            self.begin_on_node(Who::Task(number), own, (launched.device, block), seconds)?;
        }
        Ok(true)
    }

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

    fn task_is_over(&mut self, number: u32, launched: Launched) -> Result<(), Problem> {
        let Launched { process: own, task, request, .. } = launched;
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
