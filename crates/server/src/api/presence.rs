//! Who else is here.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::{ApiJson, ApiPath};
use crate::hub::Hub;
use crate::path;
use crate::presence::Present;
use crate::problem::ApiError;
use crate::wire::sharing::{Here, Sign};
use axum::Json;
use axum::extract::State;
use runcast_core::Problem;

/// Letters of a place in a file.
const MOST_PLACE: usize = 200;

/// `/projects/{project}/presence`.
pub fn routes() -> Operations {
    operations! {
        post "/projects/{project}/presence" => sign,
    }
}

/// Says where the caller is, and answers who is in the project; to be repeated every 15 s, and gone after 45 s.
///
/// Others hear of it by the event `presence`, whose data are this answer. A path that is null says goodbye.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{project}/presence", tag = "comments",
    params(("project" = String, Path)), request_body = Sign, extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Here))))]
async fn sign(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(wish): ApiJson<Sign>,
) -> Result<Json<Here>, ApiError> {
    let entered = caller.enter(&app, &project, Right::View).await?;
    if let Some(given) = &wish.path {
        path::check(given, "/path")?;
    }
    if wish.place.chars().count() > MOST_PLACE || wish.place.contains('\0') {
        let problem = Problem::new("place", "this is no place").at("/place");
        return Err(ApiError::invalid("place", vec![problem.allowed(format!("up to {MOST_PLACE} characters"))]));
    }
    let present = Present { user: caller.name.clone(), path: wish.path.unwrap_or_default(), place: wish.place };
    let is_news = app.presence().sign(&entered.id, &caller.user, present);
    let here = Here { items: app.presence().of(&entered.id) };
    if is_news {
        let data = serde_json::to_string(&here).unwrap_or_default();
        Hub::of(&app).await?.tell(&entered.id, "presence", data);
    }
    Ok(Json(here))
}
