//! A process as this engine sees it: 120 bytes, all that an event needs in two or three lines of the cache, which follow those
//! of the process before.

use super::lists::NIL;
use crate::engine::kernel::rule::Clocks;
use crate::tick::Tick;

#[derive(Debug, Clone, Copy)]
pub(super) struct Rank {
    /// When its processor and its interface are free.
    pub(super) clocks: Clocks,
    /// When its pending step may begin: the clock of the processor when it became ready, or the end of a sleep.
    pub(super) at: Tick,
    /// When the event was that made its pending step ready.
    pub(super) made: Tick,
    /// Requests below 64 that are not complete.
    pub(super) requests: u64,
    /// The pending step, or the one that it waits in.
    pub(super) pc: u32,
    /// The first receives that wait for messages, the oldest first.
    pub(super) receives: [u32; RECEIVES],
    /// Those behind them.
    pub(super) posted: u32,
    /// Messages that wait for receives, the oldest first.
    pub(super) unexpected: u32,
    /// Idle times of the present wait, before the take of another message each.
    pub(super) idle: u32,
    /// The request that it waits for.
    pub(super) awaited: u32,
    /// Present phase; [`NIL`] before the first.
    pub(super) phase: u32,
    /// Messages sent, modulo 2^16.
    pub(super) number: u16,
    /// What it is about.
    pub(super) state: State,
    /// [`CROWDED`], [`FLOODED`], ...
    pub(super) flags: u8,
    /// How many of [`Rank::receives`] there are.
    pub(super) receiving: u8,
}

/// Receives that are in the process itself: those of a grid in three dimensions, and two more.
pub(super) const RECEIVES: usize = 8;

/// Its receives and messages are kept in the index of the partition.
pub(super) const CROWDED: u8 = 4;
/// Its messages that have arrived are kept in a heap.
pub(super) const FLOODED: u8 = 8;
/// It is in an operation of several steps.
pub(super) const EXPANDED: u8 = 16;
/// That operation is a collective.
pub(super) const COLLECTIVE: u8 = 32;

/// It slept, or has not begun: idle time until its next step is waiting.
pub(super) const SLEPT: u8 = 64;

/// What a process is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Its pending step needs the processor.
    Computes,
    /// Its pending step needs the processor and the interface.
    Sends,
    /// Its pending step needs nothing.
    Acts,
    /// It waits for the message of its blocking receive.
    Receives,
    /// It waits for a request.
    Waits,
    Ended,
}

impl Rank {
    /// A process that begins at a time.
    pub(super) fn new(start: Tick, pc: u32) -> Rank {
        Rank {
            clocks: Clocks::default(),
            at: start,
            made: 0,
            requests: 0,
            pc,
            receives: [NIL; RECEIVES],
            posted: NIL,
            unexpected: NIL,
            idle: NIL,
            awaited: NIL,
            phase: NIL,
            number: 0,
            state: State::Acts,
            flags: if start > 0 { SLEPT } else { 0 },
            receiving: 0,
        }
    }

    /// When its pending step can begin; none if it has none.
    #[inline]
    pub(super) fn next_step(&self) -> Option<Tick> {
        match self.state {
            State::Computes => Some(self.at.max(self.clocks.cpu)),
            State::Sends => Some(self.at.max(self.clocks.can_send())),
            State::Acts => Some(self.at),
            State::Receives | State::Waits | State::Ended => None,
        }
    }
}
