//! What handlers take in: like axum's own, but what they refuse is `application/problem+json`.

use crate::problem::ApiError;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use runcast_core::Problem;
use serde::de::{DeserializeOwned, IgnoredAny};

/// The most bytes of a JSON body: 10 MiB. Routes with larger bodies bring a `DefaultBodyLimit` of their own.
pub const MOST_JSON: usize = 10 << 20;

/// A JSON body. Unknown fields and wrong types are 422 with a pointer, what is no JSON is 400.
#[derive(Debug, Clone, Copy)]
pub struct ApiJson<T>(pub T);

/// The fields after the `?`.
#[derive(Debug, Clone, Copy)]
pub struct ApiQuery<T>(pub T);

/// The parameters in the path.
#[derive(Debug, Clone, Copy)]
pub struct ApiPath<T>(pub T);

/// The raw bytes of a body.
#[derive(Debug, Clone)]
pub struct ApiBytes(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for ApiBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        Bytes::from_request(request, state).await.map(ApiBytes).map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_large(),
            _ => crate::slow::refusal(&rejection),
        })
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        media_type(request.headers(), "application/json")?;
        let ApiBytes(bytes) = ApiBytes::from_request(request, state).await?;
        json(&bytes).map(ApiJson)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        Query::<T>::try_from_uri(&parts.uri).map(|Query(query)| ApiQuery(query)).map_err(|rejection| {
            let text = rejection.body_text();
            let text = text.rsplit_once(": ").map_or(text.as_str(), |(_, reason)| reason).to_owned();
            ApiError::new(StatusCode::BAD_REQUEST, "query", format!("the part after ? is wrong: {text}"))
        })
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for ApiPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        Path::<T>::from_request_parts(parts, state)
            .await
            .map(|Path(path)| ApiPath(path))
            .map_err(|_| ApiError::new(StatusCode::NOT_FOUND, "missing", "there is nothing of this address"))
    }
}

/// 415 unless the body is said to be of this type.
///
/// # Errors
/// It is not.
pub fn media_type(headers: &HeaderMap, wanted: &str) -> Result<(), ApiError> {
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = said.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    let detail = format!("the body is {}, not {wanted}", if kind.is_empty() { "of no type" } else { kind });
    let problem = Problem::new("media_type", &detail).at("Content-Type").value(said).allowed(wanted);
    Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", detail).problem(problem))
}

/// Reads JSON: what is no JSON is 400; what does not fit is 422, with a pointer to where.
///
/// # Errors
/// As said.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // First whether it is JSON at all: what is no JSON is no matter of fields.
    serde_json::from_slice::<IgnoredAny>(bytes).map_err(|error| malformed(&error))?;
    if !bytes.trim_ascii_start().starts_with(b"{") {
        let problem = Problem::new("invalid", "the body is not an object").at("").allowed("{..}");
        return Err(ApiError::invalid("invalid", vec![problem]));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader);
    let value = value.map_err(|error| {
        let pointer = pointer(error.path());
        let inner = error.into_inner();
        if inner.is_data() { misfit(&inner, pointer, bytes) } else { malformed(&inner) }
    })?;
    Ok(value)
}

fn malformed(error: &serde_json::Error) -> ApiError {
    let problem = Problem::new("json", format!("this is no JSON: {}", reason(error)))
        .at_line(error.line() as u64)
        .at_column(error.column().max(1) as u64);
    ApiError::new(StatusCode::BAD_REQUEST, "json", problem.message.clone()).problem(problem)
}

/// The largest body of which the value seen is reported: it is read once more for that.
const MOST_SHOWN: usize = 64 << 10;

fn misfit(error: &serde_json::Error, pointer: String, bytes: &[u8]) -> ApiError {
    let text = reason(error);
    let code = if text.starts_with("unknown field") { "unknown_field" } else { "invalid" };
    let may_show = bytes.len() <= MOST_SHOWN && !pointer.is_empty() && !pointer.contains("password");
    let seen = Some(bytes).filter(|_| may_show);
    let seen = seen.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok());
    let seen = seen.and_then(|whole| whole.pointer(&pointer).map(ToString::to_string));
    let allowed = text.split_once(", expected ").map(|(_, allowed)| allowed.to_owned());
    let mut problem =
        Problem::new(code, &text).at(pointer).at_line(error.line() as u64).at_column(error.column().max(1) as u64);
    if let Some(allowed) = allowed {
        problem = problem.allowed(allowed);
    }
    if let Some(seen) = seen {
        problem = problem.value(runcast_core::problem::shorten(&seen, 100));
    }
    ApiError::invalid(code, vec![problem])
}

/// What serde says, without the place, which is reported apart.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").map_or(text.clone(), |end| text[..end].to_owned())
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let segment = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Enum { variant } => format!("/{variant}"),
        Segment::Unknown => String::new(),
    };
    path.iter().map(segment).collect()
}

/// 413: a body is larger than allowed.
pub fn too_large() -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is larger than allowed")
}
