//! Members exchange with the one before and the one behind in turn, for even numbers.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// First a block with the neighbor of the same pair, then the two blocks that came last with the one of the next pair, and so
/// on: `(P/2) a + (P-1)/P n b`.
///
/// Source: J. Chen et al., *Performance evaluation of allgather algorithms on terascale Linux cluster with Fast Ethernet*,
/// HPC Asia 2005.
#[derive(Debug)]
pub struct Neighbor;

/// The pair of blocks that a member sends in a round from 1 on: its own first, then what came in the round before.
fn pair(shape: &Shape, member: u64, round: u64) -> u64 {
    let pairs = shape.processes / 2;
    let (own, before) = (member / 2, round - 1);
    let away = before.div_ceil(2);
    // From the other pair on this side in odd rounds, from its own in even ones.
    let is_below = (before % 2 == 1) == member.is_multiple_of(2);
    if is_below { (own + pairs - away % pairs) % pairs } else { (own + away) % pairs }
}

impl Pattern for Neighbor {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..shape.processes / 2
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let p = shape.processes;
        let up = member.is_multiple_of(2) == round.is_multiple_of(2);
        let other = if up { (member + 1) % p } else { (member + p - 1) % p };
        let bytes = match round {
            0 => shape.blocks(member, member + 1),
            _ => {
                let pair = pair(shape, member, round);
                shape.blocks(2 * pair, 2 * pair + 2)
            }
        };
        Step { send: Some((other, bytes)), receive: Some(other), reduce: 0 }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let block = shape.size as f64 / shape.processes as f64;
        terms.push(Term { rounds: 1.0, message: shape.size / shape.processes, bytes: block, reduced: 0.0 });
        let rounds = (shape.processes / 2 - 1) as f64;
        let message = shape.size / shape.processes * 2;
        terms.push(Term { rounds, message, bytes: 2.0 * rounds * block, reduced: 0.0 });
    }
}
