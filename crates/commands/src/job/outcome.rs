//! The output of a job, as the command itself would have returned it.

use super::http::{Body, Server, encoded};
use crate::document::Document;
use crate::failure::Failure;
use crate::output::{Content, Destination, OutFile, Output};
use crate::sim::sweep;
use runcast_core::{Problem, Problems, Warning};
use serde_json::{Value, json};
use std::path::Path;

/// The output of a job that is over: its document, what it shows, its files.
///
/// # Errors
/// The job failed or was cancelled, the server does not answer or refuses.
pub(super) fn of(server: &Server, job: &Value) -> Result<Output, Failure> {
    let id = job["id"].as_str().unwrap_or_default();
    let document = match job["state"].as_str() {
        Some("succeeded" | "failed") => optional(server, &format!("/jobs/{id}/document"))?,
        _ => None,
    };
    let document = document.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let is_whole_sweep = document.as_ref().is_some_and(|document| is_whole_sweep(document, job));
    let warnings = match &document {
        // What is wrong with its points is known when they are together.
        Some(document) if is_whole_sweep => &document["warnings"],
        _ => &job["warnings"],
    };
    let warnings: Vec<Warning> = serde_json::from_value(warnings.clone()).unwrap_or_default();
    match job["state"].as_str() {
        Some("succeeded") => {}
        // Some combinations, or all, could not be simulated; a session ended at a command: that is an answer, too.
        Some("failed") if is_whole_sweep || document.as_ref().is_some_and(|document| is_answer(document, job)) => {}
        Some("cancelled") => {
            return Err(Failure::undone(
                Problem::new("cancelled", format!("job {id} was cancelled"))
                    .hint("runcast job retry takes it up again"),
            ));
        }
        _ => return Err(failure(job)),
    }
    let output = Output { document: document.map(Document::new), ..Output::default().warned(warnings) };
    // What may be written where was looked at before the job began.
    let mut output = output.into_folder("");
    if let Some(bytes) = optional(server, &format!("/jobs/{id}/text"))? {
        output.human = String::from_utf8_lossy(&bytes).into_owned();
    }
    for name in names(server, id)? {
        let bytes = server.expect("GET", &address(id, &name), Body::None)?.body;
        output = output.noted(format!("wrote {name}"));
        output.files.push(OutFile { to: Destination::Path(name.into()), content: Content::Bytes(bytes) });
    }
    let points = |field: &str| job[field].as_u64().unwrap_or_default() as usize;
    if is_whole_sweep {
        return Ok(sweep::judged(output, points("points_failed"), points("points_total")));
    }
    if job["state"] == "failed" {
        let Failure { problems, exit } = failure(job);
        output.problems = problems.0;
        return Ok(output.exit(exit));
    }
    Ok(output)
}

/// Whether a command gave what it had before it failed.
fn is_answer(document: &Value, job: &Value) -> bool {
    let kind = document["kind"].as_str();
    kind.is_some_and(|kind| kind != "error" && kind != "sim-sweep")
        && matches!(job["error"]["code"].as_str(), Some("input" | "failed"))
}

/// Whether it is a sweep each of whose points has its row, simulated or failed.
fn is_whole_sweep(document: &Value, job: &Value) -> bool {
    let rows = document["rows"].as_array().map(|rows| rows.len() as u64);
    document["kind"] == "sim-sweep" && rows == job["points_total"].as_u64()
}

/// Writes everything that a job made into a folder.
///
/// # Errors
/// The server does not answer or refuses.
pub(super) fn fetch(server: &Server, id: &str, folder: Option<&Path>) -> Result<Output, Failure> {
    let folder = folder.unwrap_or(Path::new("."));
    let mut output = Output::default().into_folder(folder);
    let mut written = Vec::new();
    let mut put = |name: String, bytes: Vec<u8>, output: &mut Output| {
        output.files.push(OutFile { to: Destination::Path(folder.join(&name)), content: Content::Bytes(bytes) });
        written.push(name);
    };
    for (what, name) in
        [("document", "document.json"), ("table", "table.csv"), ("timeline", "timeline.json"), ("log", "log.txt")]
    {
        if let Some(bytes) = optional(server, &format!("/jobs/{}/{what}", encoded(id)))? {
            put(name.to_owned(), bytes, &mut output);
        }
    }
    for name in names(server, id)? {
        let bytes = server.expect("GET", &address(id, &name), Body::None)?.body;
        put(name, bytes, &mut output);
    }
    output.document =
        Some(Document::new(json!({"kind": "job-fetch", "version": 1, "id": id, "files": written.clone()})));
    for name in written {
        output = output.noted(format!("wrote {}", folder.join(name).display()));
    }
    Ok(output)
}

/// Why a job failed, with the exit code that the command itself would have had.
fn failure(job: &Value) -> Failure {
    let error = &job["error"];
    let code = error["code"].as_str().unwrap_or("failed");
    let mut problems: Vec<Problem> = serde_json::from_value(error["problems"].clone()).unwrap_or_default();
    if problems.is_empty() {
        problems.push(Problem::new(code, error["message"].as_str().unwrap_or("the job failed")));
    }
    Failure { problems: Problems(problems), exit: if code == "input" { 2 } else { 1 } }
}

/// The names of the files that a job made.
fn names(server: &Server, id: &str) -> Result<Vec<String>, Failure> {
    let answer = server.json("GET", &format!("/jobs/{}/files", encoded(id)), Body::None)?;
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    let names = items.iter().filter_map(|item| item["name"].as_str());
    Ok(names.filter(|name| is_plain(name)).map(str::to_owned).collect())
}

/// Whether a name stays in the folder that it is written into: a server is not trusted with the disk.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn address(id: &str, name: &str) -> String {
    let parts: Vec<String> = name.split('/').map(encoded).collect();
    format!("/jobs/{}/files/{}", encoded(id), parts.join("/"))
}

/// What may be there or not.
fn optional(server: &Server, path: &str) -> Result<Option<Vec<u8>>, Failure> {
    let answer = server.ask("GET", path, &[], Body::None)?;
    match answer.status {
        404 | 409 => Ok(None),
        _ if answer.is_good() => Ok(Some(answer.body)),
        _ => Err(answer.refusal()),
    }
}
