//! The chain on pairs of mode and wavefront.

use super::engine::{Engine, Limit};
use crate::markov::LongRun;
use crate::model::Modes;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// An engine and the chain of modes. A measure has the places of the engine once for each mode.
pub(super) struct Whole<'a> {
    pub engine: &'a dyn Engine,
    pub modes: &'a Modes,
    pub long_run: LongRun,
    pub interrupt: Option<&'a AtomicBool>,
    /// Applications of a phase that are allowed for one purpose.
    pub most_steps: usize,
    /// Applications of a phase.
    pub steps: Cell<usize>,
}

impl Whole<'_> {
    /// Places of a measure.
    pub fn places(&self) -> usize {
        self.engine.places() * self.modes.count()
    }

    pub fn part<'m>(&self, measure: &'m [f64], mode: usize) -> &'m [f64] {
        &measure[mode * self.engine.places()..][..self.engine.places()]
    }

    pub fn part_mut<'m>(&self, measure: &'m mut [f64], mode: usize) -> &'m mut [f64] {
        &mut measure[mode * self.engine.places()..][..self.engine.places()]
    }

    /// Whether no stop was asked for.
    pub fn goes_on(&self) -> bool {
        self.interrupt.is_none_or(|interrupt| !interrupt.load(Ordering::Relaxed))
    }

    /// The measure after a phase; false where a stop was asked for.
    pub fn step(&self, measure: &[f64], out: &mut [f64]) -> bool {
        self.each(measure, out, |mode, part, after| self.engine.step(mode, part, after));
        self.steps.set(self.steps.get() + 1);
        self.goes_on()
    }

    /// The measure after a phase weighted with how much its duration, from last start to last start, is above `center`,
    /// and the sum with the square of that.
    pub fn timed(&self, measure: &[f64], center: f64) -> (Vec<f64>, f64) {
        let mut out = vec![0.0; self.places()];
        let mut squares = 0.0;
        self.each(measure, &mut out, |mode, part, after| squares += self.engine.timed(mode, part, center, after));
        (out, squares)
    }

    /// The transitions with few iterations: the measure after them, and the sum weighted as by `timed`.
    pub fn limited(&self, measure: &[f64], limit: Limit, center: f64) -> (Vec<f64>, f64) {
        let mut out = vec![0.0; self.places()];
        let mut timed = 0.0;
        self.each(measure, &mut out, |mode, part, after| {
            timed += self.engine.limited(mode, part, limit, center, after);
        });
        (out, timed)
    }

    /// The law of the second phase's start, from lags and the first mode's law.
    pub fn first(&self, lags: &[usize]) -> Vec<f64> {
        let mut out = vec![0.0; self.places()];
        let mut after = vec![0.0; self.engine.places()];
        for (mode, weight) in self.modes.start.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            self.engine.first(mode, lags, &mut after);
            self.spread(mode, *weight, &after, &mut out);
        }
        out
    }

    /// The weight of each mode.
    pub fn marginals(&self, measure: &[f64]) -> Vec<f64> {
        (0..self.modes.count()).map(|mode| self.part(measure, mode).iter().sum()).collect()
    }

    fn each(&self, measure: &[f64], out: &mut [f64], mut apply: impl FnMut(usize, &[f64], &mut [f64])) {
        out.fill(0.0);
        let mut after = vec![0.0; self.engine.places()];
        for mode in 0..self.modes.count() {
            let part = self.part(measure, mode);
            if part.iter().any(|weight| *weight != 0.0) {
                apply(mode, part, &mut after);
                self.spread(mode, 1.0, &after, out);
            }
        }
    }

    fn spread(&self, mode: usize, weight: f64, after: &[f64], out: &mut [f64]) {
        for (next, probability) in self.modes.transition[mode].iter().enumerate().filter(|(_, p)| **p > 0.0) {
            let factor = weight * probability;
            for (sum, value) in self.part_mut(out, next).iter_mut().zip(after) {
                *sum += factor * value;
            }
        }
    }
}
