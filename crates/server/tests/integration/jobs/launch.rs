//! Launch, look, change, end, repeat.

use super::{Place, worker};
use runcast_store::testing::both;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_launch_freezes_what_it_reads_and_is_the_same_when_it_is_repeated() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let body = json!({"argv": ["sim", "sweep", "m/experiment.toml"], "title": "first", "priority": 7});
        let ask = || place.site.api("POST", "/projects/demo/jobs").bearer(&place.token).header("idempotency-key", "k1");
        let answer = ask().json(&body).send().await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        let job = answer.json();
        let paths: Vec<&str> =
            job["files"].as_array().expect("files").iter().filter_map(|f| f["path"].as_str()).collect();
        assert_eq!(paths, ["m/app.luau", "m/experiment.toml", "m/system.toml"]);
        assert_eq!((&job["state"], &job["points_total"], &job["priority"]), (&json!("queued"), &json!(3), &json!(7)));
        assert_eq!(job["command_line"], "runcast sim sweep m/experiment.toml");
        assert_eq!((&job["title"], &job["created_by"], &job["batch"]), (&json!("first"), &json!("ann"), &Value::Null));
        let again = ask().json(&body).send().await;
        assert_eq!((again.status, again.body), (answer.status, answer.body.clone()));
        assert_eq!(again.headers.get("location"), answer.headers.get("location"));
        let other = ask().json(&json!({"argv": ["sim", "run", "m/experiment.toml"]})).send().await;
        assert_eq!((other.status.as_u16(), other.code().as_str()), (422, "idempotency_key"));
        assert_eq!(place.get("/projects/demo/jobs").await.json()["items"].as_array().expect("items").len(), 1);

        // The file changes afterwards: the job keeps what it froze, and the page can tell.
        let id = job["id"].as_str().expect("an id");
        let put = place.site.api("PUT", "/projects/demo/files/m/system.toml").bearer(&place.token);
        let tag = place.get("/projects/demo/files/m/system.toml").await.header("etag").to_owned();
        let text = place.get("/projects/demo/files/m/system.toml").await.text() + "\n# changed\n";
        let changed = put.header("if-match", &tag).body("text/plain", text.as_bytes()).send().await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        let now = place.get(&format!("/jobs/{id}")).await.json();
        for file in now["files"].as_array().expect("files") {
            assert_eq!(file["current"] == file["digest"], file["path"] != "m/system.toml", "{file}");
        }
        let tasks = place.get(&format!("/jobs/{id}/tasks?limit=2")).await.json();
        assert_eq!(tasks["items"].as_array().expect("items").len(), 2);
        let next = tasks["next"].as_str().expect("a cursor");
        let rest = place.get(&format!("/jobs/{id}/tasks?cursor={next}")).await.json();
        assert_eq!(
            (&rest["items"][0]["index"], &rest["items"][0]["points"], &rest["next"]),
            (&json!(3), &json!(1), &Value::Null)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_be_no_job_is_refused_with_the_word_that_is_wrong() {
    both(|db| async move {
        let place = Place::new(&db).await;
        place.put("m/broken.toml", "format = \"runcast-experiment/1\"\nsystem = 3\n").await;
        let refused = |argv: Value| {
            let place = &place;
            async move {
                let answer = place.send("POST", "/projects/demo/jobs", &json!({ "argv": argv })).await;
                assert_eq!(answer.status, 422, "{}", answer.text());
                answer.code();
                answer.json()["problems"][0].clone()
            }
        };
        assert_eq!(refused(json!(["sim", "sweep", "m/experiment.toml", "--nonsense"])).await["pointer"], "/argv/3");
        assert_eq!(refused(json!(["bench", "plan.toml"])).await["pointer"], "/argv/0");
        assert_eq!(refused(json!(["sim", "run", "m/nothing.toml"])).await["pointer"], "/argv/2");
        assert_eq!(refused(json!(["sim", "run", "../../etc/passwd"])).await["pointer"], "/argv/2");
        assert_eq!(refused(json!([])).await["pointer"], "/argv");
        assert_eq!(refused(json!(["sim", "run", "m/broken.toml"])).await["file"], "m/broken.toml");
        for (body, pointer) in [
            (json!({"argv": ["sim", "run", "m/experiment.toml"], "priority": 101}), "/priority"),
            (json!({"argv": ["sim", "run", "m/experiment.toml"], "title": "x".repeat(201)}), "/title"),
            (json!({"argv": ["sim", "run", "m/experiment.toml"], "color": 1}), "/color"),
            (json!({"argv": "sim run"}), "/argv"),
        ] {
            let answer = place.send("POST", "/projects/demo/jobs", &body).await;
            assert_eq!(
                (answer.status.as_u16(), &answer.json()["problems"][0]["pointer"]),
                (422, &json!(pointer)),
                "{}",
                answer.text()
            );
        }
        assert!(place.get("/projects/demo/jobs").await.json()["items"].as_array().expect("items").is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_changed_ended_repeated_and_deleted() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let id = place.launch(&["sim", "sweep", "m/experiment.toml"]).await;
        let path = format!("/jobs/{id}");
        let changed = place.send("PATCH", &path, &json!({"priority": -3, "title": "later"})).await.json();
        assert_eq!((&changed["priority"], &changed["title"]), (&json!(-3), &json!("later")));
        assert_eq!(place.act("POST", &format!("{path}/retry")).await.code(), "state");
        let other = worker::register(&db).await;
        assert_eq!(worker::work(&db, &other, 1).await, 1);
        let ended = place.act("POST", &format!("{path}/cancel")).await.json();
        assert_eq!((&ended["state"], &ended["points_done"]), (&json!("cancelled"), &json!(1)));
        let again = place.act("POST", &format!("{path}/retry")).await;
        assert_eq!((again.status.as_u16(), &again.json()["state"]), (202, &json!("queued")));
        assert_eq!(worker::work(&db, &other, 9).await, 2, "the point that was there is kept");
        let done = place.get(&path).await.json();
        assert_eq!((&done["state"], &done["points_done"]), (&json!("succeeded"), &json!(3)), "{done}");
        assert!(done["finished_at"].is_string() && done["error"].is_null());
        assert_eq!(place.act("DELETE", &path).await.status, 204);
        for gone in [path.clone(), format!("{path}/table"), format!("{path}/tasks")] {
            assert_eq!(place.get(&gone).await.status, 404, "{gone}");
        }
        assert_eq!(place.get("/jobs/none").await.code(), "missing");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_in_pages_that_stand_still_while_jobs_are_added() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.push(place.launch(&["sim", "run", "m/experiment.toml"]).await);
        }
        let first = place.get("/projects/demo/jobs?limit=2").await.json();
        place.launch(&["sim", "run", "m/experiment.toml"]).await;
        let next = first["next"].as_str().expect("a cursor");
        let second = place.get(&format!("/projects/demo/jobs?limit=3&cursor={next}&state=queued")).await.json();
        let all = first["items"].as_array().expect("items").iter().chain(second["items"].as_array().expect("items"));
        let all: Vec<&str> = all.filter_map(|job| job["id"].as_str()).collect();
        ids.reverse();
        assert_eq!(all, ids);
        assert_eq!(second["next"], Value::Null);
        assert_eq!(place.get("/projects/demo/jobs?cursor=nonsense").await.status, 400);
        assert_eq!(place.get("/projects/demo/jobs?state=asleep").await.status, 400);
        assert_eq!(place.get("/projects/demo/jobs?limit=0").await.status, 422);
        let workers = place.site.api("GET", "/workers").bearer(&place.root).send().await;
        assert_eq!(workers.json()["items"], json!([]));
        worker::register(&db).await;
        let workers = place.site.api("GET", "/workers").bearer(&place.root).send().await.json();
        assert_eq!((&workers["items"][0]["host"], &workers["items"][0]["sandbox"]), (&json!("here"), &json!("limits")));
    })
    .await;
}
