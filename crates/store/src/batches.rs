//! Batches: jobs that were launched together.

use crate::database::Database;
use crate::error::StoreError;
use crate::jobs::{self, State, id_of};
use crate::{Id, wakes};

#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub id: Id,
    pub project: Id,
    /// The id of who launched it.
    pub user: Id,
    /// The name of who launched it.
    pub created_by: String,
    /// When it was launched.
    pub created_at: i64,
    /// What the request was answered, JSON.
    pub answer: String,
    /// How many of its jobs are in each state, in the order of [`State::ALL`].
    pub counts: Vec<(State, i64)>,
}

/// A batch, with its counts.
///
/// # Errors
/// The database is away.
pub async fn get(db: &Database, id: &Id) -> Result<Option<Batch>, StoreError> {
    let statement = "SELECT b.*, u.name AS user_name FROM batches b JOIN users u ON u.id = b.user_id WHERE b.id = $1";
    let Some(row) = db.read_one(statement, &[id.into()]).await? else { return Ok(None) };
    let statement = "SELECT state, COUNT(*) AS n FROM jobs WHERE batch_id = $1 GROUP BY state";
    let counts = jobs::counted(&db.read(statement, &[id.into()]).await?)?;
    Ok(Some(Batch {
        id: id_of(row.text("id")?),
        project: id_of(row.text("project_id")?),
        user: id_of(row.text("user_id")?),
        created_by: row.text("user_name")?,
        created_at: row.int("created_at")?,
        answer: row.text("answer")?,
        counts,
    }))
}

/// The ids of its jobs that are there still, in their order.
///
/// # Errors
/// The database is away.
pub async fn jobs(db: &Database, id: &Id) -> Result<Vec<(i64, Id)>, StoreError> {
    let statement = "SELECT batch_index, id FROM jobs WHERE batch_id = $1 ORDER BY batch_index";
    let rows = db.read(statement, &[id.into()]).await?;
    rows.iter().map(|row| Ok((row.int("batch_index")?, id_of(row.text("id")?)))).collect()
}

/// Asks all its jobs to end.
///
/// # Errors
/// There is no such batch, or the database is away.
pub async fn cancel(db: &Database, id: &Id) -> Result<(), StoreError> {
    if get(db, id).await?.is_none() {
        return Err(StoreError::missing("batch", id.as_str()));
    }
    let statement = "SELECT id FROM jobs WHERE batch_id = $1 AND state IN ('queued', 'running') ORDER BY id";
    let open = db.read(statement, &[id.into()]).await?;
    // Not all in one transaction: workers and other requests get their turn in between.
    for chunk in open.chunks(100) {
        let mut tx = db.begin().await?;
        for row in chunk {
            match jobs::cancel_in(&mut tx, &id_of(row.text("id")?)).await {
                Ok(_) | Err(StoreError::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        tx.commit().await?;
    }
    db.wakes().tell(wakes::News { work: true, events: true });
    Ok(())
}
