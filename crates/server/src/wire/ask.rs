//! Questions of the first page and their answers, as they go over the wire.

use runcast_commands::ask::{Question, Which};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A question.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"question": "larger", "fields": {"p": 256}})))]
pub struct Ask {
    /// Which.
    #[cfg_attr(test, schema(value_type = QuestionName))]
    pub question: Which,
    /// Fields by name; those that are absent or empty have their defaults.
    #[serde(default)]
    #[cfg_attr(test, schema(value_type = Object))]
    pub fields: Map<String, Value>,
    /// The project whose files the fields name; samples stand in for those that it lacks.
    #[serde(default)]
    pub project: Option<String>,
    /// Files by path, before those of the project: what was dropped on the page.
    #[serde(default)]
    pub files: std::collections::BTreeMap<String, String>,
}

/// What is asked.
#[cfg(test)]
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "snake_case")]
#[allow(dead_code, reason = "for the document; the commands have the like")]
pub enum QuestionName {
    /// How many processes shall I ask for? `source`, `max_p`, `goal`, `column`
    Processes,
    /// Which machine shall I buy? `application`, `systems`, `by`
    Machine,
    /// What limits my program? `source`, `p`, `causes`
    Limits,
    /// What if the network were twice as fast? `experiment`, `what`, `factor`, `p`
    Network,
    /// Synchronous or asynchronous? `model`, `p`, `digits`
    Asynchronous,
    /// How long will a larger run take? `source`, `p`, `size`, `column`
    Larger,
}

impl Ask {
    /// As the commands take it.
    pub fn question(&self) -> Question {
        Question { question: self.question, fields: self.fields.clone() }
    }
}

/// An answer.
#[cfg(test)]
#[derive(utoipa::ToSchema)]
#[allow(dead_code, reason = "for the document; the process of the answer writes it")]
pub struct Told {
    /// In one sentence, with its range or why it has none.
    pub sentence: String,
    /// The number that it is about.
    pub value: Option<f64>,
    /// Lower end of its range.
    pub low: Option<f64>,
    /// Upper end of its range.
    pub high: Option<f64>,
    /// Probability of the range.
    pub level: Option<f64>,
    /// SI unit of the number.
    pub unit: String,
    /// The same in a shell.
    pub commands: Vec<String>,
    /// What these commands print under `--json`.
    #[schema(value_type = Vec<Object>)]
    pub documents: Vec<Value>,
    /// How the picture is looked at, as the query of an address.
    pub view: String,
    /// What the answer rests on.
    pub assumptions: Vec<String>,
    /// The fields with everything that was filled in.
    #[schema(value_type = Object)]
    pub fields: Map<String, Value>,
    /// The picture as numbers: `x`, `y`, `unit`, `points`, `bars`, `measured_to`.
    #[schema(value_type = Object)]
    pub picture: Value,
    /// Causes and parts, largest first.
    pub why: Vec<String>,
    /// Files that were filled in for the answer, by path.
    #[schema(value_type = Object)]
    pub files: Map<String, Value>,
    /// How a table was read.
    pub read_as: Option<String>,
}
