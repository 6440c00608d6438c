//! The loop over events, and what representatives do at theirs: the LogGOPS rule, as in [`crate::plain`].

mod messages;

use super::classes::Classes;
use super::state::{
    BLOCKING, ClassState, Event, Instances, Link, Matching, Pending, Progress, Request, State, Waits, What,
};
use super::steady::Watch;
use super::streams::Devices;
use super::walk::{Next, Walk};
use super::wiring::Wiring;
use crate::application::{ANY_TAG, Application, Op, Site, Source, Task};
use crate::engine::kernel::ledger::{Ledger, Reason};
use crate::engine::kernel::rule::{BlockCosts, Clocks, CostTable, SendCall};
use crate::engine::kernel::streams::{Launches, Who, stream_of};
use crate::job::Job;
use crate::outcome::{Activity, Observer, add_drawn};
use crate::plain::Order;
use crate::platform::{LinkId, Sending};
use crate::tick::Tick;
use crate::world::{Io, Place};
use runcast_core::Problem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events between two checks of [`Job::budget`].
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 14;
/// Steps that a class takes at most before others have their turn.
const STEPS_BETWEEN_EVENTS: u32 = 1 << 12;

/// A running simulation.
pub struct Run<'a> {
    pub job: &'a Job<'a>,
    pub application: &'a Application,
    pub observer: &'a mut dyn Observer,
    pub classes: &'a Classes,
    pub wiring: &'a Wiring,
    pub now: Tick,
    pub queue: BinaryHeap<Reverse<Event>>,
    pub state: State,
    pub progress: Progress,
    pub places: Vec<Place>,
    pub watch: Watch,
    /// Classes that may continue.
    pub runnable: Vec<u32>,
    /// Messages under way or waiting.
    messages: u64,
    costs: CostTable,
    pub blocks: BlockCosts,
    /// What devices do beside the processes.
    pub devices: Devices,
    /// When the accesses of a class to the memory of others are done.
    pub accesses: Vec<Tick>,
    links: Vec<LinkId>,
    /// How many of a class share the resource of an I/O operation, by class, resource.
    pub sharers: std::collections::HashMap<(u32, u32), u64>,
}

impl<'a> Run<'a> {
    pub fn new(
        job: &'a Job<'a>,
        application: &'a Application,
        observer: &'a mut dyn Observer,
        classes: &'a Classes,
        wiring: &'a Wiring,
    ) -> Result<Self, Problem> {
        let watch = Watch::new(job, application, classes, observer.wants());
        let mut states = Vec::with_capacity(classes.list.len());
        for class in &classes.list {
            let label = &application.labels[class.label as usize];
            states.push(ClassState {
                walk: Walk::default(),
                clocks: Clocks::default(),
                ready: job.tick.of(label.start_s)?,
                position: 0,
                site: Site::default(),
                pending: Pending::Nothing,
                waits: Waits::Runs,
                takes: Default::default(),
                take_event: None,
                matching: matching(application, class.program),
                requests: Vec::new(),
                ledger: Ledger::default(),
                idle: Some(Reason::As(Activity::Wait, None)),
            });
        }
        let count = states.len();
        let instances = |meeting: &super::wiring::Meeting| Instances {
            ahead: vec![0; meeting.members.len()],
            ..Instances::default()
        };
        Ok(Run {
            job,
            application,
            observer,
            classes,
            wiring,
            now: 0,
            queue: BinaryHeap::new(),
            state: State {
                classes: states,
                meetings: wiring.meetings.iter().map(instances).collect(),
                links: vec![Link::default(); wiring.link_count()],
                events: Vec::new(),
            },
            progress: Progress {
                sums: vec![super::state::Sums::default(); count],
                counters: vec![0; count],
                blocks: vec![0; count],
                extra: vec![(0, 0); application.labels.len()],
                ..Progress::default()
            },
            places: classes.list.iter().map(|class| job.world.place(class.process)).collect(),
            watch,
            runnable: Vec::new(),
            messages: 0,
            costs: CostTable::new(),
            blocks: BlockCosts::default(),
            devices: Devices::default(),
            accesses: vec![0; count],
            links: Vec::new(),
            sharers: std::collections::HashMap::new(),
        })
    }

    /// Plays to the end.
    pub fn play(&mut self) -> Result<(), Problem> {
        for class in 0..self.state.classes.len() {
            self.advance(class as u32)?;
        }
        loop {
            self.go_on()?;
            if let Some(depth) = self.watch.turned.take() {
                self.look(depth)?;
            }
            let Some(Reverse(event)) = self.queue.pop() else { break };
            self.now = event.at;
            self.progress.counts.events += 1;
            if self.progress.counts.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
                self.job.budget.spend(EVENTS_BETWEEN_LOOKS, 0, self.now)?;
            }
            match event.what {
                What::Local(class) => self.local(class, event)?,
                What::Arrive(message) => self.arrive(message, event)?,
                What::Take(class) => self.take_event(class, event)?,
                What::Node { class, node, version } => self.node_event(class, node, version)?,
                What::Task(task) => self.end_task(task)?,
                What::Volunteers(crowd, version) => self.volunteers_event(crowd, version)?,
            }
        }
        Ok(())
    }

    /// Classes that may continue do so. Some let one another go on without an event, endlessly: collectives of several classes.
    /// After many steps they go on at events, where budgets are checked and loops are seen to repeat.
    fn go_on(&mut self) -> Result<(), Problem> {
        for _ in 0..STEPS_BETWEEN_EVENTS {
            let Some(class) = self.runnable.pop() else { return Ok(()) };
            self.advance(class)?;
        }
        self.job.budget.spend(u64::from(STEPS_BETWEEN_EVENTS), 0, self.now)?;
        for class in std::mem::take(&mut self.runnable) {
            self.schedule(class, Pending::Continue)?;
        }
        Ok(())
    }

    /// The process number of a representative, as observers know it.
    pub fn process(&self, class: u32) -> u32 {
        u32::try_from(self.classes.list[class as usize].process).unwrap_or(u32::MAX)
    }

    pub fn order(&mut self, class: u32, process: u64) -> Order {
        let counter = self.progress.counters[class as usize];
        self.progress.counters[class as usize] = counter.wrapping_add(1);
        Order { made: self.now, process: process as u32, counter }
    }

    /// Goes on with a class until it waits or has an event of its own.
    pub fn advance(&mut self, own: u32) -> Result<(), Problem> {
        let at = own as usize;
        let application = self.application;
        let ops = &application.programs[self.classes.list[at].program as usize].ops;
        for _ in 0..STEPS_BETWEEN_EVENTS {
            let class = &mut self.state.classes[at];
            class.waits = Waits::Runs;
            let (position, op, site) = match class.walk.next(ops) {
                Next::Op(position, op, site) => (position, op, site),
                Next::Turned => {
                    let depth = class.walk.turns.len();
                    self.watch.turn(own, depth);
                    continue;
                }
                Next::End => return self.schedule(own, Pending::End),
            };
            (class.position, class.site) = (position, site);
            let operations = &mut self.progress.sums[at].operations;
            *operations = operations.saturating_add(1);
            let process = self.classes.list[at].process;
            let source = |from: Source| match from {
                Source::Peer(peer) => Some(peer.of(process)),
                Source::Any => None,
            };
            let pending = match op {
                Op::Repeat { .. } => continue,
                Op::Compute(block) => Pending::Compute(block),
                Op::Send { to, size, tag } => {
                    let sending = Sending::Blocking;
                    Pending::Send(SendCall { to: to.of(process), size, tag, request: BLOCKING, sending })
                }
                Op::Isend { to, size, tag, request, persistent } => {
                    let sending = Sending::nonblocking(persistent);
                    Pending::Send(SendCall { to: to.of(process), size, tag, request, sending })
                }
                Op::Recv { from, tag } => Pending::Post { from: source(from), tag, request: BLOCKING },
                Op::Irecv { from, tag, request } => Pending::Post { from: source(from), tag, request },
                Op::Wait { request } => {
                    class.waits = Waits::Request(request);
                    if self.wait_is_over(own, request) {
                        continue;
                    }
                    return Ok(());
                }
                Op::Remote { access, to, size, .. } => {
                    self.access(own, to.of(process), access, size)?;
                    continue;
                }
                Op::Flush { to, answer, .. } => {
                    self.flush(own, to.map(|to| to.of(process)), answer)?;
                    continue;
                }
                Op::Lock { to, .. } => {
                    self.wait_for_lock(own, to.of(process))?;
                    continue;
                }
                Op::Unlock { to, .. } => {
                    self.give_lock_back(own, to.of(process))?;
                    continue;
                }
                // Live processes alone do so, and they are not for this level.
                Op::Several { .. } => continue,
                Op::Sleep(bits) => {
                    let seconds = f64::from_bits(bits);
                    class.ready = self.job.tick.add(class.free(), self.job.tick.of(seconds)?)?;
                    class.idle = Some(Reason::As(Activity::Wait, None));
                    continue;
                }
                Op::Phase(phase) => {
                    if class.free() > class.clocks.cpu {
                        // What was slept belongs to the phase before.
                        Pending::Phase(phase)
                    } else {
                        self.progress.sums[at].phase = Some(phase);
                        continue;
                    }
                }
                Op::Read { .. } | Op::Write { .. } => Pending::Io(op),
                Op::Copy(copy) => Pending::Task { task: Task::Copy(copy), request: None },
                Op::Launch { task, request } => Pending::Task { task, request: Some(request) },
                Op::P2pSend { .. } | Op::One2OneSend { .. } | Op::ScatterSend { .. } | Op::GatherSend { .. } => {
                    Pending::Between(op)
                }
                Op::Collective(_)
                | Op::Icollective { .. }
                | Op::Farm(_)
                | Op::FarmWorker(_)
                | Op::P2pRecv { .. }
                | Op::One2OneRecv { .. }
                | Op::ScatterRecv { .. }
                | Op::GatherRecv { .. } => {
                    let request = if let Op::Icollective { request, .. } = op { request } else { BLOCKING };
                    self.enter(own, position, op, request)?;
                    if self.state.classes[at].waits == Waits::Runs {
                        continue;
                    }
                    return Ok(());
                }
            };
            return self.schedule(own, pending);
        }
        self.job.budget.spend(u64::from(STEPS_BETWEEN_EVENTS), 0, self.now)?;
        self.schedule(own, Pending::Continue)
    }

    /// Sets the next event of a class.
    fn schedule(&mut self, own: u32, pending: Pending) -> Result<(), Problem> {
        let order = self.order(own, self.classes.list[own as usize].process);
        let class = &mut self.state.classes[own as usize];
        class.pending = pending;
        let at = match pending {
            Pending::Send(_) | Pending::Between(_) => class.free().max(class.clocks.send_nic),
            _ => class.free(),
        };
        self.queue.push(Reverse(Event { at, order, made_by: own, what: What::Local(own) }));
        Ok(())
    }

    /// The event of a class: what it does, unless its processor is busy again.
    fn local(&mut self, own: u32, event: Event) -> Result<(), Problem> {
        let class = &mut self.state.classes[own as usize];
        let free = match class.pending {
            Pending::Post { .. } | Pending::Nothing | Pending::Continue => event.at,
            Pending::Send(_) | Pending::Between(_) => class.clocks.can_send(),
            _ => class.clocks.cpu,
        };
        if free > event.at {
            self.queue.push(Reverse(Event { at: free, ..event }));
            return Ok(());
        }
        match std::mem::replace(&mut class.pending, Pending::Nothing) {
            Pending::Nothing => Ok(()),
            Pending::Compute(block) => self.compute(own, block),
            Pending::Send(call) => self.send(own, call),
            Pending::Post { from, tag, request } => self.post(own, from, tag, request),
            Pending::Io(op) => self.io(own, op),
            Pending::Task { task, request } => self.begin_task(own, task, request),
            Pending::Phase(phase) => {
                self.settle(own);
                self.progress.sums[own as usize].phase = Some(phase);
                self.advance(own)
            }
            Pending::Between(op) => {
                self.settle(own);
                let position = self.state.classes[own as usize].position;
                self.enter(own, position, op, BLOCKING)?;
                if self.state.classes[own as usize].waits == Waits::Runs { self.advance(own) } else { Ok(()) }
            }
            Pending::Continue => {
                // Its idle time is accounted up to now: a loop of nothing else repeats from here on, but for a shift of time.
                self.settle(own);
                self.advance(own)
            }
            Pending::End => {
                self.settle(own);
                let is_over = self.devices.streams.are_over(own);
                self.state.classes[own as usize].waits = if is_over { Waits::Ended } else { Waits::Tasks };
                Ok(())
            }
        }
    }

    /// Seconds of a block of a class: with the cores of the device shared by all placed there, and noise.
    pub fn seconds(&mut self, own: u32, block: u32) -> Result<f64, Problem> {
        let at = own as usize;
        let what = &self.application.blocks[block as usize];
        let (process, place) = (self.classes.list[at].process, self.places[at]);
        let world = self.job.world;
        let device = if what.device.is_empty() { place.device } else { world.device_of(process, &what.device)? };
        let cost = self.blocks.of(world, self.application, block, place.class)?;
        let mut seconds = cost.seconds;
        if world.shares(device) && world.crowd(place.class).is_none() {
            seconds *= self.blocks.crowded(world, self.application, (block, place.class), device)?;
        }
        if cost.spread.is_some() || world.is_noisy() {
            self.watch.never();
            seconds = world.noisy(seconds, process, self.progress.blocks[at], cost.spread);
        }
        // Of loops that were skipped there may be more than can be counted.
        self.progress.blocks[at] = self.progress.blocks[at].saturating_add(1);
        if world.has_trace() {
            seconds = world.interrupted(self.job.tick.to_seconds(self.now), seconds, process);
        }
        Ok(seconds)
    }

    fn compute(&mut self, own: u32, block: u32) -> Result<(), Problem> {
        let task = Task::Block(block);
        let process = self.classes.list[own as usize].process;
        if !self.devices.streams.are_over(own) {
            let (device, _) = stream_of(self.application, self.job.world, process, task)?;
            if self.devices.streams.are_on(own, device) {
                return self.begin_task(own, task, None);
            }
        }
        self.settle(own);
        let seconds = self.seconds(own, block)?;
        if let Some(crowd) = self.crowd_of(own) {
            let threads = self.application.blocks[block as usize].threads;
            return self.hand_out(Who::Process(own), own, crowd, (seconds, threads));
        }
        let end = self.job.tick.add(self.now, self.job.tick.of(seconds)?)?;
        let threads = self.application.blocks[block as usize].threads;
        self.progress.sums[own as usize].thread_ticks += (end - self.now) as f64 * threads;
        self.draw(own, block, end - self.now)?;
        self.state.classes[own as usize].clocks.cpu = end;
        self.work(own, self.now, end, Activity::Compute);
        self.account(own, Reason::As(Activity::Compute, None));
        self.advance(own)
    }

    /// What a device with power states draws for a block that a class computes for so long.
    pub fn draw(&mut self, own: u32, block: u32, ticks: Tick) -> Result<(), Problem> {
        let world = self.job.world;
        if !world.has_states() {
            return Ok(());
        }
        let what = &self.application.blocks[block as usize];
        let (process, place) = (self.classes.list[own as usize].process, self.places[own as usize]);
        let device = if what.device.is_empty() { place.device } else { world.device_of(process, &what.device)? };
        let watts = world.draws_when_crowded(what, place.class, device)?;
        let drawn = &mut self.progress.sums[own as usize].drawn;
        for (component, watts) in watts {
            add_drawn(drawn, component, watts * ticks as f64);
        }
        Ok(())
    }

    fn io(&mut self, own: u32, op: Op) -> Result<(), Problem> {
        self.settle(own);
        let application = self.application;
        let Some((io, size)) = Io::of(op, &application.names) else { return self.advance(own) };
        let cost = self.job.world.io(io, size, self.classes.list[own as usize].process)?;
        let sharers = self.sharers(own, io, size, cost.resource)?;
        let seconds = cost.latency_s + size as f64 / cost.bandwidth * sharers as f64;
        let class = &mut self.state.classes[own as usize];
        class.ready = self.job.tick.add(self.now, self.job.tick.of(seconds)?)?;
        class.idle = Some(Reason::As(Activity::Io, None));
        self.advance(own)
    }

    /// How many of a class share a resource: all do it at once.
    pub fn sharers(&mut self, own: u32, io: Io<'_>, size: u64, resource: u32) -> Result<u64, Problem> {
        if let Some(known) = self.sharers.get(&(own, resource)) {
            return Ok(*known);
        }
        let class = self.classes.list[own as usize];
        let label = &self.application.labels[class.label as usize];
        // Of very many, the first ones stand for all.
        let looked_at = label.count.min(1 << 16);
        let (mut same, mut members) = (0_u64, 0_u64);
        for process in label.first..label.first + looked_at {
            if self.classes.of(self.application, process) == Some(own) {
                members += 1;
                let shares = self.job.world.io(io, size, process)?.resource == resource
                    || self.is_same_device(own, io, process)?;
                same += u64::from(shares);
            }
        }
        let all_share = same == members && class.count > members;
        let sharers = if all_share { class.count } else { same.max(1) };
        self.sharers.insert((own, resource), sharers);
        Ok(sharers)
    }

    /// Whether a copy of another process goes to or from the same device.
    fn is_same_device(&self, own: u32, io: Io<'_>, process: u64) -> Result<bool, Problem> {
        let Io::Copy(name, _) = io else { return Ok(false) };
        let world = self.job.world;
        Ok(world.device_of(self.classes.list[own as usize].process, name)? == world.device_of(process, name)?)
    }

    /// A request is complete: a process that waits for it continues.
    pub fn if_awaited(&mut self, own: u32, request: u32, reason: Reason) -> Result<(), Problem> {
        let class = &mut self.state.classes[own as usize];
        if class.waits != Waits::Request(request) {
            return Ok(());
        }
        let site = class.site;
        class.ledger.idle_until(site, self.now);
        self.account(own, reason);
        self.wait_is_over(own, request);
        self.advance(own)
    }

    pub fn wait_is_over(&mut self, own: u32, request: u32) -> bool {
        let class = &mut self.state.classes[own as usize];
        match class.request(request) {
            // A request that was never begun is complete.
            Request::Free => true,
            Request::TaskOver { at } => {
                class.ready = class.ready.max(at);
                class.set_request(request, Request::Free);
                true
            }
            Request::Done { at, collective } => {
                if collective && at > class.free() {
                    class.idle = Some(Reason::As(Activity::Collective, None));
                }
                class.ready = class.ready.max(at);
                class.set_request(request, Request::Free);
                true
            }
            _ => false,
        }
    }

    /// Notes that a class was at work.
    pub fn work(&mut self, own: u32, from: Tick, to: Tick, activity: Activity) {
        let class = &mut self.state.classes[own as usize];
        let site = class.site;
        class.ledger.work(site, from, to, activity);
    }

    /// All that was noted is accounted for.
    pub fn account(&mut self, own: u32, reason: Reason) {
        let process = self.process(own);
        let sums = &mut self.progress.sums[own as usize];
        self.state.classes[own as usize].ledger.settle(reason, sums.phase, |mut interval, _| {
            interval.collective = interval.activity == Activity::Collective;
            sums.add(&interval);
            self.observer.interval(process, interval);
        });
    }

    /// All up to now is accounted for; what was idle was so for the known reason, or for the NIC.
    pub fn settle(&mut self, own: u32) {
        let class = &mut self.state.classes[own as usize];
        let reason = class.idle.take().unwrap_or(Reason::As(Activity::Transfer, None));
        let site = class.site;
        class.ledger.idle_until(site, self.now);
        self.account(own, reason);
    }
}

/// How a program's receives are matched.
fn matching(application: &Application, program: u32) -> Matching {
    let wild = |op: &Op| match op {
        Op::Recv { from, tag } | Op::Irecv { from, tag, .. } => *from == Source::Any || *tag == ANY_TAG,
        _ => false,
    };
    if application.programs[program as usize].ops.iter().any(|(op, _)| wild(op)) {
        Matching::Wild { posted: Default::default(), messages: Default::default() }
    } else {
        Matching::Exact(Default::default())
    }
}
