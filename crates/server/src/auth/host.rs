//! The name that the server is called by: a page of another site that makes its name point here is refused (421).

use crate::app::{App, Options};
use crate::problem::ApiError;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;

/// Refuses requests that call the server by a name it does not have.
pub async fn layer(State(app): State<App>, request: Request, next: Next) -> Response {
    match asked(request.headers(), request.uri()) {
        Some(host) if is_ours(app.options(), &host) => next.run(request).await,
        host => {
            let host = host.unwrap_or_default();
            let detail = format!("this server is not {}", runcast_core::problem::shorten(&host, 100));
            ApiError::new(StatusCode::MISDIRECTED_REQUEST, "host", detail).into_response()
        }
    }
}

/// The host of a request, in lower case: of HTTP/2 it is in the address.
pub fn asked(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let mut lines = headers.get_all(header::HOST).iter();
    let host = match (lines.next(), lines.next()) {
        (Some(host), None) => Some(host.to_str().ok()?),
        (None, None) => uri.authority().map(axum::http::uri::Authority::as_str),
        _ => None,
    };
    host.map(str::to_ascii_lowercase)
}

fn is_ours(options: &Options, host: &str) -> bool {
    let usual = if options.secure { ":443" } else { ":80" };
    let bare = host.strip_suffix(usual).unwrap_or(host);
    options.hosts.iter().any(|known| is_called(known, host) || is_called(known, bare))
        || (options.any_address && is_address(host, options.port))
}

/// Certificates may be for all names one step below another: `*.example.org`.
fn is_called(known: &str, host: &str) -> bool {
    match known.strip_prefix('*') {
        None => known == host,
        Some(rest) => host.strip_suffix(rest).is_some_and(|first| !first.is_empty() && !first.contains('.')),
    }
}

/// Whether it is an IP address with our port: names can be made to point elsewhere, addresses cannot.
fn is_address(host: &str, port: u16) -> bool {
    let (address, given) = match host.rsplit_once(':') {
        Some((address, given)) if !given.ends_with(']') => (address, given.parse().ok()),
        _ => (host, Some(if port == 443 { 443 } else { 80 })),
    };
    let address = address.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(address);
    given == Some(port) && address.parse::<IpAddr>().is_ok()
}

/// Whether `Origin` is the server itself, under the name that it is asked by or that browsers see it under.
pub fn is_own_origin(options: &Options, headers: &HeaderMap, uri: &Uri) -> Option<bool> {
    let origin = headers.get(header::ORIGIN)?.to_str().unwrap_or_default().to_ascii_lowercase();
    let scheme = if options.secure { "https" } else { "http" };
    let here = asked(headers, uri).map(|host| format!("{scheme}://{host}"));
    Some(origin == options.origin || here.as_ref() == Some(&origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_one_step() {
        assert!(is_called("*.example.org:8470", "a.example.org:8470"));
        assert!(!is_called("*.example.org:8470", "a.b.example.org:8470"));
        assert!(!is_called("*.example.org:8470", ".example.org:8470"));
        assert!(!is_called("a.example.org:8470", "b.example.org:8470"));
    }

    #[test]
    fn an_address_needs_our_port() {
        assert!(is_address("192.168.0.7:8470", 8470));
        assert!(is_address("[2001:db8::1]:8470", 8470));
        assert!(is_address("192.168.0.7", 80));
        assert!(!is_address("192.168.0.7", 8470));
        assert!(!is_address("evil.example:8470", 8470));
        assert!(!is_address("[::1", 8470));
    }
}
