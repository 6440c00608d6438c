//! The process of a task: it gets frozen files through a pipe, and nothing else.
//!
//! ```text
//! Launcher  finds out once, with a trial child, which sandbox this machine gives
//! Process   outside: starts a child of our own executable, hands it the work, watches its limits, collects its outcome
//! root      a process kept ready, whose forks are these children where the sandbox is in full force
//! child     inside: takes the work, gives up all rights, computes, reports what came of it
//! protocol  what the two say to one another; the outside believes nothing that it hears
//! ```
//!
//! A script is assumed to own its process: the child has no environment, no descriptors but three pipes, no file, no
//! socket, no new process, and dies with who started it.

pub mod child;
mod ending;
mod launcher;
mod limits;
mod outcome;
mod process;
mod protocol;
#[cfg(target_os = "linux")]
pub mod root;
mod sandbox;
mod sys;

pub use ending::Code;
pub use launcher::{Launcher, Sandbox};
pub use limits::Limits;
pub use outcome::{Event, Outcome, PointRow};
pub use process::{Process, Spec, Stop};
pub use protocol::{Probed, Work};
pub use sys::give_back;
