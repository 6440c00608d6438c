//! Accesses to the memory of other processes: messages that take none of the other side's processor.
//!
//! ```text
//! put          at t: processor free at t + o + w*O, card at t + g + w*G; there at max(t + o + L, card) + w*G
//! get          a request without bytes, then bytes from the card there, at its next turn
//! accumulate   a put, and n*c until it is done
//! flush        the last of these is done, and L       lock   2L, first come       unlock   flush, and L
//! ```

use super::process::{Order, State};
use super::run::{Event, Run, What};
use crate::application::Access;
use crate::engine::kernel::ledger::Reason;
use crate::outcome::Activity;
use crate::platform::Sending;
use crate::tick::Tick;
use runcast_core::Problem;
use std::cmp::Reverse;

/// An access on its way.
#[derive(Debug, Clone, Copy)]
pub struct Remote {
    own: u32,
    target: u32,
    window: u32,
    access: Access,
    /// Bytes on the card of who gets them: `w G`, and of a sum `n c` more.
    bytes: Tick,
    /// The card of who sends them: `g + w G`, and until their head is there: `L`.
    card: Tick,
    latency: Tick,
    /// Whether it is a request for bytes, which are still there.
    asks: bool,
}

impl Run<'_> {
    /// A process accesses the memory of another: processor and card are free.
    pub fn access(&mut self, own: u32, target: u32, (access, size): (Access, u64), window: u32) -> Result<(), Problem> {
        self.settle(own);
        let (here, there) = (self.processes[own as usize].place, self.processes[target as usize].place);
        let asks = access == Access::Get;
        let sent = if asks { 0 } else { size };
        let costs = self.costs.of(self.job, (sent, Sending::Nonblocking), &here, &there)?;
        let (from, to) = if asks { (there, here) } else { (here, there) };
        let of_bytes = self.costs.of(self.job, (size, Sending::Nonblocking), &from, &to)?;
        let way = self.job.platform.way(from, to, &mut Vec::new());
        let (parameters, _) = self.job.platform.loggops(&way, size);
        let more = size.max(1).saturating_sub(1) as f64;
        let summed = if access == Access::Accumulate { size as f64 } else { 0.0 };
        let reduced = summed * self.job.world.reduce_per_byte(there.class);
        let remote = Remote {
            own,
            target,
            window,
            access,
            bytes: self.job.tick.of(more * parameters.G + reduced)?,
            card: of_bytes.send_nic,
            latency: self.job.tick.of(parameters.L)?,
            asks,
        };
        let process = &mut self.processes[own as usize];
        let head = process.clocks.send(self.now, &costs).ok_or_else(|| self.job.tick.overflow())?;
        let end = process.clocks.cpu;
        let order = process.order(own, self.now);
        self.windows.begin(own, window, target);
        let number = self.accesses.insert(remote);
        self.queue.push(Reverse(Event { at: head, order, what: What::Remote(number) }));
        self.count_message(own, size);
        self.work(own, self.now, end, Activity::Overhead);
        self.account(own, Reason::As(Activity::Overhead, None));
        self.advance(own)
    }

    /// Its head is there, or all of it.
    pub fn remote_event(&mut self, number: u32) -> Result<(), Problem> {
        let remote = self.accesses[number];
        let Remote { own, target, window, access, bytes, card, latency, asks } = remote;
        let tick = self.job.tick;
        if asks {
            // The card there sends the bytes, at its next turn.
            self.accesses[number].asks = false;
            let clocks = &mut self.processes[target as usize].clocks;
            let start = clocks.send_nic.max(self.now);
            clocks.send_nic = tick.add(start, card)?;
            let head = tick.add(start, latency)?;
            return self.post_remote(head, number);
        }
        let taker = if access == Access::Get { own } else { target };
        let clocks = &mut self.processes[taker as usize].clocks;
        let start = clocks.take_nic.max(self.now);
        let end = tick.add(start, bytes)?;
        clocks.take_nic = tick.add(start, card)?;
        self.windows.end(own, window, target, end);
        self.accesses.remove(number);
        let State::Flushes { window: awaited, to, answer } = self.processes[own as usize].state else { return Ok(()) };
        if awaited == window && self.flush_is_over(own, window, to, answer)? {
            return self.advance(own);
        }
        Ok(())
    }

    fn post_remote(&mut self, at: Tick, number: u32) -> Result<(), Problem> {
        let order = Order { made: self.now, process: u32::MAX - 2, counter: number };
        self.queue.push(Reverse(Event { at, order, what: What::Remote(number) }));
        Ok(())
    }

    /// Whether the accesses of a process are done; then it continues when the last was, and its answer is here.
    pub fn flush_is_over(&mut self, own: u32, window: u32, to: Option<u32>, answer: bool) -> Result<bool, Problem> {
        let Some((mut last, target)) = self.windows.done(own, window, to) else { return Ok(false) };
        if answer {
            last = self.job.tick.add(last, self.latency(own, target)?)?;
        }
        let process = &mut self.processes[own as usize];
        if last > process.free() {
            process.ready = last;
            process.idle = Some(Reason::As(Activity::Transfer, None));
        }
        Ok(true)
    }

    /// Latency of a message without bytes between two processes.
    fn latency(&self, own: u32, other: u32) -> Result<Tick, Problem> {
        let (here, there) = (self.processes[own as usize].place, self.processes[other as usize].place);
        let way = self.job.platform.way(here, there, &mut Vec::new());
        self.job.tick.of(self.job.platform.loggops(&way, 0).0.L)
    }

    /// A process asks for a lock: that takes L.
    pub fn ask_for_lock(&mut self, own: u32, window: u32, to: u32) -> Result<(), Problem> {
        self.settle(own);
        self.processes[own as usize].state = State::Locks { to };
        let at = self.job.tick.add(self.now, self.latency(own, to)?)?;
        self.post_lock(at, own, window, false);
        Ok(())
    }

    fn post_lock(&mut self, at: Tick, own: u32, window: u32, granted: bool) {
        let order = Order { made: self.now, process: own, counter: u32::MAX - 1 };
        self.queue.push(Reverse(Event { at, order, what: What::Lock { own, window, granted } }));
    }

    /// It is there, or it has it here.
    pub fn lock_event(&mut self, own: u32, window: u32, granted: bool) -> Result<(), Problem> {
        let State::Locks { to } = self.processes[own as usize].state else { return Ok(()) };
        if granted {
            return self.go_on(own, Activity::Wait);
        }
        if self.windows.lock(own, window, to) { self.grant(own, window, to) } else { Ok(()) }
    }

    fn grant(&mut self, own: u32, window: u32, to: u32) -> Result<(), Problem> {
        let at = self.job.tick.add(self.now, self.latency(to, own)?)?;
        self.post_lock(at, own, window, true);
        Ok(())
    }

    /// A process gives a lock back, when its accesses are flushed: that takes L.
    pub fn give_lock_back(&mut self, own: u32, window: u32, to: u32) -> Result<(), Problem> {
        self.settle(own);
        let at = self.job.tick.add(self.now, self.latency(own, to)?)?;
        let order = Order { made: self.now, process: own, counter: u32::MAX - 1 };
        self.queue.push(Reverse(Event { at, order, what: What::Unlock { window, to } }));
        let process = &mut self.processes[own as usize];
        process.ready = at;
        process.idle = Some(Reason::As(Activity::Wait, None));
        self.advance(own)
    }

    /// It is back: the next who waits has it.
    pub fn unlock_event(&mut self, window: u32, to: u32) -> Result<(), Problem> {
        match self.windows.unlock(window, to) {
            Some(next) => self.grant(next, window, to),
            None => Ok(()),
        }
    }
}
