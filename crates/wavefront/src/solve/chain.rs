//! The chain of a model, listed: its states, the ways between them, its classes and its stationary law.
//!
//! A state is a mode and a wavefront: the mode of the phase that starts, and where the processes are as it does. A phase
//! is two sparse stages, from states to meetings and from meetings to states, whose product is the transition matrix; the
//! product itself is only ever formed for a class that is small enough to be eliminated.
//!
//! \[C\] 3.3 takes the chain to be one recurrent class without a period (Erratum: in general it is neither). So the chain
//! starts where the model starts; its strongly connected classes are found, the closed ones are weighed by the
//! probability to end in them, and in a periodic one the stationary law is that of time averages.

mod answer;
mod asymptotic;
mod iterations;
mod listing;
mod moments;
#[cfg(test)]
mod tests;

use crate::Model;
pub use crate::markov::ClassOf;
use crate::markov::{Classes, MOST_DENSE, Matrix};
use crate::solve::lump;
pub use crate::solve::phase::TooLarge;
use crate::solve::phase::{End, Meeting};
pub(crate) use moments::{NOTHING, settled};
use rayon::prelude::*;
use std::collections::HashMap;

/// What a chain may have at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub max_states: u64,
    /// Entries that are not 0, of both stages together; each takes about 30 bytes.
    pub max_entries: u64,
    /// Whether equal processes are solved as one; they are listed in any case.
    pub lump: bool,
}

impl Default for Limits {
    /// What takes some seconds and some hundred megabytes.
    fn default() -> Self {
        Limits { max_states: 3_000, max_entries: 8_000_000, lump: true }
    }
}

/// Where a phase starts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The mode of the phase.
    pub mode: usize,
    /// Offsets against process 1, in ticks; the first is 0.
    pub offsets: Vec<i64>,
}

/// A way from a state to a meeting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Departure {
    /// The meeting, as its place in [`Chain::meetings`].
    pub meeting: usize,
    /// Ticks from the start of the phase on process 1 to the instant when the leader ends alpha.
    pub ticks: i64,
    /// How likely it is, given the state.
    pub probability: f64,
}

/// A way from a meeting to a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// The state, as its place in [`Chain::states`].
    pub state: usize,
    /// Ticks from the instant when the leader ends alpha to the end of the phase on process 1.
    pub ticks: u64,
    /// How likely it is, given the meeting.
    pub probability: f64,
    /// E\[N; this arrival\] given the meeting: iterations of the phase, weighted by the probability.
    pub iterations: f64,
}

/// A chain, listed and solved.
///
/// # Examples
/// ```
/// use runcast_wavefront::cases;
/// use runcast_wavefront::solve::chain::{Chain, Limits};
/// let chain = Chain::build(&cases::two_point(), &Limits::default()).unwrap();
/// assert_eq!(chain.states.len(), 5);
/// assert_eq!(chain.classes().len(), 1);
/// ```
#[derive(Debug)]
pub struct Chain {
    /// The model it is the chain of.
    pub model: Model,
    /// The states that are reached from the start, in the order in which they are found.
    pub states: Vec<State>,
    /// The states in which it starts, with their probabilities.
    pub start: Vec<(usize, f64)>,
    /// The meetings that are reached.
    pub meetings: Vec<Meeting>,
    departures: Sparse<Departure>,
    arrivals: Sparse<Arrival>,
    /// By meeting, then process.
    ends: Sparse<Vec<End>>,
    classes: Classes,
}

impl Chain {
    /// Lists what is reached from the model's start, and solves it.
    ///
    /// # Errors
    /// There is more than the limits allow; this is reported before memory is spent.
    pub fn build(model: &Model, limits: &Limits) -> Result<Chain, TooLarge> {
        let listing = listing::list(model, limits)?;
        let mut chain = Chain {
            model: model.clone(),
            states: listing.states,
            start: listing.start,
            meetings: listing.meetings,
            departures: listing.departures,
            arrivals: listing.arrivals,
            ends: listing.ends,
            classes: Classes::default(),
        };
        let kinds = limits.lump.then(|| chain.kinds()).flatten();
        chain.classes = chain.matrix()?.classes(&chain.start, kinds.as_deref());
        Ok(chain)
    }

    /// Of every state its kind: those of one kind turn into each other when equal processes change places. None where
    /// no two processes are equal.
    fn kinds(&self) -> Option<Vec<usize>> {
        let groups = lump::groups(&self.model);
        if groups.len() == self.model.size() {
            return None;
        }
        let mut known: HashMap<(usize, Vec<i64>), usize> = HashMap::new();
        let kind = |state: &State| {
            // Against the last one, who it is does not matter.
            let last = state.offsets.iter().max().copied().unwrap_or(0);
            let mut lags = Vec::with_capacity(state.offsets.len());
            for group in &groups {
                let from = lags.len();
                lags.extend(group.iter().map(|process| last.saturating_sub(state.offsets[*process])));
                lags[from..].sort_unstable();
            }
            let fresh = known.len();
            *known.entry((state.mode, lags)).or_insert(fresh)
        };
        Some(self.states.iter().map(kind).collect())
    }

    /// The product of both stages.
    fn matrix(&self) -> Result<Matrix, TooLarge> {
        let size = self.states.len();
        if size > MOST_DENSE {
            return Err(TooLarge::new("states to eliminate", MOST_DENSE as u64));
        }
        let mut matrix = Matrix::new(size);
        matrix.entries_mut().par_chunks_mut(size).enumerate().for_each(|(state, row)| {
            let mut meetings: Vec<(usize, f64)> =
                self.departures(state).iter().map(|departure| (departure.meeting, departure.probability)).collect();
            meetings.sort_by_key(|(meeting, _)| *meeting);
            for same in meetings.chunk_by(|a, b| a.0 == b.0) {
                let probability: f64 = same.iter().map(|(_, probability)| probability).sum();
                for arrival in self.arrivals(same[0].0) {
                    row[arrival.state] += probability * arrival.probability;
                }
            }
        });
        Ok(matrix)
    }

    /// The ways from a state to meetings; their probabilities sum to 1.
    pub fn departures(&self, state: usize) -> &[Departure] {
        self.departures.row(state)
    }

    /// The ways from a meeting to states; their probabilities sum to 1.
    pub fn arrivals(&self, meeting: usize) -> &[Arrival] {
        self.arrivals.row(meeting)
    }

    /// How a process ends its phase after a meeting; given the meeting, independent of the others.
    pub fn ends(&self, meeting: usize, process: usize) -> &[End] {
        &self.ends.row(meeting)[process]
    }

    /// Closed classes, by decreasing weight.
    pub fn classes(&self) -> &[ClassOf] {
        &self.classes.list
    }

    /// How often each state is entered in the long run, over all classes by their weight; 0 for what is left for good.
    pub fn stationary(&self) -> &[f64] {
        &self.classes.stationary
    }

    /// How often each meeting takes place in the long run, given how often each state does.
    pub fn meeting_law(&self, states: &[f64]) -> Vec<f64> {
        let mut law = vec![0.0; self.meetings.len()];
        for (state, weight) in states.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            for departure in self.departures(state) {
                law[departure.meeting] += weight * departure.probability;
            }
        }
        law
    }

    /// Entries of both stages.
    pub fn entries(&self) -> usize {
        self.departures.entries.len() + self.arrivals.entries.len()
    }
}

/// Rows of different lengths, one after the other.
#[derive(Debug)]
struct Sparse<T> {
    starts: Vec<usize>,
    entries: Vec<T>,
}

impl<T> Sparse<T> {
    fn new() -> Sparse<T> {
        Sparse { starts: vec![0], entries: Vec::new() }
    }

    /// What was pushed since the last row is a row.
    fn end_row(&mut self) {
        self.starts.push(self.entries.len());
    }

    /// Rows that are complete.
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn row(&self, index: usize) -> &[T] {
        &self.entries[self.starts[index]..self.starts[index + 1]]
    }
}
