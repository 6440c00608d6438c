//! Numbers of events, which order those of one instant.
//!
//! A schedule that someone wrote numbers them as they are made, as LogGOPSim does. One that was made of a program keeps the
//! order of programs: by when they were made, then by rank, then as the rank made them. Both are one number here: a count of
//! the instants at which any was made, above the rank, above a count of the rank's own.

use super::Schedule;
use crate::tick::Tick;

/// Gives out numbers.
#[derive(Debug)]
pub struct Numbers {
    next: u64,
    by_rank: Option<ByRank>,
}

#[derive(Debug)]
struct ByRank {
    /// Bits of the rank and of its own count, and of its own count alone.
    bits: [u32; 2],
    /// The instant at hand, and how many there were.
    now: Tick,
    instants: u64,
    counts: Vec<u64>,
}

impl Numbers {
    /// Numbers for a schedule; where instant, rank and count do not fit into 64 bits, as they are made.
    pub fn new(schedule: &Schedule) -> Self {
        let bits = |value: u64| u64::BITS - value.leading_zeros();
        // Each operation has a number, and each message.
        let most = schedule.shapes.iter().map(|shape| 2 * shape.operations.len() as u64).max().unwrap_or(0);
        let (rank, count) = (bits(schedule.ranks.len() as u64), bits(most));
        let fits = rank + count + bits(2 * schedule.operations()) < u64::BITS;
        let by_rank = (schedule.by_rank && fits).then(|| ByRank {
            bits: [rank + count, count],
            now: 0,
            instants: 0,
            counts: vec![0; schedule.ranks.len()],
        });
        Numbers { next: 0, by_rank }
    }

    /// The first of so many numbers in a row, for what a rank begins with.
    pub fn reserve(&mut self, rank: u32, count: u64) -> u64 {
        match &mut self.by_rank {
            None => {
                self.next += count;
                self.next - count
            }
            Some(by_rank) => by_rank.take(rank, count),
        }
    }

    /// The number of what a rank makes now.
    #[inline]
    pub fn next(&mut self, rank: u32, now: Tick) -> u64 {
        let Some(by_rank) = &mut self.by_rank else {
            self.next += 1;
            return self.next - 1;
        };
        if by_rank.now != now {
            by_rank.now = now;
            by_rank.instants += 1;
        }
        by_rank.take(rank, 1)
    }
}

impl ByRank {
    fn take(&mut self, rank: u32, many: u64) -> u64 {
        let count = &mut self.counts[rank as usize];
        *count += many;
        self.instants << self.bits[0] | u64::from(rank) << self.bits[1] | (*count - many)
    }
}
