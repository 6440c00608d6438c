//! Tasks that devices do in streams, beside the representatives that launched them. How much the devices are shared with the
//! other processes of a class is a factor, as for all blocks at this level.

use super::meet::FarmAway;
use super::run::Run;
use super::state::{Event, Request, Waits, What};
use crate::application::Task;
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::node::{Begins, Node};
use crate::engine::kernel::streams::{Launched, Launches, Launching, Streams, Who, activity};
use crate::engine::kernel::volunteers::Pools;
use crate::plain::Order;
use crate::tick::Tick;
use crate::world::Io;
use runcast_core::Problem;
use runcast_core::hash::MixMap;
use std::cmp::Reverse;

/// What devices do for representatives.
#[derive(Debug, Default)]
pub struct Devices {
    pub streams: Streams,
    pub volunteers: Pools,
    /// Farms whose tasks are with volunteers, by the class of their master.
    pub farms: MixMap<u32, FarmAway>,
    /// Blocks at work for a class on a node.
    pub nodes: MixMap<(u32, u32), Node>,
}

impl Run<'_> {
    /// A class launches a task; without a request it waits for it.
    pub fn begin_task(&mut self, own: u32, task: Task, request: Option<u32>) -> Result<(), Problem> {
        self.settle(own);
        // What devices do is not part of the state that is compared.
        self.watch.never();
        let process = self.classes.list[own as usize].process;
        let what = (self.application, self.job.world);
        let (number, is_first) = self.devices.streams.launch(what, (own, process), task, request)?;
        let class = &mut self.state.classes[own as usize];
        match request {
            Some(request) => class.set_request(request, Request::Task(number)),
            None => class.waits = Waits::Task(number),
        }
        if is_first && !self.start_task(number)? {
            self.end_task(number)?;
        }
        // One that waits goes on when the task is over.
        if request.is_some() { self.advance(own) } else { Ok(()) }
    }

    pub fn post_of_device(&mut self, own: u32, at: Tick, counter: u32, what: What) {
        let order = Order { made: self.now, process: u32::MAX, counter };
        self.queue.push(Reverse(Event { at, order, made_by: own, what }));
    }

    fn node_changed(&mut self, own: u32, number: u32) -> Result<(), Problem> {
        let node = self.devices.nodes.entry((own, number)).or_default();
        let tick = self.job.tick;
        let next =
            node.changed(self.job.world, number, &self.application.blocks, &self.blocks.answered, &|| tick.overflow())?;
        let version = node.version;
        if let Some(at) = next {
            self.post_of_device(own, at, number, What::Node { class: own, node: number, version });
        }
        Ok(())
    }

    /// The first blocks of a class on a node may be over.
    pub fn node_event(&mut self, own: u32, number: u32, version: u32) -> Result<(), Problem> {
        let node = self.devices.nodes.entry((own, number)).or_default();
        if node.version != version {
            return Ok(());
        }
        let mut ended = Vec::new();
        node.advance(self.now);
        node.ended(self.now, &mut ended);
        ended.sort_unstable();
        for who in ended {
            if let Who::Task(task) = Who::of(who) {
                self.end_task(task)?;
            }
        }
        self.node_changed(own, number)
    }

    /// A class was idle up to now.
    pub fn be_idle(&mut self, own: u32, reason: Reason) {
        let class = &mut self.state.classes[own as usize];
        class.ready = class.ready.max(self.now);
        let site = class.site;
        class.ledger.idle_until(site, self.now);
        self.account(own, reason);
    }
}

impl Launches for Run<'_> {
    fn launching(&mut self) -> Launching<'_> {
        Launching {
            streams: &mut self.devices.streams,
            application: self.application,
            world: self.job.world,
            now: self.now,
        }
    }

    fn start_block(&mut self, number: u32, launched: Launched, block: u32) -> Result<bool, Problem> {
        let Launched { process: own, device, .. } = launched;
        let seconds = self.seconds(own, block)?;
        if self.job.tick.of(seconds)? == 0 {
            return Ok(false);
        }
        if let Some(crowd) = self.crowd_of(own) {
            let threads = self.application.blocks[block as usize].threads;
            self.hand_out(Who::Task(number), own, crowd, (seconds, threads))?;
            return Ok(true);
        }
        let class = self.places[own as usize].class;
        let demand = self.blocks.demand(self.job.world, self.application, block, class)?;
        let work = seconds / self.job.tick.seconds();
        let node = self.job.world.node(device).node;
        let shared = self.devices.nodes.entry((own, node)).or_default();
        shared.advance(self.now);
        let begins = Begins { own, who: Who::Task(number).number(), block, class, device, work };
        shared.begin(self.job.world, self.now, &demand, begins);
        self.node_changed(own, node)?;
        Ok(true)
    }

    fn start_copy(&mut self, number: u32, copy: u32) -> Result<(), Problem> {
        let own = self.devices.streams.get(number).process;
        let application = self.application;
        let (io, size) = Io::of_copy(&application.copies[copy as usize], &application.names);
        let cost = self.job.world.io(io, size, self.classes.list[own as usize].process)?;
        let sharers = self.sharers(own, io, size, cost.resource)?;
        let seconds = cost.latency_s + size as f64 / cost.bandwidth * sharers as f64;
        let at = self.job.tick.add(self.now, self.job.tick.of(seconds)?)?;
        self.post_of_device(own, at, number, What::Task(number));
        Ok(())
    }

    fn task_is_over(&mut self, number: u32, launched: Launched) -> Result<(), Problem> {
        let Launched { process: own, task, request, began, .. } = launched;
        if let Task::Block(block) = task {
            let threads = self.application.blocks[block as usize].threads;
            self.progress.sums[own as usize].thread_ticks += (self.now - began) as f64 * threads;
        }
        let reason = Reason::As(activity(task), None);
        let class = &mut self.state.classes[own as usize];
        if let Some(request) = request.filter(|request| class.request(*request) == Request::Task(number)) {
            class.set_request(request, Request::TaskOver { at: self.now });
            self.if_awaited(own, request, reason)?;
        } else if class.waits == Waits::Task(number) {
            self.be_idle(own, reason);
            return self.advance(own);
        }
        if self.state.classes[own as usize].waits == Waits::Tasks && self.devices.streams.are_over(own) {
            self.be_idle(own, reason);
            self.state.classes[own as usize].waits = Waits::Ended;
        }
        Ok(())
    }
}
