//! A turn of a worker: what has ended and what comes next, in one transaction.
//!
//! Small tasks are over sooner than a transaction is: most of what each of them costs is shared by those of a turn.

use super::claim::{self, Claim, claim};
use super::finish::{Finish, finish};
use super::{Held, postgres, sqlite};
use crate::database::Database;
use crate::error::StoreError;
use crate::events;
use crate::jobs::{self, Output};
use crate::{Id, Kind};
use std::time::Duration;

/// Attempts that end in one transaction at most.
pub const MOST_AT_ONCE: usize = 64;

/// What came of a turn.
#[derive(Debug)]
pub struct Turned {
    /// Whether each of the attempts was mine still; an error is that of one alone.
    pub ended: Vec<Result<bool, StoreError>>,
    /// The tasks that are ours now, in the order in which they are to run.
    pub claims: Vec<Claim>,
}

/// Ends attempts, and claims the next tasks in fair order, as many as are wanted at most. Ends wait for the disk, so that
/// none is lost; claims alone do not.
///
/// # Errors
/// The database is away, or full: nothing is known to have happened, and the turn may be taken again.
pub async fn turn(
    db: &Database,
    worker: &Id,
    lease: Duration,
    ends: &[(Held, Finish)],
    most: usize,
) -> Result<Turned, StoreError> {
    let together = match db.kind() {
        Kind::Sqlite => on_sqlite(db, worker, lease, ends, most).await,
        Kind::Postgres => on_postgres(db, ends).await,
    };
    let Together { is_done, mut claims, mut more } = match together {
        Err(error) if error.is_passing() => return Err(error),
        // One of them cannot be ended: which one is found out below.
        other => other.unwrap_or_default(),
    };
    let mut ended = Vec::with_capacity(ends.len());
    for (held, one) in ends {
        ended.push(if is_done { Ok(true) } else { finish(db, held, one).await });
    }
    while more && claims.len() < most {
        match claim(db, worker, lease).await {
            Ok(claim) => {
                more = claim.is_some();
                claims.extend(claim);
            }
            Err(error) if ends.is_empty() && claims.is_empty() => return Err(error),
            // What has ended is told all the same.
            Err(_) => break,
        }
    }
    Ok(Turned { ended, claims })
}

/// What one transaction did.
#[derive(Default)]
struct Together {
    /// Whether all attempts have ended; else nothing was done.
    is_done: bool,
    claims: Vec<Claim>,
    /// Whether more may be there to be claimed.
    more: bool,
}

impl Together {
    /// Not that simple.
    const NOTHING: Together = Together { is_done: false, claims: Vec::new(), more: true };
}

fn outputs(ends: &[(Held, Finish)]) -> Vec<(&Id, &[Output])> {
    ends.iter().map(|(held, finish)| (&held.job, finish.outputs.as_slice())).collect()
}

async fn on_sqlite(
    db: &Database,
    worker: &Id,
    lease: Duration,
    ends: &[(Held, Finish)],
    most: usize,
) -> Result<Together, StoreError> {
    let mut news = Vec::new();
    let mut tx = if ends.is_empty() { db.begin_relaxed().await? } else { db.begin().await? };
    for (held, finish) in ends {
        if !finish.is_plain() || !sqlite::finish_in(&mut tx, held, finish, &mut news).await? {
            tx.rollback().await;
            return Ok(Together::NOTHING);
        }
        jobs::add_warnings(&mut tx, &held.job, &finish.warnings).await?;
    }
    jobs::replace_outputs(&mut tx, &outputs(ends)).await?;
    let (claims, more) = claim::some(&mut tx, worker, lease, most, &mut news).await?;
    if ends.is_empty() && claims.is_empty() {
        tx.rollback().await;
    } else {
        events::add_in(&mut tx, &news).await?;
        tx.commit().await?;
    }
    Ok(Together { is_done: true, claims, more })
}

/// Claims follow by a statement each, which does not wait for the disk.
async fn on_postgres(db: &Database, ends: &[(Held, Finish)]) -> Result<Together, StoreError> {
    if ends.len() < 2 || !ends.iter().all(|(_, finish)| finish.is_plain()) {
        return Ok(Together::NOTHING);
    }
    let mut tx = db.begin().await?;
    // The order in which all writers lock: lanes, then tasks and jobs, each in the order of their keys.
    let ids = serde_json::json!(ends.iter().map(|(held, _)| held.job.as_str()).collect::<Vec<_>>()).to_string();
    let lanes = "SELECT 1 AS one FROM lanes WHERE user_id IN (SELECT user_id FROM jobs WHERE id IN \
                 (SELECT json_array_elements_text(CAST($1 AS JSON)))) ORDER BY user_id FOR UPDATE";
    tx.fetch(lanes, &[ids.into()]).await?;
    let mut in_order: Vec<&(Held, Finish)> = ends.iter().collect();
    in_order.sort_by_key(|(held, _)| (held.job.as_str(), held.number));
    for (held, finish) in in_order {
        if !postgres::finish_in(&mut tx, held, finish).await? {
            tx.rollback().await;
            return Ok(Together::NOTHING);
        }
    }
    jobs::replace_outputs(&mut tx, &outputs(ends)).await?;
    tx.commit().await?;
    Ok(Together { is_done: true, claims: Vec::new(), more: true })
}
