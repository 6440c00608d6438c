//! Why there is no model.

use runcast_core::Problem;
use std::fmt;

/// Why a fit is impossible, with a remedy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum NoFit {
    /// No configuration is left. Measure some, or see why they were rejected.
    Nothing {
        /// Reasons with the number of samples.
        rejected: Vec<(String, usize)>,
    },
    /// The formula, or an expression to segment by, uses a name that was not recorded.
    UnknownName { name: String, known: Vec<String> },
    /// A term is 0 in every configuration. Measure where it is not.
    ZeroTerm {
        /// Constants with the factors that are 0.
        terms: Vec<(String, String)>,
        /// What to measure: `P > 1`.
        cure: String,
    },
    /// The factors of some constants depend on each other in the measured configurations.
    Dependent {
        constants: Vec<String>,
        /// What to measure, or to drop.
        cure: String,
    },
    /// Fewer configurations than constants, and the signs do not leave one solution. Measure more.
    TooFew {
        /// Measured configurations.
        configurations: usize,
        /// Every constant of the formula.
        constants: Vec<String>,
    },
    /// The method needs one expression to segment by, or several.
    Variables { method: &'static str, needs: &'static str },
    /// A setting is out of range.
    Setting {
        /// What is wrong with it.
        message: String,
    },
    /// The fit was interrupted.
    Interrupted,
}

impl NoFit {
    /// A short stable name.
    pub fn code(&self) -> &'static str {
        match self {
            NoFit::Nothing { .. } => "no_runs",
            NoFit::UnknownName { .. } => "unknown_name",
            NoFit::ZeroTerm { .. } => "zero_term",
            NoFit::Dependent { .. } => "dependent",
            NoFit::TooFew { .. } => "too_few",
            NoFit::Variables { .. } => "segmentation",
            NoFit::Setting { .. } => "setting",
            NoFit::Interrupted => "interrupted",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            NoFit::Nothing { rejected } if rejected.is_empty() => {
                Some("no sample of this experiment was kept".to_owned())
            }
            NoFit::Nothing { .. } => None,
            NoFit::UnknownName { known, .. } => Some(format!("recorded are {}", known.join(", "))),
            NoFit::ZeroTerm { cure, .. } => Some(format!("measure {cure}, or drop the term")),
            NoFit::Dependent { cure, .. } => Some(cure.clone()),
            NoFit::TooFew { configurations, constants } => {
                let more = constants.len().saturating_sub(*configurations).max(1);
                Some(format!("measure {more} more, or drop terms; signs nonneg may leave a unique solution"))
            }
            NoFit::Variables { .. } => Some("seg NAME,.. sets them, seg auto tries all".to_owned()),
            NoFit::Setting { .. } | NoFit::Interrupted => None,
        }
    }

    /// The error as a problem for messages and documents.
    pub fn problem(&self) -> Problem {
        let mut problem = Problem::new(self.code(), self.to_string());
        problem.hint = self.hint();
        match self {
            NoFit::UnknownName { name, known } => {
                problem.value(name.as_str()).allowed(known.join(", ")).or_near(name, known.iter().map(String::as_str))
            }
            _ => problem,
        }
    }
}

impl fmt::Display for NoFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoFit::Nothing { rejected } => {
                f.write_str("there is no configuration to fit")?;
                for (index, (reason, count)) in rejected.iter().enumerate() {
                    write!(f, "{}{reason} ({count} samples)", if index == 0 { ": " } else { ", " })?;
                }
                Ok(())
            }
            NoFit::UnknownName { name, .. } => write!(f, "\"{name}\" was not recorded"),
            NoFit::ZeroTerm { terms, cure } => {
                for (index, (constant, factor)) in terms.iter().enumerate() {
                    write!(f, "{}{constant}: {factor} is 0", if index == 0 { "" } else { ", " })?;
                }
                write!(f, ": measure {cure}")
            }
            NoFit::Dependent { constants, .. } => {
                write!(f, "the terms of {} cannot be separated in these configurations", constants.join(", "))
            }
            NoFit::TooFew { configurations, constants } => write!(
                f,
                "{configurations} configurations are too few for the {} constants {}",
                constants.len(),
                constants.join(", ")
            ),
            NoFit::Variables { method, needs } => write!(f, "the method {method} needs {needs} to segment by"),
            NoFit::Setting { message } => f.write_str(message),
            NoFit::Interrupted => f.write_str("stopped before the fit was done"),
        }
    }
}

impl std::error::Error for NoFit {}
