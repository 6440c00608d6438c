//! A chain as two sparse stages, from states to meetings and on to states: what the laws built on a chain walk along.

use crate::components::components;
use crate::solve::chain::{Arrival, Chain, Departure};

/// A way from a state to a meeting, or from a meeting to a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// The index of the meeting, or of the state.
    pub to: usize,
    /// Ticks that process 1 spends on it; both stages together are Phi.
    pub ticks: i64,
    pub probability: f64,
}

/// Two stages, so that nothing as large as all pairs of states times all durations is ever stored.
pub(crate) trait Stages {
    /// How many states there are.
    fn states(&self) -> usize;
    /// How many meetings there are.
    fn meetings(&self) -> usize;
    /// From a state to the meetings of its phase.
    fn departures(&self, state: usize) -> impl Iterator<Item = Step> + '_;
    /// From a meeting to the states of the next phase.
    fn arrivals(&self, meeting: usize) -> impl Iterator<Item = Step> + '_;

    /// Entries of both stages.
    fn entries(&self) -> usize {
        (0..self.states()).map(|state| self.departures(state).count()).sum::<usize>()
            + (0..self.meetings()).map(|meeting| self.arrivals(meeting).count()).sum::<usize>()
    }

    /// Strongly connected components of the states in which a phase can stay, each ascending.
    fn components(&self) -> Vec<Vec<usize>> {
        // States first, and meetings after them.
        let states = self.states();
        let found = components(states + self.meetings(), states, |node| match node.checked_sub(states) {
            None => self.departures(node).map(|step| states + step.to).collect::<Vec<_>>().into_iter(),
            Some(meeting) => self.arrivals(meeting).map(|step| step.to).collect::<Vec<_>>().into_iter(),
        });
        // A state that is left for good is a component without a cycle.
        let cycles = found.into_iter().filter(|members| members.len() > 1);
        let ascending = |mut members: Vec<usize>| {
            members.retain(|node| *node < states);
            members.sort_unstable();
            members
        };
        cycles.map(ascending).collect()
    }
}

impl Stages for Chain {
    fn states(&self) -> usize {
        self.states.len()
    }

    fn meetings(&self) -> usize {
        self.meetings.len()
    }

    fn departures(&self, state: usize) -> impl Iterator<Item = Step> + '_ {
        let step = |way: &Departure| Step { to: way.meeting, ticks: way.ticks, probability: way.probability };
        Chain::departures(self, state).iter().map(step)
    }

    fn arrivals(&self, meeting: usize) -> impl Iterator<Item = Step> + '_ {
        let step = |way: &Arrival| Step { to: way.state, ticks: way.ticks as i64, probability: way.probability };
        Chain::arrivals(self, meeting).iter().map(step)
    }

    fn entries(&self) -> usize {
        Chain::entries(self)
    }
}
