//! The queue: claims in fair order, leases, results, retries.
//!
//! ```text
//! claim       queued -> running: attempt + 1, worker, lease_until        lane, task, job
//! heartbeat   lease_until = now + lease, while it is still mine
//! store       points that are absent, while it is still mine             task, job
//! finish      running -> terminal, or queued again after a crash         lane, task, job
//! expire      running, lease over -> queued, or failed after five        lane, task, job
//! turn        several ends, then the next claims                         as these, each in the order of their keys
//! ```
//!
//! Each is one transaction, and locks in the order above, so that two never wait for each other. A lane is the part of
//! the queue that belongs to one user: how many tasks of theirs can be claimed and how many run, so that the fair order
//! counts nothing, however long the queue is.
//!
//! *Mine* means: this task, this attempt, this worker, and running. A worker that was frozen and comes back is none of it.

mod claim;
mod finish;
pub(crate) mod lanes;
mod lease;
mod postgres;
pub(crate) mod settle;
mod sqlite;
mod store;
mod turn;

pub use claim::{Claim, claim};
pub use finish::{Ending, Finish, finish};
pub use lease::{Expired, Verdict, expire, give_back, heartbeat, look, recover};
pub use store::{PointRecord, log, store};
pub use turn::{MOST_AT_ONCE, Turned, turn};

use crate::Id;
use crate::database::Value;

/// A task that a worker has claimed: the fence that each of its writes names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Held {
    pub worker: Id,
    pub job: Id,
    /// The task's number in the job, from 1.
    pub number: i64,
    pub attempt: i64,
}

/// The condition that a task is still mine, on the first four values of [`Held::values`].
macro_rules! mine {
    () => {
        "job_id = $1 AND number = $2 AND attempt = $3 AND worker_id = $4 AND state = 'running'"
    };
}
pub(crate) use mine;

impl Held {
    fn values(&self) -> [Value; 4] {
        [(&self.job).into(), self.number.into(), self.attempt.into(), (&self.worker).into()]
    }
}

/// Seconds to wait before the next attempt after this many lost or crashed ones: 0, 1, 5, then 30.
fn wait_after(tries: i64) -> i64 {
    match tries {
        ..=1 => 0,
        2 => 1,
        3 => 5,
        _ => 30,
    }
}

const SECOND: i64 = 1_000_000;
/// Attempts that may be lost in a row without a new point.
const MOST_LOSSES: i64 = 5;
/// Attempts that may crash.
const MOST_CRASHES: i64 = 3;

fn microseconds(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
