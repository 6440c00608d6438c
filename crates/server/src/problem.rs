//! Errors as `application/problem+json` (RFC 9457).

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use runcast_core::Problem;
use runcast_store::StoreError;
use serde::Serialize;

pub use crate::wire::trouble::Trouble;

/// The media type of errors.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// Errors of handlers.
#[derive(Debug, Clone)]
pub struct ApiError {
    pub status: StatusCode,
    /// Short stable name; `/problems/CODE` is its `type`.
    pub code: &'static str,
    /// One sentence for people.
    pub detail: String,
    /// What is wrong, where.
    pub problems: Vec<Problem>,
    /// Headers beside it, such as `Retry-After`.
    pub headers: Vec<(header::HeaderName, HeaderValue)>,
}

/// The body of an error.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Problem))]
pub struct ProblemBody {
    /// `/problems/CODE`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The status.
    pub status: u16,
    /// One sentence for people.
    pub detail: String,
    /// The path that was asked for.
    pub instance: String,
    /// Short stable name.
    pub code: String,
    /// What is wrong, where.
    pub problems: Vec<Trouble>,
    /// Of a fault of the server: the number under which its log says more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident: Option<String>,
}

impl ApiError {
    /// An error of this status and code.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        ApiError { status, code, detail: detail.into(), problems: Vec::new(), headers: Vec::new() }
    }

    /// Nothing of this name is there, or not for this user.
    pub fn missing(what: &str, name: &str) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "missing", format!("there is no {what} {name}"))
    }

    /// 422: what was sent makes no sense; each problem says where.
    pub fn invalid(code: &'static str, problems: Vec<Problem>) -> Self {
        let detail = problems.first().map_or_else(String::new, |problem| problem.message.clone());
        ApiError { problems, ..ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail) }
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: header::HeaderName, value: impl TryInto<HeaderValue>) -> Self {
        if let Ok(value) = value.try_into() {
            self.headers.push((name, value));
        }
        self
    }

    /// With what is wrong, where.
    #[must_use]
    pub fn problem(mut self, problem: Problem) -> Self {
        self.problems.push(problem);
        self
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        match error {
            StoreError::Away(_) => ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "database_away",
                "the database does not answer; try again",
            )
            .header(header::RETRY_AFTER, "2"),
            StoreError::Full(_) => {
                ApiError::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", "no space is left: nothing was changed")
            }
            StoreError::Missing { .. } => ApiError::new(StatusCode::NOT_FOUND, "missing", text),
            StoreError::Taken { .. } => ApiError::new(StatusCode::CONFLICT, "taken", text),
            StoreError::Stale { .. } => ApiError::new(StatusCode::PRECONDITION_FAILED, "stale", text),
            StoreError::Path { path, .. } => {
                ApiError::invalid("path", vec![Problem::new("path", text).at("path").value(path)])
            }
            StoreError::State(_) => ApiError::new(StatusCode::CONFLICT, "state", text),
            StoreError::Quota { .. } => ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "quota", text),
            _ => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text),
        }
    }
}

/// What a response says of an error, until [`complete`] has put in the path that was asked for.
#[derive(Debug, Clone)]
struct Told {
    body: ProblemBody,
    log: Option<String>,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let internal = self.status == StatusCode::INTERNAL_SERVER_ERROR;
        let log = internal.then(|| self.detail.clone());
        let body = ProblemBody {
            kind: format!("/problems/{}", self.code),
            title: self.status.canonical_reason().unwrap_or("error").to_owned(),
            status: self.status.as_u16(),
            detail: if internal { "the server is at fault".to_owned() } else { self.detail },
            instance: String::new(),
            code: self.code.to_owned(),
            problems: self.problems.iter().map(Trouble::from).collect(),
            incident: internal.then(|| runcast_store::Id::new().to_string()),
        };
        let mut response = rendered(self.status, &body);
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response.extensions_mut().insert(Told { body, log });
        response
    }
}

fn rendered(status: StatusCode, body: &ProblemBody) -> Response {
    let text = serde_json::to_vec(body).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response()
}

/// The layer that completes errors: the path goes into `instance`, faults of the server into its log; and what the
/// router itself refuses becomes a problem too.
pub async fn complete(request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let is_api = path == "/api" || path.starts_with("/api/");
    let method = request.method().clone();
    let mut response = next.run(request).await;
    let plain = is_api && response.status().as_u16() >= 400 && !is_problem(&response);
    let told = response.extensions_mut().remove::<Told>().or_else(|| {
        plain.then(|| of_status(response.status()).into_response().extensions_mut().remove::<Told>()).flatten()
    });
    let Some(Told { mut body, log }) = told else { return response };
    body.instance = path;
    if let Some(log) = log {
        let incident = body.incident.as_deref().unwrap_or_default();
        crate::log::line(&format!("incident {incident}: {method} {}: {log}", body.instance));
    }
    let mut complete = rendered(response.status(), &body);
    for (name, value) in response.headers() {
        if name != header::CONTENT_TYPE && name != header::CONTENT_LENGTH {
            complete.headers_mut().append(name.clone(), value.clone());
        }
    }
    *complete.extensions_mut() = std::mem::take(response.extensions_mut());
    complete
}

fn is_problem(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == MEDIA_TYPE)
}

/// An error of which nothing but the status is known.
fn of_status(status: StatusCode) -> ApiError {
    match status {
        StatusCode::NOT_FOUND => ApiError::new(status, "missing", "there is nothing of this address"),
        StatusCode::METHOD_NOT_ALLOWED => ApiError::new(status, "method", "this address has other methods"),
        StatusCode::PAYLOAD_TOO_LARGE => crate::extract::too_large(),
        StatusCode::REQUEST_TIMEOUT => ApiError::new(status, "slow_body", "the body came in too slowly"),
        StatusCode::INTERNAL_SERVER_ERROR => ApiError::new(status, "internal", "a fault without a word"),
        _ => ApiError::new(status, "refused", status.canonical_reason().unwrap_or("refused")),
    }
}

/// Response to a panic of a handler: 500 with an incident, while the others go on.
pub fn panicked(reason: Box<dyn std::any::Any + Send + 'static>) -> Response {
    let text = reason.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| reason.downcast_ref::<&str>().copied()).unwrap_or("without a word");
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", format!("panicked: {text}")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt as _;
    use tower_http::catch_panic::CatchPanicLayer;

    async fn asked(path: &str) -> (StatusCode, serde_json::Value) {
        let router: Router = Router::new()
            .route("/api/v1/panic", get(|| async { panic!("secret {}", 7) as () }))
            .route(
                "/api/v1/fault",
                get(|| async { ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "secret") }),
            )
            .route("/api/v1/plain", get(|| async { (StatusCode::BAD_REQUEST, "as axum says it") }))
            .layer(CatchPanicLayer::custom(panicked))
            .layer(from_fn(complete));
        let request = Request::builder().uri(path).body(Body::empty()).expect("a request");
        let response = router.oneshot(request).await.expect("an answer");
        let status = response.status();
        assert_eq!(response.headers()[header::CONTENT_TYPE], MEDIA_TYPE);
        let bytes = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        (status, serde_json::from_slice(&bytes).expect("JSON"))
    }

    #[tokio::test]
    async fn faults_have_a_number_and_tell_nothing_of_the_inside() {
        for path in ["/api/v1/panic", "/api/v1/fault"] {
            let (status, body) = asked(path).await;
            assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
            assert!(body["incident"].as_str().is_some_and(|incident| incident.len() == 26), "{body}");
            assert!(!body.to_string().contains("secret"), "{body}");
            assert_eq!(body["instance"], path);
        }
    }

    #[tokio::test]
    async fn what_the_router_refuses_is_a_problem_too() {
        let (status, body) = asked("/api/v1/plain").await;
        assert_eq!((status, &body["code"], &body["status"]), (StatusCode::BAD_REQUEST, &"refused".into(), &400.into()));
        assert_eq!(asked("/api/v1/none").await.1["code"], "missing");
    }
}
