//! Probabilities of events together with their moments of N, and of the largest of independent numbers.
//!
//! All are built by adding and multiplying what is not negative, so that what cannot be is 0, and what is rare keeps its
//! digits.

use std::ops::{Add, AddAssign, Mul};

/// P(event), P(event, N <= v) and P(event, N > v), for some v.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Mass {
    pub all: f64,
    pub up_to: f64,
    pub above: f64,
}

impl Mass {
    /// What is sure, of no process.
    pub const SURE: Mass = Mass { all: 1.0, up_to: 1.0, above: 0.0 };
}

impl Add for Mass {
    type Output = Mass;
    fn add(self, other: Mass) -> Mass {
        Mass { all: self.all + other.all, up_to: self.up_to + other.up_to, above: self.above + other.above }
    }
}

impl AddAssign for Mass {
    fn add_assign(&mut self, other: Mass) {
        *self = *self + other;
    }
}

/// Both, of different processes: N is the larger one.
impl Mul for Mass {
    type Output = Mass;
    fn mul(self, other: Mass) -> Mass {
        Mass {
            all: self.all * other.all,
            up_to: self.up_to * other.up_to,
            above: self.above * other.all + self.up_to * other.above,
        }
    }
}

/// The largest of some numbers: all before z; the largest is z.
#[derive(Debug, Clone, Copy)]
pub(super) struct Front<T> {
    pub before: T,
    pub now: T,
}

impl<T: Copy + Add<Output = T> + Mul<Output = T>> Front<T> {
    /// Of both groups of numbers.
    pub fn and(self, other: Front<T>) -> Front<T> {
        Front {
            before: self.before * other.before,
            now: self.now * (other.before + other.now) + self.before * other.now,
        }
    }
}

/// How many of some numbers are z, where none is larger.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tied {
    pub none: Mass,
    pub one: Mass,
    pub more: Mass,
}

impl Tied {
    pub fn and(self, other: Tied) -> Tied {
        let some = other.one + other.more;
        Tied {
            none: self.none * other.none,
            one: self.one * other.none + self.none * other.one,
            more: self.more * (other.none + some) + self.one * some + self.none * other.more,
        }
    }
}

/// For each place the combination of all but this one.
pub(super) fn all_but_one<T: Copy>(items: &[T], unit: T, and: impl Fn(T, T) -> T) -> Vec<T> {
    let mut after = vec![unit; items.len() + 1];
    for index in (0..items.len()).rev() {
        after[index] = and(items[index], after[index + 1]);
    }
    let mut before = unit;
    (0..items.len())
        .map(|index| {
            let others = and(before, after[index + 1]);
            before = and(before, items[index]);
            others
        })
        .collect()
}
