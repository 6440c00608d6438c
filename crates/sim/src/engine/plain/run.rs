//! The loop over events, and what processes do at each.

use super::Step;
use super::messages::Message;
use super::process::{BLOCKING, Order, Pending, Process, Request, State};
use super::remote::Remote;
use crate::application::{Application, Task};
use crate::cursor::{Action, Cursor};
use crate::engine::kernel::accounts::Accounts;
use crate::engine::kernel::device::{Device, Shared};
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::matching::Matching;
use crate::engine::kernel::meetings::Meetings;
use crate::engine::kernel::node::{Begins, Node};
use crate::engine::kernel::remote::Windows;
use crate::engine::kernel::rule::{BlockCosts, CostTable, SendCall};
use crate::engine::kernel::slab::Slab;
use crate::engine::kernel::streams::{Launches, Streams, Who};
use crate::engine::kernel::volunteers::Pools;
use crate::job::{Feedback, Job};
use crate::outcome::{Activity, Cause, Counts, Observer};
use crate::platform::Sending;
use crate::tick::Tick;
use runcast_core::Problem;
use runcast_core::hash::MixMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A process does what is pending.
    Local(u32),
    /// The head of a message arrives.
    Arrive(u32),
    /// The processor or the NIC that messages wait for may be free.
    Take(u32),
    /// A block ends on a shared device: device and version.
    Node(u32, u32),
    /// An operation ends at a storage or a bus: resource and version.
    Resource(u32, u32),
    /// The latency of a copy is over.
    Task(u32),
    /// A request that a process waits for among others may be complete.
    Several(u32),
    /// An access to the memory of another process goes on there, or back here.
    Remote(u32),
    /// A process asks for a lock there, or has it here.
    Lock { own: u32, window: u32, granted: bool },
    /// A lock is given back there.
    Unlock { window: u32, to: u32 },
    /// Something happens to jobs at volunteers: their number and version.
    Volunteers(u32, u32),
}

/// An event. Time and order decide; the rest is there for those that are equal, which do not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    pub at: Tick,
    pub order: Order,
    pub what: What,
}

/// Events between two checks of [`Job::budget`].
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 14;

/// A running simulation.
pub struct Run<'a> {
    pub job: &'a Job<'a>,
    pub application: &'a mut Application,
    pub observer: &'a mut dyn Observer,
    pub now: Tick,
    pub queue: BinaryHeap<Reverse<Event>>,
    pub processes: Vec<Process>,
    pub matching: Matching,
    pub messages: Slab<Message>,
    pub costs: CostTable,
    pub blocks: BlockCosts,
    pub devices: Vec<Device>,
    pub resources: MixMap<u32, Shared>,
    pub streams: Streams,
    pub windows: Windows,
    pub volunteers: Pools,
    /// Accesses to the memory of others that are not done.
    pub accesses: Slab<Remote>,
    pub meetings: Meetings,
    pub accounts: Accounts,
    /// Thread-ticks blocked in communication, by device.
    pub blocked: Vec<u128>,
    pub counts: Counts,
    /// Operations since the last look at the budget.
    operations: u64,
    /// Who ended just now, on a device or a resource.
    pub ended: Vec<u32>,
    /// What processes did, where it is asked for.
    pub tape: Option<Vec<Vec<Step>>>,
    /// Nodes whose blocks may slow one another down, by their first device.
    pub nodes: MixMap<u32, Node>,
    /// When the block of a process on a shared device began, the device, and its threads.
    computing: Vec<(Tick, u32, f64)>,
}

impl<'a> Run<'a> {
    pub fn new(
        job: &'a Job<'a>,
        application: &'a mut Application,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, Problem> {
        let count = application.processes();
        if count >= u64::from(u32::MAX) {
            let problem = Problem::new("too_many_processes", "too many processes to simulate one by one");
            return Err(problem.value(count.to_string()).allowed("less than 2^32").hint("try --fidelity label"));
        }
        let mut processes = Vec::new();
        for label in 0..application.labels.len() {
            let start = job.tick.of(application.labels[label].start_s)?;
            let (first, count) = (application.labels[label].first, application.labels[label].count);
            for process in first..first + count {
                processes.push(Process::new(Cursor::new(process, application, job)?, job.world.place(process), start));
            }
        }
        let device = |device| Device::new(job.world.shares(device));
        let devices: Vec<Device> = (0..job.world.devices()).map(device).collect();
        let computing = if devices.iter().any(|device| device.shares) { processes.len() } else { 0 };
        Ok(Run {
            accounts: Accounts::new(application.labels.len()),
            blocked: vec![0; devices.len()],
            matching: Matching::new(application),
            job,
            application,
            observer,
            now: 0,
            queue: BinaryHeap::new(),
            processes,
            messages: Slab::default(),
            costs: CostTable::new(),
            blocks: BlockCosts::default(),
            devices,
            resources: MixMap::default(),
            streams: Streams::default(),
            windows: Windows::default(),
            volunteers: Pools::default(),
            accesses: Slab::default(),
            meetings: Meetings::default(),
            counts: Counts::default(),
            operations: 0,
            ended: Vec::new(),
            tape: None,
            nodes: MixMap::default(),
            computing: vec![(0, 0, 0.0); computing],
        })
    }

    /// Plays to the end.
    pub fn play(&mut self) -> Result<(), Problem> {
        for process in 0..self.processes.len() {
            if self.processes[process].ready > 0 {
                self.processes[process].idle = Some(Reason::As(Activity::Wait, None));
            }
            self.advance(process as u32)?;
        }
        while let Some(Reverse(event)) = self.queue.pop() {
            self.now = event.at;
            self.counts.events += 1;
            if self.counts.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
                self.job.budget.spend(EVENTS_BETWEEN_LOOKS, std::mem::take(&mut self.operations), self.now)?;
            }
            match event.what {
                What::Local(process) => self.local(process, event)?,
                What::Arrive(message) => self.arrive(message, event)?,
                What::Take(process) => self.take_event(process, event)?,
                What::Node(node, version) => self.node_event(node, version)?,
                What::Resource(resource, version) => self.resource_event(resource, version)?,
                What::Task(task) => self.flow_of_task(task)?,
                What::Several(own) => self.several_event(own)?,
                What::Remote(access) => self.remote_event(access)?,
                What::Lock { own, window, granted } => self.lock_event(own, window, granted)?,
                What::Unlock { window, to } => self.unlock_event(window, to)?,
                What::Volunteers(crowd, version) => self.volunteers_event(crowd, version)?,
            }
        }
        self.check_all_ended()
    }

    /// Asks a process what it does next, until it waits or an event is set for it.
    pub fn advance(&mut self, own: u32) -> Result<(), Problem> {
        for step in 1_u64.. {
            // A process may do what takes no time, and no event, without end.
            if step.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
                self.job.budget.spend(EVENTS_BETWEEN_LOOKS, 0, self.now)?;
            }
            let process = &mut self.processes[own as usize];
            let before = process.cursor.operations();
            process.state = State::Runs;
            let feedback = Feedback {
                now_s: self.job.tick.to_seconds(process.free()),
                received: process.received.take(),
                completed: std::mem::take(&mut process.completed),
            };
            let Some(action) = process.cursor.next(&feedback, self.application, self.job)? else {
                return self.schedule(own, Pending::End);
            };
            self.operations += process.cursor.operations() - before;
            process.last = Some(action);
            if let Some(tape) = &mut self.tape {
                tape[own as usize].push(Step { action, alone_s: 0.0, site: process.cursor.site() });
            }
            match action {
                Action::Compute(block) => return self.schedule(own, Pending::Compute(block)),
                Action::Send { to, size, tag } => {
                    self.check_partner(own, to)?;
                    let sending = Sending::Blocking;
                    return self.schedule(own, Pending::Send(SendCall { to, size, tag, request: BLOCKING, sending }));
                }
                Action::Isend { to, size, tag, request, channel } => {
                    self.check_partner(own, to)?;
                    let sending = Sending::nonblocking(channel.persistent);
                    return self.schedule(own, Pending::Send(SendCall { to, size, tag, request, sending }));
                }
                Action::Recv { from, tag } => {
                    return self.schedule(own, Pending::Post { from, tag, request: BLOCKING });
                }
                Action::Irecv { from, tag, request } => {
                    return self.schedule(own, Pending::Post { from, tag, request });
                }
                Action::Wait { request } => {
                    process.state = State::Waits { request };
                    if !self.wait_is_over(own, request) {
                        return Ok(());
                    }
                }
                Action::Several { set, wanted } => {
                    process.state = State::Several { set, wanted };
                    if !self.several_are_over(own, set, wanted)? {
                        return Ok(());
                    }
                }
                Action::Closed { collective, request } => {
                    if process.free() > process.clocks.cpu && process.free() > self.now {
                        // What was slept belongs to what was before.
                        return self.schedule(own, Pending::Enter { collective, request });
                    }
                    if self.enter(own, collective, request)? {
                        return Ok(());
                    }
                }
                Action::Io(op) => return self.schedule(own, Pending::Io(op)),
                Action::Remote { access, to, size, window } => {
                    self.check_partner(own, to)?;
                    return self.schedule(own, Pending::Remote { access, to, size, window });
                }
                Action::Flush { window, to, answer } => {
                    let to = to.map(|to| to as u32);
                    process.state = State::Flushes { window, to, answer };
                    if !self.flush_is_over(own, window, to, answer)? {
                        return Ok(());
                    }
                }
                Action::Lock { window, to } => {
                    self.check_partner(own, to)?;
                    return self.schedule(own, Pending::Lock { window, to, back: false });
                }
                Action::Unlock { window, to } => {
                    return self.schedule(own, Pending::Lock { window, to, back: true });
                }
                Action::Copy(copy) => {
                    return self.schedule(own, Pending::Task { task: Task::Copy(copy), request: None });
                }
                Action::Launch { task, request } => {
                    return self.schedule(own, Pending::Task { task, request: Some(request) });
                }
                Action::Sleep(seconds) => {
                    process.ready = self.job.tick.add(process.free(), self.job.tick.of(seconds)?)?;
                    process.idle = Some(Reason::As(Activity::Wait, None));
                }
                Action::Phase(phase) => {
                    if process.free() > process.clocks.cpu {
                        // What was slept belongs to the phase before.
                        return self.schedule(own, Pending::Phase(phase));
                    }
                    self.begin_phase(own, phase);
                }
            }
        }
        Ok(())
    }

    /// Sets the next event of a process: its operation has become ready, and gets its number.
    fn schedule(&mut self, own: u32, pending: Pending) -> Result<(), Problem> {
        let process = &mut self.processes[own as usize];
        process.pending = pending;
        let order = process.order(own, self.now);
        let at = match pending {
            Pending::Send(_) | Pending::Remote { .. } => process.free().max(process.clocks.send_nic),
            _ => process.free(),
        };
        self.queue.push(Reverse(Event { at, order, what: What::Local(own) }));
        Ok(())
    }

    /// The event of a process: what it does, unless its processor is busy again.
    fn local(&mut self, own: u32, event: Event) -> Result<(), Problem> {
        let process = &mut self.processes[own as usize];
        let free = match process.pending {
            // Posting costs nothing and needs nothing.
            Pending::Post { .. } | Pending::Nothing => event.at,
            Pending::Send(_) | Pending::Remote { .. } => process.clocks.can_send(),
            _ => process.clocks.cpu,
        };
        if free > event.at {
            self.queue.push(Reverse(Event { at: free, ..event }));
            return Ok(());
        }
        match std::mem::replace(&mut process.pending, Pending::Nothing) {
            Pending::Nothing => Ok(()),
            Pending::Compute(block) => self.compute(own, block),
            Pending::Send(call) => self.send(own, call),
            Pending::Post { from, tag, request } => self.post(own, from, tag, request),
            Pending::Io(op) => self.begin_io(own, op),
            Pending::Task { task, request } => self.begin_task(own, task, request),
            Pending::Remote { access, to, size, window } => self.access(own, to as u32, (access, size), window),
            Pending::Lock { window, to, back: false } => self.ask_for_lock(own, window, to as u32),
            Pending::Lock { window, to, back: true } => self.give_lock_back(own, window, to as u32),
            Pending::Flow { resource, alone_s } => self.flow(Who::Process(own), resource, alone_s),
            Pending::Phase(phase) => {
                self.settle(own);
                self.begin_phase(own, phase);
                self.advance(own)
            }
            Pending::Enter { collective, request } => {
                self.settle(own);
                if self.enter(own, collective, request)? { Ok(()) } else { self.advance(own) }
            }
            Pending::End => {
                self.settle(own);
                let is_over = self.streams.are_over(own);
                self.processes[own as usize].state = if is_over { State::Ended } else { State::Tasks };
                Ok(())
            }
        }
    }

    /// Begins a block.
    fn compute(&mut self, own: u32, block: u32) -> Result<(), Problem> {
        let what = &self.application.blocks[block as usize];
        let device = match what.device.as_str() {
            "" => self.processes[own as usize].place.device,
            name => self.job.world.device_of(u64::from(own), name)?,
        };
        let (threads, stream) = (what.threads, (device, what.stream));
        if self.streams.is_at_work(own, stream) {
            return self.begin_task(own, Task::Block(block), None);
        }
        self.settle(own);
        let seconds = self.block_seconds(own, block)?;
        if let Some(crowd) = self.crowd_of(own) {
            return self.hand_out(Who::Process(own), own, crowd, (seconds, threads));
        }
        let process = &mut self.processes[own as usize];
        let label = process.cursor.label() as usize;
        if self.devices[device as usize].shares {
            process.state = State::Computes;
            // The processor is taken, and its end is not known yet.
            process.clocks.cpu = Tick::MAX;
            self.computing[own as usize] = (self.now, device, threads);
            // A duration that does not fit is an error here, not an end that never comes.
            self.job.tick.of(seconds)?;
            return self.begin_on_node(Who::Process(own), own, (device, block), seconds);
        }
        let end = self.job.tick.add(self.now, self.job.tick.of(seconds)?)?;
        process.clocks.cpu = end;
        self.accounts.labels[label].thread_ticks += (end - self.now) as f64 * threads;
        self.devices[device as usize].compute(self.now, end, threads);
        self.work(own, self.now, end, Activity::Compute);
        self.account(own, Reason::As(Activity::Compute, None));
        self.advance(own)
    }

    /// Seconds of the next block of a process, with noise.
    pub fn block_seconds(&mut self, own: u32, block: u32) -> Result<f64, Problem> {
        let process = &mut self.processes[own as usize];
        let cost = self.blocks.of(self.job.world, self.application, block, process.place.class)?;
        let mut seconds = cost.seconds;
        if let Some(step) = self.tape.as_mut().and_then(|tape| tape[own as usize].last_mut()) {
            step.alone_s = seconds;
        }
        if cost.spread.is_some() || self.job.world.is_noisy() {
            seconds = self.job.world.noisy(seconds, u64::from(own), process.blocks, cost.spread);
        }
        if self.job.world.has_trace() {
            seconds = self.job.world.interrupted(self.job.tick.to_seconds(self.now), seconds, u64::from(own));
        }
        process.blocks += 1;
        Ok(seconds)
    }

    /// A block begins on a device where others may slow it down.
    pub fn begin_on_node(
        &mut self,
        who: Who,
        own: u32,
        (device, block): (u32, u32),
        seconds: f64,
    ) -> Result<(), Problem> {
        let class = self.processes[own as usize].place.class;
        let demand = self.blocks.demand(self.job.world, self.application, block, class)?;
        let account = &mut self.devices[device as usize];
        account.count(self.now);
        account.busy += self.application.blocks[block as usize].threads;
        let work = seconds / self.job.tick.seconds();
        let node = self.job.world.node(device).node;
        let shared = self.nodes.entry(node).or_default();
        shared.advance(self.now);
        let begins = Begins { own, who: who.number(), block, class, device, work };
        shared.begin(self.job.world, self.now, &demand, begins);
        self.node_changed(node)
    }

    /// A block began or ended on a node: from now on others progress at other rates.
    fn node_changed(&mut self, number: u32) -> Result<(), Problem> {
        let node = self.nodes.entry(number).or_default();
        let tick = self.job.tick;
        let next =
            node.changed(self.job.world, number, &self.application.blocks, &self.blocks.answered, &|| tick.overflow())?;
        let version = node.version;
        let Some(at) = next else { return Ok(()) };
        self.queue.push(Reverse(Event {
            at,
            order: Order { made: self.now, process: u32::MAX, counter: number },
            what: What::Node(number, version),
        }));
        Ok(())
    }

    fn node_event(&mut self, number: u32, version: u32) -> Result<(), Problem> {
        let node = self.nodes.entry(number).or_default();
        if node.version != version {
            return Ok(());
        }
        let mut ended = std::mem::take(&mut self.ended);
        node.advance(self.now);
        node.ended(self.now, &mut ended);
        let is_idle = node.is_idle();
        // Processes first, then tasks.
        ended.sort_unstable();
        for number in &ended {
            let (device, threads) = match Who::of(*number) {
                Who::Process(own) => {
                    let (began, device, threads) = self.computing[own as usize];
                    self.count_threads(own, began, threads);
                    (device, threads)
                }
                Who::Task(task) => self.stop_task(task),
            };
            let device = &mut self.devices[device as usize];
            device.count(self.now);
            device.busy = if is_idle { 0.0 } else { device.busy - threads };
        }
        for number in &ended {
            match Who::of(*number) {
                Who::Process(own) => {
                    let (began, ..) = self.computing[own as usize];
                    self.processes[own as usize].clocks.cpu = self.now;
                    self.work(own, began, self.now, Activity::Compute);
                    self.account(own, Reason::As(Activity::Compute, None));
                    self.advance(own)?;
                    self.await_take(own);
                }
                Who::Task(task) => self.end_task(task)?,
            }
        }
        self.ended = ended;
        self.node_changed(number)
    }

    /// Threads have computed for a process since some time.
    pub fn count_threads(&mut self, own: u32, since: Tick, threads: f64) {
        let label = self.processes[own as usize].cursor.label() as usize;
        self.accounts.labels[label].thread_ticks += (self.now - since) as f64 * threads;
    }

    /// A process enters a collective by formula; whether it must wait for the others.
    fn enter(&mut self, own: u32, collective: u32, request: Option<u32>) -> Result<bool, Problem> {
        let process = &mut self.processes[own as usize];
        let who = (own, process.cursor.site());
        let (number, all_there) = self.meetings.enter(self.application, who, collective, request, process.free())?;
        match request {
            None => process.state = State::Gathers,
            Some(request) => process.set_request(request, Request::Gathers),
        }
        if !all_there {
            return Ok(request.is_none());
        }
        self.counts.collectives += 1;
        // For a tape only what is done counts, not when.
        let seconds = match self.tape {
            Some(_) => 0.0,
            None => crate::collective::closed(self.application, self.job, collective)?,
        };
        let meeting = self.meetings.get(number);
        let leave = self.job.tick.add(meeting.last, self.job.tick.of(seconds)?)?;
        let cause = Cause { process: meeting.last_process, at: meeting.last, link: None };
        let reason = Reason::As(Activity::Collective, Some(cause));
        for (member, request) in std::mem::take(&mut meeting.entered) {
            self.meetings.leave(number);
            let process = &mut self.processes[member as usize];
            if let Some(request) = request {
                process.set_request(request, Request::Done { at: leave, received: None, collective: true });
                if member != own {
                    self.if_awaited(member, request, reason)?;
                }
                continue;
            }
            process.ready = process.ready.max(leave);
            process.idle = Some(reason);
            if member != own {
                self.advance(member)?;
            }
        }
        // It continues by itself.
        Ok(false)
    }

    fn begin_phase(&mut self, own: u32, phase: u32) {
        self.processes[own as usize].phase = Some(phase);
    }

    /// Notes that a process was at work.
    #[inline]
    pub fn work(&mut self, own: u32, from: Tick, to: Tick, activity: Activity) {
        let process = &mut self.processes[own as usize];
        process.ledger.work(process.step(), from, to, activity);
    }

    /// Counts a message that a process sent.
    #[inline]
    pub fn count_message(&mut self, own: u32, size: u64) {
        let label = &mut self.accounts.labels[self.processes[own as usize].cursor.label() as usize];
        label.messages += 1;
        label.bytes += size;
        self.counts.messages += 1;
        self.counts.bytes += size;
    }

    /// A wait is over, for this reason: what was noted is accounted for.
    #[inline]
    pub fn account(&mut self, own: u32, reason: Reason) {
        let process = &mut self.processes[own as usize];
        let (label, blocks) = (process.cursor.label(), reason.blocks());
        let blocked = &mut self.blocked[process.place.device as usize];
        process.ledger.settle(reason, process.phase, |interval, is_idle| {
            if is_idle && blocks {
                *blocked += u128::from(interval.to - interval.from);
            }
            self.accounts.add(label, &interval);
            self.observer.interval(own, interval);
        });
    }

    /// All up to now is accounted for; what was idle was so for the known reason, or for the NIC.
    pub fn settle(&mut self, own: u32) {
        let process = &mut self.processes[own as usize];
        let reason = process.idle.take().unwrap_or(Reason::As(Activity::Transfer, None));
        process.idle_until(self.now);
        self.account(own, reason);
    }

    /// Whether the request that a process waits for is complete; then the process may continue.
    pub fn wait_is_over(&mut self, own: u32, request: u32) -> bool {
        let process = &mut self.processes[own as usize];
        match process.request(request) {
            // A request that was never begun is complete.
            Request::Free => true,
            Request::TaskOver { at } => {
                process.ready = process.ready.max(at);
                process.set_request(request, Request::Free);
                true
            }
            Request::Done { at, received, collective } => {
                process.received = received;
                if collective && at > process.free() {
                    process.idle = Some(Reason::As(Activity::Collective, None));
                }
                process.ready = process.ready.max(at);
                process.set_request(request, Request::Free);
                true
            }
            _ => false,
        }
    }

    fn check_partner(&self, own: u32, to: u64) -> Result<(), Problem> {
        if to < self.processes.len() as u64 {
            return Ok(());
        }
        let process = &self.processes[own as usize];
        Err(Problem::new("no_such_process", format!("{} sends to a process that does not exist", self.name(own)))
            .at(self.application.place_of(process.cursor.site()))
            .value(to.to_string()))
    }

    /// `cell[3]`.
    pub fn name(&self, process: u32) -> String {
        self.application.name_of(u64::from(process))
    }
}
