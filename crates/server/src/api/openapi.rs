//! The document that describes the API.

use crate::app::App;
use crate::router;
use axum::http::header;
use axum::response::IntoResponse;
use std::sync::LazyLock;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The document, made once.
static DOCUMENT: LazyLock<String> = LazyLock::new(|| router::document().to_json().unwrap_or_default());

/// `/openapi.json`.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(document))
}

/// This document.
#[utoipa::path(get, path = "/openapi.json", tag = "health", extensions(("x-rights" = json!("anyone"))),
    responses((status = 200, body = Object)))]
async fn document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.as_str())
}
