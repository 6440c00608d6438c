//! A slow, obvious second implementation for tests: every draw of a phase is enumerated, straight from the definition.

use crate::model::law::Law;
use crate::model::{Model, Semantics, Tie};
use std::collections::HashMap;

/// One way a phase can go.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    pub to: usize,
    pub ticks: i64,
    /// A_i + N_i.
    pub updates: Vec<u32>,
    /// alpha_i.
    pub alpha: Vec<u64>,
    /// For each receiver: sender, its share, and the ticks of its message (0 from itself).
    pub senders: Vec<Vec<(usize, f64, u64)>>,
    pub probability: f64,
}

/// All states that are reached, and all ways out of each.
pub(crate) struct Oracle {
    pub states: Vec<(usize, Vec<i64>)>,
    pub ways: Vec<Vec<Way>>,
    pub start: Vec<(usize, f64)>,
}

impl Oracle {
    pub fn new(model: &Model) -> Oracle {
        let mut oracle = Oracle { states: Vec::new(), ways: Vec::new(), start: Vec::new() };
        let mut index = HashMap::new();
        for (mode, share) in model.modes.start.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            let place = oracle.place(&mut index, mode, model.start.clone());
            oracle.start.push((place, *share));
        }
        while oracle.ways.len() < oracle.states.len() {
            let (mode, offsets) = oracle.states[oracle.ways.len()].clone();
            let ways = oracle.leave(model, mode, &offsets, &mut index);
            oracle.ways.push(ways);
        }
        oracle
    }

    fn place(&mut self, index: &mut HashMap<(usize, Vec<i64>), usize>, mode: usize, offsets: Vec<i64>) -> usize {
        let next = self.states.len();
        let place = *index.entry((mode, offsets.clone())).or_insert(next);
        if place == next {
            self.states.push((mode, offsets));
        }
        place
    }

    fn leave(
        &mut self,
        model: &Model,
        mode: usize,
        offsets: &[i64],
        index: &mut HashMap<(usize, Vec<i64>), usize>,
    ) -> Vec<Way> {
        let (size, laws) = (model.size(), &model.modes.laws[mode]);
        let mut ways = Vec::new();
        let alphas: Vec<Law> = (0..size).map(|i| laws.update[i].convolved(model.processes[i].alpha_updates)).collect();
        let alpha_refs: Vec<&Law> = alphas.iter().collect();
        let links: Vec<&Law> = (0..size * size).map(|link| &*laws.message[link / size][link % size]).collect();
        for (alpha, alpha_p) in product(&alpha_refs) {
            let ready: Vec<i64> = (0..size).map(|i| offsets[i] + alpha[i] as i64).collect();
            for (message, message_p) in product(&links) {
                let came = |j: usize, i: usize| ready[j] + if i == j { 0 } else { message[j * size + i] as i64 };
                let last: Vec<i64> = (0..size)
                    .map(|i| (0..size).filter(|j| *j != i).map(|j| came(j, i)).max().unwrap_or(i64::MIN))
                    .collect();
                let senders: Vec<Vec<(usize, f64, u64)>> = (0..size)
                    .map(|i| {
                        let end = last[i].max(ready[i]);
                        let who: Vec<usize> = (0..size).filter(|j| came(*j, i) == end).collect();
                        let share = 1.0 / who.len() as f64;
                        who.iter().map(|j| (*j, share, if i == *j { 0 } else { message[j * size + i] })).collect()
                    })
                    .collect();
                let ends: Vec<Vec<(i64, u32, f64)>> =
                    (0..size).map(|i| beta(model, &laws.update[i], i, ready[i], last[i])).collect();
                let mut picks = vec![0; size];
                loop {
                    let mut probability = alpha_p * message_p;
                    let (mut end, mut updates) = (vec![0; size], vec![0; size]);
                    for i in 0..size {
                        let (at, beta, p) = ends[i][picks[i]];
                        probability *= p;
                        end[i] = at;
                        updates[i] = model.processes[i].alpha_updates + beta;
                    }
                    for (next, p) in model.modes.transition[mode].iter().enumerate().filter(|(_, p)| **p > 0.0) {
                        let to = self.place(index, next, end.iter().map(|at| at - end[0]).collect());
                        ways.push(Way {
                            to,
                            ticks: end[0],
                            updates: updates.clone(),
                            alpha: alpha.clone(),
                            senders: senders.clone(),
                            probability: probability * p,
                        });
                    }
                    let Some(i) = (0..size).find(|i| picks[*i] + 1 < ends[*i].len()) else { break };
                    picks[i] += 1;
                    picks[..i].fill(0);
                }
            }
        }
        ways
    }
}

/// End of the phase, updates in beta, and probability.
fn beta(model: &Model, update: &Law, process: usize, ready: i64, last: i64) -> Vec<(i64, u32, f64)> {
    let most = model.processes[process].beta_updates;
    let mut ends = Vec::new();
    let mut open = vec![(ready, 0, 1.0)];
    if last <= ready {
        return vec![(ready, 0, 1.0)];
    }
    while let Some((at, done, probability)) = open.pop() {
        if done == most || at >= last {
            ends.push((last.max(at), done, probability));
            continue;
        }
        for (ticks, p) in update.support() {
            let end = at + *ticks as i64;
            let counts = end < last || (end == last && model.tie == Tie::Counts);
            match model.semantics {
                Semantics::Complete => open.push((end, done + 1, probability * p)),
                Semantics::Abort if counts => open.push((end, done + 1, probability * p)),
                Semantics::Abort => ends.push((last, done, probability * p)),
            }
        }
    }
    ends
}

fn product(laws: &[&Law]) -> Vec<(Vec<u64>, f64)> {
    laws.iter().fold(vec![(Vec::new(), 1.0)], |all, law| {
        let longer = |(values, p): &(Vec<u64>, f64)| -> Vec<(Vec<u64>, f64)> {
            let longer = |(ticks, more): &(u64, f64)| ([&values[..], &[*ticks]].concat(), p * more);
            law.support().iter().map(longer).collect()
        };
        all.iter().flat_map(longer).collect()
    })
}
