//! Jobs as a server lists them, in tables and documents.

use super::http::{Body, Server, encoded};
use crate::context::Context;
use crate::failure::Failure;
use crate::human::{DASH, Table};
use crate::output::Output;
use serde_json::{Value, json};

/// The newest jobs of a project.
///
/// # Errors
/// The server does not answer, or refuses.
pub(super) fn list(server: &Server, project: &str, limit: u16, context: &Context) -> Result<Output, Failure> {
    let path = format!("/projects/{}/jobs?limit={limit}", encoded(project));
    let mut answer = server.json("GET", &path, Body::None)?;
    let items = answer["items"].take();
    let mut table = Table::new().text("job").text("state").text("points").text("by").text("created").text("command");
    for job in items.as_array().into_iter().flatten() {
        let (before, after) = (["id", "state"], ["created_by", "created_at", "command_line"]);
        let texts = |fields: &[&str]| fields.iter().map(|field| text(job, field)).collect::<Vec<_>>();
        table.row([texts(&before), vec![points(job)], texts(&after)].concat());
    }
    let human = table.render(context.screen);
    Ok(Output::of(json!({"kind": "job-list", "version": 1, "items": items, "next": answer["next"]})).human(human))
}

/// All about a job.
///
/// # Errors
/// The server does not answer, or refuses.
pub(super) fn show(server: &Server, id: &str) -> Result<Output, Failure> {
    let job = server.json("GET", &format!("/jobs/{}", encoded(id)), Body::None)?;
    let mut human = String::new();
    let mut line = |what: &str, value: String| human.push_str(&format!("{what:<10} {value}\n"));
    line("job", text(&job, "id"));
    line("command", text(&job, "command_line"));
    line("state", text(&job, "state"));
    line("points", points(&job));
    line("priority", job["priority"].to_string());
    line("created", format!("{} by {}", text(&job, "created_at"), text(&job, "created_by")));
    line("started", text(&job, "started_at"));
    line("finished", text(&job, "finished_at"));
    for file in job["files"].as_array().into_iter().flatten() {
        line("file", format!("{} version {}", text(file, "path"), file["version"]));
    }
    if let Some(message) = job["error"]["message"].as_str() {
        line("error", format!("{} ({})", message, text(&job["error"], "code")));
    }
    let mut document = json!({"kind": "job", "version": 1});
    if let (Some(fields), Some(of_job)) = (document.as_object_mut(), job.as_object()) {
        fields.extend(of_job.clone());
    }
    Ok(Output::of(document).human(human))
}

fn text(job: &Value, field: &str) -> String {
    job[field].as_str().map_or_else(|| DASH.to_owned(), str::to_owned)
}

fn points(job: &Value) -> String {
    let failed = job["points_failed"].as_u64().unwrap_or(0);
    let text = format!("{} of {}", job["points_done"].as_u64().unwrap_or(0), job["points_total"].as_u64().unwrap_or(0));
    if failed == 0 { text } else { format!("{text}, {failed} failed") }
}
