//! Lists of results and comparisons, as they go over the wire.

use crate::wire::jobs::{Job, JobState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which results are asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct ResultFilter {
    /// How many items (1 to 500).
    #[cfg_attr(test, param(default = 50, minimum = 1, maximum = 500))]
    pub limit: Option<i64>,
    /// Where to go on: `next` of the page before.
    pub cursor: Option<String>,
    /// Words that title, command, parameters or labels have.
    pub q: Option<String>,
    /// The first words of the command: `sim sweep`.
    pub kind: Option<String>,
    /// Only those in this state.
    pub state: Option<JobState>,
    /// Columns whose values are told, with commas between.
    pub columns: Option<String>,
    /// `created`, `finished`, `title`, `command`, `state`, `by`, `points`; `-` before it: the largest first.
    #[cfg_attr(test, param(default = "-created"))]
    pub sort: Option<String>,
}

/// A result in a list.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ResultItem {
    /// Its job.
    #[serde(flatten)]
    pub job: Job,
    /// The answer in one sentence.
    #[cfg_attr(test, schema(required))]
    pub sentence: Option<String>,
    /// Its first picture, small: the path of an SVG of 100 by 40.
    #[cfg_attr(test, schema(required))]
    pub thumbnail: Option<String>,
    /// Of the columns asked for: their value, or `[least, largest]`, or a list of words.
    #[cfg_attr(test, schema(value_type = Object))]
    pub values: BTreeMap<String, serde_json::Value>,
    /// Names of its columns.
    pub columns: Vec<String>,
}

/// Columns that the list of results shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"columns": ["p", "time_s"]})))]
pub struct ChosenColumns {
    /// By name.
    #[cfg_attr(test, schema(max_items = 20))]
    pub columns: Vec<String>,
}

/// What is compared.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"items": [{"table": "tables/runs.csv"}, {"model": "models/fit.json", "label": "fit"}]})))]
pub struct CompareWish {
    /// Results, tables, models.
    #[cfg_attr(test, schema(min_items = 1, max_items = 20))]
    pub items: Vec<CompareItem>,
    /// The metric.
    #[serde(default)]
    pub metric: Option<String>,
    /// Models are fitted to the runs for which this holds, too: `p <= 8`.
    #[serde(default)]
    pub train: Option<String>,
    /// Configurations beside those of the runs: `p=64,N=1000`.
    #[serde(default)]
    pub at: Vec<String>,
}

/// One of what is compared: a job, a table or a model.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CompareItem {
    /// The id of a job with a table.
    #[serde(default)]
    pub job: Option<String>,
    /// The path of a table.
    #[serde(default)]
    pub table: Option<String>,
    /// The path of a model, or of another file that forecasts.
    #[serde(default)]
    pub model: Option<String>,
    /// What it is called.
    #[serde(default)]
    #[cfg_attr(test, schema(max_length = 64))]
    pub label: Option<String>,
}

/// What is searched for.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct SearchQuery {
    /// Words.
    pub q: String,
    /// The project that is searched; names of projects where absent.
    pub project: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Found {
    /// `file`, `result` or `project`.
    pub kind: String,
    /// What it is called.
    pub title: String,
    /// Of a file; the command line of a result.
    pub path: String,
    /// The address of its page.
    pub url: String,
}
