//! Sessions: cookies, CSRF, who is in and for how long.

use crate::site::{HOST, ORIGIN, PASSWORD, Site, options};
use axum::http::StatusCode;
use runcast_server::app::{App, Mode};
use runcast_store::testing::both;
use runcast_store::{SiteRole, Value, secret, sessions, users};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_cookie_is_for_this_server_alone_and_for_no_script() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        let answer = site.login("alice", PASSWORD).send().await;
        let cookie = answer.header("set-cookie").to_owned();
        assert!(cookie.starts_with("runcast-8470="), "the port is in the name: {cookie}");
        for flag in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"] {
            assert!(cookie.split("; ").any(|part| part == flag), "{flag}: {cookie}");
        }
        assert!(!cookie.contains("Secure") && !cookie.contains("Domain"), "{cookie}");
        let value = answer.cookie().split_once('=').expect("a value").1.to_owned();
        assert_eq!(value.len(), 43);
        // Only the hash is stored.
        let rows = db.read("SELECT token_hash FROM sessions", &[]).await.expect("rows");
        assert_eq!(rows[0].bytes("token_hash").expect("bytes"), secret::hash(&value));

        let mut encrypted = options(Mode::Multi);
        (encrypted.secure, encrypted.origin) = (true, format!("https://{HOST}"));
        let site = Site::with(App::new(db, encrypted));
        let cookie = site.login("alice", PASSWORD).send().await.header("set-cookie").to_owned();
        assert!(cookie.starts_with("__Host-runcast-8470=") && cookie.ends_with("; Secure"), "{cookie}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_makes_a_new_session_and_ends_the_one_before() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        // A session that somebody else has put into the browser is of no use to them afterwards.
        let (given, _) = site.log_in("alice", PASSWORD).await;
        let answer = site.login("alice", PASSWORD).cookie(&given).send().await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_ne!(answer.cookie(), given);
        assert_eq!(site.api("GET", "/session").cookie(&given).send().await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(site.api("GET", "/session").cookie(&answer.cookie()).send().await.status, StatusCode::OK);
        // A value that was made up is none either.
        let invented = site.api("GET", "/session").cookie("runcast-8470=invented").send().await;
        assert_eq!(invented.code(), "anonymous");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unsafe_requests_by_cookie_need_the_token_and_the_origin() {
    both(|db| async move {
        let site = Site::multi(&db);
        let alice = site.user("alice", SiteRole::Author).await;
        let (cookie, csrf) = site.log_in("alice", PASSWORD).await;
        let body = json!({"name": "t", "scope": "read"});
        let post = || site.api("POST", "/tokens").json(&body);
        let good = post().by_page(&cookie, &csrf).send().await;
        assert_eq!(good.status, StatusCode::CREATED, "{}", good.text());
        for (name, ask) in [
            ("nothing", post().cookie(&cookie)),
            ("no origin", post().cookie(&cookie).header("x-runcast-csrf", &csrf)),
            ("no token", post().cookie(&cookie).header("origin", ORIGIN)),
            ("wrong token", post().by_page(&cookie, "x")),
            ("another site", post().by_page(&cookie, &csrf).header("origin", "http://evil.example")),
            ("another port", post().by_page(&cookie, &csrf).header("origin", "http://127.0.0.1:9999")),
            ("a sandboxed page", post().by_page(&cookie, &csrf).header("origin", "null")),
            ("delete", site.api("DELETE", "/session").cookie(&cookie)),
        ] {
            let answer = ask.send().await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name}");
            assert_eq!(answer.code(), "csrf", "{name}");
        }
        // The name that the page was opened under is as good.
        let local = post().by_page(&cookie, &csrf).header("host", "localhost:8470");
        assert_eq!(local.header("origin", "http://localhost:8470").send().await.status, StatusCode::CREATED);
        // Tokens need neither; and reading needs nothing.
        let token = site.token(&alice, runcast_store::Scope::Write, None).await;
        let foreign = post().bearer(&token).header("origin", "http://evil.example").send().await;
        assert_eq!(foreign.status, StatusCode::CREATED);
        assert_eq!(site.api("GET", "/tokens").cookie(&cookie).send().await.status, StatusCode::OK);
        // Another site cannot log its victim in either.
        let login = site.login("alice", PASSWORD).header("origin", "http://evil.example").send().await;
        assert_eq!(login.code(), "csrf");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_by_logout_by_age_and_by_rest() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        let (cookie, csrf) = site.log_in("alice", PASSWORD).await;
        let out = site.api("DELETE", "/session").by_page(&cookie, &csrf).send().await;
        assert_eq!(out.status, StatusCode::NO_CONTENT);
        assert!(out.header("set-cookie").contains("Max-Age=0"), "{}", out.header("set-cookie"));
        let status = async |cookie: &str| site.api("GET", "/session").cookie(cookie).send().await.status;
        assert_eq!(status(&cookie).await, StatusCode::UNAUTHORIZED);

        let hour = 3_600_000_000_i64;
        for (column, back, holds) in [
            ("seen_at", 11 * hour, true),
            ("seen_at", 12 * hour + 1_000_000, false),
            ("expires_at", 7 * 24 * hour - 60_000_000, true),
            ("expires_at", 7 * 24 * hour, false),
        ] {
            let (cookie, _) = site.log_in("alice", PASSWORD).await;
            let statement = match column {
                "seen_at" => "UPDATE sessions SET seen_at = seen_at - $1",
                _ => "UPDATE sessions SET expires_at = expires_at - $1",
            };
            db.write(statement, &[Value::from(back)]).await.expect("written");
            assert_eq!(status(&cookie).await == StatusCode::OK, holds, "{column} {back}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_password_ends_all_other_sessions() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        let (here, csrf) = site.log_in("alice", PASSWORD).await;
        let (there, _) = site.log_in("alice", PASSWORD).await;
        let change = |old: &str, new: &str| {
            site.api("PUT", "/password").by_page(&here, &csrf).json(&json!({"old": old, "new": new}))
        };
        assert_eq!(change("not this one", "another password").send().await.code(), "password");
        let short = change(PASSWORD, "123456789").send().await;
        assert_eq!(short.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(short.json()["problems"][0]["pointer"], "/new");
        let long = change(PASSWORD, &"x".repeat(1025)).send().await;
        assert_eq!(long.status, StatusCode::UNPROCESSABLE_ENTITY);
        let done = change(PASSWORD, "another password").send().await;
        assert_eq!(done.status, StatusCode::NO_CONTENT, "{}", done.text());
        assert_eq!(site.api("GET", "/session").cookie(&here).send().await.status, StatusCode::OK);
        assert_eq!(site.api("GET", "/session").cookie(&there).send().await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(site.login("alice", PASSWORD).send().await.code(), "login");
        site.log_in("ALICE", "another password").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_accounts_the_token_is_exchanged_for_a_cookie() {
    both(|db| async move {
        let (site, token) = Site::single(&db).await;
        let answer = site.ask("GET", &format!("/p/main?tab=jobs&token={token}")).send().await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        assert_eq!(answer.header("location"), "/p/main?tab=jobs", "the token leaves the address");
        let session = site.api("GET", "/session").cookie(&answer.cookie()).send().await.json();
        assert_eq!(session["user"], "local");
        assert_eq!(session["role"], "administrator");
        assert_eq!(session["mode"], "single");
        assert!(session["csrf"].as_str().is_some_and(|csrf| csrf.len() == 43));
        let by_bearer = site.api("GET", "/session").bearer(&token).send().await.json();
        assert_eq!(by_bearer["csrf"], serde_json::Value::Null);

        let wrong = site.ask("GET", "/?token=wrong").send().await;
        assert_eq!((wrong.status, wrong.header("set-cookie")), (StatusCode::SEE_OTHER, ""));
        assert_eq!(site.login("local", &token).send().await.status, StatusCode::OK);
        assert_eq!(site.login("local", "wrong").send().await.code(), "login");

        // With accounts the same database has no such user.
        let multi = Site::multi(&db);
        assert_eq!(multi.api("GET", "/session").cookie(&answer.cookie()).send().await.code(), "anonymous");
        assert_eq!(multi.api("GET", "/session").bearer(&token).send().await.code(), "anonymous");
        assert_eq!(multi.ask("GET", &format!("/?token={token}")).send().await.header("set-cookie"), "");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_kept_out_is_out_at_once() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("root", SiteRole::Administrator).await;
        let alice = site.user("alice", SiteRole::Author).await;
        let (cookie, _) = site.log_in("alice", PASSWORD).await;
        let token = site.token(&alice, runcast_store::Scope::Write, None).await;
        let (root, csrf) = site.log_in("root", PASSWORD).await;
        let patch = |name: &str, body: serde_json::Value| {
            site.api("PATCH", &format!("/users/{name}")).by_page(&root, &csrf).json(&body)
        };
        let disabled = patch("alice", json!({"disabled": true})).send().await;
        assert_eq!(disabled.json()["disabled"], true, "{}", disabled.text());
        assert_eq!(site.api("GET", "/session").cookie(&cookie).send().await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(site.api("GET", "/session").bearer(&token).send().await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(site.login("alice", PASSWORD).send().await.code(), "login");
        patch("alice", json!({"disabled": false})).send().await;
        assert_eq!(site.api("GET", "/session").cookie(&cookie).send().await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(site.api("GET", "/session").bearer(&token).send().await.status, StatusCode::OK);
        // Somebody must be left who can let others in.
        assert_eq!(patch("root", json!({"disabled": true})).send().await.code(), "state");
        assert_eq!(patch("root", json!({"role": "author"})).send().await.code(), "state");
        assert_eq!(sessions::find(&db, "nothing").await.expect("read"), None);
        assert_eq!(users::get(&db, "root").await.expect("there").role, SiteRole::Administrator);
    })
    .await;
}
