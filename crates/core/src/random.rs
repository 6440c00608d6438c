//! Seeded random numbers: the same on every machine and for any number of threads.

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
///
/// Each piece of work has its own stream, so that additional pieces do not change the earlier ones, and threads do not
/// matter.
///
/// # Examples
/// ```
/// use runcast_core::random::SplitMix;
/// let mut random = SplitMix::new(0, 7);
/// let draw = random.uniform();
/// assert!((0.0..1.0).contains(&draw));
/// assert_eq!(draw, SplitMix::new(0, 7).uniform());
/// ```
#[derive(Debug, Clone)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The stream of a piece of work.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut start = SplitMix(seed);
        start.0 = start.bits() ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03);
        start
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; the bias of the multiplication is below 2^-32 for bounds that fit into memory.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number in [0, 1), in steps of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_is_the_published_one() {
        // First outputs for seed 1234567 of the reference implementation by Vigna.
        let mut random = SplitMix(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
        assert_eq!(random.bits(), 9_817_491_932_198_370_423);
    }
}
