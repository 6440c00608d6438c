//! Links by which people without an account see one result or report. Only the hashes of their tokens are kept.
//!
//! A link shows the page that was made with it, and ends at its time, when it is revoked, with its project or its
//! result, and with the right of its maker to change the project.

use crate::blobs;
use crate::database::{Database, Row};
use crate::digest::Digest;
use crate::error::StoreError;
use crate::id::Id;
use crate::jobs::id_of;
use crate::secret;

/// A link, without what only its holders know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    pub id: Id,
    pub project: Id,
    /// The id of its maker.
    pub user: Id,
    /// The name of its maker.
    pub created_by: String,
    /// `job:ID`, or the path of a report.
    pub target: String,
    /// Of the report; 0 for a result.
    pub version: i64,
    pub title: String,
    /// Microseconds since 1970, as the other times.
    pub created_at: i64,
    pub expires_at: i64,
}

/// A link to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewShare<'a> {
    pub project: &'a Id,
    pub user: &'a Id,
    /// The result, if it is one.
    pub job: Option<&'a Id>,
    pub target: &'a str,
    pub version: i64,
    pub title: &'a str,
    /// What is seen: HTML.
    pub page: &'a [u8],
    /// How long it holds, in seconds.
    pub seconds: i64,
}

/// A `SELECT` of links that ends as the caller wants.
macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT s.id, s.project_id, s.user_id, u.name AS user_name, s.target, s.version, s.title, s.created_at, \
             s.expires_at FROM share_links s JOIN users u ON u.id = s.user_id ",
            $tail
        )
    };
}

/// Makes a link: what stands in its address, shown this once, and what the store keeps.
///
/// # Errors
/// The database is away or full.
pub async fn add(db: &Database, new: &NewShare<'_>) -> Result<(String, Share), StoreError> {
    let (token, id, digest) = (secret::fresh(), Id::new(), Digest::of(new.page));
    let mut tx = db.begin().await?;
    blobs::put_in(&mut tx, &digest, new.page).await?;
    tx.execute(
        "INSERT INTO share_links (id, project_id, user_id, job_id, token_hash, target, version, title, digest, created_at, \
         expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now}, {now} + $10)",
        &[
            (&id).into(),
            new.project.into(),
            new.user.into(),
            new.job.map(|job| job.as_str().to_owned()).into(),
            secret::hash(&token).into(),
            new.target.into(),
            new.version.into(),
            new.title.into(),
            (&digest).into(),
            new.seconds.saturating_mul(1_000_000).into(),
        ],
    )
    .await?;
    let row = tx.fetch_one(select!("WHERE s.id = $1"), &[(&id).into()]).await?;
    let kept = row.as_ref().map(share).transpose()?.ok_or_else(|| missing(id.as_str()))?;
    tx.commit().await?;
    Ok((token, kept))
}

/// Links of a project that hold, the newest first, from below the id `before`.
///
/// # Errors
/// The database is away.
pub async fn list(db: &Database, project: &Id, before: Option<&Id>, limit: i64) -> Result<Vec<Share>, StoreError> {
    // No id begins with a letter.
    let before = before.map_or("Z", Id::as_str);
    let statement =
        select!("WHERE s.project_id = $1 AND s.id < $2 AND s.expires_at > {now} ORDER BY s.id DESC LIMIT $3");
    db.read(statement, &[project.into(), before.into(), limit.into()]).await?.iter().map(share).collect()
}

/// A link that was made, by its id.
///
/// # Errors
/// The database is away.
pub async fn get(db: &Database, id: &Id) -> Result<Option<Share>, StoreError> {
    db.read_one(select!("WHERE s.id = $1"), &[id.into()]).await?.as_ref().map(share).transpose()
}

/// Revokes a link.
///
/// # Errors
/// There is no such link, or the database is away.
pub async fn revoke(db: &Database, id: &Id) -> Result<(), StoreError> {
    let gone = db.write("DELETE FROM share_links WHERE id = $1", &[id.into()]).await?;
    if gone == 0 { Err(missing(id.as_str())) } else { Ok(()) }
}

/// The page of a link that holds; nothing tells why another does not.
///
/// # Errors
/// The database is away.
pub async fn open(db: &Database, token: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let row = db
        .read_one(
            "SELECT b.bytes AS bytes FROM share_links s JOIN blobs b ON b.digest = s.digest \
             JOIN users u ON u.id = s.user_id \
             LEFT JOIN members m ON m.project_id = s.project_id AND m.user_id = s.user_id \
             WHERE s.token_hash = $1 AND s.expires_at > {now} AND u.disabled = 0 AND (u.role = 'administrator' \
             OR (u.role = 'author' AND m.role IN ('author', 'owner')))",
            &[secret::hash(token).into()],
        )
        .await?;
    row.map(|row| row.bytes("bytes")).transpose()
}

/// Forgets links whose time is over: how many there were.
///
/// # Errors
/// The database is away.
pub async fn purge(db: &Database) -> Result<u64, StoreError> {
    db.write("DELETE FROM share_links WHERE expires_at <= {now}", &[]).await
}

fn missing(id: &str) -> StoreError {
    StoreError::missing("link", id)
}

fn share(row: &Row) -> Result<Share, StoreError> {
    Ok(Share {
        id: id_of(row.text("id")?),
        project: id_of(row.text("project_id")?),
        user: id_of(row.text("user_id")?),
        created_by: row.text("user_name")?,
        target: row.text("target")?,
        version: row.int("version")?,
        title: row.text("title")?,
        created_at: row.int("created_at")?,
        expires_at: row.int("expires_at")?,
    })
}
