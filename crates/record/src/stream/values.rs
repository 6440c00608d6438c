//! The values of a stream, one after the other, without writing them out.

use super::{Nest, Term};

/// The values of a stream in order.
#[derive(Debug, Clone)]
pub struct Values<'a> {
    /// Terms that are under way, the innermost repeat last.
    open: Vec<Open<'a>>,
    nest: Option<Running>,
}

#[derive(Debug, Clone)]
struct Open<'a> {
    terms: &'a [Term],
    at: usize,
    /// How often the terms come again after this time.
    again: u64,
}

/// A nest under way: how often each level has been stepped.
#[derive(Debug, Clone)]
struct Running {
    nest: Nest,
    steps: [u64; 3],
}

impl<'a> Values<'a> {
    pub(super) fn new(terms: &'a [Term]) -> Self {
        Values { open: vec![Open { terms, at: 0, again: 0 }], nest: None }
    }
}

impl Running {
    fn value(&self) -> i64 {
        let levels = self.nest.levels().iter().zip(self.steps);
        levels.fold(self.nest.base, |sum, (level, steps)| sum.wrapping_add(level.stride.wrapping_mul(steps as i64)))
    }

    /// To the next value, if there is one.
    fn step(&mut self) -> bool {
        for (level, steps) in self.nest.levels().iter().zip(&mut self.steps) {
            *steps += 1;
            if *steps < level.count {
                return true;
            }
            *steps = 0;
        }
        false
    }
}

impl Iterator for Values<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        loop {
            if let Some(running) = &mut self.nest {
                let value = running.value();
                if !running.step() {
                    self.nest = None;
                }
                return Some(value);
            }
            let open = self.open.last_mut()?;
            match open.terms.get(open.at) {
                Some(Term::Nest(nest)) => {
                    open.at += 1;
                    self.nest = Some(Running { nest: *nest, steps: [0; 3] });
                }
                Some(Term::Repeat { count, body }) => {
                    open.at += 1;
                    self.open.push(Open { terms: body, at: 0, again: count.saturating_sub(1) });
                }
                None if open.again > 0 => {
                    open.again -= 1;
                    open.at = 0;
                }
                None => {
                    self.open.pop();
                }
            }
        }
    }
}
