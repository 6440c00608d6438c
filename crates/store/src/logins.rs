//! Failed logins: after a few there is a pause for the client that failed, not for the account.
//!
//! A client is a device that its user has logged in from, or an address. Wrong passwords from elsewhere lock nobody out:
//! they only have strangers wait for each other ([`Attempt::Granted`]).

use crate::database::Database;
use crate::error::StoreError;

/// How long a failure counts, in microseconds: 15 minutes.
const COUNTED: i64 = 15 * 60 * 1_000_000;
/// Failures of a client at one account before the first pause.
const OF_CLIENT: i64 = 5;
/// Failures of a client at all accounts before the pause.
const OF_ALL: i64 = 20;
/// The longest pause between two attempts, in seconds.
const LONGEST_S: i64 = 900;

/// Answer to a login attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// It may be tried.
    Granted {
        /// It counts as failed until [`succeeded`] or [`withdrawn`] takes it back.
        id: i64,
        /// Whether so many logins of the account failed that strangers take turns.
        is_contested: bool,
    },
    /// Not before this many seconds have passed.
    Wait(i64),
}

/// The pause after the `failures`-th failure of a client at an account within 15 minutes, in seconds: from the fifth on 2,
/// 4, 8 and so on, at most 900.
pub fn pause_s(failures: i64) -> i64 {
    match failures - OF_CLIENT + 1 {
        ..=0 => 0,
        exponent => 2_i64.checked_pow(exponent.min(32) as u32).map_or(LONGEST_S, |wait| wait.min(LONGEST_S)),
    }
}

/// Asks to try a login. The attempt is noted as failed in advance: many at once gain nothing by it.
///
/// # Errors
/// The database is away.
pub async fn attempt(db: &Database, account: &str, client: &str) -> Result<Attempt, StoreError> {
    let account = account.to_lowercase();
    let mut tx = db.begin().await?;
    if tx.kind() == crate::Kind::Postgres {
        // One at a time, as on SQLite: counting and noting belong together.
        tx.execute("LOCK TABLE login_failures IN SHARE ROW EXCLUSIVE MODE", &[]).await?;
    }
    tx.execute("DELETE FROM login_failures WHERE at < {now} - $1", &[COUNTED.into()]).await?;
    let own = tx
        .fetch(
            "SELECT at, {now} AS now FROM login_failures WHERE account = $1 AND address = $2 ORDER BY at DESC",
            &[(&account).into(), client.into()],
        )
        .await?;
    if let Some(last) = own.first() {
        let left = last.int("at")? + pause_s(own.len() as i64) * 1_000_000 - last.int("now")?;
        if left > 0 {
            return Ok(Attempt::Wait((left + 999_999) / 1_000_000));
        }
    }
    let all = tx
        .fetch(
            "SELECT at, {now} AS now FROM login_failures WHERE address = $1 ORDER BY at DESC LIMIT $2",
            &[client.into(), OF_ALL.into()],
        )
        .await?;
    if let Some(oldest) = all.last().filter(|_| all.len() as i64 == OF_ALL) {
        let left = oldest.int("at")? + COUNTED - oldest.int("now")?;
        return Ok(Attempt::Wait((left / 1_000_000).max(0) + 1));
    }
    let failures = "SELECT COUNT(*) AS n FROM login_failures WHERE account = $1";
    let failures = tx.fetch_one(failures, &[(&account).into()]).await?.map_or(Ok(0), |row| row.int("n"))?;
    let row = tx
        .fetch_one(
            "INSERT INTO login_failures (account, address, at) VALUES ($1, $2, {now}) RETURNING id",
            &[account.into(), client.into()],
        )
        .await?;
    let id = row.map_or(Ok(0), |row| row.int("id"))?;
    tx.commit().await?;
    Ok(Attempt::Granted { id, is_contested: failures >= OF_CLIENT })
}

/// The attempt was good: it and the failures of this client at this account are forgotten.
///
/// # Errors
/// The database is away.
pub async fn succeeded(db: &Database, attempt: i64, account: &str, client: &str) -> Result<(), StoreError> {
    let statement = "DELETE FROM login_failures WHERE id = $1 OR (account = $2 AND address = $3)";
    db.write(statement, &[attempt.into(), account.to_lowercase().into(), client.into()]).await.map(|_| ())
}

/// The attempt is made only now: the pause after it counts from here.
///
/// # Errors
/// The database is away.
pub async fn made(db: &Database, attempt: i64) -> Result<(), StoreError> {
    db.write("UPDATE login_failures SET at = {now} WHERE id = $1", &[attempt.into()]).await.map(|_| ())
}

/// The attempt was not made.
///
/// # Errors
/// The database is away.
pub async fn withdrawn(db: &Database, attempt: i64) -> Result<(), StoreError> {
    db.write("DELETE FROM login_failures WHERE id = $1", &[attempt.into()]).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_from_the_fifth_failure_on() {
        assert_eq!([0, 1, 4].map(pause_s), [0; 3]);
        let pauses: Vec<i64> = (5..=14).map(pause_s).collect();
        assert_eq!(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 512, 900]);
        assert_eq!(pause_s(i64::MAX), 900);
    }
}
