//! Which receive gets which message: the oldest that fits, by source and tag with wildcards, and no message overtakes another
//! of the same source and tag.
//!
//! Short lists are searched; beyond [`SHORT`] entries they are looked up, so that ten thousand unexpected messages cost no
//! more than ten. Entries keep their places until those before them are gone.

use crate::application::{ANY_TAG, Tag};
use crate::flow::slab::NONE;
use runcast_core::hash::MixMap;
use std::collections::VecDeque;

/// Any source.
pub const ANY_SOURCE: u32 = u32::MAX;
/// So many entries are searched one by one.
const SHORT: usize = 16;

/// Messages that nobody waits for yet, or receives that no message is there for, of one process, by age.
#[derive(Debug, Default)]
pub struct List {
    /// Number of the first entry, counted from the first that there ever was.
    base: u64,
    entries: VecDeque<Entry>,
    live: u32,
    index: Option<Box<Index>>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    item: u32,
    source: u32,
    tag: Tag,
}

impl Entry {
    fn fits(&self, source: u32, tag: Tag) -> bool {
        self.item != NONE
            && (self.source == source || self.source == ANY_SOURCE || source == ANY_SOURCE)
            && (self.tag == tag || self.tag == ANY_TAG || tag == ANY_TAG)
    }
}

type Key = (u32, Tag);

#[derive(Debug, Default)]
struct Index {
    /// Which kinds of keys are kept: see [`Kind`].
    kinds: u8,
    numbers: MixMap<Key, VecDeque<u64>>,
}

/// What a key leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Exact = 1,
    AnySource = 2,
    AnyTag = 4,
    /// Each entry stands under its own pattern.
    Pattern = 8,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Exact, Kind::AnySource, Kind::AnyTag, Kind::Pattern];

    fn key(self, entry: &Entry) -> Key {
        match self {
            Kind::Exact | Kind::Pattern => (entry.source, entry.tag),
            Kind::AnySource => (ANY_SOURCE, entry.tag),
            Kind::AnyTag => (entry.source, ANY_TAG),
        }
    }
}

impl List {
    /// Adds an entry, the youngest.
    pub fn push(&mut self, item: u32, source: u32, tag: Tag) {
        let entry = Entry { item, source, tag };
        if let Some(index) = &mut self.index {
            index.add(&entry, self.base + self.entries.len() as u64, index.kinds);
        }
        self.entries.push_back(entry);
        self.live += 1;
    }

    /// Takes out the oldest message that fits a receive.
    pub fn take_for_receive(&mut self, source: u32, tag: Tag) -> Option<u32> {
        let kind = match (source == ANY_SOURCE, tag == ANY_TAG) {
            (false, false) => Kind::Exact,
            (true, false) => Kind::AnySource,
            (false, true) => Kind::AnyTag,
            // The first one is never vacant.
            (true, true) => return if self.live == 0 { None } else { Some(self.remove(0)) },
        };
        if let Some(found) = self.search(source, tag) {
            return found;
        }
        self.build(kind);
        let number = self.oldest((source, tag))?;
        Some(self.remove((number - self.base) as usize))
    }

    /// Takes out the oldest receive that fits a message.
    pub fn take_for_message(&mut self, source: u32, tag: Tag) -> Option<u32> {
        if let Some(found) = self.search(source, tag) {
            return found;
        }
        self.build(Kind::Pattern);
        let keys = [(source, tag), (ANY_SOURCE, tag), (source, ANY_TAG), (ANY_SOURCE, ANY_TAG)];
        let number = keys.into_iter().filter_map(|key| self.oldest(key)).min()?;
        Some(self.remove((number - self.base) as usize))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.live as usize
    }

    /// Their items, the oldest first.
    #[cfg(test)]
    pub fn items(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().map(|entry| entry.item).filter(|item| *item != NONE)
    }

    /// Looks at the first few; none: more must be looked up.
    fn search(&mut self, source: u32, tag: Tag) -> Option<Option<u32>> {
        let found = self.entries.iter().take(SHORT).position(|entry| entry.fits(source, tag));
        match found {
            Some(at) => Some(Some(self.remove(at))),
            None if self.entries.len() <= SHORT => Some(None),
            None => None,
        }
    }

    fn build(&mut self, kind: Kind) {
        let index = self.index.get_or_insert_default();
        if index.kinds & kind as u8 == 0 {
            index.kinds |= kind as u8;
            for (at, entry) in self.entries.iter().enumerate().filter(|(_, entry)| entry.item != NONE) {
                index.add(entry, self.base + at as u64, kind as u8);
            }
        }
    }

    /// The oldest entry under a key; vacant ones before it are dropped from the index.
    fn oldest(&mut self, key: Key) -> Option<u64> {
        let index = self.index.as_mut()?;
        let numbers = index.numbers.get_mut(&key)?;
        while let Some(number) = numbers.front() {
            let live = number.checked_sub(self.base).is_some_and(|at| self.entries[at as usize].item != NONE);
            if live {
                return Some(*number);
            }
            numbers.pop_front();
        }
        index.numbers.remove(&key);
        None
    }

    fn remove(&mut self, at: usize) -> u32 {
        let item = std::mem::replace(&mut self.entries[at].item, NONE);
        self.live -= 1;
        while self.entries.front().is_some_and(|entry| entry.item == NONE) {
            self.entries.pop_front();
            self.base += 1;
        }
        if self.entries.is_empty() {
            self.index = None;
        } else if self.entries.len() > 4 * SHORT && self.entries.len() > 4 * self.live as usize {
            self.base += self.entries.len() as u64;
            self.entries.retain(|entry| entry.item != NONE);
            self.index = None;
        }
        item
    }
}

impl Index {
    fn add(&mut self, entry: &Entry, number: u64, kinds: u8) {
        for kind in Kind::ALL.into_iter().filter(|kind| kinds & *kind as u8 != 0) {
            self.numbers.entry(kind.key(entry)).or_default().push_back(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by looking at everything.
    #[derive(Default)]
    struct Slow(Vec<Entry>);

    impl Slow {
        fn take(&mut self, source: u32, tag: Tag) -> Option<u32> {
            let at = self.0.iter().position(|entry| entry.fits(source, tag))?;
            Some(self.0.remove(at).item)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn receives_get_what_a_plain_search_finds(
            steps in prop::collection::vec((0u8..5, 0u32..3, 0i64..3, any::<bool>(), any::<bool>()), 0..400),
        ) {
            let (mut list, mut slow) = (List::default(), Slow::default());
            for (item, (kind, source, tag, any_source, any_tag)) in steps.into_iter().enumerate() {
                if kind < 3 {
                    list.push(item as u32, source, tag);
                    slow.0.push(Entry { item: item as u32, source, tag });
                } else {
                    let source = if any_source { ANY_SOURCE } else { source };
                    let tag = if any_tag { ANY_TAG } else { tag };
                    prop_assert_eq!(list.take_for_receive(source, tag), slow.take(source, tag));
                }
                prop_assert_eq!(list.len(), slow.0.len());
            }
            prop_assert_eq!(list.items().collect::<Vec<_>>(), slow.0.iter().map(|entry| entry.item).collect::<Vec<_>>());
        }

        #[test]
        fn messages_get_what_a_plain_search_finds(
            steps in prop::collection::vec((0u8..5, 0u32..4, 0i64..4, 0u8..6), 0..400),
        ) {
            let (mut list, mut slow) = (List::default(), Slow::default());
            for (item, (kind, source, tag, open)) in steps.into_iter().enumerate() {
                if kind < 3 {
                    let source = if open == 1 || open == 3 { ANY_SOURCE } else { source };
                    let tag = if open == 2 || open == 3 { ANY_TAG } else { tag };
                    list.push(item as u32, source, tag);
                    slow.0.push(Entry { item: item as u32, source, tag });
                } else {
                    prop_assert_eq!(list.take_for_message(source, tag), slow.take(source, tag));
                }
            }
        }
    }

    #[test]
    fn a_hundred_thousand_unexpected_messages_are_not_searched() {
        let mut list = List::default();
        let messages = 100_000;
        for item in 0..messages {
            list.push(item, item, i64::from(item % 7));
        }
        // In the worst order, the last first.
        for item in (0..messages).rev() {
            assert_eq!(list.take_for_receive(item, i64::from(item % 7)), Some(item));
        }
        assert_eq!(list.len(), 0);
    }
}
