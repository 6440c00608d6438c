//! Tokens of scripts, quotas, the audit log, members.

use crate::site::{PASSWORD, Site};
use axum::http::StatusCode;
use runcast_store::testing::both;
use runcast_store::{MemberRole, Scope, SiteRole, quotas, secret, tokens, users};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_shown_once_and_its_hash_is_kept() {
    both(|db| async move {
        let site = Site::multi(&db);
        let alice = site.user("alice", SiteRole::Author).await;
        site.project("demo", &[(&alice, MemberRole::Owner)]).await;
        let (cookie, csrf) = site.log_in("alice", PASSWORD).await;
        let post = |body: Value| site.api("POST", "/tokens").by_page(&cookie, &csrf).json(&body);
        let body = json!({"name": "ci", "scope": "read", "project": "demo", "expires_at": "2100-01-01T00:00:00Z"});
        let made = post(body).send().await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
        let token = made.json()["token"].as_str().expect("a token").to_owned();
        assert!(token.starts_with("rc_") && token.len() == 46, "{token}");
        let row = db.read_one("SELECT token_hash FROM tokens", &[]).await.expect("read").expect("a row");
        assert_eq!(row.bytes("token_hash").expect("bytes"), secret::hash(&token));

        let list = site.api("GET", "/tokens").cookie(&cookie).send().await;
        assert!(!list.text().contains(&token));
        let item = &list.json()["items"][0];
        assert_eq!((&item["name"], &item["scope"], &item["project"]), (&json!("ci"), &json!("read"), &json!("demo")));
        assert_eq!((&item["expires_at"], &item["used_at"]), (&json!("2100-01-01T00:00:00.000000Z"), &Value::Null));
        let members = || site.api("GET", "/projects/demo/members").bearer(&token);
        assert_eq!(members().send().await.status, StatusCode::OK);
        let item = &site.api("GET", "/tokens").cookie(&cookie).send().await.json()["items"][0];
        assert!(item["used_at"].is_string(), "{item}");

        let path = format!("/tokens/{}", item["id"].as_str().expect("an id"));
        let gone = site.api("DELETE", &path).by_page(&cookie, &csrf).send().await;
        assert_eq!(gone.status, StatusCode::NO_CONTENT);
        assert_eq!(members().send().await.status, StatusCode::UNAUTHORIZED);
        assert_eq!(site.api("DELETE", &path).by_page(&cookie, &csrf).send().await.status, StatusCode::NOT_FOUND);

        for (body, pointer) in [
            (json!({"name": "", "scope": "read"}), "/name"),
            (json!({"name": "x", "scope": "all"}), "/scope"),
            (json!({"name": "x", "scope": "read", "expires_at": "soon"}), "/expires_at"),
            (json!({"name": "x", "scope": "read", "expires_at": "2001-01-01T00:00:00Z"}), "/expires_at"),
            (json!({"name": "x", "scope": "read", "admin": true}), "/admin"),
        ] {
            let answer = post(body.clone()).send().await;
            assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
            assert_eq!(answer.json()["problems"][0]["pointer"], pointer, "{}", answer.text());
        }
        assert_eq!(post(json!({"name": "x", "scope": "read", "project": "none"})).send().await.code(), "missing");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_cannot_make_a_wider_one() {
    both(|db| async move {
        let site = Site::multi(&db);
        let alice = site.user("alice", SiteRole::Author).await;
        let demo = site.project("demo", &[(&alice, MemberRole::Owner)]).await;
        let reads = site.token(&alice, Scope::Read, None).await;
        let here = site.token(&alice, Scope::Write, Some(&demo)).await;
        let body = json!({"name": "x", "scope": "write"});
        assert_eq!(site.api("POST", "/tokens").bearer(&reads).json(&body).send().await.code(), "scope");
        assert_eq!(site.api("POST", "/tokens").bearer(&here).json(&body).send().await.code(), "forbidden");
        assert_eq!(site.api("GET", "/tokens").bearer(&here).send().await.code(), "forbidden");
        // One that ends, ends.
        let over = tokens::add(&db, &alice.id, "over", Scope::Write, None, Some(1)).await.expect("a token").0;
        assert_eq!(site.api("GET", "/tokens").bearer(&over).send().await.code(), "anonymous");
        // A bad token is no cookie's friend: with it, nobody is in.
        let (cookie, _) = site.log_in("alice", PASSWORD).await;
        let both = site.api("GET", "/tokens").cookie(&cookie).bearer("rc_wrong").send().await;
        assert_eq!(both.code(), "anonymous");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_administrators_do_in_foreign_projects_is_noted() {
    both(|db| async move {
        let site = Site::multi(&db);
        let root = site.user("root", SiteRole::Administrator).await;
        let alice = site.user("alice", SiteRole::Author).await;
        site.project("demo", &[(&alice, MemberRole::Owner)]).await;
        site.project("own", &[(&root, MemberRole::Owner)]).await;
        let token = site.token(&root, Scope::Write, None).await;
        let put = |project: &str| {
            let path = format!("/projects/{project}/members/root");
            site.api("PUT", &path).bearer(&token).json(&json!({"role": "owner"}))
        };
        for _ in 0..2 {
            assert_eq!(site.api("GET", "/projects/demo/members").bearer(&token).send().await.status, StatusCode::OK);
        }
        assert_eq!(put("own").send().await.status, StatusCode::OK);
        assert_eq!(put("demo").send().await.status, StatusCode::OK);
        let quotas = json!({"quotas": {"queued_points": 7}});
        let changed = site.api("PATCH", "/users/alice").bearer(&token).json(&quotas).send().await;
        assert_eq!(changed.json()["quotas"]["queued_points"], 7, "{}", changed.text());
        assert_eq!(quotas::of(&db, &alice.id).await.expect("read").queued_points, 7);

        let first = site.api("GET", "/audit?limit=2").bearer(&token).send().await.json();
        let path = format!("/audit?limit=2&cursor={}", first["next"].as_str().expect("there is more"));
        let second = site.api("GET", &path).bearer(&token).send().await.json();
        assert_eq!(second["next"], Value::Null);
        let items: Vec<(String, Value)> = [&first, &second]
            .iter()
            .flat_map(|page| page["items"].as_array().expect("items").clone())
            .map(|item| (item["action"].as_str().expect("an action").to_owned(), item["project"].clone()))
            .collect();
        let expected = [
            ("PATCH /api/v1/users/alice".to_owned(), Value::Null),
            ("PUT /api/v1/projects/demo/members/root".to_owned(), json!("demo")),
            ("look".to_owned(), json!("demo")),
        ];
        assert_eq!(items, expected, "the newest first; looks once an hour; nothing of their own project");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_keeps_an_owner() {
    both(|db| async move {
        let site = Site::multi(&db);
        let alice = site.user("alice", SiteRole::Author).await;
        site.user("bob", SiteRole::Author).await;
        site.project("demo", &[(&alice, MemberRole::Owner)]).await;
        let token = site.token(&alice, Scope::Write, None).await;
        let put = |user: &str, role: &str| {
            let path = format!("/projects/demo/members/{user}");
            site.api("PUT", &path).bearer(&token).json(&json!({"role": role}))
        };
        let remove = |user: &str| site.api("DELETE", &format!("/projects/demo/members/{user}")).bearer(&token);
        assert_eq!(put("alice", "viewer").send().await.code(), "state");
        assert_eq!(remove("alice").send().await.code(), "state");
        assert_eq!(put("nobody", "viewer").send().await.code(), "missing");
        assert_eq!(put("bob", "owner").send().await.json(), json!({"user": "bob", "role": "owner"}));
        let list = site.api("GET", "/projects/demo/members?limit=1").bearer(&token).send().await.json();
        assert_eq!(list["items"], json!([{"user": "alice", "role": "owner"}]));
        assert!(list["next"].is_string());
        assert_eq!(remove("alice").send().await.status, StatusCode::NO_CONTENT);
        assert_eq!(remove("alice").send().await.status, StatusCode::NOT_FOUND, "the project is gone for alice");
        assert_eq!(users::list(&db, "", 10).await.expect("read").len(), 2);
    })
    .await;
}
