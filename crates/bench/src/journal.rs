//! The journal: everything that a benchmark did, a line of JSON each, forced to disk line by line.
//!
//! It is the source of truth; the table is made from it. A line that was torn by a crash is cut off when the journal
//! is opened again.

use crate::error::BenchError;
use crate::figures::FigureRecord;
use crate::machine::Machine;
use crate::measure::Measured;
use indexmap::IndexMap;
use runcast_core::{Configuration, json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// A benchmark began or was taken up again.
    Session(Box<Session>),
    /// A run has ended; a later line of the same key replaces an earlier one.
    Run(Box<Record>),
    /// Tasks are about to be given to Slurm under this name.
    Array(Array),
    /// Slurm has taken them.
    Submitted {
        /// Name of the array.
        name: String,
        /// The number that Slurm gave it.
        job: String,
    },
    /// Nothing more is expected from an array.
    Closed {
        /// Name of the array.
        name: String,
    },
    /// A machine on which tasks ran.
    Machine(Box<Machine>),
}

/// The circumstances of a benchmark, written when it begins and whenever it is taken up again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// `bench-journal`.
    pub kind: String,
    /// Version of the shape: 1.
    pub version: u32,
    /// Version of runcast.
    pub runcast: String,
    pub started_at: String,
    /// The command; it must stay the same.
    pub command: CommandRecord,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// What is asked for.
    pub plan: PlanRecord,
    /// Seed of the order.
    pub seed: u64,
    /// Runs before the first recorded one of each configuration.
    pub warmup: u32,
    /// When a run is ended.
    #[serde(serialize_with = "json::as_optional_number")]
    pub time_limit_s: Option<f64>,
    /// Where runcast runs (under Slurm, the machines of the tasks follow in lines of their own).
    pub machine: Machine,
    /// Variables of the environment that tend to matter, and those of the command line.
    pub environment: IndexMap<String, String>,
    /// The `--record` commands, and the first line that each printed.
    pub recorded: IndexMap<String, Option<String>>,
    /// The revision of the program's sources.
    pub git: Option<GitRevision>,
}

/// The command. Runs of different commands must not share a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandRecord {
    /// The templates of program and arguments.
    pub argv: Vec<String>,
    /// The templates of variables.
    pub env: Vec<(String, String)>,
    /// The template of the folder.
    pub workdir: Option<String>,
    /// The template of the input file.
    pub stdin: Option<String>,
    /// `local`, `mpirun`, `slurm`, with their options.
    pub launcher: Value,
    /// The figures picked out of the output.
    pub figures: Vec<FigureRecord>,
    /// The seed, when the command uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    pub configurations: usize,
    /// Runs, repetitions counted.
    pub runs: usize,
    /// Distinguishes plans.
    pub digest: String,
}

/// State of a working copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GitRevision {
    /// The commit.
    pub revision: String,
    /// Whether files differ from it.
    pub modified: bool,
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    #[serde(flatten)]
    pub run: RunIdentity,
    /// What came of it.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Which run is meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// Distinguishes runs, as in the table.
    pub key: String,
    pub at: Configuration,
    /// The repetition, from 0.
    pub rep: u32,
    /// `train` or `target`.
    pub set: String,
    /// The place in the order of the plan, from 0.
    pub order: usize,
}

/// A job array given to Slurm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// Its unique name, by which it is found again even if we die before Slurm's answer is noted.
    pub name: String,
    /// Where its tasks and results are.
    pub spool: PathBuf,
    /// For each index of the array, the runs that it makes.
    pub tasks: Vec<Vec<RunIdentity>>,
}

/// An open journal, locked against other benchmarks.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or makes the journal of a table, and gives what it holds.
    ///
    /// The third value is whether a torn line was cut off.
    pub(crate) fn open(path: &Path, table: &Path) -> Result<(Journal, Vec<Entry>, bool), BenchError> {
        let existed = path.exists();
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(BenchError::io("open", path))?;
        lock(&file, table)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(BenchError::io("read", path))?;
        let (entries, whole) = parse(&bytes, path)?;
        let torn = whole < bytes.len();
        if torn {
            file.set_len(whole as u64).map_err(BenchError::io("shorten", path))?;
            file.seek(SeekFrom::End(0)).map_err(BenchError::io("shorten", path))?;
            file.sync_all().map_err(BenchError::io("write", path))?;
        }
        if !existed {
            sync_folder(path)?;
        }
        Ok((Journal { path: path.to_owned(), file }, entries, torn))
    }

    /// Empties it after a copy was made.
    pub(crate) fn clear(&mut self) -> Result<(), BenchError> {
        self.file.set_len(0).map_err(BenchError::io("shorten", &self.path))
    }

    /// Adds a line; it is on disk when this returns.
    pub(crate) fn append(&mut self, entry: &Entry) -> Result<(), BenchError> {
        let mut line = serde_json::to_vec(entry)
            .map_err(|error| BenchError::io("write", &self.path)(std::io::Error::other(error)))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(BenchError::io("write", &self.path))?;
        self.file.sync_data().map_err(BenchError::io("write", &self.path))
    }
}

/// Locks the journal for as long as the file is open.
fn lock(file: &File, table: &Path) -> Result<(), BenchError> {
    // A benchmark that was killed just now may still be held for a moment by a process that it was starting.
    for _ in 0..50 {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            // Some network file systems have no locks; two benchmarks at once are then the user's own risk.
            Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(BenchError::Locked { table: table.to_owned() })
}

/// Reads a journal without locking it, as reports do; a torn last line is left out.
///
/// # Errors
/// The file cannot be read, or a line that is not the last is not an entry.
pub fn read(path: &Path) -> Result<Vec<Entry>, BenchError> {
    let bytes = fs::read(path).map_err(BenchError::io("read", path))?;
    parse(&bytes, path).map(|(entries, _)| entries)
}

/// The entries, and how many bytes of whole lines there are.
fn parse(bytes: &[u8], path: &Path) -> Result<(Vec<Entry>, usize), BenchError> {
    let mut entries = Vec::new();
    let mut whole = 0;
    for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        let end = whole + line.len();
        let Some(text) = line.strip_suffix(b"\n") else { break };
        match serde_json::from_slice(text) {
            Ok(entry) => entries.push(entry),
            // After a power cut the last line may have its length but not its content.
            Err(_) if end == bytes.len() => break,
            Err(error) => {
                let message = error.to_string();
                return Err(BenchError::DamagedJournal { journal: path.to_owned(), line: number, message });
            }
        }
        whole = end;
    }
    Ok((entries, whole))
}

/// Forces the name of a new file to disk.
pub(crate) fn sync_folder(path: &Path) -> Result<(), BenchError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(BenchError::io("write", folder))
}

/// Replaces a file as a whole: it has the old content or the new one, never a part.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), BenchError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    let mut file = File::create(&temporary).map_err(BenchError::io("write", &temporary))?;
    file.write_all(content).and_then(|()| file.sync_all()).map_err(BenchError::io("write", &temporary))?;
    fs::rename(&temporary, path).map_err(BenchError::io("write", path))?;
    sync_folder(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(name: &str) -> Entry {
        Entry::Closed { name: name.to_owned() }
    }

    #[test]
    fn a_line_torn_anywhere_is_cut_off_and_the_rest_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let open = || Journal::open(&path, &path).expect("readable");
        let (mut journal, entries, torn) = open();
        assert!(entries.is_empty() && !torn);
        journal.append(&closed("a")).expect("written");
        let first = fs::metadata(&path).expect("there").len();
        journal.append(&closed("b")).expect("written");
        drop(journal);
        let bytes = fs::read(&path).expect("there");
        for length in first + 1..bytes.len() as u64 {
            fs::write(&path, &bytes[..length as usize]).expect("written");
            let (mut journal, entries, torn) = open();
            assert_eq!((entries, torn), (vec![closed("a")], true), "cut to {length} bytes");
            journal.append(&closed("c")).expect("written");
            drop(journal);
            assert_eq!(read(&path).expect("readable"), [closed("a"), closed("c")]);
        }
    }

    #[test]
    fn zeros_after_a_power_cut_are_cut_off_but_damage_in_the_middle_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let good = "{\"entry\":\"closed\",\"name\":\"a\"}\n";
        fs::write(&path, format!("{good}\0\0\0\n")).expect("written");
        assert_eq!(Journal::open(&path, &path).expect("readable").1, [closed("a")]);
        fs::write(&path, format!("{good}oops\n{good}")).expect("written");
        let error = Journal::open(&path, &path).expect_err("damaged");
        assert!(matches!(error, BenchError::DamagedJournal { line: 2, .. }), "{error:?}");
    }

    #[test]
    fn a_second_benchmark_on_the_same_table_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let first = Journal::open(&path, &path).expect("free");
        assert!(matches!(Journal::open(&path, &path), Err(BenchError::Locked { .. })));
        drop(first);
        assert!(Journal::open(&path, &path).is_ok());
    }
}
