//! The state of a job after a part of it has ended.

use crate::database::{Row, Tx};
use crate::error::StoreError;
use crate::jobs::{State, id_of};
use crate::{Id, events};
use serde_json::json;

/// What a job gains by a transaction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gain {
    /// Points stored that succeeded.
    pub done: i64,
    /// Points stored that failed.
    pub failed: i64,
    /// Tasks that became terminal.
    pub tasks_ended: i64,
    /// CPU time, in seconds.
    pub cpu_s: f64,
    /// Why a task failed, JSON; a job keeps the first.
    pub error: Option<String>,
}

/// The least time between two reports of a job's progress, in microseconds.
const PROGRESS_EVERY: i64 = 200_000;

/// Adds the gain, and the state when all tasks are terminal; sends the news. Returns the state after it.
pub(crate) async fn job(tx: &mut Tx, id: &Id, gain: &Gain) -> Result<State, StoreError> {
    let row = tx
        .fetch_one(
            "UPDATE jobs SET points_done = points_done + $2, points_failed = points_failed + $3, \
             tasks_open = tasks_open - $4, cpu_s = cpu_s + $5, error = COALESCE(error, $6), \
             finished_at = CASE WHEN tasks_open = $4 THEN {now} END, \
             state = CASE WHEN tasks_open <> $4 THEN state \
             WHEN cancel_asked = 1 AND points_done + $2 + points_failed + $3 < points_total THEN 'cancelled' \
             WHEN points_failed + $3 > 0 THEN 'failed' ELSE 'succeeded' END \
             WHERE id = $1 AND state IN ('queued', 'running') \
             RETURNING project_id, state, points_done, points_failed, points_total, started_at, {now} AS now",
            &[
                id.into(),
                gain.done.into(),
                gain.failed.into(),
                gain.tasks_ended.into(),
                gain.cpu_s.into(),
                gain.error.clone().into(),
            ],
        )
        .await?;
    let Some(row) = row else { return Err(StoreError::missing("job", id.as_str())) };
    let state = State::of(&row)?;
    let is_time = !state.is_terminal() && gain.done + gain.failed > 0 && is_time_to_tell(tx, id).await?;
    if let Some(event) = news_of(&row, id, is_time)? {
        events::add_in(tx, &[event]).await?;
    }
    Ok(state)
}

/// What is told of a job by its row after a gain: its end, or its progress where it is time for that.
pub(super) fn news_of(row: &Row, id: &Id, is_time: bool) -> Result<Option<events::NewEvent>, StoreError> {
    let state = State::of(row)?;
    let (done, failed, total) = (row.int("points_done")?, row.int("points_failed")?, row.int("points_total")?);
    if state.is_terminal() {
        return state_of(row, id, state).map(Some);
    }
    if !is_time {
        return Ok(None);
    }
    // The clock of a database may not have moved since the job started.
    let since = row.maybe_int("started_at")?.map_or(0, |at| row.int("now").unwrap_or(at) - at);
    let rate = (done + failed) as f64 * 1e6 / since.max(1) as f64;
    let eta = (rate > 0.0).then(|| (total - done - failed) as f64 / rate);
    let data = json!({"job": id, "points_done": done, "points_failed": failed, "points_total": total,
                      "rate_per_s": rate, "eta_s": eta});
    let project = id_of(row.text("project_id")?);
    Ok(Some(events::NewEvent { project, job: Some(id.clone()), kind: events::Kind::Progress, data }))
}

async fn is_time_to_tell(tx: &mut Tx, id: &Id) -> Result<bool, StoreError> {
    let statement = "UPDATE jobs SET progress_at = {now} WHERE id = $1 AND {now} - progress_at >= $2";
    Ok(tx.execute(statement, &[id.into(), PROGRESS_EVERY.into()]).await? > 0)
}

/// Reports the state of a job as it is.
pub(crate) async fn tell(tx: &mut Tx, id: &Id) -> Result<(), StoreError> {
    let statement = "SELECT project_id, state, points_done, points_failed, points_total FROM jobs WHERE id = $1";
    let Some(row) = tx.fetch_one(statement, &[id.into()]).await? else { return Ok(()) };
    let event = state_of(&row, id, State::of(&row)?)?;
    events::add_in(tx, &[event]).await
}

/// That a job is in this state, with its counts of points.
pub(super) fn state_of(row: &Row, id: &Id, state: State) -> Result<events::NewEvent, StoreError> {
    let data = json!({"job": id, "state": state, "points_done": row.int("points_done")?,
                      "points_failed": row.int("points_failed")?, "points_total": row.int("points_total")?});
    let project = id_of(row.text("project_id")?);
    Ok(events::NewEvent { project, job: Some(id.clone()), kind: events::Kind::Job, data })
}
