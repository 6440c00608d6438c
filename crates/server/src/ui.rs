//! The pages, embedded in the program.
//!
//! Every address that is neither the API's nor an asset's gets `index.html`, with a nonce of its own: pages find out
//! by themselves what to show. Assets below `/assets/` carry a digest in their name and may be kept forever.

use crate::app::App;
use crate::auth::cookie;
use crate::headers::Nonce;
use crate::problem::ApiError;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use std::io::Read;

/// A file of the pages.
#[derive(Debug, Clone, Copy)]
struct Asset {
    path: &'static str,
    etag: &'static str,
    bytes: &'static [u8],
    /// Are the bytes packed by gzip? What can be packed is embedded only so; the few that take no gzip wait for it.
    gzip: bool,
}

/// What the build script made: the files, and the page, or why there is none.
#[derive(Debug)]
struct Built {
    assets: &'static [Asset],
    index: Result<&'static str, &'static str>,
}

static BUILT: Built = include!(concat!(env!("OUT_DIR"), "/ui_built.rs"));

/// Stands in `index.html` where the nonce of an answer goes.
const NONCE: &str = "__CSP_NONCE__";

/// Stands in `index.html` where the page learns whether the browser sent a cookie: without one there is no session to
/// ask for, and a browser complains aloud of the 401.
const SESSION: &str = "__SESSION__";

/// Shown instead of the pages when they were not built; `REASON` is why.
const WITHOUT: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>runcast: the API without pages</title>
<style nonce="__CSP_NONCE__">body { font: 16px/1.5 system-ui, sans-serif; max-width: 44em; margin: 4em auto; padding: 0 1em }
pre { padding: .8em; overflow: auto; border: 1px solid GrayText; border-radius: 6px }</style>
</head>
<body>
<main>
<h1>The server works; its pages were not built</h1>
<p>REASON</p>
<p>To get the pages, install Node.js 20 or newer with npm, and build the program again:</p>
<pre>touch crates/server/build.rs
cargo build --release</pre>
<p>Everything else is there: the API at <a href="/api/v1/health">/api/v1</a>, described by
<a href="/api/v1/openapi.json">/api/v1/openapi.json</a>, and the command line with <code>--server</code>.</p>
</main>
</body>
</html>
"#;

/// The answer to every address that is not the API's: a file of the pages, or the page itself.
pub async fn page(
    State(app): State<App>,
    Extension(nonce): Extension<Nonce>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let known = cookie::read(app.options(), &headers).is_some_and(|value| !value.is_empty());
    answer(&BUILT, uri.path(), &headers, &nonce, known)
}

fn answer(built: &Built, path: &str, headers: &HeaderMap, nonce: &Nonce, known: bool) -> Response {
    if let Some(found) = built.assets.iter().find(|asset| asset.path == path) {
        return asset(found, headers);
    }
    if path.starts_with("/assets/") {
        return ApiError::missing("file of the pages", path).into_response();
    }
    index(built, nonce, known)
}

fn asset(asset: &Asset, headers: &HeaderMap) -> Response {
    let unchanged = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| tag.trim().trim_start_matches("W/") == asset.etag);
    let keep =
        if asset.path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "public, max-age=3600" };
    let common = [(header::ETAG, asset.etag), (header::CACHE_CONTROL, keep), (header::VARY, "Accept-Encoding")];
    if unchanged {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = [(header::CONTENT_TYPE, media_type(asset.path))];
    if !asset.gzip {
        return (common, kind, Body::from(asset.bytes)).into_response();
    }
    if takes_gzip(headers) {
        return (common, kind, [(header::CONTENT_ENCODING, "gzip")], Body::from(asset.bytes)).into_response();
    }
    let mut plain = Vec::new();
    match GzDecoder::new(asset.bytes).read_to_end(&mut plain) {
        Ok(_) => (common, kind, Body::from(plain)).into_response(),
        Err(error) => unreachable!("the build packed {}: {error}", asset.path),
    }
}

/// The page. Its policy, with the same nonce, is set where all headers are.
fn index(built: &Built, Nonce(nonce): &Nonce, known: bool) -> Response {
    let text = match built.index {
        Ok(text) => text.replace(NONCE, nonce).replace(SESSION, if known { "known" } else { "none" }),
        Err(reason) => WITHOUT.replace(NONCE, nonce).replace("REASON", &escape(reason)),
    };
    // Each answer has a nonce of its own, so none is kept.
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (headers, text).into_response()
}

/// Does the browser take gzip? A quality of 0 says no.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    for entry in lists.flat_map(|list| list.split(',')) {
        let mut parts = entry.split(';').map(str::trim);
        if !matches!(parts.next(), Some(name) if name.eq_ignore_ascii_case("gzip") || name == "*") {
            continue;
        }
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse::<f32>);
        return quality.is_ok_and(|quality| quality > 0.0);
    }
    false
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use http_body_util::BodyExt;

    /// `printf plain | gzip -9n`
    const PACKED: &[u8] =
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\xc8\x49\xcc\xcc\x03\x00\xcf\x62\x20\x19\x05\x00\x00\x00";

    static SOME: Built = Built {
        assets: &[
            Asset { path: "/assets/a-1.js", etag: "\"e1\"", bytes: PACKED, gzip: true },
            Asset { path: "/favicon.svg", etag: "\"e2\"", bytes: b"<svg/>", gzip: false },
        ],
        index: Ok("<meta nonce=\"__CSP_NONCE__\" content=\"__SESSION__\"><script nonce=\"__CSP_NONCE__\"></script>"),
    };

    fn ask(path: &str, headers: &[(header::HeaderName, &'static str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
        answer(&SOME, path, &headers, &Nonce("n0nce".to_owned()), false)
    }

    fn head<'r>(response: &'r Response, name: &str) -> &'r str {
        response.headers().get(name).map_or("", |value| value.to_str().expect("text"))
    }

    async fn body(response: Response) -> String {
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    #[tokio::test]
    async fn every_page_is_the_same_with_the_nonce_of_its_answer() {
        for path in ["/", "/p/demo/systems/systems/galera.toml", "/login"] {
            let response = ask(path, &[]);
            assert_eq!(response.status(), 200, "{path}");
            assert_eq!(head(&response, "cache-control"), "no-store");
            assert_eq!(
                body(response).await,
                "<meta nonce=\"n0nce\" content=\"none\"><script nonce=\"n0nce\"></script>"
            );
        }
    }

    #[tokio::test]
    async fn a_page_is_told_whether_there_is_a_session_to_ask_for() {
        let response = answer(&SOME, "/", &HeaderMap::new(), &Nonce("n0nce".to_owned()), true);
        assert!(body(response).await.contains("content=\"known\""));
    }

    #[tokio::test]
    async fn assets_are_kept_for_ever_and_packed_for_who_takes_it() {
        let packed = ask("/assets/a-1.js", &[(header::ACCEPT_ENCODING, "br, gzip;q=0.5")]);
        assert_eq!(head(&packed, "content-encoding"), "gzip");
        assert!(head(&packed, "cache-control").contains("immutable"));
        assert_eq!(head(&packed, "content-type"), "text/javascript; charset=utf-8");
        assert_eq!(packed.into_body().collect().await.expect("a body").to_bytes(), PACKED);
        for refusal in ["identity", "gzip;q=0", "br"] {
            let plain = ask("/assets/a-1.js", &[(header::ACCEPT_ENCODING, refusal)]);
            assert_eq!(head(&plain, "content-encoding"), "", "{refusal}");
            assert_eq!(body(plain).await, "plain");
        }
        let same = ask("/assets/a-1.js", &[(header::IF_NONE_MATCH, "\"e0\", W/\"e1\"")]);
        assert_eq!(same.status(), StatusCode::NOT_MODIFIED);
        assert!(!head(&ask("/favicon.svg", &[]), "cache-control").contains("immutable"));
    }

    #[tokio::test]
    async fn an_asset_of_another_build_is_not_the_page() {
        let response = ask("/assets/old-0.js", &[]);
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert_eq!(head(&response, "content-type"), "application/problem+json");
    }

    #[tokio::test]
    async fn without_pages_a_page_says_how_to_get_them() {
        let built = Built { assets: &[], index: Err("npm cannot be started: <not found>") };
        let response = answer(&built, "/p/demo", &HeaderMap::new(), &Nonce("n0nce".to_owned()), false);
        assert_eq!(response.status(), 200);
        let text = body(response).await;
        assert!(text.contains("npm cannot be started: &lt;not found&gt;") && text.contains("/api/v1"), "{text}");
        assert!(!text.contains(NONCE));
    }

    #[test]
    fn what_was_embedded_fits_together() {
        let Ok(index) = BUILT.index else {
            assert!(BUILT.assets.is_empty());
            return;
        };
        assert!(index.matches(NONCE).count() >= 2, "the page has places for the nonce");
        assert!(index.contains(SESSION), "the page has a place for the session");
        for part in index.split(['"', '\'']).filter(|part| part.starts_with("/assets/")) {
            assert!(BUILT.assets.iter().any(|asset| asset.path == part), "{part} is embedded");
        }
        for asset in BUILT.assets {
            assert_ne!(media_type(asset.path), "application/octet-stream", "{}", asset.path);
        }
    }
}
