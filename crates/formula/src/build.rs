//! Building trees in a program: named constructors and the operators of Rust.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::expr::{Comparison, Expr, Factor, Term};
use crate::{Function, Span};

impl Expr {
    pub fn number(value: f64) -> Self {
        Self::Number { value, span: Span::default() }
    }

    /// A name. One that [`is_name`](crate::is_name) does not accept can be evaluated, but not read again once printed.
    pub fn name(name: impl Into<String>) -> Self {
        Self::Name { name: name.into(), span: Span::default() }
    }

    /// A function of arguments; with a wrong number of them its value is "not a number".
    pub fn call(function: Function, arguments: impl IntoIterator<Item = Self>) -> Self {
        Self::Call { function, arguments: arguments.into_iter().collect(), span: Span::default() }
    }

    /// `self ^ exponent`.
    pub fn power(self, exponent: impl Into<Self>) -> Self {
        Self::Power { base: Box::new(self), exponent: Box::new(exponent.into()), span: Span::default() }
    }

    /// A comparison: 1 or 0.
    pub fn compare(self, comparison: Comparison, right: impl Into<Self>) -> Self {
        Self::Comparison { comparison, left: Box::new(self), right: Box::new(right.into()), span: Span::default() }
    }

    /// `if(condition, yes, no)`.
    pub fn choose(condition: Self, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        Self::call(Function::If, [condition, yes.into(), no.into()])
    }

    /// The sum of all, from left to right; 0 of none.
    ///
    /// ```
    /// use runcast_formula::Expr;
    /// assert_eq!(Expr::sum([Expr::name("a"), Expr::number(-2.0), Expr::name("b")]).to_string(), "a - 2 + b");
    /// ```
    pub fn sum(terms: impl IntoIterator<Item = Self>) -> Self {
        terms.into_iter().reduce(|sum, term| sum + term).unwrap_or_else(|| Self::number(0.0))
    }

    /// The product of all, from left to right; 1 of none.
    pub fn product(factors: impl IntoIterator<Item = Self>) -> Self {
        factors.into_iter().reduce(|product, factor| product * factor).unwrap_or_else(|| Self::number(1.0))
    }

    /// The number, if it is nothing but one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The name, if it is nothing but one.
    pub fn as_name(&self) -> Option<&str> {
        match self {
            Self::Name { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Appends a term to a sum, or begins one.
    pub(crate) fn with_term(self, negative: bool, value: Self) -> Self {
        let whole = self.span().to(value.span());
        let mut terms = match self {
            Self::Sum { terms, .. } => terms,
            first => vec![Term { negative: false, value: first }],
        };
        terms.push(Term::new(negative, value));
        Self::Sum { terms, span: whole }
    }

    /// Appends a factor to a product, or begins one.
    pub(crate) fn with_factor(self, inverse: bool, value: Self) -> Self {
        let whole = self.span().to(value.span());
        let mut factors = match self {
            Self::Product { factors, .. } => factors,
            first => vec![Factor { inverse: false, value: first }],
        };
        factors.push(Factor { inverse, value });
        Self::Product { factors, span: whole }
    }

    /// The negative; signs do not pile up.
    pub(crate) fn negated(self, span: Span) -> Self {
        match self {
            Self::Number { value, .. } => Self::Number { value: -value, span },
            Self::Negation { operand, .. } => *operand,
            operand => Self::Negation { operand: Box::new(operand), span },
        }
    }
}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Self::number(value)
    }
}

impl Neg for Expr {
    type Output = Self;

    fn neg(self) -> Self {
        self.negated(Span::default())
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $append:ident $flag:literal;)*) => {$(
        impl<T: Into<Expr>> $trait<T> for Expr {
            type Output = Self;

            fn $method(self, right: T) -> Self {
                self.$append($flag, right.into())
            }
        }

        impl $trait<Expr> for f64 {
            type Output = Expr;

            fn $method(self, right: Expr) -> Expr {
                Expr::number(self).$append($flag, right)
            }
        }
    )*};
}

operators! {
    Add add with_term false;
    Sub sub with_term true;
    Mul mul with_factor false;
    Div div with_factor true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Formula;

    #[test]
    fn what_is_built_equals_what_is_read() {
        let built = (Expr::name("a") - 2.0) * Expr::name("p").power(2.0) / (1.0 + Expr::name("b"));
        assert_eq!(&built, Formula::parse("(a - 2)*p^2/(1 + b)").unwrap().tree());
    }

    #[test]
    fn conditions_can_be_built() {
        let built = Expr::choose(Expr::name("p").compare(Comparison::LessEqual, 4.0), 1.0, Expr::name("p"));
        assert_eq!(built.to_string(), "if(p <= 4, 1, p)");
    }

    #[test]
    fn sums_and_products_of_nothing_are_neutral() {
        assert_eq!(Expr::sum([]), Expr::number(0.0));
        assert_eq!(Expr::product([]), Expr::number(1.0));
    }
}
