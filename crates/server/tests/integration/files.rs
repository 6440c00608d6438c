//! Projects and files from outside, on both databases: versions, lost updates, paths, listings, the catalogue.

use crate::site::{Answer, Site};
use axum::http::StatusCode;
use runcast_store::testing::both;
use runcast_store::{Database, MemberRole, Scope, SiteRole, projects};
use serde_json::{Value, json};

/// A server with a project `demo`, and the token of its author.
pub struct Demo {
    pub site: Site,
    pub token: String,
}

impl Demo {
    pub async fn new(db: &Database) -> Demo {
        let site = Site::multi(db);
        let author = site.user("ada", SiteRole::Author).await;
        site.project("demo", &[(&author, MemberRole::Author)]).await;
        let token = site.token(&author, Scope::Write, None).await;
        Demo { site, token }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.site.api("GET", path).bearer(&self.token).send().await
    }

    pub async fn read(&self, path: &str) -> Answer {
        self.get(&format!("/projects/demo/files/{path}")).await
    }

    /// Stores a file, with a header that says what it replaces.
    pub async fn put(&self, path: &str, body: &[u8], header: (&'static str, &str)) -> Answer {
        let ask = self.site.api("PUT", &format!("/projects/demo/files/{path}")).bearer(&self.token);
        ask.header(header.0, header.1).body("application/octet-stream", body).send().await
    }

    pub async fn create(&self, path: &str, body: &str) -> Answer {
        let answer = self.put(path, body.as_bytes(), NEW).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{path}: {}", answer.text());
        answer
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.site.api("POST", path).bearer(&self.token).json(body).send().await
    }

    pub async fn delete(&self, path: &str, etag: &str) -> Answer {
        let ask = self.site.api("DELETE", &format!("/projects/demo/files/{path}")).bearer(&self.token);
        ask.header("if-match", etag).send().await
    }
}

pub const NEW: (&str, &str) = ("if-none-match", "*");
const SYSTEM: &str = include_str!("../../../sim/templates/systems/galera.toml");

#[tokio::test(flavor = "multi_thread")]
async fn a_file_has_versions_and_a_digest() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        let made = demo.put("notes/a.toml", b"a = 1\n", NEW).await;
        assert_eq!((made.status, made.header("etag")), (StatusCode::CREATED, "\"v1-cb78bd8a17f7b751\""));
        let item = made.json();
        assert_eq!(item["digest"], "sha256:cb78bd8a17f7b751fe0d4663366dcbc257204033ef7ddd64b1f2969573b5b2e2");
        assert_eq!((&item["version"], &item["bytes"], &item["kind"]), (&json!(1), &json!(6), &json!("other")));
        assert_eq!((&item["problems"], &item["updated_by"]), (&json!([]), &json!("ada")));

        let same = demo.put("notes/a.toml", b"a = 1\n", ("if-match", made.header("etag"))).await;
        assert_eq!((same.status, same.header("etag")), (StatusCode::OK, "\"v1-cb78bd8a17f7b751\""));
        let ask = demo.site.api("PUT", "/projects/demo/files/notes/a.toml").bearer(&demo.token);
        let ask = ask.header("if-match", made.header("etag")).header("x-runcast-message", "two%20%C3%A9");
        let second = ask.body("text/plain", b"a = 2\n").send().await;
        assert_eq!(second.json()["version"], 2);

        let read = demo.read("notes/a.toml").await;
        assert_eq!((read.text().as_str(), read.header("etag")), ("a = 2\n", second.header("etag")));
        let old = demo.read("notes/a.toml?version=1").await;
        assert_eq!((old.text().as_str(), old.header("etag")), ("a = 1\n", made.header("etag")));
        assert_eq!(demo.read("notes/a.toml?version=9").await.status, StatusCode::NOT_FOUND);
        let ask = demo.site.api("GET", "/projects/demo/files/notes/a.toml").bearer(&demo.token);
        let known = ask.header("if-none-match", second.header("etag")).send().await;
        assert_eq!(
            (known.status, known.body.len(), known.header("etag")),
            (StatusCode::NOT_MODIFIED, 0, second.header("etag"))
        );

        let versions = demo.get("/projects/demo/versions/notes/a.toml").await.json();
        let items = versions["items"].as_array().expect("versions");
        assert_eq!(items.iter().map(|item| item["version"].clone()).collect::<Vec<_>>(), [json!(2), json!(1)]);
        assert_eq!((&items[0]["message"], &items[1]["used_by"]), (&json!("two é"), &json!([])));

        // Deleted, it is gone but for its versions; a new one goes on counting.
        assert_eq!(demo.delete("notes/a.toml", second.header("etag")).await.status, StatusCode::NO_CONTENT);
        assert_eq!(demo.read("notes/a.toml").await.status, StatusCode::NOT_FOUND);
        assert_eq!(demo.read("notes/a.toml?version=2").await.text(), "a = 2\n");
        assert_eq!(demo.create("notes/a.toml", "a = 2\n").await.json()["version"], 3);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_write_changes_nothing() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        let path = "/projects/demo/files/a.toml";
        let without = demo.site.api("PUT", path).bearer(&demo.token).body("text/plain", b"x").send().await;
        assert_eq!(
            (without.status, without.code().as_str()),
            (StatusCode::PRECONDITION_REQUIRED, "precondition_required")
        );
        let first = demo.create("a.toml", "a = 1\n").await;
        let etag = first.header("etag").to_owned();
        let again = demo.put("a.toml", b"other", NEW).await;
        assert_eq!((again.status, again.header("etag")), (StatusCode::PRECONDITION_FAILED, etag.as_str()));
        let second = demo.put("a.toml", b"a = 2\n", ("if-match", &etag)).await;
        let stale = demo.put("a.toml", b"a = 3\n", ("if-match", &etag)).await;
        assert_eq!((stale.status, stale.code().as_str()), (StatusCode::PRECONDITION_FAILED, "stale"));
        assert_eq!(stale.header("etag"), second.header("etag"));
        for wrong in ["\"v2-0000000000000000\"", "W/\"v2-x\"", "v2", "nonsense"] {
            assert_eq!(demo.put("a.toml", b"x", ("if-match", wrong)).await.status, StatusCode::PRECONDITION_FAILED);
        }
        assert_eq!(demo.delete("a.toml", &etag).await.status, StatusCode::PRECONDITION_FAILED);
        let no_match = demo.site.api("DELETE", path).bearer(&demo.token).send().await;
        assert_eq!(no_match.status, StatusCode::PRECONDITION_REQUIRED);
        assert_eq!(demo.read("a.toml").await.text(), "a = 2\n");
        let absent = demo.put("b.toml", b"x", ("if-match", &etag)).await;
        assert_eq!(absent.status, StatusCode::PRECONDITION_FAILED);
        assert_eq!(demo.read("b.toml").await.status, StatusCode::NOT_FOUND);
    })
    .await;
}

/// I7: of many who write over the same version at once, one succeeds; each version is one answer of 200.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_write_is_lost_among_many() {
    both(|db| async move {
        let demo = std::sync::Arc::new(Demo::new(&db).await);
        let creators = (0..8).map(|writer| {
            let demo = demo.clone();
            tokio::spawn(async move { demo.put("new.txt", format!("{writer}").as_bytes(), NEW).await.status })
        });
        let mut created = 0;
        for creator in creators.collect::<Vec<_>>() {
            match creator.await.expect("a writer") {
                StatusCode::CREATED => created += 1,
                other => assert_eq!(other, StatusCode::PRECONDITION_FAILED),
            }
        }
        assert_eq!(created, 1);

        let writers = (0..8).map(|writer| {
            let demo = demo.clone();
            tokio::spawn(async move {
                let mut written = Vec::new();
                while written.len() < 5 {
                    let before = demo.read("new.txt").await;
                    let mine = format!("{}\n{writer}.{}", before.text(), written.len());
                    let answer = demo.put("new.txt", mine.as_bytes(), ("if-match", before.header("etag"))).await;
                    match answer.status {
                        StatusCode::OK => written.push(format!("{writer}.{}", written.len())),
                        other => assert_eq!(other, StatusCode::PRECONDITION_FAILED, "{}", answer.text()),
                    }
                }
                written
            })
        });
        let mut all = Vec::new();
        for writer in writers.collect::<Vec<_>>() {
            all.extend(writer.await.expect("a writer"));
        }
        let last = demo.read("new.txt").await.text();
        assert!(all.iter().all(|line| last.lines().any(|there| there == line)), "{last}");
        assert_eq!(last.lines().count(), 1 + all.len());
        let versions = demo.get("/projects/demo/versions/new.txt?limit=500").await.json();
        assert_eq!(versions["items"].as_array().map(Vec::len), Some(41));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_that_are_none_reach_no_file() {
    let place = runcast_store::testing::Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    let demo = Demo::new(&db).await;
    let long = "a".repeat(65);
    let bad = [
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/a",
        "a/%2e%2e/b",
        "%252e%252e%252fa",
        "a%00b",
        "a%0ab",
        "a%5cb",
        "%2fa",
        "a//b",
        "a/",
        ".hidden",
        "a/b/c/d/e",
        "%EF%BC%8E%EF%BC%8E/a",
        "%C3%A9",
        "a%20b",
        "-a",
        "a%E2%80%AEb",
        "a:b",
        &long,
    ];
    for path in bad {
        for answer in [demo.read(path).await, demo.put(path, b"x", NEW).await, demo.delete(path, "\"v1-00\"").await] {
            assert_eq!((answer.status, answer.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, "path"), "{path}");
        }
        let versions = demo.get(&format!("/projects/demo/versions/{path}")).await;
        assert_eq!(versions.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
    }
    // What is not text at all, once decoded, is an address of nothing.
    assert_eq!(demo.read("%ff%fe").await.status, StatusCode::NOT_FOUND);
    for (from, to) in [("../a", "b"), ("a", "../b"), ("a", "b\0")] {
        let moved = demo.post("/projects/demo/move", &json!({ "from": from, "to": to })).await;
        assert_eq!((moved.status, moved.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, "path"));
    }
    let looked = demo.post("/validate", &json!({ "path": "../x.toml", "content": "" })).await;
    assert_eq!(looked.json()["problems"][0]["pointer"], "/path");
    assert_eq!(demo.get("/projects/demo/files").await.json()["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_are_one_whatever_their_case_and_no_folder_is_a_file() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        let made = demo.create("Systems/A.toml", "a = 1\n").await;
        for path in ["systems/a.toml", "Systems/A.toml/b", "SYSTEMS", "Systems/a.TOML"] {
            let answer = demo.put(path, b"x", NEW).await;
            assert_eq!((answer.status, answer.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, "path"), "{path}");
        }
        assert_eq!(demo.read("systems/a.toml").await.status, StatusCode::NOT_FOUND);
        demo.create("Systems/B.toml", "b = 1\n").await;
        let taken =
            demo.post("/projects/demo/move", &json!({ "from": "Systems/A.toml", "to": "systems/b.toml" })).await;
        assert_eq!((taken.status, taken.code().as_str()), (StatusCode::CONFLICT, "taken"));
        // A move may change the case, and begins versions of the new path where that has none.
        let lower =
            demo.post("/projects/demo/move", &json!({ "from": "Systems/A.toml", "to": "systems/a.toml" })).await;
        assert_eq!((&lower.json()["path"], &lower.json()["version"]), (&json!("systems/a.toml"), &json!(2)));
        assert_eq!(lower.json()["digest"], made.json()["digest"]);
        let moved = demo.post("/projects/demo/move", &json!({ "from": "systems/a.toml", "to": "models/c.toml" })).await;
        assert_eq!((moved.status, moved.header("etag")), (StatusCode::OK, made.header("etag")));
        assert_eq!(demo.read("systems/a.toml").await.status, StatusCode::NOT_FOUND);
        assert_eq!(demo.read("models/c.toml").await.text(), "a = 1\n");
        let absent = demo.post("/projects/demo/move", &json!({ "from": "none.toml", "to": "x.toml" })).await;
        assert_eq!(absent.status, StatusCode::NOT_FOUND);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_filtered_sorted_and_paged() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        demo.create("systems/galera.toml", SYSTEM).await;
        demo.create("systems/broken.toml", "format = \"runcast-system/1\"\nname =\n").await;
        demo.create("tables/100%_runs.csv".replace("100%_", "r100_").as_str(), "p,time_s\n1,2\n").await;
        for number in 0..5 {
            demo.create(&format!("notes/n{number}.txt"), &"x".repeat(number + 1)).await;
        }
        let paths = |answer: &Answer| -> Vec<String> {
            let items = answer.json()["items"].as_array().expect("items").clone();
            items.iter().map(|item| item["path"].as_str().expect("a path").to_owned()).collect()
        };
        let systems = demo.get("/projects/demo/files?kind=system").await;
        assert_eq!(paths(&systems), ["systems/broken.toml", "systems/galera.toml"]);
        assert_eq!(
            (&systems.json()["items"][0]["valid"], &systems.json()["items"][1]["valid"]),
            (&json!(false), &json!(true))
        );
        assert_eq!(systems.json()["items"][1]["title"], "galera");
        assert_eq!(paths(&demo.get("/projects/demo/files?q=GALERA").await), ["systems/galera.toml"]);
        assert_eq!(paths(&demo.get("/projects/demo/files?q=r100_").await), ["tables/r100_runs.csv"]);
        assert_eq!(paths(&demo.get("/projects/demo/files?q=%25").await), Vec::<String>::new());
        for sort in ["path", "-path", "title", "-title", "kind", "bytes", "-bytes", "updated_at", "-updated_at"] {
            let whole = paths(&demo.get(&format!("/projects/demo/files?sort={sort}")).await);
            assert_eq!(whole.len(), 8);
            let (mut pieces, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = demo.get(&format!("/projects/demo/files?sort={sort}&limit=3{cursor}")).await;
                pieces.extend(paths(&page));
                match page.json()["next"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
                // Added meanwhile: what was listed is neither listed again nor left out.
                demo.put("notes/n0.txt", b"y", ("if-match", "*")).await;
            }
            let steady = |all: &[String]| -> Vec<String> {
                all.iter().filter(|path| *path != "notes/n0.txt").cloned().collect()
            };
            assert_eq!(steady(&pieces), steady(&whole), "{sort}");
        }
        let bytes = paths(&demo.get("/projects/demo/files?sort=-bytes&limit=1").await);
        assert_eq!(bytes, ["systems/galera.toml"]);
        for (query, status) in
            [("sort=color", 422), ("kind=nonsense", 422), ("limit=0", 422), ("cursor=x", 400), ("other=1", 400)]
        {
            assert_eq!(demo.get(&format!("/projects/demo/files?{query}")).await.status.as_u16(), status, "{query}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_told_and_stored_all_the_same() {
    let place = runcast_store::testing::Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    let demo = Demo::new(&db).await;
    let answer = demo.create("systems/a.toml", "format = \"runcast-system/1\"\nname =\n").await.json();
    assert_eq!(
        (&answer["valid"], &answer["kind"], &answer["problems"][0]["line"]),
        (&json!(false), &json!("system"), &json!(2))
    );
    assert_eq!(answer["problems"][0]["file"], "systems/a.toml");
    // All members are there, as in the problems of errors.
    let members: Vec<&String> = answer["problems"][0].as_object().expect("a problem").keys().collect();
    assert_eq!(members.len(), 12, "{members:?}");
    assert_eq!((&answer["problems"][0]["severity"], &answer["problems"][0]["hint"]), (&json!("error"), &Value::Null));
    assert_eq!(answer["problems"][0]["end_line"], 2);
    let looked = demo.post("/validate", &json!({ "path": "x.luau", "content": "label{\n" })).await.json();
    assert_eq!((&looked["valid"], &looked["kind"]), (&json!(false), &json!("application")));
    let looked = demo.post("/validate", &json!({ "path": "systems/g.toml", "content": SYSTEM })).await.json();
    assert_eq!(looked, json!({ "valid": true, "kind": "system", "problems": [] }));
    assert_eq!(demo.post("/validate", &json!({ "path": "a", "content": "", "x": 1 })).await.status, 422);
    assert_eq!(demo.get("/projects/demo/files").await.json()["items"].as_array().map(Vec::len), Some(1));
}

const OWN: &str = "[my-cpu]\nkind = \"cpu\"\nname = \"Mine\"\nsource = \"me, 2026-11\"\nquality = \"measured\"\ncores = 4\nclock = \"2GHz\"\nflops_double = { value = \"32Gflop/s\", quality = \"derived\", formula = \"cores * 4 * clock\" }\n";

#[tokio::test(flavor = "multi_thread")]
async fn hardware_of_project_goes_before_that_of_site_before_what_is_built_in() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        let root = demo.site.user("root", SiteRole::Administrator).await;
        let root = demo.site.token(&root, Scope::Write, None).await;
        let maker = projects::Maker { owner: None, name: "runcast" };
        projects::ensure(&db, projects::SITE, "Site", maker).await.expect("a project");
        let entry = |cores: u32| {
            format!("[intel-xeon-l5640]\nkind = \"cpu\"\nsource = \"us, 2026\"\ncores = {cores}\nclock = \"1GHz\"\n")
        };
        let site = demo.site.api("PUT", "/projects/site/files/hardware/cpu.toml").bearer(&root).header(NEW.0, NEW.1);
        let site = site.body("text/plain", (entry(7) + OWN).as_bytes()).send().await;
        assert_eq!(site.status, StatusCode::CREATED, "{}", site.text());
        assert_eq!(demo.get("/projects/site/files").await.status, StatusCode::NOT_FOUND);

        let find = |answer: &Answer, name: &str| -> (String, Value) {
            let items = answer.json()["items"].as_array().expect("items").clone();
            let item = items.into_iter().find(|item| item["name"] == name).expect("an entry");
            let cores =
                item["attributes"].as_array().expect("attributes").iter().find(|one| one["attribute"] == "cores");
            (item["origin"].as_str().expect("an origin").to_owned(), cores.expect("cores")["value"].clone())
        };
        let built_in = demo.get("/catalogue?q=amd-epyc-9654").await;
        assert_eq!(find(&built_in, "amd-epyc-9654").0, "built-in");
        let query = "/catalogue?q=l5640&project=demo";
        assert_eq!(find(&demo.get(query).await, "intel-xeon-l5640"), ("site".to_owned(), json!(7.0)));

        // A system that names an entry is looked at again when the entry comes and goes.
        let system = SYSTEM.replace("intel-xeon-l5640", "their-cpu");
        assert_ne!(system, SYSTEM);
        let before = demo.create("systems/s.toml", &system).await.json();
        assert_eq!(before["valid"], false);
        let theirs = entry(3) + &entry(12).replace("intel-xeon-l5640", "their-cpu");
        let added = demo.create("hardware/cpu.toml", &theirs).await;
        assert_eq!(find(&demo.get(query).await, "intel-xeon-l5640"), ("project".to_owned(), json!(3.0)));
        assert_eq!(find(&demo.get("/catalogue?q=l5640").await, "intel-xeon-l5640").0, "site");
        assert_eq!(demo.get("/projects/demo/files?q=s.toml").await.json()["items"][0]["valid"], true);
        assert_eq!(demo.delete("hardware/cpu.toml", added.header("etag")).await.status, StatusCode::NO_CONTENT);
        assert_eq!(find(&demo.get(query).await, "intel-xeon-l5640").0, "site");
        assert_eq!(demo.get("/projects/demo/files?q=s.toml").await.json()["items"][0]["valid"], false);

        let mine = demo.get("/catalogue?q=my-cpu").await.json();
        let clock = &mine["items"][0]["attributes"][1];
        assert_eq!(
            (&clock["attribute"], &clock["value"], &clock["unit"]),
            (&json!("clock"), &json!(2e9), &json!("Hz"))
        );
        assert_eq!((&clock["quality"], &clock["source"]), (&json!("measured"), &json!("me, 2026-11")));
        let formula = |answer: &Value| {
            let attributes = answer["items"][0]["attributes"].as_array().expect("attributes");
            attributes.iter().find(|one| one["attribute"] == "flops_double").expect("a figure")["formula"].clone()
        };
        assert_eq!((&formula(&mine), &clock["formula"]), (&json!("cores * 4 * clock"), &Value::Null));
        assert_eq!(formula(&demo.get("/catalogue?q=e5345").await.json()), json!("cores * 4 * clock"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_is_sorted_and_paged() {
    let place = runcast_store::testing::Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    let demo = Demo::new(&db).await;
    for sort in ["name", "-name", "kind", "flops_double", "-flops_double"] {
        let whole = demo.get(&format!("/catalogue?sort={sort}&limit=500")).await.json();
        let (mut pieces, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = demo.get(&format!("/catalogue?sort={sort}&limit=7{cursor}")).await.json();
            pieces.extend(page["items"].as_array().expect("items").clone());
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(whole["items"], Value::Array(pieces), "{sort}");
    }
    let fast = demo.get("/catalogue?sort=-flops_double&limit=1").await.json();
    let flops =
        fast["items"][0]["attributes"].as_array().expect("some").iter().any(|one| one["attribute"] == "flops_double");
    assert!(flops, "{fast}");
    let gpus = demo.get("/catalogue?kind=gpu").await.json();
    assert!(gpus["items"].as_array().expect("some").iter().all(|item| item["kind"] == "gpu"));
    assert_eq!(demo.get("/catalogue?kind=toaster").await.status, 422);
    // An empty value asks for nothing.
    let all = demo.get("/catalogue?q=&kind=&sort=").await.json();
    assert_eq!(all, demo.get("/catalogue").await.json());
    assert_eq!(demo.get("/projects/demo/files?kind=&q=&sort=").await.status, 200);
    let templates = demo.get("/templates?limit=500").await.json();
    assert!(templates["items"].as_array().expect("some").iter().any(|item| item["name"] == "heat"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_users_store_is_never_shown_as_a_page() {
    let place = runcast_store::testing::Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    let demo = Demo::new(&db).await;
    let attack = "<!doctype html><script>alert(1)</script>";
    for path in ["x.html", "x.svg", "x.js", "reports/r.xhtml", "a.xml"] {
        demo.create(path, attack).await;
        let answer = demo.read(path).await;
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
        assert!(answer.header("content-disposition").starts_with("attachment"));
        assert!(answer.header("content-security-policy").contains("sandbox"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    demo.put("b.html", b"<script>\xff", NEW).await;
    assert_eq!(demo.read("b.html").await.header("content-type"), "application/octet-stream");
    // Titles and messages are data of JSON answers.
    let title = format!("title = \"{attack}\"\n[[item]]\ntext = \"x\"\n").replace("<!doctype html>", "");
    demo.create("reports/t.toml", &title).await;
    let list = demo.get("/projects/demo/files?q=alert").await;
    assert_eq!(list.header("content-type"), "application/json");
    assert_eq!(list.json()["items"][0]["title"], "<script>alert(1)</script>");
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_are_made_renamed_and_deleted() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        let made = demo.post("/projects", &json!({ "name": "Mine", "title": "My project" })).await;
        assert_eq!((made.status, made.header("location")), (StatusCode::CREATED, "/api/v1/projects/Mine"));
        assert_eq!((&made.json()["role"], &made.json()["created_by"]), (&json!("owner"), &json!("ada")));
        assert_eq!(demo.post("/projects", &json!({ "name": "mine" })).await.status, StatusCode::CONFLICT);
        for name in ["", "a/b", "..", "a b", "01ARZ3NDEKTSV4RRFFQ69G5FAV"] {
            assert_eq!(demo.post("/projects", &json!({ "name": name })).await.status, 422, "{name}");
        }
        assert_eq!(demo.post("/projects", &json!({ "name": "site" })).await.status, StatusCode::FORBIDDEN);
        let list = demo.get("/projects").await.json();
        let names: Vec<&Value> = list["items"].as_array().expect("items").iter().map(|item| &item["name"]).collect();
        assert_eq!(names, [&json!("demo"), &json!("Mine")]);
        let patch = |body: Value| {
            let ask = demo.site.api("PATCH", "/projects/mine").bearer(&demo.token).json(&body);
            ask.send()
        };
        assert_eq!(patch(json!({ "name": "demo" })).await.status, StatusCode::CONFLICT);
        assert_eq!(patch(json!({ "title": "New" })).await.json()["title"], "New");
        assert_eq!(patch(json!({ "name": "ours" })).await.json()["name"], "ours");
        assert_eq!(demo.get("/projects/mine").await.status, StatusCode::NOT_FOUND);
        let delete = |path: &'static str| demo.site.api("DELETE", path).bearer(&demo.token).send();
        assert_eq!(delete("/projects/demo").await.status, StatusCode::FORBIDDEN);
        assert_eq!(delete("/projects/ours").await.status, StatusCode::NO_CONTENT);
        assert_eq!(demo.get("/projects/ours").await.status, StatusCode::NOT_FOUND);
    })
    .await;
}
