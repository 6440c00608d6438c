//! Limits of a task.

use super::ending::Code;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Limits of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    pub memory_bytes: u64,
    /// Seconds of processor time.
    pub cpu_s: u64,
    /// Time on the wall, in milliseconds.
    pub wall_ms: u64,
    /// Bytes of everything that it gives.
    pub output_bytes: u64,
    /// Threads that compute.
    pub threads: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { memory_bytes: 2 << 30, cpu_s: 600, wall_ms: 1_200_000, output_bytes: 64 << 20, threads: 1 }
    }
}

impl Limits {
    /// Time on the wall.
    pub fn wall(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }

    /// The limit that an outcome is about.
    pub fn shown(&self, code: Code) -> Option<String> {
        match code {
            Code::LimitMemory => Some(format!("{} bytes of memory", self.memory_bytes)),
            Code::LimitCpu => Some(format!("{} s of processor time", self.cpu_s)),
            Code::LimitWall => Some(format!("{} s", self.wall().as_secs_f64())),
            Code::LimitOutput => Some(format!("{} bytes of output", self.output_bytes)),
            _ => None,
        }
    }

    /// As a job stores them: `{"memory_bytes","cpu_s","wall_s","output_bytes"}`; what is not there is as usual.
    pub fn of_job(stored: &serde_json::Value) -> Limits {
        let usual = Limits::default();
        let of = |name: &str, usual: u64| stored.get(name).and_then(serde_json::Value::as_u64).unwrap_or(usual);
        Limits {
            memory_bytes: of("memory_bytes", usual.memory_bytes),
            cpu_s: of("cpu_s", usual.cpu_s),
            wall_ms: of("wall_s", usual.wall_ms / 1000).saturating_mul(1000),
            output_bytes: of("output_bytes", usual.output_bytes),
            threads: usual.threads,
        }
    }
}
