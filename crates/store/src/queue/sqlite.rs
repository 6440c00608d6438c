//! On SQLite the end of a task that went well is one way to the thread of the connection: statements in a row, each of which
//! sees by `changes()` whether the one before it did anything. What is not simple is left to the steps that both databases
//! share.

use super::{Finish, Held, mine, settle};
use crate::database::{Tx, Value};
use crate::error::StoreError;
use crate::events::NewEvent;

/// Points that are absent, of a task that is mine.
const POINTS: &str = concat!(
    "INSERT INTO points (job_id, point, failed, record, attempt, cpu_s, stored_at) \
     SELECT $1, p.value ->> 'point', 0, p.value ->> 'record', $3, p.value ->> 'cpu_s', {now} FROM \
     (SELECT first_point, points FROM tasks WHERE ",
    mine!(),
    ") t CROSS JOIN json_each($5) p WHERE p.value ->> 'point' >= t.first_point \
     AND p.value ->> 'point' < t.first_point + t.points ON CONFLICT (job_id, point) DO NOTHING"
);

/// Its job, if now the task has all its points and none of them failed; `changes()` points are new.
const JOB: &str = concat!(
    "UPDATE jobs SET points_done = points_done + changes(), tasks_open = tasks_open - 1, cpu_s = cpu_s + $6, \
     finished_at = CASE WHEN tasks_open = 1 THEN {now} END, \
     progress_at = CASE WHEN changes() > 0 AND {now} - progress_at >= 200000 THEN {now} ELSE progress_at END, \
     state = CASE WHEN tasks_open <> 1 THEN state \
     WHEN cancel_asked = 1 AND points_done + changes() + points_failed < points_total THEN 'cancelled' \
     WHEN points_failed > 0 THEN 'failed' ELSE 'succeeded' END \
     WHERE id = $1 AND state IN ('queued', 'running') AND EXISTS (SELECT 1 FROM tasks t WHERE ",
    mine!(),
    " AND t.points = (SELECT COUNT(*) FROM points p WHERE p.job_id = $1 AND p.failed = 0 \
     AND p.point >= t.first_point AND p.point < t.first_point + t.points)) \
     RETURNING project_id, state, points_done, points_failed, points_total, started_at, {now} AS now, \
     progress_at = {now} AS is_time"
);

const TASK: &str = concat!(
    "UPDATE tasks SET state = 'succeeded', code = NULL, finished_at = {now}, lease_until = NULL \
     WHERE changes() = 1 AND ",
    mine!()
);

const LANE: &str = "UPDATE lanes SET running = running - 1 \
                    WHERE changes() = 1 AND user_id = (SELECT user_id FROM tasks WHERE job_id = $1 AND number = $2)";

/// Ends a task as a part of a transaction, which is to be given up when it is false: the task is not mine any more, or it is
/// not that simple. Without its outputs.
pub(super) async fn finish_in(
    tx: &mut Tx,
    held: &Held,
    finish: &Finish,
    news: &mut Vec<NewEvent>,
) -> Result<bool, StoreError> {
    let mut values: Vec<Value> = held.values().to_vec();
    values.extend([finish.fresh().into(), finish.cpu_s.into()]);
    let rows = tx.fetch_each(&[POINTS, JOB, TASK, LANE], &values).await?;
    let Some(row) = rows.first() else { return Ok(false) };
    news.extend(settle::news_of(row, &held.job, row.yes("is_time")?)?);
    Ok(true)
}
