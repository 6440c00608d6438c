//! Projects.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right, SiteRole, forbidden};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::path::is_name;
use crate::problem::ApiError;
use crate::wire::files::{NewProject, ProjectChange, ProjectView};
use crate::wire::{Items, Page, time};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use runcast_core::Problem;
use runcast_store::projects::{self, Change, Listed, Maker, Project};
use runcast_store::{Id, MemberRole};

/// Characters of a title, at most.
const LONGEST_TITLE: usize = 200;

/// `/projects`.
pub fn routes() -> Operations {
    operations! {
        get "/projects" => list,
        post "/projects" => create,
        get "/projects/{p}" => show,
        patch "/projects/{p}" => change,
        delete "/projects/{p}" => remove,
    }
}

/// The projects that the caller may read, by name.
#[cfg_attr(test, utoipa::path(get, path = "/projects", tag = "projects", params(Page), extensions(("x-rights" = json!("user"))),
    responses(
        (status = 200, body = Items<ProjectView>),
    )))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<ProjectView>>, ApiError> {
    let (limit, after) = (page.limit()?, page.after::<String>()?.unwrap_or_default());
    let everything = caller.role == SiteRole::Administrator;
    let db = app.database();
    let found = match &caller.only_project {
        // A token for one project sees that alone.
        Some(only) => {
            let all = projects::list(db, Some(&caller.user), everything, "", i64::MAX).await?;
            all.into_iter().filter(|listed| listed.project.id == *only).collect()
        }
        None => projects::list(db, Some(&caller.user), everything, &after, limit + 1).await?,
    };
    let show = |listed: Listed| view(&caller, &listed.project, listed.role.as_deref());
    Ok(Json(Items::of(found, limit, |listed| projects::key(&listed.project.name), show)))
}

/// Makes a project, which the caller owns.
#[cfg_attr(test, utoipa::path(post, path = "/projects", tag = "projects", request_body = NewProject,
    extensions(("x-rights" = json!("create"))),
    responses(
        (status = 201, body = ProjectView),
        crate::openapi::Conflict,
    )))]
async fn create(
    State(app): State<App>,
    caller: Caller,
    ApiJson(body): ApiJson<NewProject>,
) -> Result<impl IntoResponse, ApiError> {
    name(&caller, &body.name)?;
    let title = match body.title.as_deref() {
        None | Some("") => body.name.clone(),
        Some(text) => title(text)?,
    };
    let maker = Maker { owner: Some(&caller.user), name: &caller.name };
    let made = projects::create(app.database(), &body.name, &title, maker).await?;
    let location = format!("/api/v1/projects/{}", made.name);
    let role = MemberRole::Owner.word();
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(view(&caller, &made, Some(role)))))
}

/// A project.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{p}", tag = "projects",
    params(("p" = String, Path, description = "the project")),
    extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, body = ProjectView),
    )))]
async fn show(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
) -> Result<Json<ProjectView>, ApiError> {
    let entered = caller.enter(&app, &project, Right::View).await?;
    let found = projects::by_id(app.database(), &entered.id).await?;
    let found = found.ok_or_else(|| ApiError::missing("project", &project))?;
    Ok(Json(view(&caller, &found, Some(MemberRole::from(entered.right).word()))))
}

/// Gives a project another name or title, or lets its viewers comment.
#[cfg_attr(test, utoipa::path(patch, path = "/projects/{p}", tag = "projects", request_body = ProjectChange,
    params(("p" = String, Path, description = "the project")),
    extensions(("x-rights" = json!("project-own"))),
    responses(
        (status = 200, body = ProjectView),
        crate::openapi::Conflict,
    )))]
async fn change(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(body): ApiJson<ProjectChange>,
) -> Result<Json<ProjectView>, ApiError> {
    let entered = caller.enter(&app, &project, Right::Own).await?;
    if let Some(wanted) = &body.name {
        name(&caller, wanted)?;
        keeps_its_name(&entered.name, wanted)?;
    }
    let title = body.title.as_deref().map(title).transpose()?;
    let change = Change { name: body.name.as_deref(), title: title.as_deref(), viewers_comment: body.viewers_comment };
    let changed = projects::change(app.database(), &entered.id, &change).await?;
    Ok(Json(view(&caller, &changed, Some(MemberRole::from(entered.right).word()))))
}

/// Deletes a project with its files, jobs and results.
#[cfg_attr(test, utoipa::path(delete, path = "/projects/{p}", tag = "projects",
    params(("p" = String, Path, description = "the project")),
    extensions(("x-rights" = json!("project-own"))),
    responses(
        (status = 204, description = "deleted"),
    )))]
async fn remove(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
) -> Result<StatusCode, ApiError> {
    let entered = caller.enter(&app, &project, Right::Own).await?;
    keeps_its_name(&entered.name, "")?;
    projects::delete(app.database(), &entered.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn view(caller: &Caller, project: &Project, member: Option<&str>) -> ProjectView {
    let role = match (caller.role, member) {
        (SiteRole::Administrator, _) => MemberRole::Owner.word(),
        (SiteRole::Author, Some(role)) => role,
        _ => MemberRole::Viewer.word(),
    };
    ProjectView {
        id: project.id.to_string(),
        name: project.name.clone(),
        title: project.title.clone(),
        role: role.to_owned(),
        created_at: time::shown(project.created_at),
        created_by: project.created_by.clone(),
        viewers_comment: project.viewers_comment,
    }
}

/// 422 for what cannot be the name of a project. What looks like an id is none, and `site` is the administrators'.
fn name(caller: &Caller, name: &str) -> Result<(), ApiError> {
    if projects::key(name) == projects::SITE && caller.role != SiteRole::Administrator {
        return Err(forbidden("the project site is for administrators"));
    }
    if is_name(name) && Id::parse(name).is_none() {
        return Ok(());
    }
    let problem = Problem::new("name", "a project cannot be called so").at("/name").value(name);
    let problem = problem.allowed("a letter, a digit or _, then these, . and -, 64 at most, and not like an id");
    Err(ApiError::invalid("name", vec![problem]))
}

fn title(text: &str) -> Result<String, ApiError> {
    let is_title = text.chars().count() <= LONGEST_TITLE && !text.chars().any(char::is_control);
    if is_title {
        return Ok(text.to_owned());
    }
    let problem = Problem::new("title", "a project cannot have this title").at("/title").value(text);
    Err(ApiError::invalid("title", vec![problem.allowed("one line of 200 characters at most")]))
}

/// The project `site` holds what all others may use: it is neither renamed nor deleted.
fn keeps_its_name(name: &str, wanted: &str) -> Result<(), ApiError> {
    if projects::key(name) == projects::SITE && projects::key(wanted) != projects::SITE {
        return Err(ApiError::new(StatusCode::CONFLICT, "state", "the project site is neither renamed nor deleted"));
    }
    Ok(())
}
