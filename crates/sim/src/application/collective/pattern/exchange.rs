//! Members whose numbers differ in one bit exchange data, for powers of two; others fold first (see
//! [`crate::collective::algorithm`]).

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// Recursive doubling of gathered blocks: `lg a + (P-1)/P n b`.
#[derive(Debug)]
pub struct Doubling;

/// Exchange of all data with reduction: `lg(a + n b + n c)`.
#[derive(Debug)]
pub struct DoublingWhole;

/// Recursive halving with reduction: `lg a + (P-1)/P n (b + c)`.
#[derive(Debug)]
pub struct Halving;

impl Pattern for Doubling {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        all(shape)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let bit = 1 << round;
        let own = member & !(bit - 1);
        with(member ^ bit, shape.blocks(own, own + bit), 0)
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        for round in 0..shape.doublings() {
            terms.push(part(shape, 1 << round, false));
        }
    }
}

impl Pattern for DoublingWhole {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        all(shape)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        with(member ^ (1 << round), shape.size, shape.size)
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let rounds = f64::from(shape.doublings());
        let bytes = rounds * shape.size as f64;
        terms.push(Term { rounds, message: shape.size, bytes, reduced: bytes });
    }
}

impl Pattern for Halving {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        all(shape)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let bit = shape.processes >> (round + 1);
        let (theirs, own) = ((member ^ bit) & !(bit - 1), member & !(bit - 1));
        with(member ^ bit, shape.blocks(theirs, theirs + bit), shape.blocks(own, own + bit))
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        for round in (0..shape.doublings()).rev() {
            terms.push(part(shape, 1 << round, true));
        }
    }
}

fn all(shape: &Shape) -> Range<u64> {
    0..u64::from(shape.doublings())
}

fn with(partner: u64, bytes: u64, reduce: u64) -> Step {
    Step { send: Some((partner, bytes)), receive: Some(partner), reduce }
}

/// A round in which this many blocks are exchanged.
fn part(shape: &Shape, blocks: u64, reduce: bool) -> Term {
    let bytes = shape.size as f64 / shape.processes as f64 * blocks as f64;
    Term { rounds: 1.0, message: shape.blocks(0, blocks), bytes, reduced: if reduce { bytes } else { 0.0 } }
}
