//! Changes: each in one transaction, which holds the project so that no other change comes between.

use super::{Change, Expect, FILE, Facts, File, NewFile, file, key};
use crate::database::{Database, Tx};
use crate::digest::Digest;
use crate::error::StoreError;
use crate::events::{self, NewEvent};
use crate::id::Id;
use crate::{blobs, hardware};
use serde_json::json;
use std::collections::BTreeSet;

/// Bytes of versions that a user may store, unless the administrator says otherwise.
pub const STORED_BYTES: i64 = 2 << 30;

/// Files of which each has an event of its own.
const MOST_EVENTS: usize = 20;

/// The effect of changing several files; paths in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Files that are new.
    pub created: Vec<String>,
    /// Files with a new version.
    pub changed: Vec<String>,
    /// Files that had these bytes.
    pub unchanged: Vec<String>,
    /// Deleted files.
    pub removed: Vec<String>,
}

/// Stores a file, if what is expected is so.
///
/// # Errors
/// [`StoreError::Stale`], [`StoreError::Quota`], [`StoreError::Path`] when the path is a folder of another file or
/// differs from one by case only; or the database is away or full.
pub async fn put(
    database: &Database,
    project: &Id,
    user: &str,
    new: &NewFile,
    expect: &Expect,
) -> Result<(File, Change), StoreError> {
    let mut tx = database.begin().await?;
    hold(&mut tx, project).await?;
    let there = spelled(find(&mut tx, project, &new.path).await?, &new.path)?;
    check(there.as_ref(), expect)?;
    let (file, change) = put_in(&mut tx, project, user, new, there).await?;
    if change != Change::Unchanged {
        tell(&mut tx, project, &[(&file.path, Some(file.version))]).await?;
    }
    tx.commit().await?;
    Ok((file, change))
}

/// Deletes a file, if what is expected is so. Its versions stay, and so do the bytes that jobs have frozen.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Stale`], or the database is away.
pub async fn delete(database: &Database, project: &Id, path: &str, expect: &Expect) -> Result<File, StoreError> {
    let mut tx = database.begin().await?;
    hold(&mut tx, project).await?;
    let there = find(&mut tx, project, path).await?.filter(|file| file.path == path);
    let there = there.ok_or_else(|| StoreError::missing("file", path))?;
    check(Some(&there), expect)?;
    remove(&mut tx, project, &there.path).await?;
    tell(&mut tx, project, &[(&there.path, None)]).await?;
    tx.commit().await?;
    Ok(there)
}

/// Gives a file another path, where it begins its own versions; those of the old path stay under that. `from` is the
/// file as it was when its facts at the new path were found out.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Stale`], [`StoreError::Taken`], or the database is away.
pub async fn rename(
    database: &Database,
    project: &Id,
    user: &str,
    from: &File,
    to: &str,
    facts: &Facts,
) -> Result<File, StoreError> {
    let mut tx = database.begin().await?;
    hold(&mut tx, project).await?;
    let there = find(&mut tx, project, &from.path).await?.filter(|file| file.path == from.path);
    let there = there.ok_or_else(|| StoreError::missing("file", &from.path))?;
    check(Some(&there), &Expect::Current(vec![(from.version, from.digest.short().to_owned())]))?;
    if from.path == to {
        return Ok(there);
    }
    let is_same_key = key(&from.path) == key(to);
    if let Some(other) = find(&mut tx, project, to).await?.filter(|_| !is_same_key) {
        return Err(StoreError::Taken { kind: "file", name: other.path });
    }
    remove(&mut tx, project, &from.path).await?;
    let message = format!("moved from {}", there.path);
    let placed = Placed { path: to, digest: &there.digest, size: there.size, facts, message: &message };
    let moved = place(&mut tx, project, user, &placed, None).await?;
    tell(&mut tx, project, &[(&from.path, None), (to, Some(moved.version))]).await?;
    tx.commit().await?;
    Ok(moved)
}

/// Stores many files, all or none; with `replace`, files that are not among them are deleted. A dry run changes nothing.
///
/// # Errors
/// As [`put`].
pub async fn apply(
    database: &Database,
    project: &Id,
    user: &str,
    files: &[NewFile],
    replace: bool,
    dry_run: bool,
) -> Result<Applied, StoreError> {
    let mut applied = Applied::default();
    let mut told: Vec<(String, Option<i64>)> = Vec::new();
    let mut tx = database.begin().await?;
    hold(&mut tx, project).await?;
    if replace {
        let wanted: BTreeSet<&str> = files.iter().map(|new| new.path.as_str()).collect();
        let rows =
            tx.fetch("SELECT path FROM files WHERE project_id = $1 ORDER BY path_key", &[project.into()]).await?;
        for row in rows {
            let path = row.text("path")?;
            if !wanted.contains(path.as_str()) {
                remove(&mut tx, project, &path).await?;
                told.push((path.clone(), None));
                applied.removed.push(path);
            }
        }
    }
    for new in files {
        let there = spelled(find(&mut tx, project, &new.path).await?, &new.path)?;
        let (file, change) = put_in(&mut tx, project, user, new, there).await?;
        if change != Change::Unchanged {
            told.push((file.path.clone(), Some(file.version)));
        }
        match change {
            Change::Created => applied.created.push(file.path),
            Change::Changed => applied.changed.push(file.path),
            Change::Unchanged => applied.unchanged.push(file.path),
        }
    }
    if !dry_run {
        let told: Vec<(&str, Option<i64>)> = told.iter().map(|(path, version)| (path.as_str(), *version)).collect();
        tell(&mut tx, project, &told).await?;
        tx.commit().await?;
    }
    Ok(applied)
}

/// Notes what is known of a file by now, if it still has this version: other files may have changed that.
///
/// # Errors
/// The database is away.
pub async fn set_facts(
    database: &Database,
    project: &Id,
    path: &str,
    version: i64,
    facts: &Facts,
) -> Result<bool, StoreError> {
    let mut tx = database.begin().await?;
    let is_there = facts_in(&mut tx, project, path, version, facts).await?;
    tx.commit().await?;
    Ok(is_there)
}

/// Notifies watchers of the project which files have changed: path and version, none if deleted.
async fn tell(tx: &mut Tx, project: &Id, files: &[(&str, Option<i64>)]) -> Result<(), StoreError> {
    // One event for many files: watchers of the project reread its list.
    let event = |data| NewEvent { project: project.clone(), job: None, kind: events::Kind::File, data };
    let events: Vec<NewEvent> = match files {
        [] => Vec::new(),
        [(path, version)] => vec![event(json!({ "path": path, "version": version }))],
        many if many.len() > MOST_EVENTS => vec![event(json!({ "path": null, "version": null }))],
        many => many.iter().map(|(path, version)| event(json!({ "path": path, "version": version }))).collect(),
    };
    if events.is_empty() { Ok(()) } else { events::add_in(tx, &events).await }
}

/// Holds the project until the end of the transaction.
async fn hold(tx: &mut Tx, project: &Id) -> Result<(), StoreError> {
    let row = tx.fetch_one("SELECT id FROM projects WHERE id = $1 {for_change}", &[project.into()]).await?;
    row.map(|_| ()).ok_or_else(|| StoreError::missing("project", project.as_str()))
}

async fn find(tx: &mut Tx, project: &Id, path: &str) -> Result<Option<File>, StoreError> {
    let _ = FILE;
    let row = tx
        .fetch_one(
            "SELECT path, version, digest, size, kind, title, valid, problems, updated_at, updated_by FROM files \
             WHERE project_id = $1 AND path_key = $2",
            &[project.into(), key(path).into()],
        )
        .await?;
    row.as_ref().map(file).transpose()
}

fn check(there: Option<&File>, expect: &Expect) -> Result<(), StoreError> {
    let is_so = match (there, expect) {
        (None, Expect::Absent) | (Some(_), Expect::There) => true,
        (Some(file), Expect::Current(any)) => {
            any.iter().any(|(version, digest)| *version == file.version && digest == file.digest.short())
        }
        _ => false,
    };
    if is_so {
        return Ok(());
    }
    Err(match there {
        Some(file) => StoreError::Stale { current: file.version, digest: file.digest.as_str().to_owned() },
        None => StoreError::Stale { current: 0, digest: String::new() },
    })
}

async fn put_in(
    tx: &mut Tx,
    project: &Id,
    user: &str,
    new: &NewFile,
    there: Option<File>,
) -> Result<(File, Change), StoreError> {
    let digest = Digest::of(&new.bytes);
    if let Some(mut same) = there.clone().filter(|file| file.digest == digest) {
        if (&same.facts.kind, same.facts.valid, &same.facts.problems)
            != (&new.facts.kind, new.facts.valid, &new.facts.problems)
        {
            facts_in(tx, project, &same.path, same.version, &new.facts).await?;
            same.facts = new.facts.clone();
        }
        return Ok((same, Change::Unchanged));
    }
    let change = if there.is_some() { Change::Changed } else { Change::Created };
    blobs::put_in(tx, &digest, &new.bytes).await?;
    let size = i64::try_from(new.bytes.len()).unwrap_or(i64::MAX);
    let placed = Placed { path: &new.path, digest: &digest, size, facts: &new.facts, message: &new.message };
    Ok((place(tx, project, user, &placed, there).await?, change))
}

/// A file whose bytes are stored already.
struct Placed<'a> {
    path: &'a str,
    digest: &'a Digest,
    size: i64,
    facts: &'a Facts,
    message: &'a str,
}

async fn place(
    tx: &mut Tx,
    project: &Id,
    user: &str,
    placed: &Placed<'_>,
    there: Option<File>,
) -> Result<File, StoreError> {
    let Placed { path, digest, size, facts, message } = *placed;
    let path_key = key(path);
    let last = match &there {
        Some(file) => file.version,
        None => {
            refuse_folders(tx, project, path).await?;
            last_version(tx, project, &path_key).await?
        }
    };
    charge(tx, user, size).await?;
    let version = last + 1;
    tx.execute(
        "INSERT INTO versions (project_id, path_key, version, path, digest, size, message, created_at, created_by) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, {now}, $8)",
        &[
            project.into(),
            (&path_key).into(),
            version.into(),
            path.into(),
            digest.into(),
            size.into(),
            message.into(),
            user.into(),
        ],
    )
    .await?;
    let row = tx
        .fetch_one(
            "INSERT INTO files (project_id, path_key, path, kind, version, digest, size, valid, title, title_key, \
             problems, updated_at, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, {now}, $12) \
             ON CONFLICT (project_id, path_key) DO UPDATE SET kind = excluded.kind, version = excluded.version, \
             digest = excluded.digest, size = excluded.size, valid = excluded.valid, title = excluded.title, \
             title_key = excluded.title_key, problems = excluded.problems, updated_at = excluded.updated_at, \
             updated_by = excluded.updated_by RETURNING path, version, digest, size, kind, title, valid, problems, \
             updated_at, updated_by",
            &[
                project.into(),
                (&path_key).into(),
                path.into(),
                (&facts.kind).into(),
                version.into(),
                digest.into(),
                size.into(),
                facts.valid.into(),
                (&facts.title).into(),
                facts.title.to_lowercase().into(),
                (&facts.problems).into(),
                user.into(),
            ],
        )
        .await?;
    let was_hardware = there.is_some_and(|file| file.facts.kind == "hardware");
    if was_hardware || !facts.hardware.is_empty() {
        hardware::replace(tx, project, &path_key, &facts.hardware).await?;
    }
    file(&row.ok_or_else(|| StoreError::Database("a file was not stored".to_owned()))?)
}

async fn last_version(tx: &mut Tx, project: &Id, path_key: &str) -> Result<i64, StoreError> {
    let row = tx
        .fetch_one(
            "SELECT COALESCE(MAX(version), 0) AS last FROM versions WHERE project_id = $1 AND path_key = $2",
            &[project.into(), path_key.into()],
        )
        .await?;
    row.map_or(Ok(0), |row| row.int("last"))
}

/// Refuses a path that is a folder of another file, or lies in a file.
async fn refuse_folders(tx: &mut Tx, project: &Id, path: &str) -> Result<(), StoreError> {
    let path_key = key(path);
    let row = tx
        .fetch_one(
            "SELECT path FROM files WHERE project_id = $1 AND path_key > $2 AND path_key < $3 LIMIT 1",
            &[project.into(), format!("{path_key}/").into(), format!("{path_key}0").into()],
        )
        .await?;
    if let Some(row) = row {
        return Err(refused(path, format!("{path} is a folder: {} is in it", row.text("path")?)));
    }
    for (end, _) in path_key.match_indices('/') {
        if let Some(file) = find(tx, project, &path_key[..end]).await? {
            return Err(refused(path, format!("{} is a file, not a folder for {path}", file.path)));
        }
    }
    Ok(())
}

fn refused(path: &str, message: String) -> StoreError {
    StoreError::Path { path: path.to_owned(), message }
}

/// The file there, if the path is spelled like it.
fn spelled(there: Option<File>, path: &str) -> Result<Option<File>, StoreError> {
    match there {
        Some(file) if file.path != path => {
            let message = format!("{} exists, and paths differ in more than case", file.path);
            Err(refused(path, message))
        }
        there => Ok(there),
    }
}

/// Adds to what the user has stored, up to the quota.
async fn charge(tx: &mut Tx, user: &str, size: i64) -> Result<(), StoreError> {
    let row = tx
        .fetch_one(
            "INSERT INTO stored_bytes (user_name, bytes) VALUES ($1, $2) \
             ON CONFLICT (user_name) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes RETURNING bytes",
            &[user.into(), size.into()],
        )
        .await?;
    let stored = row.map_or(Ok(0), |row| row.int("bytes"))?;
    let row = tx
        .fetch_one(
            "SELECT q.value AS value FROM quotas q JOIN users u ON u.id = q.user_id \
             WHERE u.name = $1 AND q.quota = 'stored_bytes'",
            &[user.into()],
        )
        .await?;
    let limit = row.map_or(Ok(STORED_BYTES), |row| row.int("value"))?;
    if stored > limit && size > 0 {
        return Err(StoreError::Quota { quota: "stored_bytes", limit });
    }
    Ok(())
}

async fn facts_in(tx: &mut Tx, project: &Id, path: &str, version: i64, facts: &Facts) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "UPDATE files SET kind = $4, title = $5, title_key = $6, valid = $7, problems = $8 \
             WHERE project_id = $1 AND path_key = $2 AND version = $3",
            &[
                project.into(),
                key(path).into(),
                version.into(),
                (&facts.kind).into(),
                (&facts.title).into(),
                facts.title.to_lowercase().into(),
                facts.valid.into(),
                (&facts.problems).into(),
            ],
        )
        .await?;
    if changed > 0 {
        hardware::replace(tx, project, &key(path), &facts.hardware).await?;
    }
    Ok(changed > 0)
}

async fn remove(tx: &mut Tx, project: &Id, path: &str) -> Result<(), StoreError> {
    let path_key = key(path);
    tx.execute("DELETE FROM files WHERE project_id = $1 AND path_key = $2", &[project.into(), (&path_key).into()])
        .await?;
    tx.execute("DELETE FROM hardware WHERE project_id = $1 AND path_key = $2", &[project.into(), path_key.into()])
        .await?;
    Ok(())
}
