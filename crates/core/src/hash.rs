//! One hasher for tables in hot loops: a multiplication for each word, where the standard one takes ten times as long.
//!
//! The 128 bits of a product with the golden ratio are folded onto 64, as wyhash and foldhash do. It is not keyed: it
//! is for keys that the program makes itself, or whose collisions slow down only the user who chose them.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

pub type MixMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;
pub type MixSet<K> = HashSet<K, BuildHasherDefault<Mix>>;

/// The state of the hasher.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mix(u64);

/// The hash of a value.
///
/// ```
/// use runcast_core::hash::hash_of;
/// assert_eq!(hash_of("heat"), hash_of(&String::from("heat")[..]));
/// assert_ne!(hash_of(&(1_u32, 2_u32)), hash_of(&(2_u32, 1_u32)));
/// ```
pub fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = Mix::default();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Hasher for Mix {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        self.write_u64(bytes.len() as u64);
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value ^ 0x2545_f491_4f6c_dd1d) * 0x9e37_79b9_7f4a_7c15_u128;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    #[inline]
    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    #[inline]
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_of_small_numbers_hardly_collide() {
        // Tables take the low bits for the place and the seven highest for a first comparison.
        let (mut places, mut tops) = (HashSet::new(), HashSet::new());
        for x in 0..256_u32 {
            for y in 0..256_i64 {
                let hash = hash_of(&(x, y, 0_u64));
                places.insert(hash & 0xffff);
                tops.insert(hash >> 57);
            }
        }
        // 65,536 keys thrown into 65,536 places at random leave 1/e of them empty.
        let expected = 65_536.0 * (1.0 - (-1.0_f64).exp());
        assert!((places.len() as f64 - expected).abs() < 2_000.0, "{} of {expected}", places.len());
        assert_eq!(tops.len(), 128);
    }
}
