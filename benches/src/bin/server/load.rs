//! A database with tasks in it, and workers that do nothing but take them.

use runcast_store::queue::{self, Finish, PointRecord};
use runcast_store::testing::{Place, Postgres, people, sample_job};
use runcast_store::{Database, Id, Kind, StoreError, jobs};
use std::future::Future;
use std::time::{Duration, Instant};

/// Users with tasks in the queue.
pub const USERS: usize = 8;
const LEASE: Duration = Duration::from_secs(30);

/// How a database is called in the tables.
pub fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Sqlite => "SQLite",
        Kind::Postgres => "PostgreSQL",
    }
}

/// Runs something on a database of its own, which waits for the disk as it does by default.
pub fn with_database<Work, Done, Value>(kind: Kind, work: Work) -> Result<Value, String>
where
    Work: FnOnce(Database) -> Done,
    Done: Future<Output = Result<Value, StoreError>>,
{
    let text = |error: StoreError| error.to_string();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    match kind {
        Kind::Sqlite => {
            let place = Place::sqlite().map_err(text)?;
            runtime.block_on(async { work(Database::open(place.location()).await?).await }).map_err(text)
        }
        Kind::Postgres => {
            let server = Postgres::start().map_err(text)?.ok_or("PostgreSQL is not installed")?;
            let run = async { work(Database::open(&server.fresh().await?).await?).await };
            runtime.block_on(run).map_err(text)
        }
    }
}

/// Puts so many tasks in, of [`USERS`] users, each with jobs of `each` tasks.
pub async fn fill(db: &Database, total: usize, each: usize) -> Result<(), StoreError> {
    let (project, users) = people(db, USERS).await?;
    let mut left = total;
    let mut turn = 0;
    while left > 0 {
        let points = left.min(each);
        let user = &users[turn % USERS];
        jobs::launch(db, &[sample_job(&project, user, i64::try_from(points).unwrap_or(i64::MAX))]).await?;
        left -= points;
        turn += 1;
    }
    Ok(())
}

/// So many workers take tasks until `most` are done or none is left: tasks a second.
pub async fn drain(db: &Database, workers: usize, most: usize) -> Result<f64, StoreError> {
    let start = Instant::now();
    let each = most.div_ceil(workers);
    let running: Vec<_> = (0..workers).map(|_| tokio::spawn(worker(db.clone(), each))).collect();
    let mut done = 0;
    for worker in running {
        done += worker.await.map_err(|error| StoreError::Database(error.to_string()))??;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

async fn worker(db: Database, most: usize) -> Result<u32, StoreError> {
    let id = Id::new();
    let mut done = 0;
    while (done as usize) < most {
        let Some(claim) = queue::claim(&db, &id, LEASE).await? else { break };
        let record = |point: &i64| PointRecord { point: *point, failed: false, record: "{}".to_owned(), cpu_s: 0.0 };
        let points = claim.missing_points.iter().map(record).collect();
        if !queue::finish(&db, &claim.held(), &Finish::succeeded(points)).await? {
            return Err(StoreError::Database("a task was lost".to_owned()));
        }
        done += 1;
    }
    Ok(done)
}
