//! Equal things are kept once: a table of hashes beside the list of the things themselves.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// Where things stood when they were last seen. The list may since be another (a copy of the application, say): what the
/// table says is checked against it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interner {
    places: HashMap<u64, u32, BuildHasherDefault<Ready>>,
}

impl Interner {
    /// Number of the thing of this hash in `list`; `make` adds it if it is new. The second value says so.
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

/// A hasher for keys that are hashes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A hasher for short things: a multiplication a word. Nobody outside chooses what collides for long: equal hashes are told
/// apart by comparing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Quick {
    #[inline]
    fn mix(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value.wrapping_mul(0xff51_afd7_ed55_8ccd)) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = (product as u64) ^ ((product >> 64) as u64) ^ 0x2545_f491_4f6c_dd1d;
    }
}

impl Hasher for Quick {
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        self.mix(bytes.len() as u64);
    }
    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }
    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }
    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }
    #[inline]
    fn write_i64(&mut self, value: i64) {
        self.mix(value as u64);
    }
    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.mix(value as u64);
    }
    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }
}

/// The hash of a thing.
pub(crate) fn hash_of(thing: &(impl std::hash::Hash + ?Sized)) -> u64 {
    let mut hasher = Quick::default();
    thing.hash(&mut hasher);
    hasher.finish()
}
