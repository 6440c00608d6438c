//! Why a benchmark can stop.

use runcast_core::Problem;
use std::io;
use std::path::{Path, PathBuf};

/// Why a benchmark did not start or could not continue. Failed runs are not errors: they are recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// A template, a figure or the plan is wrong.
    #[error("{0}")]
    Input(#[from] Problem),
    /// Another benchmark writes this table; wait for it, or choose another table.
    #[error("another benchmark is writing {}", table.display())]
    Locked { table: PathBuf },
    /// The journal beside the table records another command; start over or choose another table.
    #[error("{} was begun with another command: {difference}", journal.display())]
    OtherCommand { journal: PathBuf, difference: String },
    /// The table was not written by a benchmark; choose another one.
    #[error("{} exists and has no journal beside it: it was not written by a benchmark", table.display())]
    ForeignTable { table: PathBuf },
    /// The journal cannot be read; start over, or mend the line.
    #[error("{}:{line}: {message}", journal.display())]
    DamagedJournal {
        journal: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// The parser's message.
        message: String,
    },
    /// There is no such program; check the name and `PATH`.
    #[error("there is no program {program}")]
    ProgramNotFound {
        /// As in the command.
        program: String,
    },
    /// A program of the launcher failed (`sbatch`, `mpirun --version`).
    #[error("{program} failed: {message}")]
    Launcher { program: String, message: String },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
}

impl BenchError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> BenchError {
        move |source| BenchError::Io { action, path: path.to_owned(), source }
    }

    /// Whether the input or the usage is wrong (exit code 2), rather than that it could not be done (1).
    pub fn is_usage(&self) -> bool {
        match self {
            BenchError::Input(_)
            | BenchError::OtherCommand { .. }
            | BenchError::ForeignTable { .. }
            | BenchError::DamagedJournal { .. }
            | BenchError::ProgramNotFound { .. } => true,
            BenchError::Locked { .. } | BenchError::Launcher { .. } | BenchError::Io { .. } => false,
        }
    }
}

impl From<BenchError> for Problem {
    fn from(error: BenchError) -> Problem {
        let message = error.to_string();
        match error {
            BenchError::Input(problem) => problem,
            BenchError::Locked { table } => Problem::new("locked", message)
                .value(table.display().to_string())
                .hint("wait until it has ended, or choose another table with -o"),
            BenchError::OtherCommand { .. } => Problem::new("other_command", message)
                .hint("choose another table with -o, or start over with --restart, which keeps the old files as .bak"),
            BenchError::ForeignTable { .. } => Problem::new("foreign_table", message)
                .hint("choose another table with -o, or start over with --restart, which keeps the old one as .bak"),
            BenchError::DamagedJournal { journal, line, message } => {
                Problem::new("damaged_journal", format!("this line of the journal cannot be read: {message}"))
                    .in_file(journal.display().to_string())
                    .at_line(line)
                    .hint("correct the line, or start over with --restart, which keeps the old files as .bak")
            }
            BenchError::ProgramNotFound { program } => Problem::new("program_not_found", message)
                .value(program)
                .hint("write a path with a slash (./prog), or add its folder to PATH"),
            BenchError::Launcher { .. } => Problem::new("launcher", message),
            BenchError::Io { .. } => Problem::new("io", message),
        }
    }
}
