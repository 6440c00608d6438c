//! Requests that may be repeated: the same key and body get the same answer, for 24 hours.

use crate::database::{Database, Tx};
use crate::error::StoreError;
use crate::{Digest, Id};

/// How long an answer is kept, in microseconds.
const KEPT: i64 = 24 * 3600 * 1_000_000;

/// Which request it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub user: Id,
    /// The key that came with the request, with what it was asked of.
    pub key: String,
    pub body: Digest,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: i64,
    /// Where the new thing is.
    pub location: Option<String>,
    pub body: String,
}

/// The answer that the same request got before, if it is kept still.
///
/// # Errors
/// [`StoreError::State`] when the key was used with another body; the database is away.
pub async fn find(db: &Database, key: &Key) -> Result<Option<Answer>, StoreError> {
    let statement = "SELECT body_digest, status, location, answer FROM idempotency WHERE user_id = $1 \
                     AND idempotency_key = $2 AND created_at >= {now} - $3";
    let row = db.read_one(statement, &[(&key.user).into(), (&key.key).into(), KEPT.into()]).await?;
    row.map(|row| answer(&row, key)).transpose()
}

/// Stores an answer with its request, or returns the existing one.
///
/// # Errors
/// As for [`find`].
pub async fn keep_in(tx: &mut Tx, key: &Key, new: &Answer) -> Result<Option<Answer>, StoreError> {
    let statement = "INSERT INTO idempotency (user_id, idempotency_key, body_digest, status, location, answer, created_at) \
                     VALUES ($1, $2, $3, $4, $5, $6, {now}) ON CONFLICT (user_id, idempotency_key) DO UPDATE \
                     SET body_digest = excluded.body_digest, status = excluded.status, location = excluded.location, \
                     answer = excluded.answer, created_at = excluded.created_at \
                     WHERE idempotency.created_at < excluded.created_at - $7";
    let values = [
        (&key.user).into(),
        (&key.key).into(),
        (&key.body).into(),
        new.status.into(),
        new.location.clone().into(),
        (&new.body).into(),
        KEPT.into(),
    ];
    if tx.execute(statement, &values).await? > 0 {
        return Ok(None);
    }
    let statement = "SELECT body_digest, status, location, answer FROM idempotency WHERE user_id = $1 \
                     AND idempotency_key = $2";
    let row = tx.fetch_one(statement, &[(&key.user).into(), (&key.key).into()]).await?;
    row.map(|row| answer(&row, key)).transpose()
}

/// Forgets answers that are older than a day.
///
/// # Errors
/// The database is away.
pub async fn purge(db: &Database) -> Result<u64, StoreError> {
    db.write("DELETE FROM idempotency WHERE created_at < {now} - $1", &[KEPT.into()]).await
}

fn answer(row: &crate::Row, key: &Key) -> Result<Answer, StoreError> {
    if row.text("body_digest")? != key.body.as_str() {
        return Err(StoreError::State("this Idempotency-Key was used with another body".to_owned()));
    }
    Ok(Answer { status: row.int("status")?, location: row.maybe_text("location")?, body: row.text("answer")? })
}
