//! Workers: processes, or parts of a server, that claim tasks.

use crate::Id;
use crate::database::Database;
use crate::error::StoreError;
use crate::jobs::id_of;

/// A worker that comes.
#[derive(Debug, Clone)]
pub struct NewWorker {
    pub name: String,
    /// `server` (in-process), `worker`, `slurm`.
    pub kind: String,
    /// The machine it is on.
    pub host: String,
    /// The process it is in.
    pub pid: i64,
    /// Of in-process workers: the server they belong to, the same after a restart.
    pub server: Option<String>,
    /// `full`, `partial`, `limits`.
    pub sandbox: String,
    /// Tasks it runs at once.
    pub slots: i64,
}

/// A worker that is there.
#[derive(Debug, Clone)]
pub struct Worker {
    pub id: Id,
    /// What it said of itself.
    pub about: NewWorker,
    pub started_at: i64,
    /// When it was heard of last.
    pub seen_at: i64,
    /// Tasks that it runs.
    pub running: i64,
}

/// Makes a worker known: its id, new with each start.
///
/// # Errors
/// The database is away.
pub async fn register(db: &Database, new: &NewWorker) -> Result<Id, StoreError> {
    let id = Id::new();
    let statement = "INSERT INTO workers (id, name, kind, host, pid, server, sandbox, slots, started_at, seen_at) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, {now}, {now})";
    let values = [
        (&id).into(),
        (&new.name).into(),
        (&new.kind).into(),
        (&new.host).into(),
        new.pid.into(),
        new.server.clone().into(),
        (&new.sandbox).into(),
        new.slots.into(),
    ];
    db.write(statement, &values).await?;
    Ok(id)
}

/// Forgets a worker that goes.
///
/// # Errors
/// The database is away.
pub async fn remove(db: &Database, id: &Id) -> Result<(), StoreError> {
    db.write("DELETE FROM workers WHERE id = $1", &[id.into()]).await.map(|_| ())
}

/// All workers, the oldest first.
///
/// # Errors
/// The database is away.
pub async fn list(db: &Database) -> Result<Vec<Worker>, StoreError> {
    let statement = "SELECT w.*, (SELECT COUNT(*) FROM tasks t WHERE t.worker_id = w.id AND t.state = 'running') \
                     AS running FROM workers w ORDER BY id";
    let worker = |row: &crate::Row| {
        Ok(Worker {
            id: id_of(row.text("id")?),
            about: NewWorker {
                name: row.text("name")?,
                kind: row.text("kind")?,
                host: row.text("host")?,
                pid: row.int("pid")?,
                server: row.maybe_text("server")?,
                sandbox: row.text("sandbox")?,
                slots: row.int("slots")?,
            },
            started_at: row.int("started_at")?,
            seen_at: row.int("seen_at")?,
            running: row.int("running")?,
        })
    };
    db.read(statement, &[]).await?.iter().map(worker).collect()
}

/// Forgets workers that have no task and were not heard of for an hour.
///
/// # Errors
/// The database is away.
pub async fn purge(db: &Database) -> Result<u64, StoreError> {
    let statement = "DELETE FROM workers WHERE seen_at < {now} - $1 AND id NOT IN \
                     (SELECT worker_id FROM tasks WHERE state = 'running' AND worker_id IS NOT NULL)";
    db.write(statement, &[3_600_000_000_i64.into()]).await
}
