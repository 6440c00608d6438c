//! Batches of jobs.

use super::jobs::Launch;
use crate::wire::trouble::Trouble;
use runcast_store::jobs::State;
use serde::{Deserialize, Serialize};

/// Jobs to be launched together.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"jobs": [{"argv": ["sim", "run", "experiments/heat.toml"]}], "atomic": true})))]
pub struct NewBatch {
    /// At most 10,000.
    #[cfg_attr(test, schema(max_items = 10_000, min_items = 1))]
    pub jobs: Vec<Launch>,
    /// Whether all are launched or none.
    #[serde(default = "yes")]
    pub atomic: bool,
}

fn yes() -> bool {
    true
}

/// What became of the jobs of a batch.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Batch {
    /// Its id.
    pub id: String,
    /// The jobs, in the order in which they were sent.
    pub jobs: Vec<BatchJob>,
    /// How many were launched.
    pub accepted: usize,
    /// How many were not.
    pub rejected: usize,
}

/// A job of a batch.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BatchJob {
    /// Its place, from 0.
    pub index: usize,
    /// Its id; null when it was rejected.
    #[cfg_attr(test, schema(required))]
    pub id: Option<String>,
    /// Why it was rejected.
    #[cfg_attr(test, schema(required))]
    pub problem: Option<Trouble>,
}

/// How far a batch is.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BatchStatus {
    /// Its id.
    pub id: String,
    /// The name of its project.
    pub project: String,
    /// Who launched it.
    pub created_by: String,
    /// When.
    #[cfg_attr(test, schema(format = DateTime))]
    pub created_at: String,
    /// Its jobs.
    pub total: i64,
    /// Jobs by state.
    pub counts: StateCounts,
}

/// Jobs by state.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct StateCounts {
    /// Those that wait.
    pub queued: i64,
    /// Those that run.
    pub running: i64,
    /// Those that ended well.
    pub succeeded: i64,
    /// Those that failed.
    pub failed: i64,
    /// Those that were cancelled.
    pub cancelled: i64,
}

impl StateCounts {
    /// Counts by state.
    pub fn of(counts: &[(State, i64)]) -> Self {
        let mut all = StateCounts::default();
        for (state, count) in counts {
            match state {
                State::Queued => all.queued += count,
                State::Running => all.running += count,
                State::Succeeded => all.succeeded += count,
                State::Failed => all.failed += count,
                State::Cancelled => all.cancelled += count,
            }
        }
        all
    }

    /// All together.
    pub fn total(&self) -> i64 {
        self.queued + self.running + self.succeeded + self.failed + self.cancelled
    }
}
