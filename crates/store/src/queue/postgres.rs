//! On PostgreSQL the two steps that each task takes are one statement each: every way there and back costs as much as
//! the work, and locks are held no longer than the disk needs. What is not simple is left to the steps that both
//! databases share; they lock in the same order.

use super::claim::{Claim, claim_of};
use super::{Finish, Held, microseconds, mine};
use crate::Id;
use crate::database::{Database, Tx, Value};
use crate::error::StoreError;
use crate::jobs;
use crate::wakes::News;
use std::time::Duration;

/// The next task in fair order; a row without a task where another was faster; no row also where the wait of a task is
/// over, for it has to be counted in first.
///
/// `ready + 0` and `state || ''` keep the planner from the indexes over what is queued: before it has counted a table
/// that has just been filled, it believes them nearly empty, and reads all of them for a row that it knows by its key.
const CLAIM: &str = "\
WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS mode),
n AS MATERIALIZED (SELECT {now} AS now),
lane AS MATERIALIZED (
    SELECT l.user_id FROM lanes l WHERE ready > 0 AND running < COALESCE((SELECT value FROM quotas q
        WHERE q.user_id = l.user_id AND q.quota = 'running_tasks'), 1000000000)
    AND NOT EXISTS (SELECT 1 FROM tasks w WHERE w.state = 'queued' AND w.ready = 0
        AND w.not_before <= (SELECT now FROM n))
    ORDER BY running, claimed_at, CASE WHEN claimed_at = 0 THEN (SELECT t.job_id FROM tasks t
        WHERE t.user_id = l.user_id AND t.state = 'queued' AND t.ready = 1 ORDER BY t.job_id, t.number LIMIT 1) END
    LIMIT 1 FOR UPDATE SKIP LOCKED),
picked AS MATERIALIZED (
    SELECT t.job_id, t.number FROM tasks t WHERE t.user_id = (SELECT user_id FROM lane)
    AND t.state = 'queued' AND t.ready = 1 ORDER BY t.priority DESC, t.job_id, t.number LIMIT 1),
task AS (
    UPDATE tasks SET state = 'running', attempt = attempt + 1, worker_id = $1, lease_until = n.now + $2,
        started_at = n.now, finished_at = NULL, code = NULL
    FROM picked, n WHERE tasks.job_id = picked.job_id AND tasks.number = picked.number AND tasks.state = 'queued'
        AND tasks.ready + 0 = 1 -- it may have run, failed and begun to wait between the choice and the lock
    RETURNING tasks.job_id, tasks.number, tasks.attempt, tasks.first_point, tasks.points, tasks.user_id),
turn AS (
    UPDATE lanes SET ready = ready - 1, running = running + 1, points = lanes.points - task.points,
        claimed_at = GREATEST(n.now, (SELECT MAX(claimed_at) FROM lanes) + 1)
    FROM task, n WHERE lanes.user_id = task.user_id),
begun AS (
    UPDATE jobs SET state = 'running', started_at = COALESCE(started_at, n.now), attempts = GREATEST(attempts, task.attempt)
    FROM task, n WHERE jobs.id = task.job_id AND (jobs.state = 'queued' OR jobs.attempts < task.attempt)),
told AS (
    INSERT INTO events (project_id, job_id, kind, data, at)
    SELECT j.project_id, j.id, 'job', CAST(json_build_object('job', j.id, 'state', 'running',
        'points_done', j.points_done, 'points_failed', j.points_failed, 'points_total', j.points_total) AS TEXT), n.now
    FROM jobs j, task, n WHERE j.id = task.job_id AND j.state || '' = 'queued' RETURNING 1)
SELECT task.job_id, task.number, task.attempt, task.first_point, task.points,
    j.project_id, j.user_id, j.task_argv, j.limits, j.points_total, j.cancel_asked,
    (SELECT COUNT(*) FROM told) AS told, (SELECT mode FROM relaxed) AS mode,
    (SELECT CAST(COALESCE(json_agg(json_build_array(f.path, f.version, f.digest) ORDER BY f.path), '[]') AS TEXT)
        FROM job_files f WHERE f.job_id = task.job_id) AS files,
    (SELECT CAST(COALESCE(json_agg(p.point), '[]') AS TEXT) FROM points p WHERE p.job_id = task.job_id
        AND p.point >= task.first_point AND p.point < task.first_point + task.points) AS there
FROM lane LEFT JOIN task ON TRUE LEFT JOIN jobs j ON j.id = task.job_id";

/// A task that has all its points and nothing that failed.
const FINISH: &str = concat!(
    "\
WITH n AS MATERIALIZED (SELECT {now} AS now),
lane AS MATERIALIZED (
    SELECT l.user_id FROM lanes l WHERE l.user_id = (SELECT user_id FROM tasks WHERE ",
    mine!(),
    ") FOR UPDATE),
fresh AS MATERIALIZED (
    SELECT r.point, r.record, r.cpu_s FROM json_to_recordset(CAST($5 AS JSON))
    AS r(point BIGINT, record TEXT, cpu_s DOUBLE PRECISION)),
task AS (
    UPDATE tasks SET state = 'succeeded', code = NULL, finished_at = n.now, lease_until = NULL FROM lane, n WHERE ",
    mine!(),
    " AND tasks.points = (SELECT COUNT(*) FROM points p WHERE p.job_id = $1 AND p.failed = 0
        AND p.point >= tasks.first_point AND p.point < tasks.first_point + tasks.points
        AND NOT EXISTS (SELECT 1 FROM fresh f WHERE f.point = p.point))
        + (SELECT COUNT(DISTINCT f.point) FROM fresh f WHERE f.point >= tasks.first_point
        AND f.point < tasks.first_point + tasks.points
        AND NOT EXISTS (SELECT 1 FROM points p WHERE p.job_id = $1 AND p.point = f.point AND p.failed = 1))
    RETURNING tasks.job_id, tasks.user_id),
stored AS (
    INSERT INTO points (job_id, point, failed, record, attempt, cpu_s, stored_at)
    SELECT task.job_id, f.point, 0, f.record, $3, f.cpu_s, n.now FROM fresh f, task, n
    ON CONFLICT (job_id, point) DO NOTHING RETURNING 1),
sums AS MATERIALIZED (SELECT COUNT(*) AS done FROM stored),
freed AS (UPDATE lanes SET running = running - 1 FROM task WHERE lanes.user_id = task.user_id),
job AS (
    UPDATE jobs SET points_done = points_done + sums.done, tasks_open = tasks_open - 1, cpu_s = cpu_s + $6,
        finished_at = CASE WHEN tasks_open = 1 THEN n.now END,
        progress_at = CASE WHEN sums.done > 0 AND n.now - progress_at >= 200000 THEN n.now ELSE progress_at END,
        state = CASE WHEN tasks_open <> 1 THEN state
            WHEN cancel_asked = 1 AND points_done + sums.done + points_failed < points_total THEN 'cancelled'
            WHEN points_failed > 0 THEN 'failed' ELSE 'succeeded' END
    FROM task, n, sums WHERE jobs.id = task.job_id
    RETURNING jobs.id, project_id, state, points_done, points_failed, points_total, started_at, progress_at),
told AS (
    INSERT INTO events (project_id, job_id, kind, data, at)
    SELECT project_id, id, CASE WHEN state = 'running' THEN 'progress' ELSE 'job' END,
        CAST(CASE WHEN state <> 'running' THEN json_build_object('job', id, 'state', state, 'points_done', points_done,
            'points_failed', points_failed, 'points_total', points_total)
        ELSE json_build_object('job', id, 'points_done', points_done, 'points_failed', points_failed,
            'points_total', points_total,
            'rate_per_s', (points_done + points_failed) * 1e6 / GREATEST(n.now - started_at, 1),
            'eta_s', (points_total - points_done - points_failed) * (GREATEST(n.now - started_at, 1) / 1e6)
                / (points_done + points_failed)) END AS TEXT), n.now
    FROM job, n WHERE state <> 'running' OR progress_at = n.now RETURNING 1)
SELECT (SELECT COUNT(*) FROM task) AS mine, (SELECT COUNT(*) FROM told) AS told"
);

/// Claims by one statement; nothing when there is nothing to be claimed, or when it is not that simple.
pub(super) async fn claim(db: &Database, worker: &Id, lease: Duration) -> Result<Option<Claim>, StoreError> {
    for _ in 0..3 {
        let rows = db.write_once(CLAIM, &[worker.into(), microseconds(lease).into()]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        if row.maybe_text("job_id")?.is_some() {
            db.wakes().tell(News { work: false, events: row.yes("told")? });
            return claim_of(row, row, worker).map(Some);
        }
    }
    Ok(None)
}

/// Ends a task by one statement; false when it is not mine any more, or when it is not that simple.
pub(super) async fn finish(db: &Database, held: &Held, finish: &Finish) -> Result<bool, StoreError> {
    if finish.outputs.is_empty() && finish.warnings.is_empty() {
        let rows = db.write_once(FINISH, &values_of(held, finish)).await?;
        let Some(row) = rows.first() else { return Ok(false) };
        db.wakes().tell(News { work: false, events: row.yes("told")? });
        return row.yes("mine");
    }
    let mut tx = db.begin().await?;
    if !finish_in(&mut tx, held, finish).await? {
        return Ok(false);
    }
    jobs::replace_outputs(&mut tx, &[(&held.job, &finish.outputs)]).await?;
    tx.commit().await?;
    Ok(true)
}

/// The same as a part of a transaction, which is to be given up when it is false; without its outputs.
pub(super) async fn finish_in(tx: &mut Tx, held: &Held, finish: &Finish) -> Result<bool, StoreError> {
    let row = tx.fetch_one(FINISH, &values_of(held, finish)).await?;
    let Some(row) = row else { return Ok(false) };
    if !row.yes("mine")? {
        return Ok(false);
    }
    tx.news().events |= row.yes("told")?;
    jobs::add_warnings(tx, &held.job, &finish.warnings).await?;
    Ok(true)
}

fn values_of(held: &Held, finish: &Finish) -> Vec<Value> {
    [held.values().to_vec(), vec![finish.fresh().into(), finish.cpu_s.into()]].concat()
}
