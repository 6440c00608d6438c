//! One-time links that make the first administrator.
//!
//! A link works while no user has a password, and never again after one had: whatever gives a user a password deletes
//! all links in the same transaction. Making a link, redeeming it and giving out a password take one lock, so that
//! two of them never overlap.

use crate::database::{Database, Tx};
use crate::error::StoreError;
use crate::roles::SiteRole;
use crate::secret;
use crate::users::{self, User};

/// How long a link holds, in microseconds: an hour.
const HOLDS: i64 = 3600 * 1_000_000;

/// The lock of all that decides who comes in first.
const LOCK: i64 = 0x7275_6e63_6173_7402;

/// Makes a link (returns the token that it carries); earlier ones hold no longer. `None`: a user has a password already.
///
/// # Errors
/// The database is away.
pub async fn link(db: &Database) -> Result<Option<String>, StoreError> {
    let secret = secret::fresh();
    let mut tx = db.begin().await?;
    close(&mut tx).await?;
    if is_set_up(&mut tx).await? {
        tx.commit().await?;
        return Ok(None);
    }
    tx.execute(
        "INSERT INTO setup_links (token_hash, expires_at) VALUES ($1, {now} + $2)",
        &[secret::hash(&secret).into(), HOLDS.into()],
    )
    .await?;
    tx.commit().await?;
    Ok(Some(secret))
}

/// Whether a link holds at this moment; only [`redeem`] is sure.
///
/// # Errors
/// The database is away.
pub async fn holds(db: &Database, secret: &str) -> Result<bool, StoreError> {
    let statement = "SELECT expires_at FROM setup_links WHERE token_hash = $1 AND expires_at > {now}";
    Ok(db.read_one(statement, &[secret::hash(secret).into()]).await?.is_some())
}

/// Makes the first administrator and uses the link up. `None`: the link does not hold, or a user has a password.
///
/// # Errors
/// The name is taken, or the database is away; then the link still holds.
pub async fn redeem(db: &Database, secret: &str, name: &str, password_hash: &str) -> Result<Option<User>, StoreError> {
    let mut tx = db.begin().await?;
    tx.lock(LOCK).await?;
    let statement = "DELETE FROM setup_links WHERE token_hash = $1 AND expires_at > {now}";
    if tx.execute(statement, &[secret::hash(secret).into()]).await? == 0 {
        return Ok(None);
    }
    // Links that an earlier version left behind may be beside users.
    if is_set_up(&mut tx).await? {
        tx.commit().await?;
        return Ok(None);
    }
    let user = users::add_in(&mut tx, name, Some(password_hash), SiteRole::Administrator).await?;
    tx.commit().await?;
    Ok(Some(user))
}

/// Ends all links, in the transaction that gives a user a password. It comes before any other lock of the transaction.
pub(crate) async fn close(tx: &mut Tx) -> Result<(), StoreError> {
    tx.lock(LOCK).await?;
    tx.execute("DELETE FROM setup_links", &[]).await?;
    Ok(())
}

/// Whether a user has a password, disabled or not.
async fn is_set_up(tx: &mut Tx) -> Result<bool, StoreError> {
    let statement = "SELECT id FROM users WHERE password_hash IS NOT NULL LIMIT 1";
    Ok(tx.fetch_one(statement, &[]).await?.is_some())
}
