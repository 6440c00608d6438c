//! Each member exchanges a block with each other one.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// In round i member r sends a block to r + i + 1 and receives one from r - i - 1, around.
#[derive(Debug)]
pub struct Pairwise {
    /// Whether received data are reduced.
    pub reduce: bool,
}

impl Pattern for Pairwise {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..shape.processes - 1
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let to = (member + round + 1) % shape.processes;
        let from = (member + shape.processes - round - 1) % shape.processes;
        let reduce = if self.reduce { shape.blocks(member, member + 1) } else { 0 };
        Step { send: Some((to, shape.blocks(to, to + 1))), receive: Some(from), reduce }
    }

    /// An alltoall counts the block that stays as sent, too: `(P-1)a + n b` (Thakur et al. 2005); a reduce_scatter does not:
    /// `(P-1)a + (P-1)/P n (b + c)`.
    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let moved = shape.all_but_one() * shape.size as f64;
        let (bytes, reduced) = if self.reduce { (moved, moved) } else { (shape.size as f64, 0.0) };
        terms.push(Term {
            rounds: (shape.processes - 1) as f64,
            message: shape.size / shape.processes,
            bytes,
            reduced,
        });
    }
}

/// Each member tells each other one that it may send: `(P-1)a`.
#[derive(Debug)]
pub struct Handshake;

impl Pattern for Handshake {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..shape.processes - 1
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let step = Pairwise { reduce: false }.step(shape, member, round);
        Step { send: step.send.map(|(to, _)| (to, 0)), ..step }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        terms.push(Term { rounds: (shape.processes - 1) as f64, message: 0, bytes: 0.0, reduced: 0.0 });
    }
}
