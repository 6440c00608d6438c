//! Sessions of browsers. Only the hash of what the cookie holds is kept.

use crate::database::{Database, Value};
use crate::error::StoreError;
use crate::id::Id;
use crate::roles::SiteRole;
use crate::secret;
use crate::users::id_of;

/// A session that was not used for this long is over, in microseconds: 12 hours.
const IDLE: i64 = 12 * 3600 * 1_000_000;
/// The longest session, in microseconds: 7 days.
const LONGEST: i64 = 7 * 24 * 3600 * 1_000_000;
/// How often it is noted that a session is used, in microseconds: once a minute.
const NOTED: i64 = 60 * 1_000_000;

/// A session that holds, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// What the store keeps of the cookie.
    pub hash: Vec<u8>,
    pub user: Id,
    pub name: String,
    /// What they may do at the site.
    pub role: SiteRole,
    /// Whether they have a password.
    pub has_password: bool,
    /// What unsafe requests must repeat.
    pub csrf: String,
}

/// Begins a session: what goes into the cookie. Sessions that are over are cleared away.
///
/// # Errors
/// The database is away.
pub async fn begin(db: &Database, user: &Id) -> Result<(String, Session), StoreError> {
    let (cookie, csrf) = (secret::fresh(), secret::fresh());
    let mut tx = db.begin().await?;
    tx.execute("DELETE FROM sessions WHERE expires_at < {now} OR seen_at < {now} - $1", &[IDLE.into()]).await?;
    tx.execute(
        "INSERT INTO sessions (token_hash, user_id, csrf, created_at, seen_at, expires_at) \
         VALUES ($1, $2, $3, {now}, {now}, {now} + $4)",
        &[secret::hash(&cookie).into(), user.into(), csrf.into(), LONGEST.into()],
    )
    .await?;
    tx.commit().await?;
    let session = find(db, &cookie).await?.ok_or_else(|| StoreError::missing("user", user.as_str()))?;
    Ok((cookie, session))
}

/// The session of a cookie, while it holds and its user is not kept out.
///
/// # Errors
/// The database is away.
pub async fn find(db: &Database, cookie: &str) -> Result<Option<Session>, StoreError> {
    let hash = secret::hash(cookie);
    let row = db
        .read_one(
            "SELECT s.csrf, u.id, u.name, u.role, \
             CAST(CASE WHEN s.seen_at + $3 < {now} THEN 1 ELSE 0 END AS {int}) AS stale, \
             CAST(CASE WHEN u.password_hash IS NULL THEN 0 ELSE 1 END AS {int}) AS has_password \
             FROM sessions s JOIN users u ON u.id = s.user_id \
             WHERE s.token_hash = $1 AND s.expires_at > {now} AND s.seen_at > {now} - $2 AND u.disabled = 0",
            &[hash.clone().into(), IDLE.into(), NOTED.into()],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    if row.yes("stale")? {
        db.write("UPDATE sessions SET seen_at = {now} WHERE token_hash = $1", &[hash.clone().into()]).await?;
    }
    let user = id_of(&row, "id")?;
    let (name, csrf) = (row.text("name")?, row.text("csrf")?);
    let role = SiteRole::stored(&row.text("role")?)?;
    Ok(Some(Session { hash, user, name, role, has_password: row.yes("has_password")?, csrf }))
}

/// Ends a session.
///
/// # Errors
/// The database is away.
pub async fn end(db: &Database, hash: &[u8]) -> Result<(), StoreError> {
    db.write("DELETE FROM sessions WHERE token_hash = $1", &[hash.into()]).await.map(|_| ())
}

/// Ends all sessions of a user, but one.
///
/// # Errors
/// The database is away.
pub async fn end_all(db: &Database, user: &Id, but: Option<&[u8]>) -> Result<(), StoreError> {
    let but = Value::Bytes(Some(but.unwrap_or_default().to_owned()));
    db.write("DELETE FROM sessions WHERE user_id = $1 AND token_hash <> $2", &[user.into(), but]).await.map(|_| ())
}
