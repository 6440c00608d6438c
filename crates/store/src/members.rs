//! The rights of members in a project.

use crate::database::{Database, Tx};
use crate::error::StoreError;
use crate::id::Id;
use crate::roles::MemberRole;
use crate::users::{self, id_of};

/// A member of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name of the user.
    pub user: String,
    /// What they may do.
    pub role: MemberRole,
}

/// A project, and what one user is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub project: Id,
    pub name: String,
    /// What the user is in it; none: no member.
    pub role: Option<MemberRole>,
}

/// The project of this name or id, and what the user is in it; `None`: there is no such project.
///
/// # Errors
/// The database is away.
pub async fn standing(db: &Database, project: &str, user: &Id) -> Result<Option<Standing>, StoreError> {
    let rows = db
        .read(
            "SELECT p.id, p.name, m.role FROM projects p \
             LEFT JOIN members m ON m.project_id = p.id AND m.user_id = $3 \
             WHERE p.name_key = $1 OR p.id = $2",
            &[project.to_lowercase().into(), project.into(), user.into()],
        )
        .await?;
    // An id goes before a name: what a handler found by id must not be shadowed by a project that is called so.
    let mut found = None;
    for row in rows {
        let role = row.maybe_text("role")?.map(|role| MemberRole::stored(&role)).transpose()?;
        let standing = Standing { project: id_of(&row, "id")?, name: row.text("name")?, role };
        let by_id = standing.project.as_str() == project;
        if found.is_none() || by_id {
            found = Some(standing);
        }
    }
    Ok(found)
}

/// Members of a project by name, beginning after this one.
///
/// # Errors
/// The database is away.
pub async fn list(db: &Database, project: &Id, after: &str, limit: i64) -> Result<Vec<Member>, StoreError> {
    let rows = db
        .read(
            "SELECT u.name, m.role FROM members m JOIN users u ON u.id = m.user_id \
             WHERE m.project_id = $1 AND u.name_key > $2 ORDER BY u.name_key LIMIT $3",
            &[project.into(), users::key(after).into(), limit.into()],
        )
        .await?;
    let member =
        |row: &crate::Row| Ok(Member { user: row.text("name")?, role: MemberRole::stored(&row.text("role")?)? });
    rows.iter().map(member).collect()
}

/// Makes a user a member, or gives a member another role.
///
/// # Errors
/// There is no such user, no owner would be left, or the database is away.
pub async fn put(db: &Database, project: &Id, user: &str, role: MemberRole) -> Result<Member, StoreError> {
    let user = users::get(db, user).await?;
    let mut tx = db.begin().await?;
    let owners = lock(&mut tx, project).await?;
    put_in(&mut tx, project, &user.id, role).await?;
    still_owned(&mut tx, project, owners).await?;
    tx.commit().await?;
    Ok(Member { user: user.name, role })
}

/// The same within a transaction that makes a project, say.
///
/// # Errors
/// The database is away.
pub async fn put_in(tx: &mut Tx, project: &Id, user: &Id, role: MemberRole) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO members (project_id, user_id, role) VALUES ($1, $2, $3) \
         ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role",
        &[project.into(), user.into(), role.word().into()],
    )
    .await
    .map(|_| ())
}

/// Removes a member.
///
/// # Errors
/// They are none, no owner would be left, or the database is away.
pub async fn remove(db: &Database, project: &Id, user: &str) -> Result<(), StoreError> {
    let user = users::get(db, user).await.map_err(|error| match error {
        StoreError::Missing { name, .. } => StoreError::missing("member", name),
        other => other,
    })?;
    let mut tx = db.begin().await?;
    let owners = lock(&mut tx, project).await?;
    let statement = "DELETE FROM members WHERE project_id = $1 AND user_id = $2";
    if tx.execute(statement, &[project.into(), (&user.id).into()]).await? == 0 {
        return Err(StoreError::missing("member", user.name));
    }
    still_owned(&mut tx, project, owners).await?;
    tx.commit().await
}

/// How many owners there are; no other transaction changes members of this project meanwhile.
async fn lock(tx: &mut Tx, project: &Id) -> Result<i64, StoreError> {
    tx.fetch("SELECT id FROM projects WHERE id = $1 {for_update}", &[project.into()]).await?;
    owners(tx, project).await
}

async fn still_owned(tx: &mut Tx, project: &Id, before: i64) -> Result<(), StoreError> {
    if before > 0 && owners(tx, project).await? == 0 {
        return Err(StoreError::State("the project would have no owner".to_owned()));
    }
    Ok(())
}

async fn owners(tx: &mut Tx, project: &Id) -> Result<i64, StoreError> {
    let statement = "SELECT COUNT(*) AS n FROM members WHERE project_id = $1 AND role = 'owner'";
    tx.fetch_one(statement, &[project.into()]).await?.map_or(Ok(0), |row| row.int("n"))
}
