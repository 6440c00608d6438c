//! Contents, each once, under its digest.

use crate::database::{Database, Tx};
use crate::digest::Digest;
use crate::error::StoreError;

/// Contents that nothing refers to stay this long: a request may be about to refer to them.
const SPARED_US: i64 = 3_600_000_000;

/// Stores bytes, if they are not there yet, in a transaction that goes on to refer to them.
///
/// # Errors
/// The database is away or full.
pub async fn put_in(tx: &mut Tx, digest: &Digest, bytes: &[u8]) -> Result<(), StoreError> {
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    // The conflict locks the row, so that `collect` cannot take it before the reference to it is there; its time is
    // renewed rarely, since that writes all of the row.
    tx.execute(
        "INSERT INTO blobs (digest, size, bytes, created_at) VALUES ($1, $2, $3, {now}) \
         ON CONFLICT (digest) DO UPDATE SET created_at = {now} WHERE blobs.created_at < {now} - 1800000000",
        &[digest.into(), size.into(), bytes.into()],
    )
    .await?;
    Ok(())
}

/// Stores bytes: their digest. What nothing refers to for an hour is collected.
///
/// # Errors
/// The database is away or full.
pub async fn put(database: &Database, bytes: &[u8]) -> Result<Digest, StoreError> {
    let digest = Digest::of(bytes);
    let mut tx = database.begin().await?;
    put_in(&mut tx, &digest, bytes).await?;
    tx.commit().await?;
    Ok(digest)
}

/// The bytes of this digest.
///
/// # Errors
/// [`StoreError::Missing`], or the database is away.
pub async fn get(database: &Database, digest: &Digest) -> Result<Vec<u8>, StoreError> {
    let row = database.read_one("SELECT bytes FROM blobs WHERE digest = $1", &[digest.into()]).await?;
    row.ok_or_else(|| StoreError::missing("content", digest.as_str()))?.bytes("bytes")
}

/// Deletes contents that nothing refers to any more: how many there were.
///
/// # Errors
/// The database is away.
pub async fn collect(database: &Database) -> Result<u64, StoreError> {
    collect_older(database, SPARED_US).await
}

pub(crate) async fn collect_older(database: &Database, age_us: i64) -> Result<u64, StoreError> {
    database
        .write(
            "DELETE FROM blobs WHERE created_at <= {now} - $1 \
             AND NOT EXISTS (SELECT 1 FROM files r WHERE r.digest = blobs.digest) \
             AND NOT EXISTS (SELECT 1 FROM versions r WHERE r.digest = blobs.digest) \
             AND NOT EXISTS (SELECT 1 FROM job_files r WHERE r.digest = blobs.digest) \
             AND NOT EXISTS (SELECT 1 FROM share_links r WHERE r.digest = blobs.digest) \
             AND NOT EXISTS (SELECT 1 FROM outputs r WHERE r.digest = blobs.digest)",
            &[age_us.into()],
        )
        .await
}
