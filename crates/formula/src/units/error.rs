//! What can be wrong with a quantity.

use std::fmt;

use super::dimension::{Dimension, Powers};
use crate::suggest::shorten;

/// A quantity that cannot be read. The message states what was seen and what is allowed; [`hint`](Self::hint) what to
/// write instead, where that is known.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum QuantityError {
    /// There is nothing but white space.
    Empty,
    /// It does not begin with a number; `nan` and `inf` are none.
    NotANumber { text: String },
    /// The number, or its value in SI base units, is too large to compute with.
    TooLarge { text: String },
    /// A unit that is not in the table. Write one of the allowed ones.
    UnknownUnit {
        text: String,
        /// The part of the unit that is not known.
        symbol: String,
        /// What should be measured, if it is known.
        wanted: Option<Dimension>,
    },
    /// A unit of something else. Write one of the allowed ones.
    WrongDimension {
        text: String,
        /// What the unit measures.
        seen: Powers,
        /// What should be measured.
        wanted: Dimension,
    },
}

impl QuantityError {
    /// What to write instead, where that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownUnit { symbol, .. } => super::table::advice(symbol).map(str::to_owned),
            _ => None,
        }
    }
}

impl std::error::Error for QuantityError {}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "expected a number with or without a unit, found nothing"),
            Self::NotANumber { text } => write!(f, "\"{}\" does not begin with a number", shorten(text)),
            Self::TooLarge { text } => write!(f, "\"{}\" is too large", shorten(text)),
            Self::UnknownUnit { text, symbol, wanted } => {
                write!(f, "unknown unit `{}` in \"{}\"", shorten(symbol), shorten(text))?;
                match wanted {
                    Some(wanted) => allowed(f, *wanted),
                    None => Ok(()),
                }
            }
            Self::WrongDimension { text, seen, wanted } => {
                let known = Dimension::ALL.into_iter().find(|dimension| dimension.powers() == *seen);
                match known {
                    Some(known) => write!(f, "\"{}\" is {known}, expected {wanted}", shorten(text))?,
                    None => write!(f, "\"{}\" is in {}, expected {wanted}", shorten(text), seen.unit())?,
                }
                allowed(f, *wanted)
            }
        }
    }
}

fn allowed(f: &mut fmt::Formatter<'_>, wanted: Dimension) -> fmt::Result {
    match wanted.usual_units() {
        [] => write!(f, ": no unit is allowed here"),
        units => write!(f, ": allowed are {} and the like", units.join(" ")),
    }
}
