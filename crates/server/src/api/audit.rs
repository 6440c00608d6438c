//! The audit log, for administrators.

use crate::app::App;
use crate::auth::Caller;
use crate::extract::ApiQuery;
use crate::problem::{ApiError, ProblemBody};
use crate::wire::people::AuditView;
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use runcast_store::audit;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// `/audit`.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list))
}

/// What administrators did with users and in projects of others, the newest first.
#[utoipa::path(get, path = "/audit", tag = "audit", params(Page), extensions(("x-rights" = json!("administrator"))),
    responses(
        (status = 200, body = Items<AuditView>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json"),
    ))]
async fn list(
    State(app): State<App>,
    _caller: Caller,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<AuditView>>, ApiError> {
    let (limit, before) = (page.limit()?, page.after::<i64>()?.unwrap_or(i64::MAX));
    let found = audit::list(app.database(), before, limit + 1).await?;
    Ok(Json(Items::of(found, limit, |entry| entry.id, AuditView::from)))
}
