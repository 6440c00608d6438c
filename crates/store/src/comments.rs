//! What people say of results and files.

use crate::database::{Database, Row, Tx};
use crate::error::StoreError;
use crate::events::{self, NewEvent};
use crate::id::Id;
use crate::jobs::id_of;
use serde_json::json;

/// A comment, or a reply to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    pub id: Id,
    pub project: Id,
    /// The id of its author.
    pub user: Id,
    /// The name of its author.
    pub author: String,
    /// The comment that it replies to.
    pub reply_to: Option<Id>,
    /// `job:ID`, or a path.
    pub target: String,
    /// Where in it: a point, a line, a part; empty: all of it.
    pub anchor: String,
    /// Of the file that it was written about.
    pub digest: Option<String>,
    pub text: String,
    /// Microseconds since 1970, as the other times.
    pub created_at: i64,
    pub edited_at: Option<i64>,
    pub resolved_at: Option<i64>,
}

/// A comment to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewComment<'a> {
    pub project: &'a Id,
    pub user: &'a Id,
    /// The result, if it is about one.
    pub job: Option<&'a Id>,
    pub reply_to: Option<&'a Id>,
    pub target: &'a str,
    pub anchor: &'a str,
    pub digest: Option<&'a str>,
    pub text: &'a str,
}

/// A change of a comment; what is absent stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Change<'a> {
    pub text: Option<&'a str>,
    pub resolved: Option<bool>,
}

/// A `SELECT` of comments that ends as the caller wants.
macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT c.id, c.project_id, c.user_id, u.name AS user_name, c.reply_to, c.target, c.anchor, c.digest, c.text, \
             c.created_at, c.edited_at, c.resolved_at FROM comments c JOIN users u ON u.id = c.user_id ",
            $tail
        )
    };
}

/// Writes a comment.
///
/// # Errors
/// The database is away or full.
pub async fn add(db: &Database, new: &NewComment<'_>) -> Result<Comment, StoreError> {
    let id = Id::new();
    let mut tx = db.begin().await?;
    tx.execute(
        "INSERT INTO comments (id, project_id, user_id, job_id, reply_to, target, anchor, digest, text, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now})",
        &[
            (&id).into(),
            new.project.into(),
            new.user.into(),
            new.job.map(|job| job.as_str().to_owned()).into(),
            new.reply_to.map(|id| id.as_str().to_owned()).into(),
            new.target.into(),
            new.anchor.into(),
            new.digest.map(str::to_owned).into(),
            new.text.into(),
        ],
    )
    .await?;
    let row = tx.fetch_one(select!("WHERE c.id = $1"), &[(&id).into()]).await?;
    let written = row.as_ref().map(comment).transpose()?.ok_or_else(|| missing(&id))?;
    tell(&mut tx, &written).await?;
    tx.commit().await?;
    Ok(written)
}

/// Comments of a project, or those on one target, the oldest first, after the id `after`; replies are not among them.
///
/// # Errors
/// The database is away.
pub async fn list(
    db: &Database,
    project: &Id,
    target: Option<&str>,
    after: &str,
    limit: i64,
) -> Result<Vec<Comment>, StoreError> {
    let values = [project.into(), after.into(), limit.into(), target.map(str::to_owned).into()];
    let statement = select!(
        "WHERE c.project_id = $1 AND c.id > $2 AND c.reply_to IS NULL AND ($4 IS NULL OR c.target = $4) \
         ORDER BY c.id LIMIT $3"
    );
    db.read(statement, &values).await?.iter().map(comment).collect()
}

/// Replies to a comment, the oldest first.
///
/// # Errors
/// The database is away.
pub async fn replies(db: &Database, to: &Id, limit: i64) -> Result<Vec<Comment>, StoreError> {
    let statement = select!("WHERE c.reply_to = $1 ORDER BY c.id LIMIT $2");
    db.read(statement, &[to.into(), limit.into()]).await?.iter().map(comment).collect()
}

/// A comment by its id.
///
/// # Errors
/// The database is away.
pub async fn get(db: &Database, id: &Id) -> Result<Option<Comment>, StoreError> {
    db.read_one(select!("WHERE c.id = $1"), &[id.into()]).await?.as_ref().map(comment).transpose()
}

/// Changes a comment.
///
/// # Errors
/// There is no such comment, or the database is away.
pub async fn change(db: &Database, id: &Id, change: &Change<'_>) -> Result<Comment, StoreError> {
    let mut tx = db.begin().await?;
    if let Some(text) = change.text {
        let statement = "UPDATE comments SET text = $2, edited_at = {now} WHERE id = $1";
        tx.execute(statement, &[id.into(), text.into()]).await?;
    }
    if let Some(resolved) = change.resolved {
        let statement = "UPDATE comments SET resolved_at = CASE WHEN $2 = 1 THEN {now} ELSE NULL END WHERE id = $1";
        tx.execute(statement, &[id.into(), i64::from(resolved).into()]).await?;
    }
    let row = tx.fetch_one(select!("WHERE c.id = $1"), &[id.into()]).await?;
    let changed = row.as_ref().map(comment).transpose()?.ok_or_else(|| missing(id))?;
    tell(&mut tx, &changed).await?;
    tx.commit().await?;
    Ok(changed)
}

/// Deletes a comment with its replies.
///
/// # Errors
/// There is no such comment, or the database is away.
pub async fn delete(db: &Database, id: &Id) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    let row = tx.fetch_one(select!("WHERE c.id = $1"), &[id.into()]).await?;
    let gone = row.as_ref().map(comment).transpose()?.ok_or_else(|| missing(id))?;
    tx.execute("DELETE FROM comments WHERE id = $1", &[id.into()]).await?;
    tell(&mut tx, &gone).await?;
    tx.commit().await
}

/// Tells those who watch the project where something was said.
async fn tell(tx: &mut Tx, comment: &Comment) -> Result<(), StoreError> {
    let data = json!({"comment": comment.id, "target": comment.target});
    let (project, kind) = (comment.project.clone(), events::Kind::Comment);
    events::add_in(tx, &[NewEvent { project, job: None, kind, data }]).await
}

fn missing(id: &Id) -> StoreError {
    StoreError::missing("comment", id.as_str())
}

fn comment(row: &Row) -> Result<Comment, StoreError> {
    Ok(Comment {
        id: id_of(row.text("id")?),
        project: id_of(row.text("project_id")?),
        user: id_of(row.text("user_id")?),
        author: row.text("user_name")?,
        reply_to: row.maybe_text("reply_to")?.map(id_of),
        target: row.text("target")?,
        anchor: row.text("anchor")?,
        digest: row.maybe_text("digest")?,
        text: row.text("text")?,
        created_at: row.int("created_at")?,
        edited_at: row.maybe_int("edited_at")?,
        resolved_at: row.maybe_int("resolved_at")?,
    })
}
