//! Predictions compared with runs: the arithmetic that every method shares.
//!
//! An [`EvaluationPoint`] is one prediction beside the measured value; [`summarize`] and [`histogram`] report how well
//! each model did. [`join`] finds the points for predictions made elsewhere, by any method.

mod join;
mod means;
mod summary;

pub use join::{Joined, join};
pub use means::{Means, means};
pub use summary::{HistogramBin, ModelSummary, histogram, summarize};

use crate::accuracy::{log_error, relative_error};
use crate::configuration::{Configuration, Group};
use crate::json;
use crate::problem::Warning;
use serde::{Deserialize, Serialize};

/// What `runcast evaluate` writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationDocument {
    /// `evaluate`
    pub kind: &'static str,
    /// Version of the document's shape: 1.
    pub version: u32,
    /// Warnings about the whole evaluation.
    pub warnings: Vec<Warning>,
    pub models: Vec<ModelSummary>,
    /// Every prediction with its run.
    pub points: Vec<EvaluationPoint>,
    /// Histogram of the errors.
    pub histogram: Vec<HistogramBin>,
    /// Means by what was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub means: Vec<Means>,
}

impl EvaluationDocument {
    /// Summarizes the points; adds a warning about runs without a relative error.
    pub fn new(points: Vec<EvaluationPoint>, mut warnings: Vec<Warning>) -> Self {
        let undefined = points.iter().filter(|point| point.predicted.is_some() && point.error_pct.is_none()).count();
        if undefined > 0 {
            let what = if undefined == 1 { "1 measured value is" } else { &format!("{undefined} measured values are") };
            let message = format!("{what} 0, so the relative error is undefined");
            warnings.push(Warning::new("zero_measured", message));
        }
        EvaluationDocument {
            kind: "evaluate",
            version: 1,
            warnings,
            models: summarize(&points),
            histogram: histogram(&points),
            means: Vec::new(),
            points,
        }
    }
}

/// A prediction beside the measured value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EvaluationPoint {
    /// The method that the model belongs to; empty where the predictions do not state it.
    #[serde(default)]
    pub method: String,
    /// Name of the model.
    pub model: String,
    /// The labels of the series.
    #[serde(default)]
    pub group: Group,
    /// Name of the metric's column.
    pub metric: String,
    /// SI unit of the numbers.
    #[serde(default)]
    pub unit: String,
    pub at: Configuration,
    /// The median of the repetitions.
    #[serde(serialize_with = "json::as_number")]
    pub measured: f64,
    /// The prediction; none when it was refused.
    #[serde(serialize_with = "json::as_optional_number")]
    pub predicted: Option<f64>,
    /// Relative error; none without a prediction or where the measured value is 0.
    #[serde(serialize_with = "json::as_optional_number")]
    pub error_pct: Option<f64>,
    /// Logarithmic error; none unless both are positive.
    #[serde(serialize_with = "json::as_optional_number")]
    pub re_log_pct: Option<f64>,
    /// Lower bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Nominal coverage of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub level: Option<f64>,
    /// Whether the interval held the median.
    pub covered: Option<bool>,
    /// Number of repetitions.
    #[serde(default)]
    pub runs: usize,
    /// How many of them the interval held; none without an interval.
    #[serde(default)]
    pub covered_runs: Option<usize>,
}

impl EvaluationPoint {
    /// Fills in the errors and whether the interval held, from the measured and the predicted values.
    ///
    /// # Examples
    /// ```
    /// use runcast_core::evaluation::EvaluationPoint;
    /// let point = EvaluationPoint { measured: 10.0, predicted: Some(5.0), ..Default::default() }.scored();
    /// assert_eq!((point.error_pct, point.re_log_pct), (Some(50.0), Some(100.0)));
    /// ```
    #[must_use]
    pub fn scored(self) -> Self {
        let measured = self.measured;
        self.scored_by_runs(&[measured])
    }

    /// The same, with the repetitions whose median was measured: each is compared with the interval.
    ///
    /// # Examples
    /// ```
    /// use runcast_core::evaluation::EvaluationPoint;
    /// let bounds = EvaluationPoint { predicted: Some(10.0), low: Some(9.5), high: Some(10.4), ..Default::default() };
    /// let point = EvaluationPoint { measured: 10.2, ..bounds }.scored_by_runs(&[10.0, 10.2, 10.6]);
    /// assert_eq!((point.covered, point.runs, point.covered_runs), (Some(true), 3, Some(2)));
    /// ```
    #[must_use]
    pub fn scored_by_runs(mut self, runs: &[f64]) -> Self {
        let finite = |value: &f64| value.is_finite();
        self.error_pct =
            self.predicted.map(|predicted| 100.0 * relative_error(predicted, self.measured)).filter(finite);
        self.re_log_pct = self
            .predicted
            .and_then(|predicted| log_error(predicted, self.measured))
            .map(|error| 100.0 * error)
            .filter(finite);
        let range = match (self.predicted, self.low, self.high) {
            (Some(_), Some(low), Some(high)) => Some(low..=high),
            _ => None,
        };
        self.covered = range.as_ref().map(|range| range.contains(&self.measured));
        self.runs = runs.len();
        self.covered_runs = range.map(|range| runs.iter().filter(|run| range.contains(run)).count());
        self
    }
}
