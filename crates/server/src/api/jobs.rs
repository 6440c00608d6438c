//! Jobs: launch, look, change, end, repeat.

use crate::api::launch::{self, Stock};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Entered, Right};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::problem::ApiError;
use crate::wire::jobs::{Job, JobChange, JobFilter, Launch, Task};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use runcast_core::Problem;
use runcast_store::jobs::{self, Change, Filter};
use runcast_store::{Id, StoreError, files};
use std::collections::BTreeMap;

/// Letters of a title.
const MOST_TITLE: usize = 200;

/// `/projects/{project}/jobs`, `/jobs/{id}` and what is done to a job.
pub fn routes() -> Operations {
    operations! {
        get "/projects/{project}/jobs" => list,
        post "/projects/{project}/jobs" => launch,
        get "/jobs/{id}" => get,
        patch "/jobs/{id}" => change,
        delete "/jobs/{id}" => remove,
        post "/jobs/{id}/cancel" => cancel,
        post "/jobs/{id}/retry" => retry,
        get "/jobs/{id}/tasks" => tasks,
    }
}

/// Jobs of a project, the newest first.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{project}/jobs", tag = "jobs", params(("project" = String, Path), JobFilter),
    extensions(("x-rights" = json!("project-view"))), responses((status = 200, body = Items<Job>))))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(query): ApiQuery<JobFilter>,
) -> Result<Json<Items<Job>>, ApiError> {
    let page = Page { limit: query.limit, cursor: query.cursor };
    let (limit, before) = (page.limit()?, page.after::<String>()?);
    let before = before.map(|text| Id::parse(&text).ok_or_else(bad_cursor)).transpose()?;
    let batch = query.batch.as_deref().map(|text| launch::id("batch", text)).transpose()?;
    let entered = caller.enter(&app, &project, Right::View).await?;
    let filter = Filter { project: Some(entered.id), batch, user: None, state: query.state.map(Into::into) };
    let found = jobs::page(app.database(), &filter, before.as_ref(), limit + 1).await?;
    Ok(Json(Items::of(found, limit, |job| job.id.to_string(), Job::from)))
}

fn bad_cursor() -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "cursor", "this is not a cursor of this list")
}

/// Launches a job.
///
/// Files that it reads are frozen. With an `Idempotency-Key`, the same request again is answered the same for a day.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{project}/jobs", tag = "jobs", request_body = Launch,
    params(("project" = String, Path), ("Idempotency-Key" = Option<String>, Header, max_length = 255)),
    extensions(("x-rights" = json!("project-author"))),
    responses((status = 202, body = Job, headers(("Location" = String, description = "The address of the job"))))))]
async fn launch(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    headers: HeaderMap,
    ApiJson(wish): ApiJson<Launch>,
) -> Result<Response, ApiError> {
    let entered = caller.enter(&app, &project, Right::Author).await?;
    let key = launch::key(&headers, &caller, &format!("jobs {}", entered.id), &wish)?;
    if let Some(before) = launch::before(&app, key.as_ref()).await? {
        return Ok(launch::answered(&before));
    }
    let mut stock = Stock::of(&app, Some(&entered)).await?;
    super::pinned::add(&app, &caller, &entered, &mut stock, &wish.argv).await?;
    let [found] = launch::look(stock, vec![wish], 1).await?.try_into().unwrap_or_else(|_| [Err(Vec::new())]);
    let ready = found.map_err(|problems| ApiError::invalid("launch", problems))?;
    let now = app.database().now().await?;
    let new = ready.job(&caller, &entered, None);
    let shown = launch::shown(&new, &caller, &entered, now);
    let answer = launch::answer(&shown, format!("/api/v1/jobs/{}", new.id))?;
    let told = launch::store(&app, None, vec![new], key, answer).await?;
    Ok(launch::answered(&told))
}

/// A job, with the digests that its files have now.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))), responses((status = 200, body = Job))))]
async fn get(State(app): State<App>, caller: Caller, ApiPath(id): ApiPath<String>) -> Result<Json<Job>, ApiError> {
    let (job, _) = find(&app, &caller, &id, Right::View).await?;
    let project = job.project.clone();
    let mut shown = Job::from(job);
    if !shown.files.is_empty() {
        let current = files::frozen(app.database(), &project).await?;
        let mut current: BTreeMap<String, String> =
            current.into_iter().map(|file| (file.path, file.digest.to_string())).collect();
        if shown.files.iter().any(|file| file.path.starts_with(launch::SITE_FOLDER)) {
            current.extend(
                launch::site_files(&app).await?.into_iter().map(|(path, file)| (path, file.digest.to_string())),
            );
        }
        for file in &mut shown.files {
            file.current = Some(current.get(&file.path).cloned());
        }
    }
    Ok(Json(shown))
}

/// Changes the priority or the title of a job.
#[cfg_attr(test, utoipa::path(patch, path = "/jobs/{id}", tag = "jobs", params(("id" = String, Path)), request_body = JobChange,
    extensions(("x-rights" = json!("job-change"))), responses((status = 200, body = Job))))]
async fn change(
    State(app): State<App>,
    caller: Caller,
    ApiPath(id): ApiPath<String>,
    ApiJson(wish): ApiJson<JobChange>,
) -> Result<Json<Job>, ApiError> {
    let problems: Vec<Problem> = [wish.priority.and_then(bad_priority), wish.title.as_deref().and_then(bad_title)]
        .into_iter()
        .flatten()
        .collect();
    if !problems.is_empty() {
        return Err(ApiError::invalid("job", problems));
    }
    let job = find_to_change(&app, &caller, &id).await?;
    let change = Change { priority: wish.priority, title: wish.title };
    jobs::patch(app.database(), &job.id, &change).await?;
    again(&app, &job.id).await
}

/// Deletes a job with all it has.
#[cfg_attr(test, utoipa::path(delete, path = "/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    extensions(("x-rights" = json!("job-change"))), responses((status = 204))))]
async fn remove(State(app): State<App>, caller: Caller, ApiPath(id): ApiPath<String>) -> Result<StatusCode, ApiError> {
    let job = find_to_change(&app, &caller, &id).await?;
    jobs::delete(app.database(), &job.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks a job to end; points that are stored stay.
#[cfg_attr(test, utoipa::path(post, path = "/jobs/{id}/cancel", tag = "jobs", params(("id" = String, Path)),
    extensions(("x-rights" = json!("job-change"))), responses((status = 200, body = Job))))]
async fn cancel(State(app): State<App>, caller: Caller, ApiPath(id): ApiPath<String>) -> Result<Json<Job>, ApiError> {
    let job = find_to_change(&app, &caller, &id).await?;
    jobs::cancel(app.database(), &job.id).await?;
    again(&app, &job.id).await
}

/// Queues a failed or cancelled job again; points that are stored stay.
#[cfg_attr(test, utoipa::path(post, path = "/jobs/{id}/retry", tag = "jobs", params(("id" = String, Path)),
    extensions(("x-rights" = json!("job-change"))),
    responses(
        (status = 202, body = Job),
        (status = 409, body = crate::problem::ProblemBody, content_type = "application/problem+json", description = "It is neither failed nor cancelled"),
    )))]
async fn retry(
    State(app): State<App>,
    caller: Caller,
    ApiPath(id): ApiPath<String>,
) -> Result<impl IntoResponse, ApiError> {
    let job = find_to_change(&app, &caller, &id).await?;
    jobs::retry(app.database(), &job.id).await?;
    let location = [(header::LOCATION, format!("/api/v1/jobs/{}", job.id))];
    Ok((StatusCode::ACCEPTED, location, again(&app, &job.id).await?))
}

/// The tasks that a job is cut into.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/tasks", tag = "jobs", params(("id" = String, Path), Page),
    extensions(("x-rights" = json!("project-view"))), responses((status = 200, body = Items<Task>))))]
async fn tasks(
    State(app): State<App>,
    caller: Caller,
    ApiPath(id): ApiPath<String>,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<Task>>, ApiError> {
    let (limit, after) = (page.limit()?, page.after::<i64>()?.unwrap_or(0));
    let (job, _) = find(&app, &caller, &id, Right::View).await?;
    let found = jobs::tasks(app.database(), &job.id, after, limit + 1).await?;
    Ok(Json(Items::of(found, limit, |task| task.number, Task::from)))
}

/// A job that the caller may look at (or more): 404 for those who may not see its project.
///
/// # Errors
/// As said.
pub(super) async fn find(app: &App, caller: &Caller, id: &str, right: Right) -> Result<(jobs::Job, Entered), ApiError> {
    let absent = || ApiError::missing("job", id);
    let known = Id::parse(id).ok_or_else(absent)?;
    let job = jobs::get(app.database(), &known).await?.ok_or_else(absent)?;
    match caller.enter(app, job.project.as_str(), right).await {
        Ok(entered) => Ok((job, entered)),
        Err(error) if error.status == StatusCode::NOT_FOUND => Err(absent()),
        Err(error) => Err(error),
    }
}

async fn find_to_change(app: &App, caller: &Caller, id: &str) -> Result<jobs::Job, ApiError> {
    let (job, entered) = find(app, caller, id, Right::Author).await?;
    entered.change_of(caller, job.user.as_str())?;
    Ok(job)
}

async fn again(app: &App, id: &Id) -> Result<Json<Job>, ApiError> {
    let job = jobs::get(app.database(), id).await?;
    Ok(Json(Job::from(job.ok_or_else(|| StoreError::missing("job", id.as_str()))?)))
}

/// What is wrong with a priority.
pub(super) fn bad_priority(priority: i64) -> Option<Problem> {
    (!(-100..=100).contains(&priority)).then(|| {
        let problem = Problem::new("priority", format!("{priority} is no priority")).at("/priority");
        problem.value(priority.to_string()).allowed("-100 to 100")
    })
}

/// What is wrong with a title.
pub(super) fn bad_title(title: &str) -> Option<Problem> {
    let letters = title.chars().count();
    (letters > MOST_TITLE || title.contains('\0')).then(|| {
        let problem = Problem::new("title", "this is not a title").at("/title").value(title);
        problem.allowed(format!("up to {MOST_TITLE} characters"))
    })
}
