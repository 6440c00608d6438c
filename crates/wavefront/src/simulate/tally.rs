//! What is counted while phases are played: whole numbers, so that sums are exact in any order.

use super::wavefronts::{Numbering, Wavefronts};
use super::{Phase, See};
use std::collections::BTreeMap;

/// Laws of N up to this many values are counted in a row of counters.
const COUNTERS: usize = 1024;

/// Sums over phases.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub phases: u64,
    /// Sum of Phi.
    pub ticks: i128,
    /// Sum of Phi squared.
    pub ticks_squared: i128,
    /// Sum of N.
    pub iterations: i128,
    /// Sum of N squared.
    pub iterations_squared: i128,
    /// Sum of N Phi.
    pub product: i128,
    /// Sum of N under the other rule for ties.
    pub iterations_other: i128,
    /// Sums of A_i + N_i.
    pub updates: Vec<u64>,
    /// Sums of Phi and N over batches of phases in a row.
    pub batches: Vec<Batch>,
}

/// Sums over the phases of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Of Phi.
    pub ticks: i128,
    /// Of N.
    pub iterations: i128,
}

/// How often each value was seen.
#[derive(Debug, Clone)]
pub struct Frequencies {
    /// From the least N on.
    first: u64,
    counters: Vec<u64>,
    beyond: BTreeMap<u64, u64>,
    /// By ticks; only where it is asked for.
    ticks: Option<BTreeMap<u64, u64>>,
    /// By offsets at the ends of phases.
    pub wavefronts: Wavefronts,
}

/// Counts phases: sums stay in registers until it is dropped.
pub struct Counting<'c> {
    tally: &'c mut Tally,
    frequencies: &'c mut Frequencies,
    phases: u64,
    ticks: u64,
    ticks_squared: u128,
    iterations: u64,
    iterations_squared: u128,
    product: u128,
    iterations_other: u64,
}

impl<'c> Counting<'c> {
    /// Counts no more than 2^24 phases into these.
    pub fn new(tally: &'c mut Tally, frequencies: &'c mut Frequencies) -> Counting<'c> {
        Counting {
            tally,
            frequencies,
            phases: 0,
            ticks: 0,
            ticks_squared: 0,
            iterations: 0,
            iterations_squared: 0,
            product: 0,
            iterations_other: 0,
        }
    }
}

impl See for Counting<'_> {
    #[inline(always)]
    fn see(&mut self, phase: Phase, updates: &[u32], offsets: &[i64], mode: usize) {
        let iterations = u64::from(phase.iterations);
        self.phases += 1;
        self.ticks += phase.ticks;
        self.ticks_squared += u128::from(phase.ticks) * u128::from(phase.ticks);
        self.iterations += iterations;
        self.iterations_squared += u128::from(iterations * iterations);
        self.product += u128::from(phase.ticks) * u128::from(iterations);
        self.iterations_other += u64::from(phase.iterations_other);
        let sums = &mut self.tally.updates[..updates.len()];
        for process in 0..updates.len() {
            sums[process] += u64::from(updates[process]);
        }
        self.frequencies.see(phase, iterations, offsets, mode);
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        self.tally.phases += self.phases;
        self.tally.ticks += i128::from(self.ticks);
        self.tally.ticks_squared += self.ticks_squared as i128;
        self.tally.iterations += i128::from(self.iterations);
        self.tally.iterations_squared += self.iterations_squared as i128;
        self.tally.product += self.product as i128;
        self.tally.iterations_other += i128::from(self.iterations_other);
    }
}

impl Tally {
    /// Nothing yet.
    pub fn new(size: usize) -> Tally {
        Tally { updates: vec![0; size], ..Tally::default() }
    }

    /// Adds what another has counted; batches stay apart.
    pub fn add(&mut self, other: &Tally) {
        self.phases += other.phases;
        self.ticks += other.ticks;
        self.ticks_squared += other.ticks_squared;
        self.iterations += other.iterations;
        self.iterations_squared += other.iterations_squared;
        self.product += other.product;
        self.iterations_other += other.iterations_other;
        for (sum, more) in self.updates.iter_mut().zip(&other.updates) {
            *sum += more;
        }
    }
}

impl Frequencies {
    /// Nothing yet; N is at least `least`.
    pub fn new(least: u64, most: u64, wants_ticks: bool, numbering: Numbering, bytes: usize) -> Frequencies {
        let counters = (most - least).saturating_add(1).min(COUNTERS as u64) as usize;
        Frequencies {
            first: least,
            counters: vec![0; counters],
            beyond: BTreeMap::new(),
            ticks: wants_ticks.then(BTreeMap::new),
            wavefronts: Wavefronts::new(numbering, bytes),
        }
    }

    #[inline(always)]
    fn see(&mut self, phase: Phase, iterations: u64, offsets: &[i64], mode: usize) {
        match self.counters.get_mut((iterations - self.first) as usize) {
            Some(count) => *count += 1,
            None => *self.beyond.entry(iterations).or_insert(0) += 1,
        }
        if let Some(ticks) = &mut self.ticks {
            *ticks.entry(phase.ticks).or_insert(0) += 1;
        }
        self.wavefronts.see(mode, offsets);
    }

    /// Adds what another has counted.
    pub fn add(&mut self, other: Frequencies) {
        for (count, more) in self.counters.iter_mut().zip(other.counters) {
            *count += more;
        }
        let merge = |into: &mut BTreeMap<u64, u64>, from: BTreeMap<u64, u64>| {
            for (value, more) in from {
                *into.entry(value).or_insert(0) += more;
            }
        };
        merge(&mut self.beyond, other.beyond);
        if let (Some(into), Some(from)) = (&mut self.ticks, other.ticks) {
            merge(into, from);
        }
        self.wavefronts.add(other.wavefronts);
    }

    /// The law of N, of `phases` phases.
    pub fn iterations_law(&self, phases: u64) -> Vec<(u64, f64)> {
        let few = (self.first..).zip(self.counters.iter().copied());
        let many = self.beyond.iter().map(|(value, count)| (*value, *count));
        let seen = few.chain(many).filter(|(_, count)| *count > 0);
        seen.map(|(value, count)| (value, count as f64 / phases as f64)).collect()
    }

    /// The law of Phi, of `phases` phases.
    pub fn ticks_law(&self, phases: u64) -> Option<Vec<(u64, f64)>> {
        let ticks = self.ticks.as_ref()?;
        Some(ticks.iter().map(|(value, count)| (*value, *count as f64 / phases as f64)).collect())
    }
}
