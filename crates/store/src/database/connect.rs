//! Where a database is, and how it is opened.

use super::{Database, Pools};
use crate::error::StoreError;
use crate::migrate;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Connections that read from SQLite at once.
const READERS: u32 = 4;
/// Connections to PostgreSQL of one process.
pub(super) const CONNECTIONS: u32 = 16;
/// How long a connection that reads from SQLite is kept, with its memory, while nobody wants it.
const IDLE: Duration = Duration::from_secs(30);
/// How long a statement waits for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a database is.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite.
    File(PathBuf),
    /// `postgres://user:password@host:port/name`; never shown, for its password.
    Url(String),
}

impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Location::File(path) => write!(f, "{}", path.display()),
            Location::Url(_) => f.write_str("postgres://..."),
        }
    }
}

impl Location {
    /// Reads `postgres://..`, `postgresql://..`, `sqlite:PATH` or `sqlite://PATH`.
    pub fn parse(text: &str) -> Option<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Some(Location::Url(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:"))?;
        (!path.is_empty()).then(|| Location::File(PathBuf::from(path)))
    }
}

impl Database {
    /// Opens it; a file that is not there is made. The schema is brought up to date.
    ///
    /// # Errors
    /// It cannot be reached, or its schema is newer than this program.
    pub async fn open(location: &Location) -> Result<Self, StoreError> {
        let database = Database::connect(location).await?;
        migrate::migrate(&database, location).await?;
        Ok(database)
    }

    /// Opens it without a look at its schema.
    ///
    /// # Errors
    /// It cannot be reached.
    pub async fn connect(location: &Location) -> Result<Self, StoreError> {
        let pools = match location {
            Location::File(path) => sqlite(path).await?,
            Location::Url(url) => postgres(url).await?,
        };
        Ok(Database { pools, wakes: Arc::default() })
    }
}

async fn sqlite(path: &Path) -> Result<Pools, StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .statement_cache_capacity(200)
        // A page of a list at once: who reads and who takes are two threads.
        .row_buffer_size(512);
    let writer = SqlitePoolOptions::new()
        .max_connections(1)
        .min_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .acquire_timeout(Duration::from_secs(30))
        .connect_with(options.clone())
        .await?;
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS)
        .idle_timeout(Some(IDLE))
        .max_lifetime(None)
        .acquire_timeout(Duration::from_secs(30))
        .connect_lazy_with(options.read_only(true));
    Ok(Pools::Sqlite { writer, readers, relaxed: Arc::default() })
}

async fn postgres(url: &str) -> Result<Pools, StoreError> {
    let options = PgConnectOptions::from_str(url)?.application_name("runcast").statement_cache_capacity(200);
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(PATIENCE)
        .test_before_acquire(false)
        .connect_with(options)
        .await?;
    Ok(Pools::Postgres(pool))
}
