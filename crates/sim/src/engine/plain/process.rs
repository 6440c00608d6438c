//! A process as the plain engine sees it: its clocks, what it is to do next, and what it waits for.

use crate::application::{Access, Op, Tag, Task, Wanted};
use crate::cursor::{Action, Cursor, FIRST_OWN_REQUEST};
use crate::engine::kernel::ledger::{Ledger, Reason, Step};
use crate::engine::kernel::rule::{Clocks, SendCall};
use crate::job::Received;
use crate::tick::Tick;
use crate::world::Place;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Order of events of one time: by when they were made, by which process, and its number there.
///
/// It does not depend on the order in which processes are worked off, so that other engines can keep it too. An operation is
/// made by its process when it becomes ready, a message by its sender when it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    /// When it was made.
    pub made: Tick,
    pub process: u32,
    /// Its number among those of this process, from 0.
    pub counter: u32,
}

/// No request: the operation blocks.
pub const BLOCKING: u32 = u32::MAX;

/// What a process is to do at its next event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pending {
    /// Nothing: it waits, or has ended.
    Nothing,
    /// Computes a block.
    Compute(u32),
    Send(SendCall),
    /// Posts a receive.
    Post {
        from: Option<u64>,
        tag: Tag,
        request: u32,
    },
    /// Begins to read or write.
    Io(Op),
    /// Accesses the memory of another process.
    Remote {
        access: Access,
        to: u64,
        size: u64,
        window: u32,
    },
    /// Asks for a lock, or gives it back.
    Lock {
        window: u32,
        to: u64,
        back: bool,
    },
    /// Has a device do something; without a request it waits for it.
    Task {
        task: Task,
        request: Option<u32>,
    },
    /// Its bytes begin to flow: resource, and seconds when alone.
    Flow {
        resource: u32,
        alone_s: f64,
    },
    Phase(u32),
    Enter {
        collective: u32,
        request: Option<u32>,
    },
    End,
}

/// What a process waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State {
    /// Nothing: its next operation has an event of its own.
    Runs,
    /// Its block is being computed on a device that others share.
    Computes,
    /// The message of its receive.
    Receives,
    /// The receive of its message.
    Sends {
        arrival: Tick,
    },
    Waits {
        request: u32,
    },
    /// Some of several requests.
    Several {
        set: u32,
        wanted: Wanted,
    },
    /// The others of a collective.
    Gathers,
    /// A storage.
    Copies,
    /// A task of a device.
    Task(u32),
    /// All that its devices do: then it ends.
    Tasks,
    /// Its accesses to the memory of others.
    Flushes {
        window: u32,
        to: Option<u32>,
        answer: bool,
    },
    /// A lock.
    Locks {
        to: u32,
    },
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Request {
    /// Not in use.
    Free,
    /// A receive without its message, from a process or any.
    Receives { from: Option<u64> },
    /// A message to a process without its receive.
    Sends { to: u64 },
    /// A collective that not all have entered.
    Gathers,
    /// A task that is not over.
    Task(u32),
    /// One that was over at that time.
    TaskOver { at: Tick },
    /// Complete at that time, which may be ahead for collectives.
    Done { at: Tick, received: Option<Received>, collective: bool },
}

pub struct Process {
    pub cursor: Cursor,
    pub place: Place,
    pub clocks: Clocks,
    /// When its next operation may begin, where that is later than its processor is free.
    pub ready: Tick,
    pub counter: u32,
    pub blocks: u64,
    pub pending: Pending,
    pub state: State,
    /// Messages that have arrived while the processor or the NIC was busy.
    pub takes: BinaryHeap<Reverse<(Order, u32)>>,
    /// The event that stands for the first of them.
    pub take_event: Option<(Tick, Order)>,
    /// What the last receive got.
    pub received: Option<Received>,
    /// Which of several requests were complete.
    pub completed: Vec<u32>,
    /// What it began last, for messages.
    pub last: Option<Action>,
    pub ledger: Ledger,
    pub phase: Option<u32>,
    /// What idle time is while the process waits for nothing that decides it later.
    pub idle: Option<Reason>,
    requests: Vec<Request>,
    own_requests: Vec<Request>,
}

impl Process {
    pub fn new(cursor: Cursor, place: Place, start: Tick) -> Self {
        Process {
            cursor,
            place,
            clocks: Clocks::default(),
            ready: start,
            counter: 0,
            blocks: 0,
            pending: Pending::Nothing,
            state: State::Runs,
            takes: BinaryHeap::new(),
            take_event: None,
            received: None,
            completed: Vec::new(),
            last: None,
            ledger: Ledger::default(),
            phase: None,
            idle: None,
            requests: Vec::new(),
            own_requests: Vec::new(),
        }
    }

    /// The step that it is in.
    #[inline]
    pub fn step(&self) -> Step {
        Step { site: self.cursor.site(), collective: self.cursor.in_collective() }
    }

    /// Idle up to then.
    #[inline]
    pub fn idle_until(&mut self, at: Tick) {
        self.ledger.idle_until(self.step(), at);
    }

    /// When its next operation can begin.
    #[inline]
    pub fn free(&self) -> Tick {
        self.clocks.cpu.max(self.ready)
    }

    /// The state of a request.
    #[inline]
    pub fn request(&self, number: u32) -> Request {
        let (requests, at) = match number.checked_sub(FIRST_OWN_REQUEST) {
            Some(own) => (&self.own_requests, own),
            None => (&self.requests, number),
        };
        requests.get(at as usize).copied().unwrap_or(Request::Free)
    }

    /// Changes the state of a request.
    #[inline]
    pub fn set_request(&mut self, number: u32, request: Request) {
        let (requests, at) = match number.checked_sub(FIRST_OWN_REQUEST) {
            Some(own) => (&mut self.own_requests, own),
            None => (&mut self.requests, number),
        };
        if requests.len() <= at as usize {
            if request == Request::Free {
                return;
            }
            requests.resize(at as usize + 1, Request::Free);
        }
        requests[at as usize] = request;
    }

    /// With whom a request is.
    pub fn partner(&self, number: u32) -> Option<u64> {
        match self.request(number) {
            Request::Receives { from } => from,
            Request::Sends { to } => Some(to),
            _ => None,
        }
    }

    /// Requests without a wait.
    pub fn left_requests(&self) -> u64 {
        let is_left =
            |request: &&Request| !matches!(request, Request::Free | Request::Task(_) | Request::TaskOver { .. });
        self.requests.iter().chain(&self.own_requests).filter(is_left).count() as u64
    }

    /// The next number for an event of this process.
    #[inline]
    pub fn order(&mut self, own: u32, made: Tick) -> Order {
        let counter = self.counter;
        self.counter = counter.wrapping_add(1);
        Order { made, process: own, counter }
    }
}
