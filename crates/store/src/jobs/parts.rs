//! The parts of a job: its files, tasks, points and outputs.

use super::{FrozenFile, Job, State, json};
use crate::database::{Database, Row, Tx, Value};
use crate::error::StoreError;
use crate::{Digest, Id, Kind};
use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its number in the job, from 1.
    pub number: i64,
    pub state: State,
    /// How often it was claimed; those that were given back do not count.
    pub attempt: i64,
    /// The name of the worker that has it, or had it last.
    pub worker: Option<String>,
    /// Its first point, from 0.
    pub first_point: i64,
    /// How many points it has.
    pub points: i64,
    /// When its last attempt began.
    pub started_at: Option<i64>,
    /// When it became terminal.
    pub finished_at: Option<i64>,
    /// The code of its outcome; absent when nothing went wrong.
    pub code: Option<String>,
}

/// A point that was stored; it never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Which point, from 0.
    pub point: i64,
    pub failed: bool,
    /// JSON: the row, or why it failed.
    pub record: String,
    /// CPU time, in seconds.
    pub cpu_s: f64,
    /// When it was stored.
    pub stored_at: i64,
}

/// An output of a job besides its points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// `document`, `table`, `timeline`, `log`, `file/NAME`.
    pub name: String,
    pub media: String,
    pub bytes: Vec<u8>,
}

/// An output without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputInfo {
    pub name: String,
    pub media: String,
    /// The digest of the bytes.
    pub digest: Digest,
    /// How many bytes.
    pub size: i64,
}

/// The files of a job, frozen at its launch, by path.
///
/// # Errors
/// The database is away.
pub async fn files(db: &Database, job: &Id) -> Result<Vec<FrozenFile>, StoreError> {
    let statement = "SELECT path, version, digest FROM job_files WHERE job_id = $1 ORDER BY path";
    db.read(statement, &[job.into()]).await?.iter().map(file).collect()
}

/// Puts their files into jobs.
pub(super) async fn add_files(db: &Database, jobs: &mut [Job]) -> Result<(), StoreError> {
    // In one row: each row of an answer costs more than what is in it.
    let all = match db.kind() {
        Kind::Sqlite => "json_group_array(json_array(job_id, path, version, digest))",
        Kind::Postgres => {
            "CAST(COALESCE(json_agg(json_build_array(job_id, path, version, digest) ORDER BY job_id, path), '[]') AS TEXT)"
        }
    };
    for chunk in jobs.chunks_mut(64) {
        let marks: Vec<String> = (1..=64).map(|number| format!("${number}")).collect();
        let text = format!(
            "SELECT {all} AS files FROM (SELECT job_id, path, version, digest FROM job_files WHERE job_id IN ({}) \
             ORDER BY job_id, path) f",
            marks.join(", ")
        );
        let mut ids: Vec<Value> = chunk.iter().map(|job| (&job.id).into()).collect();
        ids.resize(64, "".into());
        let Some(row) = db.read_text(text.into(), &ids).await?.into_iter().next() else { continue };
        let mut files: HashMap<String, Vec<FrozenFile>> = HashMap::new();
        for (id, path, version, digest) in json::<Vec<(String, String, i64, Digest)>>(&row.text("files")?)? {
            files.entry(id).or_default().push(FrozenFile { path, version, digest });
        }
        for job in chunk {
            job.files = files.remove(job.id.as_str()).unwrap_or_default();
        }
    }
    Ok(())
}

fn file(row: &Row) -> Result<FrozenFile, StoreError> {
    Ok(FrozenFile {
        path: row.text("path")?,
        version: row.int("version")?,
        digest: Digest::from_text(row.text("digest")?),
    })
}

/// At most `limit` tasks of a job, from above the number `after`.
///
/// # Errors
/// The database is away.
pub async fn tasks(db: &Database, job: &Id, after: i64, limit: i64) -> Result<Vec<Task>, StoreError> {
    let statement = "SELECT t.number, t.state, t.attempt, t.first_point, t.points, t.started_at, t.finished_at, t.code, \
                     COALESCE(w.name, t.worker_id) AS worker FROM tasks t LEFT JOIN workers w ON w.id = t.worker_id \
                     WHERE t.job_id = $1 AND t.number > $2 ORDER BY t.number LIMIT $3";
    let task = |row: &Row| {
        Ok(Task {
            number: row.int("number")?,
            state: State::of(row)?,
            attempt: row.int("attempt")?,
            worker: row.maybe_text("worker")?,
            first_point: row.int("first_point")?,
            points: row.int("points")?,
            started_at: row.maybe_int("started_at")?,
            finished_at: row.maybe_int("finished_at")?,
            code: row.maybe_text("code")?,
        })
    };
    db.read(statement, &[job.into(), after.into(), limit.into()]).await?.iter().map(task).collect()
}

/// At most `limit` stored points of a job, from the point `from` on, in order.
///
/// # Errors
/// The database is away.
pub async fn points(db: &Database, job: &Id, from: i64, limit: i64) -> Result<Vec<Point>, StoreError> {
    let statement = "SELECT point, failed, record, cpu_s, stored_at FROM points WHERE job_id = $1 AND point >= $2 \
                     ORDER BY point LIMIT $3";
    let point = |row: &Row| {
        Ok(Point {
            point: row.int("point")?,
            failed: row.yes("failed")?,
            record: row.text("record")?,
            cpu_s: row.real("cpu_s")?,
            stored_at: row.int("stored_at")?,
        })
    };
    db.read(statement, &[job.into(), from.into(), limit.into()]).await?.iter().map(point).collect()
}

/// The outputs of a job, by name.
///
/// # Errors
/// The database is away.
pub async fn outputs(db: &Database, job: &Id) -> Result<Vec<OutputInfo>, StoreError> {
    let statement = "SELECT name, media, digest, size FROM outputs WHERE job_id = $1 ORDER BY name";
    let info = |row: &Row| {
        Ok(OutputInfo {
            name: row.text("name")?,
            media: row.text("media")?,
            digest: Digest::from_text(row.text("digest")?),
            size: row.int("size")?,
        })
    };
    db.read(statement, &[job.into()]).await?.iter().map(info).collect()
}

/// One output of a job.
///
/// # Errors
/// The database is away.
pub async fn output(db: &Database, job: &Id, name: &str) -> Result<Option<Output>, StoreError> {
    let statement = "SELECT o.name, o.media, b.bytes FROM outputs o JOIN blobs b ON b.digest = o.digest \
                     WHERE o.job_id = $1 AND o.name = $2";
    let row = db.read_one(statement, &[job.into(), name.into()]).await?;
    row.map(|row| Ok(Output { name: row.text("name")?, media: row.text("media")?, bytes: row.bytes("bytes")? }))
        .transpose()
}

/// Keeps an output that was put together from the points of a job, unless the job has gone on since it ended at this time.
///
/// # Errors
/// The database is away or full.
pub async fn keep_output(db: &Database, job: &Id, finished_at: i64, output: Output) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    let still = "SELECT id FROM jobs WHERE id = $1 AND finished_at = $2 {for_update}";
    if tx.fetch_one(still, &[job.into(), finished_at.into()]).await?.is_some() {
        replace_outputs(&mut tx, &[(job, &[output])]).await?;
    }
    tx.commit().await
}

/// Stores outputs of jobs; one of the same name is replaced.
pub(crate) async fn replace_outputs(tx: &mut Tx, of: &[(&Id, &[Output])]) -> Result<(), StoreError> {
    // In one order for all: who holds the bytes that another one wants never waits for it. Each row once.
    let (mut blobs, mut outputs) = (BTreeMap::new(), BTreeMap::new());
    for (job, list) in of {
        for output in *list {
            let digest = Digest::of(&output.bytes);
            let size = i64::try_from(output.bytes.len()).unwrap_or(i64::MAX);
            let name: Vec<Value> = vec![(*job).into(), (&output.name).into(), (&output.media).into()];
            outputs.insert((job.as_str(), &output.name), [name, vec![(&digest).into(), size.into()]].concat());
            blobs.insert(digest.as_str().to_owned(), vec![(&digest).into(), size.into(), output.bytes.clone().into()]);
        }
    }
    let blobs: Vec<Vec<Value>> = blobs.into_values().collect();
    let outputs: Vec<Vec<Value>> = outputs.into_values().collect();
    // An update that changes nothing: it locks the row, so that these bytes are not swept away before we refer to them.
    let keep = "ON CONFLICT (digest) DO UPDATE SET size = excluded.size";
    tx.insert("blobs (digest, size, bytes, created_at)", "?, ?, ?, {now}", &blobs, keep).await?;
    let put = "ON CONFLICT (job_id, name) DO UPDATE SET media = excluded.media, digest = excluded.digest, \
               size = excluded.size";
    tx.insert("outputs (job_id, name, media, digest, size)", "?, ?, ?, ?, ?", &outputs, put).await?;
    Ok(())
}
