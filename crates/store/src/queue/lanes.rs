//! Lanes: what the fair order knows of each user, kept in step with the tasks.

use crate::database::{Database, Row, Tx};
use crate::error::StoreError;
use crate::{Id, Kind};
use std::collections::BTreeMap;

/// Points that a user may have queued, unless an administrator says otherwise.
const QUEUED_POINTS: i64 = 1_000_000;

/// Locks a lane; with SQLite the transaction itself is the lock.
pub(crate) async fn lock(tx: &mut Tx, user: &str) -> Result<(), StoreError> {
    if tx.kind() == Kind::Postgres {
        tx.fetch("SELECT 1 AS one FROM lanes WHERE user_id = $1 FOR UPDATE", &[user.into()]).await?;
    }
    Ok(())
}

/// More tasks that can be claimed.
pub(crate) async fn add(tx: &mut Tx, user: &Id, tasks: i64, points: i64) -> Result<(), StoreError> {
    let statement = "INSERT INTO lanes (user_id, ready, points) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO UPDATE \
                     SET ready = lanes.ready + excluded.ready, points = lanes.points + excluded.points \
                     RETURNING points, (SELECT value FROM quotas WHERE quotas.user_id = $1 \
                     AND quota = 'queued_points') AS most";
    let row = tx.fetch_one(statement, &[user.into(), tasks.into(), points.into()]).await?;
    let Some(row) = row else { return Ok(()) };
    let most = row.maybe_int("most")?.unwrap_or(QUEUED_POINTS);
    if row.int("points")? > most {
        return Err(StoreError::Quota { quota: "queued_points", limit: most });
    }
    Ok(())
}

/// Tasks that were queued or running, and are not any more: rows of `user_id`, `state`, `ready`, `points`.
pub(crate) async fn take_away(tx: &mut Tx, tasks: &[Row]) -> Result<(), StoreError> {
    let mut users: BTreeMap<String, (i64, i64, i64)> = BTreeMap::new();
    for row in tasks {
        let sums = users.entry(row.text("user_id")?).or_default();
        if row.text("state")? == "running" {
            sums.1 += 1;
        } else {
            sums.0 += row.int("ready")?;
            sums.2 += row.int("points")?;
        }
    }
    for (user, (ready, running, points)) in users {
        let statement =
            "UPDATE lanes SET ready = ready - $2, running = running - $3, points = points - $4 WHERE user_id = $1";
        tx.execute(statement, &[user.into(), ready.into(), running.into(), points.into()]).await?;
    }
    Ok(())
}

/// A running task is queued again; `ready` unless it has to wait.
pub(crate) async fn back(tx: &mut Tx, user: &str, ready: bool, points: i64) -> Result<(), StoreError> {
    let statement =
        "UPDATE lanes SET running = running - 1, ready = ready + $2, points = points + $3 WHERE user_id = $1";
    tx.execute(statement, &[user.into(), ready.into(), points.into()]).await?;
    Ok(())
}

/// Tasks whose wait is over can be claimed. A transaction for each lane: who holds two could wait for another who does.
pub(crate) async fn promote(db: &Database) -> Result<(), StoreError> {
    let due = "SELECT DISTINCT user_id FROM tasks WHERE state = 'queued' AND ready = 0 AND not_before <= {now}";
    for row in db.read(due, &[]).await? {
        let user = row.text("user_id")?;
        let mut tx = db.begin_relaxed().await?;
        lock(&mut tx, &user).await?;
        let statement = "UPDATE tasks SET ready = 1 WHERE state = 'queued' AND ready = 0 AND not_before <= {now} \
                         AND user_id = $1";
        let count = tx.execute(statement, &[(&user).into()]).await?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        tx.execute("UPDATE lanes SET ready = ready + $2 WHERE user_id = $1", &[user.into(), count.into()]).await?;
        tx.commit().await?;
    }
    Ok(())
}
