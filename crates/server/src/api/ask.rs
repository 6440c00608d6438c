//! The questions of the first page: an answer in one sentence, at once; nothing is stored.

use crate::api::launch::{self, Stock, internal};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::ApiJson;
use crate::kinds;
use crate::problem::ApiError;
use crate::task::Work;
use crate::templates;
use crate::wire::ask::Ask;
#[cfg(test)]
use crate::wire::ask::Told;
#[cfg(test)]
use crate::wire::jobs::Job;
use crate::wire::jobs::Launch;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use runcast_commands::Context;
use runcast_commands::ask::{self, Question};
use runcast_commands::remote::InMemory;
use runcast_core::Problem;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Files by path.
type Files = Vec<(String, Arc<[u8]>)>;

/// `/ask`.
pub fn routes() -> Operations {
    operations! {
        post "/ask" => ask_,
    }
}

/// Answers a question of the first page: a sentence with its range, the commands behind it, what it rests on.
///
/// What takes longer than 5 s becomes a job, if the caller may launch in the project and it has the files; else it ends with
/// 422 `limit_wall`.
#[cfg_attr(test, utoipa::path(post, path = "/ask", tag = "compute", operation_id = "ask", request_body = Ask,
    extensions(("x-rights" = json!("user"))),
    responses(
        (status = 200, body = Told),
        (status = 202, body = Job, headers(("Location" = String, description = "The address of the job"))),
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
        crate::openapi::Missing,
    )))]
async fn ask_(State(app): State<App>, caller: Caller, ApiJson(wish): ApiJson<Ask>) -> Result<Response, ApiError> {
    let mut stock = Stock::admitted(&app, &caller, wish.project.as_deref()).await?;
    stock.lend(templates::of_questions());
    stock.give(wish.files.clone()).map_err(|problems| ApiError::invalid("path", problems))?;
    let question = wish.question();
    let asked = question.clone();
    let (found, failure) = kinds::blocking(move || {
        let (mut stock, found) = read(stock, &asked);
        (found, stock.failure())
    })
    .await?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    let (files, catalogues) = found.map_err(|problems| ApiError::invalid("input", problems))?;
    let (given, seen) = (files.clone(), catalogues.clone());
    let outcome = match app.children().run(&app, Work::Ask { question, catalogues }, files).await {
        Err(error) if error.code == "limit_wall" => {
            return later(&app, &caller, &wish, given, seen).await?.ok_or(error);
        }
        outcome => outcome?,
    };
    let document = outcome.document.ok_or_else(|| internal(&"the process gave no answer"))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], document).into_response())
}

/// Launches what takes too long as jobs, whose limits are wider: what the first of them is. None where the caller may launch
/// nothing, or the answer rests on samples and files that are not in the project.
async fn later(
    app: &App,
    caller: &Caller,
    wish: &Ask,
    files: Files,
    catalogues: Vec<String>,
) -> Result<Option<Response>, ApiError> {
    let Some(project) = wish.project.as_ref().filter(|_| wish.files.is_empty()) else { return Ok(None) };
    let Ok(entered) = caller.enter(app, project, Right::Author).await else { return Ok(None) };
    let question = wish.question();
    let lines = kinds::blocking(move || {
        let mut context = Context::of_files(Box::new(InMemory::new(files)));
        ask::lines(&question, &catalogues, &mut context)
    });
    let Ok(lines) = lines.await? else { return Ok(None) };
    let wishes = lines.into_iter().map(|argv| Launch { argv, priority: None, title: None }).collect();
    let ready = launch::look(Stock::of(app, Some(&entered)).await?, wishes, 1).await?;
    let Ok(ready) = ready.into_iter().collect::<Result<Vec<_>, _>>() else { return Ok(None) };
    let jobs: Vec<_> = ready.into_iter().map(|ready| ready.job(caller, &entered, None)).collect();
    let Some(first) = jobs.first() else { return Ok(None) };
    let shown = launch::shown(first, caller, &entered, app.database().now().await?);
    let answer = launch::answer(&shown, format!("/api/v1/jobs/{}", first.id))?;
    Ok(Some(launch::answered(&launch::store(app, None, jobs, None, answer).await?)))
}

/// The files that an answer needs, and the folders of hardware that simulations see.
type Found = Result<(Files, Vec<String>), Vec<Problem>>;

fn read(mut stock: Stock, question: &Question) -> (Stock, Found) {
    let lines = match ask::reads(question) {
        Ok(lines) => lines,
        Err(failure) => return (stock, Err(failure.problems.0)),
    };
    let (mut paths, mut catalogues) = (BTreeSet::new(), Vec::new());
    for argv in lines {
        let wish = Launch { argv: argv.clone(), priority: None, title: None };
        let (back, ready) = stock.look(wish);
        stock = back;
        let ready = match ready {
            Ok(ready) => ready,
            Err(problems) => {
                return (stock, Err(problems.into_iter().map(|problem| at_field(problem, question)).collect()));
            }
        };
        let added = ready.admitted.argv.windows(2).filter(|pair| pair[0] == "--catalogue");
        for folder in added.map(|pair| pair[1].clone()) {
            if !catalogues.contains(&folder) {
                catalogues.push(folder);
            }
        }
        paths.extend(ready.survey.files);
    }
    let paths: Vec<String> = paths.into_iter().collect();
    match stock.contents(&paths) {
        Ok(files) => (stock, Ok((files, catalogues))),
        Err(error) => (stock, Err(vec![Problem::new("cannot_read", error.to_string())])),
    }
}

/// What is wrong with a word of a command line is wrong with the field that it came from.
fn at_field(problem: Problem, question: &Question) -> Problem {
    let is_of_line = problem.pointer.as_deref().is_some_and(|at| at.starts_with("/argv"));
    if !is_of_line {
        return problem;
    }
    let value = problem.value.clone().unwrap_or_default();
    let is_named = |given: &serde_json::Value| match given {
        serde_json::Value::String(text) => text.split(',').any(|word| word.trim() == value),
        serde_json::Value::Array(all) => all.iter().any(|one| one.as_str() == Some(&value)),
        _ => false,
    };
    let name = question.fields.iter().find(|(_, given)| is_named(given)).map(|(name, _)| name.as_str());
    problem.at(format!("/fields/{}", name.unwrap_or("source")))
}
