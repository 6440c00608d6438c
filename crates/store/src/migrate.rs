//! The schema, in numbered steps that both databases take.

use crate::database::{Database, Kind, Location};
use crate::error::StoreError;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Each step once, in order; a step that was released never changes.
const STEPS: &[(i64, &str)] = &[
    (1, include_str!("../migrations/0001_data.sql")),
    (2, include_str!("../migrations/0002_queue.sql")),
    (3, include_str!("../migrations/0003_formulas_of_figures.sql")),
    (4, include_str!("../migrations/0004_devices.sql")),
    (5, include_str!("../migrations/0005_sharing.sql")),
];

/// The lock of the schema: two servers that start together must not both migrate.
const LOCK: i64 = 0x7275_6e63_6173_7401;

/// The newest schema that this program knows.
pub fn newest() -> i64 {
    STEPS.last().map_or(0, |step| step.0)
}

/// The schema that the database has; 0 when it is empty.
///
/// # Errors
/// The database is away.
pub async fn schema(database: &Database) -> Result<i64, StoreError> {
    let there = match database.kind() {
        Kind::Sqlite => "SELECT COUNT(*) AS n FROM sqlite_master WHERE name = 'schema_steps'",
        Kind::Postgres => {
            "SELECT COUNT(*) AS n FROM information_schema.tables WHERE table_name = 'schema_steps' \
             AND table_schema = current_schema()"
        }
    };
    let is_empty = database.read_one(there, &[]).await?.map_or(Ok(0), |row| row.int("n"))? == 0;
    if is_empty {
        return Ok(0);
    }
    let row = database.read_one("SELECT COALESCE(MAX(step), 0) AS step FROM schema_steps", &[]).await?;
    row.map_or(Ok(0), |row| row.int("step"))
}

/// Takes the steps that are missing; a file of SQLite that has something in it is copied before, beside itself.
///
/// # Errors
/// The schema is newer than this program, or the database is away; then nothing has changed.
pub async fn migrate(database: &Database, location: &Location) -> Result<(), StoreError> {
    take(database, location, STEPS).await
}

async fn take(database: &Database, location: &Location, steps: &[(i64, &'static str)]) -> Result<(), StoreError> {
    let newest = steps.last().map_or(0, |step| step.0);
    let found = schema(database).await?;
    if found == newest {
        return Ok(());
    }
    refuse_newer(found, newest)?;
    if found > 0
        && let Location::File(path) = location
    {
        copy(database, path, found).await?;
    }
    let mut tx = database.begin().await?;
    tx.lock(LOCK).await?;
    tx.run_all("CREATE TABLE IF NOT EXISTS schema_steps (step {int} PRIMARY KEY, taken_at {int} NOT NULL) {strict}")
        .await?;
    let found = tx.fetch_one("SELECT COALESCE(MAX(step), 0) AS step FROM schema_steps", &[]).await?;
    let found = found.map_or(Ok(0), |row| row.int("step"))?;
    refuse_newer(found, newest)?;
    for (step, statements) in steps.iter().filter(|(step, _)| *step > found) {
        // Texts are compared byte by byte, as SQLite does, in whatever language the database was made.
        let statements = match tx.kind() {
            Kind::Sqlite => Cow::Borrowed(*statements),
            Kind::Postgres => {
                Cow::Owned(statements.replace(" TEXT {binary}", " TEXT").replace(" TEXT", " TEXT COLLATE \"C\""))
            }
        };
        tx.run_all_text(statements).await?;
        tx.execute("INSERT INTO schema_steps (step, taken_at) VALUES ($1, {now})", &[(*step).into()]).await?;
    }
    tx.commit().await
}

fn refuse_newer(found: i64, known: i64) -> Result<(), StoreError> {
    if found > known { Err(StoreError::Newer { found, known }) } else { Ok(()) }
}

/// Copies the file to `NAME.schema-N`, whole or not at all.
async fn copy(database: &Database, path: &Path, schema: i64) -> Result<(), StoreError> {
    let beside = |ending: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let disk = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => StoreError::Full(error.to_string()),
        _ => StoreError::Database(format!("the copy before a new schema: {error}")),
    };
    let (part, whole) = (beside(format!(".schema-{schema}.part")), beside(format!(".schema-{schema}")));
    match std::fs::remove_file(&part) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(disk(error)),
        _ => {}
    }
    database.copy_into(&part).await?;
    std::fs::File::open(&part).and_then(|file| file.sync_all()).map_err(disk)?;
    std::fs::rename(&part, &whole).map_err(disk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Place;

    const ONE: (i64, &str) = (1, "CREATE TABLE things (name TEXT NOT NULL)");
    const TWO: (i64, &str) = (2, "ALTER TABLE things ADD COLUMN size {int}");
    const BROKEN: (i64, &str) = (2, "ALTER TABLE things ADD COLUMN size {int}; SELECT nothing FROM nowhere");

    #[tokio::test]
    async fn a_file_is_copied_before_its_schema_changes() {
        let place = Place::sqlite().expect("a folder");
        let db = Database::connect(place.location()).await.expect("connected");
        take(&db, place.location(), &[ONE]).await.expect("the first step");
        db.write("INSERT INTO things (name) VALUES ('kept')", &[]).await.expect("written");
        take(&db, place.location(), &[ONE, BROKEN]).await.expect_err("a broken step");
        assert_eq!(schema(&db).await.expect("read"), 1);
        take(&db, place.location(), &[ONE, TWO]).await.expect("the second step");
        let Location::File(path) = place.location() else { panic!("a file") };
        let copy = Location::File(path.with_extension("sqlite.schema-1"));
        let copy = Database::connect(&copy).await.expect("the copy opens");
        assert_eq!(schema(&copy).await.expect("read"), 1);
        let row = copy.read_one("SELECT name FROM things", &[]).await.expect("read").expect("a row");
        assert_eq!(row.text("name").expect("a name"), "kept");
    }

    #[tokio::test]
    async fn a_newer_schema_is_refused() {
        crate::testing::both(|db| async move {
            db.write("INSERT INTO schema_steps (step, taken_at) VALUES (99, 0)", &[]).await.expect("written");
            let nowhere = Location::Url(String::new());
            let error = migrate(&db, &nowhere).await.expect_err("newer");
            assert!(matches!(error, StoreError::Newer { found: 99, known } if known == newest()), "{error}");
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn servers_that_start_together_migrate_once() {
        let Some(place) = Place::postgres().await.expect("PostgreSQL starts") else { return };
        let starts: Vec<_> = (0..6)
            .map(|_| {
                let location = place.location().clone();
                tokio::spawn(async move { Database::open(&location).await.map(|_| ()) })
            })
            .collect();
        for start in starts {
            start.await.expect("no panic").expect("it opens");
        }
    }
}
