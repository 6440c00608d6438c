//! How a task ended.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a task ended, if not well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The input or the usage is wrong: exit code 2.
    Input,
    /// It could not be done: exit code 1.
    Failed,
    /// More memory than allowed.
    LimitMemory,
    /// More processor time than allowed.
    LimitCpu,
    /// More time than allowed.
    LimitWall,
    /// More output than allowed.
    LimitOutput,
    /// A signal that is no limit.
    Crashed,
    /// The worker is gone.
    WorkerLost,
    /// A user stopped it.
    Cancelled,
}

impl Code {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Code::Input => "input",
            Code::Failed => "failed",
            Code::LimitMemory => "limit_memory",
            Code::LimitCpu => "limit_cpu",
            Code::LimitWall => "limit_wall",
            Code::LimitOutput => "limit_output",
            Code::Crashed => "crashed",
            Code::WorkerLost => "worker_lost",
            Code::Cancelled => "cancelled",
        }
    }

    /// One sentence for people.
    pub fn message(self) -> &'static str {
        match self {
            Code::Input => "the input or the options are wrong",
            Code::Failed => "it could not be done",
            Code::LimitMemory => "it took more memory than is allowed",
            Code::LimitCpu => "it took more processor time than is allowed",
            Code::LimitWall => "it took longer than is allowed",
            Code::LimitOutput => "it gave more output than is allowed",
            Code::Crashed => "its process crashed",
            Code::WorkerLost => "its worker was lost",
            Code::Cancelled => "it was stopped",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
