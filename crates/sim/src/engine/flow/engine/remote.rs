//! Accesses to the memory of other processes: messages without a receive.

use super::process::{Blocked, Busy};
use super::{Run, What};
use crate::application::Access;
use crate::tick::Tick;
use runcast_core::Problem;

/// What a message does in the memory of its receiver.
#[derive(Debug, Clone, Copy)]
pub struct Remote {
    own: u32,
    target: u32,
    window: u32,
    access: Access,
    size: u64,
    /// Whether it is a request for bytes.
    asks: bool,
}

impl Run<'_> {
    /// A process accesses the memory of another.
    pub(super) fn access(
        &mut self,
        own: u32,
        to: u64,
        (access, size): (Access, u64),
        window: u32,
    ) -> Result<(), Problem> {
        let target = self.checked_partner(own, to)?;
        let asks = access == Access::Get;
        let (send, message) = self.message_to_memory(own, target, if asks { 0 } else { size })?;
        self.accesses.insert(message, Remote { own, target, window, access, size, asks });
        self.windows.begin(own, window, target);
        self.count_message(own, size);
        if send > 0 {
            let at = self.later(send)?;
            self.busy_until(own, at, Busy::Sends(message));
            return Ok(());
        }
        self.launch(message)
    }

    /// All bytes of an access are there.
    pub(super) fn access_arrives(&mut self, message: u32) -> Result<(), Problem> {
        let Some(remote) = self.accesses.get(&message).copied() else { return Ok(()) };
        if remote.asks {
            self.accesses.remove(&message);
            self.release_message(message);
            let (_, answer) = self.message_to_memory(remote.target, remote.own, remote.size)?;
            self.accesses.insert(answer, Remote { asks: false, ..remote });
            return self.launch(answer);
        }
        if remote.access == Access::Accumulate {
            let class = self.processes[remote.target as usize].place.class;
            let seconds = remote.size as f64 * self.job.world.reduce_per_byte(class);
            let at = self.later(self.tick.of(seconds)?)?;
            self.post(at, What::Summed(message));
            return Ok(());
        }
        self.access_is_done(message)
    }

    /// An access is done: who waits for that continues.
    pub(super) fn access_is_done(&mut self, message: u32) -> Result<(), Problem> {
        let Some(Remote { own, target, window, .. }) = self.accesses.remove(&message) else { return Ok(()) };
        self.release_message(message);
        self.windows.end(own, window, target, self.now);
        self.look_at_flush(own)
    }

    /// A process that waits for its accesses goes on if they are done, and their answer is here.
    pub(super) fn look_at_flush(&mut self, own: u32) -> Result<(), Problem> {
        let Blocked::Flushes { window, to, answer } = self.processes[own as usize].blocked else { return Ok(()) };
        let Some((last, target)) = self.windows.done(own, window, to) else { return Ok(()) };
        self.account_blocked(own);
        self.processes[own as usize].blocked = Blocked::No;
        let latency = if answer { self.latency(own, target)? } else { 0 };
        let at = self.tick.add(last, latency)?;
        if at > self.now {
            self.busy_until(own, at, Busy::Idle);
        } else {
            self.ready.push_back(own);
        }
        Ok(())
    }

    /// Latency of a message without bytes between two processes.
    fn latency(&mut self, own: u32, other: u32) -> Result<Tick, Problem> {
        let (here, there) = (self.processes[own as usize].place, self.processes[other as usize].place);
        let way = self.job.platform.way(here, there, &mut self.route);
        self.tick.of(self.job.platform.loggops(&way, 0).0.L)
    }

    /// A process asks for a lock: that takes L.
    pub(super) fn ask_for_lock(&mut self, own: u32, window: u32, to: u64) -> Result<(), Problem> {
        let to = self.checked_partner(own, to)?;
        self.processes[own as usize].blocked = Blocked::Locks { to };
        let latency = self.latency(own, to)?;
        let at = self.later(latency)?;
        self.post(at, What::Lock { own, window });
        Ok(())
    }

    /// It is there.
    pub(super) fn lock_event(&mut self, own: u32, window: u32) -> Result<(), Problem> {
        let Blocked::Locks { to } = self.processes[own as usize].blocked else { return Ok(()) };
        if self.windows.lock(own, window, to) { self.grant(own, to) } else { Ok(()) }
    }

    /// A process has a lock: it knows it after L.
    fn grant(&mut self, own: u32, to: u32) -> Result<(), Problem> {
        self.account_blocked(own);
        self.processes[own as usize].blocked = Blocked::No;
        let latency = self.latency(to, own)?;
        let at = self.later(latency)?;
        self.busy_until(own, at, Busy::Idle);
        Ok(())
    }

    /// A process gives a lock back, when its accesses are flushed: that takes L.
    pub(super) fn give_lock_back(&mut self, own: u32, window: u32, to: u32) -> Result<(), Problem> {
        let latency = self.latency(own, to)?;
        let at = self.later(latency)?;
        self.busy_until(own, at, Busy::Idle);
        self.post(at, What::Unlock { window, to });
        Ok(())
    }

    /// It is back: the next who waits has it.
    pub(super) fn unlock_event(&mut self, window: u32, to: u32) -> Result<(), Problem> {
        match self.windows.unlock(window, to) {
            Some(next) => self.grant(next, to),
            None => Ok(()),
        }
    }
}
