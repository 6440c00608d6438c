//! Work that several share evenly: one virtual clock for all of them, so that a change of the rate costs the same for ten
//! and for ten thousand.
//!
//! The clock counts what one of them has got so far. A member that joins with `amount` to do is finished when the clock has
//! advanced by that much; what is left for a member is never touched again. The clock is a fixed-point number: sums of 10^7 steps do not drift.

use crate::tick::{Tick, TickLength};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An amount of work (bytes, or seconds) in steps of 2^-56, up to 2^72.
pub type Amount = u128;

const ONE: f64 = (1u64 << 56) as f64;

/// An amount in fixed point.
#[inline]
pub fn amount(value: f64) -> Amount {
    let scaled = value * ONE;
    // Conversion from 64 bits is an instruction, that from 128 a call.
    if scaled < 9.0e18 { u128::from(scaled as u64) } else { scaled as u128 }
}

/// An amount as a number.
#[inline]
pub fn value(amount: Amount) -> f64 {
    let float = match u64::try_from(amount) {
        Ok(short) => short as f64,
        Err(_) => amount as f64,
    };
    float / ONE
}

/// Ticks that an amount takes at a rate per second, to the nearest; [`Tick::MAX`] where they do not fit.
#[inline]
pub fn ticks(amount: Amount, rate: f64, tick: TickLength) -> Tick {
    tick.of(value(amount) / rate).unwrap_or(Tick::MAX)
}

/// What waits in a [`Pool`]: where the clock stands when it is finished, its number in the order of joining, and who it is.
pub type Member = (Amount, u64, u32);

/// Members that all progress at one rate.
#[derive(Debug, Default)]
pub struct Pool {
    clock: Amount,
    since: Tick,
    rate: f64,
    members: BinaryHeap<Reverse<Member>>,
}

impl Pool {
    /// The rate of each member per second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The time of the last [`Pool::advance`].
    pub fn since(&self) -> Tick {
        self.since
    }

    /// Lets time pass up to `now`.
    #[inline]
    pub fn advance(&mut self, now: Tick, tick: TickLength) {
        if now > self.since {
            if self.rate > 0.0 {
                self.clock += amount(self.rate * tick.to_seconds(now - self.since));
            }
            self.since = now;
        }
    }

    /// Changes the rate from now on, the time of the last [`Pool::advance`].
    #[inline]
    pub fn set_rate(&mut self, rate: f64) {
        self.rate = rate;
    }

    /// A member joins, at the time of the last [`Pool::advance`]. Returns where the clock will be at its end.
    #[inline]
    pub fn join(&mut self, amount: Amount, sequence: u64, who: u32) -> Amount {
        let end = self.clock + amount;
        self.members.push(Reverse((end, sequence, who)));
        end
    }

    /// What is left for a member, at the time of the last [`Pool::advance`].
    #[inline]
    pub fn left(&self, end: Amount) -> Amount {
        end.saturating_sub(self.clock)
    }

    /// Forgets all members, and starts the clock again.
    pub fn clear(&mut self) {
        self.members.clear();
        self.clock = 0;
        self.rate = 0.0;
    }

    /// How many entries there are, stale ones included.
    pub fn entries(&self) -> usize {
        self.members.len()
    }

    /// Drops entries that are no longer valid.
    pub fn purge(&mut self, mut valid: impl FnMut(&Member) -> bool) {
        self.members.retain(|Reverse(member)| valid(member));
    }

    /// When the first valid member ends. Entries of members that left are dropped on the way.
    #[inline]
    pub fn next(&mut self, tick: TickLength, mut valid: impl FnMut(&Member) -> bool) -> Option<Tick> {
        while let Some(Reverse(member)) = self.members.peek() {
            if !valid(member) {
                self.members.pop();
                continue;
            }
            if self.rate <= 0.0 {
                return None;
            }
            return Some(self.since.saturating_add(ticks(self.left(member.0), self.rate, tick)));
        }
        None
    }

    /// Removes the first member, if it ends at the time of the last [`Pool::advance`].
    #[inline]
    pub fn pop_ended(&mut self, tick: TickLength, valid: impl FnMut(&Member) -> bool) -> Option<Member> {
        if self.next(tick, valid)? > self.since {
            return None;
        }
        self.members.pop().map(|Reverse(member)| member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tick::PICOSECOND;

    #[test]
    fn ten_million_changes_of_the_rate_do_not_move_the_end() {
        // A member with 1 GB to get; rates alternate between 1e9/3 and 1e9/7 B/s every 137 ticks. By integers: a pair of steps
        // gives 137e-3 * (1/3 + 1/7) = 137 * 10 / 21 / 1000 bytes.
        let mut pool = Pool::default();
        let steps = 10_000_000u64;
        let pairs = (steps / 2) as u128;
        let total = 137 * 10 * pairs; // in 1/21,000 bytes
        let bytes = 1e6;
        let end = pool.join(amount(bytes), 0, 0);
        for step in 0..steps {
            pool.advance(step * 137, PICOSECOND);
            pool.set_rate(if step % 2 == 0 { 1e9 / 3.0 } else { 1e9 / 7.0 });
        }
        pool.advance(steps * 137, PICOSECOND);
        let left = 1_000_000 * 21_000 - total;
        let exact = left as f64 / 21_000.0;
        // A tick at this rate is 1e-3/7 bytes.
        assert!((value(pool.left(end)) - exact).abs() < 1e-4 / 7.0, "{} {exact}", value(pool.left(end)));
    }

    #[test]
    fn members_end_in_the_order_of_what_they_have_to_do() {
        let mut pool = Pool::default();
        pool.join(amount(3.0), 0, 10);
        pool.join(amount(1.0), 1, 11);
        pool.set_rate(0.5);
        assert_eq!(pool.next(PICOSECOND, |_| true), Some(2_000_000_000_000));
        pool.advance(2_000_000_000_000, PICOSECOND);
        assert_eq!(pool.pop_ended(PICOSECOND, |_| true).map(|m| m.2), Some(11));
        pool.set_rate(1.0);
        assert_eq!(pool.next(PICOSECOND, |_| true), Some(4_000_000_000_000));
    }
}
