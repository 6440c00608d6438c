//! What the skeleton needs from a message-passing library.

use super::error::RunError;
use super::options::Waiting;
use std::time::Duration;

/// Bytes at the front of every message, which are the link's: it writes the length there, so that a message may be
/// sent in pieces (MPI counts in 32 bits).
pub(super) const HEAD: usize = 8;

/// What a message is.
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
    /// Whether it leaves its core to others.
    pub wait: Waiting,
    /// When it gives up.
    pub limit: Option<Duration>,
}

/// Messages between ranks.
pub(super) trait Link {
    /// This rank, from 0, the master.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Sends `message`, whose first [`HEAD`] bytes it overwrites; comes back when the buffer can be used again.
    ///
    /// # Errors
    /// [`RunError::Stalled`] naming `to` and iteration 0 when the patience ends; [`RunError::Message`].
    fn send(&self, to: usize, tag: Tag, message: &mut [u8], patience: Patience) -> Result<(), RunError>;

    /// Waits for a message from `from` (or from anybody) into `message`, which it makes as long as the message,
    /// [`HEAD`] included; gives back who sent it. Messages of one sender and tag come in order.
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
