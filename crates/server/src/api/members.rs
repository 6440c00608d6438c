//! Members of a project.

use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::problem::{ApiError, ProblemBody};
use crate::wire::people::{MemberRoleChange, MemberView};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runcast_store::members;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// `/projects/{p}/members`.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(put, remove))
}

/// The members of a project, by name.
#[utoipa::path(get, path = "/projects/{p}/members", tag = "members",
    params(("p" = String, Path, description = "the project"), Page),
    extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, body = Items<MemberView>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json"),
    ))]
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
#[utoipa::path(put, path = "/projects/{p}/members/{user}", tag = "members", request_body = MemberRoleChange,
    params(("p" = String, Path, description = "the project"), ("user" = String, Path, description = "their name")),
    extensions(("x-rights" = json!("project-own"))),
    responses(
        (status = 200, body = MemberView),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json"),
    ))]
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
#[utoipa::path(delete, path = "/projects/{p}/members/{user}", tag = "members",
    params(("p" = String, Path, description = "the project"), ("user" = String, Path, description = "their name")),
    extensions(("x-rights" = json!("project-own"))),
    responses(
        (status = 204, description = "no member any longer"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json"),
    ))]
async fn remove(
    State(app): State<App>,
    caller: Caller,
    ApiPath((project, user)): ApiPath<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let project = caller.enter(&app, &project, Right::Own).await?;
    members::remove(app.database(), &project.id, &user).await?;
    Ok(StatusCode::NO_CONTENT)
}
