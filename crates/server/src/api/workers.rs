//! Workers, for administrators.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::Caller;
use crate::extract::ApiQuery;
use crate::problem::ApiError;
use crate::wire::workers::Worker;
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use runcast_store::workers;

/// `/workers`.
pub fn routes() -> Operations {
    operations! {
        get "/workers" => list,
    }
}

/// Processes that take tasks, the oldest first.
#[cfg_attr(test, utoipa::path(get, path = "/workers", tag = "jobs", params(Page), extensions(("x-rights" = json!("administrator"))),
    responses((status = 200, body = Items<Worker>))))]
async fn list(
    State(app): State<App>,
    _caller: Caller,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<Worker>>, ApiError> {
    let (limit, after) = (page.limit()?, page.after::<String>()?.unwrap_or_default());
    let mut found = workers::list(app.database()).await?;
    found.retain(|worker| worker.id.as_str() > after.as_str());
    found.truncate(usize::try_from(limit + 1).unwrap_or(usize::MAX));
    Ok(Json(Items::of(found, limit, |worker| worker.id.to_string(), Worker::from)))
}
