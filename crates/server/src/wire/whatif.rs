//! What editors ask while they draw, as it goes over the wire.

use runcast_commands::whatif::remarks::Remark;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What if the files were these?
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"session": "k3v9", "seq": 1, "experiment": "experiments/heat.toml", "files": {}})))]
pub struct WhatIf {
    /// The editor: a word of its own.
    #[cfg_attr(test, schema(min_length = 1, max_length = 64))]
    pub session: String,
    /// Rises with each request of the session: a later one ends the one before.
    pub seq: u64,
    /// The path of the experiment.
    pub experiment: String,
    /// The version that the changes are made from: what others have saved since is merged with them, as by a save.
    #[serde(default)]
    pub base_etag: Option<String>,
    /// Changed files by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Where the curve is; absent: up to 9 numbers of processes about the current one.
    #[serde(default)]
    pub curve: Option<CurveWish>,
    /// `time_s`, `energy_j`, `expected_time_s`, `failure_probability`, `cost`; the time is always there.
    #[serde(default)]
    pub metrics: Vec<String>,
    /// Milliseconds after which points are looked at less closely; 150 where absent.
    #[serde(default)]
    #[cfg_attr(test, schema(minimum = 1, maximum = 5000))]
    pub budget_ms: Option<u64>,
}

/// Values of a parameter.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CurveWish {
    /// The parameter.
    pub param: String,
    /// Its values; empty: some about the current one.
    #[serde(default)]
    pub values: Vec<f64>,
}

/// A line of the answer.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WhatIfLine {
    /// A configuration.
    Point(PointLine),
    /// The curve is the one before.
    Unchanged {
        /// Why.
        because: String,
    },
    /// What physics says of the system.
    Remarks {
        /// Code, message, part, mend.
        #[cfg_attr(test, schema(value_type = Vec<Object>))]
        items: Vec<Remark>,
    },
    /// The last line.
    End(End),
}

/// How it ended.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct End {
    /// `done`, `budget`, `superseded` or `error`.
    pub reason: String,
    /// How many there were.
    pub points: u64,
    /// Processor time.
    pub cpu_ms: f64,
    /// Whether others have saved since `base_etag`, and the curve is of what a save would make of both.
    pub merged: bool,
    /// What is wrong, where the reason is an error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<super::Trouble>,
}

/// A configuration and its time.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct PointLine {
    /// Parameters of the curve.
    pub at: BTreeMap<String, f64>,
    /// Null: it cannot be simulated.
    #[cfg_attr(test, schema(required))]
    pub time_s: Option<f64>,
    /// Lower end of its range.
    #[cfg_attr(test, schema(required))]
    pub low_s: Option<f64>,
    /// Upper end of its range.
    #[cfg_attr(test, schema(required))]
    pub high_s: Option<f64>,
    /// How closely it was looked at.
    pub fidelity: String,
    /// Whether it was known.
    pub cached: bool,
    /// `quick look` where the budget did not allow more; why there is no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Other metrics.
    #[serde(flatten)]
    #[cfg_attr(test, schema(value_type = Object))]
    pub others: BTreeMap<String, f64>,
}
