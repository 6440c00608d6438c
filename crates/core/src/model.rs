//! The model document: what `runcast fit` and `llac` write and every other command reads.

use crate::configuration::{Configuration, Group};
use crate::json;
use crate::metric::Direction;
use crate::problem::Warning;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Fitted models of one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelDocument {
    /// The command that wrote it: `fit` or `llac`.
    pub kind: String,
    /// Version of the document's shape: 1.
    pub version: u32,
    pub table: TableSummary,
    /// Warnings about the table as a whole.
    pub warnings: Vec<Warning>,
    /// Series for which no model was found.
    pub failed: Vec<FailedSeries>,
    /// A model per series and requested kind.
    pub models: Vec<ModelEntry>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableSummary {
    /// The files, as named by the user.
    pub files: Vec<String>,
    /// Rows that count.
    pub rows: usize,
    /// Distinct configurations.
    pub configurations: usize,
    /// Names of the parameters.
    pub parameters: Vec<String>,
}

/// A series without a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedSeries {
    /// The labels of the series.
    pub group: Group,
    /// Name of the metric's column.
    pub metric: String,
    /// The model that was asked for.
    pub model: String,
    /// Why there is none.
    pub reason: String,
    /// The line of the table that causes it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// A fitted model of one series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelEntry {
    /// The labels of the series.
    pub group: Group,
    /// Name of the metric's column.
    pub metric: String,
    /// SI unit of the predicted numbers.
    pub unit: String,
    /// Which way is better.
    pub direction: Direction,
    /// Name of the model in the registry.
    pub model: String,
    /// The model in the formula language.
    pub formula: String,
    /// Growth class: `constant`, `p^(3/2)*log2(p)^2`.
    pub class: String,
    /// The terms of a sum of products of powers and logs.
    #[serde(default)]
    pub terms: Vec<Term>,
    /// Coefficients by name.
    #[serde(default, serialize_with = "json::numbers_by_name")]
    pub coefficients: IndexMap<String, f64>,
    /// Numerical rank of the design.
    #[serde(default)]
    pub rank: Option<usize>,
    /// Condition number of the design with its columns scaled to one.
    #[serde(default, serialize_with = "json::as_optional_number")]
    pub condition: Option<f64>,
    /// `strong`, `weak`, `wide`, `grid` or `single`.
    pub scaling: String,
    /// Number of configurations that it was fitted to.
    pub points: usize,
    /// Number of runs that it was fitted to.
    pub repetitions: usize,
    /// Smallest and largest measured value of each parameter.
    #[serde(serialize_with = "json::ranges")]
    pub range: IndexMap<String, [f64; 2]>,
    /// How repetitions became one number.
    pub aggregate: String,
    /// Columns left out of the design, and why.
    #[serde(default)]
    pub dropped: Vec<DroppedColumn>,
    /// Members of a combined model.
    #[serde(default)]
    pub members: Vec<Member>,
    /// Pieces of a segmented model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<Segment>,
    /// Warnings about this series.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// How well it fits.
    pub quality: Quality,
    /// The aggregated runs and the options of the fit: a reloaded model derives its intervals from these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<Training>,
    /// Fields of other writers, preserved.
    #[serde(flatten)]
    pub extra: IndexMap<String, Value>,
}

/// A coefficient times a product of powers and logs of parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The factors of the term.
    pub coefficient: f64,
    /// `parameter^power * log2(parameter)^log_power`, multiplied; none for the constant.
    pub factors: Vec<Factor>,
}

/// `parameter^power * log2(parameter)^log_power`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    pub parameter: String,
    /// Exponent of the parameter.
    pub power: f64,
    /// Exponent of its base-2 logarithm.
    pub log_power: f64,
}

/// A column that is collinear with the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DroppedColumn {
    /// The column, such as `log2(N)`.
    pub column: String,
    /// Why: `collinear`.
    pub reason: String,
}

/// A member of a combined model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub model: String,
    pub formula: String,
    /// Growth class.
    pub class: String,
}

/// A piece of a segmented model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// First value of the parameter in the piece.
    pub from: f64,
    /// Last value of the parameter in the piece.
    pub to: f64,
    pub formula: String,
    /// Growth class.
    pub class: String,
    pub terms: Vec<Term>,
    pub coefficients: IndexMap<String, f64>,
}

/// How well a model fits the runs that it was fitted to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// In-sample SMAPE.
    #[serde(serialize_with = "json::as_optional_number")]
    pub smape_pct: Option<f64>,
    /// SMAPE on points left out, where the selection computes one.
    #[serde(serialize_with = "json::as_optional_number")]
    pub validation_smape_pct: Option<f64>,
    /// Mean relative error, where the method reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_error_pct: Option<f64>,
    /// Median relative error.
    #[serde(serialize_with = "json::as_optional_number")]
    pub median_error_pct: Option<f64>,
    /// Largest relative error.
    #[serde(serialize_with = "json::as_optional_number")]
    pub max_error_pct: Option<f64>,
    /// Share of the variance explained.
    #[serde(serialize_with = "json::as_optional_number")]
    pub r2: Option<f64>,
    /// Typical relative spread of the repetitions (root mean square of their coefficients of variation).
    #[serde(serialize_with = "json::as_optional_number")]
    pub noise_pct: Option<f64>,
}

/// What a model was fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Which parameter counts processes.
    pub process_parameter: Option<String>,
    /// The measured configurations with all repetitions.
    pub points: Vec<TrainingPoint>,
    /// Options of the fit that change its result.
    pub options: Value,
}

/// A configuration with its repetitions in SI units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingPoint {
    pub at: Configuration,
    /// Every repetition.
    #[serde(serialize_with = "json::as_numbers")]
    pub values: Vec<f64>,
}
