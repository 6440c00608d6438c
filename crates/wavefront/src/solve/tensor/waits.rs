//! Laws about one process: the duration of its phase, and the updates that it makes while it waits.
//!
//! Given the state, alphas and messages are independent, so that the last message comes in by `y` with a product of
//! probabilities; no joint law is needed.

use super::count::{Beta, given_wait};
use super::times::{Shape, Spread, Times};
use super::whole::Whole;
use crate::model::{Model, Tie};

/// The law of something in ticks, from 0 on.
pub(super) type Ticks = Vec<f64>;

/// The laws of all modes, and the lags of all states.
pub(super) struct Waits<'a> {
    pub model: &'a Model,
    pub shape: &'a Shape,
    pub whole: &'a Whole<'a>,
    times: Vec<Times>,
    /// By mode, sender and receiver: P(alpha + message <= ticks), from the least to the most.
    ways: Vec<Vec<Vec<Spread>>>,
}

impl<'a> Waits<'a> {
    pub fn new(model: &'a Model, shape: &'a Shape, whole: &'a Whole<'a>) -> Waits<'a> {
        let times = model.modes.laws.iter().map(|laws| Times::of(model, laws)).collect();
        let ways = model.modes.laws.iter().map(|laws| {
            let alpha = |from: usize| laws.update[from].convolved(model.processes[from].alpha_updates);
            (0..model.size())
                .map(|from| {
                    let alpha = alpha(from);
                    (0..model.size()).map(|to| Spread::of(&alpha.plus(&laws.message[from][to]))).collect()
                })
                .collect()
        });
        Waits { model, shape, whole, times, ways: ways.collect() }
    }

    /// The law of Phi of `process` under a measure on states.
    pub fn phase(&self, measure: &[f64], process: usize) -> Ticks {
        let mut law = Ticks::new();
        self.each(measure, process, |mode, came| {
            let beta = Beta::new(self.model, mode, process, None, Tie::Counts, self.shape.wait[process]);
            for (own, weight) in self.times[mode].alpha[process].support() {
                add(&mut law, weight, own, came, &beta);
            }
        });
        law
    }

    /// E\[N_i\] of `process` under a measure on states.
    pub fn updates(&self, measure: &[f64], process: usize, tie: Tie) -> f64 {
        let mut sum = 0.0;
        self.each(measure, process, |mode, came| {
            let updates = given_wait(self.model, mode, process, tie, self.shape.wait[process]);
            for (own, weight) in self.times[mode].alpha[process].support() {
                for (ticks, probability) in came.iter().enumerate().skip(own as usize + 1) {
                    sum += weight * probability * updates[(ticks - own as usize).min(updates.len() - 1)];
                }
            }
        });
        sum
    }

    /// Visits each mode with the law of the last message's arrival at the process, from its start on.
    fn each(&self, measure: &[f64], process: usize, mut visit: impl FnMut(usize, &[f64])) {
        for mode in 0..self.model.modes.count() {
            let part = self.whole.part(measure, mode);
            if part.iter().any(|weight| *weight != 0.0) {
                visit(mode, &self.arrival(mode, part, process));
            }
        }
    }

    /// The law of the arrival of the last message, from the start of the process on, averaged over its group.
    fn arrival(&self, mode: usize, measure: &[f64], process: usize) -> Ticks {
        let engine = self.whole.engine;
        let alone = vec![process];
        let group = engine.groups().iter().find(|group| group.contains(&process)).unwrap_or(&alone);
        let mut lags = vec![0; self.model.size()];
        let mut law = Ticks::new();
        for (place, weight) in measure.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            if engine.lags(place, &mut lags).is_none() {
                continue;
            }
            for (index, member) in group.iter().enumerate() {
                // Those of equal lag are equal.
                if group[..index].iter().any(|before| lags[*before] == lags[*member]) {
                    continue;
                }
                let like = group.iter().filter(|other| lags[**other] == lags[*member]).count();
                self.one(mode, &lags, *member, weight * like as f64 / group.len() as f64, &mut law);
            }
        }
        law
    }

    /// Adds the law of the arrival at one process in one state.
    fn one(&self, mode: usize, lags: &[usize], process: usize, weight: f64, law: &mut Ticks) {
        let ways = &self.ways[mode];
        let senders = || (0..lags.len()).filter(move |from| *from != process);
        let shift = |from: usize| lags[process] as i64 - lags[from] as i64;
        let first = senders().map(|from| ways[from][process].first() + shift(from)).max().unwrap_or(0);
        let last = senders().map(|from| ways[from][process].last() + shift(from)).max().unwrap_or(0);
        // What has come before the start of the process comes at its start.
        let (first, last) = (first.max(0), last.max(0));
        if law.len() <= last as usize {
            law.resize(last as usize + 1, 0.0);
        }
        let mut before = 0.0;
        for ticks in first..=last {
            let up_to: f64 = senders().map(|from| ways[from][process].up_to(ticks - shift(from))).product();
            law[ticks as usize] += weight * (up_to - before);
            before = up_to;
        }
    }

    /// The largest N_i of `process` in a mode from a state.
    pub fn most_updates(&self, mode: usize, lags: &[usize], process: usize) -> u64 {
        let times = &self.times[mode];
        let came = (0..lags.len())
            .filter(|from| *from != process)
            .map(|from| self.ways[mode][from][process].last() + lags[process] as i64 - lags[from] as i64)
            .max()
            .unwrap_or(0);
        let wait = (came - times.alpha[process].first()).max(0) as u64;
        let least = self.model.modes.laws[mode].update[process].least();
        let allowed = u64::from(self.model.processes[process].beta_updates);
        let fit = match (self.shape.abort, self.model.tie) {
            (true, Tie::Counts) => wait / least,
            (true, Tie::Discards) => wait.saturating_sub(1) / least,
            (false, _) => wait.div_ceil(least),
        };
        fit.min(allowed)
    }
}

fn add(law: &mut Ticks, weight: f64, own: i64, came: &[f64], beta: &Beta) {
    let own = own as usize;
    let over = (0..came.len()).map(|ticks| beta.after(ticks.saturating_sub(own)).len()).max().unwrap_or(1);
    let places = came.len().max(own + 1) + over;
    if law.len() < places {
        law.resize(places, 0.0);
    }
    for (ticks, probability) in came.iter().enumerate().filter(|(_, probability)| **probability != 0.0) {
        if ticks <= own {
            law[own] += weight * probability;
        } else {
            for (over, share) in beta.after(ticks - own).iter().enumerate() {
                law[ticks + over] += weight * probability * share;
            }
        }
    }
}
