//! Batches: all or none, or those that can be; one table of all.

use super::{Place, worker};
use runcast_store::testing::both;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn an_atomic_batch_is_launched_whole_or_not_at_all() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let good = json!({"argv": ["sim", "sweep", "m/experiment.toml"]});
        let bad = json!({"argv": ["sim", "run", "m/nothing.toml"]});
        let wrong = place.send("POST", "/projects/demo/batches", &json!({"jobs": [good, bad]})).await;
        assert_eq!((wrong.status.as_u16(), wrong.code().as_str()), (422, "batch"));
        assert_eq!(wrong.json()["problems"][0]["pointer"], "/jobs/1/argv/2");
        assert!(place.get("/projects/demo/jobs").await.json()["items"].as_array().expect("items").is_empty());
        for jobs in [json!([]), json!(vec![good.clone(); 10_001])] {
            let answer = place.send("POST", "/projects/demo/batches", &json!({ "jobs": jobs })).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["problems"][0]["pointer"]), (422, &json!("/jobs")));
        }

        let some = place.send("POST", "/projects/demo/batches", &json!({"jobs": [good, bad], "atomic": false})).await;
        assert_eq!(some.status, 202, "{}", some.text());
        let some = some.json();
        assert_eq!((&some["accepted"], &some["rejected"]), (&json!(1), &json!(1)));
        assert_eq!((&some["jobs"][1]["id"], &some["jobs"][1]["index"]), (&Value::Null, &json!(1)));
        assert_eq!(some["jobs"][1]["problem"]["pointer"], "/jobs/1/argv/2");
        assert!(some["jobs"][0]["problem"].is_null());
        let id = some["id"].as_str().expect("an id");
        let status = place.get(&format!("/batches/{id}")).await.json();
        assert_eq!((&status["total"], &status["counts"]["queued"]), (&json!(1), &json!(1)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_a_batch_has_the_rows_of_all_its_jobs() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let jobs = json!([
            {"argv": ["sim", "sweep", "m/experiment.toml"]},
            {"argv": ["sim", "sweep", "m/experiment.toml", "--vary", "tasks=10,20", "--vary", "slaves=3"]},
        ]);
        let body = json!({ "jobs": jobs });
        let ask =
            || place.site.api("POST", "/projects/demo/batches").bearer(&place.token).header("idempotency-key", "b");
        let answer = ask().json(&body).send().await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        assert_eq!(ask().json(&body).send().await.body, answer.body);
        let batch = answer.json();
        let path = format!("/batches/{}", batch["id"].as_str().expect("an id"));
        assert_eq!(answer.header("location"), format!("/api/v1{path}"));
        let one = worker::register(&db).await;
        assert_eq!(worker::work(&db, &one, 100).await, 5);
        assert_eq!(place.get(&path).await.json()["counts"]["succeeded"], 2);
        let table = place.get(&format!("{path}/table")).await;
        assert!(table.header("content-type").starts_with("text/csv"));
        let text = table.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert!(lines[0].starts_with("job,method,model,slaves,time_s") && lines[0].contains(",tasks"), "{}", lines[0]);
        let first = batch["jobs"][0]["id"].as_str().expect("an id");
        assert_eq!(lines.iter().filter(|line| line.starts_with(first)).count(), 3);
        let ended = place.act("POST", &format!("{path}/cancel")).await;
        assert_eq!((ended.status.as_u16(), &ended.json()["counts"]["succeeded"]), (200, &json!(2)));
    })
    .await;
}
