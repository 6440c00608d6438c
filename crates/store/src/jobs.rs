//! Jobs: commands of runcast on frozen files, cut into tasks.

mod change;
mod launch;
mod parts;

pub use change::{Change, cancel, delete, leave, patch, retry};
pub(crate) use change::{add_warnings, cancel_in};
pub use launch::{Launch, Launched, NewBatch, NewJob, launch, launch_all};
pub(crate) use parts::replace_outputs;
pub use parts::{Output, OutputInfo, Point, Task, files, keep_output, output, outputs, points, tasks};

use crate::database::{Database, Row};
use crate::error::StoreError;
use crate::{Digest, Id};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The state of a job or of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Waits for a worker.
    Queued,
    /// A worker has it; a job, from its first claim until all its tasks are terminal.
    Running,
    /// Ended with all its points.
    Succeeded,
    /// Ended, and at least one point failed.
    Failed,
    /// Cancelled, with points missing.
    Cancelled,
}

impl State {
    pub const ALL: [State; 5] = [State::Queued, State::Running, State::Succeeded, State::Failed, State::Cancelled];

    /// Its name in answers and in the database.
    pub fn name(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Running => "running",
            State::Succeeded => "succeeded",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether nothing but a retry changes it.
    pub fn is_terminal(self) -> bool {
        !matches!(self, State::Queued | State::Running)
    }

    pub(crate) fn of(row: &Row) -> Result<Self, StoreError> {
        let name = row.text("state")?;
        State::parse(&name).ok_or_else(|| StoreError::Database(format!("no state {name}")))
    }
}

/// A file as it was at the launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenFile {
    /// Its path in the project.
    pub path: String,
    /// Its version; 0 for an entry of the site's catalogue.
    pub version: i64,
    /// The digest of its bytes.
    pub digest: Digest,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub id: Id,
    pub project: Id,
    pub project_name: String,
    /// The id of who launched it.
    pub user: Id,
    /// The name of who launched it.
    pub created_by: String,
    /// The batch it belongs to.
    pub batch: Option<Id>,
    /// Its place in the batch, from 0.
    pub batch_index: Option<i64>,
    /// What it is called.
    pub title: String,
    /// The command line without `runcast`.
    pub argv: Vec<String>,
    /// The same as it is run.
    pub task_argv: Vec<String>,
    /// Limits of its tasks.
    pub limits: Json,
    pub state: State,
    /// -100 to 100; higher goes first, among the jobs of one user.
    pub priority: i64,
    /// Whether a user wants it to end.
    pub cancel_asked: bool,
    /// Points of its answer.
    pub points_total: i64,
    /// Points that are there.
    pub points_done: i64,
    pub points_failed: i64,
    /// Tasks it is cut into.
    pub tasks_total: i64,
    /// The most attempts that a task of it took.
    pub attempts: i64,
    /// Why it failed: `{code,message,problems}`.
    pub error: Option<Json>,
    /// Warnings of its command.
    pub warnings: Vec<Json>,
    /// CPU time of its attempts that ended, in seconds.
    pub cpu_s: f64,
    /// When it was launched.
    pub created_at: i64,
    /// When its first task was claimed.
    pub started_at: Option<i64>,
    /// When it became terminal.
    pub finished_at: Option<i64>,
    /// The files it reads.
    pub files: Vec<FrozenFile>,
}

/// Which jobs are asked for.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of this project only.
    pub project: Option<Id>,
    /// Of this batch only.
    pub batch: Option<Id>,
    /// Of this user only.
    pub user: Option<Id>,
    /// In this state only.
    pub state: Option<State>,
}

/// A `SELECT` of jobs that ends as the caller wants.
macro_rules! select_jobs {
    ($tail:literal) => {
        concat!(
            "SELECT j.*, p.name AS project_name, u.name AS user_name FROM jobs j \
             JOIN projects p ON p.id = j.project_id JOIN users u ON u.id = j.user_id ",
            $tail
        )
    };
}

/// A job, with its files.
///
/// # Errors
/// The database is away.
pub async fn get(db: &Database, id: &Id) -> Result<Option<Job>, StoreError> {
    let Some(row) = db.read_one(select_jobs!("WHERE j.id = $1"), &[id.into()]).await? else { return Ok(None) };
    let mut job = job_of(&row)?;
    job.files = files(db, id).await?;
    Ok(Some(job))
}

/// At most `limit` jobs, the newest first, from below the id `before`; their files come with them.
///
/// # Errors
/// The database is away.
pub async fn page(db: &Database, filter: &Filter, before: Option<&Id>, limit: i64) -> Result<Vec<Job>, StoreError> {
    // No id begins with a letter.
    let before = before.map_or("Z", Id::as_str);
    let text = |id: &Option<Id>| id.as_ref().map(|id| id.as_str().to_owned());
    let values = [
        before.into(),
        limit.into(),
        filter.state.map(|state| state.name().to_owned()).into(),
        text(&filter.user).into(),
        text(&filter.batch).into(),
        text(&filter.project).into(),
    ];
    let rows = if filter.project.is_some() {
        let statement = select_jobs!(
            "WHERE j.project_id = $6 AND j.id < $1 AND ($3 IS NULL OR j.state = $3) AND ($4 IS NULL OR j.user_id = $4) \
             AND ($5 IS NULL OR j.batch_id = $5) ORDER BY j.id DESC LIMIT $2"
        );
        db.read(statement, &values).await?
    } else {
        let statement = select_jobs!(
            "WHERE j.id < $1 AND ($3 IS NULL OR j.state = $3) AND ($4 IS NULL OR j.user_id = $4) \
             AND ($5 IS NULL OR j.batch_id = $5) ORDER BY j.id DESC LIMIT $2"
        );
        db.read(statement, &values[..5]).await?
    };
    let mut jobs = rows.iter().map(job_of).collect::<Result<Vec<_>, _>>()?;
    parts::add_files(db, &mut jobs).await?;
    Ok(jobs)
}

pub(crate) fn counted(rows: &[Row]) -> Result<Vec<(State, i64)>, StoreError> {
    let mut counts = State::ALL.map(|state| (state, 0));
    for row in rows {
        let state = State::of(row)?;
        for count in counts.iter_mut().filter(|count| count.0 == state) {
            count.1 = row.int("n")?;
        }
    }
    Ok(counts.to_vec())
}

pub(crate) fn job_of(row: &Row) -> Result<Job, StoreError> {
    Ok(Job {
        id: id_of(row.text("id")?),
        project: id_of(row.text("project_id")?),
        project_name: row.text("project_name")?,
        user: id_of(row.text("user_id")?),
        created_by: row.text("user_name")?,
        batch: row.maybe_text("batch_id")?.map(id_of),
        batch_index: row.maybe_int("batch_index")?,
        title: row.text("title")?,
        argv: json(&row.text("argv")?)?,
        task_argv: json(&row.text("task_argv")?)?,
        limits: json(&row.text("limits")?)?,
        state: State::of(row)?,
        priority: row.int("priority")?,
        cancel_asked: row.yes("cancel_asked")?,
        points_total: row.int("points_total")?,
        points_done: row.int("points_done")?,
        points_failed: row.int("points_failed")?,
        tasks_total: row.int("tasks_total")?,
        attempts: row.int("attempts")?,
        error: error(row)?,
        warnings: json(&row.text("warnings")?)?,
        cpu_s: row.real("cpu_s")?,
        created_at: row.int("created_at")?,
        started_at: row.maybe_int("started_at")?,
        finished_at: row.maybe_int("finished_at")?,
        files: Vec::new(),
    })
}

/// Why a job failed. Points that failed by themselves are no error of a task: they are counted over all of them.
fn error(row: &Row) -> Result<Option<Json>, StoreError> {
    let told = row.maybe_text("error")?.as_deref().map(json).transpose()?;
    if told.is_some() || State::of(row)? != State::Failed {
        return Ok(told);
    }
    let message = format!("{} of {} points failed", row.int("points_failed")?, row.int("points_total")?);
    Ok(Some(serde_json::json!({"code": "failed", "message": message, "problems": []})))
}

/// JSON as the database keeps it.
pub(crate) fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Database(format!("damaged JSON: {error}")))
}

/// An id as the database keeps it.
pub(crate) fn id_of(text: String) -> Id {
    Id::from_stored(text)
}
