//! Maintenance that any worker may do: tasks of lost workers are queued again.

use crate::log;
use runcast_store::{Database, StoreError, blobs, events, idempotency, queue, workers};
use std::time::{Duration, Instant};

/// Interval of cleaning up.
const CLEAN_EVERY: Duration = Duration::from_secs(600);

/// Queues tasks again whose lease is over, every sixth of a lease, and cleans up; does not end by itself.
pub async fn keep(db: Database, lease: Duration) {
    let every = (lease / 6).max(Duration::from_millis(50));
    let mut cleaned = Instant::now();
    loop {
        if cleaned.elapsed() >= CLEAN_EVERY {
            cleaned = Instant::now();
            if let Err(error) = clean(&db).await {
                log::line(&format!("cleaning up failed: {error}"));
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
            Err(error) => log::line(&format!("leases cannot be checked: {error}")),
        }
        tokio::time::sleep(every).await;
    }
}

/// Expired records: workers that are gone, events, answers to repeated requests, contents that nothing refers to.
async fn clean(db: &Database) -> Result<(), StoreError> {
    workers::purge(db).await?;
    events::purge(db).await?;
    idempotency::purge(db).await?;
    blobs::collect(db).await.map(drop)
}
