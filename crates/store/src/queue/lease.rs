//! Leases: a worker says that it lives; the tasks of one that does not are queued again.

use super::finish::{Again, Ended, Finish, lock, losses, over, requeue};
use super::{Held, MOST_LOSSES, microseconds, mine, settle, wait_after};
use crate::database::{Database, Row, Tx, Value};
use crate::error::StoreError;
use crate::jobs::id_of;
use crate::{Id, wakes};
use std::time::Duration;

/// Verdict on a worker's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It continues.
    Mine,
    /// A user wants the job to end: end the attempt as cancelled.
    Cancel,
    /// It now belongs to another worker, or is gone: end the child, write nothing.
    Lost,
}

/// Result of [`expire`] and [`recover`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expired {
    /// Tasks that are queued again.
    pub queued: u64,
    /// Tasks that failed with `worker_lost`.
    pub failed: u64,
}

/// Says that a worker lives and has these tasks: their leases continue. A verdict for each, in order.
///
/// # Errors
/// The database is away.
pub async fn heartbeat(db: &Database, worker: &Id, held: &[Held], lease: Duration) -> Result<Vec<Verdict>, StoreError> {
    // A beat that a power failure undoes is one that was not heard.
    let mut tx = db.begin_relaxed().await?;
    // In one order for all, so that two beats never wait for each other.
    let mut order: Vec<usize> = (0..held.len()).collect();
    order.sort_by_key(|&index| (&held[index].job, held[index].number));
    let mut verdicts = vec![Verdict::Lost; held.len()];
    for index in order {
        let statement = concat!(
            "UPDATE tasks SET lease_until = {now} + $5 WHERE ",
            mine!(),
            " RETURNING (SELECT cancel_asked FROM jobs WHERE id = job_id) AS cancel"
        );
        let mut values: Vec<Value> = held[index].values().to_vec();
        values.push(microseconds(lease).into());
        verdicts[index] = verdict(tx.fetch_one(statement, &values).await?.as_ref())?;
    }
    tx.execute("UPDATE workers SET seen_at = {now} WHERE id = $1", &[worker.into()]).await?;
    tx.commit().await?;
    Ok(verdicts)
}

/// The verdict about each of these tasks, without a heartbeat: cheap enough to ask often.
///
/// # Errors
/// The database is away.
pub async fn look(db: &Database, held: &[Held]) -> Result<Vec<Verdict>, StoreError> {
    let mut verdicts = Vec::with_capacity(held.len());
    for held in held {
        let statement =
            concat!("SELECT (SELECT cancel_asked FROM jobs WHERE id = job_id) AS cancel FROM tasks WHERE ", mine!());
        verdicts.push(verdict(db.read_one(statement, &held.values()).await?.as_ref())?);
    }
    Ok(verdicts)
}

fn verdict(row: Option<&Row>) -> Result<Verdict, StoreError> {
    Ok(match row {
        None => Verdict::Lost,
        Some(row) if row.maybe_int("cancel")? == Some(1) => Verdict::Cancel,
        Some(_) => Verdict::Mine,
    })
}

/// Gives a task back: it is queued at once, and this was no attempt. False when it is not mine any more.
///
/// # Errors
/// The database is away.
pub async fn give_back(db: &Database, held: &Held) -> Result<bool, StoreError> {
    let mut tx = db.begin().await?;
    let Some(ended) = lock(&mut tx, held).await? else {
        tx.rollback().await;
        return Ok(false);
    };
    if ended.cancel {
        let finish = Finish { ending: super::Ending::Cancelled, ..Finish::succeeded(Vec::new()) };
        over(&mut tx, held, &ended, &finish, settle::Gain::default()).await?;
    } else {
        let Ended { tries, losses, crashes, .. } = ended;
        requeue(&mut tx, held, &ended, &Again { tries, losses, crashes, wait: 0, counts: false }).await?;
        wakes::announce(&mut tx).await?;
    }
    tx.commit().await?;
    Ok(true)
}

/// Queues tasks again whose lease is over; any worker may do so, at least every sixth of a lease.
///
/// # Errors
/// The database is away.
pub async fn expire(db: &Database) -> Result<Expired, StoreError> {
    let statement = "SELECT job_id, number, attempt, worker_id FROM tasks WHERE state = 'running' \
                     AND lease_until < {now} ORDER BY lease_until LIMIT 1000";
    let over = db.read(statement, &[]).await?;
    let mut expired = Expired::default();
    for row in &over {
        lose(db, &held_of(row)?, true, &mut expired).await?;
    }
    Ok(expired)
}

/// Queues at once what the workers of this server's dead predecessor held, and forgets those workers.
///
/// `server` names what there is one server of at a time, such as a data directory under its lock; call it before the
/// workers of the new server are registered.
///
/// # Errors
/// The database is away.
pub async fn recover(db: &Database, server: &str) -> Result<Expired, StoreError> {
    let statement = "SELECT t.job_id, t.number, t.attempt, t.worker_id FROM tasks t JOIN workers w \
                     ON w.id = t.worker_id WHERE t.state = 'running' AND w.server = $1";
    let held = db.read(statement, &[server.into()]).await?;
    let mut expired = Expired::default();
    for row in &held {
        lose(db, &held_of(row)?, false, &mut expired).await?;
    }
    db.write("DELETE FROM workers WHERE server = $1", &[server.into()]).await?;
    Ok(expired)
}

fn held_of(row: &Row) -> Result<Held, StoreError> {
    Ok(Held {
        worker: id_of(row.maybe_text("worker_id")?.unwrap_or_default()),
        job: id_of(row.text("job_id")?),
        number: row.int("number")?,
        attempt: row.int("attempt")?,
    })
}

/// An attempt is lost: the task is queued again, or fails after the fifth time in a row.
async fn lose(db: &Database, held: &Held, is_expiry: bool, sum: &mut Expired) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    let Some(ended) = lock(&mut tx, held).await? else {
        tx.rollback().await;
        return Ok(());
    };
    if is_expiry && !is_over(&mut tx, held).await? {
        tx.rollback().await;
        return Ok(());
    }
    let losses = losses(&mut tx, held, &ended).await?;
    if ended.cancel {
        let finish = Finish { ending: super::Ending::Cancelled, ..Finish::succeeded(Vec::new()) };
        over(&mut tx, held, &ended, &finish, settle::Gain::default()).await?;
    } else if losses < MOST_LOSSES {
        let tries = ended.tries + 1;
        let wait = if is_expiry { wait_after(tries) } else { 0 };
        requeue(&mut tx, held, &ended, &Again { tries, losses, crashes: ended.crashes, wait, counts: true }).await?;
        wakes::announce(&mut tx).await?;
        sum.queued += 1;
    } else {
        let message = format!("its worker was lost {losses} times in a row, without a new point");
        over(&mut tx, held, &ended, &Finish::failed("worker_lost", &message), settle::Gain::default()).await?;
        sum.failed += 1;
    }
    tx.commit().await
}

/// Whether the lease of a locked task is over still: its worker may have come back meanwhile.
async fn is_over(tx: &mut Tx, held: &Held) -> Result<bool, StoreError> {
    let statement = concat!("SELECT 1 AS one FROM tasks WHERE ", mine!(), " AND lease_until < {now}");
    Ok(tx.fetch_one(statement, &held.values()).await?.is_some())
}
