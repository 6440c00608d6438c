//! Random numbers from a seed (SplitMix64), so that a storm can be repeated.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A generator.
pub struct Dice(u64);

impl Dice {
    /// From `RUNCAST_CRASH_SEED`, or from the clock; which one it was.
    pub fn new() -> (Self, u64) {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
        let seed = crate::option("RUNCAST_CRASH_SEED", clock);
        (Dice(seed), seed)
    }

    /// One of `0..end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (word ^ (word >> 31)) % end
    }

    /// Sleeps up to this.
    pub fn sleep(&mut self, longest: Duration) {
        let longest = u64::try_from(longest.as_millis()).expect("short");
        std::thread::sleep(Duration::from_millis(self.below(longest + 1)));
    }
}
