//! A project with a file, a job, a batch; and requests about them, made up from the document.

use super::Operation;
use super::columns::{Column, People};
use crate::site::{Answer, PASSWORD, Site};
use runcast_server::rights::Class;
use runcast_store::comments::{self, NewComment};
use runcast_store::files::{Expect, Facts, NewFile};
use runcast_store::jobs::{Launch, NewBatch, NewJob, launch_all};
use runcast_store::shares::{self, NewShare};
use runcast_store::{Id, Scope, files, tokens};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// A project with something in it.
pub struct Sample {
    project: Id,
    name: String,
    job: Id,
    batch: Id,
    link: Id,
    comment: Id,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Sample {
    /// Makes one.
    pub async fn make(site: &Site, people: &People) -> Sample {
        let name = format!("sample-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let project = site.project(&name, &[]).await;
        people.join(site, &project).await;
        let new = NewFile {
            path: "tables/runs.csv".to_owned(),
            bytes: b"p,time_s\n1,2\n".to_vec(),
            message: String::new(),
            facts: Facts::default(),
        };
        files::put(site.db(), &project, "author", &new, &Expect::Absent).await.expect("a file");
        let (job, batch) = (Id::new(), Id::new());
        let argv: Vec<String> = ["plan", "--help"].map(str::to_owned).to_vec();
        let job_of = |id: &Id, batch| NewJob {
            id: id.clone(),
            project: project.clone(),
            user: people.author.id.clone(),
            batch,
            title: "sample".to_owned(),
            argv: argv.clone(),
            task_argv: argv.clone(),
            limits: "{}".to_owned(),
            priority: 0,
            points: 1,
            points_per_task: 1,
            files: Vec::new(),
        };
        let new_batch = NewBatch {
            id: batch.clone(),
            project: project.clone(),
            user: people.author.id.clone(),
            answer: "{}".to_owned(),
        };
        let jobs = vec![job_of(&job, None), job_of(&Id::new(), Some((batch.clone(), 0)))];
        launch_all(site.db(), &Launch { batch: Some(new_batch), jobs, repeat: None }).await.expect("launched");
        let target = format!("job:{job}");
        let link = NewShare {
            project: &project,
            user: &people.author.id,
            job: Some(&job),
            target: &target,
            version: 0,
            title: "sample",
            page: b"<p>sample</p>",
            seconds: 3600,
        };
        let link = shares::add(site.db(), &link).await.expect("a link").1.id;
        let comment = NewComment {
            project: &project,
            user: &people.author.id,
            job: Some(&job),
            reply_to: None,
            target: &target,
            anchor: "",
            digest: None,
            text: "sample",
        };
        let comment = comments::add(site.db(), &comment).await.expect("a comment").id;
        Sample { project, name, job, batch, link, comment }
    }

    /// Asks for an operation on it.
    pub async fn send(
        &self,
        site: &Site,
        people: &People,
        document: &Value,
        operation: &Operation,
        column: Column,
    ) -> Answer {
        let mut path = operation.path.clone();
        let mut query = Vec::new();
        for parameter in operation.about["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().expect("a name");
            match parameter["in"].as_str() {
                Some("path") => {
                    let value = self.in_path(site, people, operation, name, column).await;
                    path = path.replace(&format!("{{{name}}}"), &value);
                }
                Some("query") if parameter["required"] == true => {
                    let value = made_up(document, &parameter["schema"]);
                    query.push(format!("{name}={}", value.as_str().map_or(value.to_string(), str::to_owned)));
                }
                _ => {}
            }
        }
        assert!(!path.contains('{'), "{}: the document does not tell all parameters of the path", operation.name());
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        let mut ask = site.ask(&operation.method, &path);
        if let Some(token) = people.token(site, column, &self.project).await {
            ask = ask.bearer(&token);
        }
        let contents = operation.about["requestBody"]["content"].as_object();
        if let Some((kind, about)) = contents.and_then(|contents| contents.iter().next()) {
            ask = match kind.as_str() {
                "application/json" => ask.json(&self.body(document, operation, about)),
                kind => ask.body(kind, b"p,time_s\n1,2\n"),
            };
        }
        // Files tell what they replace.
        if operation.path.ends_with("/files/{path}") && operation.method != "GET" {
            ask = ask.header("if-match", "\"v1-0000000000000000\"");
        }
        ask.send().await
    }

    /// A value for a parameter of the path.
    async fn in_path(&self, site: &Site, people: &People, operation: &Operation, name: &str, column: Column) -> String {
        match (operation.path.as_str(), name) {
            (path, "id") if path.contains("/tokens/") => {
                // One of their own: those of others are not there for them.
                let user = people.of(column);
                let made = tokens::add(site.db(), &user.id, "to revoke", Scope::Read, None, None).await;
                made.expect("a token").1.id.to_string()
            }
            (path, "id") if path.contains("/shares/") => self.link.to_string(),
            (path, "id") if path.contains("/comments/") => self.comment.to_string(),
            (path, "id") if path.contains("/batches/") => self.batch.to_string(),
            (path, "id") if path.contains("/jobs/") || path.contains("/results/") => self.job.to_string(),
            (_, "p" | "project") => self.name.clone(),
            (path, "path") if path.contains("/projects/") => "tables/runs.csv".to_owned(),
            (path, "user") if path.contains("/members/") => "viewer".to_owned(),
            (path, "name") if path.contains("/users/") => "stranger".to_owned(),
            (path, "name") if path.contains("/jobs/") => "out.csv".to_owned(),
            (path, name) => panic!("a line for {{{name}}} of {path} is missing here"),
        }
    }

    /// A body that fits.
    fn body(&self, document: &Value, operation: &Operation, about: &Value) -> Value {
        let mut body = made_up(document, &about["schema"]);
        match operation.name().as_str() {
            "PUT /api/v1/password" => body["old"] = json!(format!("not {PASSWORD}")),
            "PATCH /api/v1/users/{name}" => body = json!({}),
            "PATCH /api/v1/comments/{id}" => body = json!({"resolved": true}),
            "POST /api/v1/users" => body["name"] = json!(format!("new-{}", self.name)),
            "POST /api/v1/projects" => body["name"] = json!(format!("new-{}", self.name)),
            "POST /api/v1/tokens" => body["scope"] = json!("read"),
            _ if operation.class == Class::ProjectAuthor && body["argv"].is_array() => {
                body["argv"] = json!(["nothing"])
            }
            _ => {}
        }
        body
    }
}

/// The smallest value that a schema allows, as far as it needs to be.
fn made_up(document: &Value, schema: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/schemas/")) {
        return made_up(document, &document["components"]["schemas"][name]);
    }
    for of in ["oneOf", "anyOf", "allOf"] {
        if let Some(first) = schema[of].as_array().and_then(|all| all.iter().find(|one| one["type"] != "null")) {
            return made_up(document, first);
        }
    }
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    let kind = schema["type"]
        .as_str()
        .or_else(|| schema["type"].as_array()?.iter().filter_map(Value::as_str).find(|kind| *kind != "null"));
    match kind {
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let fields = required.map(|name| (name.to_owned(), made_up(document, &schema["properties"][name])));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Some("array") => json!([made_up(document, &schema["items"])]),
        Some("integer" | "number") => schema["minimum"].as_i64().map_or(json!(1), |least| json!(least)),
        Some("boolean") => json!(false),
        Some("string") if schema["format"] == "date-time" => json!("2100-01-01T00:00:00Z"),
        Some("string") => {
            let least = schema["minLength"].as_u64().unwrap_or(1);
            json!("x".repeat(usize::try_from(least.max(1)).expect("small")))
        }
        _ => json!({}),
    }
}
