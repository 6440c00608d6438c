//! The tree of a formula.

use crate::Function;
use crate::span::Span;

/// A formula as a tree, or a part of one.
///
/// Sums, products, `and` and `or` are flat lists evaluated from left to right, so that long chains do not nest. Two
/// trees are equal when they mean the same, wherever they are in a text. [`Display`](std::fmt::Display) writes the
/// formula language with as few brackets as possible; reading that again gives a tree with the same values.
///
/// Other programs build trees from [`Expr::number`], [`Expr::name`], [`Expr::call`] and the operators of Rust:
///
/// ```
/// use runcast_formula::{Expr, Function};
///
/// let p = || Expr::name("p");
/// let model = Expr::number(66.95) + 2.573 * Expr::call(Function::Log2, [p()]) - p().power(1.5) / 3.0;
/// assert_eq!(model.to_string(), "66.95 + 2.573*log2(p) - p^1.5/3");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number; may be negative.
    Number { value: f64, span: Span },
    /// A name that stands for a number.
    Name {
        /// The name, with its dots.
        name: String,
        span: Span,
    },
    /// `label == "text"` or `label != "text"`.
    TextComparison {
        /// The name of the label.
        name: String,
        /// What it is compared with, without the quotes.
        text: String,
        /// `==` if true, `!=` if false.
        equal: bool,
        span: Span,
    },
    /// `a + b - c`.
    Sum {
        /// The terms, in order.
        terms: Vec<Term>,
        span: Span,
    },
    /// `a * b / c`.
    Product {
        /// The factors, in order.
        factors: Vec<Factor>,
        span: Span,
    },
    /// `-a`.
    Negation { operand: Box<Expr>, span: Span },
    /// `a^b`.
    Power {
        base: Box<Expr>,
        /// b.
        exponent: Box<Expr>,
        span: Span,
    },
    /// `a <= b` and the like: 1 or 0.
    Comparison { comparison: Comparison, left: Box<Expr>, right: Box<Expr>, span: Span },
    /// `a and b and c`: 1 or 0.
    And {
        /// All of these must be true.
        operands: Vec<Expr>,
        span: Span,
    },
    /// `a or b or c`: 1 or 0.
    Or {
        /// One of these must be true.
        operands: Vec<Expr>,
        span: Span,
    },
    /// `not a`: 1 or 0.
    Not {
        /// What must not be true.
        operand: Box<Expr>,
        span: Span,
    },
    /// `log2(p)` and the like.
    Call { function: Function, arguments: Vec<Expr>, span: Span },
}

/// The parts of an expression by the way they are kept: terms, factors, a list, one or two.
type Parts<'a> = (&'a [Term], &'a [Factor], &'a [Expr], [Option<&'a Expr>; 2]);

/// A term of a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Whether it is subtracted.
    pub negative: bool,
    /// What is added or subtracted.
    pub value: Expr,
}

impl Term {
    /// A term in its plain form: `a - -b` is `a + b`, to the bit.
    pub(crate) fn new(negative: bool, value: Expr) -> Self {
        match value {
            Expr::Number { value, span } if value.is_sign_negative() && value.is_finite() => {
                Self { negative: !negative, value: Expr::Number { value: -value, span } }
            }
            Expr::Negation { operand, .. } => Self { negative: !negative, value: *operand },
            value => Self { negative, value },
        }
    }
}

/// A factor of a product.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Whether the product is divided by it.
    pub inverse: bool,
    /// What is multiplied by or divided by.
    pub value: Expr,
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

impl Expr {
    /// Where it is in the text it was read from; empty for what a program built.
    pub fn span(&self) -> Span {
        match self {
            Self::Number { span, .. }
            | Self::Name { span, .. }
            | Self::TextComparison { span, .. }
            | Self::Sum { span, .. }
            | Self::Product { span, .. }
            | Self::Negation { span, .. }
            | Self::Power { span, .. }
            | Self::Comparison { span, .. }
            | Self::And { span, .. }
            | Self::Or { span, .. }
            | Self::Not { span, .. }
            | Self::Call { span, .. } => *span,
        }
    }

    /// The parts directly below this one, from left to right.
    ///
    /// ```
    /// use runcast_formula::Formula;
    /// let sum = Formula::parse("a*p + b")?;
    /// let parts: Vec<String> = sum.tree().children().map(|part| part.to_string()).collect();
    /// assert_eq!(parts, ["a*p", "b"]);
    /// # Ok::<(), runcast_formula::FormulaError>(())
    /// ```
    pub fn children(&self) -> impl Iterator<Item = &Self> {
        let (terms, factors, list, pair): Parts<'_> = match self {
            Self::Number { .. } | Self::Name { .. } | Self::TextComparison { .. } => (&[], &[], &[], [None, None]),
            Self::Sum { terms, .. } => (terms, &[], &[], [None, None]),
            Self::Product { factors, .. } => (&[], factors, &[], [None, None]),
            Self::Negation { operand, .. } | Self::Not { operand, .. } => (&[], &[], &[], [Some(&**operand), None]),
            Self::Power { base, exponent, .. } => (&[], &[], &[], [Some(&**base), Some(&**exponent)]),
            Self::Comparison { left, right, .. } => (&[], &[], &[], [Some(&**left), Some(&**right)]),
            Self::And { operands, .. } | Self::Or { operands, .. } => (&[], &[], operands, [None, None]),
            Self::Call { arguments, .. } => (&[], &[], arguments, [None, None]),
        };
        let terms = terms.iter().map(|term| &term.value);
        let factors = factors.iter().map(|factor| &factor.value);
        terms.chain(factors).chain(list).chain(pair.into_iter().flatten())
    }

    /// Calls `visit` with this part and all below it, each before its own parts.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// The distinct names, numbers and labels alike, in the order of their first use.
    pub fn names(&self) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let mut names = Vec::new();
        self.walk(&mut |part| {
            if let Self::Name { name, .. } | Self::TextComparison { name, .. } = part
                && seen.insert(name.as_str())
            {
                names.push(name.clone());
            }
        });
        names
    }
}
