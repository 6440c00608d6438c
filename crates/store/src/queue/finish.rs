//! The end of an attempt: its outcome decides whether the task is over.

use super::{Held, MOST_CRASHES, MOST_LOSSES, SECOND, lanes, mine, postgres, settle, store, wait_after};
use crate::database::{Database, Tx};
use crate::error::StoreError;
use crate::jobs::{self, Output};
use crate::queue::store::PointRecord;
use crate::wakes;
use serde_json::{Value as Json, json};

/// How an attempt ended, as its worker saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With all its points.
    Succeeded,
    /// With an error; `crashed` and `worker_lost` are tried again, up to their limits.
    Failed,
    /// The worker ended it, for a cancel was asked for.
    Cancelled,
}

/// What a worker reports at the end of an attempt.
#[derive(Debug, Clone)]
pub struct Finish {
    pub ending: Ending,
    /// The outcome code: `input`, `failed`, `limit_memory`, `crashed`, ..
    pub code: Option<String>,
    /// `{code,message,problems}`.
    pub error: Option<Json>,
    /// Points that are not stored yet.
    pub points: Vec<PointRecord>,
    /// Its outputs besides its points.
    pub outputs: Vec<Output>,
    pub warnings: Vec<Json>,
    /// CPU time of the attempt, in seconds.
    pub cpu_s: f64,
}

impl Finish {
    /// The end of an attempt without anything but its points.
    pub fn succeeded(points: Vec<PointRecord>) -> Self {
        Finish {
            ending: Ending::Succeeded,
            code: None,
            error: None,
            points,
            outputs: Vec::new(),
            warnings: Vec::new(),
            cpu_s: 0.0,
        }
    }

    /// Whether nothing went wrong, and nothing is to be told but its outputs.
    pub(super) fn is_plain(&self) -> bool {
        self.ending == Ending::Succeeded && self.points.iter().all(|point| !point.failed)
    }

    /// Its points, as JSON for a statement.
    pub(super) fn fresh(&self) -> String {
        let of = |point: &PointRecord| json!({"point": point.point, "record": point.record, "cpu_s": point.cpu_s});
        Json::from(self.points.iter().map(of).collect::<Vec<_>>()).to_string()
    }

    /// An attempt that failed with this code.
    pub fn failed(code: &str, message: &str) -> Self {
        Finish {
            ending: Ending::Failed,
            code: Some(code.to_owned()),
            error: Some(error(code, message)),
            ..Finish::succeeded(Vec::new())
        }
    }
}

/// State of a task whose attempt ends.
pub(super) struct Ended {
    pub user: String,
    pub first: i64,
    pub points: i64,
    pub tries: i64,
    pub losses: i64,
    pub crashes: i64,
    pub cancel: bool,
}

fn error(code: &str, message: &str) -> Json {
    json!({"code": code, "message": message, "problems": []})
}

/// Ends an attempt. False when the task is not mine any more: then nothing is written.
///
/// Points that are missing at the end of a failed task are stored as failed, with its error: a job that is over has all
/// its points, one way or the other, unless it was cancelled.
///
/// # Errors
/// A point is none of this task's, or the database is away.
pub async fn finish(db: &Database, held: &Held, finish: &Finish) -> Result<bool, StoreError> {
    if db.kind() == crate::Kind::Postgres && finish.is_plain() && postgres::finish(db, held, finish).await? {
        return Ok(true);
    }
    let mut tx = db.begin().await?;
    let Some(ended) = lock(&mut tx, held).await? else {
        tx.rollback().await;
        return Ok(false);
    };
    let range = ended.first..ended.first + ended.points;
    let mut gain = store::put(&mut tx, held, range.clone(), &finish.points).await?;
    gain.cpu_s = finish.cpu_s;
    jobs::add_warnings(&mut tx, &held.job, &finish.warnings).await?;
    let retried = match (finish.ending, finish.code.as_deref()) {
        _ if ended.cancel => false,
        (Ending::Failed, Some("crashed")) => ended.crashes + 1 < MOST_CRASHES,
        (Ending::Failed, Some("worker_lost")) => losses(&mut tx, held, &ended).await? < MOST_LOSSES,
        (Ending::Cancelled, _) => true,
        _ => false,
    };
    if retried {
        again(&mut tx, held, &ended, finish).await?;
        settle::job(&mut tx, &held.job, &gain).await?;
        wakes::announce(&mut tx).await?;
    } else {
        jobs::replace_outputs(&mut tx, &[(&held.job, &finish.outputs)]).await?;
        over(&mut tx, held, &ended, finish, gain).await?;
    }
    tx.commit().await?;
    Ok(true)
}

/// Locks the lane and the task, if it is still mine.
pub(super) async fn lock(tx: &mut Tx, held: &Held) -> Result<Option<Ended>, StoreError> {
    let owner = concat!("SELECT user_id FROM tasks WHERE ", mine!());
    let Some(row) = tx.fetch_one(owner, &held.values()).await? else { return Ok(None) };
    lanes::lock(tx, &row.text("user_id")?).await?;
    let statement = concat!(
        "SELECT user_id, first_point, points, tries, losses, crashes, \
         (SELECT cancel_asked FROM jobs WHERE id = job_id) AS cancel FROM tasks WHERE ",
        mine!(),
        " {for_update}"
    );
    let Some(row) = tx.fetch_one(statement, &held.values()).await? else { return Ok(None) };
    Ok(Some(Ended {
        user: row.text("user_id")?,
        first: row.int("first_point")?,
        points: row.int("points")?,
        tries: row.int("tries")?,
        losses: row.int("losses")?,
        crashes: row.int("crashes")?,
        cancel: row.yes("cancel")?,
    }))
}

/// Losses in a row, with this one: an attempt that stored a point is none.
pub(super) async fn losses(tx: &mut Tx, held: &Held, ended: &Ended) -> Result<i64, StoreError> {
    let statement =
        "SELECT 1 AS one FROM points WHERE job_id = $1 AND point >= $2 AND point < $3 AND attempt = $4 LIMIT 1";
    let last = ended.first + ended.points;
    let values = [(&held.job).into(), ended.first.into(), last.into(), held.attempt.into()];
    Ok(if tx.fetch_one(statement, &values).await?.is_some() { 0 } else { ended.losses + 1 })
}

/// Queues the task again, after its wait.
async fn again(tx: &mut Tx, held: &Held, ended: &Ended, finish: &Finish) -> Result<(), StoreError> {
    let crashed = finish.code.as_deref() == Some("crashed");
    let lost = finish.code.as_deref() == Some("worker_lost");
    let losses = if lost { losses(tx, held, ended).await? } else { ended.losses };
    let tries = ended.tries + i64::from(crashed || lost);
    let wait = if crashed || lost { wait_after(tries) } else { 0 };
    requeue(tx, held, ended, &Again { tries, losses, crashes: ended.crashes + i64::from(crashed), wait, counts: true })
        .await
}

/// How a task goes back into the queue.
pub(super) struct Again {
    pub tries: i64,
    pub losses: i64,
    pub crashes: i64,
    /// Seconds to wait.
    pub wait: i64,
    /// Whether this was an attempt.
    pub counts: bool,
}

/// Puts a task that is locked back into the queue.
pub(super) async fn requeue(tx: &mut Tx, held: &Held, ended: &Ended, again: &Again) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE tasks SET state = 'queued', worker_id = NULL, lease_until = NULL, tries = $3, losses = $4, \
         crashes = $5, ready = $6, not_before = {now} + $7, attempt = attempt - $8 WHERE job_id = $1 AND number = $2",
        &[
            (&held.job).into(),
            held.number.into(),
            again.tries.into(),
            again.losses.into(),
            again.crashes.into(),
            (again.wait == 0).into(),
            (again.wait * SECOND).into(),
            (!again.counts).into(),
        ],
    )
    .await?;
    lanes::back(tx, &ended.user, again.wait == 0, ended.points).await
}

/// Makes a task that is locked terminal, and its job when it was the last.
pub(super) async fn over(
    tx: &mut Tx,
    held: &Held,
    ended: &Ended,
    finish: &Finish,
    mut gain: settle::Gain,
) -> Result<(), StoreError> {
    let range = ended.first..ended.first + ended.points;
    let statement = "SELECT point, failed FROM points WHERE job_id = $1 AND point >= $2 AND point < $3 ORDER BY point";
    let there = tx.fetch(statement, &[(&held.job).into(), range.start.into(), range.end.into()]).await?;
    let mut stored = Vec::with_capacity(there.len());
    let mut any_failed = false;
    for row in &there {
        stored.push(row.int("point")?);
        any_failed |= row.yes("failed")?;
    }
    let missing = range.clone().filter(|point| stored.binary_search(point).is_err());
    let missing: Vec<i64> = missing.collect();
    // A cancel that came too late changes nothing; one that came in time leaves points missing.
    let cancelled = !missing.is_empty() && ended.cancel && finish.ending != Ending::Failed;
    let (state, code) = if cancelled {
        ("cancelled", Some("cancelled".to_owned()))
    } else if missing.is_empty() && !any_failed {
        ("succeeded", None)
    } else {
        ("failed", Some(finish.code.clone().unwrap_or_else(|| "failed".to_owned())))
    };
    if state == "failed" {
        let code = code.clone().unwrap_or_default();
        // Points that failed by themselves are counted by their job, over all its tasks.
        let told = finish.error.clone().or_else(|| match missing.len() {
            0 => None,
            count => Some(error(&code, &format!("the task ended without {count} of its points"))),
        });
        let told = told.map(|told| told.to_string());
        let failed: Vec<PointRecord> = missing
            .iter()
            .map(|point| PointRecord {
                point: *point,
                failed: true,
                record: told.clone().unwrap_or_default(),
                cpu_s: 0.0,
            })
            .collect();
        let more = store::put(tx, held, range, &failed).await?;
        gain.failed += more.failed;
        gain.error = told;
    }
    tx.execute(
        "UPDATE tasks SET state = $3, code = $4, finished_at = {now}, lease_until = NULL \
         WHERE job_id = $1 AND number = $2",
        &[(&held.job).into(), held.number.into(), state.into(), code.into()],
    )
    .await?;
    tx.execute("UPDATE lanes SET running = running - 1 WHERE user_id = $1", &[(&ended.user).into()]).await?;
    gain.tasks_ended = 1;
    settle::job(tx, &held.job, &gain).await?;
    Ok(())
}
