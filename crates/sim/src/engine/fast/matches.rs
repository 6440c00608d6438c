//! Which message goes to which receive: short lists are walked, long ones are in an index.

use super::lists::{Message, NIL};
use super::part::{LONG, OWN, Part};
use super::plan::Plan;
use super::rank::{CROWDED, EXPANDED, RECEIVES, Rank};
use crate::application::{ANY_TAG, Peer, Source, Tag};
use crate::engine::kernel::matching::ANY_SOURCE;

use super::code::Step;

/// A receive posted by an operation of several steps: in words, since all to all posts one for each partner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posted {
    /// Process; [`ANY_SOURCE`].
    from: u32,
    /// Its request; [`NIL`]: it blocks.
    request: u32,
    tag: [u32; 2],
}

impl Posted {
    fn new(from: Source, own: u64, tag: Tag, request: Option<u32>) -> Posted {
        // A source beyond all numbers sends nothing.
        let from = source(from, own).unwrap_or(ANY_SOURCE);
        Posted { from, request: request.unwrap_or(NIL), tag: [tag as u32, (tag >> 32) as u32] }
    }

    fn source(&self) -> Source {
        if self.from == ANY_SOURCE { Source::Any } else { Source::Peer(Peer::Process(u64::from(self.from))) }
    }

    fn tag(&self) -> Tag {
        i64::from(self.tag[0]) | i64::from(self.tag[1] as i32) << 32
    }
}

impl Part {
    /// A message was taken: the oldest receive that fits, or the message waits.
    #[inline]
    pub(super) fn match_message(
        &mut self,
        plan: &Plan<'_>,
        rank: &mut Rank,
        local: u32,
        message: &Message,
        tag: Tag,
        node: u32,
    ) -> Option<u32> {
        if rank.flags & CROWDED != 0 {
            return self.crowds.arrive(local, message.from, tag, u64::from(node)).map(|what| what as u32);
        }
        let own = u64::from(self.first + local);
        for at in 0..usize::from(rank.receiving) {
            let what = rank.receives[at];
            let (from, wanted) = self.pattern(plan, what);
            if fits(from, own, message.from) && fits_tag(wanted, tag) {
                rank.receives.copy_within(at + 1..usize::from(rank.receiving), at);
                if rank.posted == NIL {
                    rank.receiving -= 1;
                } else {
                    // The first of those behind moves up.
                    let last = rank.posted;
                    let first = self.posted.next(last);
                    rank.receives[RECEIVES - 1] = *self.posted.get(first);
                    self.posted.take_out(&mut rank.posted, last, first);
                    self.posted.remove(first);
                }
                return Some(what);
            }
        }
        if rank.posted != NIL {
            let mut length = 0;
            let mut before = rank.posted;
            loop {
                let at = self.posted.next(before);
                let what = *self.posted.get(at);
                let (from, wanted) = self.pattern(plan, what);
                if fits(from, own, message.from) && fits_tag(wanted, tag) {
                    self.posted.take_out(&mut rank.posted, before, at);
                    self.posted.remove(at);
                    return Some(what);
                }
                if at == rank.posted {
                    break;
                }
                before = at;
                length += 1;
            }
            if length > LONG {
                self.crowd(plan, rank, local);
                return self.match_message(plan, rank, local, message, tag, node);
            }
        }
        self.messages.append(&mut rank.unexpected, node);
        None
    }

    /// A receive is posted: the oldest message that fits, or the receive waits.
    #[inline]
    pub(super) fn match_receive(
        &mut self,
        plan: &Plan<'_>,
        rank: &mut Rank,
        local: u32,
        from: Source,
        tag: Tag,
        request: Option<u32>,
    ) -> Option<u32> {
        let own = u64::from(self.first + local);
        if rank.flags & CROWDED != 0 {
            let what = self.what(rank, own, from, tag, request);
            let source = source(from, own);
            let found = self.crowds.post(local, source, tag, u64::from(what)).map(|node| node as u32);
            if found.is_some() && what & OWN != 0 {
                self.own.remove(what & !OWN);
            }
            return found;
        }
        if rank.unexpected != NIL {
            let mut length = 0;
            let mut before = rank.unexpected;
            loop {
                let at = self.messages.next(before);
                let message = self.messages.get(at);
                if fits(from, own, message.from) && fits_tag(tag, plan.kinds.get(message.kind).tag) {
                    self.messages.take_out(&mut rank.unexpected, before, at);
                    return Some(at);
                }
                if at == rank.unexpected {
                    break;
                }
                before = at;
                length += 1;
            }
            if length > LONG {
                self.crowd(plan, rank, local);
                return self.match_receive(plan, rank, local, from, tag, request);
            }
        }
        let what = self.what(rank, own, from, tag, request);
        if usize::from(rank.receiving) < RECEIVES {
            rank.receives[usize::from(rank.receiving)] = what;
            rank.receiving += 1;
            return None;
        }
        let posted = self.posted.add(what, NIL);
        self.posted.append(&mut rank.posted, posted);
        None
    }

    /// The request of a receive that has its message; it is posted no longer.
    #[inline]
    pub(super) fn close(&mut self, plan: &Plan<'_>, what: u32) -> Option<u32> {
        if what & OWN != 0 {
            let request = self.own.get(what & !OWN).request;
            self.own.remove(what & !OWN);
            return (request != NIL).then_some(request);
        }
        match plan.code.steps[what as usize] {
            Step::Receive { request, .. } => request,
            _ => None,
        }
    }

    /// A receive in 32 bits: the step of the program that posts it says the rest.
    #[inline]
    fn what(&mut self, rank: &Rank, own: u64, from: Source, tag: Tag, request: Option<u32>) -> u32 {
        if rank.flags & EXPANDED == 0 { rank.pc } else { OWN | self.own.add(Posted::new(from, own, tag, request), NIL) }
    }

    #[inline]
    fn pattern(&self, plan: &Plan<'_>, what: u32) -> (Source, Tag) {
        if what & OWN != 0 {
            let posted = self.own.get(what & !OWN);
            return (posted.source(), posted.tag());
        }
        match plan.code.steps[what as usize] {
            Step::Receive { from, tag, .. } => (from, tag),
            _ => (Source::Any, ANY_TAG),
        }
    }

    /// From now on the receives and messages of a process are in the index. None of them fits another.
    #[cold]
    fn crowd(&mut self, plan: &Plan<'_>, rank: &mut Rank, local: u32) {
        let own = u64::from(self.first + local);
        for at in 0..usize::from(rank.receiving) {
            let what = rank.receives[at];
            let (from, tag) = self.pattern(plan, what);
            self.crowds.post(local, source(from, own), tag, u64::from(what));
        }
        rank.receiving = 0;
        let last = std::mem::replace(&mut rank.posted, NIL);
        if last != NIL {
            let mut at = self.posted.next(last);
            loop {
                let what = *self.posted.get(at);
                let (from, tag) = self.pattern(plan, what);
                self.crowds.post(local, source(from, own), tag, u64::from(what));
                let next = self.posted.next(at);
                self.posted.remove(at);
                if at == last {
                    break;
                }
                at = next;
            }
        }
        let last = std::mem::replace(&mut rank.unexpected, NIL);
        if last != NIL {
            let mut node = last;
            loop {
                node = self.messages.next(node);
                let message = *self.messages.get(node);
                self.crowds.arrive(local, message.from, plan.kinds.get(message.kind).tag, u64::from(node));
                if node == last {
                    break;
                }
            }
        }
        rank.flags |= CROWDED;
    }
}

#[inline]
fn fits(wanted: Source, own: u64, from: u32) -> bool {
    match wanted {
        Source::Any => true,
        Source::Peer(peer) => peer.of(own) == u64::from(from),
    }
}

#[inline]
fn fits_tag(wanted: Tag, tag: Tag) -> bool {
    wanted == tag || (wanted == ANY_TAG && tag >= 0)
}

fn source(from: Source, own: u64) -> Option<u32> {
    match from {
        Source::Any => None,
        Source::Peer(peer) => Some(u32::try_from(peer.of(own)).unwrap_or(ANY_SOURCE - 1)),
    }
}
