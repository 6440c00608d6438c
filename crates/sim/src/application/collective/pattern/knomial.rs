//! A tree in which each member with the data sends them to k - 1 others of its reach, one after the other.

use super::{Pattern, Step, Term};
use crate::collective::shape::Shape;
use std::ops::Range;

/// From the root: `ceil(log_k P)(k-1)(a + n b)`. The parent of a member is its number without the last digit that is not 0, to
/// the base k.
#[derive(Debug)]
pub struct Knomial;

/// Digits that numbers of members have.
fn levels(shape: &Shape) -> u64 {
    let mut levels = 0;
    let mut reach = 1_u64;
    while reach < shape.processes {
        reach = reach.saturating_mul(shape.radix);
        levels += 1;
    }
    levels
}

impl Pattern for Knomial {
    fn rounds(&self, shape: &Shape, _: u64) -> Range<u64> {
        0..levels(shape) * (shape.radix - 1)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        let (level, digit) = (round / (shape.radix - 1), round % (shape.radix - 1) + 1);
        let reach = shape.radix.saturating_pow((levels(shape) - 1 - level) as u32);
        let (place, rest) = (member / reach % shape.radix, member % reach);
        if rest != 0 {
            return Step::default();
        }
        match place {
            0 if member + digit * reach < shape.processes => {
                Step { send: Some((member + digit * reach, shape.size)), ..Step::default() }
            }
            place if place == digit => Step { receive: Some(member - digit * reach), ..Step::default() },
            _ => Step::default(),
        }
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        let rounds = (levels(shape) * (shape.radix - 1)) as f64;
        terms.push(Term { rounds, message: shape.size, bytes: rounds * shape.size as f64, reduced: 0.0 });
    }
}
