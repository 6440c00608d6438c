//! What is refused kindly: quotas, a full disk, a database that is gone, odd values; and batches of one command.

use crate::jobs::Place;
use crate::site::Site;
use axum::http::StatusCode;
use runcast_store::quotas::{self, Quotas};
use runcast_store::testing::{self, Postgres, both};
use runcast_store::{Database, users};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn more_points_or_bytes_than_the_quota_are_refused() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let ann = users::get(&db, "ann").await.expect("a user").id;
        let quotas = Quotas { queued_points: 4, ..Quotas::default() };
        quotas::set(&db, &ann, &quotas).await.expect("set");
        let sweep = json!({"argv": ["sim", "sweep", "m/experiment.toml"]});
        assert_eq!(place.send("POST", "/projects/demo/jobs", &sweep).await.status, StatusCode::ACCEPTED);
        for (path, body) in [("jobs", sweep.clone()), ("batches", json!({"jobs": [sweep]}))] {
            let over = place.send("POST", &format!("/projects/demo/{path}"), &body).await;
            assert_eq!((over.status, over.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, "quota"), "{path}");
        }
        let listed = place.get("/projects/demo/jobs").await.json();
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));

        quotas::set(&db, &ann, &Quotas { stored_bytes: 100, ..quotas }).await.expect("set");
        let ask = place.site.api("PUT", "/projects/demo/files/tables/more.csv").bearer(&place.token);
        let over = ask.header("if-none-match", "*").body("text/csv", &[b'1'; 200]).send().await;
        assert_eq!((over.status, over.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, "quota"));
        assert_eq!(place.get("/projects/demo/files/tables/more.csv").await.status, StatusCode::NOT_FOUND);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_and_leaves_everything_as_it_was() {
    let here = testing::Place::sqlite().expect("a folder");
    let db = Database::open(here.location()).await.expect("SQLite opens");
    let place = Place::new(&db).await;
    let pages = db.read_one("PRAGMA page_count", &[]).await.expect("read").expect("a row");
    let pages = pages.int("page_count").expect("a number");
    db.limit_pages(pages + 8).await.expect("limited");
    let put = |bytes: usize| {
        let ask = place.site.api("PUT", "/projects/demo/files/tables/large.csv").bearer(&place.token);
        ask.header("if-none-match", "*").body("text/csv", &vec![b'1'; bytes]).send()
    };
    let full = put(1 << 20).await;
    assert_eq!((full.status, full.code().as_str()), (StatusCode::INSUFFICIENT_STORAGE, "disk_full"));
    assert_eq!(place.get("/projects/demo/files/tables/large.csv").await.status, StatusCode::NOT_FOUND);
    assert_eq!(place.get("/projects/demo/files/m/app.luau").await.status, StatusCode::OK);
    let sound = db.read_one("PRAGMA integrity_check", &[]).await.expect("read").expect("a row");
    assert_eq!(sound.text("integrity_check").expect("a text"), "ok");
    db.limit_pages(1_000_000).await.expect("limited");
    assert_eq!(put(1 << 20).await.status, StatusCode::CREATED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_gone_shows_within_a_second() {
    let Some(server) = Postgres::start_with(&["fsync=off"]).expect("PostgreSQL starts") else {
        let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
        assert!(!must, "PostgreSQL is missing");
        eprintln!("not tested: PostgreSQL is not installed");
        return;
    };
    let db = Database::open(&server.fresh().await.expect("a database")).await.expect("PostgreSQL opens");
    let site = Site::multi(&db);
    assert_eq!(site.api("GET", "/health").send().await.status, StatusCode::OK);
    server.kill().expect("killed");
    // The processes of its connections notice a little later.
    let patience = Instant::now();
    while site.api("GET", "/health").send().await.status == StatusCode::OK {
        assert!(patience.elapsed() < Duration::from_secs(30), "a database that is gone answers still");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut fastest = Duration::MAX;
    for _ in 0..3 {
        let begun = Instant::now();
        let answer = site.api("GET", "/health").send().await;
        fastest = fastest.min(begun.elapsed());
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::SERVICE_UNAVAILABLE, "database_away"));
        assert!(!answer.header("retry-after").is_empty());
    }
    assert!(fastest < Duration::from_secs(1), "{fastest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_of_the_wrong_type_is_told_with_its_place_and_what_is_allowed() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let body = json!({"path": "applications/a.luau", "content": "", "params": {"n": 1, "size/x": [1]}});
        let answer = place.send("POST", "/dry-run", &body).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text());
        let problem = answer.json()["problems"][0].clone();
        assert_eq!(problem["pointer"], "/params/size~1x", "{problem}");
        assert_eq!(
            (&problem["value"], &problem["allowed"]),
            (&json!("[1]"), &json!("a number or a text such as \"8KiB\""))
        );
        assert!(!answer.text().contains("untagged"), "{problem}");
        let answer = place.send("POST", "/projects/demo/jobs", &json!({"argv": ["sim", 5]})).await;
        let problem = answer.json()["problems"][0].clone();
        assert_eq!((&problem["pointer"], &problem["value"]), (&json!("/argv/1"), &json!("5")), "{problem}");
        // A password is not said back.
        let answer = place.site.api("POST", "/session").json(&json!({"name": "ann", "password": 271_828})).send().await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert!(answer.json()["problems"][0]["value"].is_null(), "{}", answer.text());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_of_a_command_are_jobs_of_their_own() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let argv = ["sim", "run", "m/experiment.toml"];
        let wrong = ["sim", "run", "m/none.toml"];
        let body = json!({"atomic": false, "jobs": [
            {"argv": argv, "title": "one", "priority": 3}, {"argv": argv, "title": "two"}, {"argv": argv, "priority": 101},
            {"argv": wrong}, {"argv": wrong, "title": "four"}, {"argv": argv}
        ]});
        let answer = place.send("POST", "/projects/demo/batches", &body).await.json();
        assert_eq!((&answer["accepted"], &answer["rejected"]), (&json!(3), &json!(3)), "{answer}");
        let pointer = |index: usize| answer["jobs"][index]["problem"]["pointer"].clone();
        assert_eq!([pointer(2), pointer(3), pointer(4)], ["/jobs/2/priority", "/jobs/3/argv/2", "/jobs/4/argv/2"]);
        for (index, title, priority) in [(0, json!("one"), 3), (1, json!("two"), 0), (5, json!(null), 0)] {
            let id = answer["jobs"][index]["id"].as_str().expect("an id").to_owned();
            let job = place.get(&format!("/jobs/{id}")).await.json();
            assert_eq!((&job["title"], &job["priority"]), (&title, &json!(priority)), "{index}");
            assert_eq!(job["files"].as_array().map(Vec::len), Some(3), "{job}");
        }
    })
    .await;
}

/// What cannot be launched as a whole is not looked at to its end: ten thousand wrong command lines cost what a hundred do.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_is_refused_tells_its_first_problems() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let wrong = |number: usize| json!({"argv": ["sim", "run", format!("m/none-{number}.toml")]});
        let jobs: Vec<_> = (0..10_000).map(wrong).collect();
        let refused = place.send("POST", "/projects/demo/batches", &json!({ "jobs": jobs })).await;
        assert_eq!((refused.status, refused.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, "batch"));
        let problems = refused.json()["problems"].as_array().expect("a list").clone();
        assert_eq!(problems.len(), 100);
        assert_eq!(problems[99]["pointer"], "/jobs/99/argv/2");
    })
    .await;
}
