//! The interface of a process for exchanging pieces with the others.

use super::error::RunError;

/// Messages between processes. There are two slots for the pieces of each other process, one a parity of phases: no
/// process is more than one phase ahead of another, for it needs the pieces of all for the phase that it is in.
///
/// Times are nanoseconds since the start that all processes share.
pub(super) trait Link {
    /// Waits for the start that all processes share; all are there by then.
    fn await_start(&self);

    fn now(&self) -> u64;

    /// Sends a piece to all others without waiting.
    ///
    /// # Errors
    /// The slot of a receiver is still full.
    fn send(&mut self, phase: u64, outgoing: &Outgoing<'_>) -> Result<(), RunError>;

    /// When the last piece of a phase is there, if it is known: all have been sent. That may lie in the future.
    ///
    /// # Errors
    /// MPI failed.
    fn last_arrival(&mut self, phase: u64) -> Result<Option<u64>, RunError>;

    /// Waits for news from others about the phase, at most until a given time; may return earlier. Returns within
    /// [`NAP`] if the request to stop would not wake it.
    ///
    /// # Errors
    /// Another process has failed.
    fn wait(&mut self, phase: u64, until: Option<u64>) -> Result<(), RunError>;

    /// Passes on a request to stop: `wish` is whether this process was asked to, the result whether it or process 1 was.
    /// Threads are all asked at once; of ranks only the first one may be.
    fn is_to_stop(&mut self, wish: bool) -> bool {
        wish
    }

    /// Hands over the pieces of a phase, all of which are there, and empties their slots.
    ///
    /// # Errors
    /// A message is damaged.
    fn take(&mut self, phase: u64, install: &mut dyn FnMut(&Incoming<'_>)) -> Result<(), RunError>;
}

/// A piece on its way to all others.
pub(super) struct Outgoing<'a> {
    pub piece: &'a [f64],
    /// Now.
    pub sent: u64,
    /// How long it takes to each process, where that is drawn; the entry of the sender means nothing.
    pub delays: Option<&'a [u64]>,
    /// The sender wants this phase to be the last one.
    pub is_last: bool,
}

/// A received piece.
pub(super) struct Incoming<'a> {
    /// From which process.
    pub from: usize,
    pub piece: &'a [f64],
    /// When it was sent.
    pub sent: u64,
    /// When it was there.
    pub arrived: u64,
    /// The sender wants this phase to be the last one.
    pub is_last: bool,
}

/// Maximum interval at which a waiting process checks for a request to stop \[ns\].
pub(super) const NAP: u64 = 100_000_000;

/// Sleeps, then spins the last part: a sleep ends late, by some ten microseconds on a machine that is not busy.
pub(super) const SPIN: u64 = 120_000;
