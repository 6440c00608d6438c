//! Replays a schedule by LogGOPS, exactly.
//!
//! What waits for a busy processor or NIC is not tried again one by one: it is in a lane of its rank (calculations; sends;
//! messages to be taken), by number, and one event stands for the first of each lane.
//!
//! Source: T. Hoefler, T. Schneider, A. Lumsdaine, *LogGOPSim*, LSAP 2010.
//!
//! Erratum: the source of LogGOPSim (December 2023) starts an operation that depends on one of another processor when its own
//! is free, even if the other has not finished. Here it waits, as the paper says; [`Parameters::as_loggopsim`] does as the
//! source does.
//!
//! Erratum: the same source charges `n - 1` gaps per byte for an empty message too, which is minus one. Here it is none.

mod clocks;
mod report;
mod waiting;

use super::lanes::{Lanes, NOTHING};
use super::numbers::Numbers;
use super::parameters::Parameters;
use super::queue::{Event, Queue};
use super::{ANY_SOURCE, ANY_TAG, Kind, Operation, Schedule, Shape};
use crate::application;
use crate::budget::Budget;
use crate::engine::kernel::matching::{self, Matching};
use crate::engine::kernel::rule::MessageCosts;
use crate::outcome::Counts;
use crate::tick::{Tick, TickLength};
use runcast_core::hash::MixMap;
use runcast_core::{Problem, Warning};

/// Inputs of a replay.
pub struct Control<'a> {
    /// How long a tick is; sizes of calculations are ticks.
    pub tick: TickLength,
    /// What it may take, and who may stop it.
    pub budget: &'a Budget<'a>,
    /// Line of an operation of a rank, for the report of a deadlock.
    pub line: &'a dyn Fn(u32, u32) -> Option<u64>,
}

/// Result of a replay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// Last processor clock of each rank.
    pub finish: Vec<Tick>,
    /// The last of all.
    pub end: Tick,
    /// Ticks that all ranks together spent, from 0 to their ends.
    pub spent: Spent,
    pub counts: Counts,
    /// Messages that were never received.
    pub warnings: Vec<Warning>,
}

/// Ticks of the processors of all ranks, by what they did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Calculations.
    pub compute: u128,
    /// Messages were handled.
    pub overhead: u128,
    /// A message streamed in or was under way, or the NIC was busy.
    pub transfer: u128,
    /// Nothing was there to do.
    pub wait: u128,
}

impl Spent {
    /// All of it: the sum of the last clocks of all processors.
    pub fn sum(&self) -> u128 {
        self.compute + self.overhead + self.transfer + self.wait
    }
}

/// A rank on its way: clocks of its first processor and NIC, and its lanes.
#[derive(Debug, Clone, Copy)]
struct Rank {
    cpu: Tick,
    send_nic: Tick,
    take_nic: Tick,
    /// Number of its first free send, and of its first free calculation.
    numbers: [u64; 2],
    /// How many of them have begun.
    begun: [u32; 2],
    /// Sends, messages to be taken, calculations: what waits for processor 0 and NIC 0.
    lanes: [u32; 3],
    shape: u32,
    /// Where its counters begin.
    counters: u32,
    /// Where its bits of free receives begin, in words.
    bits: u32,
}

/// A lane of other processors and NICs.
#[derive(Debug, Clone, Copy)]
struct Lane {
    rank: u32,
    kind: usize,
    cpu: u16,
    nic: u16,
    head: u32,
}

const SENDS: usize = 0;
const TAKES: usize = 1;
const CALCS: usize = 2;

/// What happens, in the two highest bits; below an operation of a rank, or a lane.
const LANE: u64 = 0;
const ARRIVE: u64 = 1 << 62;
const POST: u64 = 2 << 62;
const LATER: u64 = 3 << 62;
const KINDS: u64 = 3 << 62;
/// Bits for the operation of a rank.
const OPERATION_BITS: u32 = 30;

/// Most operations of a rank.
pub const MOST_OPERATIONS: usize = 1 << OPERATION_BITS;

fn pack(rank: u32, operation: u32) -> u64 {
    u64::from(rank) << OPERATION_BITS | u64::from(operation)
}

fn unpack(what: u64) -> (u32, u32) {
    let what = what & !KINDS;
    ((what >> OPERATION_BITS) as u32, (what & ((1 << OPERATION_BITS) - 1)) as u32)
}

/// Durations of a message; an empty one may cost less than nothing in LogGOPSim.
#[derive(Debug, Clone, Copy, Default)]
struct Costs {
    size: u64,
    send_cpu: i64,
    send_nic: i64,
    head: i64,
    take_cpu: i64,
    /// The part of it in which bytes stream in.
    stream: u64,
    take_nic: i64,
    rendezvous: bool,
}

impl Costs {
    fn new(parameters: &Parameters, size: u64, tick: TickLength) -> Result<Self, Problem> {
        let of = |size| MessageCosts::new(&parameters.loggops, parameters.loggops.o, size, tick);
        let costs = of(size)?;
        let mut result = Costs {
            size,
            send_cpu: costs.send_cpu as i64,
            send_nic: costs.send_nic as i64,
            head: costs.head as i64,
            take_cpu: costs.take_cpu as i64,
            stream: costs.stream,
            take_nic: costs.take_nic as i64,
            rendezvous: costs.rendezvous,
        };
        if size == 0 && parameters.as_loggopsim {
            // One byte less than a message of one byte, which costs as much as a message of none should.
            let ticks = |seconds: f64| tick.of(seconds).map(|ticks| ticks as i64);
            let (per_byte, gap) = (ticks(parameters.loggops.O)?, ticks(parameters.loggops.G)?);
            result.send_cpu -= per_byte;
            result.send_nic -= gap;
            result.take_cpu -= per_byte.min(gap);
            result.take_nic -= gap;
        }
        Ok(result)
    }
}

struct Replay<'a> {
    schedule: &'a Schedule,
    parameters: Parameters,
    control: &'a Control<'a>,
    ranks: Vec<Rank>,
    counters: Vec<u32>,
    /// Free receives that have their message, a bit each.
    matched: Vec<u64>,
    lanes: Lanes,
    queue: Queue,
    matching: Matching,
    /// Lanes, clocks and times of operations where there are several processors.
    other_lanes: Vec<Lane>,
    lane_of: MixMap<u64, u32>,
    clocks: MixMap<u64, Tick>,
    /// When operations become ready, where that may be later than their processor is free; when messages were taken.
    ready_at: MixMap<u64, Tick>,
    taken_at: MixMap<u64, Tick>,
    has_several: bool,
    costs: Costs,
    now: Tick,
    numbers: Numbers,
    left: u64,
    /// Operations that become ready at an event, and which come first.
    ready: Vec<(u32, u32)>,
    result: Replayed,
}

/// Events between two checks of the budget.
const EVENTS_BETWEEN_LOOKS: u64 = 1 << 16;

/// Replays a schedule.
///
/// # Errors
/// `deadlock`; `time_overflow`; `interrupted`.
pub fn replay(schedule: &Schedule, parameters: &Parameters, control: &Control<'_>) -> Result<Replayed, Problem> {
    let mut replay = Replay::new(schedule, parameters, control)?;
    replay.start()?;
    while let Some(event) = replay.queue.pop() {
        replay.result.counts.events += 1;
        if replay.result.counts.events.is_multiple_of(EVENTS_BETWEEN_LOOKS) {
            control.budget.spend(EVENTS_BETWEEN_LOOKS, 0, event.at)?;
        }
        replay.now = event.at;
        match event.what & KINDS {
            LANE => replay.lane_event(event)?,
            ARRIVE => replay.arrive(event)?,
            POST => {
                let (rank, operation) = unpack(event.what);
                replay.post(rank, operation)?;
                replay.release();
            }
            _ => {
                let (rank, operation) = unpack(event.what);
                replay.wait(rank, operation, event.number, event.at);
            }
        }
    }
    replay.finish()
}

impl<'a> Replay<'a> {
    fn new(schedule: &'a Schedule, parameters: &Parameters, control: &'a Control<'a>) -> Result<Self, Problem> {
        let too_large = || Problem::new("too_many_operations", "the schedule does not fit into memory");
        let (mut counters, mut bits) = (0_u64, 0_u64);
        let mut ranks = Vec::with_capacity(schedule.ranks.len());
        let (mut numbers, mut left) = (Numbers::new(schedule), 0_u64);
        for (rank, shape_number) in schedule.ranks.iter().enumerate() {
            let shape = &schedule.shapes[*shape_number as usize];
            let sends = shape.free[Kind::Send as usize].len() as u64;
            let receives = shape.free[Kind::Recv as usize].len() as u64;
            let calcs = shape.free[Kind::Calc as usize].len() as u64;
            let number = numbers.reserve(rank as u32, sends + receives + calcs);
            ranks.push(Rank {
                cpu: 0,
                send_nic: 0,
                take_nic: 0,
                numbers: [number, number + sends + receives],
                begun: [0, 0],
                lanes: [NOTHING; 3],
                shape: *shape_number,
                counters: u32::try_from(counters).map_err(|_| too_large())?,
                bits: u32::try_from(bits).map_err(|_| too_large())?,
            });
            left += shape.operations.len() as u64;
            counters += u64::from(shape.counted);
            bits += shape.posted.len().div_ceil(64) as u64;
        }
        let mut of_all = Vec::with_capacity(counters as usize);
        let mut matching = Matching::default();
        for (rank, shape) in schedule.ranks.iter().enumerate() {
            let shape = &schedule.shapes[*shape as usize];
            of_all.extend(shape.needs.iter().filter(|needs| **needs > 0));
            if shape.is_wild {
                matching.ask(rank as u32, matching::ANY);
            }
        }
        let has_several = schedule.shapes.iter().any(|shape| shape.has_several);
        let costs = Costs::new(parameters, 1, control.tick)?;
        let apart =
            [costs.send_cpu, costs.head, costs.take_cpu].into_iter().filter(|ticks| *ticks > 0).min().unwrap_or(0);
        let apart = apart.unsigned_abs();
        Ok(Replay {
            schedule,
            parameters: *parameters,
            control,
            ranks,
            counters: of_all,
            matched: vec![0; bits as usize],
            lanes: Lanes::default(),
            queue: Queue::new(apart),
            matching,
            other_lanes: Vec::new(),
            lane_of: MixMap::default(),
            clocks: MixMap::default(),
            ready_at: MixMap::default(),
            taken_at: MixMap::default(),
            has_several,
            costs,
            now: 0,
            numbers,
            left,
            ready: Vec::new(),
            result: Replayed::default(),
        })
    }

    #[inline]
    fn shape(&self, rank: u32) -> &'a Shape {
        &self.schedule.shapes[self.ranks[rank as usize].shape as usize]
    }

    #[inline]
    fn operation(&self, rank: u32, operation: u32) -> &'a Operation {
        &self.shape(rank).operations[operation as usize]
    }

    #[inline]
    fn costs(&mut self, size: u64) -> Result<Costs, Problem> {
        if self.costs.size != size {
            self.costs = Costs::new(&self.parameters, size, self.control.tick)?;
        }
        Ok(self.costs)
    }

    #[inline]
    fn later(&self, ticks: i64) -> Result<Tick, Problem> {
        match self.now.checked_add_signed(ticks) {
            Some(at) => Ok(at),
            None if ticks < 0 => Ok(0),
            None => Err(self.control.tick.overflow()),
        }
    }

    /// A send or a calculation begins: all that it needs is free.
    fn begin(&mut self, rank: u32, operation: u32) -> Result<(), Problem> {
        let what = *self.operation(rank, operation);
        if what.kind == Kind::Calc {
            let Ok(ticks) = i64::try_from(what.size) else { return Err(self.control.tick.overflow()) };
            let end = self.later(ticks)?;
            self.idle(rank, what.cpu, 0);
            self.set_cpu(rank, what.cpu, end);
            self.result.spent.compute += u128::from(what.size);
            self.started(rank, operation, self.now);
            self.completed(rank, operation, end);
            return Ok(());
        }
        let costs = self.costs(what.size)?;
        let end = self.later(costs.send_cpu)?;
        self.idle(rank, what.cpu, Tick::MAX);
        self.set_cpu(rank, what.cpu, end);
        let nic_free = self.later(costs.send_nic)?;
        self.set_nic(rank, SENDS, what.nic, nic_free);
        let number = self.numbers.next(rank, self.now);
        self.queue.push(Event { at: self.later(costs.head)?, number, what: ARRIVE | pack(rank, operation) });
        self.result.counts.messages += 1;
        self.result.counts.bytes += what.size;
        self.result.spent.overhead += u128::from(end.saturating_sub(self.now));
        self.started(rank, operation, self.now);
        if !costs.rendezvous {
            self.completed(rank, operation, end);
        }
        Ok(())
    }

    /// The head of a message arrives.
    fn arrive(&mut self, event: Event) -> Result<(), Problem> {
        let (sender, operation) = unpack(event.what);
        let what = self.operation(sender, operation);
        let to = self.target(sender, what);
        if self.free(to, TAKES, what.cpu, what.nic) > self.now {
            self.put_into_lane(to, TAKES, what, event.number, pack(sender, operation), self.now);
            return Ok(());
        }
        self.take(to, sender, operation)?;
        self.release();
        Ok(())
    }

    #[inline]
    fn target(&self, rank: u32, operation: &Operation) -> u32 {
        let (to, ranks) = (u64::from(rank) + u64::from(operation.peer), self.ranks.len() as u64);
        (if to >= ranks { to - ranks } else { to }) as u32
    }

    /// A message is taken by the processor and the NIC that its send named, whether or not a receive is posted.
    fn take(&mut self, rank: u32, sender: u32, operation: u32) -> Result<(), Problem> {
        let what = *self.operation(sender, operation);
        let costs = self.costs(what.size)?;
        let end = self.later(costs.take_cpu)?;
        self.idle(rank, what.cpu, costs.head.unsigned_abs());
        self.set_cpu(rank, what.cpu, end);
        let nic_free = self.later(costs.take_nic)?;
        self.set_nic(rank, TAKES, what.nic, nic_free);
        let handled = end.saturating_sub(self.now);
        let streamed = costs.stream.min(handled);
        self.result.spent.transfer += u128::from(streamed);
        self.result.spent.overhead += u128::from(handled - streamed);
        let receive = match self.posted(rank, sender, what.tag) {
            Some(receive) => Some(receive),
            None => self
                .matching
                .arrive(rank, sender, i64::from(what.tag), pack(sender, operation))
                .map(|receive| receive as u32),
        };
        match receive {
            Some(receive) => {
                self.completed(rank, receive, end);
                if costs.rendezvous {
                    self.sent(sender, operation);
                }
            }
            None if self.has_several => {
                self.taken_at.insert(pack(sender, operation), end);
            }
            None => {}
        }
        Ok(())
    }

    /// The oldest free receive of the shape that fits a message and has none.
    #[inline]
    fn posted(&mut self, rank: u32, sender: u32, tag: u32) -> Option<u32> {
        let shape = self.shape(rank);
        if shape.posted.is_empty() {
            return None;
        }
        let ranks = self.ranks.len() as u64;
        let distance =
            if sender >= rank { sender - rank } else { (u64::from(sender) + ranks - u64::from(rank)) as u32 };
        let mut at = shape.posted.partition_point(|(peer, known, _)| (*peer, *known) < (distance, tag));
        let bits = self.ranks[rank as usize].bits as usize;
        while let Some((peer, known, receive)) = shape.posted.get(at)
            && (*peer, *known) == (distance, tag)
        {
            let word = &mut self.matched[bits + at / 64];
            if *word >> (at % 64) & 1 == 0 {
                *word |= 1 << (at % 64);
                return Some(*receive);
            }
            at += 1;
        }
        None
    }

    /// The receive of a large message is posted, and the message is there.
    fn sent(&mut self, sender: u32, operation: u32) {
        let what = *self.operation(sender, operation);
        let now = self.now;
        if self.cpu(sender, what.cpu) < now {
            self.idle(sender, what.cpu, 0);
            self.set_cpu(sender, what.cpu, now);
        }
        let nic = self.nic(sender, SENDS, what.nic).max(now);
        self.set_nic(sender, SENDS, what.nic, nic);
        self.completed(sender, operation, now);
    }

    /// A receive is posted.
    fn post(&mut self, rank: u32, operation: u32) -> Result<(), Problem> {
        let what = *self.operation(rank, operation);
        self.started(rank, operation, self.now);
        let shape = self.shape(rank);
        if !shape.posted.is_empty() && shape.needs[operation as usize] == 0 {
            // Messages find it by the shape.
            return Ok(());
        }
        let source = (what.peer != ANY_SOURCE).then(|| self.target(rank, &what));
        let tag = if what.tag == ANY_TAG { application::ANY_TAG } else { i64::from(what.tag) };
        let Some(message) = self.matching.post(rank, source, tag, u64::from(operation)) else { return Ok(()) };
        let (sender, sent) = unpack(message);
        let mut at = self.now;
        if self.has_several {
            at = at.max(self.taken_at.remove(&message).unwrap_or(0));
        }
        self.completed(rank, operation, at);
        let size = self.operation(sender, sent).size;
        if self.costs(size)?.rendezvous {
            self.sent(sender, sent);
        }
        Ok(())
    }

    #[inline]
    fn started(&mut self, rank: u32, operation: u32, at: Tick) {
        self.met(rank, operation, true, at);
    }

    #[inline]
    fn completed(&mut self, rank: u32, operation: u32, at: Tick) {
        self.left -= 1;
        self.met(rank, operation, false, at);
    }

    /// A dependence of others is met: those that have no more are ready.
    #[inline]
    fn met(&mut self, rank: u32, operation: u32, start: bool, at: Tick) {
        let shape = self.shape(rank);
        let (from, to) = (shape.first[operation as usize] as usize, shape.first[operation as usize + 1] as usize);
        for dependent in &shape.dependents[from..to] {
            if (dependent & 1 == 1) != start {
                continue;
            }
            let later = dependent >> 1;
            if self.has_several {
                let ready = self.ready_at.entry(pack(rank, later)).or_insert(0);
                *ready = at.max(*ready);
            }
            let counter = (self.ranks[rank as usize].counters + shape.counters[later as usize]) as usize;
            self.counters[counter] -= 1;
            if self.counters[counter] == 0 {
                self.ready.push((rank, later));
            }
        }
    }

    /// What became ready at this event gets its numbers: by rank, then sends, receives, calculations, each in the order in
    /// which they became ready.
    #[inline]
    fn release(&mut self) {
        if self.ready.is_empty() {
            return;
        }
        let mut ready = std::mem::take(&mut self.ready);
        if ready.len() > 1 {
            ready.sort_by_key(|(rank, operation)| (*rank, self.operation(*rank, *operation).kind));
        }
        for (rank, operation) in ready.drain(..) {
            let number = self.numbers.next(rank, self.now);
            let what = self.operation(rank, operation);
            let mut at = self.cpu(rank, what.cpu);
            if self.has_several
                && let Some(ready) = self.ready_at.remove(&pack(rank, operation))
                && !self.parameters.as_loggopsim
            {
                at = at.max(ready);
            }
            if what.kind == Kind::Recv {
                self.queue.push(Event { at, number, what: POST | pack(rank, operation) });
            } else if self.has_several && at > self.cpu(rank, what.cpu) {
                self.queue.push(Event { at, number, what: LATER | pack(rank, operation) });
            } else {
                self.wait(rank, operation, number, 0);
            }
        }
        self.ready = ready;
    }
}

/// Which clock, in a key of clocks.
const CLOCK_KINDS: u64 = 3 << 16;

fn key(rank: u32, which: u64, number: u16) -> u64 {
    u64::from(rank) << 32 | which << 16 | u64::from(number)
}
