//! How often each wavefront was seen, in bounded memory.

use crate::model::Model;
use runcast_core::hash::MixMap;
use std::hash::Hash;

/// Counters side by side, up to this many wavefronts; beyond, only those that are seen get one.
const MOST_SIDE_BY_SIDE: u64 = 1 << 17;

/// If counters are not contiguous, every one of the first phases is examined, then one in a fixed number: finding a
/// counter takes longer than playing a phase.
const CLOSELY: u64 = 2_000;
const PAUSE: u64 = 15;

/// The wavefronts that there can be, numbered.
#[derive(Debug, Clone, Copy)]
pub struct Numbering {
    /// After a phase no process is further away from another.
    spread: i64,
    others: usize,
    /// How many numbers there are; none where 64 bits do not hold them.
    numbers: Option<u64>,
    /// Whether each number has its counter.
    is_small: bool,
}

/// How often each wavefront was seen.
#[derive(Debug, Clone)]
pub struct Wavefronts {
    numbering: Numbering,
    seen: Seen,
    /// Bytes that may still be taken.
    left: usize,
    /// Phases to pass over before the next look.
    pause: u64,
    /// Phases that were examined.
    pub looks: u64,
    /// Sightings of wavefronts that found no room.
    pub dropped: u64,
}

/// What a counter takes that is found by its number.
const NUMBER_BYTES: usize = 32;

fn offsets_bytes(key: &[i64]) -> usize {
    64 + 8 * key.len()
}

/// Memory for counters, and what found none.
struct Room<'w> {
    left: &'w mut usize,
    dropped: &'w mut u64,
}

impl Room<'_> {
    fn count<K: Eq + Hash>(&mut self, counts: &mut MixMap<K, u64>, key: K, more: u64, bytes: usize) {
        match counts.get_mut(&key) {
            Some(count) => *count += more,
            None if *self.left >= bytes => {
                *self.left -= bytes;
                counts.insert(key, more);
            }
            None => *self.dropped += more,
        }
    }

    /// In order, so that the same ones find room whatever the hasher.
    fn add<K: Eq + Hash + Ord>(&mut self, counts: &mut MixMap<K, u64>, more: MixMap<K, u64>, bytes: fn(&K) -> usize) {
        let mut more: Vec<(K, u64)> = more.into_iter().collect();
        more.sort_unstable();
        for (key, more) in more {
            let bytes = bytes(&key);
            self.count(counts, key, more, bytes);
        }
    }
}

#[derive(Debug, Clone)]
enum Seen {
    All(Vec<u64>),
    Numbers(MixMap<u64, u64>),
    Offsets(MixMap<Box<[i64]>, u64>),
}

impl Numbering {
    /// Of a model, of which a replication plays this many phases: after a phase, T_i' lies between the largest Y and the largest Y plus the longest message, under
    /// complete plus an update.
    pub fn new(model: &Model, phases: u64) -> Numbering {
        let spread = model.longest_message().saturating_add(model.longest_finished());
        let others = model.size() - 1;
        let numbers = (0..others).try_fold(model.modes.count() as u64, |product, _| {
            product.checked_mul(spread.checked_mul(2)?.checked_add(1)?)
        });
        // Counters that are hardly used cost more than they save.
        let is_small = numbers.is_some_and(|numbers| numbers <= MOST_SIDE_BY_SIDE.min(4 * phases.max(256)));
        Numbering { spread: i64::try_from(spread).unwrap_or(i64::MAX), others, numbers, is_small }
    }

    #[inline(always)]
    fn number(&self, mode: usize, offsets: &[i64]) -> u64 {
        let width = (2 * self.spread + 1) as u64;
        let mut number = mode as u64;
        for offset in &offsets[1..] {
            number = number.wrapping_mul(width).wrapping_add(offset.wrapping_add(self.spread) as u64);
        }
        number
    }

    fn offsets(&self, number: u64) -> (usize, Vec<i64>) {
        let width = (2 * self.spread + 1) as u64;
        let (mut rest, mut offsets) = (number, vec![0; self.others + 1]);
        for offset in offsets[1..].iter_mut().rev() {
            *offset = (rest % width) as i64 - self.spread;
            rest /= width;
        }
        (rest as usize, offsets)
    }
}

impl Wavefronts {
    /// None yet; at most `bytes` are taken.
    pub fn new(numbering: Numbering, bytes: usize) -> Wavefronts {
        let seen = match numbering.numbers {
            Some(numbers) if numbering.is_small => Seen::All(vec![0; numbers as usize]),
            Some(_) => Seen::Numbers(MixMap::default()),
            None => Seen::Offsets(MixMap::default()),
        };
        Wavefronts { numbering, seen, left: bytes, pause: 0, looks: 0, dropped: 0 }
    }

    /// One more sighting.
    #[inline(always)]
    pub fn see(&mut self, mode: usize, offsets: &[i64]) {
        if let Seen::All(counts) = &mut self.seen {
            match counts.get_mut(self.numbering.number(mode, offsets) as usize) {
                Some(count) => *count += 1,
                None => self.dropped += 1,
            }
            self.looks += 1;
        } else if self.pause > 0 {
            self.pause -= 1;
        } else {
            self.see_some(mode, offsets);
        }
    }

    fn see_some(&mut self, mode: usize, offsets: &[i64]) {
        self.looks += 1;
        self.pause = if self.looks > CLOSELY { PAUSE } else { 0 };
        let mut room = Room { left: &mut self.left, dropped: &mut self.dropped };
        match &mut self.seen {
            Seen::All(_) => {}
            Seen::Numbers(counts) => room.count(counts, self.numbering.number(mode, offsets), 1, NUMBER_BYTES),
            Seen::Offsets(counts) => {
                let mut key: Box<[i64]> = offsets.into();
                // The first offset is always 0.
                key[0] = mode as i64;
                let bytes = offsets_bytes(&key);
                room.count(counts, key, 1, bytes);
            }
        }
    }

    /// Adds those of another replication.
    pub fn add(&mut self, other: Wavefronts) {
        self.dropped += other.dropped;
        self.looks += other.looks;
        let mut room = Room { left: &mut self.left, dropped: &mut self.dropped };
        match (&mut self.seen, other.seen) {
            (Seen::All(counts), Seen::All(others)) => {
                counts.iter_mut().zip(others).for_each(|(count, more)| *count += more);
            }
            (Seen::Numbers(counts), Seen::Numbers(others)) => {
                room.add(counts, others, |_| NUMBER_BYTES);
            }
            (Seen::Offsets(counts), Seen::Offsets(others)) => {
                room.add(counts, others, |key| offsets_bytes(key));
            }
            _ => {}
        }
    }

    /// Mode, offsets and count of each, in no order.
    pub fn all(&self) -> Vec<(usize, Vec<i64>, u64)> {
        let numbered = |(number, count): (u64, u64)| {
            let (mode, offsets) = self.numbering.offsets(number);
            (mode, offsets, count)
        };
        match &self.seen {
            Seen::All(counts) => {
                (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).map(numbered).collect()
            }
            Seen::Numbers(counts) => counts.iter().map(|(number, count)| numbered((*number, *count))).collect(),
            Seen::Offsets(counts) => counts
                .iter()
                .map(|(key, count)| {
                    let mut offsets = key.to_vec();
                    let mode = std::mem::take(&mut offsets[0]) as usize;
                    (mode, offsets, *count)
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn numbers_stand_for_wavefronts() {
        let numbering = Numbering::new(&cases::homogeneous(3, 1, 4), 1000);
        assert_eq!(numbering.numbers, Some(81));
        for offsets in [[0, -4, 4], [0, 0, 0], [0, 3, -2]] {
            assert_eq!(numbering.offsets(numbering.number(0, &offsets)), (0, offsets.to_vec()));
        }
    }

    #[test]
    fn memory_is_bounded_whatever_the_chain() {
        for (size, room) in [(5, 32 * 3), (100, 864 * 3)] {
            let model = cases::homogeneous(size, 1, 500);
            let mut wavefronts = Wavefronts::new(Numbering::new(&model, 1000), room);
            let mut offsets = vec![0; size];
            for place in [1, 2, 1, 3, 4, 5, 1] {
                offsets[1] = place;
                wavefronts.see(0, &offsets);
            }
            let mut counts: Vec<(i64, u64)> =
                wavefronts.all().into_iter().map(|(_, offsets, count)| (offsets[1], count)).collect();
            counts.sort_unstable();
            assert_eq!((counts, wavefronts.dropped), (vec![(1, 3), (2, 1), (3, 1)], 2), "{size} processes");
            let mut sum = Wavefronts::new(Numbering::new(&model, 1000), room);
            sum.add(wavefronts.clone());
            sum.add(wavefronts);
            assert_eq!(sum.all().iter().map(|(_, _, count)| count).sum::<u64>() + sum.dropped, 14);
        }
    }
}
