//! Clocks of processors and NICs; those with number 0 are in the rank itself.

use super::{CALCS, Replay, SENDS, key};
use crate::tick::Tick;

impl Replay<'_> {
    /// The clock of a processor.
    #[inline]
    pub(super) fn cpu(&self, rank: u32, cpu: u16) -> Tick {
        if cpu == 0 { self.ranks[rank as usize].cpu } else { self.clock(rank, 0, cpu) }
    }

    #[inline]
    pub(super) fn set_cpu(&mut self, rank: u32, cpu: u16, to: Tick) {
        if cpu == 0 {
            self.ranks[rank as usize].cpu = to;
        } else {
            self.clocks.insert(key(rank, 0, cpu), to);
        }
    }

    /// A processor was idle up to now; at the end of that a message was under way for so long at most.
    #[inline]
    pub(super) fn idle(&mut self, rank: u32, cpu: u16, under_way: Tick) {
        let idle = self.now.saturating_sub(self.cpu(rank, cpu));
        let transfer = idle.min(under_way);
        self.result.spent.transfer += u128::from(transfer);
        self.result.spent.wait += u128::from(idle - transfer);
    }

    pub(super) fn clock(&self, rank: u32, which: u64, number: u16) -> Tick {
        self.clocks.get(&key(rank, which, number)).copied().unwrap_or(0)
    }

    /// The clock of a NIC, sending or taking.
    #[inline]
    pub(super) fn nic(&self, rank: u32, kind: usize, nic: u16) -> Tick {
        let state = &self.ranks[rank as usize];
        match (nic, kind) {
            (0, SENDS) => state.send_nic,
            (0, _) => state.take_nic,
            _ => self.clock(rank, 1 + kind as u64, nic),
        }
    }

    #[inline]
    pub(super) fn set_nic(&mut self, rank: u32, kind: usize, nic: u16, to: Tick) {
        let state = &mut self.ranks[rank as usize];
        match (nic, kind) {
            (0, SENDS) => state.send_nic = to,
            (0, _) => state.take_nic = to,
            _ => {
                self.clocks.insert(key(rank, 1 + kind as u64, nic), to);
            }
        }
    }

    /// When all that a lane needs is free.
    #[inline]
    pub(super) fn free(&self, rank: u32, kind: usize, cpu: u16, nic: u16) -> Tick {
        let cpu = self.cpu(rank, cpu);
        if kind == CALCS { cpu } else { cpu.max(self.nic(rank, kind, nic)) }
    }
}
