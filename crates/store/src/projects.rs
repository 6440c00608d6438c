//! Projects: folders of files, with members.

use crate::database::{Database, Row, Tx};
use crate::error::StoreError;
use crate::id::Id;
use crate::settings;

/// The project whose hardware entries hold in all others.
pub const SITE: &str = "site";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: Id,
    /// Its name, as in addresses.
    pub name: String,
    /// Its title for people.
    pub title: String,
    /// When it was made, in microseconds since 1970.
    pub created_at: i64,
    /// The name of the user who made it.
    pub created_by: String,
    /// Whether viewers may comment.
    pub viewers_comment: bool,
}

/// The name of the setting that lets viewers comment.
const VIEWERS_COMMENT: &str = "viewers_comment";

/// What is read of a project `p`.
macro_rules! select {
    ($tail:literal) => {
        concat!(
            "SELECT p.id, p.name, p.title, p.created_at, p.created_by, (SELECT COUNT(*) FROM project_settings s WHERE \
             s.project_id = p.id AND s.name = 'viewers_comment' AND s.value = 'true') AS viewers_comment",
            $tail
        )
    };
}

/// A project as a user sees it in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub project: Project,
    /// What the user is in it: `viewer`, `author`, `owner`; none for one that only administrators see.
    pub role: Option<String>,
    /// How many files it has.
    pub files: i64,
}

/// Who makes a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Maker<'a> {
    /// Their id; none when it is to have no owner, as for the project [`SITE`].
    pub owner: Option<&'a Id>,
    pub name: &'a str,
}

/// What distinguishes names: case does not.
pub fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Makes a project; its maker is its owner.
///
/// # Errors
/// [`StoreError::Taken`], or the database is away.
pub async fn create(database: &Database, name: &str, title: &str, maker: Maker<'_>) -> Result<Project, StoreError> {
    let id = Id::new();
    let mut tx = database.begin().await?;
    let made = tx
        .execute(
            "INSERT INTO projects (id, name, name_key, title, created_at, created_by) VALUES ($1, $2, $3, $4, {now}, $5) \
             ON CONFLICT (name_key) DO NOTHING",
            &[(&id).into(), name.into(), key(name).into(), title.into(), maker.name.into()],
        )
        .await?;
    if made == 0 {
        return Err(StoreError::Taken { kind: "project", name: name.to_owned() });
    }
    if let Some(owner) = maker.owner {
        tx.execute(
            "INSERT INTO members (project_id, user_id, role) VALUES ($1, $2, 'owner')",
            &[(&id).into(), owner.into()],
        )
        .await?;
    }
    let made = in_tx(&mut tx, &id).await?;
    tx.commit().await?;
    Ok(made)
}

/// The project of this name; made when it is not there yet.
///
/// # Errors
/// The database is away.
pub async fn ensure(database: &Database, name: &str, title: &str, maker: Maker<'_>) -> Result<Project, StoreError> {
    if let Some(there) = get(database, name).await? {
        return Ok(there);
    }
    match create(database, name, title, maker).await {
        // Another request was faster.
        Err(StoreError::Taken { .. }) => get(database, name).await?.ok_or_else(|| StoreError::missing("project", name)),
        made => made,
    }
}

/// The project of this name.
///
/// # Errors
/// The database is away.
pub async fn get(database: &Database, name: &str) -> Result<Option<Project>, StoreError> {
    let row = database.read_one(select!(" FROM projects p WHERE p.name_key = $1"), &[key(name).into()]).await?;
    row.as_ref().map(project).transpose()
}

/// The project of this id.
///
/// # Errors
/// The database is away.
pub async fn by_id(database: &Database, id: &Id) -> Result<Option<Project>, StoreError> {
    let row = database.read_one(select!(" FROM projects p WHERE p.id = $1"), &[id.into()]).await?;
    row.as_ref().map(project).transpose()
}

/// Projects in the order of their names, behind the name `after`: those that `user` is a member of, or all.
///
/// # Errors
/// The database is away.
pub async fn list(
    database: &Database,
    user: Option<&Id>,
    everything: bool,
    after: &str,
    limit: i64,
) -> Result<Vec<Listed>, StoreError> {
    let rows = database
        .read(
            select!(
                ", m.role, (SELECT COUNT(*) FROM files f WHERE f.project_id = p.id) AS files \
                 FROM projects p LEFT JOIN members m ON m.project_id = p.id AND m.user_id = $1 \
                 WHERE p.name_key > $2 AND ($3 = 1 OR m.role IS NOT NULL) ORDER BY p.name_key LIMIT $4"
            ),
            &[user.into(), key(after).into(), everything.into(), limit.into()],
        )
        .await?;
    let listed =
        |row: &Row| Ok(Listed { project: project(row)?, role: row.maybe_text("role")?, files: row.int("files")? });
    rows.iter().map(listed).collect()
}

/// A change of a project; what is absent stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Change<'a> {
    pub name: Option<&'a str>,
    pub title: Option<&'a str>,
    pub viewers_comment: Option<bool>,
}

/// Changes a project.
///
/// # Errors
/// [`StoreError::Taken`], [`StoreError::Missing`], or the database is away.
pub async fn change(database: &Database, id: &Id, change: &Change<'_>) -> Result<Project, StoreError> {
    let mut tx = database.begin().await?;
    if let Some(name) = change.name {
        let other = tx
            .fetch_one("SELECT id FROM projects WHERE name_key = $1 AND id <> $2", &[key(name).into(), id.into()])
            .await?;
        if other.is_some() {
            return Err(StoreError::Taken { kind: "project", name: name.to_owned() });
        }
    }
    tx.execute(
        "UPDATE projects SET name = COALESCE($2, name), name_key = COALESCE($3, name_key), \
         title = COALESCE($4, title) WHERE id = $1",
        &[
            id.into(),
            change.name.map(str::to_owned).into(),
            change.name.map(key).into(),
            change.title.map(str::to_owned).into(),
        ],
    )
    .await?;
    let changed = in_tx(&mut tx, id).await?;
    if let Some(may) = change.viewers_comment.filter(|may| *may != changed.viewers_comment) {
        settings::put_in(&mut tx, id, VIEWERS_COMMENT, &may.into()).await?;
    }
    tx.commit().await?;
    Ok(Project { viewers_comment: change.viewers_comment.unwrap_or(changed.viewers_comment), ..changed })
}

async fn in_tx(tx: &mut Tx, id: &Id) -> Result<Project, StoreError> {
    let row = tx.fetch_one(select!(" FROM projects p WHERE p.id = $1"), &[id.into()]).await?;
    project(&row.ok_or_else(|| StoreError::missing("project", id.as_str()))?)
}

/// Deletes it with all that is in it: files, versions, jobs and their results.
///
/// # Errors
/// [`StoreError::Missing`], or the database is away.
pub async fn delete(database: &Database, id: &Id) -> Result<(), StoreError> {
    let mut tx = database.begin().await?;
    tx.execute(
        "UPDATE stored_bytes SET bytes = bytes - COALESCE((SELECT SUM(size) FROM versions v \
         WHERE v.project_id = $1 AND v.created_by = stored_bytes.user_name), 0)",
        &[id.into()],
    )
    .await?;
    crate::jobs::leave(&mut tx, id).await?;
    let gone = tx.execute("DELETE FROM projects WHERE id = $1", &[id.into()]).await?;
    if gone == 0 {
        return Err(StoreError::missing("project", id.as_str()));
    }
    tx.commit().await
}

fn project(row: &Row) -> Result<Project, StoreError> {
    let id = row.text("id")?;
    Ok(Project {
        id: Id::parse(&id).ok_or_else(|| StoreError::Database(format!("{id} is not an id")))?,
        name: row.text("name")?,
        title: row.text("title")?,
        created_at: row.int("created_at")?,
        created_by: row.text("created_by")?,
        viewers_comment: row.int("viewers_comment")? > 0,
    })
}
