//! A launch: jobs, their tasks, files and lanes, all in one transaction.

use super::FrozenFile;
use crate::database::{Database, Tx, Value};
use crate::error::StoreError;
use crate::events;
use crate::idempotency::{self, Answer, Key};
use crate::queue::lanes;
use crate::{Id, wakes};
use serde_json::json;
use std::collections::BTreeMap;

/// A job to be launched.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// Its id, made by the caller: an answer can name it before it is stored.
    pub id: Id,
    pub project: Id,
    pub user: Id,
    /// The batch it belongs to, and its place there.
    pub batch: Option<(Id, i64)>,
    /// What it is called.
    pub title: String,
    /// The command line without `runcast`.
    pub argv: Vec<String>,
    /// The same as it is run.
    pub task_argv: Vec<String>,
    /// Limits of its tasks, JSON.
    pub limits: String,
    /// -100 to 100.
    pub priority: i64,
    /// Points of its answer; at least 1.
    pub points: i64,
    /// Points of a task; at least 1.
    pub points_per_task: i64,
    /// The files it reads; their bytes are in the store already.
    pub files: Vec<FrozenFile>,
}

/// A batch that is launched with its jobs.
#[derive(Debug, Clone)]
pub struct NewBatch {
    pub id: Id,
    pub project: Id,
    pub user: Id,
    /// What the request was answered, JSON.
    pub answer: String,
}

/// All that one request launches.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The batch, if it is one.
    pub batch: Option<NewBatch>,
    pub jobs: Vec<NewJob>,
    /// The key of the request and what it is answered, if it may be repeated.
    pub repeat: Option<(Key, Answer)>,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launched {
    /// All of it is stored.
    Now,
    /// The same request was there before, and was answered this.
    Before(Answer),
}

/// Launches jobs: all of them or none. Their ids, in order.
///
/// # Errors
/// A quota would be exceeded, a project or a file is gone, or the database is unreachable.
pub async fn launch(db: &Database, jobs: &[NewJob]) -> Result<Vec<Id>, StoreError> {
    launch_all(db, &Launch { jobs: jobs.to_vec(), ..Launch::default() }).await?;
    Ok(jobs.iter().map(|job| job.id.clone()).collect())
}

/// Launches what one request asks for, once: all of it or nothing.
///
/// # Errors
/// As for [`launch`]; [`StoreError::State`] when the key was used with another body.
pub async fn launch_all(db: &Database, launch: &Launch) -> Result<Launched, StoreError> {
    let mut tx = db.begin().await?;
    match put(&mut tx, launch).await {
        Ok(Launched::Now) => tx.commit().await.map(|()| Launched::Now),
        other => {
            tx.rollback().await;
            other
        }
    }
}

async fn put(tx: &mut Tx, launch: &Launch) -> Result<Launched, StoreError> {
    if let Some((key, answer)) = &launch.repeat
        && let Some(before) = idempotency::keep_in(tx, key, answer).await?
    {
        return Ok(Launched::Before(before));
    }
    if let Some(batch) = &launch.batch {
        let statement =
            "INSERT INTO batches (id, project_id, user_id, created_at, answer) VALUES ($1, $2, $3, {now}, $4)";
        let values = [(&batch.id).into(), (&batch.project).into(), (&batch.user).into(), (&batch.answer).into()];
        tx.execute(statement, &values).await?;
    }
    store_jobs(tx, &launch.jobs).await?;
    store_tasks(tx, &launch.jobs).await?;
    let mut users: BTreeMap<&Id, (i64, i64)> = BTreeMap::new();
    for job in &launch.jobs {
        let sums = users.entry(&job.user).or_default();
        *sums = (sums.0 + tasks_of(job), sums.1 + job.points);
    }
    for (user, (tasks, points)) in users {
        lanes::add(tx, user, tasks, points).await?;
    }
    let told = launch.jobs.iter().map(|job| events::NewEvent {
        project: job.project.clone(),
        job: Some(job.id.clone()),
        kind: events::Kind::Job,
        data: json!({"job": job.id, "state": "queued", "points_done": 0, "points_failed": 0, "points_total": job.points}),
    });
    events::add_in(tx, &told.collect::<Vec<_>>()).await?;
    wakes::announce(tx).await?;
    Ok(Launched::Now)
}

fn tasks_of(job: &NewJob) -> i64 {
    let each = job.points_per_task.max(1);
    (job.points.max(1) + each - 1) / each
}

async fn store_jobs(tx: &mut Tx, jobs: &[NewJob]) -> Result<(), StoreError> {
    let texts = |list: &[String]| json!(list).to_string();
    let rows: Vec<Vec<Value>> = jobs
        .iter()
        .map(|job| {
            let batch = job.batch.as_ref();
            vec![
                (&job.id).into(),
                (&job.project).into(),
                (&job.user).into(),
                batch.map(|batch| batch.0.to_string()).into(),
                batch.map(|batch| batch.1).into(),
                (&job.title).into(),
                texts(&job.argv).into(),
                texts(&job.task_argv).into(),
                (&job.limits).into(),
                job.priority.into(),
                job.points.max(1).into(),
                tasks_of(job).into(),
                tasks_of(job).into(),
            ]
        })
        .collect();
    let into = "jobs (id, project_id, user_id, batch_id, batch_index, title, argv, task_argv, limits, priority, \
                points_total, tasks_total, tasks_open, state, created_at)";
    tx.insert(into, "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', {now}", &rows, "").await?;
    let frozen: Vec<Vec<Value>> = jobs
        .iter()
        .flat_map(|job| job.files.iter().map(|file| (&job.id, file)))
        .map(|(id, file)| vec![id.into(), (&file.path).into(), file.version.into(), (&file.digest).into()])
        .collect();
    tx.insert("job_files (job_id, path, version, digest)", "?, ?, ?, ?", &frozen, "").await?;
    Ok(())
}

async fn store_tasks(tx: &mut Tx, jobs: &[NewJob]) -> Result<(), StoreError> {
    // A job has up to a million tasks: their rows are made as they are stored.
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for job in jobs {
        let (total, each) = (job.points.max(1), job.points_per_task.max(1));
        for number in 0..tasks_of(job) {
            let first = number * each;
            rows.push(vec![
                (&job.id).into(),
                (number + 1).into(),
                (&job.user).into(),
                job.priority.into(),
                first.into(),
                each.min(total - first).into(),
            ]);
            if rows.len() >= 1024 {
                put_tasks(tx, &rows).await?;
                rows.clear();
            }
        }
    }
    put_tasks(tx, &rows).await
}

async fn put_tasks(tx: &mut Tx, rows: &[Vec<Value>]) -> Result<(), StoreError> {
    let into = "tasks (job_id, number, user_id, priority, first_point, points, state)";
    tx.insert(into, "?, ?, ?, ?, ?, ?, 'queued'", rows, "").await?;
    Ok(())
}
