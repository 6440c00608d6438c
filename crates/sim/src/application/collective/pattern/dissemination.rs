//! In round i member r sends to r + 2^i and receives from r - 2^i, around: any number of processes, lg rounds.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// Content of the messages (Bruck et al. 1997).
#[derive(Debug)]
pub enum Dissemination {
    /// Nothing: a barrier, `lg a`.
    Empty,
    /// The blocks gathered so far: an allgather, `lg a + (P-1)/P n b`.
    Gathered,
    /// The blocks with bit i in the distance that they have to go: an alltoall, `lg a + (n/2) lg b`.
    Marked,
}

impl Pattern for Dissemination {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..u64::from(shape.doublings())
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let reach = 1 << round;
        let to = (member + reach) % shape.processes;
        let from = (member + shape.processes - reach) % shape.processes;
        Step { send: Some((to, self.bytes(shape, reach))), receive: Some(from), reduce: 0 }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let block = shape.size as f64 / shape.processes as f64;
        for round in 0..shape.doublings() {
            let reach = 1 << round;
            let bytes = match self {
                Dissemination::Empty => 0.0,
                Dissemination::Gathered => block * reach.min(shape.processes - reach) as f64,
                // Half of the blocks; exact for powers of two.
                Dissemination::Marked => 0.5 * shape.size as f64,
            };
            terms.push(Term { rounds: 1.0, message: self.bytes(shape, reach), bytes, reduced: 0.0 });
        }
    }
}

impl Dissemination {
    /// Bytes in the round of this reach. Blocks count as equal here, since they differ from member to member.
    fn bytes(&self, shape: &Shape, reach: u64) -> u64 {
        let blocks = match self {
            Dissemination::Empty => 0,
            Dissemination::Gathered => reach.min(shape.processes - reach),
            Dissemination::Marked => marked(shape.processes, reach),
        };
        shape.blocks(0, blocks)
    }
}

/// Numbers below `below` that have the bit `bit`.
fn marked(below: u64, bit: u64) -> u64 {
    below / (2 * bit) * bit + (below % (2 * bit)).saturating_sub(bit)
}
