//! A claim: the next task in fair order.

use super::{Held, lanes, microseconds, postgres, settle};
use crate::database::{Database, Row, Tx};
use crate::error::StoreError;
use crate::events::{self, NewEvent};
use crate::jobs::{FrozenFile, State, id_of, json};
use crate::{Digest, Id, Kind};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::time::Duration;

/// A task that is ours now, with all that is needed to run it.
#[derive(Debug, Clone)]
pub struct Claim {
    pub job: Id,
    /// The task's number in it, from 1.
    pub number: i64,
    /// The attempt, from 1.
    pub attempt: i64,
    pub worker: Id,
    /// The job's project.
    pub project: Id,
    /// Who launched the job.
    pub user: Id,
    /// The command line to be run.
    pub task_argv: Vec<String>,
    /// The files it reads.
    pub files: Vec<FrozenFile>,
    /// The limits, as they were stored at the launch.
    pub limits: Json,
    /// All points of the job: with 1, the command is run as a whole.
    pub points_total: i64,
    /// Those of this task that are not there yet, from 0, rising.
    pub missing_points: Vec<i64>,
    /// Whether a user wants the job to end.
    pub cancel: bool,
}

impl Claim {
    /// What its writes name.
    pub fn held(&self) -> Held {
        Held { worker: self.worker.clone(), job: self.job.clone(), number: self.number, attempt: self.attempt }
    }
}

/// Claims the next task in fair order; nothing when none can be claimed.
///
/// A claim does not wait for the disk: when the machine loses power, or PostgreSQL is killed, in the same moment, the
/// task is queued still and the worker hears that it lost it. Launches and results do wait.
///
/// # Errors
/// The database is away.
pub async fn claim(db: &Database, worker: &Id, lease: Duration) -> Result<Option<Claim>, StoreError> {
    if db.kind() == Kind::Postgres
        && let Some(claim) = postgres::claim(db, worker, lease).await?
    {
        return Ok(Some(claim));
    }
    // Another look is needed only after a race with others, or where a lane has promised what is not there.
    for _ in 0..100 {
        let mut tx = db.begin_relaxed().await?;
        let user = match lane(&mut tx).await? {
            Turn::Lane(user) => user,
            Turn::Nobody => {
                tx.rollback().await;
                return Ok(None);
            }
            Turn::Due => {
                tx.rollback().await;
                lanes::promote(db).await?;
                continue;
            }
        };
        if let Some((claim, begun)) = from_lane(&mut tx, &user, worker, lease).await? {
            events::add_in(&mut tx, begun.as_slice()).await?;
            tx.commit().await?;
            return Ok(Some(claim));
        }
        // Its counter is wrong, or it has been emptied meanwhile: count once.
        recount(&mut tx, &user).await?;
        tx.commit().await?;
    }
    Ok(None)
}

/// The lane whose turn it is, and whether a wait of some task is over; then lanes are to be looked at once more.
macro_rules! lanes_in_order {
    ($lock:literal) => {
        concat!(
            "SELECT user_id, (SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE state = 'queued' AND ready = 0 \
             AND not_before <= {now} LIMIT 1) d) AS due FROM lanes l WHERE ready > 0 AND running < COALESCE((SELECT value \
             FROM quotas q WHERE q.user_id = l.user_id AND q.quota = 'running_tasks'), 1000000000) \
             ORDER BY running, claimed_at, CASE WHEN claimed_at = 0 THEN (SELECT t.job_id FROM tasks t \
             WHERE t.user_id = l.user_id AND t.state = 'queued' AND t.ready = 1 ORDER BY t.job_id, t.number LIMIT 1) END \
             LIMIT 1 ",
            $lock
        )
    };
}

/// Claims as a part of a transaction of SQLite, at most so many, and says which jobs begin; whether it may be that more can
/// be claimed, after another look.
pub(super) async fn some(
    tx: &mut Tx,
    worker: &Id,
    lease: Duration,
    most: usize,
    news: &mut Vec<NewEvent>,
) -> Result<(Vec<Claim>, bool), StoreError> {
    let mut claims = Vec::new();
    while claims.len() < most {
        let user = match lane(tx).await? {
            Turn::Lane(user) => user,
            Turn::Nobody => return Ok((claims, false)),
            Turn::Due => return Ok((claims, true)),
        };
        let Some((claim, begun)) = from_lane(tx, &user, worker, lease).await? else { return Ok((claims, true)) };
        claims.push(claim);
        news.extend(begun);
    }
    Ok((claims, true))
}

/// Whose turn it is.
enum Turn {
    /// This user's, whose lane is locked.
    Lane(String),
    /// Nothing can be claimed.
    Nobody,
    /// Waits are over: those tasks have to be counted in first.
    Due,
}

async fn lane(tx: &mut Tx) -> Result<Turn, StoreError> {
    let mut row = tx.fetch_one(lanes_in_order!("{skip_locked}"), &[]).await?;
    if row.is_none() {
        let due = "SELECT 1 AS one FROM tasks WHERE state = 'queued' AND ready = 0 AND not_before <= {now} LIMIT 1";
        if tx.fetch_one(due, &[]).await?.is_some() {
            return Ok(Turn::Due);
        }
        if tx.kind() == Kind::Postgres {
            // All lanes that have something are in other hands at this moment: wait for the one whose turn it is. To
            // choose and to lock are two steps, for a lock is kept also on a lane that turns out to be empty by then.
            row = tx.fetch_one(lanes_in_order!(""), &[]).await?;
            if let Some(row) = &row {
                lanes::lock(tx, &row.text("user_id")?).await?;
            }
        }
    }
    match row {
        None => Ok(Turn::Nobody),
        Some(row) if row.yes("due")? => Ok(Turn::Due),
        Some(row) => row.text("user_id").map(Turn::Lane),
    }
}

/// The next task of a lane, and the event that its job has begun with it.
async fn from_lane(
    tx: &mut Tx,
    user: &str,
    worker: &Id,
    lease: Duration,
) -> Result<Option<(Claim, Option<NewEvent>)>, StoreError> {
    let task = tx
        .fetch_one(
            "UPDATE tasks SET state = 'running', attempt = attempt + 1, worker_id = $2, lease_until = {now} + $3, \
             started_at = {now}, finished_at = NULL, code = NULL WHERE state = 'queued' AND (job_id, number) = \
             (SELECT job_id, number FROM tasks WHERE user_id = $1 AND state = 'queued' AND ready = 1 \
             ORDER BY priority DESC, job_id, number LIMIT 1) RETURNING job_id, number, attempt, first_point, points",
            &[user.into(), worker.into(), microseconds(lease).into()],
        )
        .await?;
    let Some(task) = task else { return Ok(None) };
    let (id, attempt, points) = (task.text("job_id")?, task.int("attempt")?, task.int("points")?);
    // Two claims within the clock's resolution still have an order.
    let turn = match tx.kind() {
        Kind::Sqlite => {
            "UPDATE lanes SET ready = ready - 1, running = running + 1, points = points - $3, \
             claimed_at = MAX({now}, (SELECT MAX(claimed_at) FROM lanes) + 1) WHERE user_id = $4"
        }
        Kind::Postgres => {
            "UPDATE lanes SET ready = ready - 1, running = running + 1, points = points - $3, \
             claimed_at = GREATEST({now}, (SELECT MAX(claimed_at) FROM lanes) + 1) WHERE user_id = $4"
        }
    };
    let job = match tx.kind() {
        Kind::Sqlite => {
            "SELECT project_id, user_id, task_argv, limits, points_done, points_failed, points_total, cancel_asked, state, \
             (SELECT json_group_array(json_array(path, version, digest)) FROM (SELECT path, version, digest \
             FROM job_files WHERE job_id = $1 ORDER BY path)) AS files, (SELECT json_group_array(point) FROM points \
             WHERE job_id = $1 AND point >= $2 AND point < $2 + $3) AS there FROM jobs WHERE id = $1"
        }
        Kind::Postgres => {
            "SELECT project_id, user_id, task_argv, limits, points_done, points_failed, points_total, cancel_asked, state, \
             (SELECT CAST(COALESCE(json_agg(json_build_array(path, version, digest) ORDER BY path), '[]') AS TEXT) \
             FROM job_files WHERE job_id = $1) AS files, (SELECT CAST(COALESCE(json_agg(point), '[]') AS TEXT) \
             FROM points WHERE job_id = $1 AND point >= $2 AND point < $2 + $3) AS there FROM jobs WHERE id = $1"
        }
    };
    let begin = "UPDATE jobs SET state = 'running', started_at = COALESCE(started_at, {now}), \
                 attempts = CASE WHEN attempts < $5 THEN $5 ELSE attempts END \
                 WHERE id = $1 AND (state = 'queued' OR attempts < $5)";
    let values = [(&id).into(), task.int("first_point")?.into(), points.into(), user.into(), attempt.into()];
    let job = tx.fetch_each(&[turn, job, begin], &values).await?.into_iter().next();
    let job = job.ok_or_else(|| StoreError::Database("a task without a job".to_owned()))?;
    let begun = match job.text("state")?.as_str() {
        "queued" => Some(settle::state_of(&job, &id_of(id), State::Running)?),
        _ => None,
    };
    Ok(Some((claim_of(&task, &job, worker)?, begun)))
}

/// What was claimed, by the rows of the task and of its job.
pub(super) fn claim_of(task: &Row, job: &Row, worker: &Id) -> Result<Claim, StoreError> {
    let files: Vec<(String, i64, Digest)> = json(&job.text("files")?)?;
    let there: BTreeSet<i64> = json(&job.text("there")?)?;
    let (first, points) = (task.int("first_point")?, task.int("points")?);
    Ok(Claim {
        job: id_of(task.text("job_id")?),
        number: task.int("number")?,
        attempt: task.int("attempt")?,
        worker: worker.clone(),
        project: id_of(job.text("project_id")?),
        user: id_of(job.text("user_id")?),
        task_argv: json(&job.text("task_argv")?)?,
        files: files.into_iter().map(|(path, version, digest)| FrozenFile { path, version, digest }).collect(),
        limits: json(&job.text("limits")?)?,
        points_total: job.int("points_total")?,
        missing_points: (first..first + points).filter(|point| !there.contains(point)).collect(),
        cancel: job.yes("cancel_asked")?,
    })
}

async fn recount(tx: &mut Tx, user: &str) -> Result<(), StoreError> {
    let statement = "UPDATE lanes SET ready = (SELECT COUNT(*) FROM tasks t WHERE t.user_id = $1 \
                     AND t.state = 'queued' AND t.ready = 1) WHERE user_id = $1";
    tx.execute(statement, &[user.into()]).await?;
    Ok(())
}
