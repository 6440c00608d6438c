//! Several people at one file: merged saves, and who is where.

use super::Place;
use runcast_store::testing::both;
use runcast_store::{MemberRole, Scope, SiteRole};
use serde_json::json;

const SYSTEM: &str = "format = \"runcast-system/1\"
component = [
  { id = \"node\", kind = \"machine\", count = 4 },
  { id = \"cpu\", kind = \"cpu\", parent = \"node\", set = { cores = 4, flops_double = \"32Gflop/s\" } },
]
";
const FILE: &str = "/projects/demo/files/systems/lab.toml";

impl Place {
    async fn save(&self, text: &str, base: &str, merge: Option<&str>) -> crate::site::Answer {
        let ask = self.site.api("PUT", FILE).bearer(&self.token).header("if-match", base);
        let ask = match merge {
            Some(how) => ask.header("x-runcast-merge", how),
            None => ask,
        };
        ask.body("text/plain", text.as_bytes()).send().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn saves_of_different_keys_are_merged_and_of_the_same_key_refused() {
    both(|db| async move {
        let place = Place::new(&db).await;
        place.put("systems/lab.toml", SYSTEM).await;
        let base = place.get(FILE).await.header("etag").to_owned();
        let first = place.save(&SYSTEM.replace("count = 4", "count = 8"), &base, Some("auto")).await;
        assert_eq!((first.status.as_u16(), first.header("x-runcast-merged")), (200, ""));
        let mine = SYSTEM.replace("32Gflop/s", "64Gflop/s");
        assert_eq!(place.save(&mine, &base, None).await.status, 412);
        let merged = place.save(&mine, &base, Some("auto")).await;
        assert_eq!((merged.status.as_u16(), merged.header("x-runcast-merged")), (200, "true"));
        let both = SYSTEM.replace("count = 4", "count = 8").replace("32Gflop/s", "64Gflop/s");
        assert_eq!(merged.text(), both);
        let there = place.get(FILE).await;
        assert_eq!((there.text(), there.header("etag")), (both.clone(), merged.header("etag")));
        // The same key: nothing is stored, and the answer tells where.
        let same = place.save(&SYSTEM.replace("count = 4", "count = 16"), &base, Some("auto")).await;
        assert_eq!((same.status.as_u16(), same.header("etag")), (412, merged.header("etag")));
        let problem = &same.json()["problems"][0];
        assert_eq!((&problem["code"], &problem["line"]), (&json!("conflict"), &json!(3)), "{}", same.text());
        // Each valid, together not: one takes the part away that the other puts something into.
        let gone = SYSTEM
            .replace("  { id = \"node\", kind = \"machine\", count = 4 },\n", "")
            .replace("parent = \"node\", ", "");
        assert_eq!(place.save(&gone, &base, Some("auto")).await.status, 412);
        assert_eq!(place.get(FILE).await.text(), both);
        // A version that never was, and another word.
        assert_eq!(place.save(&mine, "\"v1-0000000000000000\"", Some("auto")).await.status, 412);
        assert_eq!(place.save(&mine, &base, Some("always")).await.status, 400);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn those_in_a_project_are_seen_by_its_members() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let bob = place.site.user("bob", SiteRole::Author).await;
        place.site.project("other", &[(&bob, MemberRole::Author)]).await;
        let bob = place.site.token(&bob, Scope::Write, None).await;
        let presence = "/projects/demo/presence";
        let here = place.send("POST", presence, &json!({"path": "systems/lab.toml", "place": "node"})).await;
        let ann = json!([{"user": "ann", "path": "systems/lab.toml", "place": "node"}]);
        assert_eq!((here.status.as_u16(), &here.json()["items"]), (200, &ann));
        assert_eq!(place.site.api("POST", presence).bearer(&bob).json(&json!({"path": "a"})).send().await.status, 404);
        let elsewhere =
            place.site.api("POST", "/projects/other/presence").bearer(&bob).json(&json!({"path": "a"})).send().await;
        assert!(!elsewhere.text().contains("ann"), "{}", elsewhere.text());
        assert_eq!(place.send("POST", presence, &json!({"path": "../x"})).await.code(), "path");
        assert_eq!(place.send("POST", presence, &json!({"path": "a", "place": "x".repeat(201)})).await.code(), "place");
        assert_eq!(place.send("POST", presence, &json!({"path": null})).await.json()["items"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_is_refused_with_its_place() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let good = json!({"session": "a", "seq": 1, "experiment": "m/experiment.toml"});
        for (field, value, at) in [
            ("session", json!(""), "/session"),
            ("budget_ms", json!(0), "/budget_ms"),
            ("metrics", json!(["times"]), "/metrics"),
            ("curve", json!({"param": "p", "values": vec![1.0; 65]}), "/curve/values"),
        ] {
            let mut wish = good.clone();
            wish[field] = value;
            let answer = place.send("POST", "/projects/demo/whatif", &wish).await;
            assert_eq!(
                (answer.status.as_u16(), &answer.json()["problems"][0]["pointer"]),
                (422, &json!(at)),
                "{}",
                answer.text()
            );
        }
        let mut absent = good.clone();
        absent["experiment"] = json!("m/none.toml");
        assert_eq!(place.send("POST", "/projects/demo/whatif", &absent).await.status, 422);
    })
    .await;
}
