//! Results of a project as a list: searched, filtered, sorted; and the columns that it shows.

use super::results::{output_or, table_of};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::derived::facts;
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::kinds;
use crate::problem::ApiError;
use crate::wire::results::{ChosenColumns, ResultFilter, ResultItem};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use runcast_core::{Problem, Table};
use runcast_store::jobs::{self, Job};
use runcast_store::results::{self, Facts, Filter, Key, Listed, Sort};
use runcast_store::{Id, settings};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Results whose facts are made for one list, and for how long.
const AT_ONCE: i64 = 100;
const PATIENCE: Duration = Duration::from_millis(800);
/// Letters of a search, and columns that a list shows.
const MOST_SEARCH: usize = 200;
const MOST_COLUMNS: usize = 20;
/// A table of more bytes has no facts but its sentence.
const MOST_BYTES: usize = 8 << 20;
/// The setting of a project.
const COLUMNS: &str = "columns";

/// `/projects/{project}/results` and what it shows.
pub fn routes() -> Operations {
    operations! {
        get "/projects/{project}/results" => list,
        get "/projects/{project}/settings/columns" => columns,
        put "/projects/{project}/settings/columns" => choose,
    }
}

/// Results of a project: searched over title, command, parameters and labels.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{project}/results", tag = "results",
    params(("project" = String, Path), ResultFilter), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Items<ResultItem>))))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(query): ApiQuery<ResultFilter>,
) -> Result<Json<Items<ResultItem>>, ApiError> {
    let page = Page { limit: query.limit, cursor: query.cursor.clone() };
    let (limit, after) = (page.limit()?, page.after::<(Key, Id)>()?);
    let (sort, falling) = sort(query.sort.as_deref().unwrap_or("-created"))?;
    // A cursor that was tampered with holds what no database takes.
    let after = after
        .filter(|(key, id)| Id::parse(id.as_str()).is_some() && !matches!(key, Key::Text(text) if text.contains('\0')));
    let search = query.q.clone().unwrap_or_default();
    if search.chars().count() > MOST_SEARCH || search.contains('\0') {
        let problem = Problem::new("q", "this is too long to be searched for").at("q");
        return Err(ApiError::invalid("q", vec![problem.allowed(format!("up to {MOST_SEARCH} characters"))]));
    }
    let entered = caller.enter(&app, &project, Right::View).await?;
    add_facts(&app, &entered.id).await?;
    let filter = Filter {
        project: entered.id,
        search,
        kind: query.kind.clone().unwrap_or_default().replace('\0', ""),
        state: query.state.map(Into::into),
        sort,
        falling,
        after,
        limit: limit + 1,
    };
    let found = results::page(app.database(), &filter).await?;
    let wanted = query.columns.clone().unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let key = |listed: &Listed| (listed.key.clone(), listed.job.id.clone());
    Ok(Json(Items::of(found, limit, key, |listed| item(listed, &wanted))))
}

fn sort(text: &str) -> Result<(Sort, bool), ApiError> {
    let known = [
        ("created", Sort::Created),
        ("finished", Sort::Finished),
        ("title", Sort::Title),
        ("command", Sort::Command),
        ("state", Sort::State),
        ("by", Sort::By),
        ("points", Sort::Points),
    ];
    let name = text.trim_start_matches('-');
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, sort)| (*sort, text.starts_with('-'))).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let problem = Problem::new("sort", "results are not sorted by this").at("sort").value(text);
        ApiError::invalid("sort", vec![problem.allowed(names.join(", "))])
    })
}

fn item(listed: Listed, wanted: &[&str]) -> ResultItem {
    let facts = listed.facts.unwrap_or_default();
    let columns = facts.columns.as_object().cloned().unwrap_or_default();
    let values: BTreeMap<_, _> =
        wanted.iter().filter_map(|name| Some(((*name).to_owned(), columns.get(*name)?.clone()))).collect();
    ResultItem {
        job: listed.job.into(),
        sentence: facts.sentence,
        thumbnail: facts.thumbnail,
        values,
        columns: columns.keys().cloned().collect(),
    }
}

/// Makes the facts of results that have none yet, as many as there is time for: the rest comes with the next list.
async fn add_facts(app: &App, project: &Id) -> Result<(), ApiError> {
    let began = Instant::now();
    for id in results::without_facts(app.database(), project, AT_ONCE).await? {
        if began.elapsed() > PATIENCE {
            break;
        }
        let Some(job) = jobs::get(app.database(), &id).await? else { continue };
        let Some(finished_at) = job.finished_at else { continue };
        // What cannot be read has no facts, and is not tried again.
        let facts = match facts_of(app, &job).await {
            Ok(facts) => facts,
            Err(error) if error.status.is_server_error() => return Err(error),
            Err(_) => Facts { columns: serde_json::json!({}), ..Facts::default() },
        };
        results::put_facts(app.database(), &id, finished_at, &facts).await?;
    }
    Ok(())
}

async fn facts_of(app: &App, job: &Job) -> Result<Facts, ApiError> {
    let document = output_or(app, job, "document", |answer| answer.document).await?;
    let table = table_of(app, job).await?.filter(|bytes| bytes.len() <= MOST_BYTES);
    kinds::blocking(move || {
        let document = document.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
        let sentence = document.and_then(|document| document["sentence"].as_str().map(str::to_owned));
        let table = table.and_then(|bytes| Table::read("table.csv", &bytes, &Default::default()).ok());
        facts::facts(sentence, table.as_ref())
    })
    .await
}

/// Columns that the list of results shows.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{project}/settings/columns", tag = "results",
    params(("project" = String, Path)), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = ChosenColumns))))]
async fn columns(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
) -> Result<Json<ChosenColumns>, ApiError> {
    let entered = caller.enter(&app, &project, Right::View).await?;
    let kept = settings::get(app.database(), &entered.id, COLUMNS).await?;
    Ok(Json(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()))
}

/// Chooses the columns that the list of results shows to all members.
#[cfg_attr(test, utoipa::path(put, path = "/projects/{project}/settings/columns", tag = "results",
    params(("project" = String, Path)), request_body = ChosenColumns, extensions(("x-rights" = json!("project-author"))),
    responses((status = 200, body = ChosenColumns))))]
async fn choose(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(wish): ApiJson<ChosenColumns>,
) -> Result<Json<ChosenColumns>, ApiError> {
    let entered = caller.enter(&app, &project, Right::Author).await?;
    let is_name = |name: &String| (1..=200).contains(&name.chars().count()) && !name.contains(['\0', ',']);
    if wish.columns.len() > MOST_COLUMNS || !wish.columns.iter().all(is_name) {
        let problem = Problem::new("columns", "these are not columns of a list").at("/columns");
        return Err(ApiError::invalid("columns", vec![problem.allowed(format!("up to {MOST_COLUMNS} names"))]));
    }
    let value = serde_json::json!({"columns": wish.columns});
    settings::put(app.database(), &entered.id, COLUMNS, &value).await?;
    Ok(Json(wish))
}
