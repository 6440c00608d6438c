//! The functions of the language: one line each.

use std::ops::RangeInclusive;

use crate::arithmetic::{BinaryOp, UnaryOp, truth};

/// A function of the formula language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `log(x)`: the natural logarithm.
    Log,
    /// `log2(x)`: the logarithm to base 2.
    Log2,
    /// `log10(x)`: the logarithm to base 10.
    Log10,
    /// `sqrt(x)`: the square root.
    Sqrt,
    /// `cbrt(x)`: the cube root, also of negative numbers.
    Cbrt,
    /// `exp(x)`: e to the power x.
    Exp,
    /// `pow(x, y)`: the same as `x^y`.
    Pow,
    /// `abs(x)`: the absolute value.
    Abs,
    /// `min(a, b, ..)`: the least; "not a number" if one of them is.
    Min,
    /// `max(a, b, ..)`: the greatest; "not a number" if one of them is.
    Max,
    /// `ceil(x)`: the least integer that is not below x.
    Ceil,
    /// `floor(x)`: the greatest integer that is not above x.
    Floor,
    /// `round(x)`: the nearest integer, halves away from zero.
    Round,
    /// `if(condition, a, b)`: a where the condition is true, else b.
    If,
}

impl Function {
    /// Every function, in the order in which error messages list them.
    pub const ALL: [Self; 14] = [
        Self::Log,
        Self::Log2,
        Self::Log10,
        Self::Sqrt,
        Self::Cbrt,
        Self::Exp,
        Self::Pow,
        Self::Abs,
        Self::Min,
        Self::Max,
        Self::Ceil,
        Self::Floor,
        Self::Round,
        Self::If,
    ];

    /// The name in a formula.
    pub fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Log2 => "log2",
            Self::Log10 => "log10",
            Self::Sqrt => "sqrt",
            Self::Cbrt => "cbrt",
            Self::Exp => "exp",
            Self::Pow => "pow",
            Self::Abs => "abs",
            Self::Min => "min",
            Self::Max => "max",
            Self::Ceil => "ceil",
            Self::Floor => "floor",
            Self::Round => "round",
            Self::If => "if",
        }
    }

    /// The function of that name, if there is one. Names are case-sensitive.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// How many arguments it takes.
    pub fn arity(self) -> RangeInclusive<usize> {
        match self {
            Self::Pow => 2..=2,
            Self::If => 3..=3,
            Self::Min | Self::Max => 1..=usize::MAX,
            _ => 1..=1,
        }
    }

    /// The value for the given arguments; "not a number" when their count is wrong.
    ///
    /// ```
    /// use runcast_formula::Function;
    /// assert_eq!(Function::Max.apply(&[1.0, 3.0, 2.0]), 3.0);
    /// assert_eq!(Function::If.apply(&[0.0, 1.0, 2.0]), 2.0);
    /// ```
    pub fn apply(self, arguments: &[f64]) -> f64 {
        match (self.operation(), arguments) {
            (Operation::Unary(op), &[x]) => op.apply(x),
            (Operation::Fold(BinaryOp::Power), &[x, y]) => BinaryOp::Power.apply(x, y),
            (Operation::Fold(op), &[first, ref rest @ ..]) if op != BinaryOp::Power => {
                rest.iter().fold(first, |least, &x| op.apply(least, x))
            }
            (Operation::Select, &[condition, a, b]) => {
                if truth(condition) {
                    a
                } else {
                    b
                }
            }
            _ => f64::NAN,
        }
    }

    pub(crate) fn operation(self) -> Operation {
        match self {
            Self::Log => Operation::Unary(UnaryOp::Log),
            Self::Log2 => Operation::Unary(UnaryOp::Log2),
            Self::Log10 => Operation::Unary(UnaryOp::Log10),
            Self::Sqrt => Operation::Unary(UnaryOp::Sqrt),
            Self::Cbrt => Operation::Unary(UnaryOp::Cbrt),
            Self::Exp => Operation::Unary(UnaryOp::Exp),
            Self::Abs => Operation::Unary(UnaryOp::Abs),
            Self::Ceil => Operation::Unary(UnaryOp::Ceil),
            Self::Floor => Operation::Unary(UnaryOp::Floor),
            Self::Round => Operation::Unary(UnaryOp::Round),
            Self::Pow => Operation::Fold(BinaryOp::Power),
            Self::Min => Operation::Fold(BinaryOp::Min),
            Self::Max => Operation::Fold(BinaryOp::Max),
            Self::If => Operation::Select,
        }
    }
}

/// What a function does with its arguments.
pub(crate) enum Operation {
    Unary(UnaryOp),
    /// From left to right over all arguments.
    Fold(BinaryOp),
    Select,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_functions() {
        for function in Function::ALL {
            assert_eq!(Function::from_name(function.name()), Some(function));
        }
        assert_eq!(Function::from_name("LOG"), None);
    }

    #[test]
    fn minimum_and_maximum_keep_what_is_not_a_number() {
        assert!(Function::Min.apply(&[f64::NAN, 1.0]).is_nan());
        assert!(Function::Max.apply(&[1.0, f64::NAN]).is_nan());
        assert_eq!(Function::Min.apply(&[2.0]), 2.0);
    }

    #[test]
    fn a_wrong_count_of_arguments_has_no_value() {
        assert!(Function::Log.apply(&[]).is_nan());
        assert!(Function::Pow.apply(&[1.0, 2.0, 3.0]).is_nan());
    }
}
