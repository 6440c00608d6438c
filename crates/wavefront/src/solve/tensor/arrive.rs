//! From meetings to the next states, under abort, without following each process's own wait.
//!
//! Given who led and how far behind the others were, the ends are independent, and the end of process i does not depend on
//! how far behind i was. So one process j is summed out first for all others' ends, and its own end comes last:
//!
//! ```text
//! Z(ends but j | behind but j) = sum over behind_j of w(behind) prod over i != j of q_i(end_i | behind)
//! G(ends) = sum over behind but j of Z(ends but j | behind but j) q_j(end_j | behind but j)
//! ```
//!
//! Both are matrix products. With b values of `behind` and e of `end` this takes b^(p-2) (b e^(p-1) + e^p) products instead of
//! b^(p-1) e^p.

use super::ends::Ends;
use super::faces::{Faces, advance, others};
use super::times::{Shape, Times, arrival};
use nalgebra::{DMatrixView, DMatrixViewMut, Dyn};

/// Bytes of intermediate results that are multiplied at once.
const BATCH_BYTES: usize = 1 << 20;

/// What is known in advance about the phases with one leader.
pub(super) struct Arrive {
    leader: usize,
    /// Which is summed out first, and the others that follow; none of a model of one process.
    first: Option<usize>,
    rest: Vec<usize>,
    pub ends: Ends,
    /// By process: the law of its end, by the `behind` of all but itself and the leader.
    laws: Vec<Vec<f64>>,
    /// Values of `behind`, by process.
    depth: Vec<usize>,
}

impl Arrive {
    pub fn new(times: &Times, shape: &Shape, states: &Faces, leader: usize) -> Arrive {
        let following: Vec<usize> = others(shape.size, leader).collect();
        let first = following.last().copied();
        let rest = following[..following.len().saturating_sub(1)].to_vec();
        let order = first.into_iter().chain([leader]).chain(rest.iter().copied()).collect();
        let ends = Ends::new(times, shape, states, leader, order);
        let depth: Vec<usize> = shape.clip.iter().map(|clip| clip + 1).collect();
        let laws = (0..shape.size).map(|process| laws(times, shape, &ends, &depth, leader, process)).collect();
        Arrive { leader, first, rest, ends, laws, depth }
    }

    /// The unnormalized law of the ends, in the order of `ends`.
    pub fn apply(&self, meetings: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.ends.places(), 0.0);
        let Some(first) = self.first else {
            out.copy_from_slice(meetings);
            return;
        };
        let lengths = &self.ends.lengths;
        let (own, leading) = (lengths[first], lengths[self.leader]);
        let resting: usize = self.rest.iter().map(|process| lengths[*process]).product();
        let (depth, columns) = (self.depth[first], resting * leading);
        let batch = (BATCH_BYTES / 8 / columns).max(8);
        let mut parts = vec![0.0; columns * batch];
        let mut left = vec![0.0; resting * depth];
        let mut point = vec![0; self.rest.len()];
        let (mut block, mut filled) = (0, 0);
        loop {
            let weights = &meetings[block * depth..][..depth];
            let column = &mut parts[filled * columns..][..columns];
            if weights.iter().all(|weight| *weight == 0.0) {
                column.fill(0.0);
            } else {
                for (behind, weight) in weights.iter().enumerate() {
                    self.outer(*weight, &point, behind, &mut left[behind * resting..][..resting]);
                }
                let leader = &self.laws[self.leader][block * depth * leading..][..depth * leading];
                product(&left, (resting, depth), leader, leading, column, 0.0);
            }
            filled += 1;
            block += 1;
            let more = advance(&mut point, self.rest.iter().map(|process| self.depth[*process]));
            if filled == batch || !more {
                let law = &self.laws[first][(block - filled) * own..block * own];
                product(&parts[..columns * filled], (columns, filled), law, own, out, 1.0);
                filled = 0;
            }
            if !more {
                break;
            }
        }
    }

    /// `weight` times the product of the laws of the ends of the rest.
    fn outer(&self, weight: f64, point: &[usize], behind: usize, out: &mut [f64]) {
        out.fill(0.0);
        out[0] = weight;
        if weight == 0.0 {
            return;
        }
        let mut filled = 1;
        for (position, process) in self.rest.iter().enumerate() {
            let seen = self.rest.iter().zip(point).enumerate().filter(|(other, _)| *other != position);
            let index = seen.fold(0, |index, (_, (other, at))| index * self.depth[*other] + at);
            let index = index * self.first.map_or(1, |first| self.depth[first]) + behind;
            let length = self.ends.lengths[*process];
            let law = &self.laws[*process][index * length..][..length];
            spread(out, &mut filled, law);
        }
    }
}

/// Multiplies the first `filled` places by each entry of `law`, which runs fastest.
pub(super) fn spread(out: &mut [f64], filled: &mut usize, law: &[f64]) {
    for place in (0..*filled).rev() {
        let value = out[place];
        for (product, probability) in out[place * law.len()..][..law.len()].iter_mut().zip(law) {
            *product = value * probability;
        }
    }
    *filled *= law.len();
}

/// out = beta out + left right, with `left` and `out` by columns, `right` by rows.
pub(super) fn product(
    left: &[f64],
    (rows, inner): (usize, usize),
    right: &[f64],
    columns: usize,
    out: &mut [f64],
    beta: f64,
) {
    let left = DMatrixView::from_slice(left, rows, inner);
    let right = DMatrixView::from_slice_with_strides_generic(right, Dyn(inner), Dyn(columns), Dyn(columns), Dyn(1));
    DMatrixViewMut::from_slice(out, rows, columns).gemm(1.0, &left, &right, beta);
}

fn laws(times: &Times, shape: &Shape, ends: &Ends, depth: &[usize], leader: usize, process: usize) -> Vec<f64> {
    let seen: Vec<usize> = others(shape.size, leader).filter(|other| *other != process).collect();
    let count: usize = seen.iter().map(|other| depth[*other]).product();
    let (skip, length) = (ends.offsets[process], ends.lengths[process]);
    let mut table = Vec::with_capacity(count * length);
    let places = shape.arrival[process] + 1;
    let (mut law, mut up_to) = (vec![0.0; places], vec![0.0; places]);
    let (mut point, mut behind) = (vec![0; seen.len()], vec![0; shape.size]);
    loop {
        for (other, at) in seen.iter().zip(&point) {
            behind[*other] = *at;
        }
        arrival(times, leader, process, &behind, &mut law, &mut up_to);
        table.extend_from_slice(&law[skip..skip + length]);
        if !advance(&mut point, seen.iter().map(|other| depth[*other])) {
            return table;
        }
    }
}
