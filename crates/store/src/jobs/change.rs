//! Wishes about a job that is there: cancel, retry, delete, rename, reprioritise.

use super::{State, json};
use crate::database::{Database, Tx};
use crate::error::StoreError;
use crate::queue::{lanes, settle};
use crate::{Id, events, wakes};
use serde_json::json as object;

/// A change of a job.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub priority: Option<i64>,
    pub title: Option<String>,
}

/// Asks for an end: queued tasks end at once, workers end running ones when they look next. The state after it; a job
/// that is terminal stays as it is.
///
/// # Errors
/// There is no such job, or the database is away.
pub async fn cancel(db: &Database, id: &Id) -> Result<State, StoreError> {
    let mut tx = db.begin().await?;
    let state = cancel_in(&mut tx, id).await?;
    tx.commit().await?;
    Ok(state)
}

pub(crate) async fn cancel_in(tx: &mut Tx, id: &Id) -> Result<State, StoreError> {
    let state = lock(tx, id).await?;
    if state.is_terminal() {
        return Ok(state);
    }
    let ended = tx
        .fetch(
            "UPDATE tasks SET state = 'cancelled', code = 'cancelled', finished_at = {now} \
             WHERE job_id = $1 AND state = 'queued' RETURNING user_id, ready, points, 'queued' AS state",
            &[id.into()],
        )
        .await?;
    lanes::take_away(tx, &ended).await?;
    let count = i64::try_from(ended.len()).unwrap_or(i64::MAX);
    tx.execute("UPDATE jobs SET cancel_asked = 1 WHERE id = $1", &[id.into()]).await?;
    let state = settle::job(tx, id, &settle::Gain { tasks_ended: count, ..settle::Gain::default() }).await?;
    wakes::announce(tx).await?;
    Ok(state)
}

/// Queues the tasks again that have failed or missing points; points that were finished stay.
///
/// # Errors
/// It is neither failed nor cancelled, a quota would be exceeded, there is no such job, or the database is away.
pub async fn retry(db: &Database, id: &Id) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    let state = lock(&mut tx, id).await?;
    if !matches!(state, State::Failed | State::Cancelled) {
        tx.rollback().await;
        return Err(StoreError::State(format!(
            "only a failed or cancelled job can be retried; it is {}",
            state.name()
        )));
    }
    let again = tx
        .fetch(
            "UPDATE tasks SET state = 'queued', ready = 1, not_before = 0, tries = 0, losses = 0, crashes = 0, \
             worker_id = NULL, lease_until = NULL, started_at = NULL, finished_at = NULL, code = NULL \
             WHERE job_id = $1 AND state IN ('failed', 'cancelled') RETURNING user_id, points",
            &[id.into()],
        )
        .await?;
    let mut points = 0;
    for row in &again {
        points += row.int("points")?;
    }
    let count = i64::try_from(again.len()).unwrap_or(i64::MAX);
    if let Some(row) = again.first() {
        lanes::add(&mut tx, &super::id_of(row.text("user_id")?), count, points).await?;
    }
    tx.execute("DELETE FROM points WHERE job_id = $1 AND failed = 1", &[id.into()]).await?;
    tx.execute("DELETE FROM outputs WHERE job_id = $1", &[id.into()]).await?;
    tx.execute(
        "UPDATE jobs SET state = 'queued', cancel_asked = 0, error = NULL, warnings = '[]', points_failed = 0, \
         tasks_open = $2, started_at = NULL, finished_at = NULL WHERE id = $1",
        &[id.into(), count.into()],
    )
    .await?;
    settle::tell(&mut tx, id).await?;
    wakes::announce(&mut tx).await?;
    tx.commit().await
}

/// Deletes a job with all it has; a worker that is at it hears that it lost it.
///
/// # Errors
/// There is no such job, or the database is away.
pub async fn delete(db: &Database, id: &Id) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    lock(&mut tx, id).await?;
    let tasks = "SELECT user_id, ready, points, state FROM tasks WHERE job_id = $1 AND state IN ('queued', 'running')";
    let open = tx.fetch(tasks, &[id.into()]).await?;
    lanes::take_away(&mut tx, &open).await?;
    let gone = tx.fetch("DELETE FROM jobs WHERE id = $1 RETURNING project_id", &[id.into()]).await?;
    if let Some(row) = gone.first() {
        let event = events::NewEvent {
            project: super::id_of(row.text("project_id")?),
            job: Some(id.clone()),
            kind: events::Kind::Job,
            data: object!({"job": id, "state": "deleted"}),
        };
        events::add_in(&mut tx, &[event]).await?;
    }
    wakes::announce(&mut tx).await?;
    tx.commit().await
}

/// Takes the tasks of a project out of the queue, as a part of deleting it: its jobs go with its row.
///
/// # Errors
/// The database is away.
pub async fn leave(tx: &mut Tx, project: &Id) -> Result<(), StoreError> {
    let users = "SELECT DISTINCT user_id FROM jobs WHERE project_id = $1 ORDER BY user_id";
    for row in tx.fetch(users, &[project.into()]).await? {
        lanes::lock(tx, &row.text("user_id")?).await?;
    }
    let open = tx
        .fetch(
            "UPDATE tasks SET state = 'cancelled', finished_at = {now} WHERE state IN ('queued', 'running') \
             AND job_id IN (SELECT id FROM jobs WHERE project_id = $1) \
             RETURNING user_id, ready, points, CASE WHEN lease_until IS NULL THEN 'queued' ELSE 'running' END AS state",
            &[project.into()],
        )
        .await?;
    lanes::take_away(tx, &open).await?;
    tx.news().work = true;
    Ok(())
}

/// Changes the title or the priority; the latter also of the tasks that are to be claimed yet.
///
/// # Errors
/// There is no such job, or the database is away.
pub async fn patch(db: &Database, id: &Id, change: &Change) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    lock(&mut tx, id).await?;
    if let Some(priority) = change.priority {
        tx.execute(
            "UPDATE tasks SET priority = $2 WHERE job_id = $1 AND priority <> $2",
            &[id.into(), priority.into()],
        )
        .await?;
        tx.execute("UPDATE jobs SET priority = $2 WHERE id = $1", &[id.into(), priority.into()]).await?;
    }
    if let Some(title) = &change.title {
        tx.execute("UPDATE jobs SET title = $2 WHERE id = $1", &[id.into(), title.into()]).await?;
    }
    settle::tell(&mut tx, id).await?;
    tx.commit().await
}

/// Locks the lane, the tasks and the row of a job, in the order that all take.
async fn lock(tx: &mut Tx, id: &Id) -> Result<State, StoreError> {
    let missing = || StoreError::missing("job", id.as_str());
    let owner = tx.fetch_one("SELECT user_id FROM jobs WHERE id = $1", &[id.into()]).await?;
    let owner = owner.ok_or_else(missing)?.text("user_id")?;
    lanes::lock(tx, &owner).await?;
    if tx.kind() == crate::Kind::Postgres {
        let tasks = "SELECT number FROM tasks WHERE job_id = $1 ORDER BY number FOR UPDATE";
        tx.fetch(tasks, &[id.into()]).await?;
    }
    let row = tx.fetch_one("SELECT state FROM jobs WHERE id = $1 {for_update}", &[id.into()]).await?;
    State::of(&row.ok_or_else(missing)?)
}

/// Warnings of a job and some more, each once.
pub(crate) async fn add_warnings(tx: &mut Tx, id: &Id, more: &[serde_json::Value]) -> Result<(), StoreError> {
    if more.is_empty() {
        return Ok(());
    }
    let row = tx.fetch_one("SELECT warnings FROM jobs WHERE id = $1 {for_update}", &[id.into()]).await?;
    let Some(row) = row else { return Ok(()) };
    let mut all: Vec<serde_json::Value> = json(&row.text("warnings")?)?;
    for warning in more {
        if !all.contains(warning) {
            all.push(warning.clone());
        }
    }
    let text = serde_json::Value::from(all).to_string();
    tx.execute("UPDATE jobs SET warnings = $2 WHERE id = $1", &[id.into(), text.into()]).await?;
    Ok(())
}
