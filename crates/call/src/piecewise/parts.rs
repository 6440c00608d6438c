//! Breaks and constants, as shown by commands and documents.

use runcast_core::json;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Break {
    /// The expression along which they change.
    pub variable: String,
    /// The constant that changes; all of them if there is none.
    pub constant: Option<String>,
    /// The position: in the middle between two measured values.
    #[serde(serialize_with = "json::as_number")]
    pub at: f64,
    /// Lower bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// The last measured value before it.
    #[serde(serialize_with = "json::as_number")]
    pub below: f64,
    /// The first measured value past it.
    #[serde(serialize_with = "json::as_number")]
    pub above: f64,
}

/// A constant of the formula, piece by piece.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Constant {
    /// `F[1]`
    pub name: String,
    pub pieces: Vec<Piece>,
}

/// The value of a constant, and its range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Piece {
    /// It holds where each of these does; everywhere if there is none.
    #[serde(rename = "where")]
    pub holds: Vec<Where>,
    /// The value, in the metric's unit over that of the term.
    #[serde(serialize_with = "json::as_number")]
    pub value: f64,
    /// Lower bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Measured configurations in the piece in which the term is not 0.
    pub points: usize,
    /// Whether a constant is negative that should not be.
    pub negative: bool,
}

/// `from < variable <= to`
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Where {
    pub variable: String,
    /// Lower end, not included; none at the lowest piece.
    #[serde(serialize_with = "json::as_optional_number")]
    pub from: Option<f64>,
    /// Upper end, included; none at the highest piece.
    #[serde(serialize_with = "json::as_optional_number")]
    pub to: Option<f64>,
}

impl Where {
    /// `4096 < n <= 65536`, with readable numbers; empty if nothing is bounded.
    pub fn text(&self, number: impl Fn(f64) -> String) -> String {
        let name = &self.variable;
        match (self.from, self.to) {
            (None, None) => String::new(),
            (Some(from), None) => format!("{name} > {}", number(from)),
            (None, Some(to)) => format!("{name} <= {}", number(to)),
            (Some(from), Some(to)) => format!("{} < {name} <= {}", number(from), number(to)),
        }
    }
}
