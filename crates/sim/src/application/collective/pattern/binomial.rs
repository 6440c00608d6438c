//! Binomial trees: in round i from the root, each member with the data sends to the one at distance `2^(lg-1-i)`.
//!
//! For other numbers than powers of two the partners beyond the last are skipped; the longest path still has lg messages.

use super::{Load, Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// From the root to the leaves: `lg(a + m b)`, or `lg a + (P-1)/P n b` for blocks.
#[derive(Debug)]
pub struct Down(pub Load);

/// From the leaves to the root; received data may be reduced.
#[derive(Debug)]
pub struct Up {
    pub load: Load,
    /// Whether received data are reduced.
    pub reduce: bool,
}

impl Pattern for Down {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        let all = u64::from(shape.doublings());
        // A member receives first, in the round of its lowest bit.
        if member == 0 { 0..all } else { all - 1 - u64::from(member.trailing_zeros())..all }
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let reach = 1 << (u64::from(shape.doublings()) - 1 - round);
        match edge(shape, member, reach) {
            Edge::Parent(parent) => Step { receive: Some(parent), ..Step::default() },
            Edge::Child(child) => Step { send: Some((child, bytes(self.0, shape, child, reach))), ..Step::default() },
            Edge::None => Step::default(),
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        longest(self.0, false, shape, terms);
    }
}

impl Pattern for Up {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        if member == 0 { 0..u64::from(shape.doublings()) } else { 0..u64::from(member.trailing_zeros()) + 1 }
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let reach = 1 << round;
        match edge(shape, member, reach) {
            Edge::Parent(parent) => {
                Step { send: Some((parent, bytes(self.load, shape, member, reach))), ..Step::default() }
            }
            Edge::Child(child) => {
                let reduce = if self.reduce { bytes(self.load, shape, child, reach) } else { 0 };
                Step { receive: Some(child), reduce, ..Step::default() }
            }
            Edge::None => Step::default(),
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        longest(self.load, self.reduce, shape, terms);
    }
}

enum Edge {
    Parent(u64),
    Child(u64),
    None,
}

fn edge(shape: &Shape, member: u64, reach: u64) -> Edge {
    match member % (2 * reach) {
        0 if member + reach < shape.processes => Edge::Child(member + reach),
        rest if rest == reach => Edge::Parent(member - reach),
        _ => Edge::None,
    }
}

/// Bytes between the member `child` and its parent: the blocks of the subtree below it.
fn bytes(load: Load, shape: &Shape, child: u64, reach: u64) -> u64 {
    match load {
        Load::Empty => 0,
        Load::Whole => shape.size,
        Load::Blocks => shape.blocks(child, (child + reach).min(shape.processes)),
    }
}

/// The root's messages are the longest in their rounds, and together they carry all blocks but its own.
fn longest(load: Load, reduce: bool, shape: &Shape, terms: &mut Vec<Term>) {
    let block = shape.size as f64 / shape.processes as f64;
    for round in 0..shape.doublings() {
        let reach = 1_u64 << round;
        let bytes_exact = match load {
            Load::Empty => 0.0,
            Load::Whole => shape.size as f64,
            Load::Blocks => block * reach.min(shape.processes - reach) as f64,
        };
        let message = bytes(load, shape, reach, reach);
        let reduced = if reduce { bytes_exact } else { 0.0 };
        terms.push(Term { rounds: 1.0, message, bytes: bytes_exact, reduced });
    }
}
