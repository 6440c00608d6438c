//! The exact law of the time of many phases, by dynamic programming over states and time.

use crate::solve::chain::{Arrival, Chain, Departure};
use rayon::prelude::*;
use std::ops::Range;

/// What may be dropped in total, at both ends of the law.
const DROPPED: f64 = 1e-18;
/// Columns that are worked on at once.
const BLOCK: usize = 256;
/// How far a sum of probabilities may be below a level and still reach it: what rounding leaves.
const ROUNDING: f64 = 1e-12;

/// The law of a time on the lattice.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeLaw {
    pub(super) support: Vec<(i64, f64)>,
}

impl TimeLaw {
    /// Ticks with their probabilities, ascending.
    pub(super) fn new(support: Vec<(i64, f64)>) -> TimeLaw {
        TimeLaw { support }
    }

    /// The mean, in ticks.
    pub fn mean(&self) -> f64 {
        // Against the first tick, so that rounding is of the width and not of the time.
        let first = self.first();
        first as f64 + self.support.iter().map(|(ticks, p)| (ticks - first) as f64 * p).sum::<f64>()
    }

    /// The standard deviation, in ticks.
    pub fn sd(&self) -> f64 {
        let (first, center) = (self.first(), self.mean() - self.first() as f64);
        self.support.iter().map(|(ticks, p)| ((ticks - first) as f64 - center).powi(2) * p).sum::<f64>().sqrt()
    }

    /// The smallest lattice time by which the probability reaches `level`.
    pub fn quantile(&self, level: f64) -> i64 {
        let mut sum = 0.0;
        for (ticks, probability) in &self.support {
            sum += probability;
            if sum >= level - ROUNDING {
                return *ticks;
            }
        }
        self.support.last().map_or(0, |(ticks, _)| *ticks)
    }

    /// P(time > `ticks`), summed from the far end, so that small tails are exact, too.
    pub fn above(&self, ticks: i64) -> f64 {
        let late = self.support.partition_point(|(at, _)| *at <= ticks);
        self.support[late..].iter().rev().fold(0.0, |sum, (_, probability)| sum + probability).min(1.0)
    }

    fn first(&self) -> i64 {
        self.support.first().map_or(0, |(ticks, _)| *ticks)
    }
}

/// The law of T_1(`phases`) - T_1(0) from the start of the chain. None: `stop` said so.
///
/// A window over time slides with the law; what falls out of it at both ends is less than 1e-18 in total.
pub(super) fn time_law(chain: &Chain, phases: u64, stop: &dyn Fn() -> bool) -> Option<TimeLaw> {
    let (states, meetings) = (chain.states.len(), chain.meetings.len());
    let departures = |state: usize| {
        let step = |way: &Departure| Step { to: way.meeting, ticks: way.ticks, probability: way.probability };
        chain.departures(state).iter().map(step).collect()
    };
    let arrivals = |meeting: usize| {
        let step = |way: &Arrival| Step { to: way.state, ticks: way.ticks as i64, probability: way.probability };
        chain.arrivals(meeting).iter().map(step).collect()
    };
    let leave = Stage::new((0..states).map(departures).collect(), meetings);
    let come = Stage::new((0..meetings).map(arrivals).collect(), states);
    let mut window = Window { first: 0, width: 1, masses: vec![0.0; states] };
    chain.start.iter().for_each(|(state, share)| window.masses[*state] += share);
    let budget = DROPPED / (2.0 * phases.max(1) as f64);
    for _ in 0..phases {
        if stop() {
            return None;
        }
        window = come.walk(&leave.walk(&window));
        window.trim(budget);
    }
    let law = (window.first..).zip(window.sums()).filter(|(_, probability)| *probability > 0.0);
    Some(TimeLaw::new(law.collect()))
}

/// A way from a state to a meeting, or from a meeting to a state.
struct Step {
    to: usize,
    /// Ticks that process 1 spends on it; both stages together are Phi.
    ticks: i64,
    probability: f64,
}

/// One of the two stages.
struct Stage {
    /// By where they start.
    steps: Vec<Vec<Step>>,
    targets: usize,
    /// Least ticks of a step, and how many more it can take.
    low: i64,
    more: usize,
}

/// Probabilities of each state or meeting (rows) over time (columns).
struct Window {
    first: i64,
    width: usize,
    masses: Vec<f64>,
}

impl Stage {
    fn new(steps: Vec<Vec<Step>>, targets: usize) -> Stage {
        let ticks = || steps.iter().flatten().map(|step| step.ticks);
        let (low, high) = (ticks().min().unwrap_or(0), ticks().max().unwrap_or(0));
        Stage { targets, low, more: (high - low) as usize, steps }
    }

    /// Moves everything along the steps. Blocks of time are independent, and small enough for a cache.
    fn walk(&self, from: &Window) -> Window {
        let width = from.width + self.more;
        let starts: Vec<usize> = (0..width).step_by(BLOCK).collect();
        let block = |start: &usize| self.block(from, *start..(start + BLOCK).min(width));
        // Below a block or two the threads would only wait for each other.
        let blocks: Vec<Vec<f64>> = match starts.len() {
            1 => starts.iter().map(block).collect(),
            _ => starts.par_iter().map(block).collect(),
        };
        let mut masses = vec![0.0; self.targets * width];
        for (start, block) in starts.iter().zip(&blocks) {
            let length = block.len() / self.targets.max(1);
            for (row, part) in masses.chunks_exact_mut(width).zip(block.chunks_exact(length.max(1))) {
                row[*start..start + length].copy_from_slice(part);
            }
        }
        Window { first: from.first + self.low, width, masses }
    }

    /// The columns `columns` of what comes, row by row.
    fn block(&self, from: &Window, columns: Range<usize>) -> Vec<f64> {
        let length = columns.len();
        let mut masses = vec![0.0; self.targets * length];
        for (row, steps) in from.masses.chunks_exact(from.width).zip(&self.steps) {
            for step in steps {
                // Column c comes from c - shift.
                let shift = (step.ticks - self.low) as usize;
                let (begin, end) = (columns.start.max(shift), columns.end.min(shift + row.len()));
                if begin >= end {
                    continue;
                }
                let target = &mut masses[step.to * length..(step.to + 1) * length];
                let target = &mut target[begin - columns.start..end - columns.start];
                for (sum, mass) in target.iter_mut().zip(&row[begin - shift..end - shift]) {
                    *sum += step.probability * mass;
                }
            }
        }
        masses
    }
}

impl Window {
    /// The law over time alone.
    fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        for row in self.masses.chunks_exact(self.width) {
            sums.iter_mut().zip(row).for_each(|(sum, mass)| *sum += mass);
        }
        sums
    }

    /// Cuts at both ends what is not above `budget` together.
    fn trim(&mut self, budget: f64) {
        let sums = self.sums();
        let unneeded = |masses: &mut dyn Iterator<Item = &f64>| {
            let mut sum = 0.0;
            let small = |mass: &&f64| {
                sum += **mass;
                sum <= budget
            };
            masses.take_while(small).count()
        };
        let before = unneeded(&mut sums.iter());
        let after = unneeded(&mut sums.iter().rev());
        if before + after == 0 || before + after >= self.width {
            return;
        }
        let kept = before..self.width - after;
        self.masses = self.masses.chunks_exact(self.width).flat_map(|row| &row[kept.clone()]).copied().collect();
        self.first += before as i64;
        self.width = kept.len();
    }
}
