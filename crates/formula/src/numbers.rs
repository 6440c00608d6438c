//! Lists of numbers, as in `--processes` or in a plan: given one by one, or by a rule.
//!
//! | written | means | needs a maximum |
//! |---|---|---|
//! | `1,2,4` or `list:1,2,4` | these, in this order | |
//! | `range:14..210:14`, `14..210+14` | 14, 28, .., 210 | |
//! | `range:1..64`, `1..64` | 1, 2, .., 64 | |
//! | `1..64*2` | 1, 2, 4, .., 64 | |
//! | `powers:2` | 1, 2, 4, .. | yes |
//! | `multiples:14` | 14, 28, .. | yes |
//! | `squares` | 1, 4, 9, .. | yes |
//! | `cubes` | 1, 8, 27, .. | yes |

use std::fmt;
use std::str::FromStr;

mod error;
mod expand;
mod parse;

pub use error::NumbersError;

/// A list of numbers that was read but not yet written out.
///
/// ```
/// use runcast_formula::numbers::NumberList;
///
/// let processes = NumberList::parse("range:14..210:14")?;
/// assert_eq!(processes.expand(None, Some(50.0))?, [14.0, 28.0, 42.0]);
/// let powers = NumberList::parse("powers:2")?;
/// assert_eq!(powers.expand(Some(4.0), Some(20.0))?, [4.0, 8.0, 16.0]);
/// assert_eq!(powers.expand(None, None).unwrap_err().to_string(), "`powers:2` has no end: it needs a maximum");
/// # Ok::<(), runcast_formula::numbers::NumbersError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NumberList {
    rule: Rule,
}

#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    Values(Vec<f64>),
    /// From `start` in steps of `step` while not beyond `end`.
    Range {
        /// The first.
        start: f64,
        /// The last, if the steps hit it.
        end: f64,
        /// Above 0.
        step: f64,
    },
    /// From `start`, each `factor` times the one before, while not beyond `end`.
    Growth {
        /// The first, above 0.
        start: f64,
        /// The last, if the products hit it.
        end: f64,
        /// Above 1.
        factor: f64,
    },
    /// The powers of `base` from 1 on.
    Powers {
        /// Above 1.
        base: f64,
    },
    /// `step`, 2 `step`, 3 `step`, ..
    Multiples {
        /// Above 0.
        step: f64,
    },
    /// 1, 4, 9, ..
    Squares,
    /// 1, 8, 27, ..
    Cubes,
}

impl NumberList {
    /// Reads a list.
    ///
    /// # Errors
    /// Something that is not a finite number, an unknown rule, a step or factor that does not lead upwards, too many
    /// values.
    pub fn parse(text: &str) -> Result<Self, NumbersError> {
        Ok(Self { rule: parse::parse(text)? })
    }

    /// A list of given values, as an array in TOML has them.
    ///
    /// # Errors
    /// No values, too many, or one that is not finite.
    pub fn from_values(values: Vec<f64>) -> Result<Self, NumbersError> {
        Ok(Self { rule: parse::values(values)? })
    }

    /// Whether the list has no end of its own, so that [`expand`](Self::expand) needs a maximum.
    pub fn is_unbounded(&self) -> bool {
        matches!(self.rule, Rule::Powers { .. } | Rule::Multiples { .. } | Rule::Squares | Rule::Cubes)
    }

    /// The numbers from `least` to `most`, both included; also of a list given one by one. May be empty.
    ///
    /// Steps are counted from the start, not added up, and rounded to the decimals of start and step: `0..1+0.1` has
    /// the number 0.3 and ends with 1.
    ///
    /// # Errors
    /// A rule without an end and no `most`, a bound that is not a number, more than
    /// [`limits::VALUES`](crate::limits::VALUES) numbers.
    pub fn expand(&self, least: Option<f64>, most: Option<f64>) -> Result<Vec<f64>, NumbersError> {
        expand::expand(self, least, most)
    }
}

impl FromStr for NumberList {
    type Err = NumbersError;

    fn from_str(text: &str) -> Result<Self, NumbersError> {
        Self::parse(text)
    }
}

impl fmt::Display for NumberList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rule {
            Rule::Values(values) => {
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{}{value:?}", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Rule::Range { start, end, step } => write!(f, "range:{start:?}..{end:?}:{step:?}"),
            Rule::Growth { start, end, factor } => write!(f, "{start:?}..{end:?}*{factor:?}"),
            Rule::Powers { base } => write!(f, "powers:{base:?}"),
            Rule::Multiples { step } => write!(f, "multiples:{step:?}"),
            Rule::Squares => f.write_str("squares"),
            Rule::Cubes => f.write_str("cubes"),
        }
    }
}
