//! Requests that are refused before anybody looks at what they want, and what stands on every answer.

use crate::site::{PASSWORD, Site, options};
use axum::http::StatusCode;
use runcast_server::app::{App, Mode};
use runcast_store::testing::Place;
use runcast_store::{Database, SiteRole};
use serde_json::json;

async fn site() -> (Site, Place) {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    (Site::multi(&db), place)
}

#[tokio::test(flavor = "multi_thread")]
async fn another_host_is_refused() {
    let (site, _place) = site().await;
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:8471", "127.0.0.1:8470.evil.example", "", "10.0.0.1:8470"] {
        for path in ["/api/v1/health", "/", "/p/main"] {
            let answer = site.ask("GET", path).header("host", host).send().await;
            assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "{host} {path}");
            assert_eq!(answer.code(), "host");
        }
    }
    let nameless = site.ask("GET", "/api/v1/health").without("host").send().await;
    assert_eq!(nameless.status, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(site.api("GET", "/health").header("host", "LOCALHOST:8470").send().await.status, StatusCode::OK);
    let forwarded = site.api("GET", "/health").header("host", "evil.example");
    let forwarded = forwarded.header("x-forwarded-host", "127.0.0.1:8470").send().await;
    assert_eq!(forwarded.status, StatusCode::MISDIRECTED_REQUEST);
    // Behind a proxy, its name; some proxies say the port that everybody knows.
    let mut proxied = options(Mode::Multi);
    (proxied.behind_proxy, proxied.secure) = (true, true);
    proxied.hosts.push("forecasts.example.org".to_owned());
    let site = Site::with(App::new(site.db().clone(), proxied));
    for (host, status) in [
        ("forecasts.example.org", StatusCode::OK),
        ("forecasts.example.org:443", StatusCode::OK),
        ("forecasts.example.org:80", StatusCode::MISDIRECTED_REQUEST),
        ("forecasts.example.org:8470", StatusCode::MISDIRECTED_REQUEST),
        ("www.forecasts.example.org", StatusCode::MISDIRECTED_REQUEST),
    ] {
        assert_eq!(site.api("GET", "/health").header("host", host).send().await.status, status, "{host}");
    }
    // Beyond this machine every address with the port is ours, but no name.
    let mut open = options(Mode::Multi);
    open.any_address = true;
    let site = Site::with(App::new(site.db().clone(), open));
    assert_eq!(site.api("GET", "/health").header("host", "10.0.0.1:8470").send().await.status, StatusCode::OK);
    let named = site.api("GET", "/health").header("host", "evil.example:8470").send().await;
    assert_eq!(named.status, StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn forwarded_addresses_count_behind_a_proxy_only() {
    let (site, _place) = site().await;
    let mut settings = options(Mode::Multi);
    settings.behind_proxy = true;
    let site = Site::with(App::new(site.db().clone(), settings));
    site.user("alice", SiteRole::Author).await;
    for number in 0..20 {
        let ask = site.login(&format!("nobody-{number}"), "wrong").header("x-forwarded-for", "1.2.3.4, 10.0.0.9");
        assert_eq!(ask.send().await.status, StatusCode::UNAUTHORIZED);
    }
    let last_counts = site.login("alice", PASSWORD).header("x-forwarded-for", "9.9.9.9, 10.0.0.9").send().await;
    assert_eq!(last_counts.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(site.login("alice", PASSWORD).header("x-forwarded-for", "10.0.1.8").send().await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_carries_the_headers_that_protect_browsers() {
    let (site, _place) = site().await;
    for path in ["/", "/p/main", "/api/v1/health", "/api/v1/none", "/api/v1/session"] {
        let answer = site.ask("GET", path).send().await;
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        let default = policy.split("; ").find(|part| part.starts_with("default-src"));
        assert!(default.is_some_and(|part| part.ends_with("'none'") || part.ends_with("'self'")), "{path}: {policy}");
        assert!(!policy.contains("unsafe-eval"), "{path}: {policy}");
        let scripts = policy.split("; ").find(|part| part.starts_with("script-src"));
        assert!(scripts.is_none_or(|scripts| !scripts.contains("unsafe")), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("access-control-allow-origin"), "", "no CORS");
        if path.starts_with("/api") {
            assert!(policy.contains("sandbox"), "what users wrote can do nothing: {policy}");
            assert_eq!(answer.header("cache-control"), "no-store");
        }
    }
    let nonce = async || {
        let policy = site.ask("GET", "/").send().await.header("content-security-policy").to_owned();
        policy.split("'nonce-").nth(1).expect("a nonce").split('\'').next().expect("its end").to_owned()
    };
    assert_ne!(nonce().await, nonce().await);
    let preflight = site.api("OPTIONS", "/session").header("origin", "http://evil.example").send().await;
    assert_eq!(preflight.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_exist_is_told_as_a_problem() {
    let (site, _place) = site().await;
    let none = site.api("GET", "/nothing?token=x").send().await;
    assert_eq!((none.status, none.code().as_str()), (StatusCode::NOT_FOUND, "missing"));
    assert_eq!(none.json()["instance"], "/api/v1/nothing");
    let method = site.api("PUT", "/health").send().await;
    assert_eq!((method.status, method.code().as_str()), (StatusCode::METHOD_NOT_ALLOWED, "method"));
    assert!(method.header("allow").contains("GET"), "{}", method.header("allow"));
    assert_eq!(site.ask("POST", "/p/main").send().await.status, StatusCode::METHOD_NOT_ALLOWED);
    for path in ["/api", "/api/", "/api/v2/health", "/api/v1", "/api/v1/health/"] {
        assert_eq!(site.ask("GET", path).send().await.code(), "missing", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_must_be_what_the_document_says() {
    let (site, _place) = site().await;
    let login = || site.api("POST", "/session");
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""] {
        let answer = login().body(kind, b"{\"name\":\"a\",\"password\":\"b\"}").send().await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        assert_eq!(answer.json()["problems"][0]["allowed"], "application/json");
    }
    let unnamed = login().body("x/y", b"{}").without("content-type").send().await;
    assert_eq!(unnamed.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let charset = login().body("application/json; charset=utf-8", b"{\"name\":\"a\",\"password\":\"b\"}").send().await;
    assert_eq!(charset.code(), "login");

    for body in ["", "{", "[1,", "{\"name\":\"a\"} x", "\u{feff}{}", "{\"name\": \"\\ud800\", \"password\": \"x\"}"] {
        let answer = login().body("application/json", body.as_bytes()).send().await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::BAD_REQUEST, "json"), "{body:?}");
    }
    let broken = login().body("application/json", b"{\n \"name\" 1}").send().await;
    assert_eq!(broken.json()["problems"][0]["line"], 2);
    let not_utf8 = login().body("application/json", b"{\"name\":\"\xff\",\"password\":\"x\"}").send().await;
    assert_eq!(not_utf8.status, StatusCode::BAD_REQUEST);
    let deep = "[".repeat(100_000);
    assert_eq!(login().body("application/json", deep.as_bytes()).send().await.code(), "json");

    for (body, code, pointer) in [
        (json!({"name": "a", "password": "b", "admin": true}), "unknown_field", "/admin"),
        (json!({"name": "a"}), "invalid", ""),
        (json!({"name": 1, "password": "b"}), "invalid", "/name"),
        (json!([]), "invalid", ""),
    ] {
        let answer = login().json(&body).send().await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, code), "{body}");
        assert_eq!(answer.json()["problems"][0]["pointer"], pointer, "{}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_lists_refuse_what_they_do_not_know() {
    let (site, _place) = site().await;
    let root = site.user("root", SiteRole::Administrator).await;
    for number in 0..5 {
        site.user(&format!("user-{number}"), SiteRole::Viewer).await;
    }
    let token = site.token(&root, runcast_store::Scope::Read, None).await;
    let get = |query: &str| site.api("GET", &format!("/users{query}")).bearer(&token);
    for (query, status) in [
        ("?cursor=x", 400),
        ("?cursor=IiI_", 400),
        ("?limit=0", 422),
        ("?limit=501", 422),
        ("?limit=ten", 400),
        ("?page=2", 400),
    ] {
        let answer = get(query).send().await;
        assert_eq!(answer.status.as_u16(), status, "{query}");
        answer.code();
    }
    let mut names = Vec::new();
    let mut query = "?limit=2".to_owned();
    loop {
        let page = get(&query).send().await.json();
        names.extend(page["items"].as_array().expect("items").iter().map(|user| user["name"].clone()));
        // Whoever comes in between does not move the pages.
        if names.len() == 2 {
            site.user("aaron", SiteRole::Viewer).await;
        }
        let Some(next) = page["next"].as_str() else { break };
        query = format!("?limit=2&cursor={next}");
    }
    assert_eq!(names, ["root", "user-0", "user-1", "user-2", "user-3", "user-4"].map(serde_json::Value::from));
}

#[tokio::test(flavor = "multi_thread")]
async fn crooked_paths_lead_nowhere() {
    let (site, _place) = site().await;
    let root = site.user("root", SiteRole::Administrator).await;
    let token = site.token(&root, runcast_store::Scope::Write, None).await;
    for path in [
        "/projects/..%2f..%2fetc%2fpasswd/members",
        "/projects/%2e%2e/members",
        "/projects/%252e%252e/members",
        "/projects/a%00b/members",
        "/projects/%ff/members",
        "/projects/%e2%80%ae/members",
        "/projects/../users/members",
        "/tokens/..%5c..%5cx",
    ] {
        let method = if path.starts_with("/tokens") { "DELETE" } else { "GET" };
        let answer = site.api(method, path).bearer(&token).send().await;
        assert!(matches!(answer.status.as_u16(), 400 | 404 | 422), "{path}: {} {}", answer.status, answer.text());
        answer.code();
    }
    for path in ["/..%2f..%2fetc%2fpasswd", "/assets/../../etc/passwd", "/%00", "/assets/%252e%252e/x"] {
        let answer = site.ask("GET", path).send().await;
        assert!(!answer.text().contains("root:"), "{path}");
        assert!(!answer.status.is_server_error(), "{path}");
    }
}
