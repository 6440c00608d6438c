//! Trees to steps over registers.

use std::collections::HashMap;

use super::{Action, Program, Source, Step, Use};
use crate::arithmetic::{BinaryOp, UnaryOp, truth};
use crate::error::{ErrorKind, FormulaError};
use crate::expr::Expr;
use crate::function::Operation;

pub(super) fn lower(tree: &Expr, names: &[&str]) -> Result<Program, FormulaError> {
    // Of equal names the first counts, as it would in a search.
    let mut inputs = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        inputs.entry(*name).or_insert(index);
    }
    let mut lowering =
        Lowering { names, inputs, uses: HashMap::new(), steps: Vec::new(), free: Vec::new(), registers: 0 };
    let result = lowering.expr(tree)?;
    let mut uses: Vec<Use> = lowering.uses.into_values().collect();
    uses.sort_by_key(|used| (used.span.range().start, used.input));
    Ok(Program {
        inputs: names.iter().map(|&name| name.to_owned()).collect(),
        uses,
        steps: lowering.steps,
        result,
        registers: lowering.registers,
    })
}

struct Lowering<'a> {
    names: &'a [&'a str],
    inputs: HashMap<&'a str, usize>,
    /// By input and by whether it is used as a text.
    uses: HashMap<(usize, bool), Use>,
    steps: Vec<Step>,
    /// Registers that hold nothing any more.
    free: Vec<usize>,
    registers: usize,
}

impl Lowering<'_> {
    fn expr(&mut self, expr: &Expr) -> Result<Source, FormulaError> {
        match expr {
            Expr::Number { value, .. } => Ok(Source::Constant(*value)),
            Expr::Name { name, .. } => Ok(Source::Input(self.input(expr, name, false)?)),
            Expr::TextComparison { name, text, equal, .. } => {
                let input = self.input(expr, name, true)?;
                Ok(self.step(Action::CompareText { input, text: text.clone(), equal: *equal }, &[]))
            }
            Expr::Sum { terms, .. } => {
                let terms = terms.iter().map(|term| (term.negative, &term.value));
                self.chain(terms, BinaryOp::Add, BinaryOp::Subtract, 0.0, UnaryOp::Negate)
            }
            Expr::Product { factors, .. } => {
                let factors = factors.iter().map(|factor| (factor.inverse, &factor.value));
                self.chain(factors, BinaryOp::Multiply, BinaryOp::Divide, 1.0, UnaryOp::Reciprocal)
            }
            Expr::Negation { operand, .. } => {
                let operand = self.expr(operand)?;
                Ok(self.unary(UnaryOp::Negate, operand))
            }
            Expr::Not { operand, .. } => {
                let operand = self.expr(operand)?;
                Ok(self.unary(UnaryOp::Not, operand))
            }
            Expr::Power { base, exponent, .. } => {
                let base = self.expr(base)?;
                let exponent = self.expr(exponent)?;
                Ok(self.power(base, exponent))
            }
            Expr::Comparison { comparison, left, right, .. } => {
                let left = self.expr(left).map_err(|error| expr.hint_quotes(error))?;
                let right = self.expr(right).map_err(|error| expr.hint_quotes(error))?;
                Ok(self.binary(comparison.operation(), left, right))
            }
            Expr::And { operands, .. } => self.junction(operands, BinaryOp::And, 1.0),
            Expr::Or { operands, .. } => self.junction(operands, BinaryOp::Or, 0.0),
            Expr::Call { function, arguments, .. } => self.call(function.operation(), arguments),
        }
    }

    fn input(&mut self, expr: &Expr, name: &str, as_text: bool) -> Result<usize, FormulaError> {
        let Some(&input) = self.inputs.get(name) else {
            let known = self.names.iter().map(|&name| name.to_owned()).collect();
            let kind = ErrorKind::UnknownName { name: name.to_owned(), known, compared: false };
            return Err(FormulaError::new(kind, expr.span()));
        };
        let span = expr.span();
        self.uses.entry((input, as_text)).or_insert(Use { input, as_text, span, column: span.range().start + 1 });
        Ok(input)
    }

    /// Terms or factors from left to right; a first one that is `inverted` is taken so by `invert`.
    fn chain<'e>(
        &mut self,
        parts: impl Iterator<Item = (bool, &'e Expr)>,
        plain: BinaryOp,
        inverted: BinaryOp,
        neutral: f64,
        invert: UnaryOp,
    ) -> Result<Source, FormulaError> {
        let mut whole = None;
        for (inverse, part) in parts {
            let part = self.expr(part)?;
            whole = Some(match (whole, inverse) {
                (None, false) => part,
                (None, true) => self.unary(invert, part),
                (Some(whole), false) => self.binary(plain, whole, part),
                (Some(whole), true) => self.binary(inverted, whole, part),
            });
        }
        Ok(whole.unwrap_or(Source::Constant(neutral)))
    }

    fn junction(&mut self, operands: &[Expr], op: BinaryOp, neutral: f64) -> Result<Source, FormulaError> {
        let mut whole = None;
        for operand in operands {
            let operand = self.expr(operand)?;
            whole = Some(match whole {
                None if operands.len() == 1 => self.unary(UnaryOp::Truth, operand),
                None => operand,
                Some(whole) => self.binary(op, whole, operand),
            });
        }
        Ok(whole.unwrap_or(Source::Constant(neutral)))
    }

    fn call(&mut self, operation: Operation, arguments: &[Expr]) -> Result<Source, FormulaError> {
        let undefined = Source::Constant(f64::NAN);
        match (operation, arguments) {
            (Operation::Unary(op), [x]) => {
                let x = self.expr(x)?;
                Ok(self.unary(op, x))
            }
            (Operation::Fold(BinaryOp::Power), [x, y]) => {
                let x = self.expr(x)?;
                let y = self.expr(y)?;
                Ok(self.power(x, y))
            }
            (Operation::Fold(op), [first, rest @ ..]) if op != BinaryOp::Power => {
                let mut whole = self.expr(first)?;
                for argument in rest {
                    let argument = self.expr(argument)?;
                    whole = self.binary(op, whole, argument);
                }
                Ok(whole)
            }
            (Operation::Select, [condition, a, b]) => {
                let condition = self.expr(condition)?;
                let a = self.expr(a)?;
                let b = self.expr(b)?;
                Ok(self.select(condition, a, b))
            }
            _ => {
                // A program built it: only that the names are known is left to check.
                for argument in arguments {
                    let unused = self.expr(argument)?;
                    self.release(unused);
                }
                Ok(undefined)
            }
        }
    }

    fn power(&mut self, base: Source, exponent: Source) -> Source {
        match exponent {
            Source::Constant(1.0) => base,
            Source::Constant(exponent) => match UnaryOp::for_exponent(exponent) {
                Some(op) => self.unary(op, base),
                None => self.binary(BinaryOp::PlainPower, base, Source::Constant(exponent)),
            },
            exponent => self.binary(BinaryOp::Power, base, exponent),
        }
    }

    fn unary(&mut self, op: UnaryOp, x: Source) -> Source {
        match x {
            Source::Constant(x) => Source::Constant(op.apply(x)),
            x => self.step(Action::Unary(op, x), &[x]),
        }
    }

    fn binary(&mut self, op: BinaryOp, x: Source, y: Source) -> Source {
        match (x, y) {
            (Source::Constant(x), Source::Constant(y)) => Source::Constant(op.apply(x, y)),
            (x, y) => self.step(Action::Binary(op, x, y), &[x, y]),
        }
    }

    fn select(&mut self, condition: Source, a: Source, b: Source) -> Source {
        match condition {
            Source::Constant(condition) => {
                let (chosen, other) = if truth(condition) { (a, b) } else { (b, a) };
                self.release(other);
                chosen
            }
            condition => self.step(Action::Select(condition, a, b), &[condition, a, b]),
        }
    }

    /// Adds a step; its operands are not needed afterwards, but the target is never one of them.
    fn step(&mut self, action: Action, operands: &[Source]) -> Source {
        let target = self.free.pop().unwrap_or(self.registers);
        self.registers = self.registers.max(target + 1);
        self.steps.push(Step { action, target });
        for &operand in operands {
            self.release(operand);
        }
        Source::Register(target)
    }

    fn release(&mut self, source: Source) {
        if let Source::Register(register) = source {
            self.free.push(register);
        }
    }
}
