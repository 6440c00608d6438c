//! From meetings to the next states when what a process does depends on its own wait: updates that are counted, or
//! (semantics "complete") finished.
//!
//! No factor is free of any `behind`, so all products are taken: b^(p-1) e^p of them, as matrix products.

use super::arrive::{product, spread};
use super::count::Beta;
use super::ends::Ends;
use super::faces::{Faces, advance, others};
use super::times::{Shape, Times, arrival};

/// Meetings that are multiplied at once.
const BATCH: usize = 128;

/// What is known in advance about the phases with one leader.
pub(super) struct Follow {
    leader: usize,
    first: Option<usize>,
    rest: Vec<usize>,
    pub ends: Ends,
    /// By process: the law of its end, by the `behind` of all but the leader.
    laws: Vec<Vec<f64>>,
    depth: Vec<usize>,
    /// Whether the meetings have, from the clip point on, a column for each end of the process.
    by_end: bool,
}

impl Follow {
    pub fn new(times: &Times, shape: &Shape, states: &Faces, leader: usize, betas: &[Beta]) -> Follow {
        let following: Vec<usize> = others(shape.size, leader).collect();
        let first = following.last().copied();
        let rest = following[..following.len().saturating_sub(1)].to_vec();
        let order = first.into_iter().chain([leader]).chain(rest.iter().copied()).collect();
        let ends = Ends::new(times, shape, states, leader, order);
        let depth: Vec<usize> = shape.clip.iter().map(|clip| clip + 1).collect();
        let mut follow = Follow { leader, first, rest, ends, laws: Vec::new(), depth, by_end: shape.abort };
        follow.laws = (0..shape.size).map(|process| follow.law(times, shape, process, &betas[process])).collect();
        follow
    }

    /// The law of the ends of a process for every meeting.
    fn law(&self, times: &Times, shape: &Shape, process: usize, beta: &Beta) -> Vec<f64> {
        let seen: Vec<usize> = others(shape.size, self.leader).collect();
        let count: usize = seen.iter().map(|other| self.depth[*other]).product();
        let (skip, length) = (self.ends.offsets[process], self.ends.lengths[process]);
        let mut table = vec![0.0; count * length];
        let places = shape.arrival[process] + 1;
        let (mut law, mut up_to) = (vec![0.0; places], vec![0.0; places]);
        let (mut point, mut behind) = (vec![0; seen.len()], vec![0; shape.size]);
        for row in table.chunks_exact_mut(length) {
            for (other, at) in seen.iter().zip(&point) {
                behind[*other] = *at;
            }
            arrival(times, self.leader, process, &behind, &mut law, &mut up_to);
            // Beyond the clip point the weights of the meetings know about the wait.
            let known = self.by_end && process != self.leader && behind[process] == shape.clip[process];
            for (came, probability) in law.iter().enumerate().filter(|(_, probability)| **probability > 0.0) {
                if known {
                    row[came - skip] += probability;
                    continue;
                }
                for (over, share) in beta.after(came + behind[process]).iter().enumerate().filter(|(_, p)| **p > 0.0) {
                    row[came + over - skip] += probability * share;
                }
            }
            advance(&mut point, seen.iter().map(|other| self.depth[*other]));
        }
        table
    }

    /// The unnormalized law of the ends, in the order of `ends`; `meetings` are those of the leader's face of `widths`.
    pub fn apply(&self, widths: &[usize], meetings: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.ends.places(), 0.0);
        let Some(first) = self.first else {
            let allowed = &self.laws[self.leader];
            out.iter_mut().zip(allowed).for_each(|(sum, allowed)| *sum = meetings[0] * allowed);
            return;
        };
        let lengths = &self.ends.lengths;
        let leading = lengths[self.leader];
        let resting: usize = self.rest.iter().map(|process| lengths[*process]).product();
        let depth = self.depth[first];
        let count: usize = others(lengths.len(), self.leader).map(|other| self.depth[other]).product();
        let mut left = vec![0.0; resting * BATCH];
        for own in 0..lengths[first] {
            let result = &mut out[own * resting * leading..][..resting * leading];
            let mut point = vec![0; self.rest.len()];
            let mut filled = 0;
            for meeting in 0..count {
                let weight = self.laws[first][meeting * lengths[first] + own];
                let column = &mut left[filled * resting..][..resting];
                let end = self.ends.offsets[first] + own;
                self.column(weight, meeting, &point, meeting % depth, end, widths, meetings, column);
                filled += 1;
                if filled == BATCH || meeting + 1 == count {
                    let leader = &self.laws[self.leader][(meeting + 1 - filled) * leading..(meeting + 1) * leading];
                    product(&left[..resting * filled], (resting, filled), leader, leading, result, 1.0);
                    filled = 0;
                }
                if (meeting + 1) % depth == 0 {
                    advance(&mut point, self.rest.iter().map(|process| self.depth[*process]));
                }
            }
        }
    }

    /// The law of the ends of the rest at a meeting, times its weight and `weight`.
    #[expect(clippy::too_many_arguments, reason = "one place, innermost")]
    fn column(
        &self,
        weight: f64,
        meeting: usize,
        point: &[usize],
        behind: usize,
        end: usize,
        widths: &[usize],
        meetings: &[f64],
        out: &mut [f64],
    ) {
        out.fill(0.0);
        if weight == 0.0 {
            return;
        }
        // Where the weight of the meeting is, but for those beyond their clip points.
        let place = |process: usize, at: usize, end: usize| {
            if self.by_end && at + 1 == self.depth[process] { at + end } else { at }
        };
        let first = self.first.unwrap_or(0);
        let last = place(first, behind, end);
        let clipped = |(process, at): (&usize, &usize)| self.by_end && *at + 1 == self.depth[*process];
        if !self.rest.iter().zip(point).any(clipped) {
            let index = self.rest.iter().zip(point).fold(0, |index, (process, at)| index * widths[*process] + at);
            out[0] = weight * meetings[index * widths[first] + last];
        } else {
            out[0] = weight;
        }
        if out[0] == 0.0 {
            return;
        }
        let mut filled = 1;
        for process in &self.rest {
            let length = self.ends.lengths[*process];
            spread(out, &mut filled, &self.laws[*process][meeting * length..][..length]);
        }
        if self.rest.iter().zip(point).any(clipped) {
            let mut step = vec![0; self.rest.len()];
            for value in out.iter_mut() {
                if *value != 0.0 {
                    let index = self.rest.iter().zip(point).zip(&step).fold(0, |index, ((process, at), step)| {
                        index * widths[*process] + place(*process, *at, self.ends.offsets[*process] + step)
                    });
                    *value *= meetings[index * widths[first] + last];
                }
                advance(&mut step, self.rest.iter().map(|process| self.ends.lengths[*process]));
            }
        }
    }
}
