//! What a script says of an application, without simulating it.

use crate::api::launch::internal;
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::ApiJson;
use crate::problem::ApiError;
use crate::task::Work;
use crate::wire::compute::{DryRun, DryRunWish, ParameterValue};
use axum::Json;
use axum::extract::State;
use runcast_commands::remote;
use runcast_core::Problem;
use std::sync::Arc;

/// `/dry-run`.
pub fn routes() -> Operations {
    operations! {
        post "/dry-run" => dry_run,
    }
}

/// Parameters, labels, who sends to whom, and counts of operations of a script. What is wrong with it is among the
/// problems.
#[cfg_attr(test, utoipa::path(post, path = "/dry-run", tag = "compute", request_body = DryRunWish,
    extensions(("x-rights" = json!("user"))),
    responses(
        (status = 200, body = DryRun),
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
        crate::openapi::Missing,
    )))]
async fn dry_run(
    State(app): State<App>,
    caller: Caller,
    ApiJson(wish): ApiJson<DryRunWish>,
) -> Result<Json<DryRun>, ApiError> {
    if let Some(project) = &wish.project {
        caller.enter(&app, project, Right::View).await?;
    }
    if !remote::is_project_path(&wish.path) {
        let problem = Problem::new("path", "this is not a path of a file").at("/path").value(wish.path.as_str());
        let allowed = "1 to 4 segments of letters, digits, . _ -, such as applications/heat.luau";
        return Err(ApiError::invalid("path", vec![problem.allowed(allowed)]));
    }
    app.children().admit(&app, &caller.user).await?;
    let params = wish.params.into_iter().map(|(name, value)| {
        let value = match value {
            ParameterValue::Number(number) => runcast_core::json::number(number),
            ParameterValue::Text(text) => text.into(),
        };
        (name, value)
    });
    let work = Work::DryRun { path: wish.path.clone(), params: params.collect() };
    let files = vec![(wish.path, Arc::from(wish.content.into_bytes()))];
    let outcome = app.children().run(&app, work, files).await?;
    let document = outcome.document.unwrap_or_default();
    let found: runcast_sim::dry_run::DryRun = serde_json::from_slice(&document).map_err(|error| internal(&error))?;
    Ok(Json(found.into()))
}
