//! One constant message time c on all links: any number of processes.
//!
//! A process that does not lead ends its phase at Y* + c, with Y* the leader's end of alpha; the leader itself ends at
//! max(Y*, Y2 + c), with Y2 the second largest end of alpha. So a wavefront is a leader and its lead, of 1 to c ticks, or
//! all together: p*c + 1 of them. Nothing but the law of (leader, Y*, Y2) is needed, which comes from products of
//! cumulative laws; and N factorizes over the processes given Y* and Y2.
//!
//! Under "complete" the end of a phase is each process's own, so this holds where no process makes updates in beta.

mod answer;
mod groups;
mod mass;
mod outcome;
mod tables;
#[cfg(test)]
mod tests;

use crate::markov::{Classes, MOST_DENSE, Matrix};
use crate::model::{Model, Semantics};
use crate::solve::SolveOptions;
use crate::solve::chain::{State, TooLarge};
use crate::solve::phase::Phase;
use crate::solve::solution::Solution;
use groups::Groups;
use outcome::{Network, Outcome, Way};
use rayon::prelude::*;
use std::collections::HashMap;
use tables::Tables;

/// Steps that a solution may take: about a minute.
const MOST_STEPS: f64 = 1e10;

/// The chain of a model with one constant message time.
struct Constant<'m> {
    model: &'m Model,
    groups: Groups,
    states: Vec<State>,
    outcomes: Vec<Outcome>,
    /// Per state the ways to others, with the mode of the next phase.
    steps: Vec<Vec<Step>>,
    /// E\[N | state\] under the other rule for ties.
    other_tie: Vec<f64>,
    classes: Classes,
}

/// A way to another state.
struct Step {
    state: usize,
    way: Way,
}

/// The message time, where it is one constant in all modes and the phase is of the kind that is meant here.
pub fn delay(model: &Model) -> Option<u64> {
    let first = model.messages().next()?.least();
    let is_constant = model.messages().all(|law| (law.least(), law.most()) == (first, first));
    let ends_alike =
        model.semantics == Semantics::Abort || model.processes.iter().all(|process| process.beta_updates == 0);
    (is_constant && ends_alike).then_some(first)
}

/// The answers, if [`delay`] returns a time.
///
/// # Errors
/// There are more states than allowed, or too much is to be computed.
pub fn solution(model: &Model, options: &SolveOptions) -> Option<Result<Solution, TooLarge>> {
    let delay = delay(model).filter(|_| !model.sends_on())?;
    Some(Constant::build(model, delay, options).map(|constant| constant.solution(options)))
}

impl<'m> Constant<'m> {
    fn build(model: &'m Model, delay: u64, options: &SolveOptions) -> Result<Constant<'m>, TooLarge> {
        let groups = if options.lump { Groups::of(model) } else { Groups::none(model.size()) };
        let phase = Phase::new(model)?;
        let tables = Tables::new(&phase)?;
        let network = Network { phase: &phase, tables: &tables, groups: &groups, delay };
        let count = (groups.count() as f64 * delay as f64 + 1.0) * model.modes.count() as f64;
        if network.steps() * count.min(options.max_states as f64) > MOST_STEPS {
            return Err(TooLarge::new("steps on the way to the answers", MOST_STEPS as u64));
        }
        let mut places = Places { known: HashMap::new(), list: Vec::new(), most: options.max_states };
        let offsets: Vec<i64> = model.start.iter().map(|offset| offset.saturating_sub(model.start[0])).collect();
        let mut start = Vec::new();
        for (mode, probability) in model.modes.start.iter().enumerate().filter(|(_, probability)| **probability > 0.0) {
            start.push((places.place(State { mode, offsets: offsets.clone() })?, *probability));
        }
        let (mut outcomes, mut steps): (Vec<Outcome>, Vec<Vec<Step>>) = (Vec::new(), Vec::new());
        while outcomes.len() < places.list.len() {
            let fresh: Vec<Outcome> =
                places.list[outcomes.len()..].par_iter().map(|state| network.outcome(state)).collect();
            for outcome in fresh {
                let mode = places.list[outcomes.len()].mode;
                steps.push(places.steps(&outcome.ways, &model.modes.transition[mode], model.size())?);
                outcomes.push(outcome);
            }
        }
        if places.list.len() > MOST_DENSE {
            return Err(TooLarge::new("states to eliminate", MOST_DENSE as u64));
        }
        let mut matrix = Matrix::new(places.list.len());
        for (row, steps) in matrix.entries_mut().chunks_exact_mut(steps.len()).zip(&steps) {
            steps.iter().for_each(|step| row[step.state] += step.way.probability);
        }
        let classes = matrix.classes(&start, None);
        let other_tie = other_tie(model, delay, &groups, &places.list, &classes)?;
        Ok(Constant { model, groups, states: places.list, outcomes, steps, other_tie, classes })
    }
}

/// E\[N | state\] under the other rule for ties, of the states that recur; nothing where there are no updates in beta.
fn other_tie(
    model: &Model,
    delay: u64,
    groups: &Groups,
    states: &[State],
    classes: &Classes,
) -> Result<Vec<f64>, TooLarge> {
    if model.processes.iter().all(|process| process.beta_updates == 0) {
        return Ok(Vec::new());
    }
    let other = Model { tie: model.tie.other(), ..model.clone() };
    let phase = Phase::new(&other)?;
    let tables = Tables::new(&phase)?;
    let network = Network { phase: &phase, tables: &tables, groups, delay };
    let pairs = states.par_iter().zip(&classes.stationary);
    Ok(pairs
        .map(|(state, weight)| if *weight > 0.0 { network.outcome(state).iterations_mean() } else { 0.0 })
        .collect())
}

struct Places {
    known: HashMap<State, usize>,
    list: Vec<State>,
    most: u64,
}

impl Places {
    fn place(&mut self, state: State) -> Result<usize, TooLarge> {
        if let Some(place) = self.known.get(&state) {
            return Ok(*place);
        }
        if self.list.len() as u64 >= self.most {
            return Err(TooLarge::new("states", self.most));
        }
        self.known.insert(state.clone(), self.list.len());
        self.list.push(state);
        Ok(self.list.len() - 1)
    }

    fn steps(&mut self, ways: &[Way], next_mode: &[f64], size: usize) -> Result<Vec<Step>, TooLarge> {
        let mut steps = Vec::new();
        for way in ways {
            for (mode, share) in next_mode.iter().enumerate() {
                let way = way.times(*share);
                if way.probability > 0.0 {
                    let state = self.place(State { mode, offsets: way.offsets(size) })?;
                    steps.push(Step { state, way });
                }
            }
        }
        Ok(steps)
    }
}
