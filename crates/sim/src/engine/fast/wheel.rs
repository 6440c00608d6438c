//! What is to happen in which window: a ring of the next windows, and a map of those beyond.

use super::lists::NIL;
use std::collections::BTreeMap;

const SLOTS: usize = 256;
const WORDS: usize = SLOTS / 64;

/// Lists by window: of messages that arrive in it, and of processes that wake up in it.
#[derive(Debug)]
pub(super) struct Wheel {
    slots: Box<[Slot; SLOTS]>,
    busy: [u64; WORDS],
    far: BTreeMap<u64, Slot>,
    /// The window that comes next: all before are over.
    now: u64,
}

/// Heads of the lists of a window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) messages: u32,
    /// Processes.
    pub(super) sleepers: u32,
}

const EMPTY: Slot = Slot { messages: NIL, sleepers: NIL };

impl Wheel {
    /// Nothing is to happen.
    pub(super) fn new() -> Wheel {
        Wheel { slots: Box::new([EMPTY; SLOTS]), busy: [0; WORDS], far: BTreeMap::new(), now: 0 }
    }

    /// The lists of a window that is not over.
    #[inline]
    pub(super) fn slot(&mut self, window: u64) -> &mut Slot {
        if window - self.now < SLOTS as u64 {
            let at = window as usize % SLOTS;
            self.busy[at / 64] |= 1 << (at % 64);
            &mut self.slots[at]
        } else {
            self.far.entry(window).or_insert(EMPTY)
        }
    }

    /// The next window in which something happens.
    pub(super) fn next(&self) -> Option<u64> {
        let far = self.far.keys().next().copied();
        let start = self.now as usize % SLOTS;
        let near = (0..=WORDS).find_map(|step| {
            let word = (start / 64 + step) % WORDS;
            let mut bits = self.busy[word];
            if step == 0 {
                bits &= u64::MAX << (start % 64);
            } else if step == WORDS {
                bits &= !(u64::MAX << (start % 64));
            }
            (bits != 0).then(|| {
                let at = word * 64 + bits.trailing_zeros() as usize;
                self.now + ((at + SLOTS - start) % SLOTS) as u64
            })
        });
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Takes the lists of a window; those before it are empty. There may be two.
    pub(super) fn take(&mut self, window: u64) -> [Slot; 2] {
        self.now = window;
        let at = window as usize % SLOTS;
        let near = std::mem::replace(&mut self.slots[at], EMPTY);
        self.busy[at / 64] &= !(1 << (at % 64));
        [self.far.remove(&window).unwrap_or(EMPTY), near]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_come_in_their_order() {
        let mut wheel = Wheel::new();
        let windows = [3, 70, 255, 256, 257, 1000, 1255, 1256, 100_000];
        for window in windows {
            wheel.slot(window).messages = window as u32;
        }
        for window in windows {
            assert_eq!(wheel.next(), Some(window));
            let lists = wheel.take(window);
            assert!(lists.iter().any(|slot| slot.messages == window as u32));
            // What is added around the ring comes after what is there.
            if window == 70 {
                wheel.slot(71).sleepers = 1;
                assert_eq!(wheel.next(), Some(71));
                assert_eq!(wheel.take(71)[1].sleepers, 1);
            }
        }
        assert_eq!(wheel.next(), None);
    }
}
