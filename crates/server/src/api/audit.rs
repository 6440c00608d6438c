//! The audit log, for administrators.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::Caller;
use crate::extract::ApiQuery;
use crate::problem::ApiError;
use crate::wire::people::AuditView;
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use runcast_store::audit;

/// `/audit`.
pub fn routes() -> Operations {
    operations! {
        get "/audit" => list,
    }
}

/// What administrators did with users and in projects of others, the newest first.
#[cfg_attr(test, utoipa::path(get, path = "/audit", tag = "audit", params(Page), extensions(("x-rights" = json!("administrator"))),
    responses(
        (status = 200, body = Items<AuditView>),
    )))]
async fn list(
    State(app): State<App>,
    _caller: Caller,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<AuditView>>, ApiError> {
    let (limit, before) = (page.limit()?, page.after::<i64>()?.unwrap_or(i64::MAX));
    let found = audit::list(app.database(), before, limit + 1).await?;
    Ok(Json(Items::of(found, limit, |entry| entry.id, AuditView::from)))
}
