//! Archives from outside: what goes in and comes out, and what is refused before anything is stored.

use crate::files::{Demo, NEW};
use crate::site::Answer;
use axum::http::StatusCode;
use runcast_store::Database;
use runcast_store::testing::{Place, both};
use serde_json::json;
use std::io::{Cursor, Read as _, Write as _};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(text.as_bytes()).expect("bytes");
    }
    zip.finish().expect("an archive").into_inner()
}

fn files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let read = |index| {
        let mut entry = zip.by_index(index).expect("an entry");
        let name = entry.name().expect("a name").into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("bytes");
        (name, bytes)
    };
    (0..ZipArchive::new(Cursor::new(bytes)).expect("an archive").len()).map(read).collect()
}

async fn post(demo: &Demo, query: &str, bytes: &[u8]) -> Answer {
    let ask = demo.site.api("POST", &format!("/projects/demo/archive{query}")).bearer(&demo.token);
    ask.body("application/zip", bytes).send().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_out_goes_in_again() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        demo.create("systems/a.toml", "format = \"runcast-system/1\"\n").await;
        demo.create("tables/b.csv", "p,time_s\n1,2\n").await;
        demo.put("raw.bin", &[0, 255, 7], NEW).await;
        let out = demo.get("/projects/demo/archive").await;
        assert_eq!((out.status, out.header("content-type")), (StatusCode::OK, "application/zip"));
        let names: Vec<String> = files(&out.body).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["raw.bin", "systems/a.toml", "tables/b.csv"]);
        let same = post(&demo, "", &out.body).await.json();
        assert_eq!((same["unchanged"].as_array().map(Vec::len), &same["created"]), (Some(3), &json!([])));

        let new = archive(&[("tables/b.csv", "p,time_s\n1,3\n"), ("c.txt", "new"), ("folder/", "")]);
        let dry = post(&demo, "?mode=replace&dry_run=true", &new).await.json();
        assert_eq!(demo.read("c.txt").await.status, StatusCode::NOT_FOUND);
        let merged = post(&demo, "", &new).await.json();
        assert_eq!(
            (&merged["created"], &merged["changed"], &merged["removed"]),
            (&json!(["c.txt"]), &json!(["tables/b.csv"]), &json!([]))
        );
        assert_eq!(demo.read("raw.bin").await.status, StatusCode::OK);
        let replaced = post(&demo, "?mode=replace", &new).await.json();
        assert_eq!(replaced["removed"], dry["removed"]);
        assert_eq!(replaced["removed"], json!(["raw.bin", "systems/a.toml"]));
        assert_eq!(demo.read("raw.bin").await.status, StatusCode::NOT_FOUND);

        // I6: into another project and out again, every file is the same.
        assert_eq!(demo.post("/projects", &json!({ "name": "other" })).await.status, StatusCode::CREATED);
        let out = demo.get("/projects/demo/archive").await.body;
        let ask = demo.site.api("POST", "/projects/other/archive").bearer(&demo.token);
        assert_eq!(ask.body("application/zip", &out).send().await.status, StatusCode::OK);
        assert_eq!(demo.get("/projects/other/archive").await.body, out);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_stores_nothing() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("SQLite opens");
    let demo = Demo::new(&db).await;
    demo.create("a.txt", "here").await;
    let mut linked = ZipWriter::new(Cursor::new(Vec::new()));
    linked.start_file("fine.txt", SimpleFileOptions::default()).expect("an entry");
    linked.add_symlink("link.txt", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    let linked = linked.finish().expect("an archive").into_inner();
    let mut bomb = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..5 {
        bomb.start_file(format!("zero{number}"), SimpleFileOptions::default()).expect("an entry");
        (0..60).for_each(|_| bomb.write_all(&vec![0; 1 << 20]).expect("zeros"));
    }
    let bomb = bomb.finish().expect("an archive").into_inner();
    let mut many = ZipWriter::new(Cursor::new(Vec::new()));
    (0..10_001)
        .for_each(|number| many.start_file(format!("f{number}"), SimpleFileOptions::default()).expect("an entry"));
    let many = many.finish().expect("an archive").into_inner();
    let cases = [
        (archive(&[("fine.txt", "x"), ("../evil.txt", "x")]), 422),
        (archive(&[("fine.txt", "x"), ("/evil.txt", "x")]), 422),
        (archive(&[("fine.txt", "x"), ("x/A.txt", "x"), ("X/a.TXT", "x")]), 422),
        (archive(&[("fine.txt", "x"), ("A.txt", "differs by case from a file that is there")]), 422),
        (archive(&[("fine.txt", "x"), ("a.txt/b", "in a file that is there")]), 422),
        (linked, 422),
        (bomb, 413),
        (many, 413),
        (b"no archive".to_vec(), 422),
    ];
    for (bytes, status) in cases {
        let answer = post(&demo, "", &bytes).await;
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
        answer.code();
        assert_eq!(demo.get("/projects/demo/files").await.json()["items"].as_array().map(Vec::len), Some(1));
    }
    let ask = demo.site.api("POST", "/projects/demo/archive").bearer(&demo.token);
    assert_eq!(ask.body("text/plain", &archive(&[])).send().await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let large = demo.put("large.bin", &vec![1; (64 << 20) + 1], NEW).await;
    assert_eq!((large.status, large.code().as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "too_large"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_are_counted_against_the_quota() {
    both(|db| async move {
        let demo = Demo::new(&db).await;
        let ada = runcast_store::users::get(&db, "ada").await.expect("a user");
        let quotas = runcast_store::quotas::Quotas { stored_bytes: 1000, ..Default::default() };
        runcast_store::quotas::set(&db, &ada.id, &quotas).await.expect("set");
        assert_eq!(demo.put("a.txt", &[b'x'; 600], NEW).await.status, StatusCode::CREATED);
        let over = demo.put("b.txt", &[b'y'; 600], NEW).await;
        assert_eq!((over.status, over.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, "quota"));
        assert_eq!(demo.read("b.txt").await.status, StatusCode::NOT_FOUND);
        assert_eq!(
            post(&demo, "", &archive(&[("c.txt", &"z".repeat(500))])).await.status,
            StatusCode::UNPROCESSABLE_ENTITY
        );
        assert_eq!(demo.put("b.txt", &[b'y'; 300], NEW).await.status, StatusCode::CREATED);
    })
    .await;
}
