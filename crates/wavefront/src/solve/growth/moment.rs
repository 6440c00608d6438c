//! The growth of the first moment of the error along a chain.
//!
//! ```text
//! v_s' <- sum over s and n of P(s -> s', n) |F|(n) v_s
//! ```
//!
//! The rows of process i in |F|(n) depend on n_i alone; and given a meeting, how process i ends its phase is independent
//! of the others. So only P(N_i | meeting, T_i') is needed, never the joint law of all counts, and |F| is applied once
//! a meeting, not once a transition.

use super::krylov::{Radius, spectral_radius};
use crate::model::operator::pieces::{Errors, Pieces};
use crate::solve::chain::Chain;
use runcast_core::numeric::norm;

/// Multiplications of one product that are worth their time, and numbers that may be held.
const MOST_WORK: f64 = 5e7;
const MOST_NUMBERS: f64 = 5e7;
/// Rows of a matrix whose eigenvalues are all found.
const MOST_ROWS: usize = 300;
/// Multiplications in total, and products.
const MOST_TOTAL: f64 = 3e10;
const MOST_PRODUCTS: usize = 20_000;

/// The spectral radius over the closed class `members`. None: too large, or interrupted.
pub(super) fn growth(chain: &Chain, members: &[usize], pieces: &Pieces, stop: &dyn Fn() -> bool) -> Option<Radius> {
    let map = Moment::new(chain, members, pieces)?;
    let levels = f64::from(map.deepest) * pieces.dimension() as f64;
    if map.work() > MOST_WORK || levels > MOST_NUMBERS {
        return None;
    }
    let products = (MOST_TOTAL / map.work()).clamp(200.0, MOST_PRODUCTS as f64) as usize;
    let mut room = Room::new(pieces, map.deepest);
    spectral_radius(map.size(), products, |from, to| map.apply(from, to, &mut room), stop)
}

/// The growth of constant counts: that of one matrix.
pub(super) fn fixed_growth(pieces: &Pieces, updates: &[u32], stop: &dyn Fn() -> bool) -> Option<Radius> {
    let rows = pieces.dimension();
    if pieces.work_of(updates.iter().map(|count| f64::from(*count))) > MOST_WORK {
        return None;
    }
    let mut errors = Errors::new(vec![0.0; rows]);
    let apply = |from: &[f64], to: &mut [f64]| {
        errors.broadcast.copy_from_slice(&from[..rows]);
        errors.newest.copy_from_slice(&from[rows..]);
        errors.phase(pieces, updates, updates);
        to[..rows].copy_from_slice(&errors.broadcast);
        to[rows..].copy_from_slice(&errors.newest);
    };
    spectral_radius(2 * rows, MOST_PRODUCTS, apply, stop)
}

/// The growth of constant counts with the signs of the matrix: the spectral radius, by all eigenvalues. None: too large.
pub(super) fn signed_growth(pieces: &Pieces, updates: &[u32]) -> Option<f64> {
    let rows = pieces.dimension();
    if rows > MOST_ROWS || pieces.work_of(updates.iter().map(|count| f64::from(*count))) > MOST_WORK / rows as f64 {
        return None;
    }
    let column = |unit: usize| {
        let mut errors = Errors::new((0..rows).map(|row| f64::from(u8::from(row == unit))).collect());
        errors.phase(pieces, updates, updates);
        // After a phase without beta the newest pieces are those that were broadcast.
        nalgebra::DVector::from_vec(errors.broadcast)
    };
    let map = nalgebra::DMatrix::from_columns(&(0..rows).map(column).collect::<Vec<_>>());
    let schur = nalgebra::Schur::try_new(map, f64::EPSILON, 100 * rows)?;
    let radius = schur.complex_eigenvalues().iter().map(|value| value.norm()).fold(0.0, f64::max);
    (radius.is_normal()).then_some(radius)
}

/// Phases after which an error is given up that does not fall.
const MOST_PHASES: u64 = 10_000_000;

/// Phases until the error falls by so many digits where all counts are constant.
pub(super) fn fixed_fall(
    pieces: &Pieces,
    updates: &[u32],
    error: Vec<f64>,
    digits: f64,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    let mut errors = Errors::new(error);
    let goal = errors.norm() * 10_f64.powf(-digits);
    let most = MOST_PHASES.min((MOST_TOTAL / pieces.work() as f64) as u64);
    (1..=most).take_while(|phase| phase % 1024 != 0 || !stop()).find(|_| {
        errors.phase(pieces, updates, updates);
        errors.norm() <= goal
    })
}

/// The same where they depend on the chain, begun where it begins.
pub(super) fn fall(chain: &Chain, pieces: &Pieces, error: &[f64], digits: f64, stop: &dyn Fn() -> bool) -> Option<u64> {
    let members: Vec<usize> = (0..chain.states.len()).collect();
    let map = Moment::new(chain, &members, pieces)?;
    let rows = pieces.dimension();
    if map.work() > MOST_WORK || f64::from(map.deepest) * rows as f64 > MOST_NUMBERS {
        return None;
    }
    let mut room = Room::new(pieces, map.deepest);
    let (mut now, mut next) = (vec![0.0; map.size()], vec![0.0; map.size()]);
    for (state, share) in &chain.start {
        let (broadcast, newest) = now[2 * rows * state..2 * rows * (state + 1)].split_at_mut(rows);
        add(broadcast, *share, error);
        add(newest, *share, error);
    }
    let goal = norm(error) * 10_f64.powf(-digits);
    let most = MOST_PHASES.min((MOST_TOTAL / map.work()) as u64);
    (1..=most).take_while(|_| !stop()).find(|_| {
        map.apply(&now, &mut next, &mut room);
        std::mem::swap(&mut now, &mut next);
        let mut newest = vec![0.0; rows];
        now.chunks_exact(2 * rows).for_each(|errors| add(&mut newest, 1.0, &errors[rows..]));
        norm(&newest) <= goal
    })
}

/// The map, for one closed class.
struct Moment<'c> {
    pieces: &'c Pieces,
    alpha: Vec<u32>,
    states: usize,
    deepest: u32,
    meetings: Vec<Node>,
}

struct Node {
    /// Places of states, and the probabilities from them to here.
    from: Vec<(usize, f64)>,
    to: Vec<Way>,
    /// For each way, process by process, its counts: N_i and the probability of way and count. Rows end at `ends`.
    counts: Vec<(u32, f64)>,
    ends: Vec<u32>,
    /// Most N_i of each process.
    most: Vec<u32>,
}

struct Way {
    state: usize,
    probability: f64,
}

impl<'c> Moment<'c> {
    fn new(chain: &Chain, members: &[usize], pieces: &'c Pieces) -> Option<Moment<'c>> {
        let mut place = vec![usize::MAX; chain.states.len()];
        members.iter().enumerate().for_each(|(at, state)| place[*state] = at);
        let mut from: Vec<Vec<(usize, f64)>> = vec![Vec::new(); chain.meetings.len()];
        for (at, state) in members.iter().enumerate() {
            for departure in chain.departures(*state) {
                match from[departure.meeting].last_mut() {
                    Some((same, sum)) if *same == at => *sum += departure.probability,
                    _ => from[departure.meeting].push((at, departure.probability)),
                }
            }
        }
        let rows = pieces.dimension();
        let visited = from.iter().filter(|from| !from.is_empty()).count();
        let numbers = 8.0 * (members.len() * rows * 2) as f64 + 4.0 * chain.entries() as f64;
        let work = (chain.entries() * 2 * rows + visited * pieces.work()) as f64;
        if numbers > MOST_NUMBERS || work > MOST_WORK {
            return None;
        }
        let alpha: Vec<u32> = chain.model.processes.iter().map(|process| process.alpha_updates).collect();
        let used = from.into_iter().enumerate().filter(|(_, from)| !from.is_empty());
        let meetings: Vec<Node> = used.map(|(meeting, from)| Node::new(chain, meeting, from, &place)).collect();
        let deepest =
            meetings.iter().flat_map(|node| node.most.iter().zip(&alpha)).map(|(n, a)| n.saturating_add(*a)).max()?;
        Some(Moment { pieces, alpha, states: members.len(), deepest, meetings })
    }

    fn size(&self) -> usize {
        2 * self.states * self.pieces.dimension()
    }

    fn work(&self) -> f64 {
        let rows = self.pieces.dimension();
        let node = |node: &Node| {
            let sweeps =
                self.pieces.work_of(node.most.iter().zip(&self.alpha).map(|(n, a)| f64::from(*n) + f64::from(*a)));
            (2 * rows * (node.from.len() + node.to.len()) + node.counts.len() * rows) as f64 + sweeps
        };
        self.meetings.iter().map(node).sum()
    }

    /// A vector holds for each state the pieces as broadcast, then the newest ones.
    fn apply(&self, from: &[f64], to: &mut [f64], room: &mut Room) {
        let rows = self.pieces.dimension();
        to.fill(0.0);
        for node in &self.meetings {
            room.errors.fill(0.0);
            for (state, probability) in &node.from {
                let errors = &from[2 * rows * state..2 * rows * (state + 1)];
                room.errors.iter_mut().zip(errors).for_each(|(sum, error)| *sum += probability * error);
            }
            let (broadcast, newest) = room.errors.split_at(rows);
            room.levels[0].copy_from_slice(newest);
            for (process, alpha) in self.alpha.iter().enumerate() {
                let own = self.pieces.range(process);
                let others = &mut room.others[own.clone()];
                self.pieces.others_part(process, broadcast, others);
                for level in 1..=(alpha + node.most[process]) as usize {
                    let (before, after) = room.levels.split_at_mut(level);
                    self.pieces.update(process, &before[level - 1][own.clone()], others, &mut after[0][own.clone()]);
                }
            }
            let mut start = 0;
            let mut ends = node.ends.iter();
            for way in &node.to {
                let (sent, latest) = to[2 * rows * way.state..2 * rows * (way.state + 1)].split_at_mut(rows);
                for (process, alpha) in self.alpha.iter().enumerate() {
                    let own = self.pieces.range(process);
                    add(&mut sent[own.clone()], way.probability, &room.levels[*alpha as usize][own.clone()]);
                    let end = ends.next().map_or(start, |end| *end as usize);
                    for (count, probability) in &node.counts[start..end] {
                        let level = &room.levels[(alpha + count) as usize][own.clone()];
                        add(&mut latest[own.clone()], *probability, level);
                    }
                    start = end;
                }
            }
        }
    }
}

fn add(sum: &mut [f64], factor: f64, values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}

/// Ends of a phase, each with counts and their probabilities given that end.
type CountsByEnd = Vec<(u64, Vec<(u32, f64)>)>;

/// What a product needs beside its result.
struct Room {
    errors: Vec<f64>,
    others: Vec<f64>,
    /// The newest pieces after 0, 1, .. updates.
    levels: Vec<Vec<f64>>,
}

impl Room {
    fn new(pieces: &Pieces, deepest: u32) -> Room {
        let rows = pieces.dimension();
        Room {
            errors: vec![0.0; 2 * rows],
            others: vec![0.0; rows],
            levels: vec![vec![0.0; rows]; deepest as usize + 1],
        }
    }
}

impl Node {
    fn new(chain: &Chain, meeting: usize, from: Vec<(usize, f64)>, place: &[usize]) -> Node {
        let size = chain.model.size();
        // By process: the end of the phase, counts and their probabilities given that end.
        let given: Vec<CountsByEnd> = (0..size).map(|process| counts_given_end(chain, meeting, process)).collect();
        let most = given
            .iter()
            .map(|ends| ends.iter().flat_map(|(_, n)| n.iter().map(|(n, _)| *n)).max().unwrap_or(0))
            .collect();
        let mut arrivals: Vec<_> =
            chain.arrivals(meeting).iter().filter(|arrival| place[arrival.state] != usize::MAX).collect();
        arrivals.sort_by_key(|arrival| arrival.state);
        let mut node = Node { from, to: Vec::new(), counts: Vec::new(), ends: Vec::new(), most };
        for group in arrivals.chunk_by(|a, b| a.state == b.state) {
            let state = group[0].state;
            node.to
                .push(Way { state: place[state], probability: group.iter().map(|arrival| arrival.probability).sum() });
            for (given, offset) in given.iter().zip(&chain.states[state].offsets) {
                let first = node.counts.len();
                for arrival in group {
                    let end = arrival.ticks.saturating_add_signed(*offset);
                    let Ok(at) = given.binary_search_by_key(&end, |(end, _)| *end) else { continue };
                    for (count, probability) in &given[at].1 {
                        let mass = arrival.probability * probability;
                        match node.counts[first..].iter_mut().find(|(same, _)| same == count) {
                            Some((_, sum)) => *sum += mass,
                            None => node.counts.push((*count, mass)),
                        }
                    }
                }
                node.ends.push(node.counts.len() as u32);
            }
        }
        node
    }
}

/// P(N_i = n | meeting, T_i') for each T_i', ascending.
fn counts_given_end(chain: &Chain, meeting: usize, process: usize) -> CountsByEnd {
    let ends = chain.ends(meeting, process);
    let group = |ends: &[crate::solve::phase::End]| {
        let all: f64 = ends.iter().map(|end| end.probability).sum();
        (ends[0].after, ends.iter().map(|end| (end.updates, end.probability / all)).collect())
    };
    ends.chunk_by(|a, b| a.after == b.after).map(group).collect()
}
