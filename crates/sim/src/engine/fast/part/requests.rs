//! Which requests are not complete: a bit each, those below 64 in the process itself.

use super::{Part, Rank};
use crate::cursor::FIRST_OWN_REQUEST;

impl Part {
    /// A request is not complete from now on.
    #[inline]
    pub(super) fn open(&mut self, rank: &mut Rank, local: u32, request: u32) {
        if request < 64 {
            rank.requests |= 1 << request;
        } else if let Some(word) = self.word(local, request, true) {
            *word |= 1 << (request % 64);
        }
    }

    #[inline]
    pub(super) fn complete(&mut self, rank: &mut Rank, local: u32, request: u32) {
        if request < 64 {
            rank.requests &= !(1 << request);
        } else if let Some(word) = self.word(local, request, false) {
            *word &= !(1 << (request % 64));
        }
    }

    #[inline]
    pub(super) fn is_open(&mut self, rank: &Rank, local: u32, request: u32) -> bool {
        if request < 64 {
            rank.requests >> request & 1 == 1
        } else {
            self.word(local, request, false).is_some_and(|word| *word >> (request % 64) & 1 == 1)
        }
    }

    pub(super) fn word(&mut self, local: u32, request: u32, make: bool) -> Option<&mut u64> {
        let (words, at) = match request.checked_sub(FIRST_OWN_REQUEST) {
            Some(own) => (&mut self.more.get_mut(local as usize)?.as_mut()?.requests, own as usize / 64),
            None => (self.many.get_mut(local as usize)?, request as usize / 64),
        };
        if make && words.len() <= at {
            words.resize(at + 1, 0);
        }
        words.get_mut(at)
    }
}
