//! A page of another site must not act in the name of who is logged in here.

use crate::app::App;
use crate::auth::{Caller, host};
use crate::problem::ApiError;
use crate::rights::Class;
use axum::extract::Request;
use axum::http::{HeaderName, StatusCode};
use runcast_store::secret;

/// The header that repeats the token of `GET /session`.
pub const HEADER: HeaderName = HeaderName::from_static("x-runcast-csrf");

/// Refuses unsafe requests that another site may have made: by cookie they need [`HEADER`] and a matching `Origin`.
/// Who logs in has no cookie that counts yet; an `Origin` that is given must match all the same.
///
/// # Errors
/// 403.
pub fn check(app: &App, class: Class, request: &Request) -> Result<(), ApiError> {
    let caller = request.extensions().get::<Caller>();
    let by_token = caller.is_some_and(|caller| caller.session.is_none());
    if request.method().is_safe() || by_token {
        return Ok(());
    }
    let own_origin = host::is_own_origin(app.options(), request.headers(), request.uri());
    if own_origin == Some(false) {
        return Err(refused("the request comes from another site"));
    }
    let Some(session) = caller.and_then(|caller| caller.session.as_ref()).filter(|_| class != Class::Anyone) else {
        return Ok(());
    };
    if own_origin.is_none() {
        return Err(refused("the request does not say which site it comes from (Origin)"));
    }
    let repeated = request.headers().get(HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if secret::equal(repeated, &session.csrf) {
        return Ok(());
    }
    Err(refused("the header X-Runcast-CSRF must repeat csrf of GET /session"))
}

fn refused(detail: &str) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "csrf", detail)
}
