//! Executes the steps of all processes over shared links, event by event.
//!
//! A process has one processor of its own for its steps: computing, the overheads of its messages, sleeping. Between two of
//! them, and while it is blocked, it takes messages that have arrived (docs/theory/sim.md). What happens at one point of time happens
//! in the order of sequence numbers; links are shared again once before time continues.
//!
//! | size of a message | sender | transfer starts | receiver |
//! |---|---|---|---|
//! | below `eager_limit` | busy `os`, done | then | busy `or` from max(arrival, posting, processor free) |
//! | below `detach_limit` | busy `os`, done | when it is posted too | the same |
//! | above | done with the transfer | when both are there | done with the transfer |
//!
//! A receive gets the oldest message that was sent and fits; one that is still under way counts.

mod accounts;
mod collectives;
mod computing;
mod messages;
mod process;
mod remote;
mod report;
mod several;
mod streams;
mod volunteers;

#[cfg(test)]
mod tests;

use crate::application::{Application, Programs, Task};
use crate::cursor::{Action, Channel, Cursor};
use crate::engine::kernel::accounts::Accounts;
use crate::engine::kernel::matching::Matching;
use crate::engine::kernel::meetings::Meetings;
use crate::engine::kernel::remote::Windows;
use crate::engine::kernel::slab::{NONE, Slab};
use crate::engine::kernel::streams::{Streams, Who};
use crate::engine::kernel::volunteers::Pools;
use crate::flow::rails::RailLoads;
use crate::flow::requests::Slot;
use crate::flow::sharing::{Ended, Sharing};
use crate::job::{Feedback, Job};
use crate::outcome::{Activity, Counts, Observer, Outcome};
use crate::platform::LinkId;
use crate::tick::{Tick, TickLength};
use collectives::Streaming;
use computing::Computing;
use messages::{Course, Message, Receive};
use process::{Blocked, Busy, Process};
use runcast_core::Problem;
use runcast_core::hash::MixMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Plays an application at `flow`.
///
/// # Errors
/// `deadlock`; `time_overflow`; `interrupted`; those of formulas and of live scripts.
pub fn engine(job: &Job<'_>, application: &mut Application, observer: &mut dyn Observer) -> Result<Outcome, Problem> {
    let mut run = Run::new(job, application, observer)?;
    if let Err(problem) = run.play() {
        return Err(job.budget.stopped(problem, || run.outcome()));
    }
    run.outcome()
}

/// What happens at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The processor of a process is free again.
    Resume(u32),
    /// The latency of a message is over.
    Flow(u32),
    /// The first block on a device with shared cores ends, unless its version is another by then.
    Node(u32, u32),
    /// The same for a storage or a bus.
    Resource(u32, u32),
    /// A collective by its formula is over.
    Leave(u32),
    /// The latency of a part of a collective of devices is over.
    Part(u32),
    /// That of a copy in a stream.
    Task(u32),
    /// A process asks for a lock there.
    Lock { own: u32, window: u32 },
    /// A lock is given back there.
    Unlock { window: u32, to: u32 },
    /// Something happens to jobs at volunteers: their number and version.
    Volunteers(u32, u32),
    /// A sum in the memory of another process is done: the message that brought it.
    Summed(u32),
}

/// Actions between two checks of the budget; each counts as an event.
const PATIENCE: u32 = 4096;

/// A running simulation.
struct Run<'a> {
    job: Job<'a>,
    application: &'a mut Application,
    observer: &'a mut dyn Observer,
    tick: TickLength,
    now: Tick,
    sequence: u64,
    events: BinaryHeap<Reverse<(Tick, u64, What)>>,
    sharing: Sharing,
    /// Flows that end now.
    ended: VecDeque<Ended>,
    ended_room: Vec<Ended>,
    /// Processes that continue now.
    ready: VecDeque<u32>,
    processes: Vec<Process>,
    /// Messages, and receives by number, that wait for one another.
    matching: Matching,
    messages: Slab<Message>,
    receives: Slab<Receive>,
    computing: Computing,
    streams: Streams,
    windows: Windows,
    volunteers: Pools,
    /// Messages that are accesses to the memory of others.
    accesses: MixMap<u32, remote::Remote>,
    meetings: Meetings,
    /// Collectives of devices whose bytes flow.
    streaming: Slab<Streaming>,
    accounts: Accounts,
    counts: Counts,
    route: Vec<LinkId>,
    rails: RailLoads,
    /// Messages in order, by sender and receiver: the one that flows, and those behind it.
    in_order: MixMap<(u32, u32), VecDeque<u32>>,
    /// Ways of messages that have more to them than links.
    courses: MixMap<u32, Course>,
    /// Whether processes run beside simulated time: then they may wait for the first of several requests.
    is_live: bool,
    /// When sends and receives were complete, for these.
    completed_at: MixMap<(several::Kind, u32), Tick>,
    patience: u32,
    /// Operations since the last look at the budget.
    operations: u64,
}

impl<'a> Run<'a> {
    fn new(
        job: &Job<'a>,
        application: &'a mut Application,
        observer: &'a mut dyn Observer,
    ) -> Result<Run<'a>, Problem> {
        let count = application.processes();
        if count >= u64::from(NONE) {
            return Err(Problem::new("too_many_processes", format!("{count} processes do not fit the level flow"))
                .hint("try --fidelity label"));
        }
        let mut processes = Vec::with_capacity(count as usize);
        for number in 0..count {
            let cursor = Cursor::new(number, application, job)?;
            processes.push(Process::new(cursor, job.world.place(number)));
        }
        let mut run = Run {
            job: *job,
            tick: job.tick,
            now: 0,
            sequence: 0,
            events: BinaryHeap::new(),
            sharing: Sharing::new(&job.platform.links, job.tick),
            ended: VecDeque::new(),
            ended_room: Vec::new(),
            ready: VecDeque::new(),
            processes,
            matching: Matching::new(application),
            messages: Slab::default(),
            receives: Slab::default(),
            computing: Computing::new(job.world),
            streams: Streams::default(),
            windows: Windows::default(),
            volunteers: Pools::default(),
            accesses: MixMap::default(),
            meetings: Meetings::default(),
            streaming: Slab::default(),
            accounts: Accounts::new(application.labels.len()),
            counts: Counts::default(),
            route: Vec::new(),
            rails: RailLoads::default(),
            in_order: MixMap::default(),
            courses: MixMap::default(),
            is_live: application.labels.iter().any(|label| label.programs == Programs::Live),
            completed_at: MixMap::default(),
            patience: PATIENCE,
            operations: 0,
            application,
            observer,
        };
        for label in 0..run.application.labels.len() {
            let (first, count, start_s) = {
                let label = &run.application.labels[label];
                (label.first, label.count, label.start_s)
            };
            let start = run.tick.of(start_s)?;
            for own in first..first + count {
                if start == 0 {
                    run.ready.push_back(own as u32);
                } else {
                    run.busy_until(own as u32, start, Busy::Idle);
                }
            }
        }
        Ok(run)
    }

    fn play(&mut self) -> Result<(), Problem> {
        loop {
            while let Some(own) = self.ready.pop_front() {
                self.step(own)?;
            }
            if !self.next_event()? {
                return self.check_all_ended();
            }
        }
    }

    /// The next thing happens; false: there is none.
    fn next_event(&mut self) -> Result<bool, Problem> {
        let first = self.events.peek().map(|Reverse((at, sequence, _))| (*at, *sequence));
        // What happens now comes before links are shared again.
        if let Some(flow) = self.ended.front()
            && first.is_none_or(|first| (self.now, flow.sequence) < first)
        {
            let flow = *flow;
            self.ended.pop_front();
            self.counts.events += 1;
            match collectives::of_flow(flow.who) {
                Some(collective) => self.stream_ended(collective)?,
                None => self.arrive(flow.who, flow.link)?,
            }
            return Ok(true);
        }
        if first.is_none_or(|(at, _)| at > self.now) {
            self.sharing.settle(self.now);
            if let Some(end) = self.sharing.next_end()
                && first.is_none_or(|(at, _)| end <= at)
            {
                if end == Tick::MAX {
                    return Err(self.tick.overflow());
                }
                self.now = end;
                self.sharing.take_ended(end, &mut self.ended_room);
                self.ended.extend(self.ended_room.drain(..));
                return Ok(true);
            }
        }
        let Some(Reverse((at, _, what))) = self.events.pop() else { return Ok(false) };
        self.now = at;
        self.counts.events += 1;
        match what {
            What::Resume(own) => self.resume(own)?,
            What::Flow(message) => self.flow(message)?,
            What::Node(node, version) => self.node_event(node, version)?,
            What::Resource(resource, version) => self.resource_event(resource, version)?,
            What::Leave(meeting) => self.leave(meeting)?,
            What::Part(collective) => self.stream(collective)?,
            What::Task(task) => self.flow_of_task(task)?,
            What::Lock { own, window } => self.lock_event(own, window)?,
            What::Unlock { window, to } => self.unlock_event(window, to)?,
            What::Volunteers(crowd, version) => self.volunteers_event(crowd, version)?,
            What::Summed(message) => self.access_is_done(message)?,
        }
        Ok(true)
    }

    /// Something will happen; its sequence number.
    fn post(&mut self, at: Tick, what: What) -> u64 {
        self.sequence += 1;
        self.events.push(Reverse((at, self.sequence, what)));
        self.sequence
    }

    fn later(&self, duration: Tick) -> Result<Tick, Problem> {
        self.tick.add(self.now, duration)
    }

    /// The processor of a process is taken up to a time.
    fn busy_until(&mut self, own: u32, at: Tick, busy: Busy) {
        self.processes[own as usize].busy = busy;
        self.post(at, What::Resume(own));
    }

    /// The processor of a process is free again.
    fn resume(&mut self, own: u32) -> Result<(), Problem> {
        let busy = std::mem::replace(&mut self.processes[own as usize].busy, Busy::Free);
        match busy {
            Busy::Free => {}
            Busy::Idle => self.account(own, Activity::Wait, None),
            Busy::Computes { device, threads } => self.end_compute(own, device, threads),
            Busy::Sends(message) => {
                self.account(own, Activity::Overhead, None);
                self.launch(message)?;
            }
            Busy::Takes(receive) => {
                self.account(own, Activity::Overhead, None);
                self.complete(receive)?;
            }
            Busy::Latency { resource, seconds } => return self.share_resource(Who::Process(own), resource, seconds),
            Busy::Copies | Busy::AtVolunteers => self.account(own, Activity::Io, None),
        }
        self.step(own)
    }

    /// A process continues as far as it can at this time.
    fn step(&mut self, own: u32) -> Result<(), Problem> {
        loop {
            let process = &mut self.processes[own as usize];
            if process.busy != Busy::Free || process.ended {
                return Ok(());
            }
            if process.takes != NONE {
                return self.start_take(own);
            }
            if process.blocked != Blocked::No {
                return Ok(());
            }
            self.patience -= 1;
            if self.patience == 0 {
                self.patience = PATIENCE;
                self.job.budget.spend(u64::from(PATIENCE), std::mem::take(&mut self.operations), self.now)?;
            }
            let feedback = Feedback {
                now_s: self.tick.to_seconds(self.now),
                received: process.received,
                completed: std::mem::take(&mut process.completed),
            };
            let before = process.cursor.operations();
            let action = process.cursor.next(&feedback, self.application, &self.job)?;
            self.operations += process.cursor.operations() - before;
            process.collective = process.cursor.in_collective();
            match action {
                Some(action) => self.execute(own, action)?,
                None if !self.streams.are_over(own) => self.processes[own as usize].blocked = Blocked::Tasks,
                None => {
                    self.end(own);
                    return Ok(());
                }
            }
        }
    }

    fn execute(&mut self, own: u32, action: Action) -> Result<(), Problem> {
        match action {
            Action::Compute(block) => self.compute(own, block),
            Action::Send { to, size, tag } => self.send(own, to, size, tag, None, Channel::default()),
            Action::Isend { to, size, tag, request, channel } => self.send(own, to, size, tag, Some(request), channel),
            Action::Recv { from, tag } => self.receive(own, from, tag, None),
            Action::Irecv { from, tag, request } => self.receive(own, from, tag, Some(request)),
            Action::Wait { request } => {
                self.wait(own, request);
                Ok(())
            }
            Action::Several { set, wanted } => self.wait_for_several(own, set, wanted),
            Action::Closed { collective, request } => self.enter(own, collective, request),
            Action::Io(op) => self.begin_io(own, op),
            Action::Remote { access, to, size, window } => self.access(own, to, (access, size), window),
            Action::Flush { window, to, answer } => {
                self.processes[own as usize].blocked = Blocked::Flushes { window, to: to.map(|to| to as u32), answer };
                self.look_at_flush(own)
            }
            Action::Lock { window, to } => self.ask_for_lock(own, window, to),
            Action::Unlock { window, to } => self.give_lock_back(own, window, to as u32),
            Action::Copy(copy) => self.begin_task(own, Task::Copy(copy), None),
            Action::Launch { task, request } => self.begin_task(own, task, Some(request)),
            Action::Sleep(seconds) => {
                let at = self.later(self.tick.of(seconds)?)?;
                if at > self.now {
                    self.busy_until(own, at, Busy::Idle);
                }
                Ok(())
            }
            Action::Phase(phase) => {
                self.processes[own as usize].phase = Some(phase);
                Ok(())
            }
        }
    }

    fn wait(&mut self, own: u32, request: u32) {
        let process = &mut self.processes[own as usize];
        let slot = process.requests.take(request);
        process.open -= i64::from(!matches!(slot, Slot::Task(_) | Slot::TaskOver(_)));
        let blocked = match slot {
            Slot::Done | Slot::TaskOver(_) => return,
            Slot::Task(task) => Blocked::Task(task),
            Slot::Send(message) if self.messages[message].is_done() => return self.release_message(message),
            Slot::Send(message) => Blocked::Sends(message),
            Slot::Receive(receive) if self.receives[receive].done => {
                let received = self.release_receive(receive);
                self.processes[own as usize].received = Some(received);
                return;
            }
            Slot::Receive(receive) => Blocked::Receives(receive),
            Slot::Closed(meeting) if self.meetings.get(meeting).is_over => return self.meetings.leave(meeting),
            Slot::Closed(meeting) => Blocked::Meets(meeting),
        };
        self.processes[own as usize].blocked = blocked;
    }
}
