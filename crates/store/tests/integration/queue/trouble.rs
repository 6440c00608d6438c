//! A database that goes away and comes back, and a disk without space.

use crate::queue::support::{LEASE, claim, job, launch, records};
use runcast_store::jobs::{self, State};
use runcast_store::queue::{self, Finish};
use runcast_store::testing::{Place, Postgres, people, sample_job};
use runcast_store::{Database, Id, StoreError};
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn work_goes_on_after_postgresql_was_killed() {
    let Some(server) = Postgres::start_with(&["fsync=off"]).expect("PostgreSQL starts") else {
        assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "PostgreSQL is missing");
        return;
    };
    let location = server.fresh().await.expect("a database");
    let db = Database::open(&location).await.expect("opened");
    let (project, users) = people(&db, 1).await.expect("people");
    let id = launch(&db, &project, &users[0], 3, 0).await;
    let worker = Id::new();
    let first = claim(&db, &worker).await.expect("a task");
    queue::finish(&db, &first.held(), &Finish::succeeded(records(&first))).await.expect("finished");
    // Some connections, which all die with the server.
    let _ = tokio::join!(jobs::get(&db, &id), jobs::get(&db, &id), jobs::get(&db, &id));
    server.kill().expect("killed");
    let start = Instant::now();
    let (claimed, job_now) = tokio::join!(queue::claim(&db, &worker, LEASE), jobs::get(&db, &id));
    let (write, read) = (claimed.expect_err("it is away"), job_now.expect_err("it is away"));
    assert!(write.is_away() && read.is_away(), "{write}, {read}");
    assert!(start.elapsed() < Duration::from_secs(30), "it says so before long");
    server.start_again().expect("started again");
    let mut done = 1;
    let start = Instant::now();
    while done < 3 && start.elapsed() < Duration::from_secs(60) {
        match queue::claim(&db, &worker, LEASE).await {
            Ok(Some(claim)) => {
                let is_mine = queue::finish(&db, &claim.held(), &Finish::succeeded(records(&claim))).await;
                assert!(is_mine.expect("finished"));
                done += 1;
            }
            Ok(None) => panic!("what was launched is gone"),
            Err(error) => assert!(error.is_away(), "{error}"),
        }
    }
    assert_eq!(job(&db, &id).await.state, State::Succeeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_database_says_so_and_goes_on_when_there_is_space() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("opened");
    let (project, users) = people(&db, 1).await.expect("people");
    let kept = launch(&db, &project, &users[0], 1, 0).await;
    // SQLite's own bound on the size of its file stands for the end of the disk: it fails in the same place.
    let pages =
        db.read_one("PRAGMA page_count", &[]).await.expect("read").expect("a row").int("page_count").expect("a number");
    db.limit_pages(pages + 4).await.expect("limited");
    let mut new = sample_job(&project, &users[0], 1);
    new.title = "x".repeat(200_000);
    let error = jobs::launch(&db, &[new.clone()]).await.expect_err("no space");
    assert!(matches!(error, StoreError::Full(_)), "{error}");
    assert!(jobs::get(&db, &new.id).await.expect("read").is_none(), "nothing of it was stored");
    db.limit_pages(1_000_000).await.expect("limited");
    jobs::launch(&db, &[new.clone()]).await.expect("launched");
    let worker = Id::new();
    while let Some(claim) = claim(&db, &worker).await {
        queue::finish(&db, &claim.held(), &Finish::succeeded(records(&claim))).await.expect("finished");
    }
    assert_eq!(job(&db, &kept).await.state, State::Succeeded);
    assert_eq!(job(&db, &new.id).await.state, State::Succeeded);
}
