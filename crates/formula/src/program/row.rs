//! One row at a time.

use super::{Action, Program, Source};
use crate::arithmetic::truth;

/// Programs with at most this many registers, nearly all, need no allocation for a row.
const ON_STACK: usize = 32;

impl Program {
    /// The value of one row, the values in the order of its inputs.
    ///
    /// "Not a number" where a value is missing, and where a label is compared with a text.
    pub fn row(&self, values: &[f64]) -> f64 {
        if self.registers <= ON_STACK {
            self.run(values, &mut [0.0; ON_STACK])
        } else {
            self.run(values, &mut vec![0.0; self.registers])
        }
    }

    fn run(&self, values: &[f64], registers: &mut [f64]) -> f64 {
        let get = |registers: &[f64], source: Source| match source {
            Source::Register(register) => registers[register],
            Source::Input(input) => values.get(input).copied().unwrap_or(f64::NAN),
            Source::Constant(value) => value,
        };
        for step in &self.steps {
            registers[step.target] = match &step.action {
                Action::Unary(op, x) => op.apply(get(registers, *x)),
                Action::Binary(op, x, y) => op.apply(get(registers, *x), get(registers, *y)),
                Action::Select(condition, a, b) => {
                    get(registers, if truth(get(registers, *condition)) { *a } else { *b })
                }
                Action::CompareText { .. } => return f64::NAN,
            };
        }
        get(registers, self.result)
    }
}
