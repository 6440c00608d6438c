//! The interface to a message-passing library.

use super::error::RunError;
use super::options::Waiting;
use std::time::Duration;

/// Bytes at the front of every message, reserved for the link: it writes the length there, so that a message can be
/// sent in pieces (MPI counts in 32 bits).
pub(super) const HEAD: usize = 8;

/// Kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// From the master, or passed on: what to do next.
    Order = 1,
    /// Towards the master: what was done.
    Result = 2,
}

/// How a rank waits.
#[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "read by the link over MPI alone"))]
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Whether it yields its core to others.
    pub wait: Waiting,
    /// When it times out.
    pub limit: Option<Duration>,
}

/// Messages between ranks.
pub(super) trait Link {
    /// This rank, from 0, the master.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Sends `message`, whose first [`HEAD`] bytes it overwrites; returns when the buffer can be reused.
    ///
    /// # Errors
    /// [`RunError::Stalled`] naming `to` and iteration 0 on timeout; [`RunError::Message`].
    fn send(&self, to: usize, tag: Tag, message: &mut [u8], patience: Patience) -> Result<(), RunError>;

    /// Waits for a message from `from` (or from any rank) into `message`, which it resizes to the message, [`HEAD`]
    /// included; returns the sender. Messages of one sender and tag arrive in order.
    ///
    /// # Errors
    /// As [`Link::send`].
    fn receive(
        &self,
        from: Option<usize>,
        tag: Tag,
        message: &mut Vec<u8>,
        patience: Patience,
    ) -> Result<usize, RunError>;
}
