//! Jobs, tasks, batches and workers, as they go over the wire.

use crate::wire::time;
use crate::wire::trouble::Trouble;
use runcast_core::Problem;
use runcast_store::jobs::{self, State};
use serde::{Deserialize, Serialize};

/// The state of a job or of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, schema(as = State))]
pub enum JobState {
    /// Waits for a worker.
    Queued,
    /// A worker has it.
    Running,
    /// All its points are there.
    Succeeded,
    /// A point failed.
    Failed,
    /// Ended by a wish, with points missing.
    Cancelled,
}

impl From<State> for JobState {
    fn from(state: State) -> Self {
        match state {
            State::Queued => JobState::Queued,
            State::Running => JobState::Running,
            State::Succeeded => JobState::Succeeded,
            State::Failed => JobState::Failed,
            State::Cancelled => JobState::Cancelled,
        }
    }
}

impl From<JobState> for State {
    fn from(state: JobState) -> Self {
        match state {
            JobState::Queued => State::Queued,
            JobState::Running => State::Running,
            JobState::Succeeded => State::Succeeded,
            JobState::Failed => State::Failed,
            JobState::Cancelled => State::Cancelled,
        }
    }
}

/// A command of runcast on files of a project.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Job {
    /// Its id.
    pub id: String,
    /// The name of its project.
    pub project: String,
    /// The command line without `runcast`, as it was launched.
    pub argv: Vec<String>,
    /// What to type in a folder of the project's files for the same answer.
    pub command_line: String,
    /// The files that it reads, frozen.
    pub files: Vec<JobFile>,
    /// Its state.
    pub state: JobState,
    /// -100 to 100: which of a user's own jobs goes first.
    pub priority: i64,
    /// What it is called.
    #[cfg_attr(test, schema(required))]
    pub title: Option<String>,
    /// The batch that it belongs to.
    #[cfg_attr(test, schema(required))]
    pub batch: Option<String>,
    /// Rows of its answer.
    pub points_total: i64,
    /// Those that are there.
    pub points_done: i64,
    /// Those that failed.
    pub points_failed: i64,
    /// The most attempts that one of its tasks took.
    pub attempts: i64,
    /// Why it failed.
    #[cfg_attr(test, schema(required))]
    pub error: Option<JobError>,
    /// Who launched it.
    pub created_by: String,
    /// When it was launched.
    #[cfg_attr(test, schema(format = DateTime))]
    pub created_at: String,
    /// When its first task was claimed.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub started_at: Option<String>,
    /// When it ended.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub finished_at: Option<String>,
    /// Limits of each of its tasks.
    #[cfg_attr(test, schema(value_type = Object))]
    pub limits: serde_json::Value,
    /// CPU time so far, in seconds.
    pub cpu_s: f64,
    /// What its command warns of: `{code,message,file?,line?}`.
    #[cfg_attr(test, schema(value_type = Vec<Object>))]
    pub warnings: Vec<serde_json::Value>,
}

/// A file as it was at the launch.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct JobFile {
    /// Its path.
    pub path: String,
    /// Its version; 0: an entry of the site's catalogue.
    pub version: i64,
    /// Its digest.
    pub digest: String,
    /// The digest that the file of this path has now; null when there is none. Only in the answer for a single job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<Option<String>>,
}

/// Why a job failed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct JobError {
    /// `input`, `failed`, `limit_memory`, `limit_cpu`, `limit_wall`, `limit_output`, `crashed`, `worker_lost`.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What is wrong, where.
    pub problems: Vec<Trouble>,
}

impl JobError {
    fn of(stored: &serde_json::Value) -> Self {
        let text = |field: &str| stored.get(field).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let problems = stored.get("problems").cloned().unwrap_or_default();
        let problems: Vec<Problem> = serde_json::from_value(problems).unwrap_or_default();
        JobError {
            code: text("code"),
            message: text("message"),
            problems: problems.iter().map(Trouble::from).collect(),
        }
    }
}

impl From<jobs::Job> for Job {
    fn from(job: jobs::Job) -> Self {
        let command_line = command_line(&job.task_argv);
        Job {
            id: job.id.to_string(),
            project: job.project_name,
            argv: job.argv,
            command_line,
            files: job
                .files
                .into_iter()
                .map(|file| JobFile {
                    path: file.path,
                    version: file.version,
                    digest: file.digest.to_string(),
                    current: None,
                })
                .collect(),
            state: job.state.into(),
            priority: job.priority,
            title: Some(job.title).filter(|title| !title.is_empty()),
            batch: job.batch.map(|batch| batch.to_string()),
            points_total: job.points_total,
            points_done: job.points_done,
            points_failed: job.points_failed,
            attempts: job.attempts,
            error: job.error.as_ref().map(JobError::of),
            created_by: job.created_by,
            created_at: time::shown(job.created_at),
            started_at: job.started_at.map(time::shown),
            finished_at: job.finished_at.map(time::shown),
            limits: job.limits,
            cpu_s: job.cpu_s,
            warnings: job.warnings,
        }
    }
}

/// A command line as a shell reads it.
pub fn command_line(argv: &[String]) -> String {
    let plain =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c));
    let word = |word: &String| if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) };
    std::iter::once("runcast".to_owned()).chain(argv.iter().map(word)).collect::<Vec<_>>().join(" ")
}

/// A command to be launched.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"argv": ["sim", "run", "experiments/heat.toml"], "title": "a first run"})))]
pub struct Launch {
    /// The command line without `runcast`; paths are paths in the project.
    #[cfg_attr(test, schema(example = json!(["sim", "run", "experiments/heat.toml"])))]
    pub argv: Vec<String>,
    /// Which of your own jobs goes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(minimum = -100, maximum = 100))]
    pub priority: Option<i64>,
    /// What it is to be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(max_length = 200))]
    pub title: Option<String>,
}

/// What is to be changed about a job.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"priority": 5})))]
pub struct JobChange {
    /// Its priority.
    #[serde(default)]
    #[cfg_attr(test, schema(minimum = -100, maximum = 100))]
    pub priority: Option<i64>,
    /// Its title.
    #[serde(default)]
    #[cfg_attr(test, schema(max_length = 200))]
    pub title: Option<String>,
}

/// Which jobs are asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct JobFilter {
    /// How many items (1 to 500).
    #[cfg_attr(test, param(default = 50, minimum = 1, maximum = 500))]
    pub limit: Option<i64>,
    /// Where to go on: `next` of the page before.
    pub cursor: Option<String>,
    /// Only those in this state.
    pub state: Option<JobState>,
    /// Only those of this batch.
    #[cfg_attr(test, param(pattern = "^[0-9A-HJKMNP-TV-Z]{26}$"))]
    pub batch: Option<String>,
}

/// Some points of a job, claimed together.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Task {
    /// Its number, from 1.
    pub index: i64,
    /// Its state.
    pub state: JobState,
    /// How often it was claimed.
    pub attempt: i64,
    /// The worker that has it, or had it last.
    #[cfg_attr(test, schema(required))]
    pub worker: Option<String>,
    /// How many points it has.
    pub points: i64,
    /// The first of them, from 0.
    pub first_point: i64,
    /// When it was claimed last.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub started_at: Option<String>,
    /// When it ended.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub finished_at: Option<String>,
    /// How it ended.
    #[cfg_attr(test, schema(required))]
    pub code: Option<String>,
}

impl From<jobs::Task> for Task {
    fn from(task: jobs::Task) -> Self {
        Task {
            index: task.number,
            state: task.state.into(),
            attempt: task.attempt,
            worker: task.worker,
            points: task.points,
            first_point: task.first_point,
            started_at: task.started_at.map(time::shown),
            finished_at: task.finished_at.map(time::shown),
            code: task.code,
        }
    }
}

/// A file that a job wrote.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct OutputFile {
    /// Its name, as the command line gives it.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// How many bytes.
    pub bytes: i64,
    /// The digest of its bytes.
    pub digest: String,
    /// Where its bytes are.
    pub address: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let argv = ["sim", "sweep", "a b.toml", "--vary", "p=1..64*2", "--where", "it's"].map(str::to_owned);
        assert_eq!(command_line(&argv), "runcast sim sweep 'a b.toml' --vary 'p=1..64*2' --where 'it'\\''s'");
    }
}
