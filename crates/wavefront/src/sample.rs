//! Times measured on real hosts: of updates while all processes run, and of messages one way; whether they suit the
//! model; and the model that they make.
//!
//! The model draws every time afresh (\[C\] 3.1): no update knows of the one before, and no process of another. On
//! machines shared with others that fails in known ways, and what it costs is the spread of the run time, not its
//! mean. [`diagnose`](mod@diagnose) tests this; [`modes`] finds the states of a machine that changes between calm and busy.
//!
//! [`threads`] measures on the threads of one machine; `mpi`, behind the feature of that name, on the ranks of an MPI
//! program, with clocks of different hosts brought together by [`clock`].

pub mod clock;
pub mod diagnose;
pub mod measured;
pub mod model_file;
pub mod modes;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod pilot;
pub mod plan;
pub mod series;
pub mod summary;
pub mod table;
pub mod threads;
pub mod windows;
pub mod work;

pub(crate) use diagnose::autocorrelation;
pub use diagnose::{Diagnostics, diagnose};
pub use plan::{Others, Plan};
pub use series::{Series, Subject};
pub use summary::Summary;
pub use table::{Kind, Row, Samples};
