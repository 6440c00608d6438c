//! Where browsers come in: an address with `?token=` is exchanged for a cookie.

use crate::app::App;
use crate::auth::cookie;
use crate::problem::ApiError;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{AppendHeaders, IntoResponse, Response};
use runcast_store::{secret, sessions};

/// Around the pages: unknown addresses of the API are 404, and the token is taken out of the address.
pub async fn layer(State(app): State<App>, request: Request, next: Next) -> Response {
    let uri = request.uri();
    if uri.path() == "/api" || uri.path().starts_with("/api/") {
        return ApiError::missing("operation", uri.path()).into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let error = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "pages are for reading");
        return error.header(header::ALLOW, "GET,HEAD").into_response();
    }
    match parted(uri) {
        Some((token, rest)) if app.single().is_some() => exchange(&app, &token, &rest).await,
        _ => next.run(request).await,
    }
}

/// The token of an address, and the address without it.
fn parted(uri: &Uri) -> Option<(String, String)> {
    let is_token = |pair: &&str| pair.starts_with("token=");
    let pairs = || uri.query().unwrap_or_default().split('&');
    let token = pairs().find(is_token)?.strip_prefix("token=")?.to_owned();
    let others: Vec<&str> = pairs().filter(|pair| !is_token(pair)).collect();
    // Two slashes at the beginning would be the address of another site.
    let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
    let rest = if others.is_empty() { path } else { format!("{path}?{}", others.join("&")) };
    Some((token, rest))
}

async fn exchange(app: &App, token: &str, rest: &str) -> Response {
    let to = [(header::LOCATION, rest.to_owned())];
    let single = app.single().filter(|single| secret::equal(&single.token, token));
    let Some(single) = single else { return (StatusCode::SEE_OTHER, to).into_response() };
    match sessions::begin(app.database(), &single.user).await {
        Ok((value, _)) => {
            let set = AppendHeaders([(header::SET_COOKIE, cookie::set(app.options(), &value))]);
            (StatusCode::SEE_OTHER, to, set).into_response()
        }
        Err(error) => ApiError::from(error).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_leaves_the_address_and_the_rest_stays() {
        let parted = |text: &str| parted(&text.parse().expect("an address"));
        assert_eq!(parted("/?token=abc"), Some(("abc".to_owned(), "/".to_owned())));
        assert_eq!(parted("/p/x?tab=a&token=abc&y=1"), Some(("abc".to_owned(), "/p/x?tab=a&y=1".to_owned())));
        assert_eq!(parted("//evil.example/?token=a"), Some(("a".to_owned(), "/evil.example/".to_owned())));
        assert_eq!(parted("/?tokens=abc"), None);
    }
}
