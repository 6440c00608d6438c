//! Stores equal items once: a table of hashes beside the list of items.

use runcast_core::hash::MixMap;
use std::collections::hash_map::Entry;

/// Positions of items when last seen. The list may have changed since (for example, a copy of the application), so
/// entries are checked against it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interner {
    places: MixMap<u64, u32>,
}

impl Interner {
    /// Index of the item with this hash in `list`; `make` adds it if it is new. The second value says whether it was.
    pub(crate) fn intern<T>(
        &mut self,
        list: &mut Vec<T>,
        mut hash: u64,
        same: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> (u32, bool) {
        let new = list.len() as u32;
        loop {
            match self.places.entry(hash) {
                Entry::Occupied(mut place) => match list.get(*place.get() as usize) {
                    Some(thing) if same(thing) => return (*place.get(), false),
                    Some(_) => hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15),
                    None => {
                        place.insert(new);
                        break;
                    }
                },
                Entry::Vacant(place) => {
                    place.insert(new);
                    break;
                }
            }
        }
        list.push(make());
        (new, true)
    }
}
