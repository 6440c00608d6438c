//! Comments on results and files.

use super::jobs::find;
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Entered, Right, forbidden};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::problem::ApiError;
use crate::wire::sharing::{NewRemark, Remark, RemarkChange, RemarkFilter};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runcast_core::Problem;
use runcast_store::comments::{self, Change, Comment, NewComment};
use runcast_store::{Id, files};

/// Letters of a comment, and of where it stands.
const MOST_TEXT: usize = 4_000;
const MOST_ANCHOR: usize = 200;
/// Replies to a comment that are listed.
const MOST_REPLIES: i64 = 200;

/// `/projects/{project}/comments`, `/comments/{id}`.
pub fn routes() -> Operations {
    operations! {
        get "/projects/{project}/comments" => list,
        post "/projects/{project}/comments" => add,
        patch "/comments/{id}" => change,
        delete "/comments/{id}" => remove,
    }
}

/// Comments of a project, or on one of its results and files, the oldest first, with their replies.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{project}/comments", tag = "comments",
    params(("project" = String, Path), RemarkFilter), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Items<Remark>))))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(query): ApiQuery<RemarkFilter>,
) -> Result<Json<Items<Remark>>, ApiError> {
    let page = Page { limit: query.limit, cursor: query.cursor };
    let (limit, after) = (page.limit()?, page.after::<String>()?.unwrap_or_default());
    let entered = caller.enter(&app, &project, Right::View).await?;
    let db = app.database();
    let target = query.target.map(|target| target.replace('\0', ""));
    let after = after.replace('\0', "");
    let found = comments::list(db, &entered.id, target.as_deref(), &after, limit + 1).await?;
    let mut whole = Vec::with_capacity(found.len());
    for comment in found {
        let replies = comments::replies(db, &comment.id, MOST_REPLIES).await?;
        whole.push((comment, replies));
    }
    Ok(Json(Items::of(
        whole,
        limit,
        |(comment, _)| comment.id.to_string(),
        |(comment, replies)| Remark::of(comment, replies),
    )))
}

/// Writes a comment, or a reply to one.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{project}/comments", tag = "comments",
    params(("project" = String, Path)), request_body = NewRemark, extensions(("x-rights" = json!("project-comment"))),
    responses((status = 201, body = Remark))))]
async fn add(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(wish): ApiJson<NewRemark>,
) -> Result<(StatusCode, Json<Remark>), ApiError> {
    let mut problems: Vec<Problem> = bad_text(&wish.text).into_iter().collect();
    if wish.anchor.chars().count() > MOST_ANCHOR || wish.anchor.contains('\0') {
        let problem = Problem::new("anchor", "this is no place").at("/anchor");
        problems.push(problem.allowed(format!("up to {MOST_ANCHOR} characters")));
    }
    if !problems.is_empty() {
        return Err(ApiError::invalid("comment", problems));
    }
    let entered = caller.enter_to_comment(&app, &project).await?;
    let about = about(&app, &caller, &entered, &wish.target).await?;
    let reply_to = match wish.reply_to.as_deref() {
        None => None,
        Some(id) => {
            let (to, within) = get(&app, &caller, id).await?;
            if within.id != entered.id || to.reply_to.is_some() || to.target != wish.target {
                let problem = Problem::new("reply_to", "this comment is not on the same, or a reply").at("/reply_to");
                return Err(ApiError::invalid("comment", vec![problem.value(id)]));
            }
            Some(to.id)
        }
    };
    let new = NewComment {
        project: &entered.id,
        user: &caller.user,
        job: about.job.as_ref(),
        reply_to: reply_to.as_ref(),
        target: &wish.target,
        anchor: &wish.anchor,
        digest: about.digest.as_deref(),
        text: &wish.text,
    };
    let written = comments::add(app.database(), &new).await?;
    Ok((StatusCode::CREATED, Json(Remark::of(written, Vec::new()))))
}

/// Changes the text of one's own comment, or settles a comment.
#[cfg_attr(test, utoipa::path(patch, path = "/comments/{id}", tag = "comments", params(("id" = String, Path)),
    request_body = RemarkChange, extensions(("x-rights" = json!("project-comment"))), responses((status = 200, body = Remark))))]
async fn change(
    State(app): State<App>,
    caller: Caller,
    ApiPath(id): ApiPath<String>,
    ApiJson(wish): ApiJson<RemarkChange>,
) -> Result<Json<Remark>, ApiError> {
    if let Some(problem) = wish.text.as_deref().and_then(bad_text) {
        return Err(ApiError::invalid("comment", vec![problem]));
    }
    let (comment, entered) = get(&app, &caller, &id).await?;
    if wish.text.is_some() && comment.user != caller.user {
        return Err(forbidden("only its author changes the text of a comment"));
    }
    if wish.resolved.is_some() && entered.right < Right::Author {
        return Err(forbidden("only authors of the project settle comments"));
    }
    let change = Change { text: wish.text.as_deref(), resolved: wish.resolved };
    let changed = comments::change(app.database(), &comment.id, &change).await?;
    let replies = comments::replies(app.database(), &changed.id, MOST_REPLIES).await?;
    Ok(Json(Remark::of(changed, replies)))
}

/// Deletes a comment with its replies: one's own, or as an owner of the project.
#[cfg_attr(test, utoipa::path(delete, path = "/comments/{id}", tag = "comments", params(("id" = String, Path)),
    extensions(("x-rights" = json!("job-change"))), responses((status = 204))))]
async fn remove(State(app): State<App>, caller: Caller, ApiPath(id): ApiPath<String>) -> Result<StatusCode, ApiError> {
    let (comment, entered) = get(&app, &caller, &id).await?;
    if comment.user != caller.user {
        entered.change_of(&caller, comment.user.as_str())?;
    }
    comments::delete(app.database(), &comment.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn get(app: &App, caller: &Caller, id: &str) -> Result<(Comment, Entered), ApiError> {
    let absent = || ApiError::missing("comment", id);
    let known = Id::parse(id).ok_or_else(absent)?;
    let comment = comments::get(app.database(), &known).await?.ok_or_else(absent)?;
    match caller.enter_to_comment(app, comment.project.as_str()).await {
        Ok(entered) => Ok((comment, entered)),
        Err(error) if error.status == StatusCode::NOT_FOUND => Err(absent()),
        Err(error) => Err(error),
    }
}

/// What a comment is about.
struct About {
    job: Option<Id>,
    digest: Option<String>,
}

async fn about(app: &App, caller: &Caller, entered: &Entered, target: &str) -> Result<About, ApiError> {
    if let Some(id) = target.strip_prefix("job:") {
        let (job, within) = find(app, caller, id, Right::View).await?;
        return match within.id == entered.id {
            true => Ok(About { job: Some(job.id), digest: None }),
            false => Err(ApiError::missing("job", id)),
        };
    }
    let absent = || ApiError::missing("file", target);
    // No database keeps a NUL, so no path has one.
    let path = Some(target).filter(|path| !path.contains('\0')).ok_or_else(absent)?;
    let file = files::get(app.database(), &entered.id, path).await?.ok_or_else(absent)?;
    Ok(About { job: None, digest: Some(file.digest.to_string()) })
}

fn bad_text(text: &str) -> Option<Problem> {
    let letters = text.chars().count();
    (text.trim().is_empty() || letters > MOST_TEXT || text.contains('\0')).then(|| {
        let problem = Problem::new("text", "this is no comment").at("/text");
        problem.allowed(format!("1 to {MOST_TEXT} characters"))
    })
}
