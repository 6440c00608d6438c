//! Events in order, kept for an hour: watchers of a project receive them.
//!
//! With PostgreSQL an event can become visible after a later one: numbers are given when it is written, not when its
//! transaction ends. Who reads stops before a number that is missing and young, so that nothing is ever jumped over.

use crate::Id;
use crate::database::{Database, Row, Tx, Value};
use crate::error::StoreError;
use crate::jobs::{id_of, json};
use serde_json::Value as Json;

/// How long events are kept, in microseconds.
const KEPT: i64 = 3600 * 1_000_000;
/// After so long a missing number will not come any more, in microseconds.
const YOUNG: i64 = 5_000_000;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A job was launched, changed or ended.
    Job,
    /// Points of a job were stored.
    Progress,
    /// Lines of a log.
    Log,
    /// A file was stored, moved or deleted.
    File,
    /// A comment was written, changed or deleted.
    Comment,
}

impl Kind {
    pub const ALL: [Kind; 5] = [Kind::Job, Kind::Progress, Kind::Log, Kind::File, Kind::Comment];

    /// The name of it in a stream of events.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Job => "job",
            Kind::Progress => "progress",
            Kind::Log => "log",
            Kind::File => "file",
            Kind::Comment => "comment",
        }
    }
}

/// An event to be published.
#[derive(Debug, Clone)]
pub struct NewEvent {
    pub project: Id,
    /// About which job.
    pub job: Option<Id>,
    pub kind: Kind,
    /// The content of the event.
    pub data: Json,
}

/// An event that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its number; they rise.
    pub id: i64,
    pub project: Id,
    /// About which job.
    pub job: Option<Id>,
    pub kind: Kind,
    /// The content of the event.
    pub data: Json,
    pub at: i64,
}

/// The events after a given one.
#[derive(Debug, Clone, PartialEq)]
pub enum Since {
    /// These, in order; perhaps none yet.
    Events(Vec<Event>),
    /// Some of them are not kept any more: read everything again, and continue from this number.
    Reset(i64),
}

/// Adds an event.
///
/// # Errors
/// The database is away.
pub async fn add(db: &Database, event: NewEvent) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    add_in(&mut tx, &[event]).await?;
    tx.commit().await
}

/// Adds events as a part of a transaction, best as its last step.
///
/// # Errors
/// The database is away.
pub async fn add_in(tx: &mut Tx, events: &[NewEvent]) -> Result<(), StoreError> {
    let row = |event: &NewEvent| -> Vec<Value> {
        vec![
            (&event.project).into(),
            event.job.as_ref().map(|job| job.as_str().to_owned()).into(),
            event.kind.name().into(),
            event.data.to_string().into(),
        ]
    };
    let rows: Vec<Vec<Value>> = events.iter().map(row).collect();
    tx.insert("events (project_id, job_id, kind, data, at)", "?, ?, ?, ?, {now}", &rows, "").await?;
    tx.news().events |= !events.is_empty();
    Ok(())
}

/// The number of the last event that all can see; 0 when there was none.
///
/// # Errors
/// The database is away.
pub async fn last(db: &Database) -> Result<i64, StoreError> {
    let statement = "SELECT COALESCE(MAX(id), 0) AS id FROM events";
    let last = db.read_one(statement, &[]).await?.map_or(Ok(0), |row| row.int("id"))?;
    Ok(horizon(db).await?.map_or(last, |horizon| horizon.min(last)))
}

/// At most `limit` events of a project after the number `after`.
///
/// # Errors
/// The database is away.
pub async fn since(db: &Database, project: &Id, after: i64, limit: i64) -> Result<Since, StoreError> {
    if let Some(reset) = reset(db, after).await? {
        return Ok(reset);
    }
    let horizon = horizon(db).await?.unwrap_or(i64::MAX);
    let statement = "SELECT id, project_id, job_id, kind, data, at FROM events WHERE project_id = $1 AND id > $2 \
                     AND id <= $3 ORDER BY id LIMIT $4";
    let rows = db.read(statement, &[project.into(), after.into(), horizon.into(), limit.into()]).await?;
    Ok(Since::Events(rows.iter().map(event).collect::<Result<_, _>>()?))
}

/// The same of all projects: one reader can serve many streams.
///
/// # Errors
/// The database is away.
pub async fn tail(db: &Database, after: i64, limit: i64) -> Result<Vec<Event>, StoreError> {
    let horizon = horizon(db).await?.unwrap_or(i64::MAX);
    let statement = "SELECT id, project_id, job_id, kind, data, at FROM events WHERE id > $1 AND id <= $2 \
                     ORDER BY id LIMIT $3";
    db.read(statement, &[after.into(), horizon.into(), limit.into()]).await?.iter().map(event).collect()
}

/// Forgets events older than an hour but the last of those, so that no number seems to be missing before the next.
///
/// # Errors
/// The database is away.
pub async fn purge(db: &Database) -> Result<u64, StoreError> {
    let statement = "DELETE FROM events WHERE at < {now} - $1 \
                     AND id < (SELECT MAX(id) FROM events WHERE at < {now} - $1)";
    db.write(statement, &[KEPT.into()]).await
}

/// Whether a reader that has seen `after` has missed what is not kept, or is of another database.
async fn reset(db: &Database, after: i64) -> Result<Option<Since>, StoreError> {
    let statement = "SELECT COALESCE(MIN(id), 0) AS first, COALESCE(MAX(id), 0) AS last FROM events";
    let Some(row) = db.read_one(statement, &[]).await? else { return Ok(None) };
    let (first, last) = (row.int("first")?, row.int("last")?);
    let is_gone = (after > 0 && after + 1 < first) || after > last || after < 0;
    Ok(is_gone.then_some(Since::Reset(last)))
}

/// The last number before which none is missing that may still come; `None` when there is no such doubt.
async fn horizon(db: &Database) -> Result<Option<i64>, StoreError> {
    if db.kind() == crate::Kind::Sqlite {
        // One writer: numbers become visible in order.
        return Ok(None);
    }
    // Never beyond what is visible now: more may be when the events themselves are read.
    let statement = "SELECT COALESCE(MIN(before), (SELECT MAX(id) FROM events), 0) AS horizon FROM (SELECT id, \
                     COALESCE(LAG(id) OVER (ORDER BY id), (SELECT MAX(id) FROM events o WHERE o.id < e.id), 0) AS before \
                     FROM events e WHERE at > {now} - $1) gaps WHERE before < id - 1";
    db.read_one(statement, &[YOUNG.into()]).await?.map_or(Ok(None), |row| row.maybe_int("horizon"))
}

fn event(row: &Row) -> Result<Event, StoreError> {
    let kind = row.text("kind")?;
    Ok(Event {
        id: row.int("id")?,
        project: id_of(row.text("project_id")?),
        job: row.maybe_text("job_id")?.map(id_of),
        kind: Kind::ALL
            .into_iter()
            .find(|known| known.name() == kind)
            .ok_or_else(|| StoreError::Database(format!("no event {kind}")))?,
        data: json(&row.text("data")?)?,
        at: row.int("at")?,
    })
}
