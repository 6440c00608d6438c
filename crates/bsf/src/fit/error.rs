//! Why a fit is impossible.

use thiserror::Error;

/// Why a fit is impossible. The message states the value seen, [`FitError::allowed`] what to give instead.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// Three coefficients need times at three or more worker counts: measure more of them.
    #[error("too few different numbers of workers for a fit: {found}")]
    TooFewWorkerCounts {
        /// Number of different worker counts.
        found: usize,
    },
    /// A time that is not positive and finite.
    #[error("a time of {time_s} s at {workers} workers")]
    Time {
        /// Number of workers.
        workers: u64,
        time_s: f64,
    },
    /// A number of workers that the list cannot occupy.
    #[error("{workers} workers for a list of {most} elements")]
    Workers {
        workers: u64,
        /// The length of the list, if known.
        most: u64,
    },
    /// Granular needs the length of the list.
    #[error("the granular form needs the length of the list")]
    NoListLength,
    /// The exact form is smooth minus a constant, which the fixed part absorbs.
    #[error("the exact form differs from smooth by a constant, which no fit can separate from the fixed part")]
    ExactIsSmooth,
    /// Times so small or so large that the computation overflows.
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
