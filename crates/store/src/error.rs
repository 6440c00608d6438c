//! What can go wrong in the store.

/// What can go wrong in the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database does not answer, or its connection broke; trying again later may help.
    #[error("the database is unreachable: {0}")]
    Away(String),
    /// No space is left; nothing was changed.
    #[error("the database has no space left: {0}")]
    Full(String),
    /// Nothing of this kind and name is there.
    #[error("there is no {kind} {name}")]
    Missing {
        /// The kind of thing, such as `project`.
        kind: &'static str,
        /// Its name or id, as asked for.
        name: String,
    },
    /// A name is taken.
    #[error("the {kind} {name} already exists")]
    Taken {
        /// The kind of thing, such as `project`.
        kind: &'static str,
        name: String,
    },
    /// It was changed meanwhile: the version that the change names is not the current one.
    #[error("it is now at version {current}")]
    Stale {
        /// The version it has now; 0 when it is not there.
        current: i64,
        /// Its digest; empty when it is not there.
        digest: String,
    },
    /// A file cannot be at this path, because of another file.
    #[error("{message}")]
    Path { path: String, message: String },
    /// The state it is in does not allow this.
    #[error("{0}")]
    State(String),
    /// A limit of this user would be exceeded.
    #[error("the quota {quota} of {limit} would be exceeded")]
    Quota {
        quota: &'static str,
        /// What it allows.
        limit: i64,
    },
    /// The schema of the database is newer than this program.
    #[error("the schema of the database is {found}, this program knows {known}")]
    Newer {
        /// The schema found.
        found: i64,
        /// The newest schema known.
        known: i64,
    },
    /// The database refused a statement: a bug, or a damaged file.
    #[error("the database refused: {0}")]
    Database(String),
}

impl StoreError {
    /// Nothing of this kind and name is there.
    pub fn missing(kind: &'static str, name: impl Into<String>) -> Self {
        StoreError::Missing { kind, name: name.into() }
    }

    /// Whether the same may succeed a little later.
    pub fn is_away(&self) -> bool {
        matches!(self, StoreError::Away(_))
    }

    /// Whether waiting helps.
    pub fn is_passing(&self) -> bool {
        matches!(self, StoreError::Away(_) | StoreError::Full(_))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error;
        let text = error.to_string();
        match &error {
            Error::Io(_) | Error::Tls(_) | Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed => {
                StoreError::Away(text)
            }
            Error::Protocol(_) => StoreError::Away(text),
            Error::Database(database) => match database.code().as_deref() {
                // PostgreSQL: shutting down, cannot connect now, connection exceptions, serialization, deadlock.
                Some("57P01" | "57P02" | "57P03" | "40001" | "40P01" | "53300") => StoreError::Away(text),
                Some(code) if code.len() == 5 && code.starts_with("08") => StoreError::Away(text),
                // Disk full: PostgreSQL's class, SQLite's number.
                Some("53100" | "13") => StoreError::Full(text),
                // SQLite: busy and locked, with their extended codes.
                Some("5" | "6" | "261" | "517" | "262") => StoreError::Away(text),
                _ => StoreError::Database(text),
            },
            _ => StoreError::Database(text),
        }
    }
}
