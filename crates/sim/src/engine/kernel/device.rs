//! Cores that processes share, and storages and buses: all who are at work progress alike, at a rate that follows from how
//! many they are.
//!
//! The work that each has done since the device was last idle is one number, so that a start or an end costs no more
//! for many than for few. It is kept in fixed point, since 10^7 changes must not add up to a tick.

use crate::outcome::DeviceAccount;
use crate::tick::Tick;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Parts of a tick, as a power of two.
const FRACTION: f64 = 4_294_967_296.0;

/// Work that is shared out evenly.
#[derive(Debug, Default)]
pub struct Shared {
    /// Work that each has done, in ticks alone, in fixed point.
    done: u128,
    /// Until when that holds.
    since: Tick,
    /// Progress of each, in work per tick.
    rate: f64,
    /// Who ends when `done` reaches this, in the order in which they came.
    ends: BinaryHeap<Reverse<(u128, u64, u32)>>,
    came: u64,
    /// Counts changes, so that an outdated event is recognized.
    pub version: u32,
}

impl Shared {
    /// Counts the work up to now.
    pub fn advance(&mut self, now: Tick) {
        let ticks = now.saturating_sub(self.since);
        self.since = now;
        if self.ends.is_empty() {
            self.done = 0;
        } else {
            self.done += (ticks as f64 * self.rate * FRACTION).round() as u128;
        }
    }

    /// One more begins, with so much work in ticks. Work is counted up to now.
    pub fn add(&mut self, work: f64, who: u32) {
        let end = self.done + (work.max(0.0) * FRACTION).round() as u128;
        self.ends.push(Reverse((end, self.came, who)));
        self.came += 1;
    }

    /// From now on each progresses so fast; when the next will end.
    pub fn set_rate(&mut self, rate: f64) -> Option<Tick> {
        self.rate = rate;
        self.version = self.version.wrapping_add(1);
        let Reverse((end, ..)) = self.ends.peek()?;
        let left = end.saturating_sub(self.done) as f64 / FRACTION / rate;
        // Rounded once, halves up; an end beyond all ticks is no end.
        let ticks = (left + 0.5).floor();
        if ticks < 9.2e18 { self.since.checked_add(ticks as Tick) } else { None }
    }

    /// Who ends now. Whatever rounding left of the work of the first is forgotten; those that had no more are done too.
    pub fn ended(&mut self, all: &mut Vec<u32>) {
        all.clear();
        if let Some(Reverse((end, ..))) = self.ends.peek() {
            self.done = self.done.max(*end);
        }
        while let Some(Reverse((end, _, who))) = self.ends.peek()
            && *end <= self.done
        {
            all.push(*who);
            self.ends.pop();
        }
    }

    /// How many are at work.
    pub fn at_work(&self) -> usize {
        self.ends.len()
    }
}

#[derive(Debug, Default)]
pub struct Device {
    /// Whether processes may slow one another down.
    pub shares: bool,
    /// Computing threads.
    pub busy: f64,
    pub account: DeviceAccount,
    counted: Tick,
    /// Ends of blocks on a device whose cores are not shared: time (and the bits of the threads).
    known_ends: BinaryHeap<Reverse<(Tick, u64)>>,
}

impl Device {
    pub fn new(shares: bool) -> Self {
        Device { shares, ..Device::default() }
    }

    /// Counts the computing threads up to now.
    pub fn count(&mut self, now: Tick) {
        while let Some(Reverse((end, threads))) = self.known_ends.peek().copied()
            && end <= now
        {
            self.known_ends.pop();
            add_computing(&mut self.account, self.busy, end - self.counted);
            self.counted = end;
            self.busy -= f64::from_bits(threads);
        }
        add_computing(&mut self.account, self.busy, now - self.counted);
        self.counted = now;
    }

    /// A block whose end is known begins.
    pub fn compute(&mut self, from: Tick, to: Tick, threads: f64) {
        self.count(from);
        self.busy += threads;
        self.known_ends.push(Reverse((to, threads.to_bits())));
    }

    /// Counts all that is known.
    pub fn finish(&mut self) {
        while let Some(Reverse((end, _))) = self.known_ends.peek().copied() {
            self.count(end);
        }
    }
}

/// Adds time at a number of computing threads; the numbers stay sorted.
fn add_computing(account: &mut DeviceAccount, threads: f64, ticks: Tick) {
    if threads <= 0.0 || ticks == 0 {
        return;
    }
    match account.computing.binary_search_by(|(known, _)| known.total_cmp(&threads)) {
        Ok(at) => account.computing[at].1 += u128::from(ticks),
        Err(at) => account.computing.insert(at, (threads, u128::from(ticks))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_million_changes_do_not_add_up_to_a_tick() {
        // One long job, and short ones that come and go: at work together each has half of the rate.
        let mut shared = Shared::default();
        let work = 1e13;
        shared.add(work, 0);
        shared.set_rate(1.0);
        let mut now = 0_u64;
        let mut both = 0_u64;
        let mut ended = Vec::new();
        for _ in 0..5_000_000 {
            now += 1001;
            shared.advance(now);
            shared.add(333.0, 1);
            let end = shared.set_rate(1.0 / 3.0).expect("two are at work");
            both += end - now;
            now = end;
            shared.advance(now);
            shared.ended(&mut ended);
            assert_eq!(ended, [1]);
            shared.set_rate(1.0);
        }
        let end = shared.set_rate(1.0).expect("one is left");
        // By whole numbers: what is done is the time alone plus a third of the time together.
        let alone = now - both;
        let left = 1e13 - alone as f64 - both as f64 / 3.0;
        assert!((end as f64 - now as f64 - left).abs() <= 1.0, "{} against {left}", end - now);
    }
}
