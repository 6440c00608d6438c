//! Actions of administrators in projects of others, and with users.

use crate::database::{Database, Row};
use crate::error::StoreError;

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: i64,
    /// Microseconds since 1970.
    pub at: i64,
    pub user: String,
    /// The action, such as `DELETE /api/v1/projects/demo`.
    pub action: String,
    pub project: Option<String>,
    /// More about it.
    pub detail: String,
}

/// Notes what a user did.
///
/// # Errors
/// The database is away.
pub async fn add(
    db: &Database,
    user: &str,
    action: &str,
    project: Option<&str>,
    detail: &str,
) -> Result<(), StoreError> {
    db.write(
        "INSERT INTO audit (at, user_name, action, project, detail) VALUES ({now}, $1, $2, $3, $4)",
        &[user.into(), action.into(), project.map(str::to_owned).into(), detail.into()],
    )
    .await
    .map(|_| ())
}

/// Notes the same once an hour only.
///
/// # Errors
/// The database is away.
pub async fn add_hourly(db: &Database, user: &str, action: &str, project: &str) -> Result<(), StoreError> {
    let known = db
        .read_one(
            "SELECT id FROM audit WHERE user_name = $1 AND action = $2 AND project = $3 AND at > {now} - 3600000000 \
             LIMIT 1",
            &[user.into(), action.into(), project.into()],
        )
        .await?;
    if known.is_some() { Ok(()) } else { add(db, user, action, Some(project), "").await }
}

/// Entries, the newest first, beginning before this number.
///
/// # Errors
/// The database is away.
pub async fn list(db: &Database, before: i64, limit: i64) -> Result<Vec<Entry>, StoreError> {
    let statement = "SELECT id, at, user_name, action, project, detail FROM audit WHERE id < $1 \
                     ORDER BY id DESC LIMIT $2";
    db.read(statement, &[before.into(), limit.into()]).await?.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<Entry, StoreError> {
    Ok(Entry {
        id: row.int("id")?,
        at: row.int("at")?,
        user: row.text("user_name")?,
        action: row.text("action")?,
        project: row.maybe_text("project")?,
        detail: row.text("detail")?,
    })
}
