//! A process: where it is, what its processor does, what it is blocked by.

use crate::application::Wanted;
use crate::cursor::Cursor;
use crate::engine::kernel::slab::NONE;
use crate::flow::requests::Requests;
use crate::job::Received;
use crate::tick::Tick;
use crate::world::Place;

/// What the processor of a process does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Busy {
    /// Nothing.
    Free,
    /// It sleeps, or has not started.
    Idle,
    /// A block on a device, with threads.
    Computes { device: u32, threads: f64 },
    /// The overhead of sending a message.
    Sends(u32),
    /// The overhead of a receive.
    Takes(u32),
    /// Waits before bytes flow from or to a storage: this many seconds' worth.
    Latency { resource: u32, seconds: f64 },
    /// Bytes flow.
    Copies,
    /// A job is at volunteers.
    AtVolunteers,
}

/// What must happen elsewhere before a process continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// Nothing.
    No,
    /// A message must be received.
    Sends(u32),
    /// A receive must be complete.
    Receives(u32),
    /// A collective must be over.
    Meets(u32),
    /// A task of a device must be over.
    Task(u32),
    /// All tasks must be over: then it ends.
    Tasks,
    /// Its accesses to the memory of others must be done.
    Flushes { window: u32, to: Option<u32>, answer: bool },
    /// Another must give back a lock.
    Locks { to: u32 },
    /// Some of a set of requests must be complete.
    Several { set: u32, wanted: Wanted },
}

pub struct Process {
    pub cursor: Cursor,
    pub place: Place,
    /// Up to here its time is accounted for.
    pub since: Tick,
    pub busy: Busy,
    pub blocked: Blocked,
    /// Whether its step belongs to a collective.
    pub collective: bool,
    pub ended: bool,
    pub phase: Option<u32>,
    /// Receives whose messages have arrived, to be taken when the processor is free: the first, the last.
    pub takes: u32,
    pub last_take: u32,
    pub requests: Requests,
    /// Requests begun and not waited for.
    pub open: i64,
    /// Blocks so far.
    pub blocks: u64,
    /// What the last blocking receive, or wait for one, got.
    pub received: Option<Received>,
    /// Which of several requests were complete.
    pub completed: Vec<u32>,
}

impl Process {
    /// At its start.
    pub fn new(cursor: Cursor, place: Place) -> Self {
        Process {
            cursor,
            place,
            since: 0,
            busy: Busy::Free,
            blocked: Blocked::No,
            collective: false,
            ended: false,
            phase: None,
            takes: NONE,
            last_take: NONE,
            requests: Requests::default(),
            open: 0,
            blocks: 0,
            received: None,
            completed: Vec::new(),
        }
    }
}
