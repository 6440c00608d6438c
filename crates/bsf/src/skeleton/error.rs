//! Why a run failed.

use std::path::PathBuf;
use thiserror::Error;

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// Impossible options or sizes: use fewer workers, or add a job.
    #[error("{message}")]
    Usage {
        /// Short stable name of the kind.
        code: &'static str,
        /// One sentence.
        message: String,
        /// What is allowed.
        allowed: Option<String>,
    },
    /// The code of the problem failed or panicked.
    #[error("{}", told(.0))]
    User(UserError),
    /// A checkpoint that cannot be used.
    #[error("{}: {message}", file.display())]
    Checkpoint {
        /// Short stable name of the kind.
        code: &'static str,
        file: PathBuf,
        /// One sentence.
        message: String,
        /// Whether the file is wrong, rather than the disk.
        is_input: bool,
    },
    /// Another rank gave no sign of life.
    #[error("{}", stalled(.rank, *.iteration, *.waited_s))]
    Stalled {
        /// The rank that was waited for, if it is known.
        rank: Option<usize>,
        iteration: u64,
        /// How long the run waited for it \[s\].
        waited_s: f64,
    },
    /// Interrupted before there was a result.
    #[error("interrupted")]
    Interrupted,
    /// A message that cannot be understood, or could not be sent.
    #[error("a message between ranks failed: {0}")]
    Message(String),
}

/// The code of the problem failed or panicked.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct UserError {
    pub place: Place,
    /// The worker, from 1; none at the master.
    pub worker: Option<u64>,
    /// The iteration; 0 before the first one.
    pub iteration: u64,
    /// The element, if known.
    pub element: Option<u64>,
    pub panicked: bool,
    pub message: String,
}

/// The user code that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Place {
    /// Set-up of a worker.
    SetUp,
    MapFold,
    /// The combination of two partial results.
    Combine,
    Compute,
    Hook,
}

impl RunError {
    /// Something wrong with the options.
    pub fn usage(code: &'static str, message: impl Into<String>, allowed: impl Into<Option<String>>) -> Self {
        RunError::Usage { code, message: message.into(), allowed: allowed.into() }
    }

    /// Short stable name of the kind.
    pub fn code(&self) -> &'static str {
        match self {
            RunError::Usage { code, .. } | RunError::Checkpoint { code, .. } => code,
            RunError::User(error) if error.panicked => "panicked",
            RunError::User(_) => "failed",
            RunError::Stalled { .. } => "stalled",
            RunError::Interrupted => "interrupted",
            RunError::Message(_) => "message_failed",
        }
    }

    /// Whether the input or the usage is wrong, rather than the run.
    pub fn is_usage(&self) -> bool {
        match self {
            RunError::Usage { .. } => true,
            RunError::Checkpoint { is_input, .. } => *is_input,
            RunError::User(error) => error.place == Place::SetUp && !error.panicked,
            _ => false,
        }
    }
}

fn told(error: &UserError) -> String {
    let code = match error.place {
        Place::SetUp => "set-up",
        Place::MapFold => "map and fold",
        Place::Combine => "combine",
        Place::Compute => "compute",
        Place::Hook => "a hook",
    };
    let who = error.worker.map_or_else(|| "the master".to_owned(), |worker| format!("worker {worker}"));
    let when = if error.iteration > 0 { format!(", iteration {}", error.iteration) } else { String::new() };
    let element = error.element.map_or_else(String::new, |element| format!(", element {element}"));
    let how = if error.panicked { "panicked" } else { "failed" };
    format!("{who}{when}{element}: {code} {how}: {}", error.message)
}

fn stalled(rank: &Option<usize>, iteration: u64, waited_s: f64) -> String {
    let who = rank.map_or_else(|| "no rank".to_owned(), |rank| format!("rank {rank} gave"));
    let who = if rank.is_some() { who } else { format!("{who} gave") };
    format!("{who} no sign of life for {waited_s:.0} s in iteration {iteration}")
}
