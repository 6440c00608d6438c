//! Commands that are answered at once: calculations and dry runs.

use crate::wire::trouble::Trouble;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A command to be run at once; nothing of it is stored.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({
    "argv": [
        "plan", "--scaling", "weak", "--complexity", "N^2", "--constant", "p=1,N=100", "--processes", "1,4,16", "--size", "N",
    ],
})))]
pub struct Compute {
    /// The command line without `runcast`.
    pub argv: Vec<String>,
    /// Files by path, beside those of the project and before them.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// A project whose files can be read, too.
    #[serde(default)]
    pub project: Option<String>,
}

/// A script to be looked at.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({
    "path": "applications/pair.luau",
    "content": "label{ \"pair\", count = 2, run = function(rank) if rank == 0 then send{ to = 1, size = 8 } else recv{ from = 0 } end end }",
    "params": {},
})))]
pub struct DryRunWish {
    /// The path that errors show.
    #[cfg_attr(test, schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}){0,3}$"))]
    pub path: String,
    /// The script.
    pub content: String,
    /// Values of parameters: numbers, or texts such as `"8KiB"`.
    #[serde(default)]
    #[cfg_attr(test, schema(value_type = Object))]
    pub params: BTreeMap<String, ParameterValue>,
    /// The project that it belongs to.
    #[serde(default)]
    pub project: Option<String>,
}

/// A server-sent event, as its fields.
#[derive(Debug)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[allow(dead_code, reason = "for the document; the stream writes these as text")]
pub struct StreamedEvent {
    /// `job`, `progress`, `log`, `file`, `comment`, `presence`, `ping` or `reset`.
    pub event: String,
    /// Rises; `Last-Event-ID` takes it.
    pub id: String,
    /// JSON.
    pub data: String,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(untagged, expecting = "no value of a parameter, expected a number or a text such as \"8KiB\"")]
pub enum ParameterValue {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// What a script says of an application before any time is known.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct DryRun {
    /// Its parameters.
    pub params: Vec<DryRunParameter>,
    /// Its labels.
    pub labels: Vec<DryRunLabel>,
    /// Who sends to whom.
    pub edges: Vec<DryRunEdge>,
    /// How often which operation is done, all processes together; `messages` and `bytes` in all.
    #[cfg_attr(test, schema(value_type = Object))]
    pub counts: BTreeMap<String, u64>,
    /// Calls of collectives by label; their messages depend on the algorithm and are not among the edges.
    pub collectives: Vec<DryRunCollective>,
    /// What the script said by `log`.
    pub log: Vec<String>,
    /// What is wrong, and what could not be checked.
    pub problems: Vec<Trouble>,
}

/// A parameter of a script.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct DryRunParameter {
    /// Its name.
    pub name: String,
    /// The default value: a number or a text.
    #[cfg_attr(test, schema(value_type = Value))]
    pub default: serde_json::Value,
    /// What it means.
    pub help: String,
    /// Its value here.
    #[cfg_attr(test, schema(value_type = Value))]
    pub value: serde_json::Value,
}

/// A label of a script.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct DryRunLabel {
    /// Its name.
    pub name: String,
    /// Its multiplicity.
    pub count: u64,
}

/// Messages between the processes of two labels.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct DryRunEdge {
    /// The sending label.
    pub from: String,
    /// The receiving label.
    pub to: String,
    /// Messages in all.
    pub messages: u64,
    /// Their bytes in all.
    pub bytes: u64,
}

/// Calls of a collective.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct DryRunCollective {
    /// Which.
    pub name: String,
    /// Whose.
    pub label: String,
    /// How often the group made it.
    pub calls: u64,
    /// Bytes as MPI counts them, all calls together.
    pub bytes: u64,
}

impl From<runcast_sim::dry_run::DryRun> for DryRun {
    fn from(found: runcast_sim::dry_run::DryRun) -> Self {
        DryRun {
            params: found
                .params
                .into_iter()
                .map(|p| DryRunParameter { name: p.name, default: p.default, help: p.help, value: p.value })
                .collect(),
            labels: found.labels.into_iter().map(|l| DryRunLabel { name: l.name, count: l.count }).collect(),
            edges: found
                .edges
                .into_iter()
                .map(|e| DryRunEdge { from: e.from, to: e.to, messages: e.messages, bytes: e.bytes })
                .collect(),
            counts: found.counts,
            collectives: found
                .collectives
                .into_iter()
                .map(|c| DryRunCollective { name: c.name, label: c.label, calls: c.calls, bytes: c.bytes })
                .collect(),
            log: found.log,
            problems: Trouble::all(&found.problems),
        }
    }
}
