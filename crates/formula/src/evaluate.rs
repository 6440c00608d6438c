//! The value of a tree, by walking it: the obvious way, for single evaluations.

use crate::arithmetic::{BinaryOp, UnaryOp, indicator, power, truth};
use crate::error::{ErrorKind, FormulaError};
use crate::expr::{Comparison, Expr, Factor, Term};
use crate::function::Function;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A parameter or a metric.
    Number(f64),
    Text(&'a str),
}

impl Expr {
    /// The value with each name looked up.
    ///
    /// # Errors
    /// As [`Formula::evaluate`](crate::Formula::evaluate).
    pub fn evaluate(&self, lookup: impl Fn(&str) -> Option<f64>) -> Result<f64, FormulaError> {
        self.evaluate_with(&|name: &str| lookup(name).map(Value::Number))
    }

    /// The value where names can be numbers or texts.
    ///
    /// # Errors
    /// As [`Formula::evaluate`](crate::Formula::evaluate).
    pub fn evaluate_with<'v>(&self, lookup: &impl Fn(&str) -> Option<Value<'v>>) -> Result<f64, FormulaError> {
        // Only hands over: the less it holds, the less of the stack each level takes.
        match self {
            Self::Number { value, .. } => Ok(*value),
            Self::Name { name, .. } => self.number_of(name, lookup),
            Self::TextComparison { name, text, equal, .. } => self.compare_text(name, text, *equal, lookup),
            Self::Sum { terms, .. } => sum(terms, lookup),
            Self::Product { factors, .. } => product(factors, lookup),
            Self::Negation { operand, .. } => operand.evaluate_with(lookup).map(|value| -value),
            Self::Power { base, exponent, .. } => {
                Ok(power(base.evaluate_with(lookup)?, exponent.evaluate_with(lookup)?))
            }
            Self::Comparison { comparison, left, right, .. } => self.compare_numbers(*comparison, left, right, lookup),
            Self::And { operands, .. } => all(operands, lookup),
            Self::Or { operands, .. } => any(operands, lookup),
            Self::Not { operand, .. } => operand.evaluate_with(lookup).map(|value| UnaryOp::Not.apply(value)),
            Self::Call { function, arguments, .. } => call(*function, arguments, lookup),
        }
    }

    fn compare_numbers<'v>(
        &self,
        comparison: Comparison,
        left: &Self,
        right: &Self,
        lookup: &impl Fn(&str) -> Option<Value<'v>>,
    ) -> Result<f64, FormulaError> {
        let side = |side: &Self| side.evaluate_with(lookup).map_err(|error| self.hint_quotes(error));
        Ok(comparison.operation().apply(side(left)?, side(right)?))
    }

    fn compare_text<'v>(
        &self,
        name: &str,
        text: &str,
        equal: bool,
        lookup: &impl Fn(&str) -> Option<Value<'v>>,
    ) -> Result<f64, FormulaError> {
        match lookup(name) {
            Some(Value::Text(value)) => Ok(indicator((value == text) == equal)),
            Some(Value::Number(_)) => {
                Err(FormulaError::new(ErrorKind::NumberAsText { name: name.to_owned() }, self.span()))
            }
            None => Err(self.unknown(name)),
        }
    }

    fn number_of<'v>(&self, name: &str, lookup: &impl Fn(&str) -> Option<Value<'v>>) -> Result<f64, FormulaError> {
        match lookup(name) {
            Some(Value::Number(value)) => Ok(value),
            Some(Value::Text(_)) => {
                Err(FormulaError::new(ErrorKind::TextAsNumber { name: name.to_owned() }, self.span()))
            }
            None => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> FormulaError {
        let kind = ErrorKind::UnknownName { name: name.to_owned(), known: Vec::new(), compared: false };
        FormulaError::new(kind, self.span())
    }

    /// Marks an unknown name that is itself a side of `==` or `!=`: it may be a text without its quotes.
    pub(crate) fn hint_quotes(&self, error: FormulaError) -> FormulaError {
        let Self::Comparison { comparison: Comparison::Equal | Comparison::NotEqual, left, right, .. } = self else {
            return error;
        };
        let ErrorKind::UnknownName { name, known, .. } = error.kind() else {
            return error;
        };
        let is_side = [left, right].into_iter().any(|side| side.as_name() == Some(name));
        if !is_side {
            return error;
        }
        let kind = ErrorKind::UnknownName { name: name.clone(), known: known.clone(), compared: true };
        error.with_kind(kind)
    }
}

fn sum<'v>(terms: &[Term], lookup: &impl Fn(&str) -> Option<Value<'v>>) -> Result<f64, FormulaError> {
    let mut sum = None;
    for term in terms {
        let value = term.value.evaluate_with(lookup)?;
        sum = Some(match (sum, term.negative) {
            (None, false) => value,
            (None, true) => -value,
            (Some(sum), false) => sum + value,
            (Some(sum), true) => sum - value,
        });
    }
    Ok(sum.unwrap_or(0.0))
}

fn product<'v>(factors: &[Factor], lookup: &impl Fn(&str) -> Option<Value<'v>>) -> Result<f64, FormulaError> {
    let mut product = None;
    for factor in factors {
        let value = factor.value.evaluate_with(lookup)?;
        product = Some(match (product, factor.inverse) {
            (None, false) => value,
            (None, true) => 1.0 / value,
            (Some(product), false) => product * value,
            (Some(product), true) => product / value,
        });
    }
    Ok(product.unwrap_or(1.0))
}

fn all<'v>(operands: &[Expr], lookup: &impl Fn(&str) -> Option<Value<'v>>) -> Result<f64, FormulaError> {
    let mut all = true;
    for operand in operands {
        all &= truth(operand.evaluate_with(lookup)?);
    }
    Ok(indicator(all))
}

fn any<'v>(operands: &[Expr], lookup: &impl Fn(&str) -> Option<Value<'v>>) -> Result<f64, FormulaError> {
    let mut any = false;
    for operand in operands {
        any |= truth(operand.evaluate_with(lookup)?);
    }
    Ok(indicator(any))
}

fn call<'v>(
    function: Function,
    arguments: &[Expr],
    lookup: &impl Fn(&str) -> Option<Value<'v>>,
) -> Result<f64, FormulaError> {
    let values = arguments.iter().map(|argument| argument.evaluate_with(lookup)).collect::<Result<Vec<f64>, _>>()?;
    Ok(function.apply(&values))
}

impl Comparison {
    pub(crate) fn operation(self) -> BinaryOp {
        match self {
            Self::Equal => BinaryOp::Equal,
            Self::NotEqual => BinaryOp::NotEqual,
            Self::Less => BinaryOp::Less,
            Self::LessEqual => BinaryOp::LessEqual,
            Self::Greater => BinaryOp::Greater,
            Self::GreaterEqual => BinaryOp::GreaterEqual,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Formula;

    fn value(text: &str) -> f64 {
        Formula::parse(text).unwrap().evaluate_at(&[("p", 4.0), ("N", 100.0), ("cpu.cores", 8.0)]).unwrap()
    }

    #[test]
    fn numbers_come_in_every_form() {
        for (text, expected) in [
            ("1e3", 1000.0),
            (".5", 0.5),
            ("1.", 1.0),
            ("1e-3", 0.001),
            ("1E+2", 100.0),
            ("1e3*p", 4000.0),
            ("007", 7.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn arithmetic_follows_the_usual_order() {
        for (text, expected) in [
            ("-2^2", -4.0),
            ("2^-3", 0.125),
            ("2^3^2", 512.0),
            ("1 - 2 - 3", -4.0),
            ("8/4/2", 1.0),
            ("2 + 3*4", 14.0),
            ("--3", 3.0),
            ("+3 - +2", 1.0),
            ("-(1 + 2)", -3.0),
            ("2*-3", -6.0),
            ("cpu.cores/p", 2.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn conditions_are_one_or_zero() {
        for (text, expected) in [
            ("p < 5", 1.0),
            ("p >= 5", 0.0),
            ("p == 4 and N == 100", 1.0),
            ("p == 4 and not N == 100", 0.0),
            ("0 or 2", 1.0),
            ("not 0.5", 0.0),
            ("0/0 or 0", 0.0),
            ("0/0 != 0/0", 1.0),
            ("if(p > 3, 10, 20)", 10.0),
            ("(p > 3) + (p > 2)", 2.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn every_function_computes() {
        for (text, expected) in [
            ("log(exp(2))", 2.0),
            ("log2(8)", 3.0),
            ("log10(1000)", 3.0),
            ("sqrt(9)", 3.0),
            ("cbrt(-27)", -3.0),
            ("pow(2, 10)", 1024.0),
            ("abs(-1)", 1.0),
            ("min(3, 1, 2)", 1.0),
            ("max(3, 1, 2)", 3.0),
            ("ceil(1.2) + floor(1.8) + round(2.5)", 6.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }
}
