//! Results as a list, and what is found by words.

use super::{Place, worker};
use runcast_store::testing::both;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_results_knows_their_columns_and_first_pictures() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let id = place.launch(&["sim", "sweep", "m/experiment.toml"]).await;
        let list = "/projects/demo/results";
        let open = place.get(list).await.json();
        assert_eq!((&open["items"][0]["state"], &open["items"][0]["columns"]), (&json!("queued"), &json!([])));
        let one = worker::register(&db).await;
        worker::work(&db, &one, 9).await;
        let found = place.get(&format!("{list}?columns=slaves,time_s,nothing&q=sweep%20SLAVES")).await.json();
        let item = &found["items"][0];
        assert_eq!((&item["id"], &item["values"]["slaves"]), (&json!(id), &json!([1.0, 4.0])), "{found}");
        assert!(
            item["values"]["time_s"][0].as_f64().is_some_and(|least| least > 0.0)
                && item["values"]["nothing"].is_null()
        );
        assert!(item["thumbnail"].as_str().is_some_and(|path| path.starts_with('M')), "{item}");
        assert!(item["columns"].as_array().is_some_and(|columns| columns.contains(&json!("energy_j"))), "{item}");
        for (query, count) in
            [("q=nowhere", 0), ("kind=sim%20run", 0), ("kind=sim", 1), ("state=failed", 0), ("sort=title", 1)]
        {
            let found = place.get(&format!("{list}?{query}")).await.json();
            assert_eq!(found["items"].as_array().map(Vec::len), Some(count), "{query}: {found}");
        }
        for (query, status) in [("sort=colour", 422), ("limit=0", 422), ("cursor=%21", 400)] {
            assert_eq!(place.get(&format!("{list}?{query}")).await.status, status, "{query}");
        }
        let search = place.get("/search?project=demo&q=m/").await.json();
        let kinds: Vec<&str> =
            search["items"].as_array().expect("items").iter().filter_map(|one| one["kind"].as_str()).collect();
        assert_eq!(kinds, ["file", "file", "file", "result"], "{search}");
        assert_eq!(search["items"][1]["url"], "/p/demo/experiments/m/experiment.toml");
        let projects = place.get("/search?q=DEMO").await.json();
        assert_eq!(
            (&projects["items"][0]["kind"], &projects["items"][0]["url"]),
            (&json!("project"), &json!("/p/demo"))
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_the_list_are_chosen_for_all_members() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let path = "/projects/demo/settings/columns";
        assert_eq!(place.get(path).await.json(), json!({"columns": []}));
        let chosen = json!({"columns": ["p", "time_s"]});
        assert_eq!(place.send("PUT", path, &chosen).await.status, 200);
        assert_eq!(place.get(path).await.json(), chosen);
        for wrong in [json!({"columns": [""]}), json!({"columns": ["a,b"]}), json!({"columns": vec!["p"; 21]})] {
            assert_eq!(place.send("PUT", path, &wrong).await.status, 422, "{wrong}");
        }
        assert_eq!(place.get(path).await.json(), chosen);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_compared_is_named() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let path = "/projects/demo/compare";
        let id = place.launch(&["sim", "run", "m/experiment.toml"]).await;
        for (items, status, code) in [
            (json!([]), 422, "compare"),
            (json!([{}]), 422, "compare"),
            (json!([{"job": id, "table": "tables/runs.csv"}]), 422, "compare"),
            (json!([{"table": "tables/none.csv"}]), 404, "missing"),
            (json!([{"job": id}]), 404, "not_yet"),
            (json!([{"model": "m/system.toml"}]), 422, "compare"),
        ] {
            let answer = place.send("POST", path, &json!({ "items": items })).await;
            assert_eq!((answer.status.as_u16(), answer.code().as_str()), (status, code), "{items}: {}", answer.text());
        }
    })
    .await;
}
