//! The root sends to each, or each to the root, one after the other.

use super::{Load, Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// The root sends to member 1, 2, ..: `(P-1)(a + m b)`.
#[derive(Debug)]
pub struct FromRoot(pub Load);

/// The root receives from member 1, 2, ..: `(P-1)(a + m b)`.
#[derive(Debug)]
pub struct ToRoot(pub Load);

/// The root receives all data of each, and sums them up: `(P-1)(a + n b + n c)`.
#[derive(Debug)]
pub struct SumAtRoot;

impl Pattern for SumAtRoot {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        rounds(shape, member)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let step = ToRoot(Load::Whole).step(shape, member, round);
        Step { reduce: if member == 0 { shape.size } else { 0 }, ..step }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let whole = term(Load::Whole, shape);
        terms.push(Term { reduced: whole.bytes, ..whole });
    }
}

impl Pattern for FromRoot {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        rounds(shape, member)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let other = round + 1;
        if member == 0 {
            Step { send: Some((other, bytes(self.0, shape, other))), ..Step::default() }
        } else {
            Step { receive: Some(0), ..Step::default() }
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        terms.push(term(self.0, shape));
    }
}

impl Pattern for ToRoot {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        rounds(shape, member)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        if member == 0 {
            Step { receive: Some(round + 1), ..Step::default() }
        } else {
            Step { send: Some((0, bytes(self.0, shape, member))), ..Step::default() }
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        terms.push(term(self.0, shape));
    }
}

fn rounds(shape: &Shape, member: u64) -> Range<u64> {
    if member == 0 { 0..shape.processes - 1 } else { member - 1..member }
}

fn bytes(load: Load, shape: &Shape, other: u64) -> u64 {
    match load {
        Load::Empty => 0,
        Load::Whole => shape.size,
        Load::Blocks => shape.blocks(other, other + 1),
    }
}

fn term(load: Load, shape: &Shape) -> Term {
    let rounds = (shape.processes - 1) as f64;
    let (message, each) = match load {
        Load::Empty => (0, 0.0),
        Load::Whole => (shape.size, shape.size as f64),
        Load::Blocks => (shape.size / shape.processes, shape.size as f64 / shape.processes as f64),
    };
    Term { rounds, message, bytes: rounds * each, reduced: 0.0 }
}
