//! The files through which a dispatcher and compute nodes talk.

use crate::task::{Code, Limits, Outcome};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use runcast_core::{Problem, Warning};
use runcast_store::queue::{Held, PointRecord};
use runcast_store::{Digest, Id};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// What the dispatcher knows about the tasks of a bundle.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Its tasks, by their place in [`Work`].
    pub tasks: Vec<Entry>,
}

/// A task, as the dispatcher knows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    worker: Id,
    job: Id,
    number: i64,
    attempt: i64,
    /// Whether it is some points of a sweep.
    pub is_sweep: bool,
}

impl Entry {
    /// Of what was claimed.
    pub fn new(held: Held, is_sweep: bool) -> Entry {
        Entry { worker: held.worker, job: held.job, number: held.number, attempt: held.attempt, is_sweep }
    }

    /// What its writes name.
    pub fn held(&self) -> Held {
        Held { worker: self.worker.clone(), job: self.job.clone(), number: self.number, attempt: self.attempt }
    }
}

/// What a node is to do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Work {
    pub tasks: Vec<Task>,
    /// Work also without a sandbox in full force.
    pub allow_weak_sandbox: bool,
}

/// A task, as a node knows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Task {
    /// The command line.
    pub argv: Vec<String>,
    /// The points, of a sweep.
    pub points: Option<Vec<u64>>,
    /// What it may use.
    pub limits: Limits,
    /// Its files: paths and contents.
    pub files: Vec<(String, Digest)>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Begun {
    /// At once: it had all the time of the job.
    pub is_first: bool,
}

/// A point that is done.
#[derive(Debug, Serialize, Deserialize)]
pub struct Point {
    point: i64,
    failed: bool,
    record: String,
    cpu_s: f64,
}

impl From<PointRecord> for Point {
    fn from(PointRecord { point, failed, record, cpu_s }: PointRecord) -> Self {
        Point { point, failed, record, cpu_s }
    }
}

impl From<Point> for PointRecord {
    fn from(Point { point, failed, record, cpu_s }: Point) -> Self {
        PointRecord { point, failed, record, cpu_s }
    }
}

/// How a task ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct End {
    exit: u8,
    code: Option<Code>,
    document: Option<String>,
    table: Option<String>,
    timeline: Option<String>,
    human: String,
    outputs: Vec<(String, String)>,
    notes: Vec<String>,
    warnings: Vec<Warning>,
    problems: Vec<Problem>,
    cpu_s: f64,
    log: String,
}

impl From<Outcome> for End {
    fn from(of: Outcome) -> Self {
        let text = |bytes: Vec<u8>| STANDARD.encode(bytes);
        End {
            exit: of.exit,
            code: of.code,
            document: of.document.map(text),
            table: of.table.map(text),
            timeline: of.timeline.map(text),
            human: text(of.human),
            outputs: of.outputs.into_iter().map(|(path, bytes)| (path, text(bytes))).collect(),
            notes: of.notes,
            warnings: of.warnings,
            problems: of.problems,
            cpu_s: of.cpu_s,
            log: text(of.log),
        }
    }
}

impl End {
    /// What came of it; none if it is garbled.
    pub fn outcome(self) -> Option<Outcome> {
        let bytes = |text: String| STANDARD.decode(text).ok();
        let maybe = |text: Option<String>| text.map_or(Some(None), |text| bytes(text).map(Some));
        Some(Outcome {
            exit: self.exit,
            code: self.code,
            document: maybe(self.document)?,
            table: maybe(self.table)?,
            timeline: maybe(self.timeline)?,
            human: bytes(self.human)?,
            outputs: self.outputs.into_iter().map(|(path, text)| Some((path, bytes(text)?))).collect::<Option<_>>()?,
            notes: self.notes,
            warnings: self.warnings,
            problems: self.problems,
            cpu_s: self.cpu_s,
            log: bytes(self.log)?,
        })
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// The disk is full, or the folder is gone.
pub fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = path.with_file_name(name);
    std::fs::write(&new, serde_json::to_vec(value)?)?;
    std::fs::rename(&new, path)
}

/// Reads what [`write`] wrote.
///
/// # Errors
/// It is not there, or garbled.
pub fn read<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

/// The task that a file like `end-N` or `points-N-..` is of.
pub fn task_of(name: &str, prefix: &str) -> Option<usize> {
    let rest = name.strip_prefix(prefix)?;
    if rest.contains('.') {
        return None;
    }
    rest.split('-').next()?.parse().ok()
}

/// Makes a folder for this user alone.
///
/// # Errors
/// It cannot be made.
pub fn private(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_comes_back_as_it_was() {
        let outcome = Outcome {
            exit: 1,
            code: Some(Code::LimitMemory),
            document: Some(vec![0, 255]),
            human: b"a".to_vec(),
            outputs: vec![("a/b.csv".to_owned(), vec![1, 2, 3])],
            problems: vec![Problem::new("x", "y")],
            cpu_s: 1.5,
            ..Outcome::default()
        };
        let text = serde_json::to_string(&End::from(outcome.clone())).expect("JSON");
        let end: End = serde_json::from_str(&text).expect("an end");
        assert_eq!(end.outcome(), Some(outcome));
    }

    #[test]
    fn only_whole_files_are_of_a_task() {
        assert_eq!(task_of("points-12-7-0", "points-"), Some(12));
        assert_eq!(task_of("end-3", "end-"), Some(3));
        assert_eq!(task_of("end-3.77.new", "end-"), None);
        assert_eq!(task_of("begun-3", "end-"), None);
    }
}
