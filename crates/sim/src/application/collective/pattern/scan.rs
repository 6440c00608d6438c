//! Sums of all before: each member sends what it has to the one at distance 1, 2, 4 and so on.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// `lg(a + n b + n c)`.
#[derive(Debug)]
pub struct ScanDoubling;

impl Pattern for ScanDoubling {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..u64::from(shape.doublings())
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let reach = 1_u64 << round;
        let receive = member.checked_sub(reach);
        let send = (member + reach < shape.processes).then_some((member + reach, shape.size));
        Step { send, receive, reduce: if receive.is_some() { shape.size } else { 0 } }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let rounds = f64::from(shape.doublings());
        let bytes = rounds * shape.size as f64;
        terms.push(Term { rounds, message: shape.size, bytes, reduced: bytes });
    }
}
