//! The document that describes the API.

use crate::api::{Operations, operations};
use axum::http::header;
use axum::response::IntoResponse;

/// `/openapi.json`.
pub fn routes() -> Operations {
    operations! {
        get "/openapi.json" => document,
    }
}

/// This document.
#[cfg_attr(test, utoipa::path(get, path = "/openapi.json", tag = "health", extensions(("x-rights" = json!("anyone"))),
    responses((status = 200, body = Object))))]
async fn document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], crate::openapi::DOCUMENT)
}
