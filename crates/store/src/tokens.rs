//! Tokens of scripts. Only their hashes are kept.

use crate::database::{Database, Row};
use crate::error::StoreError;
use crate::id::Id;
use crate::roles::{Scope, SiteRole};
use crate::secret;
use crate::users::id_of;

/// What every token begins with.
pub const PREFIX: &str = "rc_";
/// How often it is noted that a token is used, in microseconds: once a minute.
const NOTED: i64 = 60 * 1_000_000;

/// A token, without what only its holder knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its id, by which it is revoked.
    pub id: Id,
    pub name: String,
    /// What it allows.
    pub scope: Scope,
    /// The one project it is for.
    pub project: Option<String>,
    /// Microseconds since 1970, as the other times.
    pub created_at: i64,
    pub expires_at: Option<i64>,
    /// When it was last used, to a minute.
    pub used_at: Option<i64>,
}

/// Whose token it is, and what it allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    pub user: Id,
    pub name: String,
    /// What they may do at the site.
    pub role: SiteRole,
    /// Whether they have a password.
    pub has_password: bool,
    /// What the token allows.
    pub scope: Scope,
    /// The one project it is for.
    pub project: Option<Id>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.id, t.name, t.scope, p.name AS project, t.created_at, t.expires_at, t.used_at ",
            "FROM tokens t LEFT JOIN projects p ON p.id = t.project_id ",
            $rest
        )
    };
}

/// Makes a token: the text shown once to its holder, and what the store keeps.
///
/// # Errors
/// The database is away.
pub async fn add(
    db: &Database,
    user: &Id,
    name: &str,
    scope: Scope,
    project: Option<&Id>,
    expires_at: Option<i64>,
) -> Result<(String, Token), StoreError> {
    let token = format!("{PREFIX}{}", secret::fresh());
    let id = Id::new();
    db.write(
        "INSERT INTO tokens (id, user_id, name, token_hash, scope, project_id, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, {now}, $7)",
        &[
            (&id).into(),
            user.into(),
            name.into(),
            secret::hash(&token).into(),
            scope.word().into(),
            project.map(Id::as_str).map(str::to_owned).into(),
            expires_at.into(),
        ],
    )
    .await?;
    let row = db.read_one(select!("WHERE t.id = $1"), &[(&id).into()]).await?;
    let kept = row.map(|row| kept(&row)).transpose()?.ok_or_else(|| StoreError::missing("token", id.as_str()))?;
    Ok((token, kept))
}

/// Tokens of a user, the oldest first, beginning after this id.
///
/// # Errors
/// The database is away.
pub async fn list(db: &Database, user: &Id, after: &str, limit: i64) -> Result<Vec<Token>, StoreError> {
    let statement = select!("WHERE t.user_id = $1 AND t.id > $2 ORDER BY t.id LIMIT $3");
    db.read(statement, &[user.into(), after.into(), limit.into()]).await?.iter().map(kept).collect()
}

/// Revokes a token of a user.
///
/// # Errors
/// The user has no such token, or the database is away.
pub async fn revoke(db: &Database, user: &Id, id: &str) -> Result<(), StoreError> {
    let gone = db.write("DELETE FROM tokens WHERE id = $1 AND user_id = $2", &[id.into(), user.into()]).await?;
    if gone == 0 { Err(StoreError::missing("token", id)) } else { Ok(()) }
}

/// Who a token belongs to, while it holds and its user is not kept out.
///
/// # Errors
/// The database is away.
pub async fn find(db: &Database, token: &str) -> Result<Option<Bearer>, StoreError> {
    if !token.starts_with(PREFIX) {
        return Ok(None);
    }
    let row = db
        .read_one(
            "SELECT t.id AS token, t.scope, t.project_id, u.id, u.name, u.role, \
             CAST(CASE WHEN COALESCE(t.used_at, 0) + $2 < {now} THEN 1 ELSE 0 END AS {int}) AS stale, \
             CAST(CASE WHEN u.password_hash IS NULL THEN 0 ELSE 1 END AS {int}) AS has_password \
             FROM tokens t JOIN users u ON u.id = t.user_id \
             WHERE t.token_hash = $1 AND u.disabled = 0 AND (t.expires_at IS NULL OR t.expires_at > {now})",
            &[secret::hash(token).into(), NOTED.into()],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    if row.yes("stale")? {
        db.write("UPDATE tokens SET used_at = {now} WHERE id = $1", &[row.text("token")?.into()]).await?;
    }
    Ok(Some(Bearer {
        user: id_of(&row, "id")?,
        name: row.text("name")?,
        role: SiteRole::stored(&row.text("role")?)?,
        has_password: row.yes("has_password")?,
        scope: Scope::stored(&row.text("scope")?)?,
        project: row.maybe_text("project_id")?.and_then(|id| Id::parse(&id)),
    }))
}

fn kept(row: &Row) -> Result<Token, StoreError> {
    Ok(Token {
        id: id_of(row, "id")?,
        name: row.text("name")?,
        scope: Scope::stored(&row.text("scope")?)?,
        project: row.maybe_text("project")?,
        created_at: row.int("created_at")?,
        expires_at: row.maybe_int("expires_at")?,
        used_at: row.maybe_int("used_at")?,
    })
}
