//! Long-run properties of phases from a listed chain.

use super::iterations::{Joint, extremes};
use super::moments::Clocks;
use super::{Chain, State};
use crate::model::{Model, Semantics};
use crate::solve::SolveOptions;
use crate::solve::bound::Bound;
use crate::solve::phase::Phase;
use crate::solve::solution::{Class, Extremes, Method, Solution, States, Ties, Wavefront};

impl Chain {
    pub fn solution(&self, options: &SolveOptions) -> Solution {
        let law = self.stationary();
        let meeting_law = self.meeting_law(law);
        let clocks = Clocks::new(self, &meeting_law);
        let phase = clocks.moments(self, law);
        let (iterations_min, iterations_max) = self.extremes(&meeting_law);
        let asymptotic = self.asymptotic(&phase);
        Solution {
            method: Method::Exact,
            extremes: Extremes::Exact,
            states: self.counts(),
            classes: (0..self.classes.list.len()).map(|class| self.class(class, &clocks)).collect(),
            phase,
            iterations_min,
            iterations_max,
            ties: self.ties(&meeting_law, phase.iterations_mean),
            updates_mean: self.updates_mean(&meeting_law),
            asymptotic,
            wavefront: self.wavefront(),
            iterations_pmf: clocks.iterations_pmf(&meeting_law),
            phase_pmf: options.phase_pmf.then(|| clocks.phase_pmf(self, law)),
            half_widths: None,
        }
    }

    /// The smallest and the largest N that can be in the long run.
    fn extremes(&self, meeting_law: &[f64]) -> (u64, u64) {
        let recurrent = meeting_law.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let extremes = recurrent.map(|(meeting, _)| extremes(&self.model, self.ends.row(meeting)));
        extremes.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default()
    }

    fn counts(&self) -> States {
        let bound = Bound::of(&self.model);
        let states = self.states.len() as u64;
        States {
            bound: bound.states,
            bound_log10: bound.log10,
            reachable: Some(states),
            recurrent: Some(self.classes.recurrent()),
            closed_classes: Some(self.classes.list.len() as u64),
            period: Some(self.classes.period()),
            solved: Some(self.classes.solved),
        }
    }

    fn class(&self, index: usize, clocks: &Clocks) -> Class {
        let class = &self.classes.list[index];
        let (mut phase_mean, mut iterations_mean) = (0.0, 0.0);
        for (state, weight) in class.members.iter().zip(&self.classes.laws[index]) {
            let means = clocks.means(self, *state);
            phase_mean += weight * means.phase;
            iterations_mean += weight * means.iterations;
        }
        let states = class.members.len() as u64;
        Class { weight: class.weight, states, period: class.period, phase_mean, iterations_mean }
    }

    /// E\[N\] under both rules; the meetings are the same.
    fn ties(&self, meeting_law: &[f64], own: f64) -> Option<Ties> {
        if self.model.semantics != Semantics::Abort {
            return None;
        }
        let model = Model { tie: self.model.tie.other(), ..self.model.clone() };
        let phase = Phase::new(&model).ok()?;
        let other: f64 = (self.meetings.iter().zip(meeting_law).filter(|(_, weight)| **weight > 0.0))
            .map(|(meeting, weight)| {
                let ends: Vec<_> = (0..model.size()).map(|process| phase.ends(meeting, process)).collect();
                weight * Joint::new(&model, &ends).clock().iterations
            })
            .sum();
        Some(Ties::of(self.model.tie, own, other))
    }

    fn updates_mean(&self, meeting_law: &[f64]) -> Vec<f64> {
        let mean = |process: usize| {
            let recurrent = meeting_law.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
            let updates = recurrent.map(|(meeting, weight)| {
                let ends = self.ends(meeting, process).iter();
                weight * ends.map(|end| f64::from(end.updates) * end.probability).sum::<f64>()
            });
            f64::from(self.model.processes[process].alpha_updates) + updates.sum::<f64>()
        };
        (0..self.model.size()).map(mean).collect()
    }

    fn wavefront(&self) -> Vec<Wavefront> {
        let recurrent = self.states.iter().zip(self.stationary()).filter(|(_, probability)| **probability > 0.0);
        let wavefront = |(state, probability): (&State, &f64)| Wavefront {
            mode: state.mode,
            offsets: state.offsets.clone(),
            probability: *probability,
        };
        let mut wavefront: Vec<Wavefront> = recurrent.map(wavefront).collect();
        Wavefront::sort(&mut wavefront);
        wavefront
    }
}
