//! Which message goes to which receive: the oldest that fits, and no message overtakes another of the same source and tag.
//!
//! What waits is in two lists for each receiver, and is searched by walking along them. A receiver at which the first
//! [`SHORT`] do not fit and more wait has all that waits there looked up in a table instead, until none is left: so ten
//! thousand unexpected messages cost no more than ten each.

mod table;

use super::slab::{NONE, Slab};
use crate::application::{ANY_TAG, Application, Tag};
pub use table::ANY;
use table::Table;

/// Source of a receive from any process.
pub const ANY_SOURCE: u32 = u32::MAX;
/// Number of entries searched one by one.
const SHORT: usize = 16;

/// What waits in a list.
#[derive(Debug, Clone, Copy)]
struct Entry {
    payload: u64,
    tag: Tag,
    source: u32,
    next: u32,
}

/// Entries by age.
#[derive(Debug, Clone, Copy)]
struct List {
    head: u32,
    tail: u32,
}

/// What a walk along the first few of a list comes to.
enum Found {
    This(u64),
    Nothing,
    /// More wait behind them.
    TooLong,
}

/// What waits at a receiver.
#[derive(Debug, Clone, Copy)]
struct Receiver {
    receives: List,
    messages: List,
    /// How many of both the table holds. The lists are empty where it is not 0.
    in_table: u32,
}

/// Receives that wait for messages, and messages that wait for receives.
#[derive(Debug, Default)]
pub struct Matching {
    receivers: Vec<Receiver>,
    entries: Slab<Entry>,
    table: Table,
    messages: u64,
}

impl Matching {
    /// Nothing waits. What the programs of processes ask for is known from the start.
    pub fn new(application: &Application) -> Self {
        Matching { table: Table::new(application), ..Matching::default() }
    }

    /// Messages that wait for a receive.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// A receiver asks for these kinds too, from now on. Cheapest before anything waits there.
    #[inline]
    pub fn ask(&mut self, receiver: u32, kinds: u8) {
        self.table.ask(receiver, kinds);
    }

    /// Calls `each` with all that waits: receiver, payload, and whether it is a receive. What is in several queues comes as
    /// often.
    pub fn waiting(&self, mut each: impl FnMut(u32, u64, bool)) {
        for (number, receiver) in self.receivers.iter().enumerate() {
            receiver.receives.each(&self.entries, |entry| each(number as u32, entry.payload, true));
            receiver.messages.each(&self.entries, |entry| each(number as u32, entry.payload, false));
        }
        self.table.waiting(each);
    }

    /// A message is there: the oldest receive that fits, or the message waits.
    #[inline]
    pub fn arrive(&mut self, receiver: u32, source: u32, tag: Tag, payload: u64) -> Option<u64> {
        self.make_room(receiver);
        let at = &mut self.receivers[receiver as usize];
        if at.in_table == 0 {
            // Tags below 0 belong to expansions: no "any tag" fits them.
            let found = at.receives.take(&mut self.entries, |receive| {
                (receive.source == source || receive.source == ANY_SOURCE)
                    && (receive.tag == tag || (receive.tag == ANY_TAG && tag >= 0))
            });
            match found {
                Found::This(receive) => return Some(receive),
                Found::Nothing => {
                    at.messages.push(&mut self.entries, Entry { payload, tag, source, next: NONE });
                    self.messages += 1;
                    return None;
                }
                Found::TooLong => self.look_up(receiver),
            }
        }
        self.arrive_in_table(receiver, source, tag, payload)
    }

    /// A receive is posted: the oldest message that fits, or the receive waits.
    #[inline]
    pub fn post(&mut self, receiver: u32, source: Option<u32>, tag: Tag, payload: u64) -> Option<u64> {
        self.make_room(receiver);
        let at = &mut self.receivers[receiver as usize];
        if at.in_table == 0 {
            let found = at.messages.take(&mut self.entries, |message| {
                source.is_none_or(|source| source == message.source)
                    && (tag == message.tag || (tag == ANY_TAG && message.tag >= 0))
            });
            match found {
                Found::This(message) => {
                    self.messages -= 1;
                    return Some(message);
                }
                Found::Nothing => {
                    let source = source.unwrap_or(ANY_SOURCE);
                    at.receives.push(&mut self.entries, Entry { payload, tag, source, next: NONE });
                    return None;
                }
                Found::TooLong => self.look_up(receiver),
            }
        }
        self.post_in_table(receiver, source, tag, payload)
    }

    #[inline(never)]
    fn arrive_in_table(&mut self, receiver: u32, source: u32, tag: Tag, payload: u64) -> Option<u64> {
        let found = self.table.arrive(receiver, source, tag, payload);
        self.messages += u64::from(found.is_none());
        self.receivers[receiver as usize].count(found.is_some());
        found
    }

    #[inline(never)]
    fn post_in_table(&mut self, receiver: u32, source: Option<u32>, tag: Tag, payload: u64) -> Option<u64> {
        let found = self.table.post(receiver, source, tag, payload);
        self.messages -= u64::from(found.is_some());
        self.receivers[receiver as usize].count(found.is_some());
        found
    }

    #[inline]
    fn make_room(&mut self, receiver: u32) {
        if self.receivers.len() <= receiver as usize {
            self.receivers.resize(receiver as usize + 1, Receiver { receives: EMPTY, messages: EMPTY, in_table: 0 });
        }
    }

    /// All that waits at a receiver goes to the table. None of the receives fits any of the messages.
    #[cold]
    fn look_up(&mut self, receiver: u32) {
        let at = &mut self.receivers[receiver as usize];
        while let Some(Entry { payload, tag, source, .. }) = at.receives.pop(&mut self.entries) {
            self.table.post(receiver, (source != ANY_SOURCE).then_some(source), tag, payload);
            at.in_table += 1;
        }
        while let Some(Entry { payload, tag, source, .. }) = at.messages.pop(&mut self.entries) {
            self.table.arrive(receiver, source, tag, payload);
            at.in_table += 1;
        }
    }
}

impl Receiver {
    #[inline]
    fn count(&mut self, found: bool) {
        if found {
            self.in_table -= 1;
        } else {
            self.in_table += 1;
        }
    }
}

const EMPTY: List = List { head: NONE, tail: NONE };

impl List {
    #[inline]
    fn push(&mut self, entries: &mut Slab<Entry>, entry: Entry) {
        let at = entries.insert(entry);
        if self.head == NONE {
            self.head = at;
        } else {
            entries[self.tail].next = at;
        }
        self.tail = at;
    }

    /// Removes the oldest that fits, if it is one of the first few.
    #[inline]
    fn take(&mut self, entries: &mut Slab<Entry>, fits: impl Fn(&Entry) -> bool) -> Found {
        let (mut before, mut at) = (NONE, self.head);
        for _ in 0..SHORT {
            if at == NONE {
                return Found::Nothing;
            }
            let entry = entries[at];
            if fits(&entry) {
                if before == NONE {
                    self.head = entry.next;
                } else {
                    entries[before].next = entry.next;
                }
                if entry.next == NONE {
                    self.tail = before;
                }
                entries.remove(at);
                return Found::This(entry.payload);
            }
            (before, at) = (at, entry.next);
        }
        if at == NONE { Found::Nothing } else { Found::TooLong }
    }

    fn pop(&mut self, entries: &mut Slab<Entry>) -> Option<Entry> {
        let at = self.head;
        if at == NONE {
            return None;
        }
        entries.remove(at);
        self.head = entries[at].next;
        Some(entries[at])
    }

    fn each(&self, entries: &Slab<Entry>, mut each: impl FnMut(&Entry)) {
        let mut at = self.head;
        while at != NONE {
            each(&entries[at]);
            at = entries[at].next;
        }
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
            asked in 0_u8..16,
        ) {
            let mut fast = Matching::default();
            let mut slow = Slow::default();
            fast.table.set_asked(0, asked);
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

    #[test]
    fn many_that_wait_are_looked_up_until_none_is_left() {
        let mut matching = Matching::default();
        let messages = 100_000;
        // Twice: what the table let go comes back to the lists. The worst order is the last first.
        for _ in 0..2 {
            for message in 0..messages {
                assert_eq!(matching.arrive(0, message as u32, message as i64 % 7, message), None);
            }
            assert_eq!(matching.receivers[0].in_table, 0);
            for message in (0..messages).rev() {
                assert_eq!(matching.post(0, Some(message as u32), message as i64 % 7, 0), Some(message));
                assert_eq!(u64::from(matching.receivers[0].in_table), message);
            }
            assert_eq!(matching.messages(), 0);
        }
    }

    #[test]
    fn receives_in_the_order_of_their_messages_stay_in_lists() {
        let mut matching = Matching::default();
        for source in 0..1000 {
            assert_eq!(matching.post(0, Some(source), 0, u64::from(source)), None);
        }
        for source in 0..1000 {
            assert_eq!(matching.arrive(0, source, 0, 0), Some(u64::from(source)));
            assert_eq!(matching.receivers[0].in_table, 0);
        }
    }
}
