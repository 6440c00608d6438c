//! What can be wrong with a list of numbers.

use std::fmt;

use crate::limits;
use crate::suggest::{nearest, shorten};

/// A list of numbers that cannot be read or written out. The message states what was seen and what is allowed;
/// [`hint`](Self::hint) what to write instead, where that is known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NumbersError {
    /// There are no numbers.
    Empty,
    /// A finite number was expected.
    NotANumber { found: String },
    /// A word that is not a rule.
    UnknownRule { found: String },
    /// A rule without what it needs, or with more: `powers`, `squares:2`, `range:5`.
    WrongRule {
        found: String,
        /// How the rule is written.
        usage: &'static str,
    },
    /// A step must be above 0, the first of a growing list too.
    NotPositive {
        /// What must be positive.
        what: &'static str,
        value: f64,
    },
    /// A factor must be above 1.
    NotGrowing { factor: f64 },
    /// A range ends before it starts.
    Descending { start: f64, end: f64 },
    /// A rule without an end, and no greatest number was given.
    NeedsMost { list: String },
    /// A bound is "not a number", or infinite where it must not be.
    BadBound,
    /// More numbers than [`limits::VALUES`].
    TooMany,
}

impl NumbersError {
    /// What to write instead, where that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownRule { found } => {
                let rules = ["list", "range", "powers", "multiples", "squares", "cubes"];
                nearest(found, rules).map(|near| format!("did you mean `{near}`?"))
            }
            Self::WrongRule { usage, .. } => Some(format!("write `{usage}`")),
            Self::Descending { start, end } => Some(format!("write `{end}..{start}`")),
            Self::NeedsMost { .. } => {
                Some("give the greatest number allowed, with an option such as `--max-p`".to_owned())
            }
            Self::NotGrowing { .. } => Some("`a..b+step` adds a step".to_owned()),
            _ => None,
        }
    }
}

impl std::error::Error for NumbersError {}

impl fmt::Display for NumbersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the list has no numbers"),
            Self::NotANumber { found } => write!(f, "\"{}\" is not a number", shorten(found)),
            Self::UnknownRule { found } => write!(
                f,
                "\"{}\" is not a list of numbers: allowed are 1,2,4 range:A..B:STEP powers:2 multiples:14 squares cubes \
                 A..B A..B+STEP A..B*FACTOR",
                shorten(found)
            ),
            Self::WrongRule { found, usage } => write!(f, "\"{}\" is not of the form `{usage}`", shorten(found)),
            Self::NotPositive { what, value } => write!(f, "the {what} must be above 0, found {value}"),
            Self::NotGrowing { factor } => write!(f, "the factor must be above 1, found {factor}"),
            Self::Descending { start, end } => write!(f, "the range ends at {end}, before its start at {start}"),
            Self::NeedsMost { list } => write!(f, "`{list}` has no end: it needs a maximum"),
            Self::BadBound => write!(f, "the minimum and the maximum must be numbers"),
            Self::TooMany => write!(f, "the list has more than {} numbers", limits::VALUES),
        }
    }
}
