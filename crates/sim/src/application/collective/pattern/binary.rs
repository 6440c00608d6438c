//! Pipelines along a binary tree: member m has the children 2m + 1 and 2m + 2.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// Segments go from the root to the leaves: `(d+S-1) 2 (a + (n/S) b)`, d = floor(lg P).
#[derive(Debug)]
pub struct Binary;

/// The same upwards, with reduction: `(d+S-1) 2 (a + (n/S)(b + c))`.
#[derive(Debug)]
pub struct BinaryUp;

/// One half of the data in each half of the tree, then each member gets the other half from its mirror image: as
/// [`Binary`] with n/2, and `a + (n/2) b`.
#[derive(Debug)]
pub struct SplitBinary;

/// Depth of the last member.
fn depth(processes: u64) -> u64 {
    u64::from(processes.ilog2())
}

fn child(shape: &Shape, member: u64, nth: u64) -> Option<u64> {
    let child = 2 * member + 1 + nth;
    (child < shape.processes).then_some(child)
}

fn parent(member: u64) -> Option<u64> {
    member.checked_sub(1).map(|before| before / 2)
}

fn pipeline(shape: &Shape, size: u64, reduce: bool, terms: &mut Vec<Term>) {
    let rounds = 2.0 * (depth(shape.processes) + shape.segments - 1) as f64;
    let bytes = rounds * size as f64 / shape.segments as f64;
    let reduced = if reduce { bytes } else { 0.0 };
    terms.push(Term { rounds, message: size / shape.segments, bytes, reduced });
}

impl Pattern for Binary {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..3 * shape.segments
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let size = shape.segment(round / 3);
        match round % 3 {
            0 => Step { receive: parent(member), ..Step::default() },
            nth => Step { send: child(shape, member, nth - 1).map(|child| (child, size)), ..Step::default() },
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        pipeline(shape, shape.size, false, terms);
    }
}

impl Pattern for BinaryUp {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..3 * shape.segments
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let size = shape.segment(round / 3);
        match round % 3 {
            2 => Step { send: parent(member).map(|parent| (parent, size)), ..Step::default() },
            nth => {
                let receive = child(shape, member, nth);
                Step { receive, reduce: if receive.is_some() { size } else { 0 }, ..Step::default() }
            }
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        pipeline(shape, shape.size, true, terms);
    }
}

/// Which half of the tree a member is in; none: the root.
fn half(member: u64) -> Option<u64> {
    let level = (member + 1).ilog2();
    level.checked_sub(1).map(|above| (member + 1 - (1 << level)) >> above)
}

/// The member at the same place in the other half, if there is one.
fn mirror(shape: &Shape, member: u64) -> Option<u64> {
    let width = 1_u64 << ((member + 1).ilog2().checked_sub(1)?);
    let other = if half(member)? == 0 { member + width } else { member - width };
    (other < shape.processes).then_some(other)
}

/// Bytes of a segment of a half.
fn part(shape: &Shape, half: u64, segment: u64) -> u64 {
    let size = if half == 0 { shape.size - shape.size / 2 } else { shape.size / 2 };
    let cut = |at: u64| (u128::from(size) * u128::from(at) / u128::from(shape.segments)) as u64;
    cut(segment + 1) - cut(segment)
}

/// Members of the left half without a mirror image: the first, and how many.
fn alone(shape: &Shape) -> (u64, u64) {
    let level = depth(shape.processes);
    if level == 0 {
        return (1, 0);
    }
    let (first, width) = ((1_u64 << level) - 1, 1_u64 << (level - 1));
    let (left, right) = (shape.processes.min(first + width) - first, shape.processes.saturating_sub(first + width));
    (first + right, left - right)
}

/// Who has a second half to give: the members of the right half above the last level, counted from the top, then the root.
fn giver(shape: &Shape, nth: u64) -> u64 {
    let above = u64::from((nth + 1).ilog2());
    if above + 2 > depth(shape.processes) {
        return 0;
    }
    (1 << (above + 1)) - 1 + (1 << above) + (nth + 1 - (1 << above))
}

impl Pattern for SplitBinary {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..3 * shape.segments + 2
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let segment = round / 3;
        if round < 3 * shape.segments {
            return match round % 3 {
                0 => Step { receive: parent(member), ..Step::default() },
                nth => {
                    let of = half(member).unwrap_or(nth - 1);
                    let send = child(shape, member, nth - 1).map(|child| (child, part(shape, of, segment)));
                    Step { send, ..Step::default() }
                }
            };
        }
        let (first_alone, alone) = alone(shape);
        if round == 3 * shape.segments {
            let own = if half(member) == Some(0) { shape.size - shape.size / 2 } else { shape.size / 2 };
            return match mirror(shape, member) {
                Some(other) => Step { send: Some((other, own)), receive: Some(other), reduce: 0 },
                None => Step::default(),
            };
        }
        // Those without a mirror image.
        if let Some(nth) = member.checked_sub(first_alone).filter(|nth| *nth < alone) {
            return Step { receive: Some(giver(shape, nth)), ..Step::default() };
        }
        let nth = match half(member) {
            Some(0) => None,
            Some(_) => {
                let above = (member + 1).ilog2() - 1;
                Some(member + (1 << above) - (3 << above))
            }
            None => Some((1 << depth(shape.processes).saturating_sub(1)) - 1),
        };
        let to = nth.filter(|nth| *nth < alone && giver(shape, *nth) == member);
        Step { send: to.map(|nth| (first_alone + nth, shape.size / 2)), ..Step::default() }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        pipeline(shape, shape.size / 2, false, terms);
        let half = shape.size as f64 / 2.0;
        terms.push(Term { rounds: 1.0, message: shape.size / 2, bytes: half, reduced: 0.0 });
    }
}
