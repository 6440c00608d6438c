//! Looks into the database during the storm: a result never changes, a terminal state neither, nothing goes away.

use runcast_store::{Database, Row, StoreError};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// What has been seen.
pub struct Watch {
    db: Database,
    /// By job and number: the record and the attempt that wrote it.
    points: BTreeMap<(String, i64), (String, i64)>,
    /// By job: its state, as it was seen last.
    states: BTreeMap<String, String>,
}

impl Watch {
    /// Of this database.
    pub fn new(db: Database) -> Self {
        Watch { db, points: BTreeMap::new(), states: BTreeMap::new() }
    }

    /// Looks once, if the database is there: how many jobs are not terminal.
    pub fn look(&mut self, runtime: &Runtime) -> Result<usize, StoreError> {
        let statement = "SELECT id, state FROM jobs";
        let jobs = runtime.block_on(self.db.read(statement, &[]))?;
        let statement = "SELECT job_id, point, record, attempt FROM points";
        let points = runtime.block_on(self.db.read(statement, &[]))?;
        let mut states = BTreeMap::new();
        for row in &jobs {
            states.insert(row.text("id")?.to_owned(), row.text("state")?.to_owned());
        }
        for (id, before) in &self.states {
            let now = states.get(id).unwrap_or_else(|| panic!("I1: job {id} is gone"));
            assert!(!is_terminal(before) || before == now, "I4: job {id} was {before} and is {now}");
        }
        let mut there = BTreeMap::new();
        for row in &points {
            let key = (row.text("job_id")?.to_owned(), row.int("point")?);
            let value = (row.text("record")?.to_owned(), row.int("attempt")?);
            let first = there.insert(key, value);
            assert!(first.is_none(), "I2: two results of a point");
        }
        for (key, before) in &self.points {
            assert_eq!(there.get(key), Some(before), "I2: the result of {key:?} has changed");
        }
        (self.points, self.states) = (there, states);
        Ok(self.states.values().filter(|state| !is_terminal(state)).count())
    }

    /// How many jobs are not terminal, without a look at all that is there.
    pub fn open_jobs(&self, runtime: &Runtime) -> i64 {
        let statement = "SELECT count(*) AS open FROM jobs WHERE state IN ('queued', 'running')";
        let row = runtime.block_on(self.db.read_one(statement, &[])).expect("the database answers");
        row.expect("a row").int("open").expect("a number")
    }

    /// How many results of a job there are.
    pub fn points_of(&self, job: &str) -> usize {
        self.points.range((job.to_owned(), i64::MIN)..=(job.to_owned(), i64::MAX)).count()
    }

    /// Which attempt has written a point.
    pub fn attempt_of(&self, job: &str, point: i64) -> Option<i64> {
        self.points.get(&(job.to_owned(), point)).map(|(_, attempt)| *attempt)
    }

    /// Waits until the tasks that run are such: their numbers and attempts.
    pub fn until_running(
        &self,
        runtime: &Runtime,
        what: &str,
        is_so: impl Fn(&[(i64, i64)]) -> bool,
    ) -> Vec<(i64, i64)> {
        let statement = "SELECT number, attempt FROM tasks WHERE state = 'running'";
        let begun = Instant::now();
        loop {
            let rows = runtime.block_on(self.db.read(statement, &[])).expect("the database answers");
            let of_row = |row: &Row| (row.int("number").expect("a number"), row.int("attempt").expect("a number"));
            let running: Vec<(i64, i64)> = rows.iter().map(of_row).collect();
            if is_so(&running) {
                return running;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {running:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The state of a job, as it was seen last.
    pub fn state_of(&self, job: &str) -> Option<&str> {
        self.states.get(job).map(String::as_str)
    }

    /// How many jobs were seen last.
    pub fn jobs(&self) -> usize {
        self.states.len()
    }

    /// Jobs whose sums are not what their tasks and points say (I3), and how many attempts there were at all tasks.
    pub fn sums(&self, runtime: &Runtime) -> (Vec<String>, i64) {
        let wrong = "SELECT id FROM jobs WHERE points_done + points_failed <> points_total OR tasks_open <> 0 \
                     OR points_done <> (SELECT count(*) FROM points WHERE job_id = id AND failed = 0) \
                     OR points_failed <> (SELECT count(*) FROM points WHERE job_id = id AND failed = 1) \
                     OR EXISTS (SELECT 1 FROM tasks WHERE job_id = id AND state IN ('queued', 'running')) \
                     OR finished_at IS NULL";
        let read = |statement| runtime.block_on(self.db.read(statement, &[])).expect("the database answers");
        let wrong = read(wrong).iter().map(|row| row.text("id").expect("an id").to_owned()).collect();
        let lanes = read("SELECT user_id FROM lanes WHERE ready <> 0 OR running <> 0 OR points <> 0");
        assert!(lanes.is_empty(), "a lane counts tasks that are not there");
        let attempts = "SELECT attempt FROM tasks";
        let attempts = read(attempts).iter().map(|row| row.int("attempt").expect("a number")).sum();
        (wrong, attempts)
    }
}

fn is_terminal(state: &str) -> bool {
    matches!(state, "succeeded" | "failed" | "cancelled")
}
