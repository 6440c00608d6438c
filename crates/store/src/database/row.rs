//! What comes out of a statement.

use crate::error::StoreError;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;

/// A row, its columns by name.
pub struct Row(Inner);

enum Inner {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl From<SqliteRow> for Row {
    fn from(row: SqliteRow) -> Self {
        Row(Inner::Sqlite(row))
    }
}

impl From<PgRow> for Row {
    fn from(row: PgRow) -> Self {
        Row(Inner::Postgres(row))
    }
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Row")
    }
}

macro_rules! getter {
    ($(#[$doc:meta])* $name:ident, $maybe:ident, $kind:ty) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// There is no such column, it is absent or of another type: a bug.
        pub fn $name(&self, column: &str) -> Result<$kind, StoreError> {
            match &self.0 {
                Inner::Sqlite(row) => Ok(row.try_get::<$kind, _>(column)?),
                Inner::Postgres(row) => Ok(row.try_get::<$kind, _>(column)?),
            }
        }

        $(#[$doc])*
        /// `None` where it is absent.
        ///
        /// # Errors
        /// There is no such column, or it is of another type: a bug.
        pub fn $maybe(&self, column: &str) -> Result<Option<$kind>, StoreError> {
            match &self.0 {
                Inner::Sqlite(row) => Ok(row.try_get::<Option<$kind>, _>(column)?),
                Inner::Postgres(row) => Ok(row.try_get::<Option<$kind>, _>(column)?),
            }
        }
    };
}

impl Row {
    getter!(
        /// A whole number.
        int, maybe_int, i64
    );
    getter!(
        /// A number.
        real, maybe_real, f64
    );
    getter!(
        /// A text.
        text, maybe_text, String
    );
    getter!(
        /// Bytes.
        bytes, maybe_bytes, Vec<u8>
    );

    /// A whole number that says yes (not 0) or no.
    ///
    /// # Errors
    /// As for [`Row::int`].
    pub fn yes(&self, column: &str) -> Result<bool, StoreError> {
        Ok(self.int(column)? != 0)
    }
}
