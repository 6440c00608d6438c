//! A pipeline: segments go from member to member.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// In round i member r sends segment i - r to the next: `(P-2+k)(a + (n/k) b)` for k segments.
#[derive(Debug)]
pub struct Chain;

impl Pattern for Chain {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        let last = member + 1 == shape.processes;
        member.saturating_sub(1)..member + shape.segments - u64::from(last)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let receive = (member > 0 && round + 1 < member + shape.segments).then(|| member - 1);
        let send =
            (member + 1 < shape.processes && round >= member).then(|| (member + 1, shape.segment(round - member)));
        Step { send, receive, reduce: 0 }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let rounds = (shape.processes - 2) as f64 + shape.segments as f64;
        terms.push(Term {
            rounds,
            message: shape.segment(0),
            bytes: rounds * (shape.size as f64 / shape.segments as f64),
            reduced: 0.0,
        });
    }
}

/// The same towards the root, with reduction: `(P-2+k)(a + (n/k)(b + c))`.
#[derive(Debug)]
pub struct ChainUp;

impl Pattern for ChainUp {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        Chain.rounds(shape, shape.processes - 1 - member)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let last = shape.processes - 1;
        let step = Chain.step(shape, last - member, round);
        let receive = step.receive.map(|from| last - from);
        // What comes is the segment behind the one that goes.
        let reduce = if receive.is_some() { shape.segment(round + 1 + member - last) } else { 0 };
        Step { send: step.send.map(|(to, bytes)| (last - to, bytes)), receive, reduce }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let rounds = (shape.processes - 2) as f64 + shape.segments as f64;
        let bytes = rounds * (shape.size as f64 / shape.segments as f64);
        terms.push(Term { rounds, message: shape.segment(0), bytes, reduced: bytes });
    }
}
