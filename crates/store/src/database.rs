//! One thin layer over SQLite and PostgreSQL: the same statement runs on both.
//!
//! Statements number their parameters `$1`, `$2`, ..; a few words in braces stand for what the two spell differently:
//!
//! | word | SQLite | PostgreSQL |
//! |---|---|---|
//! | `{now}` | microseconds since 1970, of the system's clock | the same, of the server's clock |
//! | `{skip_locked}` | nothing: there is one writer | `FOR UPDATE SKIP LOCKED` |
//! | `{for_update}` | nothing | `FOR UPDATE` |
//! | `{for_change}` | nothing | `FOR NO KEY UPDATE`: others may still refer to the row |
//! | `{binary}` | `COLLATE BINARY` | `COLLATE "C"`: the same order on both |
//! | `{int}` `{bytes}` `{real}` | `INTEGER` `BLOB` `REAL` | `BIGINT` `BYTEA` `DOUBLE PRECISION` |
//! | `{serial}` | `INTEGER PRIMARY KEY AUTOINCREMENT` | `BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY` |
//! | `{strict}` | `STRICT` | nothing |
//!
//! SQLite has **one** writing connection beside several reading ones: four writing ones made the slowest of a hundred
//! requests 80 times slower than one does.

mod connect;
mod row;
mod value;

pub use connect::Location;
pub use row::Row;
pub use value::Value;

use crate::error::StoreError;
use crate::wakes::{News, Wakes};
use sqlx::{AssertSqlSafe, Connection as _, PgPool, Postgres, SqlStr, Sqlite, SqlitePool, Transaction};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file of this machine.
    Sqlite,
    Postgres,
}

impl Kind {
    /// Its name in answers: `sqlite` or `postgres`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sqlite => "sqlite",
            Kind::Postgres => "postgres",
        }
    }
}

/// A database, with its connections. Clones share them.
#[derive(Debug, Clone)]
pub struct Database {
    pools: Pools,
    wakes: Arc<Wakes>,
}

#[derive(Debug, Clone)]
enum Pools {
    /// `relaxed`: whether the writer does not wait for the disk at this moment.
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
        relaxed: Arc<AtomicBool>,
    },
    Postgres(PgPool),
}

/// A transaction that writes; dropped without [`Tx::commit`] it has changed nothing.
#[derive(Debug)]
pub struct Tx {
    open: Open,
    wakes: Arc<Wakes>,
    /// News for other processes once its changes are committed.
    news: News,
}

#[derive(Debug)]
enum Open {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Database {
    pub fn kind(&self) -> Kind {
        match self.pools {
            Pools::Sqlite { .. } => Kind::Sqlite,
            Pools::Postgres(_) => Kind::Postgres,
        }
    }

    /// Rows of one reading statement, outside any transaction.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn read(&self, statement: &'static str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.read_text(Cow::Borrowed(statement), values).await
    }

    /// The same for a statement combined at run time: of our own words only, never of anything from outside.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn read_text(&self, statement: Cow<'static, str>, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let text = spelled(self.kind(), statement).into_owned();
        match &self.pools {
            Pools::Sqlite { readers, .. } => {
                let query =
                    values.iter().fold(sqlx::query(AssertSqlSafe(text)), |query, value| value.bind_sqlite(query));
                Ok(query.fetch_all(readers).await?.into_iter().map(Row::from).collect())
            }
            Pools::Postgres(pool) => {
                let run = || {
                    let text = AssertSqlSafe(text.clone());
                    values.iter().fold(sqlx::query(text), |query, value| value.bind_postgres(query)).fetch_all(pool)
                };
                Ok(retry(run).await?.into_iter().map(Row::from).collect())
            }
        }
    }

    /// The first row of a reading statement.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn read_one(&self, statement: &'static str, values: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.read(statement, values).await?.into_iter().next())
    }

    /// Begins a transaction that writes; on SQLite there is one at a time.
    ///
    /// # Errors
    /// The database is away.
    pub async fn begin(&self) -> Result<Tx, StoreError> {
        self.begin_as(true).await
    }

    /// Begins a transaction whose end does not wait for the disk. A power failure may undo it, never tear it.
    ///
    /// # Errors
    /// The database is away.
    pub async fn begin_relaxed(&self) -> Result<Tx, StoreError> {
        self.begin_as(false).await
    }

    async fn begin_as(&self, is_durable: bool) -> Result<Tx, StoreError> {
        let open = match &self.pools {
            Pools::Sqlite { writer, relaxed, .. } => {
                let mut connection = writer.acquire().await?;
                // SQLite ends a transaction on its own where the disk is full: such a connection counts one that is not there.
                while connection.is_in_transaction() {
                    connection.close().await?;
                    relaxed.store(false, Ordering::Relaxed);
                    connection = writer.acquire().await?;
                }
                // The holder of the only connection has exclusive access to this note.
                if relaxed.load(Ordering::Relaxed) == is_durable {
                    let mode = if is_durable { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" };
                    sqlx::query(mode).execute(&mut *connection).await?;
                    relaxed.store(!is_durable, Ordering::Relaxed);
                }
                Open::Sqlite(Transaction::begin(connection, Some(SqlStr::from_static("BEGIN IMMEDIATE"))).await?)
            }
            Pools::Postgres(pool) => {
                let mut tx = retry(|| pool.begin()).await?;
                if !is_durable {
                    sqlx::query("SET LOCAL synchronous_commit = off").execute(&mut *tx).await?;
                }
                Open::Postgres(tx)
            }
        };
        Ok(Tx { open, wakes: self.wakes.clone(), news: News::default() })
    }

    /// Wakes those that wait for work or events within this process.
    pub fn wakes(&self) -> &Arc<Wakes> {
        &self.wakes
    }

    /// One writing statement as a transaction of its own: how many rows it changed.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn write(&self, statement: &'static str, values: &[Value]) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let changed = tx.execute(statement, values).await?;
        tx.commit().await?;
        Ok(changed)
    }

    /// The time on the database's clock, in microseconds since 1970.
    ///
    /// # Errors
    /// The database is away.
    pub async fn now(&self) -> Result<i64, StoreError> {
        let row = self.read_one("SELECT {now} AS now", &[]).await?;
        row.ok_or_else(|| StoreError::Database("no time".to_owned()))?.int("now")
    }

    /// Writes a copy of SQLite's file as it is at this moment, while others continue; there must be no file of this name.
    ///
    /// # Errors
    /// It is not SQLite, no space is left, or the database is away.
    pub async fn copy_into(&self, path: &std::path::Path) -> Result<(), StoreError> {
        let Pools::Sqlite { readers, .. } = &self.pools else {
            return Err(StoreError::State("only a file of SQLite can be copied".to_owned()));
        };
        let path = path.to_str().ok_or_else(|| StoreError::State("the name of the copy is not Unicode".to_owned()))?;
        sqlx::query("VACUUM INTO $1").bind(path.to_owned()).execute(readers).await?;
        Ok(())
    }

    /// A statement of PostgreSQL alone that writes, as a transaction of its own; one that may be sent twice.
    pub(crate) async fn write_once(&self, statement: &'static str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let Pools::Postgres(pool) = &self.pools else {
            return Err(StoreError::Database("a statement of PostgreSQL".to_owned()));
        };
        let text = spelled(Kind::Postgres, Cow::Borrowed(statement)).into_owned();
        let run = || {
            let text = AssertSqlSafe(text.clone());
            values.iter().fold(sqlx::query(text), |query, value| value.bind_postgres(query)).fetch_all(pool)
        };
        Ok(retry(run).await?.into_iter().map(Row::from).collect())
    }

    /// A setting of SQLite's writing connection.
    #[cfg(feature = "testing")]
    pub(crate) async fn pragma(&self, text: String) -> Result<(), StoreError> {
        if let Pools::Sqlite { writer, .. } = &self.pools {
            sqlx::query(AssertSqlSafe(text)).execute(writer).await?;
        }
        Ok(())
    }

    /// Closes all connections, in good order.
    pub async fn close(&self) {
        match &self.pools {
            Pools::Sqlite { writer, readers, .. } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

impl Tx {
    /// Which database it is.
    pub fn kind(&self) -> Kind {
        match self.open {
            Open::Sqlite(_) => Kind::Sqlite,
            Open::Postgres(_) => Kind::Postgres,
        }
    }

    /// Rows of a statement (one that reads, or one with `RETURNING`).
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn fetch(&mut self, statement: &'static str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.fetch_text(Cow::Borrowed(statement), values).await
    }

    /// The same for a statement combined at run time: of our own words only, never of anything from outside.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn fetch_text(&mut self, statement: Cow<'static, str>, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let text = AssertSqlSafe(spelled(self.kind(), statement).into_owned());
        match &mut self.open {
            Open::Sqlite(tx) => {
                let query = values.iter().fold(sqlx::query(text), |query, value| value.bind_sqlite(query));
                Ok(query.fetch_all(&mut **tx).await?.into_iter().map(Row::from).collect())
            }
            Open::Postgres(tx) => {
                let query = values.iter().fold(sqlx::query(text), |query, value| value.bind_postgres(query));
                Ok(query.fetch_all(&mut **tx).await?.into_iter().map(Row::from).collect())
            }
        }
    }

    /// Rows of several statements, one after the other, over the same values: in one go on SQLite, where each way to the
    /// thread of its connection costs more than a statement.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn fetch_each(&mut self, statements: &[&'static str], values: &[Value]) -> Result<Vec<Row>, StoreError> {
        if self.kind() == Kind::Sqlite {
            return self.fetch_text(Cow::Owned(statements.join("; ")), values).await;
        }
        let mut rows = Vec::new();
        for statement in statements {
            rows.extend(self.fetch(statement, values).await?);
        }
        Ok(rows)
    }

    /// The first row of a statement.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn fetch_one(&mut self, statement: &'static str, values: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.fetch(statement, values).await?.into_iter().next())
    }

    /// How many rows a statement changed.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn execute(&mut self, statement: &'static str, values: &[Value]) -> Result<u64, StoreError> {
        self.execute_text(Cow::Borrowed(statement), values).await
    }

    /// The same for a statement combined at run time: of our own words only, never of anything from outside.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn execute_text(&mut self, statement: Cow<'static, str>, values: &[Value]) -> Result<u64, StoreError> {
        let text = AssertSqlSafe(spelled(self.kind(), statement).into_owned());
        match &mut self.open {
            Open::Sqlite(tx) => {
                let query = values.iter().fold(sqlx::query(text), |query, value| value.bind_sqlite(query));
                Ok(query.execute(&mut **tx).await?.rows_affected())
            }
            Open::Postgres(tx) => {
                let query = values.iter().fold(sqlx::query(text), |query, value| value.bind_postgres(query));
                Ok(query.execute(&mut **tx).await?.rows_affected())
            }
        }
    }

    /// Puts rows into a table, many with a statement: `row` is how one is written, with `?` for each of its values.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn insert(&mut self, into: &str, row: &str, rows: &[Vec<Value>], after: &str) -> Result<u64, StoreError> {
        let mut changed = 0;
        let mut rest = rows;
        while !rest.is_empty() {
            // Few different lengths: a statement of each is prepared once.
            let count = [64, 32, 16, 8, 4, 2, 1].into_iter().find(|count| *count <= rest.len()).unwrap_or(1);
            let (now, later) = rest.split_at(count);
            let mut number = 0;
            let mut text = format!("INSERT INTO {into} VALUES ");
            for index in 0..count {
                text.push_str(if index == 0 { "(" } else { ", (" });
                for part in row.split_inclusive('?') {
                    if let Some(before) = part.strip_suffix('?') {
                        number += 1;
                        text.push_str(&format!("{before}${number}"));
                    } else {
                        text.push_str(part);
                    }
                }
                text.push(')');
            }
            text.push(' ');
            text.push_str(after);
            changed += self.execute_text(Cow::Owned(text), &now.concat()).await?;
            rest = later;
        }
        Ok(changed)
    }

    /// Waits until no other transaction holds the lock of this number, and holds it to its own end.
    ///
    /// SQLite has one writer, so every writing transaction holds all of them.
    ///
    /// # Errors
    /// The database is away.
    pub async fn lock(&mut self, number: i64) -> Result<(), StoreError> {
        if self.kind() == Kind::Postgres {
            self.fetch("SELECT 1 AS one FROM pg_advisory_xact_lock($1)", &[number.into()]).await?;
        }
        Ok(())
    }

    /// Several statements without parameters, such as a step of the schema.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn run_all(&mut self, statements: &'static str) -> Result<(), StoreError> {
        self.run_all_text(Cow::Borrowed(statements)).await
    }

    /// The same for statements combined at run time: of our own words only, never of anything from outside.
    ///
    /// # Errors
    /// The database is away or refuses.
    pub async fn run_all_text(&mut self, statements: Cow<'static, str>) -> Result<(), StoreError> {
        let text = AssertSqlSafe(spelled(self.kind(), statements).into_owned());
        match &mut self.open {
            Open::Sqlite(tx) => sqlx::raw_sql(text).execute(&mut **tx).await.map(|_| ())?,
            Open::Postgres(tx) => sqlx::raw_sql(text).execute(&mut **tx).await.map(|_| ())?,
        }
        Ok(())
    }

    /// Makes its changes last.
    ///
    /// # Errors
    /// The database is away: then it is unknown whether they last.
    pub async fn commit(self) -> Result<(), StoreError> {
        match self.open {
            Open::Sqlite(tx) => tx.commit().await?,
            Open::Postgres(tx) => tx.commit().await?,
        }
        self.wakes.tell(self.news);
        Ok(())
    }

    /// Undoes its changes now. A transaction that is dropped is undone too, a little later: until then its locks are held.
    pub async fn rollback(self) {
        // A connection that is lost has undone it as well.
        let _ = match self.open {
            Open::Sqlite(tx) => tx.rollback().await,
            Open::Postgres(tx) => tx.rollback().await,
        };
    }

    /// News of this transaction for others, once it is committed.
    pub fn news(&mut self) -> &mut News {
        &mut self.news
    }
}

/// Does something that is the first on a connection, and that may be done twice. Connections of the pool are dead after
/// PostgreSQL was started again: then the next one is tried. (To ask each connection before would cost a way there and
/// back each time.)
async fn retry<Work, Done, Value>(work: Work) -> Result<Value, sqlx::Error>
where
    Work: Fn() -> Done,
    Done: Future<Output = Result<Value, sqlx::Error>>,
{
    for _ in 0..connect::CONNECTIONS {
        match work().await {
            Err(sqlx::Error::Io(_) | sqlx::Error::Protocol(_)) => {}
            Err(sqlx::Error::Database(error)) if matches!(error.code().as_deref(), Some("57P01" | "57P02")) => {}
            done => return done,
        }
    }
    work().await
}

/// Puts in what the two databases spell differently.
fn spelled(kind: Kind, statement: Cow<'static, str>) -> Cow<'static, str> {
    if !statement.contains('{') {
        return statement;
    }
    let words: [(&str, &str, &str); 10] = [
        ("{now}", "CAST(unixepoch('now', 'subsec') * 1000000 AS INTEGER)", NOW_POSTGRES),
        ("{skip_locked}", "", "FOR UPDATE SKIP LOCKED"),
        ("{for_update}", "", "FOR UPDATE"),
        ("{for_change}", "", "FOR NO KEY UPDATE"),
        ("{binary}", "COLLATE BINARY", "COLLATE \"C\""),
        ("{int}", "INTEGER", "BIGINT"),
        ("{bytes}", "BLOB", "BYTEA"),
        ("{real}", "REAL", "DOUBLE PRECISION"),
        ("{serial}", "INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        ("{strict}", "STRICT", ""),
    ];
    let put = |text: String, (word, sqlite, postgres): (&str, &str, &str)| {
        text.replace(word, if kind == Kind::Sqlite { sqlite } else { postgres })
    };
    Cow::Owned(words.into_iter().fold(statement.into_owned(), put))
}

/// The clock itself, not the time at which the transaction began.
const NOW_POSTGRES: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
