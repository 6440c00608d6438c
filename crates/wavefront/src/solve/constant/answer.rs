//! Long-run properties of phases from the chain of a constant network.

use super::Constant;
use crate::model::Semantics;
use crate::solve::SolveOptions;
use crate::solve::bound::Bound;
use crate::solve::chain::{State, settled};
use crate::solve::solution::{Class, Extremes, Method, Moments, Solution, States, Ties, Wavefront};
use std::collections::BTreeMap;

impl Constant<'_> {
    pub fn solution(&self, options: &SolveOptions) -> Solution {
        let iterations_pmf = self.iterations_pmf();
        let phase = self.moments(&iterations_pmf);
        let recurrent = self.recurrent().map(|(state, _)| self.outcomes[state].extremes());
        let extremes = recurrent.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
        let wavefront = self.wavefront();
        Solution {
            method: Method::Exact,
            extremes: Extremes::Exact,
            states: self.counts(wavefront.len() as u64),
            classes: (0..self.classes.list.len()).map(|class| self.class(class)).collect(),
            phase,
            iterations_min: extremes.0,
            iterations_max: extremes.1,
            ties: self.ties(phase.iterations_mean),
            updates_mean: self.updates_mean(),
            asymptotic: self.asymptotic(&phase),
            wavefront,
            iterations_pmf,
            phase_pmf: options.phase_pmf.then(|| self.phase_pmf()),
            half_widths: None,
        }
    }

    /// The states that recur, with how often they are entered.
    fn recurrent(&self) -> impl Iterator<Item = (usize, f64)> {
        self.classes.stationary.iter().copied().enumerate().filter(|(_, weight)| *weight > 0.0)
    }

    /// The states that one stands for: one for each process that is like its leader.
    fn members(&self, state: &State) -> Vec<Vec<i64>> {
        let leader = state.offsets.iter().position(|offset| *offset < 0);
        let Some(leader) = leader.filter(|_| state.offsets.iter().filter(|offset| **offset != 0).count() == 1) else {
            return vec![state.offsets.clone()];
        };
        let moved = |member: usize| {
            let mut offsets = vec![0; state.offsets.len()];
            offsets[member] = state.offsets[leader];
            offsets
        };
        self.groups.like(leader).map(moved).collect()
    }

    fn wavefront(&self) -> Vec<Wavefront> {
        let mut wavefront: Vec<Wavefront> = Vec::new();
        for (state, weight) in self.recurrent() {
            let members = self.members(&self.states[state]);
            let (mode, probability) = (self.states[state].mode, weight / members.len() as f64);
            wavefront.extend(members.into_iter().map(|offsets| Wavefront { mode, offsets, probability }));
        }
        Wavefront::sort(&mut wavefront);
        wavefront
    }

    fn counts(&self, recurrent: u64) -> States {
        let bound = Bound::of(self.model);
        States {
            bound: bound.states,
            bound_log10: bound.log10,
            reachable: Some(self.states.iter().map(|state| self.members(state).len() as u64).sum()),
            recurrent: Some(recurrent),
            closed_classes: Some(self.classes.list.len() as u64),
            period: Some(self.classes.period()),
            solved: Some(self.states.len() as u64),
        }
    }

    fn class(&self, index: usize) -> Class {
        let class = &self.classes.list[index];
        let mean = |of: fn(&super::Outcome) -> f64| -> f64 {
            let members = class.members.iter().zip(&self.classes.laws[index]);
            members.map(|(state, weight)| weight * of(&self.outcomes[*state])).sum()
        };
        Class {
            weight: class.weight,
            states: class.members.iter().map(|state| self.members(&self.states[*state]).len() as u64).sum(),
            period: class.period,
            phase_mean: mean(super::Outcome::phase_mean),
            iterations_mean: mean(super::Outcome::iterations_mean),
        }
    }

    fn iterations_pmf(&self) -> Vec<(u64, f64)> {
        let mut pmf = BTreeMap::new();
        for (state, weight) in self.recurrent() {
            let outcome = &self.outcomes[state];
            for (iterations, probability) in (outcome.least..).zip(outcome.pmf()) {
                *pmf.entry(iterations).or_insert(0.0) += weight * probability;
            }
        }
        pmf.into_iter().filter(|(_, probability)| *probability > 0.0).collect()
    }

    fn phase_pmf(&self) -> Vec<(u64, f64)> {
        let mut pmf = BTreeMap::new();
        for (state, weight) in self.recurrent() {
            for (ticks, probability, _) in &self.outcomes[state].clock {
                *pmf.entry(ticks.unsigned_abs()).or_insert(0.0) += weight * probability;
            }
        }
        pmf.into_iter().collect()
    }

    fn moments(&self, pmf: &[(u64, f64)]) -> Moments {
        let mean = |of: fn(&super::Outcome) -> f64| -> f64 {
            self.recurrent().map(|(state, weight)| weight * of(&self.outcomes[state])).sum()
        };
        let (phase_mean, iterations_mean) = (mean(super::Outcome::phase_mean), mean(super::Outcome::iterations_mean));
        let (mut phase_var, mut cov) = (0.0, 0.0);
        for (state, weight) in self.recurrent() {
            for (ticks, probability, iterations) in &self.outcomes[state].clock {
                let away = *ticks as f64 - phase_mean;
                phase_var += weight * probability * away * away;
                cov += weight * away * (iterations - probability * iterations_mean);
            }
        }
        let iterations_var = pmf.iter().map(|(iterations, p)| (*iterations as f64 - iterations_mean).powi(2) * p).sum();
        settled(Moments { phase_mean, phase_var, iterations_mean, iterations_var, cov }, [0.0; 2])
    }

    fn ties(&self, own: f64) -> Option<Ties> {
        if self.model.semantics != Semantics::Abort {
            return None;
        }
        let other = match self.other_tie.is_empty() {
            true => own,
            false => self.recurrent().map(|(state, weight)| weight * self.other_tie[state]).sum(),
        };
        Some(Ties::of(self.model.tie, own, other))
    }

    /// Lumped states are separated again: a process leads as often as its identical ones.
    fn updates_mean(&self) -> Vec<f64> {
        let size = self.model.size();
        let mut sums = vec![0.0; size];
        for (state, weight) in self.recurrent() {
            sums.iter_mut().zip(&self.outcomes[state].updates).for_each(|(sum, updates)| *sum += weight * updates);
        }
        let mean = |process: usize| {
            let like: Vec<f64> = self.groups.like(process).map(|member| sums[member]).collect();
            f64::from(self.model.processes[process].alpha_updates) + like.iter().sum::<f64>() / like.len() as f64
        };
        (0..size).map(mean).collect()
    }

    /// By the Poisson equation of the only class (see [`crate::solve::chain`]).
    fn asymptotic(&self, moments: &Moments) -> Option<Moments> {
        let (elimination, class) = (&self.classes.only.as_ref()?.elimination, self.classes.list.first()?);
        let law = &self.classes.laws[0];
        let mut place = vec![usize::MAX; self.states.len()];
        class.members.iter().enumerate().for_each(|(index, state)| place[*state] = index);
        // E[(Phi - E Phi) g(s')], E[(N - E N) g(s')], and the sum of their sizes.
        let lagged = |f: Vec<f64>| {
            let mean: f64 = f.iter().zip(law).map(|(value, probability)| value * probability).sum();
            let g = elimination.poisson(f.into_iter().map(|value| value - mean).collect(), law);
            let mut sums = [0.0; 3];
            for (state, weight) in class.members.iter().zip(law) {
                let (mut phase, mut iterations) = (0.0, 0.0);
                for step in &self.steps[*state] {
                    let (way, value) = (&step.way, g[place[step.state]]);
                    phase += (way.phase - moments.phase_mean * way.probability) * value;
                    iterations += (way.iterations - moments.iterations_mean * way.probability) * value;
                }
                sums[0] += weight * phase;
                sums[1] += weight * iterations;
                sums[2] += weight * (phase.abs() + iterations.abs());
            }
            sums
        };
        let of = |value: &dyn Fn(&super::Outcome) -> f64| {
            lagged(class.members.iter().map(|state| value(&self.outcomes[*state])).collect())
        };
        let phase = of(&|outcome| outcome.phase_mean() - moments.phase_mean);
        let iterations = of(&|outcome| outcome.iterations_mean() - moments.iterations_mean);
        let asymptotic = Moments {
            phase_var: moments.phase_var + 2.0 * phase[0],
            iterations_var: moments.iterations_var + 2.0 * iterations[1],
            cov: moments.cov + iterations[0] + phase[1],
            ..*moments
        };
        Some(settled(asymptotic, [moments.phase_var + phase[2], moments.iterations_var + iterations[2]]))
    }
}
