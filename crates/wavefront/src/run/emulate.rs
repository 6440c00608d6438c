//! Times drawn from a model.

use crate::model::Model;
use crate::model::law::Law;
use runcast_core::random::SplitMix;
use std::sync::Arc;

/// Draws the times of one process, in nanoseconds.
pub(super) struct Draws {
    model: Arc<Model>,
    process: usize,
    random: SplitMix,
    /// Equal in all processes: they change their modes together, without communication.
    modes: SplitMix,
    mode: usize,
}

impl Draws {
    pub(super) fn new(model: &Arc<Model>, process: usize, seed: u64, run: u64) -> Self {
        let streams = model.size() as u64 + 1;
        let mut modes = SplitMix::new(seed, run * streams);
        let mode = chosen(&model.modes.start, modes.uniform());
        let random = SplitMix::new(seed, run * streams + 1 + process as u64);
        Draws { model: Arc::clone(model), process, random, modes, mode }
    }

    /// The start of this process after the first one.
    pub(super) fn offset(&self) -> u64 {
        let first = self.model.start.iter().min().copied().unwrap_or(0);
        nanos((self.model.start[self.process] - first).unsigned_abs(), self.model.step_s)
    }

    pub(super) fn update(&mut self) -> u64 {
        let law = &self.model.modes.laws[self.mode].update[self.process];
        nanos(drawn(law, self.random.uniform()), self.model.step_s)
    }

    /// The times of the messages to all processes; that to itself means nothing.
    pub(super) fn messages(&mut self, delays: &mut [u64]) {
        for (law, delay) in self.model.modes.laws[self.mode].message[self.process].iter().zip(delays) {
            *delay = nanos(drawn(law, self.random.uniform()), self.model.step_s);
        }
    }

    /// The next phase begins.
    pub(super) fn next_phase(&mut self) {
        self.mode = chosen(&self.model.modes.transition[self.mode], self.modes.uniform());
    }
}

fn nanos(ticks: u64, step_s: f64) -> u64 {
    (ticks as f64 * step_s * 1e9).round() as u64
}

fn drawn(law: &Law, uniform: f64) -> u64 {
    let mut left = uniform;
    for (ticks, probability) in law.support() {
        left -= probability;
        if left < 0.0 {
            return *ticks;
        }
    }
    law.most()
}

fn chosen(probabilities: &[f64], uniform: f64) -> usize {
    let mut left = uniform;
    for (index, probability) in probabilities.iter().enumerate() {
        left -= probability;
        if left < 0.0 {
            return index;
        }
    }
    // Rounding: the last one that can be.
    probabilities.iter().rposition(|probability| *probability > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn draws_follow_the_law_and_the_seed() {
        let model = Arc::new(cases::constant_network(1));
        let mut draws = Draws::new(&model, 0, 5, 0);
        let times: Vec<u64> = (0..20_000).map(|_| draws.update() / 100_000_000).collect();
        let share = |ticks: u64| times.iter().filter(|time| **time == ticks).count() as f64 / 20_000.0;
        for (ticks, probability) in [(4, 0.5), (5, 0.3), (8, 0.2)] {
            assert!((share(ticks) - probability).abs() < 0.015, "{ticks}: {}", share(ticks));
        }
        let again = |run: u64, seed: u64| {
            let mut draws = Draws::new(&model, 0, seed, run);
            (0..10).map(|_| draws.update()).collect::<Vec<_>>()
        };
        assert_eq!(again(3, 1), again(3, 1));
        assert_ne!(again(3, 1), again(4, 1));
        assert_ne!(again(3, 1), again(3, 2));
    }

    #[test]
    fn all_processes_are_in_the_same_mode() {
        let mut model = cases::two_point();
        let laws = model.modes.laws[0].clone();
        model.modes = crate::model::Modes {
            names: vec!["calm".to_owned(), "busy".to_owned()],
            transition: vec![vec![0.5, 0.5], vec![0.5, 0.5]],
            start: vec![0.5, 0.5],
            laws: vec![laws.clone(), laws],
        };
        let model = Arc::new(model);
        let modes = |process: usize, updates: usize| {
            let mut draws = Draws::new(&model, process, 1, 0);
            let mut seen = Vec::new();
            for _ in 0..50 {
                (0..updates).for_each(|_| _ = draws.update());
                seen.push(draws.mode);
                draws.next_phase();
            }
            seen
        };
        assert_eq!(modes(0, 1), modes(1, 4));
        assert!(modes(0, 1).contains(&0) && modes(0, 1).contains(&1));
    }
}
