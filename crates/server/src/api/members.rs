//! Members of a project.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::problem::ApiError;
use crate::wire::people::{MemberRoleChange, MemberView};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runcast_store::members;

/// `/projects/{p}/members`.
pub fn routes() -> Operations {
    operations! {
        get "/projects/{p}/members" => list,
        put "/projects/{p}/members/{user}" => put,
        delete "/projects/{p}/members/{user}" => remove,
    }
}

/// The members of a project, by name.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{p}/members", tag = "members",
    params(("p" = String, Path, description = "the project"), Page),
    extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, body = Items<MemberView>),
    )))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<MemberView>>, ApiError> {
    let project = caller.enter(&app, &project, Right::View).await?;
    let (limit, after) = (page.limit()?, page.after::<String>()?.unwrap_or_default());
    let found = members::list(app.database(), &project.id, &after, limit + 1).await?;
    Ok(Json(Items::of(found, limit, |member| member.user.clone(), MemberView::from)))
}

/// Makes a user a member, or gives a member another role.
#[cfg_attr(test, utoipa::path(put, path = "/projects/{p}/members/{user}", tag = "members", request_body = MemberRoleChange,
    params(("p" = String, Path, description = "the project"), ("user" = String, Path, description = "their name")),
    extensions(("x-rights" = json!("project-own"))),
    responses(
        (status = 200, body = MemberView),
        crate::openapi::Conflict,
    )))]
async fn put(
    State(app): State<App>,
    caller: Caller,
    ApiPath((project, user)): ApiPath<(String, String)>,
    ApiJson(body): ApiJson<MemberRoleChange>,
) -> Result<Json<MemberView>, ApiError> {
    let project = caller.enter(&app, &project, Right::Own).await?;
    let member = members::put(app.database(), &project.id, &user, body.role.into()).await?;
    Ok(Json(member.into()))
}

/// Removes a member.
#[cfg_attr(test, utoipa::path(delete, path = "/projects/{p}/members/{user}", tag = "members",
    params(("p" = String, Path, description = "the project"), ("user" = String, Path, description = "their name")),
    extensions(("x-rights" = json!("project-own"))),
    responses(
        (status = 204, description = "no member any longer"),
        crate::openapi::Conflict,
    )))]
async fn remove(
    State(app): State<App>,
    caller: Caller,
    ApiPath((project, user)): ApiPath<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let project = caller.enter(&app, &project, Right::Own).await?;
    members::remove(app.database(), &project.id, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}
