//! The laws of a run, from which its next half can be predicted.

use super::record::{Recording, Rows};
use crate::model::binning::{Binning, CLIP, TICKS, binned};
use crate::model::law::Law;
use crate::model::{self, Model, Modes};
use std::sync::Arc;

/// Samples of a law that are kept.
const SAMPLES_MOST: usize = 200_000;
/// Fewer are not a law.
const SAMPLES_LEAST: usize = 20;
/// Times of updates and messages, as they were in the first half of each run.
#[derive(Debug, Clone, PartialEq)]
pub struct Laws {
    updates: Vec<Vec<f64>>,
    /// By sender, then receiver: those that took effect when they came, and the others, which came earlier than that.
    messages: Vec<Vec<Messages>>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Messages {
    exact: Vec<f64>,
    found: Vec<f64>,
}

/// There are too few samples for a law.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{updates} updates of process {process} before a broadcast are too few: {SAMPLES_LEAST} make a law")]
pub struct NotEnough {
    /// Which one, counted from 1.
    pub process: usize,
    /// How many there are in the first half of the run, before broadcasts.
    pub updates: usize,
}

impl Laws {
    /// No samples yet.
    pub fn new(processes: usize) -> Self {
        Laws { updates: vec![Vec::new(); processes], messages: vec![vec![Messages::default(); processes]; processes] }
    }

    /// Takes the samples of the first half of a run.
    pub fn add(&mut self, recording: &Recording) {
        let half = recording.phases() as u64 / 2;
        for (process, rows) in recording.processes.iter().enumerate() {
            self.add_rows(process, rows, half);
        }
    }

    fn add_rows(&mut self, process: usize, rows: &Rows, half: u64) {
        let keep = |samples: &mut Vec<f64>, nanos: u64| {
            if samples.len() < SAMPLES_MOST {
                samples.push(nanos as f64 / 1e9);
            }
        };
        // Those of subphase beta that were finished are the shorter ones.
        for update in rows.updates.iter().filter(|update| update.phase <= half && !update.is_beta) {
            keep(&mut self.updates[process], update.end - update.start);
        }
        for message in rows.messages.iter().filter(|message| message.phase <= half) {
            let samples = &mut self.messages[message.from][process];
            let samples = if message.is_exact { &mut samples.exact } else { &mut samples.found };
            keep(samples, message.arrived.saturating_sub(message.sent));
        }
    }

    /// A model with these laws in place of those of `model`, on a lattice of this step, or one on which the widest law
    /// spans about 25 ticks.
    ///
    /// # Errors
    /// There are too few samples.
    pub fn model(&self, model: &Model, step_s: Option<f64>) -> Result<Model, NotEnough> {
        let few = |samples: &&Vec<f64>| samples.len() < SAMPLES_LEAST;
        if let Some((process, samples)) = self.updates.iter().enumerate().find(|(_, samples)| few(samples)) {
            return Err(NotEnough { process: process + 1, updates: samples.len() });
        }
        let updates: Vec<Vec<f64>> = self.updates.iter().map(|samples| clipped(samples)).collect();
        let messages: Vec<Vec<Vec<f64>>> = (0..updates.len()).map(|from| self.row(from)).collect();
        let own = || widest_over_25(updates.iter().chain(messages.iter().flatten()), &updates);
        let step_s = step_s.unwrap_or_else(own);
        let update = updates.iter().map(|samples| Arc::new(law(samples, step_s, 1))).collect();
        let message = messages.iter().map(|row| row.iter().map(|it| Arc::new(law(it, step_s, 0))).collect()).collect();
        Ok(Model {
            step_s,
            start: vec![0; self.updates.len()],
            modes: Modes::single(model::Laws { update, message }),
            // What was known of other samples is not known of these.
            level: None,
            sigma_factor: 1.0,
            pilot_log_sd: 0.0,
            ..model.clone()
        })
    }

    /// The times of messages from a process to all.
    fn row(&self, from: usize) -> Vec<Vec<f64>> {
        let of = |to: usize| if from == to { vec![0.0] } else { self.link(from, to) };
        (0..self.updates.len()).map(of).collect()
    }

    /// Messages that were found later than they arrived only bound their time from above. Where all are so, the
    /// shortest one is the best guess.
    fn link(&self, from: usize, to: usize) -> Vec<f64> {
        let Messages { exact, found } = &self.messages[from][to];
        if exact.len() >= SAMPLES_LEAST {
            return clipped(exact);
        }
        vec![exact.iter().chain(found).copied().min_by(f64::total_cmp).unwrap_or(0.0)]
    }
}

/// Ascending, the largest ones cut.
fn clipped(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = ((sorted.len() as f64 * CLIP).ceil() as usize).clamp(1, sorted.len()) - 1;
    let most = sorted[last];
    sorted.iter_mut().for_each(|sample| *sample = sample.min(most));
    sorted
}

/// The widest law spans about 25 ticks, and no update takes less than one.
fn widest_over_25<'a>(all: impl Iterator<Item = &'a Vec<f64>>, updates: &[Vec<f64>]) -> f64 {
    let range = |samples: &Vec<f64>| samples[samples.len() - 1] - samples[0];
    let widest = all.map(range).fold(0.0, f64::max);
    let shortest = updates.iter().map(|samples| samples[0]).fold(f64::INFINITY, f64::min);
    // A nanosecond is what clocks count.
    let step = if widest > 0.0 { (widest / TICKS).min(shortest) } else { shortest };
    step.max(1e-9)
}

/// The law of samples, none of them below `least` ticks.
fn law(samples: &[f64], step_s: f64, least: u64) -> Law {
    let share = 1.0 / samples.len() as f64;
    let shared = samples.iter().map(|sample| (sample.max(least as f64 * step_s), share));
    // Sums of shares are 1 but for rounding.
    let rounded = || Law::constant((samples[0] / step_s).round().max(least as f64) as u64);
    binned(shared, step_s, Binning::Split).unwrap_or_else(|_| rounded())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn binning_keeps_the_mean_and_the_widest_law_spans_25_ticks() {
        let mut laws = Laws::new(2);
        laws.updates = vec![(0..100).map(|at| 1.0 + f64::from(at) / 99.0).collect(), vec![1.5; 30]];
        laws.messages[0][1].exact = (0..50).map(|at| 0.1 + f64::from(at) * 1e-3).collect();
        laws.messages[1][0].found = vec![0.3, 0.2, 0.4];
        let model = laws.model(&cases::two_point(), None).expect("enough");
        assert!((model.step_s - 1.0 / 25.0).abs() < 1e-12);
        let laws = &model.modes.laws[0];
        for (law, mean) in
            [(&laws.update[0], 1.5), (&laws.update[1], 1.5), (&laws.message[0][1], 0.1245), (&laws.message[1][0], 0.2)]
        {
            assert!((law.mean() * model.step_s - mean).abs() < 1e-9, "{mean}: {law:?}");
        }
        assert_eq!(laws.update[0].most() - laws.update[0].least(), 25);
    }

    #[test]
    fn a_single_hiccup_does_not_spoil_the_lattice() {
        let mut samples = vec![1.0; 5000];
        samples[17] = 500.0;
        assert_eq!(clipped(&samples)[4999], 1.0);
    }

    #[test]
    fn too_few_updates_are_told() {
        let mut laws = Laws::new(2);
        laws.updates = vec![vec![1.0; 30], vec![1.0; 3]];
        assert_eq!(laws.model(&cases::two_point(), None).expect_err("few"), NotEnough { process: 2, updates: 3 });
    }
}
