//! The failure of a command.

use runcast_core::{Problem, Problems};
use std::fmt;
use std::io;
use std::path::Path;

/// Why a command gave nothing, and the exit code that says so.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What is wrong; never empty.
    pub problems: Problems,
    /// 1: it could not be done; 2: the input or the usage is wrong.
    pub exit: u8,
}

impl Failure {
    /// The input or the usage is wrong: exit code 2.
    pub fn input(problems: impl Into<Problems>) -> Self {
        Failure { problems: problems.into(), exit: 2 }
    }

    /// It could not be done: exit code 1.
    pub fn undone(problems: impl Into<Problems>) -> Self {
        Failure { problems: problems.into(), exit: 1 }
    }

    /// The user asked to stop: exit code 1.
    pub fn interrupted() -> Self {
        Failure::undone(Problem::new("interrupted", "interrupted"))
    }

    /// A file that cannot be read is wrong input.
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        let problem = Problem::new("cannot_read", format!("cannot be read: {}", told(error)));
        let problem = problem.in_file(path.display().to_string());
        Failure::input(match error.kind() {
            io::ErrorKind::NotFound => problem.hint("check the name and the folder"),
            _ => problem,
        })
    }

    /// A file that cannot be written.
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        let problem = Problem::new("cannot_write", format!("cannot be written: {}", told(error)));
        Failure::undone(problem.in_file(path.display().to_string()))
    }
}

/// What the system says, without the number of the error.
fn told(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::input(problem)
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Failure::input(problems)
    }
}

impl From<runcast_bench::BenchError> for Failure {
    fn from(error: runcast_bench::BenchError) -> Self {
        let exit = if error.is_usage() { 2 } else { 1 };
        Failure { problems: Problem::from(error).into(), exit }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problems.fmt(f)
    }
}

impl std::error::Error for Failure {}
