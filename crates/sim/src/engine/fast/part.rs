//! A part of the processes: their state side by side, their messages in one array, their next windows on one wheel.
//!
//! Inside a window each process is worked off alone. Its events are its pending step and the messages that have arrived; the
//! earliest goes first, ties by the order of [`crate::plain`]: when it was made, by which process, its number there.

mod requests;

use super::accounts::Accounts;
use super::code::Step;
use super::flood::Flood;
use super::lists::{Lists, Message, NIL};
use super::matches::Posted;
use super::more::More;
use super::plan::{Halt, Packet, Plan, Worker};
use super::rank::{COLLECTIVE, EXPANDED, FLOODED, Rank, SLEPT, State};
use super::set::Set;
use super::wheel::Wheel;
use crate::application::{Op, Peer, Tag};
use crate::cursor::Cursor;
use crate::engine::kernel::matching::Matching;
use crate::job::Received;
use crate::tick::Tick;
use std::collections::HashMap;

/// Lists longer than this are searched by an index.
pub(super) const LONG: u32 = 24;
/// A posted receive of an operation of several steps: the rest is its number in `own`.
pub(super) const OWN: u32 = 1 << 31;

/// A part of the processes.
pub(super) struct Part {
    /// Number of its first process.
    pub(super) first: u32,
    pub(super) ranks: Vec<Rank>,
    /// Messages of each process that have arrived, or will in this window.
    inbox: Vec<u32>,
    /// The next process that wakes up in the same window.
    sleepers: Vec<u16>,
    asleep: Set,
    /// Processes that have something to do in this window.
    due: Set,
    pub(super) messages: Lists<Message>,
    pub(super) posted: Lists<u32>,
    pub(super) own: Lists<Posted>,
    pub(super) wheel: Wheel,
    /// Rounds still to come of the loops that processes are in, by process and depth.
    loops: Vec<u32>,
    /// Operations of several steps that processes are in; empty if there are none.
    pub(super) more: Vec<Option<Box<More>>>,
    /// Requests from 64 on that are not complete; empty if there are none.
    many: Vec<Vec<u64>>,
    /// Blocks computed so far, where noise asks for it.
    blocks: Vec<u32>,
    floods: HashMap<u32, Flood>,
    pub(super) crowds: Matching,
    pub(super) accounts: Accounts,
}

/// It is the last that wakes up in its window: parts have less processes.
const LAST: u16 = u16::MAX;

/// The first event of a process among its messages.
#[derive(Clone, Copy)]
struct First {
    time: Tick,
    node: u32,
    /// The node before it; [`NIL`]: it is the head, or is in a heap.
    before: u32,
}

impl Part {
    /// Whether some process has not come to its end.
    pub(super) fn is_blocked(&self) -> bool {
        self.ranks.iter().any(|rank| rank.state != State::Ended)
    }

    /// Processes from one number up to another, at their start.
    pub(super) fn new(plan: &Plan<'_>, first: u32, end: u32) -> Result<Part, Halt> {
        let count = (end - first) as usize;
        let mut part = Part {
            first,
            ranks: Vec::with_capacity(count),
            inbox: vec![NIL; count],
            sleepers: vec![0; count],
            asleep: Set::new(count),
            due: Set::new(count),
            messages: Lists::new(),
            posted: Lists::new(),
            own: Lists::new(),
            wheel: Wheel::new(),
            loops: vec![0; count * plan.code.depth as usize],
            more: Vec::new(),
            many: Vec::new(),
            blocks: if plan.noisy { vec![0; count] } else { Vec::new() },
            floods: HashMap::new(),
            crowds: Matching::default(),
            accounts: Accounts::new(plan, first, end),
        };
        if plan.code.expands {
            part.more.resize_with(count, || None);
        }
        if plan.application.programs.iter().any(|program| program.requests > 64) {
            part.many.resize_with(count, Vec::new);
        }
        for process in first..end {
            let label = plan.application.label_of(u64::from(process));
            let start = plan.starts[label];
            let program = plan.application.program_of(u64::from(process)).ok_or(Halt::Unsupported)?;
            part.ranks.push(Rank::new(start, plan.code.starts[program as usize]));
        }
        Ok(part)
    }

    /// Begins all programs: the first step of each is ready.
    pub(super) fn begin(&mut self, worker: &mut Worker<'_>) -> Result<(), Halt> {
        let plan = worker.plan;
        for local in 0..self.ranks.len() as u32 {
            let mut rank = self.ranks[local as usize];
            let start = rank.at;
            self.advance(worker, &mut rank, local, start)?;
            rank.made = 0;
            self.sleep(plan, &mut rank, local, None);
            self.ranks[local as usize] = rank;
        }
        Ok(())
    }

    /// A message to a process of this part arrives in a window to come.
    #[inline]
    pub(super) fn deliver(&mut self, plan: &Plan<'_>, packet: &Packet) {
        let slot = self.wheel.slot(plan.window_of(packet.arrival));
        let to = (packet.to - self.first) as u16;
        let message = Message::new(packet.arrival, packet.from, packet.kind, to, packet.number);
        slot.messages = self.messages.add(message, slot.messages);
    }

    /// Works off all events of a window.
    pub(super) fn run(&mut self, worker: &mut Worker<'_>, window: u64) -> Result<(), Halt> {
        let plan = worker.plan;
        let end = window.saturating_add(1).saturating_mul(plan.lookahead);
        for slot in self.wheel.take(window) {
            let mut node = slot.messages;
            while node != NIL {
                let next = self.messages.next(node);
                let to = u32::from(self.messages.get(node).to);
                self.messages.link(node, self.inbox[to as usize]);
                self.inbox[to as usize] = node;
                self.due.add(to);
                node = next;
            }
            let mut local = slot.sleepers;
            while local != NIL {
                self.asleep.remove(local);
                self.due.add(local);
                let next = self.sleepers[local as usize];
                local = if next == LAST { NIL } else { u32::from(next) };
            }
        }
        // In their order: their state is read as it lies.
        let mut due = std::mem::take(&mut self.due);
        let result = due.drain(|local| {
            let mut rank = self.ranks[local as usize];
            if rank.flags & FLOODED != 0 {
                self.pour(plan, local);
            }
            let next = self.work(worker, &mut rank, local, end)?;
            self.sleep(plan, &mut rank, local, next);
            self.ranks[local as usize] = rank;
            Ok(())
        });
        self.due = due;
        result
    }

    /// Messages that have arrived join the others in the heaps.
    #[cold]
    fn pour(&mut self, plan: &Plan<'_>, local: u32) {
        let flood = self.floods.entry(local).or_default();
        let mut node = std::mem::replace(&mut self.inbox[local as usize], NIL);
        while node != NIL {
            flood.add(plan, self.messages.get(node), node);
            node = self.messages.next(node);
        }
    }

    /// Puts a process to sleep until its next event, unless it sleeps until then or less already: what comes next never
    /// comes earlier than it once would have, but for messages, which wake it themselves.
    #[inline]
    fn sleep(&mut self, plan: &Plan<'_>, rank: &mut Rank, local: u32, known: Option<Tick>) {
        if self.asleep.has(local) {
            return;
        }
        if let Some(next) = known.or_else(|| rank.next_step()) {
            let slot = self.wheel.slot(plan.window_of(next));
            self.sleepers[local as usize] = if slot.sleepers == NIL { LAST } else { slot.sleepers as u16 };
            slot.sleepers = local;
            self.asleep.add(local);
        }
    }

    /// Works off the events of a process before a time; when its next one is.
    fn work(&mut self, worker: &mut Worker<'_>, rank: &mut Rank, local: u32, end: Tick) -> Result<Option<Tick>, Halt> {
        let plan = worker.plan;
        let own = self.first + local;
        loop {
            let step = rank.next_step();
            let message = self.first(plan, rank, local);
            let takes = match (step, &message) {
                (None, None) => return Ok(None),
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (Some(step), Some(first)) => {
                    step > first.time
                        || (step == first.time && {
                            let (made, from) = self.made(plan, first.node);
                            // A message to oneself is older than the step that followed its send.
                            (made, from) <= (rank.made, own)
                        })
                }
            };
            worker.events += 1;
            if worker.events & 0xffff == 0 {
                let operations = worker.operations - std::mem::replace(&mut worker.told, worker.operations);
                plan.job.budget.spend(0x1_0000, operations, step.unwrap_or(end))?;
            }
            if let (true, Some(first)) = (takes, message) {
                if first.time >= end {
                    return Ok(Some(first.time));
                }
                self.take(worker, rank, local, first)?;
            } else if let Some(time) = step {
                if time >= end {
                    return Ok(Some(time));
                }
                self.act(worker, rank, local, time)?;
            }
        }
    }

    /// When a message was sent, and by whom.
    #[inline]
    fn made(&self, plan: &Plan<'_>, node: u32) -> (Tick, u32) {
        let message = self.messages.get(node);
        (message.arrival() - plan.kinds.get(message.kind).costs.head, message.from)
    }

    /// The message that is taken first.
    #[inline]
    fn first(&mut self, plan: &Plan<'_>, rank: &mut Rank, local: u32) -> Option<First> {
        let free = rank.clocks.can_take();
        if rank.flags & FLOODED != 0 {
            let (time, node) = self.floods.get_mut(&local)?.first(free)?;
            return Some(First { time, node, before: NIL });
        }
        let mut node = self.inbox[local as usize];
        if node == NIL {
            return None;
        }
        let mut before = NIL;
        let mut best = First { time: self.messages.get(node).arrival().max(free), node, before };
        let mut length = 0;
        loop {
            let next = self.messages.next(node);
            if next == NIL {
                break;
            }
            (before, node) = (node, next);
            length += 1;
            let time = self.messages.get(node).arrival().max(free);
            if time < best.time || (time == best.time && self.older(plan, node, best.node)) {
                best = First { time, node, before };
            }
        }
        if length > LONG {
            return self.flood(plan, rank, local);
        }
        Some(best)
    }

    /// From now on its messages are in heaps.
    #[cold]
    fn flood(&mut self, plan: &Plan<'_>, rank: &mut Rank, local: u32) -> Option<First> {
        self.pour(plan, local);
        rank.flags |= FLOODED;
        self.first(plan, rank, local)
    }

    #[inline]
    fn older(&self, plan: &Plan<'_>, one: u32, other: u32) -> bool {
        let (a, b) = (self.made(plan, one), self.made(plan, other));
        if a != b {
            return a < b;
        }
        // Numbers of one tick lie close together.
        let (a, b) = (self.messages.get(one).number, self.messages.get(other).number);
        (a.wrapping_sub(b) as i16) < 0
    }

    /// Processor and interface take a message.
    #[inline]
    fn take(&mut self, worker: &mut Worker<'_>, rank: &mut Rank, local: u32, first: First) -> Result<(), Halt> {
        let plan = worker.plan;
        let now = plan.reachable(first.time)?;
        if rank.flags & FLOODED != 0 {
            if let Some(flood) = self.floods.get_mut(&local)
                && flood.remove()
            {
                self.floods.remove(&local);
                rank.flags &= !FLOODED;
            }
        } else {
            let next = self.messages.next(first.node);
            if first.before == NIL {
                self.inbox[local as usize] = next;
            } else {
                self.messages.link(first.before, next);
            }
        }
        let message = *self.messages.get(first.node);
        let kind = plan.kinds.get(message.kind);
        let sent = message.arrival() - kind.costs.head;
        self.accounts.took(rank, local, now, sent, kind);
        rank.clocks.take(now, &kind.costs).ok_or(Halt::Unsupported)?;
        let Some(what) = self.match_message(plan, rank, local, &message, kind.tag, first.node) else { return Ok(()) };
        self.messages.remove(first.node);
        let request = self.close(plan, what);
        let received = Received { from: u64::from(message.from), size: kind.size, tag: kind.tag };
        let over = match request {
            None => true,
            Some(request) => {
                self.complete(rank, local, request);
                self.got(rank, local, request, received);
                rank.state == State::Waits && rank.awaited == request
            }
        };
        if over {
            self.go_on(worker, rank, local, now, sent, request.is_none().then_some(received))?;
        }
        Ok(())
    }

    /// The receive, or the wait, that a process was blocked in is over.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn go_on(
        &mut self,
        worker: &mut Worker<'_>,
        rank: &mut Rank,
        local: u32,
        now: Tick,
        sent: Tick,
        received: Option<Received>,
    ) -> Result<(), Halt> {
        self.accounts.waited(rank, local, sent);
        if rank.state == State::Waits {
            self.waited(rank, local, rank.awaited);
        }
        self.done(rank, local, received);
        self.advance(worker, rank, local, now)
    }

    /// A request got a message: farms look at it.
    #[inline]
    fn got(&mut self, rank: &Rank, local: u32, request: u32, received: Received) {
        if rank.flags & EXPANDED != 0
            && let Some(more) = &mut self.more[local as usize]
        {
            more.get(request, received);
        }
    }

    /// The wait for a request is over.
    #[inline]
    fn waited(&mut self, rank: &Rank, local: u32, request: u32) {
        if rank.flags & EXPANDED != 0
            && let Some(more) = &mut self.more[local as usize]
        {
            more.waited(request);
        }
    }

    /// The pending step is done.
    #[inline]
    fn done(&mut self, rank: &mut Rank, local: u32, received: Option<Received>) {
        if rank.flags & EXPANDED == 0 {
            rank.pc += 1;
        } else if let (Some(received), Some(more)) = (received, &mut self.more[local as usize]) {
            more.received = Some(received);
        }
    }

    /// The step that is pending.
    #[inline]
    fn step(&self, plan: &Plan<'_>, rank: &Rank, local: u32) -> Step {
        if rank.flags & EXPANDED == 0 {
            return plan.code.steps[rank.pc as usize];
        }
        self.more[local as usize].as_ref().map_or(Step::End, |more| more.step)
    }

    /// The pending step of a process begins.
    #[inline]
    fn act(&mut self, worker: &mut Worker<'_>, rank: &mut Rank, local: u32, time: Tick) -> Result<(), Halt> {
        let plan = worker.plan;
        let now = plan.reachable(time)?;
        let mut received = None;
        self.accounts.settle(rank, local, now);
        match self.step(plan, rank, local) {
            Step::Compute(block) => {
                let ordinal = self.blocks.get_mut(local as usize).map_or(0, |blocks| {
                    *blocks += 1;
                    *blocks - 1
                });
                let process = self.first + local;
                let ticks = plan.duration(process, block, ordinal)?;
                self.accounts.computed(plan, rank, local, ticks, block);
                rank.clocks.cpu = now + ticks;
            }
            Step::Send { to, size, tag, request } => self.send(worker, rank, local, now, (to, size, tag, request))?,
            Step::Receive { from, tag, request } => {
                let Some(node) = self.match_receive(plan, rank, local, from, tag, request) else {
                    match request {
                        Some(request) => self.open(rank, local, request),
                        None => {
                            rank.state = State::Receives;
                            return Ok(());
                        }
                    }
                    self.done(rank, local, None);
                    return self.advance(worker, rank, local, now);
                };
                let message = *self.messages.get(node);
                self.messages.remove(node);
                let kind = plan.kinds.get(message.kind);
                let what = Received { from: u64::from(message.from), size: kind.size, tag: kind.tag };
                match request {
                    Some(request) => {
                        self.complete(rank, local, request);
                        self.got(rank, local, request, what);
                    }
                    None => received = Some(what),
                }
            }
            Step::Phase(phase) => self.accounts.phase(rank, local, phase),
            Step::End => {
                rank.state = State::Ended;
                return Ok(());
            }
            _ => {}
        }
        self.done(rank, local, received);
        self.advance(worker, rank, local, now)
    }

    /// Sends the message of the pending step.
    #[inline]
    fn send(
        &mut self,
        worker: &mut Worker<'_>,
        rank: &mut Rank,
        local: u32,
        now: Tick,
        (to, size, tag, request): (Peer, u64, Tag, Option<u32>),
    ) -> Result<(), Halt> {
        let plan = worker.plan;
        let own = self.first + local;
        let to = to.of(u64::from(own));
        if to >= plan.processes {
            return Err(Halt::Unsupported);
        }
        let id = plan.kinds.of(plan.job, &mut worker.memory, own, to as u32, size, tag)?;
        let kind = plan.kinds.get(id);
        if kind.costs.rendezvous {
            return Err(Halt::Unsupported);
        }
        if kind.costs.head < plan.lookahead {
            return Err(Halt::TooSoon(kind.costs.head));
        }
        self.accounts.sent(rank, local, kind);
        let arrival = rank.clocks.send(now, &kind.costs).ok_or(Halt::Unsupported)?;
        let packet = Packet { arrival, from: own, to: to as u32, kind: id, number: rank.number };
        rank.number = rank.number.wrapping_add(1);
        if plan.part_of(packet.to) == plan.part_of(own) {
            self.deliver(plan, &packet);
        } else {
            worker.out.push(packet);
        }
        if let Some(request) = request {
            self.complete(rank, local, request);
        }
        Ok(())
    }

    /// Goes on to the next step that has an event, or waits.
    fn advance(&mut self, worker: &mut Worker<'_>, rank: &mut Rank, local: u32, now: Tick) -> Result<(), Halt> {
        let plan = worker.plan;
        // A sleep before a wait goes on meanwhile.
        let mut ready = rank.clocks.cpu.max(rank.at).max(now);
        let state = loop {
            let step = if rank.flags & EXPANDED == 0 {
                let step = plan.code.steps[rank.pc as usize];
                worker.operations += u64::from(step.is_operation());
                step
            } else {
                let Some(step) = self.more[local as usize].as_mut().map_or(Ok(None), |more| more.next(plan))? else {
                    rank.flags &= !(EXPANDED | COLLECTIVE);
                    rank.pc += 1;
                    continue;
                };
                step
            };
            match step {
                Step::Compute(_) | Step::End => break State::Computes,
                Step::Send { .. } => break State::Sends,
                Step::Receive { .. } => break State::Acts,
                Step::Phase(phase) => {
                    if ready > rank.clocks.cpu {
                        // What was slept belongs to the phase before.
                        break State::Computes;
                    }
                    self.accounts.phase(rank, local, phase);
                    self.done(rank, local, None);
                }
                Step::Wait(request) => {
                    if self.is_open(rank, local, request) {
                        rank.awaited = request;
                        break State::Waits;
                    }
                    self.waited(rank, local, request);
                    self.done(rank, local, None);
                }
                Step::Sleep(ticks) => {
                    ready = plan.reachable(ready)? + ticks;
                    rank.flags |= SLEPT;
                    self.done(rank, local, None);
                }
                Step::Loop { count, depth } => {
                    self.loops[local as usize * plan.code.depth as usize + depth as usize] = count;
                    rank.pc += 1;
                }
                Step::Again { start, depth } => {
                    let left = &mut self.loops[local as usize * plan.code.depth as usize + depth as usize];
                    *left -= 1;
                    rank.pc = if *left > 0 { start } else { rank.pc + 1 };
                    worker.turns += 1;
                    if worker.turns & 0xffff == 0 {
                        plan.job.budget.spend(0x1_0000, 0, ready)?;
                    }
                }
                Step::Expand(op) => {
                    let own = u64::from(self.first + local);
                    match Cursor::expansion(op, own, plan.application, plan.job)? {
                        Some(expansion) => {
                            rank.flags |= EXPANDED;
                            if matches!(op, Op::Collective(_)) {
                                rank.flags |= COLLECTIVE;
                            }
                            let looks = matches!(op, Op::Farm(_) | Op::FarmWorker(_));
                            More::put(&mut self.more[local as usize], expansion, looks);
                        }
                        None => rank.pc += 1,
                    }
                }
            }
        };
        rank.state = state;
        rank.at = ready;
        rank.made = now;
        Ok(())
    }
}
