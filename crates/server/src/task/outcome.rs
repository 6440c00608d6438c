//! What comes out of the process of a task.

use super::ending::Code;
use runcast_core::{Problem, Warning};

/// What comes while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A point of a sweep.
    Point(PointRow),
    /// How far the work has come.
    Progress {
        what: String,
        /// Steps done.
        done: u64,
        /// Of how many; 0: unknown.
        of: u64,
    },
    /// A line of the log.
    Log(String),
    /// A line of a curve that is being edited, as JSON.
    Line(String),
}

/// A point of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct PointRow {
    /// Which; counted from 0.
    pub point: u64,
    /// Whether it could not be simulated.
    pub failed: bool,
    /// The row, as JSON: [`runcast_commands::remote::Row`].
    pub record: String,
    /// Processor time that it took, in seconds.
    pub cpu_s: f64,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The exit code that the shell would see; 1 where the process did not end by itself.
    pub exit: u8,
    /// Why it did not end well; none: it did.
    pub code: Option<Code>,
    /// The document, as `--json` prints it.
    pub document: Option<Vec<u8>>,
    /// The table, as `-o` writes it.
    pub table: Option<Vec<u8>>,
    /// The timeline, as `--timeline` writes it.
    pub timeline: Option<Vec<u8>>,
    /// What stands on the standard output without `--json`.
    pub human: Vec<u8>,
    /// Files that options ask for, by path.
    pub outputs: Vec<(String, Vec<u8>)>,
    /// Notes on the standard error.
    pub notes: Vec<String>,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    pub problems: Vec<Problem>,
    /// Processor time, in seconds.
    pub cpu_s: f64,
    /// Everything that it said, up to 1 MiB.
    pub log: Vec<u8>,
}
