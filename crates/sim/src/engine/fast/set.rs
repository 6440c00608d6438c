//! Sets of processes of a part: a bit each, and a bit for every 64 of them.

/// A set of small numbers.
#[derive(Debug, Default)]
pub(super) struct Set {
    bits: Vec<u64>,
    words: Vec<u64>,
}

impl Set {
    /// The empty set of numbers below `count`.
    pub(super) fn new(count: usize) -> Set {
        let bits = count.div_ceil(64);
        Set { bits: vec![0; bits], words: vec![0; bits.div_ceil(64)] }
    }

    #[inline]
    pub(super) fn add(&mut self, number: u32) {
        let word = number as usize / 64;
        self.bits[word] |= 1 << (number % 64);
        self.words[word / 64] |= 1 << (word % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, number: u32) {
        self.bits[number as usize / 64] &= !(1 << (number % 64));
    }

    /// Whether it has a number.
    #[inline]
    pub(super) fn has(&self, number: u32) -> bool {
        self.bits[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Takes all numbers out, in their order, up to the first error.
    #[inline]
    pub(super) fn drain<E>(&mut self, mut take: impl FnMut(u32) -> Result<(), E>) -> Result<(), E> {
        for (group, words) in self.words.iter_mut().enumerate() {
            let mut left = std::mem::take(words);
            while left != 0 {
                let word = group * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                let mut bits = std::mem::take(&mut self.bits[word]);
                while bits != 0 {
                    take(word as u32 * 64 + bits.trailing_zeros())?;
                    bits &= bits - 1;
                }
            }
        }
        Ok(())
    }
}
