//! Links to one result or report, for people without an account.

use super::jobs::find;
use super::launch::{Stock, internal, run_now};
use super::results::{output_or, table_of};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Entered, Right};
use crate::derived::leaf::{self, Leaf};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::kinds;
use crate::problem::ApiError;
use crate::wire::jobs::command_line;
use crate::wire::sharing::{LinkMade, LinkView, NewLink};
use crate::wire::{Items, Page, time};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runcast_core::{Problem, Table};
use runcast_store::jobs::Job;
use runcast_store::shares::{self, NewShare, Share};
use runcast_store::{Id, audit, blobs, files};
use std::collections::BTreeMap;

/// How long a link holds, in seconds: 30 days, at most 90.
const USUAL_S: i64 = 30 * 86_400;
const MOST_S: i64 = 90 * 86_400;
/// A page of more bytes is not shared.
const MOST_PAGE: usize = 16 << 20;

/// `/projects/{project}/shares`, `/shares/{id}`.
pub fn routes() -> Operations {
    operations! {
        get "/projects/{project}/shares" => list,
        post "/projects/{project}/shares" => add,
        delete "/shares/{id}" => revoke,
    }
}

/// Links of a project that hold, the newest first.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{project}/shares", tag = "shares",
    params(("project" = String, Path), Page), extensions(("x-rights" = json!("project-author"))),
    responses((status = 200, body = Items<LinkView>))))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<LinkView>>, ApiError> {
    let (limit, before) = (page.limit()?, page.after::<Id>()?);
    let entered = caller.enter(&app, &project, Right::Author).await?;
    let before = before.filter(|id| Id::parse(id.as_str()).is_some());
    let found = shares::list(app.database(), &entered.id, before.as_ref(), limit + 1).await?;
    Ok(Json(Items::of(found, limit, |share| share.id.clone(), LinkView::from)))
}

/// Makes a link, whose address is shown this once: it shows what is there now, and nothing else of the project.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{project}/shares", tag = "shares",
    params(("project" = String, Path)), request_body = NewLink, extensions(("x-rights" = json!("project-author"))),
    responses(
        (status = 201, body = LinkMade),
        crate::openapi::Conflict,
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
    )))]
async fn add(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(wish): ApiJson<NewLink>,
) -> Result<(StatusCode, Json<LinkMade>), ApiError> {
    let seconds = wish.expires_in_s.unwrap_or(USUAL_S);
    if !(1..=MOST_S).contains(&seconds) {
        let problem = Problem::new("expires_in_s", "a link does not hold for so long").at("/expires_in_s");
        let problem = problem.value(seconds.to_string()).allowed(format!("1 to {MOST_S} seconds"));
        return Err(ApiError::invalid("expires_in_s", vec![problem]));
    }
    if wish.target.contains('\0') {
        return Err(ApiError::missing("file", &wish.target));
    }
    let entered = caller.enter(&app, &project, Right::Author).await?;
    app.children().admit(&app, &caller.user).await?;
    let shown = match wish.target.strip_prefix("job:") {
        Some(id) => of_result(&app, &caller, &entered, id).await?,
        None => of_report(&app, &caller, &entered, &wish).await?,
    };
    if shown.page.len() > MOST_PAGE {
        let problem = Problem::new("too_large", "the page is too large to be shared").at("/target");
        return Err(ApiError::invalid("too_large", vec![problem.allowed("16 MiB")]));
    }
    let new = NewShare {
        project: &entered.id,
        user: &caller.user,
        job: shown.job.as_ref(),
        target: &wish.target,
        version: shown.version,
        title: &shown.title,
        page: &shown.page,
        seconds,
    };
    let (token, kept) = shares::add(app.database(), &new).await?;
    note(&app, &caller, &entered.name, &kept).await?;
    let url = format!("{}/s/{token}", app.options().origin);
    Ok((StatusCode::CREATED, Json(LinkMade { id: kept.id.to_string(), url, expires_at: time::shown(kept.expires_at) })))
}

/// Revokes a link: from now on its address is that of nothing.
#[cfg_attr(test, utoipa::path(delete, path = "/shares/{id}", tag = "shares", params(("id" = String, Path)),
    extensions(("x-rights" = json!("job-change"))), responses((status = 204, description = "It shows nothing any more"))))]
async fn revoke(State(app): State<App>, caller: Caller, ApiPath(id): ApiPath<String>) -> Result<StatusCode, ApiError> {
    let absent = || ApiError::missing("link", &id);
    let known = Id::parse(&id).ok_or_else(absent)?;
    let share = shares::get(app.database(), &known).await?.ok_or_else(absent)?;
    let entered = match caller.enter(&app, share.project.as_str(), Right::Author).await {
        Err(error) if error.status == StatusCode::NOT_FOUND => return Err(absent()),
        entered => entered?,
    };
    entered.change_of(&caller, share.user.as_str())?;
    shares::revoke(app.database(), &known).await?;
    note(&app, &caller, &entered.name, &share).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Who opened the project to others, and who closed it, is in the audit log.
async fn note(app: &App, caller: &Caller, project: &str, share: &Share) -> Result<(), ApiError> {
    let detail = format!("link {} to {}", share.id, share.target);
    Ok(audit::add(app.database(), &caller.name, &caller.asked, Some(project), &detail).await?)
}

/// What a link shows.
struct Shown {
    page: Vec<u8>,
    title: String,
    job: Option<Id>,
    version: i64,
}

async fn of_result(app: &App, caller: &Caller, entered: &Entered, id: &str) -> Result<Shown, ApiError> {
    let absent = || ApiError::missing("job", id);
    let (job, within) = find(app, caller, id, Right::Author).await?;
    if within.id != entered.id {
        return Err(absent());
    }
    if !job.state.is_terminal() {
        return Err(ApiError::new(StatusCode::CONFLICT, "state", format!("job {id} has not ended yet")));
    }
    let document = output_or(app, &job, "document", |answer| answer.document).await?;
    let text = output_or(app, &job, "human", |answer| Some(answer.human)).await?;
    let table = table_of(app, &job).await?;
    let leaf = Leaf {
        title: title_of(&job),
        summary: format!("{} by {}", job.finished_at.map(time::shown).unwrap_or_default(), job.created_by),
        command: command_line(&job.task_argv),
        document: None,
        text: String::from_utf8_lossy(&text.unwrap_or_default()).into_owned(),
        files: job
            .files
            .iter()
            .map(|file| [file.path.clone(), file.version.to_string(), file.digest.to_string()])
            .collect(),
    };
    let title = leaf.title.clone();
    let page = kinds::blocking(move || {
        let document = document.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let table = table.and_then(|bytes| Table::read("table.csv", &bytes, &Default::default()).ok());
        leaf::html(&Leaf { document, ..leaf }, table.as_ref()).into_bytes()
    })
    .await?;
    Ok(Shown { page, title, job: Some(job.id), version: 0 })
}

fn title_of(job: &Job) -> String {
    match job.title.is_empty() {
        true => command_line(&job.argv),
        false => job.title.clone(),
    }
}

/// A report is composed anew, of the version asked for.
async fn of_report(app: &App, caller: &Caller, entered: &Entered, wish: &NewLink) -> Result<Shown, ApiError> {
    let db = app.database();
    let current = files::get(db, &entered.id, &wish.target).await?;
    let current = current.ok_or_else(|| ApiError::missing("file", &wish.target))?;
    if current.facts.kind != "report" {
        let problem = Problem::new("target", "this is neither a result nor a report").at("/target");
        let problem = problem.value(wish.target.as_str()).allowed("job:ID, or the path of a report");
        return Err(ApiError::invalid("target", vec![problem]));
    }
    let version = wish.version.unwrap_or(current.version);
    let found = files::version(db, &entered.id, &wish.target, version).await?;
    let text = String::from_utf8_lossy(&blobs::get(db, &found.digest).await?).into_owned();
    let mut stock = Stock::of(app, Some(entered)).await?;
    stock
        .give(BTreeMap::from([(wish.target.clone(), text)]))
        .map_err(|problems| ApiError::invalid("target", problems))?;
    let argv = ["report", wish.target.as_str(), "-o", "page.html"].map(str::to_owned).to_vec();
    super::pinned::add(app, caller, entered, &mut stock, &argv).await?;
    let outcome = run_now(app, stock, argv, "report").await?;
    let page = outcome.outputs.into_iter().find(|(name, _)| name == "page.html");
    let page = page.map(|(_, bytes)| bytes).ok_or_else(|| internal(&"the process wrote no page"))?;
    let title = if current.facts.title.is_empty() { wish.target.clone() } else { current.facts.title };
    Ok(Shown { page, title, job: None, version })
}
