//! What stands in the way of a fit.

use thiserror::Error;

/// What stands in the way of a fit. The message tells what was seen; [`FitError::allowed`] what to give instead.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// Three coefficients need times at three worker counts at least: measure more of them.
    #[error("too few different numbers of workers for a fit: {found}")]
    TooFewWorkerCounts {
        /// How many there are.
        found: usize,
    },
    /// A time that is no time.
    #[error("a time of {time_s} s at {workers} workers")]
    Time {
        /// At so many workers.
        workers: u64,
        time_s: f64,
    },
    /// A number of workers that the list cannot occupy.
    #[error("{workers} workers for a list of {most} elements")]
    Workers {
        workers: u64,
        /// The length of the list, where it is known.
        most: u64,
    },
    /// Granular needs the length of the list.
    #[error("the granular form needs the length of the list")]
    NoListLength,
    /// Exact is smooth with a constant less, which the fixed part takes up.
    #[error("the exact form differs from smooth by a constant, which no fit can tell from the fixed part")]
    ExactIsSmooth,
    /// Times so small or so large that the problem leaves the range of numbers.
    #[error("the times are too small or too large to be fitted")]
    OutOfRange,
}

impl FitError {
    /// What to give instead.
    pub fn allowed(&self) -> String {
        match self {
            FitError::TooFewWorkerCounts { .. } => "3 or more".to_owned(),
            FitError::Time { .. } | FitError::OutOfRange => "times that are positive and finite".to_owned(),
            FitError::Workers { most, .. } => format!("1 to {most}"),
            FitError::NoListLength => "a whole number, 1 or more".to_owned(),
            FitError::ExactIsSmooth => "smooth, granular".to_owned(),
        }
    }
}
