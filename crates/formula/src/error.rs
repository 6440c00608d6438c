//! What can be wrong with a formula, and where.

use std::fmt;
use std::ops::Range;

use crate::Function;
use crate::span::Span;
use crate::suggest::{nearest_name, shorten};

mod hint;
mod pointer;

/// A formula that cannot be read, or that cannot be evaluated with the names at hand.
///
/// The message says what is wrong; [`hint`](Self::hint) what to write instead, where that is known;
/// [`pointer`](Self::pointer) shows the place.
///
/// ```
/// use runcast_formula::Formula;
///
/// let text = "a*p + 2n";
/// let error = Formula::parse(text).unwrap_err();
/// assert_eq!(error.to_string(), "an operator is missing between `2` and `n`");
/// assert_eq!(error.hint().as_deref(), Some("write `2*n` for a product; units are not allowed in formulas"));
/// assert_eq!((error.span(), error.column()), (7..8, 8));
/// assert_eq!(error.pointer(text), "a*p + 2n\n       ^");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FormulaError {
    // Boxed, so that the results that pass through the recursion of the parser are small.
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: ErrorKind,
    span: Span,
    column: usize,
}

/// The kinds of [`FormulaError`], with what was seen and what is allowed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is nothing but white space.
    Empty,
    /// The text is longer than [`limits::LENGTH`](crate::limits::LENGTH).
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// Parts are nested deeper than [`limits::DEPTH`](crate::limits::DEPTH).
    TooDeep,
    /// There are more parts than [`limits::NODES`](crate::limits::NODES).
    TooManyParts,
    /// A character, or several, that the language does not have.
    UnexpectedCharacter {
        /// The character or the operator of another language.
        found: String,
    },
    /// A text without its closing quote.
    UnclosedText,
    /// A number above the largest that can be computed with, about 1.8e308.
    NumberTooLarge {
        /// As written.
        number: String,
    },
    /// Two operands side by side: `2n`, `a b`, `(a)(b)`.
    MissingOperator {
        /// The end of the left operand.
        before: String,
        /// The beginning of the right one.
        after: String,
    },
    /// A number, name or bracket should be here.
    MissingOperand {
        /// What is here; none at the end of the text.
        found: Option<String>,
    },
    /// An opening bracket that is never closed.
    UnclosedBracket,
    /// A closing bracket that was never opened.
    UnopenedBracket,
    /// A comma outside the arguments of a function.
    MisplacedComma,
    /// `a < b < c`.
    ChainedComparison,
    /// A text anywhere else than beside `==` or `!=` and a name.
    MisplacedText,
    /// `not` as an operand of something that binds tighter.
    MisplacedNot,
    /// A name before a bracket that is not a function.
    UnknownFunction { name: String },
    /// A function with too few or too many arguments.
    WrongArguments {
        function: Function,
        /// How many arguments it was given.
        found: usize,
    },
    /// A name that has no value.
    UnknownName {
        name: String,
        /// The names that have one; empty if not known here.
        known: Vec<String>,
        /// Whether it is a side of `==` or `!=`: it may be a text without its quotes.
        compared: bool,
    },
    /// A name of a label, used as a number.
    TextAsNumber { name: String },
    /// A name of a number, compared with a text.
    NumberAsText { name: String },
    /// A call of a program with a number of columns other than that of its names.
    WrongColumns {
        /// How many columns it was given.
        found: usize,
        /// How many names it was compiled for.
        wanted: usize,
    },
    /// A column with a number of rows other than that of the results.
    WrongRows {
        /// The name of the column.
        name: String,
        /// How many rows the column has.
        found: usize,
        /// How many results there are to be.
        wanted: usize,
    },
}

impl FormulaError {
    pub(crate) fn new(kind: ErrorKind, span: Span) -> Self {
        Self { inner: Box::new(Inner { kind, span, column: span.range().start + 1 }) }
    }

    /// Another kind of error at the same place.
    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.inner.kind = kind;
        self
    }

    /// The same error with its column known.
    pub(crate) fn at_column(mut self, column: usize) -> Self {
        self.inner.column = column;
        self
    }

    /// Counts the column in the text that the span refers to.
    pub(crate) fn located(mut self, source: &str) -> Self {
        let start = self.inner.span.range().start;
        self.inner.column = source.char_indices().take_while(|(offset, _)| *offset < start).count() + 1;
        self
    }

    /// Adds the names that have a value to an unknown name, for the message and the hint.
    pub fn with_known_names<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        if let ErrorKind::UnknownName { known, .. } = &mut self.inner.kind {
            *known = names.into_iter().map(str::to_owned).collect();
        }
        self
    }

    /// What is wrong, as data.
    pub fn kind(&self) -> &ErrorKind {
        &self.inner.kind
    }

    /// Where, in bytes of the text.
    pub fn span(&self) -> Range<usize> {
        self.inner.span.range()
    }

    /// Where it begins, in characters from 1.
    pub fn column(&self) -> usize {
        self.inner.column
    }

    /// What to write instead, where that is known.
    pub fn hint(&self) -> Option<String> {
        hint::hint(&self.inner.kind)
    }

    /// The line of the source that is meant, with a caret below each wrong character.
    ///
    /// Of a long line only the surroundings of the error are shown. Expects the text that was parsed; with another one
    /// the carets may stand anywhere.
    pub fn pointer(&self, source: &str) -> String {
        pointer::pointer(source, self.span())
    }
}

impl std::error::Error for FormulaError {}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner.kind {
            ErrorKind::Empty => write!(f, "the formula is empty"),
            ErrorKind::TooLong { length } => {
                write!(f, "the formula is too long: {length} bytes, at most {} are allowed", crate::limits::LENGTH)
            }
            ErrorKind::TooDeep => {
                write!(f, "the formula is nested too deeply: at most {} levels are allowed", crate::limits::DEPTH)
            }
            ErrorKind::TooManyParts => {
                write!(f, "the formula has too many parts: at most {} are allowed", crate::limits::NODES)
            }
            ErrorKind::UnexpectedCharacter { found } => write!(f, "unexpected `{}`", shorten(found)),
            ErrorKind::UnclosedText => write!(f, "the text has no closing quote"),
            ErrorKind::NumberTooLarge { number } => write!(f, "the number `{}` is too large", shorten(number)),
            ErrorKind::MissingOperator { before, after } => {
                write!(f, "an operator is missing between `{}` and `{}`", shorten(before), shorten(after))
            }
            ErrorKind::MissingOperand { found: Some(found) } => {
                write!(f, "expected a number, a name or a bracket, found `{}`", shorten(found))
            }
            ErrorKind::MissingOperand { found: None } => {
                write!(f, "expected a number, a name or a bracket, but the formula ends")
            }
            ErrorKind::UnclosedBracket => write!(f, "the bracket is never closed"),
            ErrorKind::UnopenedBracket => write!(f, "the bracket was never opened"),
            ErrorKind::MisplacedComma => write!(f, "a comma is allowed between the arguments of a function only"),
            ErrorKind::ChainedComparison => write!(f, "comparisons cannot be chained"),
            ErrorKind::MisplacedText => write!(f, "a text can only be compared with a name, by == or !="),
            ErrorKind::MisplacedNot => write!(f, "`not` needs brackets here"),
            ErrorKind::UnknownFunction { name } => write!(f, "unknown function `{}`", shorten(name)),
            ErrorKind::WrongArguments { function, found } => {
                let (name, least) = (function.name(), *function.arity().start());
                let plural = if least == 1 { "" } else { "s" };
                let bound = if *function.arity().end() == usize::MAX { "at least " } else { "" };
                write!(f, "`{name}` takes {bound}{least} argument{plural}, found {found}")
            }
            ErrorKind::UnknownName { name, .. } => write!(f, "unknown name `{}`", shorten(name)),
            ErrorKind::TextAsNumber { name } => write!(f, "`{}` is a text, not a number", shorten(name)),
            ErrorKind::NumberAsText { name } => write!(f, "`{}` is a number, not a text", shorten(name)),
            ErrorKind::WrongColumns { found, wanted } => {
                write!(f, "the formula was compiled for {wanted} columns, found {found}")
            }
            ErrorKind::WrongRows { name, found, wanted } => {
                write!(f, "column `{}` has {found} rows, expected {wanted}", shorten(name))
            }
        }
    }
}
