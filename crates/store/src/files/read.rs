//! What is there.

use super::{FILE, File, Frozen, Version, file, key, version_of};
use crate::blobs;
use crate::database::{Database, Row};
use crate::digest::Digest;
use crate::error::StoreError;
use crate::id::Id;
use std::borrow::Cow;

/// The file of this path.
///
/// # Errors
/// The database is away.
pub async fn get(database: &Database, project: &Id, path: &str) -> Result<Option<File>, StoreError> {
    let statement = format!("SELECT {FILE} FROM files WHERE project_id = $1 AND path_key = $2");
    let rows = database.read_text(Cow::Owned(statement), &[project.into(), key(path).into()]).await?;
    Ok(rows.first().map(file).transpose()?.filter(|file| file.path == path))
}

/// The file of this path, with its bytes.
///
/// # Errors
/// [`StoreError::Missing`], or the database is away.
pub async fn read(database: &Database, project: &Id, path: &str) -> Result<(File, Vec<u8>), StoreError> {
    let found = get(database, project, path).await?;
    let found = found.ok_or_else(|| StoreError::missing("file", path))?;
    let bytes = blobs::get(database, &found.digest).await?;
    Ok((found, bytes))
}

/// A version of a path; also of one that was deleted.
///
/// # Errors
/// [`StoreError::Missing`], or the database is away.
pub async fn version(database: &Database, project: &Id, path: &str, number: i64) -> Result<Version, StoreError> {
    let row = database
        .read_one(
            "SELECT path, version, digest, size, message, created_at, created_by FROM versions \
             WHERE project_id = $1 AND path_key = $2 AND version = $3",
            &[project.into(), key(path).into(), number.into()],
        )
        .await?;
    version_of(&row.ok_or_else(|| StoreError::missing("version", format!("{number} of {path}")))?)
}

/// Versions of a path, the newest first, below the number `before`.
///
/// # Errors
/// The database is away.
pub async fn versions(
    database: &Database,
    project: &Id,
    path: &str,
    before: i64,
    limit: i64,
) -> Result<Vec<Version>, StoreError> {
    let rows = database
        .read(
            "SELECT path, version, digest, size, message, created_at, created_by FROM versions \
             WHERE project_id = $1 AND path_key = $2 AND version < $3 ORDER BY version DESC LIMIT $4",
            &[project.into(), key(path).into(), before.into(), limit.into()],
        )
        .await?;
    rows.iter().map(version_of).collect()
}

/// The newest jobs of the project that froze this version of a path.
///
/// # Errors
/// The database is away.
pub async fn versions_used(
    database: &Database,
    project: &Id,
    version: &Version,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let rows = database
        .read(
            "SELECT f.job_id AS job_id FROM job_files f JOIN jobs j ON j.id = f.job_id \
             WHERE f.digest = $1 AND j.project_id = $2 AND f.version = $3 AND LOWER(f.path) = $4 \
             ORDER BY f.job_id DESC LIMIT $5",
            &[
                (&version.digest).into(),
                project.into(),
                version.version.into(),
                key(&version.path).into(),
                limit.into(),
            ],
        )
        .await?;
    rows.iter().map(|row| row.text("job_id")).collect()
}

/// All files as they are now, in the order of their paths: what a job may freeze.
///
/// # Errors
/// The database is away.
pub async fn frozen(database: &Database, project: &Id) -> Result<Vec<Frozen>, StoreError> {
    let rows = database
        .read(
            "SELECT path, kind, version, digest, size FROM files WHERE project_id = $1 ORDER BY path_key",
            &[project.into()],
        )
        .await?;
    let frozen = |row: &Row| {
        Ok(Frozen {
            path: row.text("path")?,
            kind: row.text("kind")?,
            version: row.int("version")?,
            digest: Digest::from_text(row.text("digest")?),
            size: row.int("size")?,
        })
    };
    rows.iter().map(frozen).collect()
}

/// All files of a kind, in the order of their paths.
///
/// # Errors
/// The database is away.
pub async fn of_kind(database: &Database, project: &Id, kind: &str) -> Result<Vec<File>, StoreError> {
    let statement = format!("SELECT {FILE} FROM files WHERE project_id = $1 AND kind = $2 ORDER BY path_key");
    let rows = database.read_text(Cow::Owned(statement), &[project.into(), kind.into()]).await?;
    rows.iter().map(file).collect()
}
