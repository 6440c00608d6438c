//! What holders of a link see: one page, without a session, and no way from it to anything else.

use crate::app::App;
use crate::problem::ApiError;
use axum::extract::{Path, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use runcast_store::shares;

/// The page may draw and fold; it opens nothing, asks nobody, and is in no frame.
const POLICY: &str = "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The same for links that never were, are over, or were revoked.
const NOTHING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
<title>runcast: nothing here</title><main><h1>There is nothing at this address</h1>\
<p>The link may have ended. Ask the person who sent it for another one.</p></main></html>";

/// `GET /s/TOKEN`
pub async fn page(State(app): State<App>, Path(token): Path<String>) -> Response {
    match shares::open(app.database(), &token).await {
        Ok(Some(page)) => told(StatusCode::OK, page),
        Ok(None) => told(StatusCode::NOT_FOUND, NOTHING.into()),
        Err(error) => ApiError::from(error).into_response(),
    }
}

fn told(status: StatusCode, page: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    ];
    (status, headers, page).into_response()
}
