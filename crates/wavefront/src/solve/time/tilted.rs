//! The chain with long phases made likelier: spectral radius of P(s, s', phi) e^(theta phi), and the mean phase under it.

use crate::solve::chain::Chain;
use nalgebra::{DMatrix, DVector};

/// How close the bounds of a spectral radius must come.
const BRACKET: f64 = 1e-13;
/// What is still taken where rounding or slow mixing leaves more.
const LOOSE: f64 = 1e-9;
/// Steps of the power method between two scalings, and scalings in total.
const STEPS: usize = 50;
const SCALINGS: usize = 200;
/// States up to which slow mixing is overcome by elimination.
const DENSE: usize = 800;

/// What a tilt does to a component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tilted {
    /// ln lambda.
    pub log_radius: f64,
    /// d ln lambda / d theta: ticks of a mean phase under the tilt.
    pub mean: f64,
}

/// A strongly connected component, with the logarithms of its probabilities.
pub(super) struct Component {
    /// Per state, then per meeting: target, logarithm of the probability, ticks.
    departures: Vec<Vec<(usize, f64, f64)>>,
    arrivals: Vec<Vec<(usize, f64, f64)>>,
}

impl Component {
    /// Of the states `members`.
    pub fn new(chain: &Chain, members: &[usize]) -> Component {
        let mut state_place = vec![usize::MAX; chain.states.len()];
        for (place, state) in members.iter().enumerate() {
            state_place[*state] = place;
        }
        let mut meeting_place = vec![usize::MAX; chain.meetings.len()];
        let mut meetings = Vec::new();
        let mut departures = Vec::with_capacity(members.len());
        for state in members {
            let mut row = Vec::new();
            for way in chain.departures(*state) {
                if meeting_place[way.meeting] == usize::MAX {
                    meeting_place[way.meeting] = meetings.len();
                    meetings.push(way.meeting);
                }
                row.push((meeting_place[way.meeting], way.probability.ln(), way.ticks as f64));
            }
            departures.push(row);
        }
        let inside = |meeting: &usize| -> Vec<(usize, f64, f64)> {
            let inside = chain.arrivals(*meeting).iter().filter(|way| state_place[way.state] != usize::MAX);
            inside.map(|way| (state_place[way.state], way.probability.ln(), way.ticks as f64)).collect()
        };
        let arrivals: Vec<_> = meetings.iter().map(inside).collect();
        // A meeting that leads out of the component for good is not part of it.
        for row in &mut departures {
            row.retain(|(meeting, ..)| !arrivals[*meeting].is_empty());
        }
        Component { departures, arrivals }
    }

    /// `potential` holds logarithms of the right eigenvector: a guess before, the result after.
    ///
    /// None: it mixes too slowly for its size.
    pub fn tilt(&self, theta: f64, potential: &mut Vec<f64>, stop: &dyn Fn() -> bool) -> Option<Tilted> {
        potential.resize(self.departures.len(), 0.0);
        let (mut best, mut kept) = (f64::INFINITY, None);
        for round in 0..SCALINGS {
            if stop() {
                return None;
            }
            let balanced = Balanced::new(self, theta, potential);
            let (right, bounds) = balanced.right(round);
            for (potential, value) in potential.iter_mut().zip(&right) {
                *potential += value.ln();
            }
            let width = (bounds.1 - bounds.0) / bounds.1;
            let middle = 0.5 * (bounds.0 + bounds.1);
            if width < best {
                (best, kept) = (width, Some(middle.ln() + balanced.scale));
            } else if best < LOOSE && round > 3 {
                break;
            }
            if best <= BRACKET {
                break;
            }
        }
        let log_radius = kept.filter(|_| best < LOOSE)?;
        let balanced = Balanced::new(self, theta, potential);
        Some(Tilted { log_radius, mean: balanced.mean(stop)? })
    }
}

/// The tilted component in units of the right eigenvector, all entries near the probabilities they stand for: nothing
/// overflows, however large the tilt.
struct Balanced {
    /// What was taken out of all entries, as a logarithm.
    scale: f64,
    departures: Vec<Vec<(usize, f64, f64)>>,
    arrivals: Vec<Vec<(usize, f64, f64)>>,
}

impl Balanced {
    fn new(component: &Component, theta: f64, potential: &[f64]) -> Balanced {
        let log_sum = |logs: &mut dyn Iterator<Item = f64>| {
            let logs: Vec<f64> = logs.collect();
            let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
        };
        let meeting: Vec<f64> = (component.arrivals.iter())
            .map(|row| log_sum(&mut row.iter().map(|(to, p, ticks)| p + theta * ticks + potential[*to])))
            .collect();
        let state: Vec<f64> = (component.departures.iter())
            .map(|row| log_sum(&mut row.iter().map(|(to, p, ticks)| p + theta * ticks + meeting[*to])))
            .collect();
        // The largest ratio is an upper bound of the radius; in its units all row sums are at most 1.
        let scale = state.iter().zip(potential).map(|(new, old)| new - old).fold(f64::NEG_INFINITY, f64::max);
        let scaled =
            |rows: &[Vec<(usize, f64, f64)>], from: &[f64], to: &[f64], less: f64| -> Vec<Vec<(usize, f64, f64)>> {
                let entry = |row: usize, (target, p, ticks): &(usize, f64, f64)| {
                    (*target, (p + theta * ticks + to[*target] - from[row] - less).exp(), *ticks)
                };
                rows.iter().enumerate().map(|(row, entries)| entries.iter().map(|e| entry(row, e)).collect()).collect()
            };
        Balanced {
            scale,
            departures: scaled(&component.departures, potential, &meeting, scale),
            arrivals: scaled(&component.arrivals, &meeting, potential, 0.0),
        }
    }

    fn apply(&self, right: &[f64]) -> Vec<f64> {
        let pull = |rows: &[Vec<(usize, f64, f64)>], values: &[f64]| -> Vec<f64> {
            rows.iter().map(|row| row.iter().map(|(to, weight, _)| weight * values[*to]).sum()).collect()
        };
        pull(&self.departures, &pull(&self.arrivals, right))
    }

    fn apply_left(&self, left: &[f64]) -> Vec<f64> {
        let push = |rows: &[Vec<(usize, f64, f64)>], values: &[f64], targets: usize| {
            let mut sums = vec![0.0; targets];
            for (row, value) in rows.iter().zip(values) {
                row.iter().for_each(|(to, weight, _)| sums[*to] += weight * value);
            }
            sums
        };
        push(&self.arrivals, &push(&self.departures, left, self.arrivals.len()), self.departures.len())
    }

    /// A better right eigenvector, and bounds of the radius (Collatz and Wielandt: least and largest ratio).
    fn right(&self, round: usize) -> (Vec<f64>, (f64, f64)) {
        let start = vec![1.0; self.departures.len()];
        if round >= 2 && start.len() <= DENSE {
            return inverse_iteration(self.dense(), start);
        }
        improve(start, |vector| self.apply(vector))
    }

    fn dense(&self) -> DMatrix<f64> {
        let size = self.departures.len();
        let mut matrix = DMatrix::zeros(size, size);
        for (from, row) in self.departures.iter().enumerate() {
            for (meeting, weight, _) in row {
                for (to, more, _) in &self.arrivals[*meeting] {
                    matrix[(from, *to)] += weight * more;
                }
            }
        }
        matrix
    }

    /// l (dM / d theta) r / (l M r), with r = 1 in these units.
    fn mean(&self, stop: &dyn Fn() -> bool) -> Option<f64> {
        let mut left = vec![1.0; self.departures.len()];
        let mut bounds = (0.0, f64::INFINITY);
        for round in 0..SCALINGS {
            if stop() {
                return None;
            }
            (left, bounds) = if round >= 2 && left.len() <= DENSE {
                inverse_iteration(self.dense().transpose(), left)
            } else {
                improve(left, |vector| self.apply_left(vector))
            };
            if bounds.1 - bounds.0 <= 1e-12 * bounds.1 {
                break;
            }
        }
        (bounds.1 - bounds.0 <= LOOSE.sqrt() * bounds.1).then_some(())?;
        let (mut ticks, mut all) = (0.0, 0.0);
        for (row, weight) in self.departures.iter().zip(&left) {
            for (meeting, leave, first) in row {
                for (_, come, second) in &self.arrivals[*meeting] {
                    let mass = weight * leave * come;
                    ticks += mass * (first + second);
                    all += mass;
                }
            }
        }
        Some(ticks / all)
    }
}

/// Steps of the power method, each halfway, so that periodic components converge, too.
fn improve(mut vector: Vec<f64>, apply: impl Fn(&[f64]) -> Vec<f64>) -> (Vec<f64>, (f64, f64)) {
    let mut bounds = (0.0, f64::INFINITY);
    for _ in 0..STEPS {
        let next = apply(&vector);
        bounds = ratios(&next, &vector);
        if bounds.1 - bounds.0 <= BRACKET * bounds.1 {
            break;
        }
        let largest = 0.5 * (bounds.0 + bounds.1).max(f64::MIN_POSITIVE);
        for (value, next) in vector.iter_mut().zip(&next) {
            *value = 0.5 * (*value + next / largest);
        }
        let most = vector.iter().copied().fold(0.0, f64::max);
        vector.iter_mut().for_each(|value| *value = (*value / most).max(f64::MIN_POSITIVE));
    }
    (vector, bounds)
}

/// T. Noda's inverse iteration (Note on the computation of the maximal eigenvalue of a non-negative irreducible matrix,
/// Numer. Math. 17, 1971): the shift is the upper bound; converges quadratically, and stays positive.
fn inverse_iteration(matrix: DMatrix<f64>, start: Vec<f64>) -> (Vec<f64>, (f64, f64)) {
    let size = start.len();
    let mut vector = start;
    let mut bounds = (0.0, f64::INFINITY);
    for _ in 0..30 {
        let next = (&matrix * DVector::from_column_slice(&vector)).as_slice().to_vec();
        bounds = ratios(&next, &vector);
        if bounds.1 - bounds.0 <= BRACKET * bounds.1 {
            break;
        }
        let shifted = DMatrix::identity(size, size) * (bounds.1 * (1.0 + f64::EPSILON)) - &matrix;
        let Some(solved) = shifted.lu().solve(&DVector::from_column_slice(&vector)) else { break };
        let most = solved.iter().copied().fold(0.0, |a: f64, b| a.max(b.abs()));
        if !(most.is_finite() && most > 0.0) || solved.iter().any(|value| *value / most < -1e-9) {
            break;
        }
        vector = solved.iter().map(|value| (value / most).abs().max(f64::MIN_POSITIVE)).collect();
    }
    (vector, bounds)
}

fn ratios(next: &[f64], vector: &[f64]) -> (f64, f64) {
    next.iter().zip(vector).map(|(a, b)| a / b).fold((f64::INFINITY, 0.0), |(low, high), r| (low.min(r), r.max(high)))
}
