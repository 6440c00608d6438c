//! Processes that take tasks.

use crate::wire::time;
use runcast_store::workers;
use serde::Serialize;

/// A process that takes tasks.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Worker {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `server` (a part of a server), `worker`, `slurm`.
    pub kind: String,
    /// The machine.
    pub host: String,
    /// The process on it.
    pub pid: i64,
    /// How much of the sandbox is in force there: `full`, `partial`, `limits`.
    pub sandbox: String,
    /// Tasks it takes at once.
    pub slots: i64,
    /// Tasks it has now.
    pub running: i64,
    /// When it began.
    #[cfg_attr(test, schema(format = DateTime))]
    pub started_at: String,
    /// When it was heard of last.
    #[cfg_attr(test, schema(format = DateTime))]
    pub seen_at: String,
}

impl From<workers::Worker> for Worker {
    fn from(worker: workers::Worker) -> Self {
        let about = worker.about;
        Worker {
            id: worker.id.to_string(),
            name: about.name,
            kind: about.kind,
            host: about.host,
            pid: about.pid,
            sandbox: about.sandbox,
            slots: about.slots,
            running: worker.running,
            started_at: time::shown(worker.started_at),
            seen_at: time::shown(worker.seen_at),
        }
    }
}
