//! Which message goes to which receive: the oldest that fits, found without search.
//!
//! Receives and messages stand in queues by receiver, source and tag, in one hash table. A receiver that never asks for "any"
//! has a single queue for each source and tag, of either messages or receives. At others a message also stands in the queue of
//! each kind of "any" that the receiver asks for, and is left in the others when one of them gives it out; there it is dropped
//! when it comes to the front.

use super::slab::{NONE, Slab};
use crate::application::{ANY_TAG, Application, Op, Program, Site, Source, Tag};
use runcast_core::hash::MixMap;

/// Source of a receive that takes from any process.
pub const ANY_SOURCE: u32 = u32::MAX;

/// Kinds of receives that leave something open: the source, the tag, both.
const FROM_ANY: u8 = 1;
const ANY_TAGGED: u8 = 2;
const BOTH: u8 = 4;
/// All of them.
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

/// What waits.
#[derive(Debug, Clone, Copy)]
struct Item {
    payload: u64,
    stamp: u64,
    links: u8,
    gone: bool,
}

/// Receives that wait for messages, and messages that wait for receives.
#[derive(Debug, Default)]
pub struct Matching {
    table: MixMap<Pattern, Queue>,
    links: Slab<Link>,
    items: Slab<Item>,
    /// Kinds of "any" that each receiver asks for.
    asked: Vec<u8>,
    stamp: u64,
    messages: u64,
}

impl Matching {
    /// Nothing waits. What the programs of processes ask for is known from the start.
    pub fn new(application: &Application) -> Self {
        let kind = |(op, _): &(Op, Site)| match op {
            Op::Recv { from, tag } | Op::Irecv { from, tag, .. } => kind(*from == Source::Any, *tag),
            Op::Farm(_) | Op::FarmWorker(_) => FROM_ANY,
            _ => 0,
        };
        let kinds = |program: &Program| program.ops.iter().map(kind).fold(0, |all, one| all | one);
        let kinds: Vec<u8> = application.programs.iter().map(kinds).collect();
        let mut matching = Matching::default();
        for process in 0..application.processes() {
            let kinds = application.program_of(process).map_or(ANY, |program| kinds[program as usize]);
            matching.ask(process as u32, kinds);
        }
        matching
    }

    /// Messages that wait for a receive.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// A receiver asks for "any" of these kinds from now on. Cheapest before anything waits there.
    pub fn ask(&mut self, receiver: u32, kinds: u8) {
        let new = kinds & !self.asked(receiver);
        if new == 0 {
            return;
        }
        if self.asked.len() <= receiver as usize {
            self.asked.resize(receiver as usize + 1, 0);
        }
        self.asked[receiver as usize] |= new;
        let mut waiting: Vec<(u64, Pattern, u32)> = Vec::new();
        for (pattern, queue) in &self.table {
            let is_exact = pattern.source != ANY_SOURCE && pattern.tag != ANY_TAG;
            if pattern.receiver == receiver && !queue.receives && is_exact {
                let mut at = queue.head;
                while at != NONE {
                    let link = self.links[at];
                    if !self.items[link.item].gone {
                        waiting.push((self.items[link.item].stamp, *pattern, link.item));
                    }
                    at = link.next;
                }
            }
        }
        waiting.sort_unstable_by_key(|(stamp, ..)| *stamp);
        for (_, pattern, item) in waiting {
            for pattern in wider(pattern, new) {
                self.append(pattern, item, false);
            }
        }
    }

    /// Calls `each` with all that waits: receiver, payload, and whether it is a receive. What stands in several queues comes as
    /// often.
    pub fn waiting(&self, mut each: impl FnMut(u32, u64, bool)) {
        for (pattern, queue) in &self.table {
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
        self.asked.get(receiver as usize).copied().unwrap_or(0)
    }

    /// A message is there: the oldest receive that fits, or the message waits.
    #[inline]
    pub fn arrive(&mut self, receiver: u32, source: u32, tag: Tag, payload: u64) -> Option<u64> {
        let exact = Pattern { receiver, source, tag };
        let asked = self.asked(receiver);
        if asked == 0 {
            if let Some(queue) = self.table.get_mut(&exact)
                && queue.receives
            {
                return Some(self.first(exact));
            }
            let item = self.item(payload);
            self.append(exact, item, false);
            self.messages += 1;
            return None;
        }
        let mut oldest: Option<(u64, Pattern)> = None;
        for pattern in std::iter::once(exact).chain(wider(exact, asked)) {
            if let Some(queue) = self.table.get(&pattern)
                && queue.receives
            {
                let stamp = self.items[self.links[queue.head].item].stamp;
                if oldest.is_none_or(|(least, _)| stamp < least) {
                    oldest = Some((stamp, pattern));
                }
            }
        }
        if let Some((_, pattern)) = oldest {
            return Some(self.first(pattern));
        }
        let item = self.item(payload);
        for pattern in std::iter::once(exact).chain(wider(exact, asked)) {
            self.drop_gone(pattern);
            self.append(pattern, item, false);
        }
        self.messages += 1;
        None
    }

    /// A receive is posted: the oldest message that fits, or the receive waits.
    #[inline]
    pub fn post(&mut self, receiver: u32, source: Option<u32>, tag: Tag, payload: u64) -> Option<u64> {
        let pattern = Pattern { receiver, source: source.unwrap_or(ANY_SOURCE), tag };
        self.ask(receiver, kind(source.is_none(), tag));
        self.drop_gone(pattern);
        if let Some(queue) = self.table.get(&pattern)
            && !queue.receives
        {
            self.messages -= 1;
            return Some(self.first(pattern));
        }
        let item = self.item(payload);
        self.append(pattern, item, true);
        None
    }

    /// Takes the first of a queue that has one.
    #[inline]
    fn first(&mut self, pattern: Pattern) -> u64 {
        let (item, payload) = self.unlink(pattern);
        let known = &mut self.items[item];
        known.gone = true;
        if known.links == 0 {
            self.items.remove(item);
        }
        payload
    }

    /// Takes the first link out of a queue, and forgets a queue that is empty then.
    #[inline]
    fn unlink(&mut self, pattern: Pattern) -> (u32, u64) {
        let std::collections::hash_map::Entry::Occupied(mut entry) = self.table.entry(pattern) else {
            return (NONE, 0);
        };
        let queue = entry.get_mut();
        let at = queue.head;
        let link = self.links[at];
        if link.next == NONE {
            entry.remove();
        } else {
            queue.head = link.next;
        }
        self.links.remove(at);
        let item = &mut self.items[link.item];
        item.links -= 1;
        (link.item, item.payload)
    }

    /// Drops messages at the front that another queue gave out.
    #[inline]
    fn drop_gone(&mut self, pattern: Pattern) {
        while let Some(queue) = self.table.get(&pattern) {
            if queue.receives || !self.items[self.links[queue.head].item].gone {
                return;
            }
            let (item, _) = self.unlink(pattern);
            if self.items[item].links == 0 {
                self.items.remove(item);
            }
        }
    }

    #[inline]
    fn item(&mut self, payload: u64) -> u32 {
        self.stamp += 1;
        self.items.insert(Item { payload, stamp: self.stamp, links: 0, gone: false })
    }

    #[inline]
    fn append(&mut self, pattern: Pattern, item: u32, receives: bool) {
        self.items[item].links += 1;
        let at = self.links.insert(Link { item, next: NONE });
        let queue = self.table.entry(pattern).or_insert(Queue { head: NONE, tail: NONE, receives });
        if queue.head == NONE {
            queue.head = at;
        } else {
            self.links[queue.tail].next = at;
        }
        queue.tail = at;
    }
}

/// The patterns with "any" of these kinds that fit what an exact one fits. Tags below 0 belong to expansions: no "any tag" fits
/// them.
fn wider(exact: Pattern, kinds: u8) -> impl Iterator<Item = Pattern> {
    let from_any = Pattern { source: ANY_SOURCE, ..exact };
    let kinds = if exact.tag >= 0 { kinds } else { kinds & FROM_ANY };
    [
        (FROM_ANY, from_any),
        (ANY_TAGGED, Pattern { tag: ANY_TAG, ..exact }),
        (BOTH, Pattern { tag: ANY_TAG, ..from_any }),
    ]
    .into_iter()
    .filter_map(move |(kind, pattern)| (kinds & kind != 0).then_some(pattern))
}

/// What a receive leaves open.
fn kind(any_source: bool, tag: Tag) -> u8 {
    match (any_source, tag == ANY_TAG) {
        (false, false) => 0,
        (true, false) => FROM_ANY,
        (false, true) => ANY_TAGGED,
        (true, true) => BOTH,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by walking along lists in order.
    #[derive(Default)]
    struct Slow {
        receives: Vec<(u32, Option<u32>, Tag, u64)>,
        messages: Vec<(u32, u32, Tag, u64)>,
    }

    fn fits(receive: (u32, Option<u32>, Tag), message: (u32, u32, Tag)) -> bool {
        receive.0 == message.0
            && receive.1.is_none_or(|source| source == message.1)
            && (receive.2 == message.2 || (receive.2 == ANY_TAG && message.2 >= 0))
    }

    impl Slow {
        fn arrive(&mut self, receiver: u32, source: u32, tag: Tag, payload: u64) -> Option<u64> {
            let found = self.receives.iter().position(|r| fits((r.0, r.1, r.2), (receiver, source, tag)));
            if found.is_none() {
                self.messages.push((receiver, source, tag, payload));
            }
            found.map(|at| self.receives.remove(at).3)
        }

        fn post(&mut self, receiver: u32, source: Option<u32>, tag: Tag, payload: u64) -> Option<u64> {
            let found = self.messages.iter().position(|m| fits((receiver, source, tag), (m.0, m.1, m.2)));
            if found.is_none() {
                self.receives.push((receiver, source, tag, payload));
            }
            found.map(|at| self.messages.remove(at).3)
        }
    }

    proptest! {
        #[test]
        fn gives_what_a_walk_along_lists_gives(
            steps in prop::collection::vec((any::<bool>(), 0_u32..3, 0_u32..4, -2_i64..3, 0_u8..10), 0..400),
            asked in 0_u8..8,
        ) {
            let mut fast = Matching::default();
            let mut slow = Slow::default();
            fast.ask(0, asked);
            for (number, (is_message, receiver, source, tag, any)) in steps.into_iter().enumerate() {
                let payload = number as u64;
                if is_message {
                    prop_assert_eq!(
                        fast.arrive(receiver, source, tag, payload),
                        slow.arrive(receiver, source, tag, payload)
                    );
                } else {
                    let source = (any & 3 != 1).then_some(source);
                    let tag = if any & 4 == 4 { ANY_TAG } else { tag };
                    prop_assert_eq!(
                        fast.post(receiver, source, tag, payload),
                        slow.post(receiver, source, tag, payload)
                    );
                }
                prop_assert_eq!(fast.messages(), slow.messages.len() as u64);
            }
        }
    }
}
