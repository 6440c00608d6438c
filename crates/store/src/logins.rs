//! Failed logins: after a few there is a pause, for the account and for the address they came from.

use crate::database::Database;
use crate::error::StoreError;

/// How long a failure counts, in microseconds: 15 minutes.
const COUNTED: i64 = 15 * 60 * 1_000_000;
/// Failures of one account before the pause.
const OF_ACCOUNT: i64 = 5;
/// Failures from one address before the pause.
const OF_ADDRESS: i64 = 20;

/// Answer to a login attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// It may be tried; it counts as failed until [`succeeded`] takes it back.
    Granted(i64),
    /// Not before this many seconds have passed.
    Wait(i64),
}

/// Asks to try a login. The attempt is noted as failed in advance: many at once gain nothing by it.
///
/// # Errors
/// The database is away.
pub async fn attempt(db: &Database, account: &str, address: &str) -> Result<Attempt, StoreError> {
    let account = account.to_lowercase();
    let mut tx = db.begin().await?;
    if tx.kind() == crate::Kind::Postgres {
        // One at a time, as on SQLite: counting and noting belong together.
        tx.execute("LOCK TABLE login_failures IN SHARE ROW EXCLUSIVE MODE", &[]).await?;
    }
    tx.execute("DELETE FROM login_failures WHERE at < {now} - $1", &[COUNTED.into()]).await?;
    for (statement, value, most) in [
        (
            "SELECT at, {now} AS now FROM login_failures WHERE account = $1 ORDER BY at DESC LIMIT $2",
            &account,
            OF_ACCOUNT,
        ),
        (
            "SELECT at, {now} AS now FROM login_failures WHERE address = $1 ORDER BY at DESC LIMIT $2",
            &address.to_owned(),
            OF_ADDRESS,
        ),
    ] {
        let rows = tx.fetch(statement, &[value.into(), most.into()]).await?;
        if let Some(oldest) = rows.last().filter(|_| rows.len() as i64 == most) {
            let left = oldest.int("at")? + COUNTED - oldest.int("now")?;
            return Ok(Attempt::Wait((left / 1_000_000).max(0) + 1));
        }
    }
    let row = tx
        .fetch_one(
            "INSERT INTO login_failures (account, address, at) VALUES ($1, $2, {now}) RETURNING id",
            &[account.into(), address.into()],
        )
        .await?;
    let id = row.map_or(Ok(0), |row| row.int("id"))?;
    tx.commit().await?;
    Ok(Attempt::Granted(id))
}

/// The attempt was good: it and the failures of this account are forgotten.
///
/// # Errors
/// The database is away.
pub async fn succeeded(db: &Database, attempt: i64, account: &str) -> Result<(), StoreError> {
    let statement = "DELETE FROM login_failures WHERE id = $1 OR account = $2";
    db.write(statement, &[attempt.into(), account.to_lowercase().into()]).await.map(|_| ())
}
