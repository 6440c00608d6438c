//! Messages of representatives: sent to every class that takes one of them for its own, taken, matched.

use super::Run;
use crate::application::Tag;
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::rule::{Flight, MessageCosts, SendCall};
use crate::label::state::{BLOCKING, Event, Message, Posted, Request, Waits, What};
use crate::outcome::{Activity, Cause, Delivered};
use crate::plain::Order;
use crate::platform::Sending;
use crate::tick::Tick;
use crate::world::Place;
use runcast_core::Problem;
use std::cmp::Reverse;

/// Messages that wait, over all classes.
const MOST_MESSAGES: u64 = 4_000_000;

impl Run<'_> {
    /// What a message between two processes costs; `count` are like it at the same time.
    pub fn message_costs(
        &mut self,
        (size, sending): (u64, Sending),
        from: &Place,
        to: &Place,
        count: u64,
    ) -> Result<MessageCosts, Problem> {
        let (job, world) = (self.job, self.job.world);
        if !world.has_contention_rule() {
            return self.costs.of(job, (size, sending), from, to);
        }
        if let Some(seconds) = world.message(size, from, to)? {
            return crate::engine::kernel::rule::by_rule(seconds, job.tick);
        }
        let way = job.platform.way(*from, *to, &mut self.links);
        let (mut parameters, recv_o) = job.platform.loggops_of(&way, size, sending);
        parameters.G *= world.contention(count, size, from, to)?;
        MessageCosts::new(&parameters, recv_o, size, job.tick)
    }

    /// Sends: processor and NIC are free.
    pub(super) fn send(&mut self, own: u32, call: SendCall) -> Result<(), Problem> {
        let SendCall { to, size, tag, request, sending } = call;
        self.settle(own);
        let at = own as usize;
        let (class, place) = (self.classes.list[at], self.places[at]);
        let costs = self.message_costs((size, sending), &place, &self.job.world.place(to), class.count)?;
        let tick = self.job.tick;
        let state = &mut self.state.classes[at];
        let arrival = state.clocks.send(self.now, &costs).ok_or_else(|| tick.overflow())?;
        let (end, position) = (state.clocks.cpu, state.position);
        let order = self.order(own, class.process);
        let wiring = self.wiring;
        for target in wiring.targets(own, position) {
            let receiver = self.places[target.class as usize];
            let costs = if target.from == class.process && to == self.classes.list[target.class as usize].process {
                costs
            } else {
                let from = self.job.world.place(target.from);
                self.message_costs((size, sending), &from, &receiver, class.count)?
            };
            let arrival = tick.add(self.now, costs.head)?;
            let message = Message {
                to: target.class,
                from: target.from,
                sender: own,
                flight: Flight { size, tag, sent: self.now, arrival, taken: 0, costs },
            };
            let order = Order { process: target.from as u32, ..order };
            self.queue.push(Reverse(Event { at: arrival, order, made_by: own, what: What::Arrive(message) }));
            self.messages += 1;
        }
        if self.messages > MOST_MESSAGES {
            return Err(Problem::new("too_many_messages", "too many messages wait to be received")
                .allowed(format!("at most {MOST_MESSAGES}"))
                .hint("a sender is faster than its receivers, without end; let them wait for each other"));
        }
        let sums = &mut self.progress.sums[at];
        sums.messages = sums.messages.saturating_add(1);
        sums.bytes = sums.bytes.saturating_add(size);
        self.work(own, self.now, end, Activity::Overhead);
        self.account(own, Reason::As(Activity::Overhead, None));
        let state = &mut self.state.classes[at];
        if !costs.rendezvous {
            if request != BLOCKING {
                state.set_request(request, Request::Done { at: end, collective: false });
            }
            return self.advance(own);
        }
        // The receive may have been matched before, where the partner's representative is ahead.
        let link = wiring.link(own, position).unwrap_or(0) as usize;
        if self.state.links[link].done.pop_front().is_some() {
            if request != BLOCKING {
                state.set_request(request, Request::Done { at: end, collective: false });
            }
            return self.advance(own);
        }
        self.state.links[link].waiting.push_back(request);
        if request == BLOCKING {
            state.waits = Waits::Sends { to, size, tag, arrival };
            return Ok(());
        }
        state.set_request(request, Request::Sends { to, arrival });
        self.advance(own)
    }

    /// The head of a message arrives: it is taken, or waits for processor and NIC.
    pub(super) fn arrive(&mut self, message: Message, event: Event) -> Result<(), Problem> {
        let class = &mut self.state.classes[message.to as usize];
        if class.clocks.can_take() > event.at {
            let place =
                class.takes.partition_point(|(order, other)| (*order, other.sender) < (event.order, message.sender));
            class.takes.insert(place, (event.order, message));
            self.await_take(message.to);
            return Ok(());
        }
        self.take(message)
    }

    /// Sees to it that there is an event for the first of the messages that wait to be taken.
    pub(super) fn await_take(&mut self, own: u32) {
        let class = &mut self.state.classes[own as usize];
        let Some((order, message)) = class.takes.front() else { return };
        let at = class.clocks.can_take().max(self.now);
        let wanted = (at, *order, message.sender);
        if class.take_event.is_some_and(|known| known <= wanted) {
            return;
        }
        class.take_event = Some(wanted);
        let (order, made_by) = (wanted.1, wanted.2);
        self.queue.push(Reverse(Event { at, order, made_by, what: What::Take(own) }));
    }

    pub(super) fn take_event(&mut self, own: u32, event: Event) -> Result<(), Problem> {
        let class = &mut self.state.classes[own as usize];
        if class.take_event != Some((event.at, event.order, event.made_by)) {
            return Ok(());
        }
        class.take_event = None;
        if class.clocks.can_take() > event.at {
            self.await_take(own);
            return Ok(());
        }
        let Some((_, message)) = class.takes.pop_front() else { return Ok(()) };
        self.take(message)?;
        self.await_take(own);
        Ok(())
    }

    /// Processor and NIC of the receiver take a message, whether or not its receive is posted.
    pub(super) fn take(&mut self, mut message: Message) -> Result<(), Problem> {
        let own = message.to;
        let clocks = &mut self.state.classes[own as usize].clocks;
        let streamed = clocks.take(self.now, &message.flight.costs).ok_or_else(|| self.job.tick.overflow())?;
        let end = clocks.cpu;
        message.flight.taken = end;
        self.work(own, self.now, streamed, Activity::Transfer);
        self.work(own, streamed, end, Activity::Overhead);
        if self.state.classes[own as usize].waits == Waits::Ended {
            let cause = self.cause(&message);
            self.account(own, Reason::Sent(cause));
        }
        let Some(posted) = self.state.classes[own as usize].matching.arrive(message) else { return Ok(()) };
        self.matched(own, posted.position, &message)?;
        self.received(own, posted.request, &message, end)
    }

    pub(super) fn cause(&self, message: &Message) -> Cause {
        Cause { process: u32::try_from(message.from).unwrap_or(u32::MAX), at: message.flight.sent, link: None }
    }

    /// A receive is posted.
    pub(super) fn post(&mut self, own: u32, from: Option<u64>, tag: Tag, request: u32) -> Result<(), Problem> {
        self.settle(own);
        let class = &mut self.state.classes[own as usize];
        let position = class.position;
        match class.matching.post(Posted { from, tag, request, position }) {
            Some(message) => {
                self.matched(own, position, &message)?;
                if request != BLOCKING {
                    self.finish_request(own, request, &message);
                    return self.advance(own);
                }
                self.received(own, request, &message, message.flight.taken.max(self.now))
            }
            None if request == BLOCKING => {
                class.waits = Waits::Receives { from, tag };
                Ok(())
            }
            None => {
                class.set_request(request, Request::Receives { from });
                self.advance(own)
            }
        }
    }

    /// A receive has its message: those whose partner does the same may continue, if they wait for it.
    pub(super) fn matched(&mut self, own: u32, position: u32, message: &Message) -> Result<(), Problem> {
        self.messages = self.messages.saturating_sub(1);
        let wiring = self.wiring;
        for completion in wiring.completes(own, position) {
            if completion.only.is_some_and(|only| only != message.sender) {
                continue;
            }
            let link = &mut self.state.links[completion.link as usize];
            let Some(request) = link.waiting.pop_front() else {
                // Eager messages never ask; those that would must find it.
                if message.flight.costs.rendezvous {
                    link.done.push_back(self.now);
                }
                continue;
            };
            self.sent(wiring.sender(completion.link), request, own)?;
        }
        Ok(())
    }

    /// The receive of a message beyond the eager limit is posted, and the message is there: its sender may continue.
    pub(super) fn sent(&mut self, own: u32, request: u32, receiver: u32) -> Result<(), Problem> {
        let at = self.now;
        let cause = Cause { process: self.process(receiver), at, link: None };
        let class = &mut self.state.classes[own as usize];
        class.clocks.release(at);
        if request != BLOCKING {
            let arrival = match class.request(request) {
                Request::Sends { arrival, .. } => arrival,
                _ => at,
            };
            class.set_request(request, Request::Done { at, collective: false });
            return self.if_awaited(own, request, Reason::Arrived(arrival, cause));
        }
        let arrival = if let Waits::Sends { arrival, .. } = class.waits { arrival } else { at };
        let site = class.site;
        class.ledger.idle_until(site, at);
        self.account(own, Reason::Arrived(arrival, cause));
        self.advance(own)
    }

    pub(super) fn finish_request(&mut self, own: u32, request: u32, message: &Message) {
        let at = message.flight.taken.max(self.now);
        self.delivered(own, message, at);
        self.state.classes[own as usize].set_request(request, Request::Done { at, collective: false });
    }

    pub(super) fn received(&mut self, own: u32, request: u32, message: &Message, at: Tick) -> Result<(), Problem> {
        let reason = Reason::Sent(self.cause(message));
        if request != BLOCKING {
            self.finish_request(own, request, message);
            return self.if_awaited(own, request, reason);
        }
        self.delivered(own, message, at);
        let class = &mut self.state.classes[own as usize];
        class.ready = class.ready.max(at);
        self.account(own, reason);
        self.advance(own)
    }

    pub(super) fn delivered(&mut self, own: u32, message: &Message, received: Tick) {
        let to = self.process(own);
        let from = u32::try_from(message.from).unwrap_or(u32::MAX);
        self.observer.delivered(Delivered { from, to, size: message.flight.size, sent: message.flight.sent, received });
    }
}
