//! Batches: jobs that are launched together.

use crate::api::launch::{self, Stock};
use crate::api::{Operations, jobs::find, operations, results};
use crate::app::App;
use crate::auth::{Caller, Entered, Right};
use crate::derived::csv;
use crate::extract::{ApiJson, ApiPath};
use crate::problem::ApiError;
use crate::wire::batches::{Batch, BatchJob, BatchStatus, NewBatch, StateCounts};
use crate::wire::{Trouble, time};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use runcast_core::Problem;
use runcast_store::{Id, batches, jobs};

/// Jobs of a batch.
const MOST_JOBS: usize = 10_000;
/// How many problems the answer to an atomic batch lists.
const MOST_PROBLEMS: usize = 100;

/// `/projects/{project}/batches` and `/batches/{id}`.
pub fn routes() -> Operations {
    operations! {
        post "/projects/{project}/batches" => launch,
        get "/batches/{id}" => get,
        get "/batches/{id}/table" => table,
        post "/batches/{id}/cancel" => cancel,
    }
}

/// Launches up to 10,000 jobs: all or none, or (`atomic` false) those that can be.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{project}/batches", tag = "jobs", request_body = NewBatch,
    params(("project" = String, Path), ("Idempotency-Key" = Option<String>, Header, max_length = 255)),
    extensions(("x-rights" = json!("project-author"))),
    responses((status = 202, body = Batch, headers(("Location" = String, description = "The address of the batch"))))))]
async fn launch(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    headers: HeaderMap,
    ApiJson(wish): ApiJson<NewBatch>,
) -> Result<Response, ApiError> {
    if wish.jobs.is_empty() || wish.jobs.len() > MOST_JOBS {
        let problem = Problem::new("batch", "this is not a batch").at("/jobs").value(wish.jobs.len().to_string());
        return Err(ApiError::invalid("batch", vec![problem.allowed("1 to 10,000 jobs")]));
    }
    let entered = caller.enter(&app, &project, Right::Author).await?;
    let key = launch::key(&headers, &caller, &format!("batches {}", entered.id), &wish)?;
    if let Some(before) = launch::before(&app, key.as_ref()).await? {
        return Ok(launch::answered(&before));
    }
    let stock = Stock::of(&app, Some(&entered)).await?;
    // A batch that is refused as a whole lists its first problems: the rest need not be looked for.
    let most_refused = if wish.atomic { MOST_PROBLEMS } else { usize::MAX };
    let found = launch::look(stock, wish.jobs, most_refused).await?;
    let id = Id::new();
    let (mut told, mut new, mut problems) = (Vec::with_capacity(found.len()), Vec::new(), Vec::new());
    for (index, one) in found.into_iter().enumerate() {
        match one {
            Ok(ready) => {
                let place = i64::try_from(index).unwrap_or(i64::MAX);
                let job = ready.job(&caller, &entered, Some((id.clone(), place)));
                told.push(BatchJob { index, id: Some(job.id.to_string()), problem: None });
                new.push(job);
            }
            Err(found) => {
                let found: Vec<Problem> = found.into_iter().map(|problem| within(index, problem)).collect();
                told.push(BatchJob { index, id: None, problem: found.first().map(Trouble::from) });
                problems.extend(found);
            }
        }
    }
    let rejected = told.len() - new.len();
    if wish.atomic && rejected > 0 {
        problems.truncate(MOST_PROBLEMS);
        return Err(ApiError::invalid("batch", problems));
    }
    let shown = Batch { id: id.to_string(), accepted: new.len(), rejected, jobs: told };
    let answer = launch::answer(&shown, format!("/api/v1/batches/{id}"))?;
    let batch = jobs::NewBatch { id, project: entered.id, user: caller.user.clone(), answer: answer.body.clone() };
    Ok(launch::answered(&launch::store(&app, Some(batch), new, key, answer).await?))
}

/// `/argv/3` of job 5 is `/jobs/5/argv/3`.
fn within(index: usize, mut problem: Problem) -> Problem {
    let inside = problem.pointer.take().filter(|pointer| pointer.starts_with('/') && problem.file.is_none());
    match (&problem.file, inside) {
        (Some(_), _) => problem,
        (None, inside) => problem.at(format!("/jobs/{index}{}", inside.unwrap_or_default())),
    }
}

/// How far a batch is: its jobs by state.
#[cfg_attr(test, utoipa::path(get, path = "/batches/{id}", tag = "jobs", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))), responses((status = 200, body = BatchStatus))))]
async fn get(
    State(app): State<App>,
    caller: Caller,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<BatchStatus>, ApiError> {
    let (batch, entered) = look_for(&app, &caller, &id, Right::View).await?;
    Ok(Json(status(batch, entered)))
}

/// The rows of all its jobs under one header; the first column names the job.
#[cfg_attr(test, utoipa::path(get, path = "/batches/{id}/table", tag = "jobs", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = String, content_type = "text/csv"))))]
async fn table(State(app): State<App>, caller: Caller, ApiPath(id): ApiPath<String>) -> Result<Response, ApiError> {
    let (batch, _) = look_for(&app, &caller, &id, Right::View).await?;
    let mut union = csv::Union::default();
    for (_, id) in batches::jobs(app.database(), &batch.id).await? {
        let (job, _) = find(&app, &caller, id.as_str(), Right::View).await?;
        if let Some(bytes) = results::table_of(&app, &job).await? {
            union.add(id.as_str(), &String::from_utf8_lossy(&bytes));
        }
    }
    Ok(([(header::CONTENT_TYPE, results::CSV)], union.text()).into_response())
}

/// Asks all its jobs to end.
#[cfg_attr(test, utoipa::path(post, path = "/batches/{id}/cancel", tag = "jobs", params(("id" = String, Path)),
    extensions(("x-rights" = json!("job-change"))), responses((status = 200, body = BatchStatus))))]
async fn cancel(
    State(app): State<App>,
    caller: Caller,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<BatchStatus>, ApiError> {
    let (batch, entered) = look_for(&app, &caller, &id, Right::Author).await?;
    entered.change_of(&caller, batch.user.as_str())?;
    batches::cancel(app.database(), &batch.id).await?;
    let (batch, entered) = look_for(&app, &caller, &id, Right::View).await?;
    Ok(Json(status(batch, entered)))
}

fn status(batch: batches::Batch, entered: Entered) -> BatchStatus {
    let counts = StateCounts::of(&batch.counts);
    BatchStatus {
        id: batch.id.to_string(),
        project: entered.name,
        created_by: batch.created_by,
        created_at: time::shown(batch.created_at),
        total: counts.total(),
        counts,
    }
}

async fn look_for(app: &App, caller: &Caller, id: &str, right: Right) -> Result<(batches::Batch, Entered), ApiError> {
    let absent = || ApiError::missing("batch", id);
    let known = Id::parse(id).ok_or_else(absent)?;
    let batch = batches::get(app.database(), &known).await?.ok_or_else(absent)?;
    match caller.enter(app, batch.project.as_str(), right).await {
        Ok(entered) => Ok((batch, entered)),
        Err(error) if error.status == StatusCode::NOT_FOUND => Err(absent()),
        Err(error) => Err(error),
    }
}
