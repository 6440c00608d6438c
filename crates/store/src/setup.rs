//! One-time links by which the first administrator is made.

use crate::database::Database;
use crate::error::StoreError;
use crate::roles::SiteRole;
use crate::secret;
use crate::users::{self, User};

/// How long a link holds, in microseconds: an hour.
const HOLDS: i64 = 3600 * 1_000_000;

/// Makes a link (what it carries); earlier ones hold no longer.
///
/// # Errors
/// The database is away.
pub async fn link(db: &Database) -> Result<String, StoreError> {
    let secret = secret::fresh();
    let mut tx = db.begin().await?;
    tx.execute("DELETE FROM setup_links", &[]).await?;
    tx.execute(
        "INSERT INTO setup_links (token_hash, expires_at) VALUES ($1, {now} + $2)",
        &[secret::hash(&secret).into(), HOLDS.into()],
    )
    .await?;
    tx.commit().await?;
    Ok(secret)
}

/// Whether a link holds.
///
/// # Errors
/// The database is away.
pub async fn holds(db: &Database, secret: &str) -> Result<bool, StoreError> {
    let statement = "SELECT expires_at FROM setup_links WHERE token_hash = $1 AND expires_at > {now}";
    Ok(db.read_one(statement, &[secret::hash(secret).into()]).await?.is_some())
}

/// Makes the first administrator; the link is used up by it. `None`: it does not hold.
///
/// # Errors
/// The name is taken, or the database is away; then the link still holds.
pub async fn redeem(db: &Database, secret: &str, name: &str, password_hash: &str) -> Result<Option<User>, StoreError> {
    let mut tx = db.begin().await?;
    let statement = "DELETE FROM setup_links WHERE token_hash = $1 AND expires_at > {now}";
    if tx.execute(statement, &[secret::hash(secret).into()]).await? == 0 {
        return Ok(None);
    }
    let user = users::add_in(&mut tx, name, Some(password_hash), SiteRole::Administrator).await?;
    tx.commit().await?;
    Ok(Some(user))
}
