//! A queue that was filled just now: PostgreSQL has not counted its tables yet, and a claim must not read all of it.

use crate::queue::support::{claim, launch};
use runcast_store::testing::{both, people};
use runcast_store::{Id, Kind};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_reads_few_rows_of_a_queue_that_nobody_has_counted() {
    const TASKS: i64 = 3_000;
    const CLAIMS: i64 = 100;
    both(|db| async move {
        if db.kind() != Kind::Postgres {
            return;
        }
        let (project, users) = people(&db, 1).await.expect("people");
        launch(&db, &project, &users[0], TASKS, 0).await;
        let worker = Id::new();
        for _ in 0..CLAIMS {
            claim(&db, &worker).await.expect("a task");
        }
        // A session tells what it has read once a second, when it has something to do.
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        claim(&db, &worker).await.expect("a task");
        let statement =
            "SELECT CAST(SUM(idx_tup_read) AS BIGINT) AS read FROM pg_stat_user_indexes WHERE relname = 'tasks'";
        let mut read = 0;
        for _ in 0..50 {
            let row = db.read_one(statement, &[]).await.expect("answered").expect("a row");
            read = row.maybe_int("read").expect("a number").unwrap_or(0);
            if read >= CLAIMS {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(read >= CLAIMS, "it was told what was read: {read} rows");
        assert!(read < CLAIMS * TASKS / 20, "{read} rows for {CLAIMS} claims");
    })
    .await;
}
