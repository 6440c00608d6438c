//! Slow and obvious: every state, every draw of every time, and dense equations.

use crate::model::law::Law;
use crate::model::{Model, Semantics, Tie};
use crate::solve::solution::{Moments, Ties};
use nalgebra::{DMatrix, DVector};
use std::collections::{BTreeMap, BTreeSet};

type State = (usize, Vec<i64>);

/// End of a phase, updates, and updates under the other tie.
type End = (i64, u64, u64);

/// What became of one combination of draws.
struct Move {
    to: State,
    phase: u64,
    iterations: u64,
    other_iterations: u64,
    updates: Vec<u64>,
    probability: f64,
}

pub struct Enumeration {
    pub reachable: u64,
    pub recurrent: u64,
    pub phase: Moments,
    pub asymptotic: Moments,
    pub updates_mean: Vec<f64>,
    pub ties: Ties,
    pub iterations_pmf: BTreeMap<u64, f64>,
    pub phase_pmf: BTreeMap<u64, f64>,
    pub wavefront: BTreeMap<State, f64>,
}

/// (end of the phase, updates, updates under the other tie) with probabilities, from the waiting time on.
fn beta(model: &Model, update: &Law, allowed: u32, wait: i64) -> Vec<(i64, u64, u64, f64)> {
    let mut out = Vec::new();
    // (time used, updates begun) so far.
    let mut open = vec![(0_i64, 0_u32, 1.0_f64)];
    if wait <= 0 {
        return vec![(0, 0, 0, 1.0)];
    }
    while let Some((used, made, probability)) = open.pop() {
        if made == allowed || used >= wait {
            let (end, full) = (used.max(wait), made);
            match model.semantics {
                Semantics::Complete => out.push((end, u64::from(full), u64::from(full), probability)),
                Semantics::Abort => {
                    let counts = if used <= wait { made } else { made - 1 };
                    let discards = if used < wait { made } else { made - 1 };
                    let (own, other) = match model.tie {
                        Tie::Counts => (counts, discards),
                        Tie::Discards => (discards, counts),
                    };
                    out.push((wait, u64::from(own), u64::from(other), probability));
                }
            }
            continue;
        }
        for (ticks, share) in update.support() {
            open.push((used + *ticks as i64, made + 1, probability * share));
        }
    }
    out
}

/// All combinations of the given laws.
fn draws(laws: &[&Law]) -> Vec<(Vec<i64>, f64)> {
    let mut all = vec![(Vec::new(), 1.0)];
    for law in laws {
        all = all
            .iter()
            .flat_map(|(before, probability)| {
                law.support().iter().map(move |(ticks, share)| {
                    let mut draw: Vec<i64> = before.clone();
                    draw.push(*ticks as i64);
                    (draw, probability * share)
                })
            })
            .collect();
    }
    all
}

fn moves(model: &Model, state: &State) -> Vec<Move> {
    let size = model.size();
    let laws = &model.modes.laws[state.0];
    let alphas: Vec<Law> = (0..size).map(|i| laws.update[i].convolved(model.processes[i].alpha_updates)).collect();
    let mut out = Vec::new();
    for (alpha, probability) in draws(&alphas.iter().collect::<Vec<_>>()) {
        let y: Vec<i64> = (0..size).map(|i| state.1[i] + alpha[i]).collect();
        // Each process for itself: the joint law of its end and its updates.
        let own = |i: usize| -> BTreeMap<End, f64> {
            let senders: Vec<usize> = (0..size).filter(|j| *j != i).collect();
            let links: Vec<&Law> = senders.iter().map(|j| &*laws.message[*j][i]).collect();
            let mut ends = BTreeMap::new();
            for (message, share) in draws(&links) {
                let last = senders.iter().zip(message).map(|(j, time)| y[*j] + time).max().unwrap_or(y[i]);
                let made = beta(model, &laws.update[i], model.processes[i].beta_updates, last - y[i]);
                for (end, updates, other, chance) in made {
                    *ends.entry((y[i] + end, updates, other)).or_insert(0.0) += share * chance;
                }
            }
            ends
        };
        let mut joint: Vec<(Vec<End>, f64)> = vec![(Vec::new(), probability)];
        for i in 0..size {
            let ends = own(i);
            joint = joint
                .iter()
                .flat_map(|(before, probability)| {
                    ends.iter().map(move |(end, share)| {
                        let mut all = before.clone();
                        all.push(*end);
                        (all, probability * share)
                    })
                })
                .collect();
        }
        for (ends, probability) in joint {
            let alpha_updates = |i: usize| u64::from(model.processes[i].alpha_updates);
            let updates: Vec<u64> = (0..size).map(|i| alpha_updates(i) + ends[i].1).collect();
            let other = (0..size).map(|i| alpha_updates(i) + ends[i].2).max().expect("a process");
            let offsets: Vec<i64> = ends.iter().map(|end| end.0 - ends[0].0).collect();
            for (mode, chance) in model.modes.transition[state.0].iter().enumerate().filter(|(_, p)| **p > 0.0) {
                out.push(Move {
                    to: (mode, offsets.clone()),
                    phase: ends[0].0 as u64,
                    iterations: *updates.iter().max().expect("a process"),
                    other_iterations: other,
                    updates: updates.clone(),
                    probability: probability * chance,
                });
            }
        }
    }
    out
}

impl Enumeration {
    /// Of a model with one closed class.
    pub fn of(model: &Model) -> Enumeration {
        let mut index: BTreeMap<State, usize> = BTreeMap::new();
        let mut all: Vec<Vec<Move>> = Vec::new();
        let mut open: Vec<State> = (0..model.modes.count())
            .filter(|e| model.modes.start[*e] > 0.0)
            .map(|e| (e, model.start.clone()))
            .collect();
        let mut states: Vec<State> = Vec::new();
        while let Some(state) = open.pop() {
            if index.contains_key(&state) {
                continue;
            }
            index.insert(state.clone(), states.len());
            let moves = moves(model, &state);
            open.extend(moves.iter().map(|step| step.to.clone()).filter(|to| !index.contains_key(to)));
            states.push(state);
            all.push(moves);
        }
        let count = states.len();
        let mut reach: Vec<BTreeSet<usize>> =
            all.iter().map(|moves| moves.iter().map(|step| index[&step.to]).collect()).collect();
        for through in 0..count {
            let onward = reach[through].clone();
            for from in &mut reach {
                if from.contains(&through) {
                    from.extend(&onward);
                }
            }
        }
        let recurrent: Vec<usize> = (0..count).filter(|s| reach[*s].iter().all(|t| reach[*t].contains(s))).collect();
        let place: BTreeMap<usize, usize> = recurrent.iter().enumerate().map(|(at, state)| (*state, at)).collect();
        let size = recurrent.len();
        let mut matrix = DMatrix::<f64>::zeros(size, size);
        for (row, state) in recurrent.iter().enumerate() {
            for step in &all[*state] {
                matrix[(row, place[&index[&step.to]])] += step.probability;
            }
        }
        let mut equations = (DMatrix::<f64>::identity(size, size) - &matrix).transpose();
        equations.row_mut(size - 1).fill(1.0);
        let mut right = DVector::zeros(size);
        right[size - 1] = 1.0;
        let pi = equations.lu().solve(&right).expect("one class");
        let each = || recurrent.iter().enumerate().flat_map(|(row, s)| all[*s].iter().map(move |step| (row, step)));
        let mean =
            |f: &dyn Fn(&Move) -> f64| -> f64 { each().map(|(row, step)| pi[row] * step.probability * f(step)).sum() };
        let (phase, iterations) = (|step: &Move| step.phase as f64, |step: &Move| step.iterations as f64);
        let (phase_mean, iterations_mean) = (mean(&phase), mean(&iterations));
        let phi = |step: &Move| step.phase as f64 - phase_mean;
        let n = |step: &Move| step.iterations as f64 - iterations_mean;
        // g = f + P g with pi g = 0.
        let poisson = |f: &dyn Fn(&Move) -> f64| -> DVector<f64> {
            let mut given = DVector::zeros(size);
            each().for_each(|(row, step)| given[row] += step.probability * f(step));
            let mut left = DMatrix::<f64>::identity(size, size) - &matrix;
            left.row_mut(size - 1).copy_from(&pi.transpose());
            given[size - 1] = 0.0;
            left.lu().solve(&given).expect("one class")
        };
        let (g, g_n) = (poisson(&phi), poisson(&n));
        let after = |f: &dyn Fn(&Move) -> f64, g: &DVector<f64>| -> f64 {
            each().map(|(row, step)| pi[row] * step.probability * f(step) * g[place[&index[&step.to]]]).sum()
        };
        let one = Moments {
            phase_mean,
            phase_var: mean(&|step| phi(step) * phi(step)),
            iterations_mean,
            iterations_var: mean(&|step| n(step) * n(step)),
            cov: mean(&|step| n(step) * phi(step)),
        };
        let asymptotic = Moments {
            phase_var: one.phase_var + 2.0 * after(&phi, &g),
            iterations_var: one.iterations_var + 2.0 * after(&n, &g_n),
            cov: one.cov + after(&phi, &g_n) + after(&n, &g),
            ..one
        };
        let mut iterations_pmf = BTreeMap::new();
        let mut phase_pmf = BTreeMap::new();
        for (row, step) in each() {
            *iterations_pmf.entry(step.iterations).or_insert(0.0) += pi[row] * step.probability;
            *phase_pmf.entry(step.phase).or_insert(0.0) += pi[row] * step.probability;
        }
        let other = mean(&|step| step.other_iterations as f64);
        let ties = match model.tie {
            Tie::Counts => Ties { counts: iterations_mean, discards: other },
            Tie::Discards => Ties { counts: other, discards: iterations_mean },
        };
        Enumeration {
            reachable: count as u64,
            recurrent: size as u64,
            phase: one,
            asymptotic,
            updates_mean: (0..model.size()).map(|i| mean(&|step| step.updates[i] as f64)).collect(),
            ties,
            iterations_pmf,
            phase_pmf,
            wavefront: recurrent.iter().enumerate().map(|(row, s)| (states[*s].clone(), pi[row])).collect(),
        }
    }
}
