//! What comes of jobs: the same as the command line gives, and the numbers made of it.

use super::{Place, worker};
use runcast_core::Table;
use runcast_store::testing::both;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_gives_what_the_command_line_gives_and_rows_in_order_while_it_runs() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let id = place.launch(&["sim", "sweep", "m/experiment.toml", "-o", "out.csv"]).await;
        let path = format!("/jobs/{id}");
        let one = worker::register(&db).await;
        assert_eq!(place.get(&format!("{path}/timeline")).await.code(), "not_yet");
        worker::work(&db, &one, 2).await;
        let partial = place.get(&format!("{path}/table")).await;
        assert_eq!(partial.status, 200, "{}", partial.text());
        assert!(partial.header("etag").is_empty());
        worker::work(&db, &one, 9).await;
        let wanted = worker::by_hand(&db, &id).await;
        let table = place.get(&format!("{path}/table")).await;
        assert_eq!(table.text(), String::from_utf8(wanted.table.expect("a table")).expect("text"));
        let text = table.text();
        let start: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(partial.text().lines().collect::<Vec<_>>(), start);
        let document = place.get(&format!("{path}/document")).await;
        assert_eq!(document.header("content-type"), "application/json");
        let wanted: Value = serde_json::from_slice(&wanted.document.expect("a document")).expect("JSON");
        assert_eq!(document.json()["rows"], wanted["rows"]);
        let tag = document.header("etag").to_owned();
        assert!(tag.starts_with('"'), "{tag}");
        let same = place.site.api("GET", &format!("{path}/document")).bearer(&place.token);
        let same = same.header("if-none-match", &tag).send().await;
        assert_eq!((same.status.as_u16(), same.body.len()), (304, 0));
        assert_eq!(place.get(&format!("{path}/timeline")).await.code(), "missing");
        let files = place.get(&format!("{path}/files")).await.json();
        assert_eq!(files["items"][0]["name"], "out.csv", "{files}");
        let file = place.get(&format!("{path}/files/out.csv")).await;
        assert_eq!(file.text(), table.text());
        assert_eq!(file.header("content-disposition"), "attachment; filename=\"out.csv\"");
        assert_eq!(place.get(&format!("{path}/files/other.csv")).await.status, 404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_commands_run_as_a_whole() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let id = place.launch(&["sim", "run", "m/experiment.toml"]).await;
        let path = format!("/jobs/{id}");
        let one = worker::register(&db).await;
        assert_eq!(place.get(&format!("{path}/document")).await.code(), "not_yet");
        assert_eq!(place.get(&format!("{path}/log")).await.text(), "");
        worker::work(&db, &one, 9).await;
        let wanted: Value =
            serde_json::from_slice(&worker::by_hand(&db, &id).await.document.expect("a document")).expect("JSON");
        let document = place.get(&format!("{path}/document")).await.json();
        for field in ["kind", "time_s", "energy_j", "processes"] {
            assert_eq!(document[field], wanted[field], "{field}");
        }
        let log = place.get(&format!("{path}/log")).await;
        assert!(log.header("content-type").starts_with("text/plain") && !log.body.is_empty());
        let table = place.get(&format!("{path}/table")).await.text();
        assert!(table.starts_with("method,model,"), "{table}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plots_and_comparisons_are_numbers_of_the_table() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let id = place.launch(&["sim", "sweep", "m/experiment.toml"]).await;
        let path = format!("/jobs/{id}");
        worker::work(&db, &worker::register(&db).await, 9).await;
        let csv = place.get(&format!("{path}/table")).await;
        let table = Table::read("t.csv", &csv.body, &Default::default()).expect("a table");
        let times = table.column("time_s").and_then(|column| column.as_numbers()).expect("times").to_vec();

        let line = place.get(&format!("{path}/plot")).await.json();
        assert_eq!(
            (&line["kind"], &line["x"]["name"], &line["y"]["name"]),
            (&json!("line"), &json!("slaves"), &json!("time_s"))
        );
        let speedup = place.get(&format!("{path}/plot?kind=speedup&x=slaves&y=time_s")).await.json();
        for (index, time) in times.iter().enumerate() {
            assert_eq!(speedup["series"][0]["points"][index]["y"], json!(times[0] / time));
        }
        assert_eq!((&speedup["series"][0]["base"], &speedup["metric"]), (&json!(1.0), &json!("time_s")));
        let download = place.get(&format!("{path}/plot.csv?kind=speedup")).await;
        assert!(download.text().starts_with("curve,slaves,speedup,"), "{}", download.text());
        let front = place.get(&format!("{path}/plot?kind=pareto")).await;
        assert_eq!(front.status, 200, "{}", front.text());

        let found = place.get(&format!("{path}/compare?table=tables/runs.csv&metric=time_s")).await.json();
        let real = [100.0, 60.0, 40.0];
        let d: Vec<f64> = real.iter().zip(&times).map(|(real, time)| (real - time).abs() / real * 100.0).collect();
        let close = |value: &Value, wanted: f64| (value.as_f64().expect("a number") - wanted).abs() < 1e-9;
        assert!(close(&found["d_avg_pct"], d.iter().sum::<f64>() / 3.0), "{found} {d:?}");
        assert!(close(&found["d_max_pct"], d.iter().copied().fold(0.0, f64::max)), "{found} {d:?}");
        assert_eq!((&found["unmatched"], found["rows"].as_array().map(Vec::len)), (&json!(1), Some(3)));
        assert!(found["rows"][0]["params"]["slaves"].is_number());

        for (query, status) in [
            ("plot?kind=speedup&base=3", 422),
            ("plot?kind=round", 400),
            ("plot?y=nothing", 422),
            ("plot?kind=compare", 422),
            ("compare?table=tables/none.csv", 404),
            ("compare?table=m/app.luau", 422),
            ("compare", 400),
            ("compare?table=tables/runs.csv&metric=energy_j", 422),
        ] {
            let answer = place.get(&format!("{path}/{query}")).await;
            assert_eq!(answer.status, status, "{query}: {}", answer.text());
            answer.code();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_a_long_table_that_tells_how_it_is_looked_at() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let id = place.launch(&["sim", "sweep", "m/experiment.toml", "-o", "out.csv"]).await;
        let one = worker::register(&db).await;
        worker::work(&db, &one, 9).await;
        let path = format!("/results/{id}");
        let table = place.get(&format!("/jobs/{id}/table")).await.text();
        let rows = table.lines().count() - 1;
        let schema = place.get(&format!("{path}/schema")).await.json();
        assert_eq!(schema["rows"], rows, "{schema}");
        let names: Vec<&str> = schema["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .filter_map(|column| column["name"].as_str())
            .collect();
        assert_eq!(names.join(","), table.lines().next().expect("a header"));
        assert_eq!((&schema["first_view"]["view"], &schema["first_view"]["y"]), (&json!("line"), &json!("time_s")));
        // Rows as CSV are those of the command line.
        let csv = place.get(&format!("{path}/data?format=csv")).await;
        assert_eq!((csv.header("content-type"), csv.text()), ("text/csv; charset=utf-8", table.clone()));
        let data = place.get(&format!("{path}/data?columns=time_s&order=-time_s&limit=1")).await.json();
        let largest = schema["columns"].as_array().expect("columns").iter().find(|one| one["name"] == "time_s");
        assert_eq!(data["columns"][0]["values"][0], largest.expect("times")["max"]);
        let bytes = place.get(&format!("{path}/data?format=columns")).await;
        assert_eq!(
            (bytes.header("content-type"), &bytes.body[..4]),
            ("application/vnd.runcast.columns", b"RCT1".as_slice())
        );
        let x = schema["first_view"]["x"].as_str().expect("an axis");
        let line = place.get(&format!("{path}/line?x={x}&y=time_s&width=100")).await.json();
        assert_eq!(line["x"]["name"], x, "{line}");
        let importance = place.get(&format!("{path}/importance")).await.json();
        assert!(importance["shares"].is_array(), "{importance}");
        for query in
            ["schema?where=nope%3E1", "data?columns=nope", "data?order=nope", "importance?metric=nope", "line?x=nope"]
        {
            assert_eq!(place.get(&format!("{path}/{query}")).await.status, 422, "{query}");
        }
    })
    .await;
}
