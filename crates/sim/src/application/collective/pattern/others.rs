//! Each member sends what it has to others, in the order of their numbers. To be begun at once: rounds do not fit together.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// Who gets what.
#[derive(Debug)]
pub enum ToOthers {
    /// Each other one the own block: an allgather, `(P-1)a + (P-1)/P n b`.
    Block,
    /// Each one above all data, which it sums up: a scan, `(P-1)(a + n b + n c)`.
    Above,
}

impl Pattern for ToOthers {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..shape.processes - 1
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let other = if round < member { round } else { round + 1 };
        match self {
            ToOthers::Block => {
                Step { send: Some((other, shape.blocks(member, member + 1))), receive: Some(other), reduce: 0 }
            }
            ToOthers::Above if other < member => Step { receive: Some(other), reduce: shape.size, send: None },
            ToOthers::Above => Step { send: Some((other, shape.size)), ..Step::default() },
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let rounds = (shape.processes - 1) as f64;
        let whole = rounds * shape.size as f64;
        terms.push(match self {
            ToOthers::Block => {
                let bytes = whole / shape.processes as f64;
                Term { rounds, message: shape.size / shape.processes, bytes, reduced: 0.0 }
            }
            ToOthers::Above => Term { rounds, message: shape.size, bytes: whole, reduced: whole },
        });
    }
}
