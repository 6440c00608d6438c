//! Blocks go around a ring.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// In each of P-1 rounds each member passes a block on to the next: `(P-1)a + (P-1)/P n b`, and `(P-1)/P n c` with reduction.
#[derive(Debug)]
pub struct Ring {
    /// Whether received data are reduced: blocks are summed along the way.
    pub reduce: bool,
}

impl Pattern for Ring {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..shape.processes - 1
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let processes = shape.processes;
        let before = (member + processes - 1) % processes;
        let block = |from: u64| {
            let block = (from + processes - round) % processes;
            shape.blocks(block, block + 1)
        };
        let reduce = if self.reduce { block(before) } else { 0 };
        Step { send: Some(((member + 1) % processes, block(member))), receive: Some(before), reduce }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let bytes = shape.all_but_one() * shape.size as f64;
        terms.push(Term {
            rounds: (shape.processes - 1) as f64,
            message: shape.size / shape.processes,
            bytes,
            reduced: if self.reduce { bytes } else { 0.0 },
        });
    }
}
