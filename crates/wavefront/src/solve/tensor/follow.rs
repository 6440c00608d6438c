//! From meetings to the next states when what a process does depends on its own wait: updates that are counted, or
//! (semantics "complete") finished.
//!
//! No factor is free of any `behind`, so all products are taken: b^(p-1) e^p of them, as matrix products.

use super::arrive::{Roles, product, spread};
use super::count::Beta;
use super::faces::{Faces, advance, others};
use super::times::{Shape, Times};

/// Meetings that are multiplied at once.
const BATCH: usize = 128;

/// What is known in advance about the phases with one leader.
pub(super) struct Follow {
    pub roles: Roles,
    /// By process: the law of its end, by the `behind` of all but the leader.
    laws: Vec<Vec<f64>>,
    /// Whether the meetings have, from the clip point on, a column for each end of the process.
    by_end: bool,
}

impl Follow {
    pub fn new(times: &Times, shape: &Shape, states: &Faces, leader: usize, betas: &[Beta]) -> Follow {
        let (roles, by_end) = (Roles::new(times, shape, states, leader), shape.abort);
        let following: Vec<usize> = others(shape.size, leader).collect();
        let law = |process: usize| {
            let skip = roles.ends.offsets[process];
            roles.law(times, shape, process, &following, |ends, behind, law| {
                // Beyond the clip point the weights of the meetings know about the wait.
                let known = by_end && process != leader && behind[process] == shape.clip[process];
                for (came, probability) in law.iter().enumerate().filter(|(_, probability)| **probability > 0.0) {
                    if known {
                        ends[came - skip] += probability;
                        continue;
                    }
                    let after = betas[process].after(came + behind[process]);
                    for (over, share) in after.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                        ends[came + over - skip] += probability * share;
                    }
                }
            })
        };
        let laws = (0..shape.size).map(law).collect();
        Follow { roles, laws, by_end }
    }

    /// The unnormalized law of the ends, in the order of `ends`; `meetings` are those of the leader's face of `widths`.
    pub fn apply(&self, widths: &[usize], meetings: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.roles.ends.places(), 0.0);
        let Some(first) = self.roles.first else {
            let allowed = &self.laws[self.roles.leader];
            out.iter_mut().zip(allowed).for_each(|(sum, allowed)| *sum = meetings[0] * allowed);
            return;
        };
        let lengths = &self.roles.ends.lengths;
        let leading = lengths[self.roles.leader];
        let resting: usize = self.roles.rest.iter().map(|process| lengths[*process]).product();
        let depth = self.roles.depth[first];
        let count: usize = others(lengths.len(), self.roles.leader).map(|other| self.roles.depth[other]).product();
        let mut left = vec![0.0; resting * BATCH];
        for own in 0..lengths[first] {
            let result = &mut out[own * resting * leading..][..resting * leading];
            let mut point = vec![0; self.roles.rest.len()];
            let mut filled = 0;
            for meeting in 0..count {
                let weight = self.laws[first][meeting * lengths[first] + own];
                let column = &mut left[filled * resting..][..resting];
                let end = self.roles.ends.offsets[first] + own;
                self.column(weight, meeting, &point, meeting % depth, end, widths, meetings, column);
                filled += 1;
                if filled == BATCH || meeting + 1 == count {
                    let leader =
                        &self.laws[self.roles.leader][(meeting + 1 - filled) * leading..(meeting + 1) * leading];
                    product(&left[..resting * filled], (resting, filled), leader, leading, result, 1.0);
                    filled = 0;
                }
                if (meeting + 1) % depth == 0 {
                    advance(&mut point, self.roles.rest.iter().map(|process| self.roles.depth[*process]));
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
            if self.by_end && at + 1 == self.roles.depth[process] { at + end } else { at }
        };
        let first = self.roles.first.unwrap_or(0);
        let last = place(first, behind, end);
        let clipped = |(process, at): (&usize, &usize)| self.by_end && *at + 1 == self.roles.depth[*process];
        if !self.roles.rest.iter().zip(point).any(clipped) {
            let index = self.roles.rest.iter().zip(point).fold(0, |index, (process, at)| index * widths[*process] + at);
            out[0] = weight * meetings[index * widths[first] + last];
        } else {
            out[0] = weight;
        }
        if out[0] == 0.0 {
            return;
        }
        let mut filled = 1;
        for process in &self.roles.rest {
            let length = self.roles.ends.lengths[*process];
            spread(out, &mut filled, &self.laws[*process][meeting * length..][..length]);
        }
        if self.roles.rest.iter().zip(point).any(clipped) {
            let mut step = vec![0; self.roles.rest.len()];
            for value in out.iter_mut() {
                if *value != 0.0 {
                    let index = self.roles.rest.iter().zip(point).zip(&step).fold(0, |index, ((process, at), step)| {
                        index * widths[*process] + place(*process, *at, self.roles.ends.offsets[*process] + step)
                    });
                    *value *= meetings[index * widths[first] + last];
                }
                advance(&mut step, self.roles.rest.iter().map(|process| self.roles.ends.lengths[*process]));
            }
        }
    }
}
