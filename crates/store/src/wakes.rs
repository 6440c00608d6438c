//! Wakes waiters for work or events at once, within a process and, on PostgreSQL, between processes.
//!
//! A wake-up says "look again", nothing more: those who wait look now and then also without one (another process may
//! have written to the same file), so a lost one costs time, never work.

use crate::database::{Database, Kind, Location};
use sqlx::postgres::PgListener;
use std::time::Duration;
use tokio::sync::watch;

/// The channel of PostgreSQL by which processes notify each other that there is work, or less of it.
const CHANNEL: &str = "runcast_work";

/// What a transaction has for others.
#[derive(Debug, Clone, Copy, Default)]
pub struct News {
    /// Tasks can be claimed, or running ones are to be cancelled.
    pub work: bool,
    /// There are new events.
    pub events: bool,
}

/// Counters that rise with each news.
#[derive(Debug)]
pub struct Wakes {
    work: watch::Sender<u64>,
    events: watch::Sender<u64>,
}

impl Default for Wakes {
    fn default() -> Self {
        Wakes { work: watch::Sender::new(0), events: watch::Sender::new(0) }
    }
}

impl Wakes {
    /// Changes when tasks can be claimed, or running ones are to be cancelled.
    pub fn work(&self) -> watch::Receiver<u64> {
        self.work.subscribe()
    }

    /// Changes when there are new events.
    pub fn events(&self) -> watch::Receiver<u64> {
        self.events.subscribe()
    }

    /// Wakes those whom this concerns.
    pub fn tell(&self, news: News) {
        if news.work {
            self.work.send_modify(|count| *count += 1);
        }
        if news.events {
            self.events.send_modify(|count| *count += 1);
        }
    }
}

/// Waits for a change, but not longer than this.
pub async fn wait(changes: &mut watch::Receiver<u64>, longest: Duration) {
    // Elapsed, or no sender is left: both mean "look again".
    if !matches!(tokio::time::timeout(longest, changes.changed()).await, Ok(Ok(())) | Err(_)) {
        tokio::time::sleep(longest).await;
    }
}

/// Passes on notifications of other processes over PostgreSQL, until it is dropped; with SQLite it ends at once.
///
/// A lost connection is made again; those who wait look on their own meanwhile.
pub async fn listen(database: &Database, location: &Location) {
    let Location::Url(url) = location else { return };
    loop {
        if let Ok(mut listener) = PgListener::connect(url).await
            && listener.listen(CHANNEL).await.is_ok()
        {
            // What happened before we listened.
            database.wakes().tell(News { work: true, events: true });
            while let Ok(Some(_)) = listener.try_recv().await {
                database.wakes().tell(News { work: true, events: true });
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Says in a transaction that there is work, here and in other processes.
pub(crate) async fn announce(tx: &mut crate::Tx) -> Result<(), crate::StoreError> {
    tx.news().work = true;
    tx.news().events = true;
    if tx.kind() == Kind::Postgres {
        tx.fetch("SELECT 1 AS one FROM pg_notify('runcast_work', '')", &[]).await?;
    }
    Ok(())
}
