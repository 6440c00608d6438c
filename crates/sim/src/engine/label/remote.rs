//! Accesses to the memory of other processes: at this level they never contend, neither for a card nor for a lock.

use super::run::Run;
use crate::application::Access;
use crate::engine::kernel::ledger::Reason;
use crate::outcome::Activity;
use crate::platform::Sending;
use crate::tick::Tick;
use runcast_core::Problem;

impl Run<'_> {
    /// A class accesses the memory of another process: the overhead passes, and then it is done at some time.
    pub fn access(&mut self, own: u32, to: u64, access: Access, size: u64) -> Result<(), Problem> {
        // Accesses that are not done are not part of the state that is compared.
        self.watch.never();
        let at = own as usize;
        let tick = self.job.tick;
        let (here, there) = (self.places[at], self.job.world.place(to));
        let asks = access == Access::Get;
        let costs = self.message_costs((if asks { 0 } else { size }, Sending::Nonblocking), &here, &there, 1)?;
        let way = self.job.platform.way(here, there, &mut Vec::new());
        let (parameters, _) = self.job.platform.loggops(&way, size);
        let reduced = if access == Access::Accumulate { self.job.world.reduce_per_byte(there.class) } else { 0.0 };
        let back = if asks { parameters.L } else { 0.0 };
        let more = size.max(1).saturating_sub(1) as f64;
        let rest = tick.of(back + more * parameters.G + size as f64 * reduced)?;
        let class = &mut self.state.classes[at];
        let begins = class.free().max(class.clocks.send_nic);
        let head = class.clocks.send(begins, &costs).ok_or_else(|| tick.overflow())?;
        let (end, site) = (class.clocks.cpu, class.site);
        class.ledger.work(site, begins, end, Activity::Overhead);
        self.account(own, Reason::As(Activity::Overhead, None));
        self.accesses[at] = self.accesses[at].max(tick.add(head, rest)?);
        let sums = &mut self.progress.sums[at];
        sums.messages = sums.messages.saturating_add(1);
        sums.bytes = sums.bytes.saturating_add(size);
        self.progress.counts.messages += self.classes.list[at].count;
        self.progress.counts.bytes =
            self.progress.counts.bytes.saturating_add(size.saturating_mul(self.classes.list[at].count));
        Ok(())
    }

    /// A class waits until they are done; with an answer L longer.
    pub fn flush(&mut self, own: u32, to: Option<u64>, answer: bool) -> Result<(), Problem> {
        let latency = match (answer, to) {
            (true, Some(to)) => self.latency(own, to)?,
            _ => 0,
        };
        let class = &mut self.state.classes[own as usize];
        let at = self.job.tick.add(self.accesses[own as usize], latency)?;
        if at > class.free() {
            class.ready = at;
            class.idle = Some(Reason::As(Activity::Transfer, None));
        }
        Ok(())
    }

    /// A lock that no one else wants: 2L.
    pub fn wait_for_lock(&mut self, own: u32, to: u64) -> Result<(), Problem> {
        let latency = self.latency(own, to)?;
        self.wait_so_long(own, 2 * latency)
    }

    /// It is given back: L.
    pub fn give_lock_back(&mut self, own: u32, to: u64) -> Result<(), Problem> {
        let latency = self.latency(own, to)?;
        self.wait_so_long(own, latency)
    }

    fn wait_so_long(&mut self, own: u32, ticks: Tick) -> Result<(), Problem> {
        let class = &mut self.state.classes[own as usize];
        class.ready = self.job.tick.add(class.free(), ticks)?;
        class.idle = Some(Reason::As(Activity::Wait, None));
        Ok(())
    }

    fn latency(&self, own: u32, to: u64) -> Result<Tick, Problem> {
        let way = self.job.platform.way(self.places[own as usize], self.job.world.place(to), &mut Vec::new());
        self.job.tick.of(self.job.platform.loggops(&way, 0).0.L)
    }
}
