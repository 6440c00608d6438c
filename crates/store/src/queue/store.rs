//! Points are stored while the task is still mine, each at most once.

use super::{Held, mine, settle};
use crate::database::{Database, Tx, Value};
use crate::error::StoreError;
use crate::events;
use crate::jobs::id_of;
use serde_json::json;

/// The result of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PointRecord {
    /// Which point of the job, from 0.
    pub point: i64,
    pub failed: bool,
    /// JSON: the row, or why it failed.
    pub record: String,
    /// CPU time, in seconds.
    pub cpu_s: f64,
}

/// Stores points of a task; one that is there already stays as it is. False when the task is not mine any more: then
/// nothing is written.
///
/// # Errors
/// A point is none of this task's, or the database is away.
pub async fn store(db: &Database, held: &Held, points: &[PointRecord]) -> Result<bool, StoreError> {
    let mut tx = db.begin().await?;
    let statement = concat!("SELECT first_point, points FROM tasks WHERE ", mine!(), " {for_update}");
    let Some(row) = tx.fetch_one(statement, &held.values()).await? else { return Ok(false) };
    let first = row.int("first_point")?;
    let gain = put(&mut tx, held, first..first + row.int("points")?, points).await?;
    if gain.done + gain.failed > 0 {
        settle::job(&mut tx, &held.job, &gain).await?;
    }
    tx.commit().await?;
    Ok(true)
}

/// Puts points in, those that are absent: how many there were of them.
pub(super) async fn put(
    tx: &mut Tx,
    held: &Held,
    range: std::ops::Range<i64>,
    points: &[PointRecord],
) -> Result<settle::Gain, StoreError> {
    if let Some(other) = points.iter().find(|point| !range.contains(&point.point)) {
        return Err(StoreError::State(format!("point {} is none of task {}", other.point, held.number)));
    }
    let mut gain = settle::Gain::default();
    for failed in [false, true] {
        let rows: Vec<Vec<Value>> = points
            .iter()
            .filter(|point| point.failed == failed)
            .map(|point| {
                vec![
                    (&held.job).into(),
                    point.point.into(),
                    failed.into(),
                    (&point.record).into(),
                    held.attempt.into(),
                    point.cpu_s.into(),
                ]
            })
            .collect();
        let into = "points (job_id, point, failed, record, attempt, cpu_s, stored_at)";
        let stored =
            tx.insert(into, "?, ?, ?, ?, ?, ?, {now}", &rows, "ON CONFLICT (job_id, point) DO NOTHING").await?;
        let stored = i64::try_from(stored).unwrap_or(i64::MAX);
        *(if failed { &mut gain.failed } else { &mut gain.done }) += stored;
    }
    Ok(gain)
}

/// Sends lines of a task's log to its watchers. False when the task is not mine any more.
///
/// # Errors
/// The database is away.
pub async fn log(db: &Database, held: &Held, text: &str) -> Result<bool, StoreError> {
    let mut tx = db.begin_relaxed().await?;
    let statement =
        concat!("SELECT (SELECT project_id FROM jobs WHERE id = job_id) AS project_id FROM tasks WHERE ", mine!());
    let Some(row) = tx.fetch_one(statement, &held.values()).await? else { return Ok(false) };
    let event = events::NewEvent {
        project: id_of(row.text("project_id")?),
        job: Some(held.job.clone()),
        kind: events::Kind::Log,
        data: json!({"job": held.job, "task": held.number, "text": text}),
    };
    events::add_in(&mut tx, &[event]).await?;
    tx.commit().await?;
    Ok(true)
}
