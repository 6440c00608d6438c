//! What came out of the process of a task, as it is stored.

use crate::task::Outcome;
use runcast_commands::remote::Row;
use runcast_core::Problem;
use runcast_store::jobs::Output;
use runcast_store::queue::{Ending, Finish, PointRecord};
use serde_json::{Value, json};

/// Why a point of a sweep failed, as its row says.
pub fn reason(record: &str) -> Option<String> {
    let row: Row = serde_json::from_str(record).ok()?;
    row.cells.iter().find_map(|cell| cell.strip_prefix("failed: ")).map(str::to_owned)
}

/// What is stored at the end of an attempt, with points that are not stored yet: the task's number if it is one of a sweep,
/// and why the first of its points failed.
pub fn finish(
    outcome: Outcome,
    mut points: Vec<PointRecord>,
    task_of_sweep: Option<i64>,
    reason: Option<String>,
) -> Finish {
    let (code, is_sweep) = (outcome.code, task_of_sweep.is_some());
    if !is_sweep && code.is_none() {
        let record = json!({"exit": outcome.exit}).to_string();
        points.push(PointRecord { point: 0, failed: false, record, cpu_s: outcome.cpu_s });
    }
    let error = code.map(|code| {
        let first = outcome.problems.first().map(|problem| problem.message.as_str());
        json!({"code": code.name(), "message": first.unwrap_or(code.message()), "problems": outcome.problems})
    });
    let error = error.or_else(|| {
        let reason = reason?;
        let message = format!("not all combinations could be simulated; the first: {reason}");
        Some(json!({"code": "failed", "message": message, "problems": [Problem::new("not_simulated", reason)]}))
    });
    let warnings: Vec<Value> = outcome.warnings.iter().map(|warning| json!(warning)).collect();
    Finish {
        ending: if code.is_none() { Ending::Succeeded } else { Ending::Failed },
        code: code.map(|code| code.name().to_owned()),
        error,
        points,
        cpu_s: outcome.cpu_s,
        outputs: outputs_of(outcome, task_of_sweep),
        warnings,
    }
}

fn outputs_of(outcome: Outcome, task_of_sweep: Option<i64>) -> Vec<Output> {
    let mut log = outcome.log;
    let mut tell = |word: &str, text: &str| log.extend(format!("{word}: {text}\n").into_bytes());
    outcome.notes.iter().for_each(|note| tell("note", note));
    outcome.warnings.iter().for_each(|warning| tell("warning", &format!("{} ({})", warning.message, warning.code)));
    outcome.problems.iter().for_each(|problem| tell("error", &problem.to_string()));
    let output =
        |name: &str, media: &str, bytes: Vec<u8>| Output { name: name.to_owned(), media: media.to_owned(), bytes };
    let mut outputs = Vec::new();
    if !log.is_empty() {
        let name = task_of_sweep.map_or_else(|| "log".to_owned(), |number| format!("log/{number:06}"));
        outputs.push(output(&name, "text/plain; charset=utf-8", log));
    }
    if let Some(document) = outcome.document {
        outputs.push(output("document", "application/json", document));
    }
    if let Some(table) = outcome.table {
        outputs.push(output("table", "text/csv; charset=utf-8", table));
    }
    if let Some(timeline) = outcome.timeline {
        outputs.push(output("timeline", "application/json", timeline));
    }
    if task_of_sweep.is_none() {
        outputs.push(output("human", "text/plain; charset=utf-8", outcome.human));
    }
    for (path, bytes) in outcome.outputs {
        outputs.push(output(&format!("file/{path}"), media_of(&path), bytes));
    }
    outputs
}

/// The media type of a file, by its name.
fn media_of(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "csv" => "text/csv; charset=utf-8",
        "json" => "application/json",
        "toml" => "application/toml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "html" => "text/html; charset=utf-8",
        "txt" | "md" | "luau" | "lua" | "c" | "h" | "cpp" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
