//! Whether the server and its database answer.

use crate::app::App;
use crate::problem::{ApiError, ProblemBody};
use crate::wire::Health;
use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// `/health`.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(health))
}

/// Whether the server and its database answer.
#[utoipa::path(get, path = "/health", tag = "health",
    extensions(("x-rights" = json!("anyone"))), responses(
    (status = 200, body = Health),
    (status = 503, body = ProblemBody, content_type = "application/problem+json"),
))]
async fn health(State(app): State<App>) -> Result<Json<Health>, ApiError> {
    let schema = runcast_store::migrate::schema(app.database()).await?;
    Ok(Json(Health {
        status: "ok".to_owned(),
        version: runcast_commands::VERSION.to_owned(),
        database: app.database().kind().name().to_owned(),
        schema,
    }))
}
