//! Files, versions and contents, on both databases.

use runcast_store::files::{self, Change, Expect, Facts, NewFile};
use runcast_store::jobs::{self, FrozenFile, NewJob};
use runcast_store::projects::{self, Maker};
use runcast_store::testing::{both, people, sample_job};
use runcast_store::{Database, Digest, Id, StoreError, blobs};
use std::sync::atomic::{AtomicBool, Ordering};

async fn project(db: &Database, name: &str) -> Id {
    projects::create(db, name, name, Maker { owner: None, name: "ada" }).await.expect("a project").id
}

fn file(path: &str, text: &str) -> NewFile {
    NewFile { path: path.to_owned(), bytes: text.as_bytes().to_vec(), facts: Facts::default(), message: String::new() }
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_go_on_counting_after_a_file_was_deleted() {
    both(|db| async move {
        let id = project(&db, "demo").await;
        let put = async |text: &str, expect| files::put(&db, &id, "ada", &file("a.txt", text), &expect).await;
        let (one, change) = put("1", Expect::Absent).await.expect("stored");
        assert_eq!((one.version, change), (1, Change::Created));
        assert_eq!(put("1", Expect::There).await.expect("stored").1, Change::Unchanged);
        assert_eq!(put("2", Expect::There).await.expect("stored").0.version, 2);
        files::delete(&db, &id, "a.txt", &Expect::There).await.expect("deleted");
        assert!(matches!(put("3", Expect::There).await, Err(StoreError::Stale { current: 0, .. })));
        assert_eq!(put("2", Expect::Absent).await.expect("stored").0.version, 3);
        let versions = files::versions(&db, &id, "a.txt", i64::MAX, 10).await.expect("a list");
        assert_eq!(versions.iter().map(|version| version.version).collect::<Vec<_>>(), [3, 2, 1]);
        let first = files::version(&db, &id, "a.txt", 1).await.expect("a version");
        assert_eq!(blobs::get(&db, &first.digest).await.expect("bytes"), b"1");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_are_kept_as_long_as_something_refers_to_them() {
    both(|db| async move {
        let id = project(&db, "demo").await;
        files::put(&db, &id, "ada", &file("a.txt", "kept"), &Expect::Absent).await.expect("stored");
        let loose = blobs::put(&db, b"loose").await.expect("stored");
        let old = "UPDATE blobs SET created_at = created_at - 7200000000";
        // What is fresh is spared: somebody may be about to refer to it.
        assert_eq!(blobs::collect(&db).await.expect("collected"), 0);
        db.write(old, &[]).await.expect("older");
        // Put again, it is fresh again.
        blobs::put(&db, b"loose").await.expect("stored");
        assert_eq!(blobs::collect(&db).await.expect("collected"), 0);
        db.write(old, &[]).await.expect("older");
        assert_eq!(blobs::collect(&db).await.expect("collected"), 1);
        assert!(matches!(blobs::get(&db, &loose).await, Err(StoreError::Missing { .. })));
        assert_eq!(blobs::get(&db, &Digest::of(b"kept")).await.expect("bytes"), b"kept");
        projects::delete(&db, &id).await.expect("deleted");
        assert_eq!(blobs::collect(&db).await.expect("collected"), 1);
    })
    .await;
}

/// Contents that are old and nobody's are being collected just when jobs come that are about to refer to them.
#[tokio::test(flavor = "multi_thread")]
async fn contents_that_launches_are_about_to_use_are_not_collected() {
    const CONTENTS: usize = 120;
    let bytes = |number: usize| format!("content {number}").into_bytes();
    both(|db| async move {
        let (project, users) = people(&db, 1).await.expect("people");
        for number in 0..CONTENTS {
            blobs::put(&db, &bytes(number)).await.expect("stored");
        }
        db.write("UPDATE blobs SET created_at = created_at - 7200000000", &[]).await.expect("older");
        let is_over = AtomicBool::new(false);
        let launch = async |first: usize| {
            // Every other one, in an order that the database does not know.
            for number in (first..CONTENTS).step_by(4) {
                let digest = blobs::put(&db, &bytes(number)).await.expect("stored");
                let file = FrozenFile { path: "a.txt".to_owned(), version: 1, digest };
                let job = NewJob { files: vec![file], ..sample_job(&project, &users[0], 1) };
                jobs::launch(&db, &[job]).await.expect("launched");
            }
        };
        let launches = async {
            tokio::join!(launch(0), launch(2));
            is_over.store(true, Ordering::Relaxed);
        };
        let collect = async {
            let mut collected = 0;
            while !is_over.load(Ordering::Relaxed) {
                collected += blobs::collect(&db).await.expect("collected");
                tokio::task::yield_now().await;
            }
            collected
        };
        let ((), collected) = tokio::join!(launches, collect);
        assert!(collected >= CONTENTS as u64 / 2, "what nobody wanted is gone: {collected}");
        for number in (0..CONTENTS).step_by(2) {
            let there = blobs::get(&db, &Digest::of(&bytes(number))).await.expect("what a job has is there");
            assert_eq!(there, bytes(number));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_is_taken_whole_or_not_at_all() {
    both(|db| async move {
        let id = project(&db, "demo").await;
        let new = [file("a.txt", "1"), file("b/c.txt", "2")];
        let dry = files::apply(&db, &id, "ada", &new, false, true).await.expect("a look");
        assert_eq!(dry.created, ["a.txt", "b/c.txt"]);
        assert_eq!(files::frozen(&db, &id).await.expect("a list"), []);
        files::apply(&db, &id, "ada", &new, false, false).await.expect("stored");
        let bad = [file("d.txt", "new"), file("A.txt", "differs by case")];
        assert!(matches!(files::apply(&db, &id, "ada", &bad, false, false).await, Err(StoreError::Path { .. })));
        let again = [file("A.txt", "1"), file("b/c.txt", "2")];
        let replaced = files::apply(&db, &id, "ada", &again, true, false).await.expect("stored");
        assert_eq!((replaced.removed, replaced.created), (vec!["a.txt".to_owned()], vec!["A.txt".to_owned()]));
        let paths: Vec<String> =
            files::frozen(&db, &id).await.expect("a list").into_iter().map(|file| file.path).collect();
        assert_eq!(paths, ["A.txt", "b/c.txt"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_user_stores_is_counted_and_given_back_with_the_project() {
    both(|db| async move {
        let id = project(&db, "demo").await;
        let stored = async || {
            let row = db.read_one("SELECT bytes FROM stored_bytes WHERE user_name = 'ada'", &[]).await.expect("a row");
            row.map_or(0, |row| row.int("bytes").expect("a number"))
        };
        files::put(&db, &id, "ada", &file("a.txt", "12345"), &Expect::Absent).await.expect("stored");
        files::put(&db, &id, "ada", &file("a.txt", "123"), &Expect::There).await.expect("stored");
        assert_eq!(stored().await, 8);
        let other = project(&db, "other").await;
        files::put(&db, &other, "ada", &file("a.txt", "1"), &Expect::Absent).await.expect("stored");
        projects::delete(&db, &id).await.expect("deleted");
        assert_eq!(stored().await, 1);
    })
    .await;
}
