//! Both databases for tests: SQLite in a folder of its own, and a private PostgreSQL.

mod postgres;
mod sample;

pub use postgres::Postgres;
pub use sample::{people, sample_job};

use crate::database::{Database, Location};
use crate::error::StoreError;

/// A database that is there as long as this value is.
#[derive(Debug)]
pub struct Place {
    location: Location,
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    /// An empty file of SQLite.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn sqlite() -> Result<Self, StoreError> {
        let folder = tempfile::tempdir().map_err(|error| StoreError::Away(error.to_string()))?;
        let location = Location::File(folder.path().join("runcast.sqlite"));
        Ok(Place { location, _folder: Some(folder) })
    }

    /// An empty database of the PostgreSQL that the tests of this process share; `None` where Debian's package is missing.
    ///
    /// # Errors
    /// It does not start.
    pub async fn postgres() -> Result<Option<Self>, StoreError> {
        let Some(server) = Postgres::shared()? else { return Ok(None) };
        Ok(Some(Place { location: server.fresh().await?, _folder: None }))
    }

    pub fn location(&self) -> &Location {
        &self.location
    }
}

impl Database {
    /// Bounds the size of SQLite's file, in pages: what stands for the end of the disk in tests.
    ///
    /// # Errors
    /// It is away.
    pub async fn limit_pages(&self, pages: i64) -> Result<(), StoreError> {
        self.pragma(format!("PRAGMA max_page_count = {pages}")).await
    }
}

/// Runs a test on SQLite, then on PostgreSQL, each with an empty database of our schema.
///
/// # Panics
/// If a database cannot be had, or PostgreSQL is missing where nothing may be (`RUNCAST_REQUIRE_ALL=1`).
#[expect(clippy::expect_used, clippy::print_stderr, reason = "it is a part of tests")]
pub async fn both<Test, Done>(test: Test)
where
    Test: Fn(Database) -> Done,
    Done: Future<Output = ()>,
{
    let place = Place::sqlite().expect("a folder");
    let database = Database::open(place.location()).await.expect("SQLite opens");
    test(database.clone()).await;
    database.close().await;
    match Place::postgres().await.expect("PostgreSQL starts") {
        Some(place) => {
            let database = Database::open(place.location()).await.expect("PostgreSQL opens");
            test(database.clone()).await;
            database.close().await;
        }
        None => {
            let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
            assert!(!must, "PostgreSQL is missing");
            eprintln!("not tested on PostgreSQL: it is not installed");
        }
    }
}
