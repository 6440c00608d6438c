//! Messages over MPI.
//!
//! ```text
//! a message of `total` bytes, the first 8 of which hold `total`
//!     total <= chunk     one piece
//!     else               the first 8 bytes, then pieces of `chunk` bytes at most
//! ```
//!
//! MPI counts in 32 bits, hence the pieces. The 8 bytes alone come first, so that the receiver can allocate once, and
//! nothing is copied. Messages from one rank with one tag do not overtake each other (section 3.5),
//! so pieces come in order and need no numbers.

use super::pause::Pauses;
use super::session::Session;
use crate::skeleton::error::RunError;
use crate::skeleton::link::{HEAD, Link, Patience, Tag};
use mpi::datatype::Equivalence;
use mpi::point_to_point::{Destination, Message, Source, Status};
use mpi::request::{LocalScope, Request};
use mpi::topology::{Communicator, Process, Rank};

/// The largest piece of a message: half of what MPI can count in bytes.
const CHUNK: usize = 1 << 30;

/// Messages between the ranks of MPI.
pub(in crate::skeleton) struct MpiLink {
    session: Session,
    chunk: usize,
}

/// How long a message was awaited in vain \[s\].
struct Waited(f64);

impl MpiLink {
    /// A link between all ranks, in the session of this thread.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub(in crate::skeleton) fn start() -> Result<MpiLink, RunError> {
        Ok(MpiLink { session: Session::open()?, chunk: CHUNK })
    }

    /// With pieces of another size, which must be the same at all ranks.
    #[cfg(test)]
    pub(super) fn with_chunk(self, chunk: usize) -> Self {
        MpiLink { chunk: chunk.max(HEAD), ..self }
    }

    /// Refuses further messages after one that was given up.
    fn check(&self) -> Result<(), RunError> {
        if !self.session.is_broken() {
            return Ok(());
        }
        Err(RunError::Message("a message before was waited for in vain".to_owned()))
    }

    fn process(&self, rank: usize) -> Result<Process<'_>, RunError> {
        let size = self.session.size();
        let known = Some(rank).filter(|&rank| rank < size).and_then(|rank| Rank::try_from(rank).ok());
        let unknown = || RunError::Message(format!("there is no rank {rank} among {size}"));
        Ok(self.session.world().process_at_rank(known.ok_or_else(unknown)?))
    }

    /// After a wait in vain a message is still on its way, and MPI must not be waited for.
    fn stalled(&self, rank: Option<usize>, waited: Waited) -> RunError {
        self.session.breaks();
        RunError::Stalled { rank, iteration: 0, waited_s: waited.0 }
    }

    fn damaged(&self, from: usize, length: usize) -> RunError {
        self.session.breaks();
        RunError::Message(format!("{length} bytes from rank {from} do not begin with their length"))
    }

    /// Takes a message whose first piece was found.
    fn take(&self, found: Found, message: &mut Vec<u8>, pauses: &mut Pauses) -> Result<usize, RunError> {
        let Found { piece, from, length, tag } = found;
        message.resize(length, 0);
        let stalled = |waited| self.stalled(Some(from), waited);
        take_first(piece, message, pauses).map_err(stalled)?;
        let total = total(message).filter(|&total| total == length || length == HEAD && total > self.chunk);
        let total = total.ok_or_else(|| self.damaged(from, length))?;
        message.resize(total, 0);
        let source = self.process(from)?;
        let mut done = length;
        while done < total {
            let end = total.min(done + self.chunk);
            take_piece(&source, tag, message, done..end, pauses).map_err(stalled)?;
            done = end;
        }
        Ok(from)
    }
}

impl Link for MpiLink {
    fn rank(&self) -> usize {
        self.session.rank()
    }

    fn size(&self) -> usize {
        self.session.size()
    }

    /// # Standard section(s)
    /// 3.7.2, 3.7.3
    fn send(&self, to: usize, tag: Tag, message: &mut [u8], patience: Patience) -> Result<(), RunError> {
        self.check()?;
        let total = message.len();
        let head = message.first_chunk_mut::<HEAD>();
        *head.ok_or_else(|| RunError::Message("a message without room for its length".to_owned()))? =
            (total as u64).to_le_bytes();
        let destination = self.process(to)?;
        let mut pauses = Pauses::new(patience);
        let first = if total <= self.chunk { total } else { HEAD };
        let (first, rest) = message.split_at(first);
        for piece in std::iter::once(first).chain(rest.chunks(self.chunk)) {
            give(&destination, tag, piece, &mut pauses).map_err(|waited| self.stalled(Some(to), waited))?;
        }
        Ok(())
    }

    /// # Standard section(s)
    /// 3.8.2, 3.8.3
    fn receive(
        &self,
        from: Option<usize>,
        tag: Tag,
        message: &mut Vec<u8>,
        patience: Patience,
    ) -> Result<usize, RunError> {
        self.check()?;
        let mut pauses = Pauses::new(patience);
        let found = match from {
            Some(from) => find(&self.process(from)?, tag, &mut pauses),
            None => find(&self.session.world().any_process(), tag, &mut pauses),
        };
        self.take(found.map_err(|waited| self.stalled(from, waited))?, message, &mut pauses)
    }
}

/// The first piece of a message, matched so that no other receive can take it.
struct Found {
    piece: Message,
    from: usize,
    length: usize,
    tag: Tag,
}

fn find(source: &impl Source, tag: Tag, pauses: &mut Pauses) -> Result<Found, Waited> {
    loop {
        if let Some((piece, status)) = source.immediate_matched_probe_with_tag(tag as i32) {
            let from = usize::try_from(status.source_rank()).unwrap_or(0);
            return Ok(Found { piece, from, length: length(&status), tag });
        }
        pauses.pause().map_err(Waited)?;
    }
}

fn length(status: &Status) -> usize {
    usize::try_from(status.count(u8::equivalent_datatype())).unwrap_or(0)
}

/// The length that a message bears in its head.
fn total(message: &[u8]) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(*message.first_chunk::<HEAD>()?)).ok()
}

fn give(destination: &Process<'_>, tag: Tag, piece: &[u8], pauses: &mut Pauses) -> Result<(), Waited> {
    mpi::request::scope(|scope| {
        let request = destination.immediate_send_with_tag(scope, piece, tag as i32);
        // On a message that is not taken: MPI continues reading it, in calls that this rank does not make any more.
        finish(request, pauses)
    })
}

fn take_first(piece: Message, message: &mut Vec<u8>, pauses: &mut Pauses) -> Result<(), Waited> {
    with_leaked_on_error(message, |message| {
        mpi::request::scope(|scope| finish(piece.immediate_matched_receive_into(scope, message), pauses))
    })
}

fn take_piece(
    source: &Process<'_>,
    tag: Tag,
    message: &mut Vec<u8>,
    range: std::ops::Range<usize>,
    pauses: &mut Pauses,
) -> Result<(), Waited> {
    with_leaked_on_error(message, |message| {
        let room = &mut message[range];
        mpi::request::scope(|scope| finish(source.immediate_receive_into_with_tag(scope, room, tag as i32), pauses))
    })
}

/// Lets MPI write into a message. If that does not come to an end, MPI may write into it at any later time, so its
/// memory is never used for anything else.
fn with_leaked_on_error(
    message: &mut Vec<u8>,
    receive: impl FnOnce(&mut [u8]) -> Result<(), Waited>,
) -> Result<(), Waited> {
    let result = receive(message);
    if result.is_err() {
        std::mem::forget(std::mem::take(message));
    }
    result
}

/// Waits for a request; gives it up when the patience ends.
fn finish<'a>(request: Request<'a, [u8], &LocalScope<'a>>, pauses: &mut Pauses) -> Result<(), Waited> {
    let mut request = request;
    loop {
        request = match request.test() {
            Ok(_) => return Ok(()),
            Err(request) => request,
        };
        if let Err(waited) = pauses.pause() {
            give_up(request);
            return Err(Waited(waited));
        }
    }
}

/// Forgets a request that will not be completed: it can be neither waited for nor cancelled (section 3.8.4 deprecates
/// that for messages to be sent, and Open MPI cannot).
#[expect(unsafe_code, reason = "rsmpi aborts the process when a request is dropped, and then the reason is lost")]
fn give_up<'a>(request: Request<'a, [u8], &LocalScope<'a>>) {
    // SAFETY: received messages are leaked with their request (see `with_leaked_on_error`). Messages to be sent are
    // only read, by calls of MPI; the session is broken from here on, so that this rank makes none of those.
    let _ = unsafe { request.into_raw() };
}
