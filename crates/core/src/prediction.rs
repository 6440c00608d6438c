//! Predictions: a value, an interval with its level, and how far they lie from what was measured.

use crate::configuration::{Configuration, Group};
use crate::json;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// What a model says of one configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The labels of the series.
    pub group: Group,
    /// Name of the metric's column.
    pub metric: String,
    /// SI unit of the numbers beside it; empty for a bare number.
    pub unit: String,
    /// Name of the model.
    pub model: String,
    /// The target.
    pub at: Configuration,
    /// The predicted value; none when it was refused.
    #[serde(serialize_with = "json::as_optional_number")]
    pub value: Option<f64>,
    /// Lower bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Probability that the interval is to hold.
    pub level: f64,
    /// Which of `intervals` `low` and `high` are: `conformal` or `parametric`; none where there is none.
    pub interval: Option<String>,
    /// Every interval that could be given, by name.
    pub intervals: IndexMap<String, Option<Interval>>,
    /// Whether the target lies outside the measured range.
    pub extrapolates: bool,
    /// For each parameter, how many times beyond the measured range (1 within).
    #[serde(serialize_with = "json::numbers_by_name")]
    pub distance: IndexMap<String, f64>,
    /// The largest of the distances.
    #[serde(serialize_with = "json::as_number")]
    pub horizon: f64,
    /// Whether to trust it.
    pub verdict: Verdict,
    /// What the members of a combined model say.
    pub members: Vec<MemberValue>,
    /// Codes of the warnings, explained at the top of the document.
    pub warnings: Vec<String>,
}

/// Bounds, both positive for a positive metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// What one member of a combined model says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberValue {
    /// Name of the member.
    pub model: String,
    /// Its prediction; none where it has none.
    #[serde(serialize_with = "json::as_optional_number")]
    pub value: Option<f64>,
}

/// How far a prediction may be trusted; the first that holds is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No number can be given.
    Refused,
    /// The members of the model are more than a factor of two apart.
    Disagree,
    /// Only two or three configurations were measured.
    FewPoints,
    /// Nothing speaks against it.
    Ok,
}
