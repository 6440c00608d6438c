//! Messages: sent, matched, under way, taken.

use super::process::{Blocked, Busy};
use super::several::Kind;
use super::{Run, What};
use crate::application::Tag;
use crate::cursor::Channel;
use crate::engine::kernel::matching::ANY_SOURCE;
use crate::engine::kernel::slab::NONE;
use crate::flow::rails::Taken;
use crate::flow::requests::Slot;
use crate::flow::sharing::{FlowId, NO_LINK};
use crate::job::Received;
use crate::outcome::Delivered;
use crate::platform::{LinkId, Sending};
use crate::tick::Tick;
use runcast_core::Problem;

/// How a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// At once.
    Eager,
    /// When it is awaited; the sender does not wait for that.
    Detached,
    /// When it is awaited, and the sender waits.
    Rendezvous,
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Sent,
    UnderWay,
    Arrived,
}

#[derive(Debug)]
pub struct Message {
    pub from: u32,
    pub to: u32,
    pub size: u64,
    pub tag: Tag,
    /// When the sender began.
    sent: Tick,
    /// When the transfer started; its latency before that.
    pub begun: Tick,
    /// What the receiver's processor spends on it.
    take: Tick,
    /// Prepared flow, or [`NONE`].
    flow: u32,
    /// Its receive, or [`NONE`].
    receive: u32,
    /// The link that held it back, or [`NO_LINK`].
    pub link: LinkId,
    mode: Mode,
    stage: Stage,
    /// Whether the transfer waited for the sender, not for the receiver.
    pub sender_was_later: bool,
    /// Who still looks at it: its receiver, and a sender that waits.
    holders: u8,
}

impl Message {
    pub fn has_begun(&self) -> bool {
        self.stage != Stage::Sent
    }

    pub fn is_done(&self) -> bool {
        self.stage == Stage::Arrived
    }
}

/// How a message goes where there are several ways.
#[derive(Debug, Default)]
pub struct Course {
    /// The rail where its bytes count as load.
    rail: Option<u32>,
    /// Its flows that have not begun, one on each of several rails.
    flows: Vec<FlowId>,
    /// Those that have not ended.
    parts: u32,
    /// Whether its bytes wait for those of messages before it.
    in_order: bool,
}

#[derive(Debug)]
pub struct Receive {
    pub process: u32,
    /// Source and tag asked for.
    pub source: u32,
    pub tag: Tag,
    /// Its message, or [`NONE`].
    pub message: u32,
    pub done: bool,
    /// The next one whose message has arrived.
    next_take: u32,
}

/// What a message costs.
struct Price {
    mode: Mode,
    send: Tick,
    take: Tick,
    latency: Tick,
    bytes: f64,
    limit: f64,
}

impl Run<'_> {
    /// A message that nobody receives: bytes for the memory of another process, or from it. Its sender's processor spends
    /// the first value on it.
    pub(super) fn message_to_memory(&mut self, from: u32, to: u32, size: u64) -> Result<(Tick, u32), Problem> {
        let price = self.price(from, to, (size, Sending::Nonblocking), &Taken::Usual)?;
        let flows = price.bytes > 0.0 && (price.limit.is_finite() || !self.route.is_empty());
        let message = self.messages.insert(Message {
            from,
            to,
            size,
            tag: 0,
            sent: self.now,
            begun: price.latency,
            take: 0,
            flow: NONE,
            receive: NONE,
            link: NO_LINK,
            mode: Mode::Eager,
            stage: Stage::Sent,
            sender_was_later: true,
            holders: 1,
        });
        if flows {
            self.messages[message].flow = self.sharing.prepare(&self.route, price.bytes, price.limit, message);
        }
        Ok((price.send, message))
    }

    /// A process sends; none: and waits until it may continue.
    pub(super) fn send(
        &mut self,
        own: u32,
        to: u64,
        size: u64,
        tag: Tag,
        request: Option<u32>,
        channel: Channel,
    ) -> Result<(), Problem> {
        let to = self.checked_partner(own, to)?;
        let (taken, rail) = self.rails_of(own, to, size, channel.rails);
        let sending = match request {
            None => Sending::Blocking,
            Some(_) => Sending::nonblocking(channel.persistent),
        };
        let price = self.price(own, to, (size, sending), &taken)?;
        self.count_message(own, size);
        let flows = price.bytes > 0.0 && (price.limit.is_finite() || !self.route.is_empty());
        let waits = price.mode == Mode::Rendezvous;
        let message = self.messages.insert(Message {
            from: own,
            to,
            size,
            tag,
            sent: self.now,
            begun: price.latency,
            take: price.take,
            flow: NONE,
            receive: NONE,
            link: NO_LINK,
            mode: price.mode,
            stage: Stage::Sent,
            sender_was_later: true,
            holders: 1 + u8::from(waits),
        });
        let several = match &taken {
            Taken::Parts(rails) if flows && rails.len() > 1 => rails.as_slice(),
            _ => &[],
        };
        if flows && several.is_empty() {
            self.messages[message].flow = self.sharing.prepare(&self.route, price.bytes, price.limit, message);
        }
        let in_order = flows && channel.in_order;
        if rail.is_some() || in_order || !several.is_empty() {
            let course = Course { rail, in_order, ..Course::default() };
            self.lay_course(message, course, several, &price);
        }
        let process = &mut self.processes[own as usize];
        process.open += i64::from(request.is_some());
        if waits {
            match request {
                Some(request) => process.requests.insert(request, Slot::Send(message)),
                None => process.blocked = Blocked::Sends(message),
            }
        } else if price.send > 0 {
            let at = self.later(price.send)?;
            self.busy_until(own, at, Busy::Sends(message));
            return Ok(());
        }
        self.launch(message)
    }

    /// The rails that a message takes, and the one where its bytes count as load.
    fn rails_of(&mut self, own: u32, to: u32, size: u64, wanted: u64) -> (Taken, Option<u32>) {
        let (from, at) = (self.processes[own as usize].place, self.processes[to as usize].place);
        let Some(rails) = self.job.platform.routing.rails(from.into(), at.into()) else { return (Taken::Usual, None) };
        let taken = self.rails.choose(&rails, (u64::from(own), u64::from(to)), size, wanted);
        match taken {
            Taken::One { rail, counts: true } => {
                self.rails.begin(&rails, rail, size);
                (taken, Some(rail))
            }
            _ => (taken, None),
        }
    }

    /// Notes how a message goes; each of several rails gets a flow.
    fn lay_course(&mut self, message: u32, mut course: Course, rails: &[u32], price: &Price) {
        let (from, to) = (self.messages[message].from, self.messages[message].to);
        let (from, at) = (self.processes[from as usize].place, self.processes[to as usize].place);
        let bytes = price.bytes / rails.len() as f64;
        for rail in rails {
            self.job.platform.way_on(from.into(), at.into(), Some(*rail), &mut self.route);
            course.flows.push(self.sharing.prepare(&self.route, bytes, price.limit, message));
        }
        course.parts = rails.len() as u32;
        if let Some(first) = course.flows.first() {
            self.messages[message].flow = *first;
        }
        self.courses.insert(message, course);
    }

    /// What a message costs; its links are in `route` afterwards.
    fn price(&mut self, own: u32, to: u32, (size, sending): (u64, Sending), taken: &Taken) -> Result<Price, Problem> {
        let from = self.processes[own as usize].place;
        let at = self.processes[to as usize].place;
        if self.job.world.has_message_rule()
            && let Some(seconds) = self.job.world.message(size, &from, &at)?
        {
            self.route.clear();
            let latency = self.tick.of(seconds)?;
            let mode = Mode::Eager;
            return Ok(Price { mode, send: 0, take: 0, latency, bytes: 0.0, limit: f64::INFINITY });
        }
        let platform = self.job.platform;
        let rail = match taken {
            Taken::Usual => None,
            Taken::One { rail, .. } => Some(*rail),
            Taken::Parts(rails) => rails.first().copied(),
        };
        let way = platform.way_on(from.into(), at.into(), rail, &mut self.route);
        let law = &platform.laws[way.law as usize];
        let bytes = size as f64;
        if let Some(law) = law.loggops {
            // Of LogGOPS, what has a place here: g is the business of NICs, which are links at this level.
            let more = size.max(1) as f64 - 1.0;
            let overhead = self.tick.of(law.o + more * law.O)?;
            let waits = size > law.S;
            return Ok(Price {
                mode: if waits { Mode::Rendezvous } else { Mode::Eager },
                send: if waits { 0 } else { overhead },
                take: if waits { 0 } else { overhead },
                latency: self.tick.of(law.L)?,
                bytes: more,
                limit: if law.G > 0.0 { 1.0 / law.G } else { f64::INFINITY },
            });
        }
        let segment = law.segment(size);
        let mode = match size {
            _ if size < law.eager_limit => Mode::Eager,
            _ if size < law.detach_limit => Mode::Detached,
            _ => Mode::Rendezvous,
        };
        let charged = f64::from(u8::from(mode != Mode::Rendezvous));
        let send_s = charged * segment.send_overhead(sending, bytes);
        let take_s = charged * (segment.recv_overhead_s + bytes * segment.recv_overhead_per_byte_s);
        let limit = match law.window {
            Some(window) if way.latency_s > 0.0 => window / (2.0 * way.latency_s),
            _ => f64::INFINITY,
        };
        Ok(Price {
            mode,
            send: self.tick.of(send_s)?,
            take: self.tick.of(take_s)?,
            latency: self.tick.of(segment.latency_factor * way.latency_s)?,
            bytes: bytes / segment.bandwidth_factor,
            limit,
        })
    }

    /// A message leaves its sender: it meets the oldest receive that fits, or waits for one.
    pub(super) fn launch(&mut self, message: u32) -> Result<(), Problem> {
        if self.is_access(message) {
            return self.begin(message, true);
        }
        let state = &self.messages[message];
        let eager = state.mode == Mode::Eager;
        let receive = self.matching.arrive(state.to, state.from, state.tag, u64::from(message));
        if let Some(receive) = receive {
            self.messages[message].receive = receive as u32;
            self.receives[receive as u32].message = message;
        }
        if eager || receive.is_some() { self.begin(message, true) } else { Ok(()) }
    }

    /// The transfer starts: its latency.
    fn begin(&mut self, message: u32, sender_was_later: bool) -> Result<(), Problem> {
        let now = self.now;
        let state = &mut self.messages[message];
        let latency = std::mem::replace(&mut state.begun, now);
        state.stage = Stage::UnderWay;
        state.sender_was_later = sender_was_later;
        if latency > 0 {
            let at = self.tick.add(now, latency)?;
            self.post(at, What::Flow(message));
            return Ok(());
        }
        self.flow(message)
    }

    /// Its latency is over: bytes flow.
    pub(super) fn flow(&mut self, message: u32) -> Result<(), Problem> {
        let Message { from, to, flow, .. } = self.messages[message];
        if flow == NONE {
            return self.arrive(message, NO_LINK);
        }
        if self.course(message).is_some_and(|course| course.in_order) {
            let before = self.in_order.entry((from, to)).or_default();
            before.push_back(message);
            if before.len() > 1 {
                return Ok(());
            }
        }
        self.let_flow(message);
        Ok(())
    }

    /// The bytes of a message flow.
    fn let_flow(&mut self, message: u32) {
        let state = &self.messages[message];
        let (flow, size) = (state.flow, state.size as f64);
        if let Some(course) = self.course(message).filter(|course| course.parts > 1) {
            let flows = std::mem::take(&mut course.flows);
            let share = size / flows.len() as f64;
            for flow in flows {
                self.sequence += 1;
                self.sharing.start(self.now, flow, self.sequence, share);
            }
            return;
        }
        self.sequence += 1;
        self.sharing.start(self.now, flow, self.sequence, size);
    }

    /// All bytes of a message are there.
    pub(super) fn arrive(&mut self, message: u32, link: LinkId) -> Result<(), Problem> {
        if let Some(course) = self.course(message).filter(|course| course.parts > 1) {
            course.parts -= 1;
            return Ok(());
        }
        if self.is_access(message) {
            return self.access_arrives(message);
        }
        let state = &mut self.messages[message];
        state.stage = Stage::Arrived;
        state.link = link;
        state.flow = NONE;
        let (from, to, size, receive) = (state.from, state.to, state.size, state.receive);
        let waits = state.mode == Mode::Rendezvous;
        if let Some(course) = self.take_course(message) {
            self.end_course(&course, from, to, size);
        }
        if waits && self.processes[from as usize].blocked == Blocked::Sends(message) {
            self.account_blocked(from);
            self.processes[from as usize].blocked = Blocked::No;
            self.release_message(message);
            self.ready.push_back(from);
        }
        if waits && self.is_live {
            self.completed_at.insert((Kind::Send, message), self.now);
            self.look_at_several(from)?;
        }
        if receive != NONE {
            self.has_come(receive)?;
        }
        Ok(())
    }

    /// Whether a message is an access to the memory of its receiver.
    #[inline]
    pub(super) fn is_access(&self, message: u32) -> bool {
        !self.accesses.is_empty() && self.accesses.contains_key(&message)
    }

    /// How a message goes, if there is more to know than its links.
    #[inline]
    fn course(&mut self, message: u32) -> Option<&mut Course> {
        if self.courses.is_empty() { None } else { self.courses.get_mut(&message) }
    }

    #[inline]
    fn take_course(&mut self, message: u32) -> Option<Course> {
        if self.courses.is_empty() { None } else { self.courses.remove(&message) }
    }

    /// A message has arrived: its rail has room, and those behind it go on.
    fn end_course(&mut self, course: &Course, from: u32, to: u32, size: u64) {
        if course.in_order {
            self.follow(from, to);
        }
        if let Some(rail) = course.rail {
            let (from, to) = (self.processes[from as usize].place, self.processes[to as usize].place);
            if let Some(rails) = self.job.platform.routing.rails(from.into(), to.into()) {
                self.rails.end(&rails, rail, size);
            }
        }
    }

    /// The bytes of a message in order are there: those of the next flow.
    fn follow(&mut self, from: u32, to: u32) {
        let Some(queue) = self.in_order.get_mut(&(from, to)) else { return };
        queue.pop_front();
        match queue.front().copied() {
            Some(next) => self.let_flow(next),
            None => _ = self.in_order.remove(&(from, to)),
        }
    }

    /// A process receives; none: and waits for it.
    pub(super) fn receive(
        &mut self,
        own: u32,
        from: Option<u64>,
        tag: Tag,
        request: Option<u32>,
    ) -> Result<(), Problem> {
        let source = match from {
            None => ANY_SOURCE,
            Some(from) if from < self.processes.len() as u64 => from as u32,
            Some(from) => return Err(self.no_such_process(own, from)),
        };
        let receive =
            self.receives.insert(Receive { process: own, source, tag, message: NONE, done: false, next_take: NONE });
        let process = &mut self.processes[own as usize];
        match request {
            Some(request) => {
                process.open += 1;
                process.requests.insert(request, Slot::Receive(receive));
            }
            None => process.blocked = Blocked::Receives(receive),
        }
        let source = from.map(|_| source);
        let Some(message) = self.matching.post(own, source, tag, u64::from(receive)) else { return Ok(()) };
        let message = message as u32;
        self.receives[receive].message = message;
        self.messages[message].receive = receive;
        match self.messages[message].stage {
            Stage::Sent => self.begin(message, false)?,
            Stage::UnderWay => {}
            Stage::Arrived => self.has_come(receive)?,
        }
        Ok(())
    }

    /// The message of a receive is there: the processor takes it as soon as it is free.
    fn has_come(&mut self, receive: u32) -> Result<(), Problem> {
        let state = &self.receives[receive];
        let own = state.process;
        if self.messages[state.message].take == 0 {
            return self.complete(receive);
        }
        let process = &mut self.processes[own as usize];
        let last = std::mem::replace(&mut process.last_take, receive);
        if process.takes == NONE {
            process.takes = receive;
        } else {
            self.receives[last].next_take = receive;
        }
        if process.busy == Busy::Free {
            self.ready.push_back(own);
        }
        Ok(())
    }

    /// The processor of a process takes the first message that has arrived.
    pub(super) fn start_take(&mut self, own: u32) -> Result<(), Problem> {
        self.account_blocked(own);
        let process = &mut self.processes[own as usize];
        let receive = process.takes;
        process.takes = self.receives[receive].next_take;
        if process.takes == NONE {
            process.last_take = NONE;
        }
        let at = self.later(self.messages[self.receives[receive].message].take)?;
        self.busy_until(own, at, Busy::Takes(receive));
        Ok(())
    }

    /// A receive is done.
    pub(super) fn complete(&mut self, receive: u32) -> Result<(), Problem> {
        let state = &mut self.receives[receive];
        state.done = true;
        let own = state.process;
        let message = &self.messages[state.message];
        self.observer.delivered(Delivered {
            from: message.from,
            to: message.to,
            size: message.size,
            sent: message.sent,
            received: self.now,
        });
        if self.processes[own as usize].blocked == Blocked::Receives(receive) {
            self.account_blocked(own);
            let received = self.release_receive(receive);
            let process = &mut self.processes[own as usize];
            process.blocked = Blocked::No;
            process.received = Some(received);
            self.ready.push_back(own);
        }
        if self.is_live {
            self.completed_at.insert((Kind::Receive, receive), self.now);
            self.look_at_several(own)?;
        }
        Ok(())
    }

    /// A receive is asked for no more.
    pub(super) fn release_receive(&mut self, receive: u32) -> Received {
        let number = self.receives[receive].message;
        let message = &self.messages[number];
        let received = Received { from: u64::from(message.from), size: message.size, tag: message.tag };
        self.receives.remove(receive);
        self.release_message(number);
        received
    }

    /// One asks no more for a message.
    pub(super) fn release_message(&mut self, message: u32) {
        let state = &mut self.messages[message];
        state.holders -= 1;
        if state.holders == 0 {
            self.messages.remove(message);
        }
    }

    /// The number of a process that is there.
    pub(super) fn checked_partner(&self, own: u32, to: u64) -> Result<u32, Problem> {
        if to < self.processes.len() as u64 { Ok(to as u32) } else { Err(self.no_such_process(own, to)) }
    }

    fn no_such_process(&self, own: u32, other: u64) -> Problem {
        let process = &self.processes[own as usize];
        Problem::new("no_such_process", format!("there is no process {other}"))
            .at(self.application.place_of(process.cursor.site()))
            .allowed(format!("0 to {}", self.processes.len() - 1))
    }
}
