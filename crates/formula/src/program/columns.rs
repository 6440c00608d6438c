//! Blocks of rows at a time.

use super::{Action, Column, Program, Source, Use};
use crate::arithmetic::{BinaryOp, UnaryOp, indicator, truth};
use crate::error::{ErrorKind, FormulaError};

/// Rows a block: a few registers of 8 KiB stay in the first-level cache.
const BLOCK: usize = 1024;

impl Program {
    /// The value of every row, written to `out`; `inputs` in the order of its inputs.
    ///
    /// # Errors
    /// A number of columns other than that of the names, a column that is used and has not as many rows as `out`, a
    /// text used as a number, or a number compared with a text.
    pub fn columns(&self, inputs: &[Column<'_>], out: &mut [f64]) -> Result<(), FormulaError> {
        self.check(inputs, out.len())?;
        let block = BLOCK.min(out.len());
        let mut buffer = vec![0.0; block * self.registers];
        let codes = self.codes(inputs);
        for (index, out) in out.chunks_mut(BLOCK).enumerate() {
            let start = index * BLOCK;
            let mut run = Run { inputs, start, length: out.len(), block, registers: &mut buffer };
            for (step, codes) in self.steps.iter().zip(&codes) {
                run.step(&step.action, step.target, codes);
            }
            match self.result.operand(&run) {
                Operand::Rows(rows) => out.copy_from_slice(rows),
                Operand::Constant(value) => out.fill(value),
            }
        }
        Ok(())
    }

    fn check(&self, inputs: &[Column<'_>], rows: usize) -> Result<(), FormulaError> {
        if inputs.len() != self.inputs.len() {
            let kind = ErrorKind::WrongColumns { found: inputs.len(), wanted: self.inputs.len() };
            return Err(FormulaError::new(kind, crate::Span::default()));
        }
        for used in &self.uses {
            let &Use { input, as_text, span, column } = used;
            let name = || self.inputs[input].clone();
            let kind = match inputs[input] {
                Column::Number(_) if as_text => ErrorKind::NumberAsText { name: name() },
                Column::Text { .. } if !as_text => ErrorKind::TextAsNumber { name: name() },
                column if column.len() != rows => {
                    ErrorKind::WrongRows { name: name(), found: column.len(), wanted: rows }
                }
                _ => continue,
            };
            return Err(FormulaError::new(kind, span).at_column(column));
        }
        Ok(())
    }

    /// For each step that compares texts, which positions of its column have the text.
    fn codes(&self, inputs: &[Column<'_>]) -> Vec<Vec<bool>> {
        let codes = |action: &Action| match action {
            Action::CompareText { input, text, .. } => match inputs[*input] {
                Column::Text { names, .. } => names.iter().map(|name| name == text).collect(),
                Column::Number(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        self.steps.iter().map(|step| codes(&step.action)).collect()
    }
}

/// One block of rows in work.
struct Run<'a> {
    inputs: &'a [Column<'a>],
    start: usize,
    /// Rows of this block.
    length: usize,
    /// Rows between the registers in the buffer.
    block: usize,
    registers: &'a mut [f64],
}

#[derive(Clone, Copy)]
enum Operand<'a> {
    Rows(&'a [f64]),
    Constant(f64),
}

impl Run<'_> {
    fn step(&mut self, action: &Action, target: usize, codes: &[bool]) {
        // The target is taken out of the buffer: left and right of it are the registers that can be read.
        let (left, rest) = self.registers.split_at_mut(target * self.block);
        let (out, right) = rest.split_at_mut(self.block);
        let out = &mut out[..self.length];
        let view = View {
            inputs: self.inputs,
            start: self.start,
            length: self.length,
            block: self.block,
            target,
            left,
            right,
        };
        match action {
            Action::Unary(op, x) => unary(*op, view.get(*x), out),
            Action::Binary(op, x, y) => binary(*op, view.get(*x), view.get(*y), out),
            Action::Select(condition, a, b) => select(view.get(*condition), view.get(*a), view.get(*b), out),
            Action::CompareText { input, equal, .. } => {
                let Column::Text { codes: rows, .. } = self.inputs[*input] else {
                    return out.fill(f64::NAN);
                };
                let rows = &rows[self.start..self.start + self.length];
                for (out, &code) in out.iter_mut().zip(rows) {
                    let has_text = codes.get(code as usize).copied().unwrap_or(false);
                    *out = indicator(has_text == *equal);
                }
            }
        }
    }
}

impl Source {
    fn operand<'a>(self, run: &'a Run<'_>) -> Operand<'a> {
        let view = View {
            inputs: run.inputs,
            start: run.start,
            length: run.length,
            block: run.block,
            target: usize::MAX,
            left: run.registers,
            right: &[],
        };
        view.get(self)
    }
}

/// What a step can read.
struct View<'a> {
    inputs: &'a [Column<'a>],
    start: usize,
    length: usize,
    block: usize,
    target: usize,
    left: &'a [f64],
    right: &'a [f64],
}

impl<'a> View<'a> {
    fn get(&self, source: Source) -> Operand<'a> {
        match source {
            Source::Constant(value) => Operand::Constant(value),
            Source::Input(input) => match self.inputs[input] {
                Column::Number(values) => Operand::Rows(&values[self.start..self.start + self.length]),
                Column::Text { .. } => Operand::Constant(f64::NAN),
            },
            Source::Register(register) => {
                let (registers, register) = if register < self.target {
                    (self.left, register)
                } else {
                    (self.right, register - self.target - 1)
                };
                Operand::Rows(&registers[register * self.block..][..self.length])
            }
        }
    }
}

// Each operation gets a loop of its own, in which it is a constant.

fn unary(op: UnaryOp, x: Operand<'_>, out: &mut [f64]) {
    macro_rules! arms {
        ($($name:ident)*) => {
            match op { $(UnaryOp::$name => map(|x| UnaryOp::$name.apply(x), x, out)),* }
        };
    }
    arms!(Negate Not Truth Abs Sqrt Cbrt Exp Log Log2 Log10 Ceil Floor Round Square Cube Fourth Reciprocal InverseSquare
        RootPower InverseRootPower ThreeHalves)
}

fn binary(op: BinaryOp, x: Operand<'_>, y: Operand<'_>, out: &mut [f64]) {
    macro_rules! arms {
        ($($name:ident)*) => {
            match op { $(BinaryOp::$name => zip(|x, y| BinaryOp::$name.apply(x, y), x, y, out)),* }
        };
    }
    arms!(Add Subtract Multiply Divide Power PlainPower Min Max Equal NotEqual Less LessEqual Greater GreaterEqual And Or)
}

fn map(op: impl Fn(f64) -> f64, x: Operand<'_>, out: &mut [f64]) {
    match x {
        Operand::Rows(x) => {
            for (out, &x) in out.iter_mut().zip(x) {
                *out = op(x);
            }
        }
        Operand::Constant(x) => out.fill(op(x)),
    }
}

fn zip(op: impl Fn(f64, f64) -> f64, x: Operand<'_>, y: Operand<'_>, out: &mut [f64]) {
    match (x, y) {
        (Operand::Rows(x), Operand::Rows(y)) => {
            for ((out, &x), &y) in out.iter_mut().zip(x).zip(y) {
                *out = op(x, y);
            }
        }
        (x, Operand::Constant(y)) => map(|x| op(x, y), x, out),
        (Operand::Constant(x), y) => map(|y| op(x, y), y, out),
    }
}

fn select(condition: Operand<'_>, a: Operand<'_>, b: Operand<'_>, out: &mut [f64]) {
    let Operand::Rows(condition) = condition else {
        return out.fill(f64::NAN);
    };
    // First b everywhere, then a where the condition holds.
    map(|b| b, b, out);
    match a {
        Operand::Rows(a) => {
            for ((out, &a), &condition) in out.iter_mut().zip(a).zip(condition) {
                *out = if truth(condition) { a } else { *out };
            }
        }
        Operand::Constant(a) => {
            for (out, &condition) in out.iter_mut().zip(condition) {
                *out = if truth(condition) { a } else { *out };
            }
        }
    }
}
