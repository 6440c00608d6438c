//! Headers that keep browsers from harm.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

/// What inline styles of this page must carry (`Content-Security-Policy`); new for every request. Pages find it among
/// the extensions of the request.
#[derive(Debug, Clone)]
pub struct Nonce(pub String);

/// Puts them on every response; a policy that a handler has set stays.
pub async fn layer(mut request: Request, next: Next) -> Response {
    let nonce = runcast_store::secret::fresh();
    request.extensions_mut().insert(Nonce(nonce.clone()));
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let policy = if is_api { CONTENT_POLICY.to_owned() } else { policy(&nonce) };
    put(headers, header::CONTENT_SECURITY_POLICY, &policy);
    put(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(headers, header::X_FRAME_OPTIONS, "DENY");
    put(headers, header::REFERRER_POLICY, "no-referrer");
    put(headers, HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(headers, HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    put(headers, HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()");
    if is_api {
        // Answers depend on who asks; those with an ETag say themselves how they may be kept.
        put(headers, header::CACHE_CONTROL, "no-store");
    }
    response
}

/// Whatever the API hands out may be HTML or SVG of a user: opened as a page, it can do nothing.
const CONTENT_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

/// Scripts and connections from here only. CodeMirror adds a style element (the nonce), Svelte Flow sets style
/// attributes.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; \
         img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
         frame-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
}

fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let (false, Ok(value)) = (headers.contains_key(&name), HeaderValue::from_str(value)) {
        headers.insert(name, value);
    }
}
