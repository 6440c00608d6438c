//! Why a run did not finish.

use crate::model::Semantics;

/// Why a run did not finish.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The pieces do not cover the vector once; say which indices each process owns.
    #[error("{0}")]
    Pieces(String),
    /// The operator has another number of pieces than there are processes.
    #[error("the operator has {pieces} pieces for {processes} processes")]
    Processes {
        /// Pieces of the operator.
        pieces: usize,
        /// Processes that were asked for.
        processes: usize,
    },
    /// An update panicked: the code of the operator is wrong.
    #[error("process {process} panicked: {message}")]
    Panicked {
        /// Which one, counted from 1.
        process: usize,
        message: String,
    },
    /// A process was more than a phase ahead, or a message was damaged: a bug.
    #[error("{0}")]
    Message(String),
    /// MPI cannot be used as it is; `code` is a stable name.
    #[error("{message}")]
    Mpi { code: &'static str, message: String },
}

/// The semantics in effect if an update cannot check whether it is still wanted.
pub(super) fn held(asked: Semantics, polls: bool) -> Semantics {
    if polls { asked } else { Semantics::Complete }
}
