//! Errors of costs.

use super::costs::{LEAST_S, MOST_ELEMENTS, MOST_S};
use runcast_formula::units::format_quantity_digits;
use thiserror::Error;

/// Costs that no algorithm can have. The message states the value seen, [`CostError::allowed`] what to give instead.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CostError {
    /// The list has no element, or too many to count exactly.
    #[error("a list of {length} elements")]
    ListLength { length: u64 },
    /// A time is negative, not finite, or out of range.
    #[error("{key} is {} s", shown(*seconds))]
    Time {
        /// The key of the time: `latency`, `map`, ..
        key: &'static str,
        /// The time seen, in seconds.
        seconds: f64,
    },
    /// The master is busy for longer than a message takes.
    #[error("overhead, {} s, is more than latency, {} s", shown(*overhead_s), shown(*latency_s))]
    Overhead {
        overhead_s: f64,
        /// The latency that it is a part of.
        latency_s: f64,
    },
    /// A count of operations or numbers is negative or not finite.
    #[error("the count of {key} is {}", shown(*count))]
    Count {
        /// The key of the count: `map`, `send`, ..
        key: &'static str,
        count: f64,
    },
    /// An uncertain time whose bounds do not enclose it, or are not positive.
    #[error("value {}, low {}, high {} are not an interval", shown(*value), shown(*low), shown(*high))]
    Interval { value: f64, low: f64, high: f64 },
    /// A level that is not a probability.
    #[error("the level is {level}")]
    Level { level: f64 },
    /// A number of workers that the list cannot occupy.
    #[error("{workers} workers for a list of {most} elements")]
    Workers {
        /// The requested number.
        workers: u64,
        /// The length of the list.
        most: u64,
    },
}

impl CostError {
    /// The key that is wrong.
    pub fn key(&self) -> &'static str {
        match self {
            CostError::ListLength { .. } => "list_length",
            CostError::Time { key, .. } | CostError::Count { key, .. } => key,
            CostError::Overhead { .. } => "overhead",
            CostError::Interval { .. } => "value",
            CostError::Level { .. } => "level",
            CostError::Workers { .. } => "workers",
        }
    }

    /// What to give instead.
    pub fn allowed(&self) -> String {
        match self {
            CostError::ListLength { .. } => format!("a whole number from 1 to {MOST_ELEMENTS}"),
            CostError::Time { .. } => format!("0, or {LEAST_S:e} s to {MOST_S:e} s"),
            CostError::Overhead { latency_s, .. } => format!("0 s to {} s", shown(*latency_s)),
            CostError::Count { .. } => "a number of 0 or more".to_owned(),
            CostError::Interval { .. } => {
                format!("0 < low <= value <= high, from {LEAST_S:e} s to {MOST_S:e} s")
            }
            CostError::Level { .. } => "a number between 0 and 1, such as 0.9".to_owned(),
            CostError::Workers { most, .. } => format!("1 to {most}"),
        }
    }
}

/// A number in a message, kept short.
pub(super) fn shown(value: f64) -> String {
    match value {
        _ if value.is_nan() => "not a number".to_owned(),
        _ if value.is_infinite() => "infinite".to_owned(),
        _ => format_quantity_digits(value, "", 6),
    }
}
