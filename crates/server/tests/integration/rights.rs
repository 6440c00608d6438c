//! Every operation of the OpenAPI document, asked for by everybody.
//!
//! An operation names its class itself (`x-rights`); from there on this test needs no line for a new one, unless its
//! paths or bodies cannot be made up from the document: those stand in [`sample`].

mod columns;
mod expected;
mod sample;

use crate::site::{Answer, Site};
use axum::http::StatusCode;
use columns::{Column, People};
use expected::{Expected, expected};
use runcast_server::openapi;
use runcast_server::rights::{Class, EXTENSION};
use runcast_store::testing::both;
use sample::Sample;
use serde_json::Value;

/// An operation of the document.
#[derive(Debug, Clone)]
pub struct Operation {
    method: String,
    path: String,
    class: Class,
    about: Value,
}

impl Operation {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

fn document() -> Value {
    openapi::document().clone()
}

/// All operations; one without a class fails the test.
fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    let mut without = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, about) in item.as_object().expect("operations") {
            let (method, path) = (method.to_uppercase(), path.clone());
            match about[EXTENSION].as_str().and_then(Class::parse) {
                Some(class) => found.push(Operation { method, path, class, about: about.clone() }),
                None => without.push(format!("{method} {path}")),
            }
        }
    }
    assert!(without.is_empty(), "these operations name no class of rights ({EXTENSION}): {without:?}");
    found
}

#[test]
fn every_operation_names_who_may_do_it() {
    let document = document();
    assert!(operations(&document).len() >= 16);
    // What is below a project or a job is no business of strangers.
    for operation in operations(&document) {
        let concerns_a_project = operation.path.contains("{p}") || operation.path.contains("{project}");
        let of_a_job = ["/jobs/", "/batches/", "/results/", "/shares/", "/comments/"]
            .iter()
            .any(|part| operation.path.contains(part));
        let concerns_a_project = concerns_a_project || of_a_job;
        let of_the_site = [Class::Anyone, Class::User, Class::Own, Class::Create, Class::Administrator];
        let is_of_project = !of_the_site.contains(&operation.class);
        assert_eq!(concerns_a_project, is_of_project, "{}", operation.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_does_what_its_class_says_for_everybody() {
    both(|db| async move {
        let site = Site::multi(&db);
        let people = People::move_in(&site).await;
        let document = document();
        let mut wrong = Vec::new();
        for operation in operations(&document) {
            wrong.extend(check(&site, &people, &document, &operation).await);
        }
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), db.kind().name(), wrong.join("\n"));
    })
    .await;
}

/// What is wrong with an operation, column by column.
async fn check(site: &Site, people: &People, document: &Value, operation: &Operation) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut sample = Sample::make(site, people).await;
    for column in Column::ALL {
        let answer = sample.send(site, people, document, operation, *column).await;
        let verdict = judge(expected(operation.class, *column, operation.method == "GET"), &answer);
        if let Err(text) = verdict {
            wrong.push(format!("{} as {column:?}: {text}: {} {}", operation.name(), answer.status, start(&answer)));
        }
        if answer.status.is_success() && operation.method != "GET" {
            sample = Sample::make(site, people).await;
        }
    }
    wrong
}

fn start(answer: &Answer) -> String {
    answer.text().chars().take(300).collect()
}

fn judge(expected: Expected, answer: &Answer) -> Result<(), String> {
    // Wrong passwords and links used up are 401 and 403 too, but nobody was kept from trying.
    let is_of_rights = || ["anonymous", "forbidden", "scope"].contains(&answer.code().as_str());
    let refused = matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) && is_of_rights();
    match expected {
        _ if answer.status == StatusCode::INTERNAL_SERVER_ERROR => Err("a fault".to_owned()),
        Expected::Refused(status) if answer.status == status => Ok(()),
        Expected::Refused(status) => Err(format!("should be {status}")),
        Expected::Allowed if refused || is_hidden(answer) => Err("should be allowed".to_owned()),
        Expected::Allowed => Ok(()),
    }
}

/// Whether it says that the project, the job or the batch is not there: a missing result is another matter.
fn is_hidden(answer: &Answer) -> bool {
    if answer.status != StatusCode::NOT_FOUND {
        return false;
    }
    let detail = answer.json()["detail"].as_str().unwrap_or_default().to_owned();
    ["there is no project", "there is no job ", "there is no batch", "there is no link", "there is no comment"]
        .iter()
        .any(|text| detail.starts_with(text))
}
