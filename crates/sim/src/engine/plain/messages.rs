//! Sends, takes, receives.

use super::process::{BLOCKING, Request, State};
use super::run::{Event, Run, What};
use crate::application::Tag;
use crate::engine::kernel::ledger::Reason;
use crate::engine::kernel::rule::{Flight, SendCall};
use crate::job::Received;
use crate::outcome::{Activity, Cause, Delivered};
use crate::tick::Tick;
use runcast_core::Problem;
use std::cmp::Reverse;

/// A message from its send until it is received.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub from: u32,
    pub to: u32,
    pub flight: Flight,
    /// Request of the sender, or [`BLOCKING`].
    pub request: u32,
}

impl Message {
    /// Why a process was idle that waited for it.
    fn reason(&self) -> Reason {
        Reason::Sent(Cause { process: self.from, at: self.flight.sent, link: None })
    }
}

impl Run<'_> {
    /// Sends: the processor and the NIC are free.
    pub fn send(&mut self, own: u32, call: SendCall) -> Result<(), Problem> {
        let SendCall { to, size, tag, request, sending } = call;
        self.settle(own);
        let (from, target) = (self.processes[own as usize].place, self.processes[to as usize].place);
        let costs = self.costs.of(self.job, (size, sending), &from, &target)?;
        let process = &mut self.processes[own as usize];
        let arrival = process.clocks.send(self.now, &costs).ok_or_else(|| self.job.tick.overflow())?;
        let end = process.clocks.cpu;
        let order = process.order(own, self.now);
        let message = self.messages.insert(Message {
            from: own,
            to: to as u32,
            flight: Flight { size, tag, sent: self.now, arrival, taken: 0, costs },
            request,
        });
        self.queue.push(Reverse(Event { at: arrival, order, what: What::Arrive(message) }));
        self.count_message(own, size);
        self.work(own, self.now, end, Activity::Overhead);
        self.account(own, Reason::As(Activity::Overhead, None));
        let process = &mut self.processes[own as usize];
        if !costs.rendezvous {
            if request != BLOCKING {
                process.set_request(request, Request::Done { at: end, received: None, collective: false });
            }
            return self.advance(own);
        }
        if request == BLOCKING {
            process.state = State::Sends { arrival };
            return Ok(());
        }
        process.set_request(request, Request::Sends { to });
        self.advance(own)
    }

    /// The head of a message arrives: it is taken, or waits for the processor and the NIC.
    pub fn arrive(&mut self, message: u32, event: Event) -> Result<(), Problem> {
        let to = self.messages[message].to;
        let process = &mut self.processes[to as usize];
        if process.clocks.can_take() > event.at {
            process.takes.push(Reverse((event.order, message)));
            self.await_take(to);
            return Ok(());
        }
        self.take(message)
    }

    /// Sees to it that there is an event for the first of the messages that wait to be taken.
    pub fn await_take(&mut self, own: u32) {
        let process = &mut self.processes[own as usize];
        if process.clocks.cpu == Tick::MAX {
            // It computes, and its end is not known yet: its end comes here again.
            return;
        }
        let Some(Reverse((order, _))) = process.takes.peek() else { return };
        let at = process.clocks.can_take().max(self.now);
        let wanted = Some((at, *order));
        // An earlier event finds the processor busy, and comes here again.
        if process.take_event.is_some_and(|known| Some(known) <= wanted) {
            return;
        }
        process.take_event = wanted;
        self.queue.push(Reverse(Event { at, order: *order, what: What::Take(own) }));
    }

    /// The event for messages that wait to be taken.
    pub fn take_event(&mut self, own: u32, event: Event) -> Result<(), Problem> {
        let process = &mut self.processes[own as usize];
        if process.take_event != Some((event.at, event.order)) {
            // Another one came before it.
            return Ok(());
        }
        process.take_event = None;
        if process.clocks.can_take() > event.at {
            self.await_take(own);
            return Ok(());
        }
        let Some(Reverse((_, message))) = process.takes.pop() else { return Ok(()) };
        self.take(message)?;
        self.await_take(own);
        Ok(())
    }

    /// Processor and NIC of the receiver take a message, whether or not its receive is posted.
    fn take(&mut self, number: u32) -> Result<(), Problem> {
        let message = self.messages[number];
        let own = message.to;
        let clocks = &mut self.processes[own as usize].clocks;
        let streamed = clocks.take(self.now, &message.flight.costs).ok_or_else(|| self.job.tick.overflow())?;
        let end = clocks.cpu;
        self.messages[number].flight.taken = end;
        self.work(own, self.now, streamed, Activity::Transfer);
        self.work(own, streamed, end, Activity::Overhead);
        if self.processes[own as usize].state == State::Ended {
            self.account(own, message.reason());
        }
        let Some(receive) = self.matching.arrive(own, message.from, message.flight.tag, u64::from(number)) else {
            return Ok(());
        };
        if message.flight.costs.rendezvous {
            self.sent(&message, own)?;
        }
        self.messages.remove(number);
        self.received(own, receive as u32, &message, end)
    }

    /// A receive is posted.
    pub fn post(&mut self, own: u32, from: Option<u64>, tag: Tag, request: u32) -> Result<(), Problem> {
        self.settle(own);
        // A source beyond all numbers sends nothing.
        let source = from.map(|from| u32::try_from(from).unwrap_or(u32::MAX - 1));
        match self.matching.post(own, source, tag, u64::from(request)) {
            Some(number) => {
                let message = self.messages[number as u32];
                self.messages.remove(number as u32);
                if message.flight.costs.rendezvous {
                    self.sent(&message, own)?;
                }
                if request != BLOCKING {
                    self.finish_request(own, request, &message);
                    return self.advance(own);
                }
                self.received(own, request, &message, message.flight.taken.max(self.now))
            }
            None if request == BLOCKING => {
                self.processes[own as usize].state = State::Receives;
                Ok(())
            }
            None => {
                self.processes[own as usize].set_request(request, Request::Receives { from });
                self.advance(own)
            }
        }
    }

    fn finish_request(&mut self, own: u32, request: u32, message: &Message) {
        let at = message.flight.taken.max(self.now);
        self.observer.delivered(delivered(message, at));
        let received =
            Some(Received { from: u64::from(message.from), size: message.flight.size, tag: message.flight.tag });
        self.processes[own as usize].set_request(request, Request::Done { at, received, collective: false });
    }

    fn received(&mut self, own: u32, request: u32, message: &Message, at: Tick) -> Result<(), Problem> {
        let reason = message.reason();
        if request != BLOCKING {
            self.finish_request(own, request, message);
            return self.if_awaited(own, request, reason);
        }
        self.observer.delivered(delivered(message, at));
        let process = &mut self.processes[own as usize];
        process.received =
            Some(Received { from: u64::from(message.from), size: message.flight.size, tag: message.flight.tag });
        process.ready = process.ready.max(at);
        self.account(own, reason);
        self.advance(own)
    }

    /// The receive of a message larger than the eager limit is posted, and the message is there: its sender may continue.
    fn sent(&mut self, message: &Message, receiver: u32) -> Result<(), Problem> {
        let at = self.now;
        let own = message.from;
        let process = &mut self.processes[own as usize];
        process.clocks.release(at);
        let cause = Cause { process: receiver, at, link: None };
        let reason = Reason::Arrived(message.flight.arrival, cause);
        if message.request != BLOCKING {
            let done = Request::Done { at, received: None, collective: false };
            process.set_request(message.request, done);
            return self.if_awaited(own, message.request, reason);
        }
        process.idle_until(at);
        self.account(own, reason);
        self.advance(own)
    }

    /// A request is complete: a process that waits for it continues.
    pub fn if_awaited(&mut self, own: u32, request: u32, reason: Reason) -> Result<(), Problem> {
        let process = &mut self.processes[own as usize];
        if let State::Several { set, wanted } = process.state {
            return self.if_among_several(own, request, reason, (set, wanted));
        }
        if process.state != (State::Waits { request }) {
            return Ok(());
        }
        process.idle_until(self.now);
        self.account(own, reason);
        self.wait_is_over(own, request);
        self.advance(own)
    }
}

fn delivered(message: &Message, received: Tick) -> Delivered {
    Delivered { from: message.from, to: message.to, size: message.flight.size, sent: message.flight.sent, received }
}
