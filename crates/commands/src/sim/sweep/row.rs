//! A point of a sweep computed elsewhere.

use runcast_sim::exchanged::Exchange;
use runcast_sim::world::Scaled;
use serde::{Deserialize, Serialize};

/// A point of a sweep: a row of its table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The cells of the row, without those that need all rows.
    pub cells: Vec<String>,
    /// Of the first point: what exchanged hardware does to the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchange: Vec<Exchange>,
    /// Of the first point: coefficients that follow exchanged hardware.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaled: Vec<Scaled>,
}
