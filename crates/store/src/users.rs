//! People.

use crate::database::{Database, Row, Tx, Value};
use crate::error::StoreError;
use crate::id::Id;
use crate::roles::SiteRole;
use crate::setup;

/// The name of the one user of a server without accounts.
pub const LOCAL: &str = "local";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: Id,
    /// Its name, as it was given; unique without regard to case.
    pub name: String,
    /// What it may do at the site.
    pub role: SiteRole,
    /// Whether it is kept out.
    pub disabled: bool,
    /// Whether it has a password.
    pub has_password: bool,
    /// Microseconds since 1970.
    pub created_at: i64,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, role, disabled, created_at, ",
            "CAST(CASE WHEN password_hash IS NULL THEN 0 ELSE 1 END AS {int}) AS has_password FROM users ",
            $rest
        )
    };
}

/// Whether it may be a name: 1 to 64 of letters, digits, `.`, `_`, `-`, `@`, beginning with a letter or digit.
pub fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
    (1..=64).contains(&name.len())
        && name.bytes().all(allowed)
        && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// Adds a user; `password_hash` is what [`crate::password::hash`] made.
///
/// # Errors
/// The name is taken, or the database is away.
pub async fn add(db: &Database, name: &str, password_hash: Option<&str>, role: SiteRole) -> Result<User, StoreError> {
    let mut tx = db.begin().await?;
    let user = add_in(&mut tx, name, password_hash, role).await?;
    tx.commit().await?;
    Ok(user)
}

pub(crate) async fn add_in(
    tx: &mut Tx,
    name: &str,
    password_hash: Option<&str>,
    role: SiteRole,
) -> Result<User, StoreError> {
    if password_hash.is_some() {
        setup::close(tx).await?;
    }
    let id = Id::new();
    let added = tx
        .execute(
            "INSERT INTO users (id, name, name_key, password_hash, role, created_at) \
             VALUES ($1, $2, $3, $4, $5, {now}) ON CONFLICT (name_key) DO NOTHING",
            &[
                (&id).into(),
                name.into(),
                key(name).into(),
                Value::Text(password_hash.map(str::to_owned)),
                role.word().into(),
            ],
        )
        .await?;
    if added == 0 {
        return Err(StoreError::Taken { kind: "user", name: name.to_owned() });
    }
    let row = tx.fetch_one(select!("WHERE id = $1"), &[(&id).into()]).await?;
    row.map_or_else(|| Err(StoreError::missing("user", name)), |row| user(&row))
}

/// A user by name, without regard to case.
///
/// # Errors
/// The database is away.
pub async fn find(db: &Database, name: &str) -> Result<Option<User>, StoreError> {
    let row = db.read_one(select!("WHERE name_key = $1"), &[key(name).into()]).await?;
    row.map(|row| user(&row)).transpose()
}

/// A user of this name, or the error that says there is none.
///
/// # Errors
/// There is none, or the database is away.
pub async fn get(db: &Database, name: &str) -> Result<User, StoreError> {
    find(db, name).await?.ok_or_else(|| StoreError::missing("user", name))
}

/// Users by name, beginning after this one.
///
/// # Errors
/// The database is away.
pub async fn list(db: &Database, after: &str, limit: i64) -> Result<Vec<User>, StoreError> {
    let statement = select!("WHERE name_key > $1 ORDER BY name_key LIMIT $2");
    db.read(statement, &[key(after).into(), limit.into()]).await?.iter().map(user).collect()
}

/// The user, and the hash of the password (for a login).
///
/// # Errors
/// The database is away.
pub async fn with_hash(db: &Database, name: &str) -> Result<Option<(User, Option<String>)>, StoreError> {
    let Some(user) = find(db, name).await? else { return Ok(None) };
    let row = db.read_one("SELECT password_hash FROM users WHERE id = $1", &[(&user.id).into()]).await?;
    let hash = row.map_or(Ok(None), |row| row.maybe_text("password_hash"))?;
    Ok(Some((user, hash)))
}

/// The one user of a server without accounts, who is administrator; made when absent.
///
/// # Errors
/// The database is away.
pub async fn local(db: &Database) -> Result<User, StoreError> {
    if let Some(user) = find(db, LOCAL).await? {
        return Ok(user);
    }
    match add(db, LOCAL, None, SiteRole::Administrator).await {
        Err(StoreError::Taken { .. }) => get(db, LOCAL).await,
        other => other,
    }
}

/// Gives a user another role.
///
/// # Errors
/// There is no such user, it is the last administrator, or the database is away.
pub async fn set_role(db: &Database, name: &str, role: SiteRole) -> Result<User, StoreError> {
    let mut tx = db.begin().await?;
    let user = change(&mut tx, name, "UPDATE users SET role = $2 WHERE id = $1", role.word().into()).await?;
    tx.commit().await?;
    Ok(user)
}

/// Keeps a user out, or lets them in again. Their sessions end; their tokens stay and do not work meanwhile.
///
/// # Errors
/// There is no such user, it is the last administrator, or the database is away.
pub async fn set_disabled(db: &Database, name: &str, disabled: bool) -> Result<User, StoreError> {
    let mut tx = db.begin().await?;
    let user = change(&mut tx, name, "UPDATE users SET disabled = $2 WHERE id = $1", disabled.into()).await?;
    tx.commit().await?;
    if disabled {
        crate::sessions::end_all(db, &user.id, None).await?;
    }
    Ok(user)
}

/// Gives a user another password, and ends their sessions but this one.
///
/// # Errors
/// There is no such user, or the database is away.
pub async fn set_password(
    db: &Database,
    name: &str,
    password_hash: &str,
    but_session: Option<&[u8]>,
) -> Result<User, StoreError> {
    let mut tx = db.begin().await?;
    setup::close(&mut tx).await?;
    let statement = "UPDATE users SET password_hash = $2 WHERE id = $1";
    let user = change(&mut tx, name, statement, password_hash.into()).await?;
    tx.commit().await?;
    crate::sessions::end_all(db, &user.id, but_session).await?;
    Ok(user)
}

/// One change of one user, after which an administrator who can log in must be left.
async fn change(tx: &mut Tx, name: &str, statement: &'static str, value: Value) -> Result<User, StoreError> {
    // One change at a time: two administrators must not demote each other.
    tx.fetch("SELECT id FROM users WHERE role = 'administrator' {for_update}", &[]).await?;
    let before = administrators(tx).await?;
    let row = tx.fetch_one(select!("WHERE name_key = $1"), &[key(name).into()]).await?;
    let found = row.map(|row| user(&row)).transpose()?.ok_or_else(|| StoreError::missing("user", name))?;
    tx.execute(statement, &[(&found.id).into(), value]).await?;
    if before > 0 && administrators(tx).await? == 0 {
        return Err(StoreError::State(format!("{} is the last administrator", found.name)));
    }
    let row = tx.fetch_one(select!("WHERE id = $1"), &[(&found.id).into()]).await?;
    row.map(|row| user(&row)).transpose()?.ok_or_else(|| StoreError::missing("user", name))
}

async fn administrators(tx: &mut Tx) -> Result<i64, StoreError> {
    let statement = "SELECT COUNT(*) AS n FROM users \
                     WHERE role = 'administrator' AND disabled = 0 AND password_hash IS NOT NULL";
    tx.fetch_one(statement, &[]).await?.map_or(Ok(0), |row| row.int("n"))
}

pub(crate) fn key(name: &str) -> String {
    name.to_lowercase()
}

fn user(row: &Row) -> Result<User, StoreError> {
    Ok(User {
        id: id_of(row, "id")?,
        name: row.text("name")?,
        role: SiteRole::stored(&row.text("role")?)?,
        disabled: row.yes("disabled")?,
        has_password: row.yes("has_password")?,
        created_at: row.int("created_at")?,
    })
}

pub(crate) fn id_of(row: &Row, column: &str) -> Result<Id, StoreError> {
    let text = row.text(column)?;
    Id::parse(&text).ok_or_else(|| StoreError::Database(format!("{column}: {text} is not an id")))
}
