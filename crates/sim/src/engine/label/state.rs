//! The state of a simulation by classes: clocks, events, what waits where. All that decides what happens next, and nothing else,
//! so that two states can be compared.

use super::walk::Walk;
use crate::application::{ANY_TAG, Op, Site, Tag, Task};
use crate::engine::kernel::ledger::{Ledger, Reason};
use crate::engine::kernel::rule::{Clocks, Flight, SendCall};
use crate::outcome::{ACTIVITIES, Cause, Interval};
use crate::plain::Order;
use crate::tick::Tick;
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};

/// No request: the operation blocks.
pub const BLOCKING: u32 = u32::MAX;

/// A message to a representative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Message {
    /// Class of the receiver.
    pub to: u32,
    /// Process that sent it, and its class.
    pub from: u64,
    pub sender: u32,
    pub flight: Flight,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    pub at: Tick,
    pub order: Order,
    /// Class that the order's counter belongs to.
    pub made_by: u32,
    pub what: What,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    /// A class does what is pending.
    Local(u32),
    /// The head of a message arrives.
    Arrive(Message),
    /// Processor or NIC of a class may be free for a message that waits.
    Take(u32),
    /// A block of a class ends on a node, unless its version is another by then.
    Node { class: u32, node: u32, version: u32 },
    /// A copy in a stream is over.
    Task(u32),
    /// Something happens to jobs at volunteers: their number and version.
    Volunteers(u32, u32),
}

impl Eq for Event {}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.order, self.made_by).cmp(&(other.at, other.order, other.made_by))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What a class is to do at its next event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pending {
    Nothing,
    Compute(u32),
    Send(SendCall),
    Post {
        from: Option<u64>,
        tag: Tag,
        request: u32,
    },
    Io(Op),
    /// Has a device do something; without a request it waits for it.
    Task {
        task: Task,
        request: Option<u32>,
    },
    Phase(u32),
    /// An operation between labels, as its sender.
    Between(Op),
    /// Goes on after many steps without an event.
    Continue,
    End,
}

/// What a class waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Waits {
    Runs,
    /// The message of its receive.
    Receives {
        from: Option<u64>,
        tag: Tag,
    },
    /// The receive of its message.
    Sends {
        to: u64,
        size: u64,
        tag: Tag,
        arrival: Tick,
    },
    Request(u32),
    /// A task of a device.
    Task(u32),
    /// Jobs at volunteers.
    Volunteers,
    /// All that its devices do: then it ends.
    Tasks,
    /// The others of a meeting.
    Meets(u32),
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Request {
    Free,
    Receives {
        from: Option<u64>,
    },
    Sends {
        to: u64,
        arrival: Tick,
    },
    Meets,
    /// A task that is not over.
    Task(u32),
    /// One that was over at that time.
    TaskOver {
        at: Tick,
    },
    Done {
        at: Tick,
        collective: bool,
    },
}

impl Request {
    /// Whether a process that has ended should have waited for it.
    pub fn is_left(&self) -> bool {
        !matches!(self, Request::Free | Request::Task(_) | Request::TaskOver { .. })
    }
}

/// A receive that waits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posted {
    pub from: Option<u64>,
    pub tag: Tag,
    pub request: u32,
    pub position: u32,
}

/// Messages and receives that wait for one another.
#[derive(Debug, Clone, PartialEq)]
pub enum Matching {
    /// By source and tag: no receive is open to any source.
    Exact(BTreeMap<(u64, Tag), Waiting>),
    /// In order, oldest first.
    Wild { posted: VecDeque<Posted>, messages: VecDeque<Message> },
}

/// At one source and tag: messages, or receives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Waiting {
    messages: VecDeque<Message>,
    posted: VecDeque<Posted>,
}

fn fits(posted: &Posted, from: u64, tag: Tag) -> bool {
    posted.from.is_none_or(|wanted| wanted == from) && (posted.tag == tag || posted.tag == ANY_TAG && tag >= 0)
}

impl Matching {
    /// A message was taken: the oldest receive that fits, or it waits.
    pub fn arrive(&mut self, message: Message) -> Option<Posted> {
        match self {
            Matching::Exact(table) => {
                let waiting = table.entry((message.from, message.flight.tag)).or_default();
                let posted = waiting.posted.pop_front();
                match posted {
                    Some(_) if waiting.posted.is_empty() => {
                        table.remove(&(message.from, message.flight.tag));
                    }
                    Some(_) => {}
                    None => waiting.messages.push_back(message),
                }
                posted
            }
            Matching::Wild { posted, messages } => {
                let at = posted.iter().position(|posted| fits(posted, message.from, message.flight.tag));
                if at.is_none() {
                    messages.push_back(message);
                }
                at.and_then(|at| posted.remove(at))
            }
        }
    }

    /// A receive is posted: the oldest message that fits, or it waits.
    pub fn post(&mut self, receive: Posted) -> Option<Message> {
        match (self, receive.from) {
            (Matching::Exact(table), Some(from)) => {
                let key = (from, receive.tag);
                let waiting = table.entry(key).or_default();
                let message = waiting.messages.pop_front();
                match message {
                    Some(_) if waiting.messages.is_empty() => {
                        table.remove(&key);
                    }
                    Some(_) => {}
                    None => waiting.posted.push_back(receive),
                }
                message
            }
            (Matching::Exact(_), None) => None,
            (Matching::Wild { posted, messages }, _) => {
                let at = messages.iter().position(|message| fits(&receive, message.from, message.flight.tag));
                if at.is_none() {
                    posted.push_back(receive);
                }
                at.and_then(|at| messages.remove(at))
            }
        }
    }

    /// Messages that wait.
    pub fn messages(&self) -> usize {
        match self {
            Matching::Exact(table) => table.values().map(|waiting| waiting.messages.len()).sum(),
            Matching::Wild { messages, .. } => messages.len(),
        }
    }

    fn each_message(&mut self, change: &mut dyn FnMut(&mut Message)) {
        match self {
            Matching::Exact(table) => table.values_mut().flat_map(|waiting| &mut waiting.messages).for_each(change),
            Matching::Wild { messages, .. } => messages.iter_mut().for_each(change),
        }
    }
}

/// A running class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassState {
    pub walk: Walk,
    pub clocks: Clocks,
    /// When its next operation may begin, where that is later than its processor is free.
    pub ready: Tick,
    /// Where in the program the last operation stands.
    pub position: u32,
    pub site: Site,
    pub pending: Pending,
    pub waits: Waits,
    /// Messages that arrived while processor or NIC were busy, oldest first.
    pub takes: VecDeque<(Order, Message)>,
    /// The event for the first of them: its time, order, and the class of the order.
    pub take_event: Option<(Tick, Order, u32)>,
    pub matching: Matching,
    pub requests: Vec<Request>,
    pub ledger: Ledger,
    /// What idle time was, where that is known already.
    pub idle: Option<Reason>,
}

impl ClassState {
    pub fn free(&self) -> Tick {
        self.clocks.cpu.max(self.ready)
    }

    pub fn request(&self, number: u32) -> Request {
        self.requests.get(number as usize).copied().unwrap_or(Request::Free)
    }

    pub fn set_request(&mut self, number: u32, request: Request) {
        if self.requests.len() <= number as usize {
            self.requests.resize(number as usize + 1, Request::Free);
        }
        self.requests[number as usize] = request;
    }
}

/// An instance of a meeting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instance {
    /// When members entered, in their order.
    pub entered: Vec<Option<Tick>>,
    /// Members that wait, with their request and operation's class.
    pub waiting: Vec<(u32, u32)>,
    /// Members that are through.
    pub through: u32,
    /// Call of the senders, and the latest time that each sender's messages let receivers be done.
    pub call: Option<super::between::Call>,
    pub times: Vec<super::between::Times>,
    /// Index of the collective.
    pub collective: Option<u32>,
}

/// The instances of a meeting that are not over.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instances {
    pub open: VecDeque<Instance>,
    /// How many of the open ones a member has entered.
    pub ahead: Vec<u32>,
}

/// A link from a sender that waits for its receives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Link {
    /// Receives that were matched before the message was sent.
    pub done: VecDeque<Tick>,
    /// Senders that wait: the request, or [`BLOCKING`].
    pub waiting: VecDeque<u32>,
}

/// Everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub classes: Vec<ClassState>,
    pub meetings: Vec<Instances>,
    pub links: Vec<Link>,
    /// Events, sorted when states are compared.
    pub events: Vec<Event>,
}

/// Sums of one representative.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    pub ticks: [u128; ACTIVITIES],
    /// Ticks by phase.
    pub phases: Vec<u128>,
    pub phase: Option<u32>,
    /// Thread-ticks of computing.
    pub thread_ticks: f64,
    /// What devices with power states drew for it above their power at rest, in watt-ticks, by component.
    pub drawn: Vec<(u32, f64)>,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Operations done.
    pub operations: u64,
}

impl Sums {
    pub fn add(&mut self, interval: &Interval) {
        let ticks = u128::from(interval.to - interval.from);
        self.ticks[interval.activity as usize] += ticks;
        if let Some(phase) = interval.phase {
            if self.phases.len() <= phase as usize {
                self.phases.resize(phase as usize + 1, 0);
            }
            self.phases[phase as usize] += ticks;
        }
    }

    /// Adds what came since `before`, this many times over.
    pub fn repeat(&mut self, before: &Sums, times: u64) {
        let wide = u128::from(times);
        for (ticks, old) in self.ticks.iter_mut().zip(before.ticks) {
            *ticks += (*ticks - old) * wide;
        }
        for (at, ticks) in self.phases.iter_mut().enumerate() {
            *ticks += (*ticks - before.phases.get(at).copied().unwrap_or(0)) * wide;
        }
        self.thread_ticks += (self.thread_ticks - before.thread_ticks) * times as f64;
        for (component, sum) in &mut self.drawn {
            let old = before.drawn.iter().find(|(known, _)| known == component).map_or(0.0, |(_, old)| *old);
            *sum += (*sum - old) * times as f64;
        }
        for (now, old) in [
            (&mut self.messages, before.messages),
            (&mut self.bytes, before.bytes),
            (&mut self.operations, before.operations),
        ] {
            *now = now.saturating_add((*now - old).saturating_mul(times));
        }
    }
}

/// What grows while a state repeats.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    pub sums: Vec<Sums>,
    /// Numbers of events of each class.
    pub counters: Vec<u32>,
    pub counts: crate::outcome::Counts,
    pub blocks: Vec<u64>,
    /// Messages and bytes of labels that are not counted by representative.
    pub extra: Vec<(u64, u64)>,
}

/// How times change: those that only matter when they are ahead, and those that matter exactly.
pub trait Change {
    fn clock(&mut self, at: &mut Tick);
    fn exact(&mut self, at: &mut Tick);
    fn order(&mut self, order: &mut Order, class: u32);
}

impl ClassState {
    /// Changes all times.
    pub fn change(&mut self, by: &mut dyn Change) {
        let Clocks { cpu, send_nic, take_nic } = &mut self.clocks;
        for at in [cpu, &mut self.ready, send_nic, take_nic] {
            by.clock(at);
        }
        for (order, message) in &mut self.takes {
            by.order(order, message.sender);
            change_message(message, by);
        }
        if let Some((at, order, of)) = &mut self.take_event {
            by.clock(at);
            by.order(order, *of);
        }
        // Taken before its receive: when it was sent does not matter any more.
        self.matching.each_message(&mut |message| {
            for at in [&mut message.flight.sent, &mut message.flight.arrival, &mut message.flight.taken] {
                by.clock(at);
            }
        });
        for request in &mut self.requests {
            match request {
                Request::Done { at, .. } => by.clock(at),
                Request::Sends { arrival, .. } => by.clock(arrival),
                _ => {}
            }
        }
        if let Waits::Sends { arrival, .. } = &mut self.waits {
            by.clock(arrival);
        }
        match &mut self.idle {
            Some(Reason::Sent(Cause { at, .. })) => by.exact(at),
            Some(Reason::Arrived(at, cause)) => {
                by.clock(at);
                by.exact(&mut cause.at);
            }
            _ => {}
        }
        self.ledger.map(&mut |at| by.exact(at));
    }
}

fn change_message(message: &mut Message, by: &mut dyn Change) {
    by.exact(&mut message.flight.sent);
    by.clock(&mut message.flight.arrival);
    by.clock(&mut message.flight.taken);
}

impl Message {
    /// Changes all times.
    pub fn change(&mut self, by: &mut dyn Change) {
        change_message(self, by);
    }
}

impl Progress {
    /// Adds what came since `before`, this many times over.
    pub fn repeat(&mut self, before: &Progress, times: u64) {
        for (sums, old) in self.sums.iter_mut().zip(&before.sums) {
            sums.repeat(old, times);
        }
        let more = |now: &mut u64, old: u64| *now = now.saturating_add((*now - old).saturating_mul(times));
        more(&mut self.counts.collectives, before.counts.collectives);
        for (blocks, old) in self.blocks.iter_mut().zip(&before.blocks) {
            more(blocks, *old);
        }
        for (extra, old) in self.extra.iter_mut().zip(&before.extra) {
            more(&mut extra.0, old.0);
            more(&mut extra.1, old.1);
        }
    }
}

impl State {
    /// Changes all times.
    pub fn change(&mut self, by: &mut dyn Change) {
        for class in &mut self.classes {
            class.change(by);
        }
        self.meetings.iter_mut().for_each(|meeting| meeting.change(by));
        self.links.iter_mut().for_each(|link| link.change(by));
        for event in &mut self.events {
            by.clock(&mut event.at);
            by.order(&mut event.order, event.made_by);
            if let What::Arrive(message) = &mut event.what {
                change_message(message, by);
            }
        }
    }
}

impl Instances {
    /// Changes all times.
    pub fn change(&mut self, by: &mut dyn Change) {
        for instance in &mut self.open {
            instance.entered.iter_mut().flatten().for_each(|at| by.exact(at));
        }
    }
}

impl Link {
    /// Changes all times.
    pub fn change(&mut self, by: &mut dyn Change) {
        self.done.iter_mut().for_each(|at| by.clock(at));
    }
}
