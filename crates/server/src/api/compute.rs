//! A short command, at once; nothing is stored.

use crate::api::launch::{Stock, run_now};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::Caller;
use crate::extract::ApiJson;
use crate::problem::ApiError;
use crate::wire::compute::Compute;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

/// `/compute`.
pub fn routes() -> Operations {
    operations! {
        post "/compute" => compute,
    }
}

/// Runs a short command on files that come with it, and on those of a project; answers its `--json` document.
///
/// What takes longer than 5 s ends with 422 `limit_wall`: launch a job for it.
#[cfg_attr(test, utoipa::path(post, path = "/compute", tag = "compute", request_body = Compute, extensions(("x-rights" = json!("user"))),
    responses(
        (status = 200, body = Object),
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
        crate::openapi::Missing,
    )))]
async fn compute(
    State(app): State<App>,
    caller: Caller,
    ApiJson(wish): ApiJson<Compute>,
) -> Result<Response, ApiError> {
    let mut stock = Stock::admitted(&app, &caller, wish.project.as_deref()).await?;
    stock.give(wish.files).map_err(|problems| ApiError::invalid("path", problems))?;
    let outcome = run_now(&app, stock, wish.argv, "input").await?;
    let document = outcome.document.unwrap_or_else(|| b"null".to_vec());
    Ok(([(header::CONTENT_TYPE, "application/json")], document).into_response())
}
