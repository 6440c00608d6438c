//! A chain as two sparse stages, from states to meetings and on to states: what the laws built on a chain walk along.

use crate::solve::chain::{Arrival, Chain, Departure};

/// A way from a state to a meeting, or from a meeting to a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// The index of the meeting, or of the state.
    pub to: usize,
    /// Ticks that process 1 spends on it; both stages together are Phi.
    pub ticks: i64,
    /// Its probability.
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
        components(self)
    }
}

/// Tarjan's algorithm (Depth-first search and linear graph algorithms, SIAM J. Comput. 1(2), 1972) without recursion, on
/// states (first) and meetings (after them).
fn components<S: Stages + ?Sized>(stages: &S) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let states = stages.states();
    let count = states + stages.meetings();
    let neighbors = |node: usize| -> Vec<usize> {
        if node < states {
            stages.departures(node).map(|step| states + step.to).collect()
        } else {
            stages.arrivals(node - states).map(|step| step.to).collect()
        }
    };
    let (mut order, mut lowest, mut open) = (vec![UNSEEN; count], vec![0; count], vec![false; count]);
    let (mut found, mut pending, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..states {
        if order[root] != UNSEEN {
            continue;
        }
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                (order[node], lowest[node], open[node]) = (next, next, true);
                next += 1;
                pending.push(node);
                path.push((node, neighbors(node)));
            }
            let Some((node, left)) = path.last_mut() else { break };
            let node = *node;
            match left.pop() {
                Some(other) if order[other] == UNSEEN => enter = Some(other),
                Some(other) if open[other] => lowest[node] = lowest[node].min(order[other]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        lowest[*parent] = lowest[*parent].min(lowest[node]);
                    }
                    if lowest[node] == order[node] {
                        let at = pending.iter().rposition(|other| *other == node).unwrap_or(0);
                        let members = pending.split_off(at);
                        members.iter().for_each(|member| open[*member] = false);
                        // A state that is left for good is a component without a cycle.
                        if members.len() > 1 {
                            let mut members: Vec<usize> = members.into_iter().filter(|node| *node < states).collect();
                            members.sort_unstable();
                            found.push(members);
                        }
                    }
                }
            }
        }
    }
    found
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
