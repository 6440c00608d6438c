//! Random numbers that depend only on the seed, the process and the number of draws.

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Random {
    key: u64,
    drawn: u64,
}

impl Random {
    /// The stream of a process.
    pub(crate) fn new(seed: u64, process: u64) -> Self {
        Random { key: mixed(seed ^ mixed(process.wrapping_add(0x9e37_79b9_7f4a_7c15))), drawn: 0 }
    }

    /// A number in [0, 1).
    pub(crate) fn next(&mut self) -> f64 {
        self.drawn += 1;
        let bits = mixed(self.key.wrapping_add(self.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
