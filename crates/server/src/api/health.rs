//! Whether the server and its database answer.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::problem::ApiError;
use crate::wire::Health;
use axum::Json;
use axum::extract::State;
use runcast_store::{Kind, StoreError};
use std::time::Duration;

/// A database that takes longer does not answer.
const PATIENCE: Duration = Duration::from_millis(800);

fn away() -> StoreError {
    StoreError::Away("no answer".to_owned())
}

/// `/health`.
pub fn routes() -> Operations {
    operations! {
        get "/health" => health,
    }
}

/// Whether the server and its database answer.
#[cfg_attr(test, utoipa::path(get, path = "/health", tag = "health",
    extensions(("x-rights" = json!("anyone"))), responses(
    (status = 200, body = Health),
)))]
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
