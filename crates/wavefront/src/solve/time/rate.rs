//! How fast the chance of late runs falls with their length: the rate function of the mean phase.
//!
//! ```text
//! rate(y) = sup over theta >= 0 of theta*y - ln lambda(theta),    lambda = spectral radius of P(s, s', phi) e^(theta phi)
//! P(T > K*y) is about exp(-K*rate(y))
//! ```
//! Source: H. Cramér's theorem for Markov chains; A. Dembo, O. Zeitouni, *Large deviations techniques and
//! applications*, 2nd ed. 1998, theorem 3.1.2.

use super::tilted::{Component, Tilted};
use crate::markov::components;
use crate::solve::chain::Chain;

/// A point of the rate function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RatePoint {
    /// The rate per phase; none beyond the largest mean that can last.
    pub rate: Option<f64>,
    /// Where the supremum is, per tick; none where it is only approached.
    pub theta: Option<f64>,
}

/// The rate function of a chain.
pub(super) struct RateFunction<'c> {
    chain: &'c Chain,
    components: Vec<Component>,
    potentials: Vec<Vec<f64>>,
}

impl<'c> RateFunction<'c> {
    pub fn new(chain: &'c Chain) -> Self {
        let components: Vec<Component> = cycles(chain).iter().map(|members| Component::new(chain, members)).collect();
        let potentials = vec![Vec::new(); components.len()];
        RateFunction { chain, components, potentials }
    }

    /// Of the component that grows fastest under the tilt.
    fn tilt(&mut self, theta: f64, stop: &dyn Fn() -> bool) -> Option<Tilted> {
        let mut fastest: Option<Tilted> = None;
        for (component, potential) in self.components.iter().zip(&mut self.potentials) {
            let tilted = component.tilt(theta, potential, stop)?;
            let better = fastest.is_none_or(|best| {
                let lead = tilted.log_radius - best.log_radius;
                lead > 1e-12 || (lead > -1e-12 && tilted.mean > best.mean)
            });
            if better {
                fastest = Some(tilted);
            }
        }
        fastest
    }

    /// At a mean phase of `mean` ticks. None: the chain mixes too slowly for its size, or `stop` said so.
    pub fn at(&mut self, mean: f64, stop: &dyn Fn() -> bool) -> Option<RatePoint> {
        let still = self.tilt(0.0, stop)?;
        if mean <= still.mean * (1.0 + 1e-13) {
            return Some(RatePoint { rate: Some(0.0), theta: Some(0.0) });
        }
        let scale = 1e-9 * mean.max(1.0);
        if !can_last(self.chain, mean + scale) {
            let rate = if can_last(self.chain, mean - scale) { Some(self.limit(mean, stop)?) } else { None };
            return Some(RatePoint { rate, theta: None });
        }
        let (theta, tilted) = self.root(mean, still.mean, stop)?;
        let rate = (theta * mean - tilted.log_radius).max(0.0);
        Some(RatePoint { rate: Some(rate), theta: Some(theta) })
    }

    /// Where the tilted mean is `mean`: regula falsi (Illinois), with bisection where it is slow.
    fn root(&mut self, mean: f64, still: f64, stop: &dyn Fn() -> bool) -> Option<(f64, Tilted)> {
        let (mut low, mut at_low) = (0.0, still - mean);
        let (mut high, mut tilted) = (1.0 / mean, self.tilt(1.0 / mean, stop)?);
        while tilted.mean <= mean {
            (low, at_low) = (high, tilted.mean - mean);
            high *= 2.0;
            if high > 1e6 {
                return None;
            }
            tilted = self.tilt(high, stop)?;
        }
        let mut at_high = tilted.mean - mean;
        let mut theta = high;
        for round in 0..200 {
            if high - low <= 1e-14 * high || (tilted.mean - mean).abs() <= 1e-14 * mean {
                break;
            }
            theta =
                if round % 3 == 2 { 0.5 * (low + high) } else { (low * at_high - high * at_low) / (at_high - at_low) };
            if !(low < theta && theta < high) {
                theta = 0.5 * (low + high);
            }
            tilted = self.tilt(theta, stop)?;
            let value = tilted.mean - mean;
            if value <= 0.0 {
                (low, at_low) = (theta, value);
                at_high *= 0.5;
            } else {
                (high, at_high) = (theta, value);
                at_low *= 0.5;
            }
        }
        Some((theta, tilted))
    }

    /// What theta*mean - ln lambda(theta) tends to, at the largest mean that can last.
    fn limit(&mut self, mean: f64, stop: &dyn Fn() -> bool) -> Option<f64> {
        let (mut theta, mut rate) = (1.0, f64::NEG_INFINITY);
        loop {
            let next = theta * mean - self.tilt(theta, stop)?.log_radius;
            if (next - rate).abs() <= 1e-12 * next.abs() || theta > 1e4 {
                return Some(next.max(0.0));
            }
            (theta, rate) = (2.0 * theta, next);
        }
    }
}

/// Strongly connected components of the states in which a phase can stay, each ascending.
fn cycles(chain: &Chain) -> Vec<Vec<usize>> {
    // States first, and meetings after them.
    let states = chain.states.len();
    let found = components(states + chain.meetings.len(), states, |node| match node.checked_sub(states) {
        None => chain.departures(node).iter().map(|way| states + way.meeting).collect::<Vec<_>>().into_iter(),
        Some(meeting) => chain.arrivals(meeting).iter().map(|way| way.state).collect::<Vec<_>>().into_iter(),
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

/// Whether some cycle of the chain has a mean phase above `mean`: longest paths, by Bellman's and Ford's method, close
/// a cycle only then.
fn can_last(chain: &Chain, mean: f64) -> bool {
    let states = chain.states.len();
    let mut longest = vec![0.0; states];
    let mut after: Vec<Option<usize>> = vec![None; states];
    let mut meetings: Vec<(f64, usize)> = vec![(0.0, 0); chain.meetings.len()];
    for _ in 0..=states {
        for (meeting, best) in meetings.iter_mut().enumerate() {
            *best = (f64::NEG_INFINITY, 0);
            for arrival in chain.arrivals(meeting) {
                let length = arrival.ticks as f64 + longest[arrival.state];
                if length > best.0 {
                    *best = (length, arrival.state);
                }
            }
        }
        let mut changed = false;
        for state in 0..states {
            for departure in chain.departures(state) {
                let (length, to) = meetings[departure.meeting];
                let length = length + departure.ticks as f64 - mean;
                if length > longest[state] + 1e-12 * mean {
                    (longest[state], after[state], changed) = (length, Some(to), true);
                }
            }
        }
        if !changed {
            return false;
        }
        if has_cycle(&after) {
            return true;
        }
    }
    true
}

fn has_cycle(after: &[Option<usize>]) -> bool {
    let mut seen = vec![usize::MAX; after.len()];
    for root in 0..after.len() {
        let mut at = Some(root);
        while let Some(state) = at {
            match seen[state] {
                usize::MAX => seen[state] = root,
                walk if walk == root => return true,
                _ => break,
            }
            at = after[state];
        }
    }
    false
}
