//! Settings of a project, as JSON by name.

use crate::database::{Database, Tx};
use crate::error::StoreError;
use crate::id::Id;
use crate::jobs::json;
use serde_json::Value;

/// A setting of a project; none: it has its default.
///
/// # Errors
/// The database is away.
pub async fn get(db: &Database, project: &Id, name: &str) -> Result<Option<Value>, StoreError> {
    let statement = "SELECT value FROM project_settings WHERE project_id = $1 AND name = $2";
    let row = db.read_one(statement, &[project.into(), name.into()]).await?;
    row.map(|row| json(&row.text("value")?)).transpose()
}

/// What is changed to what.
const PUT: &str = "INSERT INTO project_settings (project_id, name, value) VALUES ($1, $2, $3) \
                   ON CONFLICT (project_id, name) DO UPDATE SET value = excluded.value";

/// Changes a setting of a project.
///
/// # Errors
/// The database is away.
pub async fn put(db: &Database, project: &Id, name: &str, value: &Value) -> Result<(), StoreError> {
    db.write(PUT, &[project.into(), name.into(), value.to_string().into()]).await.map(|_| ())
}

/// The same within a transaction.
///
/// # Errors
/// The database is away.
pub(crate) async fn put_in(tx: &mut Tx, project: &Id, name: &str, value: &Value) -> Result<(), StoreError> {
    tx.execute(PUT, &[project.into(), name.into(), value.to_string().into()]).await.map(|_| ())
}
