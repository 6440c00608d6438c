//! Messages and receives of receivers at which many wait, found without search.
//!
//! Receives and messages are in queues by receiver, source and tag, in one hash table. Receives name both, or leave the source,
//! the tag or both open. A message is in a queue for each of these kinds that its receiver asks for, mostly one; where it
//! is several, it is left in the others when one of them gives it out, and is dropped there when it comes to the front.

use super::ANY_SOURCE;
use crate::application::{ANY_TAG, Application, Op, Program, Site, Source, Tag};
use crate::engine::kernel::slab::{NONE, Slab};
use runcast_core::hash::MixMap;
use std::collections::hash_map::Entry;

/// Kinds of receives: nothing is open, the source, the tag, both.
const EXACT: u8 = 1;
const FROM_ANY: u8 = 2;
const ANY_TAGGED: u8 = 4;
const BOTH: u8 = 8;
/// All that leave something open.
pub const ANY: u8 = FROM_ANY | ANY_TAGGED | BOTH;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Pattern {
    receiver: u32,
    source: u32,
    tag: Tag,
}

#[derive(Debug, Clone, Copy)]
struct Queue {
    head: u32,
    tail: u32,
    receives: bool,
}

/// A place in a queue. Receives have one, messages up to four, which share the item.
#[derive(Debug, Clone, Copy)]
struct Link {
    item: u32,
    next: u32,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    payload: u64,
    stamp: u64,
    source: u32,
    tag: Tag,
    links: u8,
    gone: bool,
}

/// Receives that wait for messages, and messages that wait for receives.
#[derive(Debug, Default)]
pub struct Table {
    queues: MixMap<Pattern, Queue>,
    links: Slab<Link>,
    items: Slab<Item>,
    /// Kinds that each receiver asks for; 0, or beyond the end: [`EXACT`].
    asked: Vec<u8>,
    stamp: u64,
}

impl Table {
    /// Nothing waits. What the programs of processes ask for is known from the start.
    pub fn new(application: &Application) -> Self {
        let kind = |(op, _): &(Op, Site)| match op {
            Op::Recv { from, tag } | Op::Irecv { from, tag, .. } => kind(*from == Source::Any, *tag),
            Op::Farm(_) => FROM_ANY,
            Op::Compute(_) | Op::Send { .. } | Op::Isend { .. } | Op::Wait { .. } | Op::Repeat { .. } => 0,
            _ => EXACT,
        };
        let kinds = |program: &Program| program.ops.iter().map(kind).fold(0, |all, one| all | one);
        let kinds: Vec<u8> = application.programs.iter().map(kinds).collect();
        let mut table = Table::default();
        for process in 0..application.processes() {
            match application.program_of(process).map_or(EXACT | ANY, |program| kinds[program as usize]) {
                0 | EXACT => {}
                kinds => table.set_asked(process as u32, kinds),
            }
        }
        table
    }

    pub fn set_asked(&mut self, receiver: u32, kinds: u8) {
        if self.asked.len() <= receiver as usize {
            self.asked.resize(receiver as usize + 1, 0);
        }
        self.asked[receiver as usize] = kinds;
    }

    /// A receiver asks for these kinds too, from now on. Cheapest before anything waits there.
    #[inline]
    pub fn ask(&mut self, receiver: u32, kinds: u8) {
        if kinds & !self.asked(receiver) != 0 {
            self.ask_more(receiver, kinds);
        }
    }

    #[cold]
    fn ask_more(&mut self, receiver: u32, kinds: u8) {
        let asked = self.asked(receiver);
        self.set_asked(receiver, asked | kinds);
        let mut waiting: Vec<(u64, u32)> = Vec::new();
        for (pattern, queue) in &self.queues {
            if pattern.receiver == receiver && !queue.receives {
                let mut at = queue.head;
                while at != NONE {
                    let Link { item, next } = self.links[at];
                    if !self.items[item].gone {
                        waiting.push((self.items[item].stamp, item));
                    }
                    at = next;
                }
            }
        }
        waiting.sort_unstable();
        waiting.dedup();
        for (_, item) in waiting {
            let Item { source, tag, .. } = self.items[item];
            for pattern in (Pattern { receiver, source, tag }).of_kinds(kinds & !asked) {
                self.append(pattern, item);
            }
        }
    }

    /// Calls `each` with all that waits: receiver, payload, and whether it is a receive. What is in several queues comes as
    /// often.
    pub fn waiting(&self, mut each: impl FnMut(u32, u64, bool)) {
        for (pattern, queue) in &self.queues {
            let mut at = queue.head;
            while at != NONE {
                let link = self.links[at];
                let item = &self.items[link.item];
                if !item.gone {
                    each(pattern.receiver, item.payload, queue.receives);
                }
                at = link.next;
            }
        }
    }

    #[inline]
    fn asked(&self, receiver: u32) -> u8 {
        match self.asked.get(receiver as usize) {
            None | Some(0) => EXACT,
            Some(kinds) => *kinds,
        }
    }

    /// A message is there: the oldest receive that fits, or the message waits.
    #[inline]
    pub fn arrive(&mut self, receiver: u32, source: u32, tag: Tag, payload: u64) -> Option<u64> {
        let exact = Pattern { receiver, source, tag };
        let kinds = self.asked(receiver);
        if kinds.is_power_of_two()
            && let Some(only) = exact.of_kinds(kinds).next()
        {
            return self.meet(only, exact, payload, false);
        }
        let (mut oldest, mut fits): (Option<(u64, Pattern)>, bool) = (None, false);
        for pattern in exact.of_kinds(kinds) {
            fits = true;
            if let Some(queue) = self.queues.get(&pattern)
                && queue.receives
            {
                let stamp = self.items[self.links[queue.head].item].stamp;
                if oldest.is_none_or(|(least, _)| stamp < least) {
                    oldest = Some((stamp, pattern));
                }
            }
        }
        if let Some((_, pattern)) = oldest {
            return self.meet(pattern, exact, payload, false);
        }
        if !fits {
            // Nothing that was asked for fits its tag.
            self.ask(receiver, EXACT);
            return self.meet(exact, exact, payload, false);
        }
        self.stamp += 1;
        let item = self.items.insert(Item { payload, stamp: self.stamp, source, tag, links: 0, gone: false });
        for pattern in exact.of_kinds(kinds) {
            self.append(pattern, item);
        }
        None
    }

    /// A receive is posted: the oldest message that fits, or the receive waits.
    #[inline]
    pub fn post(&mut self, receiver: u32, source: Option<u32>, tag: Tag, payload: u64) -> Option<u64> {
        self.ask(receiver, kind(source.is_none(), tag));
        let pattern = Pattern { receiver, source: source.unwrap_or(ANY_SOURCE), tag };
        self.meet(pattern, pattern, payload, true)
    }

    /// Takes the first out of a queue of the other side, or waits in this one.
    #[inline]
    fn meet(&mut self, pattern: Pattern, exact: Pattern, payload: u64, receives: bool) -> Option<u64> {
        let Table { queues, links, items, .. } = self;
        let mut entry = match queues.entry(pattern) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => entry.insert_entry(Queue { head: NONE, tail: NONE, receives }),
        };
        let queue = entry.get_mut();
        if queue.receives != receives && queue.drop_gone(links, items) {
            let item = queue.unlink(links, items);
            if queue.head == NONE {
                entry.remove();
            }
            let known = &mut items[item];
            known.gone = true;
            let payload = known.payload;
            if known.links == 0 {
                items.remove(item);
            }
            return Some(payload);
        }
        self.stamp += 1;
        let Pattern { source, tag, .. } = exact;
        let item = items.insert(Item { payload, stamp: self.stamp, source, tag, links: 0, gone: false });
        queue.push(links, items, item, receives);
        None
    }

    #[inline]
    fn append(&mut self, pattern: Pattern, item: u32) {
        let Table { queues, links, items, .. } = self;
        let queue = queues.entry(pattern).or_insert(Queue { head: NONE, tail: NONE, receives: false });
        queue.drop_gone(links, items);
        queue.push(links, items, item, false);
    }
}

impl Queue {
    /// A link at the end.
    #[inline]
    fn push(&mut self, links: &mut Slab<Link>, items: &mut Slab<Item>, item: u32, receives: bool) {
        items[item].links += 1;
        let at = links.insert(Link { item, next: NONE });
        if self.head == NONE {
            (self.head, self.receives) = (at, receives);
        } else {
            links[self.tail].next = at;
        }
        self.tail = at;
    }

    /// Takes the first link out; its item.
    #[inline]
    fn unlink(&mut self, links: &mut Slab<Link>, items: &mut Slab<Item>) -> u32 {
        let Link { item, next } = links[self.head];
        links.remove(self.head);
        self.head = next;
        items[item].links -= 1;
        item
    }

    /// Drops messages at the front that another queue gave out; whether any are left.
    #[inline]
    fn drop_gone(&mut self, links: &mut Slab<Link>, items: &mut Slab<Item>) -> bool {
        while self.head != NONE {
            if !items[links[self.head].item].gone {
                return true;
            }
            let item = self.unlink(links, items);
            if items[item].links == 0 {
                items.remove(item);
            }
        }
        false
    }
}

impl Pattern {
    /// The patterns of these kinds that fit what an exact one fits. Tags below 0 belong to expansions: no "any tag" fits them.
    #[inline]
    fn of_kinds(self, kinds: u8) -> impl Iterator<Item = Pattern> {
        let from_any = Pattern { source: ANY_SOURCE, ..self };
        let kinds = if self.tag >= 0 { kinds } else { kinds & (EXACT | FROM_ANY) };
        [
            (EXACT, self),
            (FROM_ANY, from_any),
            (ANY_TAGGED, Pattern { tag: ANY_TAG, ..self }),
            (BOTH, Pattern { tag: ANY_TAG, ..from_any }),
        ]
        .into_iter()
        .filter_map(move |(kind, pattern)| (kinds & kind != 0).then_some(pattern))
    }
}

/// What a receive leaves open.
fn kind(any_source: bool, tag: Tag) -> u8 {
    match (any_source, tag == ANY_TAG) {
        (false, false) => EXACT,
        (true, false) => FROM_ANY,
        (false, true) => ANY_TAGGED,
        (true, true) => BOTH,
    }
}
