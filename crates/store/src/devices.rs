//! Browsers that users have logged in from. Only the hash of what the cookie holds is kept.

use crate::database::Database;
use crate::error::StoreError;
use crate::id::Id;
use crate::secret;

/// How long a device is known after a login, in microseconds: 90 days.
const KEPT: i64 = 90 * 24 * 3600 * 1_000_000;

/// Whether the user of this name has logged in from the device of a cookie.
///
/// # Errors
/// The database is away.
pub async fn is_known(db: &Database, cookie: &str, name: &str) -> Result<bool, StoreError> {
    let statement = "SELECT 1 AS one FROM devices d JOIN users u ON u.id = d.user_id \
                     WHERE d.token_hash = $1 AND LOWER(u.name) = $2 AND d.expires_at > {now}";
    let values = [secret::hash(cookie).into(), name.to_lowercase().into()];
    db.read_one(statement, &values).await.map(|row| row.is_some())
}

/// Notes that a user has logged in from a device: what its cookie holds. It is what the device came with, if anyone has
/// logged in from it, or new. Devices that are over are cleared away.
///
/// # Errors
/// The database is away.
pub async fn note(db: &Database, cookie: Option<&str>, user: &Id) -> Result<String, StoreError> {
    let mut tx = db.begin().await?;
    tx.execute("DELETE FROM devices WHERE expires_at < {now}", &[]).await?;
    let known = match cookie {
        None => None,
        Some(cookie) => {
            let statement = "SELECT 1 AS one FROM devices WHERE token_hash = $1 LIMIT 1";
            tx.fetch_one(statement, &[secret::hash(cookie).into()]).await?.map(|_| cookie.to_owned())
        }
    };
    let cookie = known.unwrap_or_else(secret::fresh);
    tx.execute(
        "INSERT INTO devices (token_hash, user_id, expires_at) VALUES ($1, $2, {now} + $3) \
         ON CONFLICT (token_hash, user_id) DO UPDATE SET expires_at = excluded.expires_at",
        &[secret::hash(&cookie).into(), user.into(), KEPT.into()],
    )
    .await?;
    tx.commit().await?;
    Ok(cookie)
}
