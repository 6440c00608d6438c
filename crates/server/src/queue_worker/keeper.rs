//! What any worker may do for all: tasks whose worker is gone are queued again.

use crate::log;
use runcast_store::{Database, StoreError, blobs, events, idempotency, queue, workers};
use std::time::{Duration, Instant};

/// So often it is cleaned up.
const CLEAN_EVERY: Duration = Duration::from_secs(600);

/// Queues tasks again whose lease is over, every sixth of a lease, and cleans up; does not end by itself.
pub async fn keep(db: Database, lease: Duration) {
    let every = (lease / 6).max(Duration::from_millis(50));
    let mut cleaned = Instant::now();
    loop {
        if cleaned.elapsed() >= CLEAN_EVERY {
            cleaned = Instant::now();
            if let Err(error) = clean(&db).await {
                log::line(&format!("nothing can be cleaned up: {error}"));
            }
        }
        match queue::expire(&db).await {
            Ok(expired) if expired.queued + expired.failed > 0 => {
                log::line(&format!(
                    "of lost workers: {} tasks queued again, {} failed",
                    expired.queued, expired.failed
                ));
            }
            Ok(_) => {}
            Err(error) => log::line(&format!("leases cannot be looked at: {error}")),
        }
        tokio::time::sleep(every).await;
    }
}

/// What is past its time: workers that are gone, events, answers to repeated requests, contents that nothing refers to.
async fn clean(db: &Database) -> Result<(), StoreError> {
    workers::purge(db).await?;
    events::purge(db).await?;
    idempotency::purge(db).await?;
    blobs::collect(db).await.map(drop)
}
