//! Formulas as sums of unknown coefficients times known terms.
//!
//! ```text
//! f(unknowns, names) = offset(names) + sum_k unknown_k * factor_k(names)
//! ```
//!
//! This is what a linear regression needs: the factors are the columns of its matrix. Products are distributed over
//! sums as far as the unknowns make it necessary, an unknown that occurs several times gets the sum of its factors, and
//! `if` may choose between expressions of unknowns as long as its condition has none.

use std::fmt;

use crate::expr::Expr;
use crate::span::Span;
use crate::suggest::shorten;

mod linear;

/// A formula as a sum of unknowns times known factors, and an offset.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearForm {
    /// One for each unknown, in the order in which they were given.
    pub terms: Vec<LinearTerm>,
    /// The part without unknowns; 0 if all terms have one.
    pub offset: Expr,
}

/// An unknown and its known factor.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTerm {
    pub unknown: String,
    pub factor: Expr,
}

/// A formula that is not linear in its unknowns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CanonicalError {
    pub kind: CanonicalErrorKind,
    /// The part of the formula that is meant; the empty span if it is all of it.
    pub span: Span,
}

/// The kinds of [`CanonicalError`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CanonicalErrorKind {
    /// There are no unknowns at all. Name at least one.
    NoUnknowns,
    /// An unknown was given twice.
    Repeated { unknown: String },
    /// An unknown does not occur in the formula. Leave it out, or correct its name.
    Unused { unknown: String },
    /// An unknown occurs, but what it is multiplied by is zero everywhere.
    Cancels { unknown: String },
    /// Two unknowns are multiplied by each other, or one by itself.
    Product {
        /// An unknown of the one factor.
        left: String,
        /// An unknown of the other.
        right: String,
    },
    /// An unknown is in a position where the value is not proportional to it.
    NotLinear {
        unknown: String,
        /// Its position: "a divisor", "the argument of `log`".
        place: String,
    },
    /// Written out, the terms would have more parts than [`limits::NODES`](crate::limits::NODES).
    TooManyParts,
}

/// Writes an expression as a sum of unknowns times known factors.
///
/// # Errors
/// No unknowns, one that is given twice or does not occur, and every place where the expression is not linear in them.
///
/// ```
/// use runcast_formula::Formula;
/// use runcast_formula::canonical::linear_terms;
///
/// let time = Formula::parse("a*(p + N) + (b*N^3 + c)/p - a + 5")?;
/// let form = linear_terms(time.tree(), &["a", "b", "c"])?;
/// let factors: Vec<String> = form.terms.iter().map(|term| term.factor.to_string()).collect();
/// assert_eq!(factors, ["p + N - 1", "N^3/p", "1/p"]);
/// assert_eq!(form.offset.to_string(), "5");
///
/// let error = linear_terms(Formula::parse("a*p^b")?.tree(), &["a", "b"]).unwrap_err();
/// assert_eq!(error.to_string(), "not linear in `b`: it is in an exponent");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn linear_terms(expr: &Expr, unknowns: &[&str]) -> Result<LinearForm, CanonicalError> {
    linear::linear_terms(expr, unknowns)
}

impl LinearForm {
    /// The formula with a value in place of each unknown, in the order of the terms; terms without a value are left out.
    ///
    /// ```
    /// # use runcast_formula::Formula;
    /// # use runcast_formula::canonical::linear_terms;
    /// let form = linear_terms(Formula::parse("a + b*log2(p)")?.tree(), &["a", "b"])?;
    /// assert_eq!(form.with_values(&[66.95, -2.573]).to_string(), "66.95 - 2.573*log2(p)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_values(&self, values: &[f64]) -> Expr {
        let mut whole: Option<Expr> = None;
        for (term, &value) in self.terms.iter().zip(values) {
            let negative = whole.is_some() && value.is_sign_negative();
            let product = times(if negative { -value } else { value }, &term.factor);
            whole = Some(match whole {
                Some(whole) => whole.with_term(negative, product),
                None => product,
            });
        }
        match (whole, self.offset.as_number()) {
            (Some(whole), Some(0.0)) => whole,
            (Some(whole), _) => whole + self.offset.clone(),
            (None, _) => self.offset.clone(),
        }
    }
}

/// A number times a factor, without needless ones: `2/p`, not `2*(1/p)` or `2*1/p`.
fn times(value: f64, factor: &Expr) -> Expr {
    match factor {
        Expr::Number { value: 1.0, .. } => Expr::number(value),
        Expr::Product { factors, .. } => {
            let is_one = factors.first().is_some_and(|first| !first.inverse && first.value.as_number() == Some(1.0));
            let skipped = usize::from(is_one);
            let rest = factors.iter().skip(skipped);
            rest.fold(Expr::number(value), |product, factor| product.with_factor(factor.inverse, factor.value.clone()))
        }
        factor => Expr::number(value) * factor.clone(),
    }
}

impl std::error::Error for CanonicalError {}

impl fmt::Display for CanonicalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            CanonicalErrorKind::NoUnknowns => write!(f, "no unknowns were given"),
            CanonicalErrorKind::Repeated { unknown } => write!(f, "the unknown `{}` was given twice", shorten(unknown)),
            CanonicalErrorKind::Unused { unknown } => {
                write!(f, "the unknown `{}` does not occur in the formula", shorten(unknown))
            }
            CanonicalErrorKind::Cancels { unknown } => {
                write!(f, "the unknown `{}` has no effect: its terms cancel", shorten(unknown))
            }
            CanonicalErrorKind::Product { left, right } if left == right => {
                write!(f, "not linear: `{}` is multiplied by itself", shorten(left))
            }
            CanonicalErrorKind::Product { left, right } => {
                write!(f, "not linear: `{}` is multiplied by `{}`", shorten(left), shorten(right))
            }
            CanonicalErrorKind::NotLinear { unknown, place } => {
                write!(f, "not linear in `{}`: it is in {place}", shorten(unknown))
            }
            CanonicalErrorKind::TooManyParts => {
                write!(f, "written out, the terms have more than {} parts", crate::limits::NODES)
            }
        }
    }
}
