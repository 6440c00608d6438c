//! Links to results, and comments on them.

use super::{Place, worker};
use runcast_store::testing::both;
use runcast_store::{MemberRole, Scope, SiteRole, members};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_link_shows_one_result_without_a_session_until_it_is_revoked() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let id = place.launch(&["sim", "sweep", "m/experiment.toml"]).await;
        let target = json!({"target": format!("job:{id}"), "expires_in_s": 604_800});
        let shares = "/projects/demo/shares";
        assert_eq!(place.send("POST", shares, &target).await.code(), "state");
        let one = worker::register(&db).await;
        worker::work(&db, &one, 9).await;
        let made = place.send("POST", shares, &target).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let made = made.json();
        let url = made["url"].as_str().expect("an address");
        let path = url.strip_prefix("http://127.0.0.1:8470").expect("of this server");
        assert_eq!(path.len(), "/s/".len() + 43);
        let page = place.site.ask("GET", path).send().await;
        assert_eq!(
            (page.status.as_u16(), page.header("cache-control"), page.header("referrer-policy")),
            (200, "no-store", "no-referrer")
        );
        assert!(page.header("content-security-policy").starts_with("sandbox allow-scripts; default-src 'none'"));
        assert!(page.header("x-robots-tag").contains("noindex") && page.header("set-cookie").is_empty());
        let table = place.get(&format!("/jobs/{id}/table")).await.text();
        let time = table.lines().nth(1).and_then(|row| row.split(',').find(|cell| cell.contains('.'))).expect("a time");
        for part in ["runcast sim sweep m/experiment.toml", "<svg", time] {
            assert!(page.text().contains(part), "{part}");
        }
        assert!(!page.text().contains("/api/"), "a way to the API");
        let listed = place.get(shares).await.json();
        assert_eq!((&listed["items"][0]["id"], &listed["items"][0]["version"]), (&made["id"], &json!(null)));
        assert!(!listed.to_string().contains(path.trim_start_matches("/s/")), "the token is shown once");
        // Revoked, unknown, and nonsense: the same to the last byte.
        assert_eq!(place.act("DELETE", &format!("/shares/{}", made["id"].as_str().expect("an id"))).await.status, 204);
        let revoked = place.site.ask("GET", path).send().await;
        let unknown = place.site.ask("GET", &format!("/s/{}", "x".repeat(43))).send().await;
        assert_eq!((revoked.status.as_u16(), &revoked.body), (404, &unknown.body));
        assert_eq!(place.get(shares).await.json()["items"], json!([]));
        let audit = place.site.api("GET", "/audit").bearer(&place.root).send().await.text();
        assert!(
            audit.contains("POST /api/v1/projects/demo/shares") && audit.contains("DELETE /api/v1/shares/"),
            "{audit}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_results_and_reports_are_shared_and_not_for_ever() {
    both(|db| async move {
        let place = Place::new(&db).await;
        for (wish, status) in [
            (json!({"target": "tables/runs.csv"}), 422),
            (json!({"target": "reports/none.toml"}), 404),
            (json!({"target": "job:00000000000000000000000000"}), 404),
            (json!({"target": "tables/runs.csv", "expires_in_s": 0}), 422),
            (json!({"target": "tables/runs.csv", "expires_in_s": 7_776_001}), 422),
        ] {
            let answer = place.send("POST", "/projects/demo/shares", &wish).await;
            assert_eq!(answer.status, status, "{wish}: {}", answer.text());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_have_replies_and_only_authors_change_their_words() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let path = "/projects/demo/comments";
        let wish = json!({"target": "tables/runs.csv", "anchor": "line 3", "text": "<b>measured</b> twice?"});
        let first = place.send("POST", path, &wish).await;
        assert_eq!(first.status, 201, "{}", first.text());
        let first = first.json();
        assert!(first["digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")));
        let id = first["id"].as_str().expect("an id").to_owned();
        let reply = json!({"target": "tables/runs.csv", "text": "yes", "reply_to": id});
        let reply = place.send("POST", path, &reply).await.json();
        let listed = place.get(&format!("{path}?target=tables/runs.csv")).await.json();
        assert_eq!(listed["items"][0]["text"], "<b>measured</b> twice?");
        assert_eq!(listed["items"][0]["replies"][0]["id"], reply["id"]);
        assert_eq!(place.get(&format!("{path}?target=other")).await.json()["items"], json!([]));
        let one = format!("/comments/{id}");
        // An administrator settles and deletes it, but puts no words into another's mouth.
        let root = |body| place.site.api("PATCH", &one).bearer(&place.root).json(&body).send();
        assert_eq!(root(json!({"text": "no"})).await.code(), "forbidden");
        assert!(root(json!({"resolved": true})).await.json()["resolved_at"].is_string());
        let changed = place.send("PATCH", &one, &json!({"text": "thrice?", "resolved": false})).await.json();
        assert_eq!((&changed["text"], &changed["resolved_at"]), (&json!("thrice?"), &json!(null)));
        for wrong in [
            json!({"target": "tables/runs.csv", "text": " "}),
            json!({"target": "tables/runs.csv", "text": "x".repeat(4001)}),
            json!({"target": "tables/runs.csv", "text": "x", "reply_to": reply["id"]}),
        ] {
            assert_eq!(place.send("POST", path, &wrong).await.status, 422, "{wrong}");
        }
        assert_eq!(place.act("DELETE", &one).await.status, 204);
        assert_eq!(place.get(path).await.json()["items"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn viewers_comment_where_an_owner_lets_them() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let eve = place.site.user("eve", SiteRole::Author).await;
        let demo = runcast_store::projects::get(&db, "demo").await.expect("read").expect("a project");
        members::put(&db, &demo.id, "eve", MemberRole::Viewer).await.expect("a member");
        let (eve, reader) =
            (place.site.token(&eve, Scope::Write, None).await, place.site.token(&eve, Scope::Read, None).await);
        let path = "/projects/demo/comments";
        let say = |token: &str| {
            let wish = json!({"target": "tables/runs.csv", "text": "why twice?"});
            place.site.api("POST", path).bearer(token).json(&wish).send()
        };
        assert_eq!(say(&eve).await.code(), "forbidden");
        // Only owners let them.
        let wish = json!({"viewers_comment": true});
        assert_eq!(place.site.api("PATCH", "/projects/demo").bearer(&eve).json(&wish).send().await.status, 403);
        let changed = place.site.api("PATCH", "/projects/demo").bearer(&place.root).json(&wish).send().await.json();
        assert_eq!((&changed["viewers_comment"], &changed["name"]), (&json!(true), &json!("demo")));
        assert_eq!(place.get("/projects/demo").await.json()["viewers_comment"], json!(true));
        let said = say(&eve).await;
        assert_eq!(said.status, 201, "{}", said.text());
        assert_eq!(say(&reader).await.status, 403);
        let one = format!("/comments/{}", said.json()["id"].as_str().expect("an id"));
        let change = |body| place.site.api("PATCH", &one).bearer(&eve).json(&body).send();
        assert_eq!(change(json!({"text": "why thrice?"})).await.json()["text"], json!("why thrice?"));
        assert_eq!(change(json!({"resolved": true})).await.code(), "forbidden");
        // Neither files nor others' comments.
        let wish = json!({"target": "tables/runs.csv", "text": "because"});
        let others = place.send("POST", path, &wish).await.json();
        let others = format!("/comments/{}", others["id"].as_str().expect("an id"));
        assert_eq!(place.site.api("DELETE", &others).bearer(&eve).send().await.status, 403);
        let put = place.site.api("PUT", "/projects/demo/files/a.csv").bearer(&eve).header("if-none-match", "*");
        assert_eq!(put.body("text/plain", b"p\n1\n").send().await.status, 403);
        assert_eq!(place.site.api("DELETE", &one).bearer(&eve).send().await.status, 204);
        let wish = json!({"viewers_comment": false});
        place.site.api("PATCH", "/projects/demo").bearer(&place.root).json(&wish).send().await;
        assert_eq!(say(&eve).await.code(), "forbidden");
    })
    .await;
}
