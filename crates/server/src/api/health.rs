//! Whether the server and its database answer.

use crate::app::App;
use crate::problem::{ApiError, ProblemBody};
use crate::wire::Health;
use axum::Json;
use axum::extract::State;
use runcast_store::{Kind, StoreError};
use std::time::Duration;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// A database that takes longer does not answer.
const PATIENCE: Duration = Duration::from_millis(800);

fn away() -> StoreError {
    StoreError::Away("no answer".to_owned())
}

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
    let schema = runcast_store::migrate::schema(app.database());
    // A file is always there; a server that is gone keeps statements waiting for a connection.
    let schema = match app.database().kind() {
        Kind::Sqlite => schema.await?,
        Kind::Postgres => tokio::time::timeout(PATIENCE, schema).await.unwrap_or_else(|_| Err(away()))?,
    };
    Ok(Json(Health {
        status: "ok".to_owned(),
        version: runcast_commands::VERSION.to_owned(),
        database: app.database().kind().name().to_owned(),
        schema,
    }))
}
