//! What a content is, and what is wrong with it; nothing is stored.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::ApiJson;
use crate::kinds;
use crate::path;
use crate::problem::ApiError;
use crate::wire::files::{Validate, Validation};
use crate::wire::trouble::Trouble;
use axum::Json;
use axum::extract::State;

/// `/validate`.
pub fn routes() -> Operations {
    operations! {
        post "/validate" => validate,
    }
}

/// What a content is, and what is wrong with it; nothing is stored.
#[cfg_attr(test, utoipa::path(post, path = "/validate", tag = "files", request_body = Validate,
    extensions(("x-rights" = json!("user"))),
    responses(
        (status = 200, body = Validation),
        crate::openapi::Missing,
    )))]
async fn validate(
    State(app): State<App>,
    caller: Caller,
    ApiJson(body): ApiJson<Validate>,
) -> Result<Json<Validation>, ApiError> {
    path::check(&body.path, "/path")?;
    let project = match &body.project {
        Some(project) => Some(caller.enter(&app, project, Right::View).await?.id),
        None => None,
    };
    let (facts, _) = kinds::of_file(app.database(), project.as_ref(), &body.path, body.content.into_bytes()).await?;
    let problems = Trouble::all(&kinds::problems(&facts));
    Ok(Json(Validation { valid: facts.valid, kind: facts.kind, problems }))
}
