//! What the tests of the queue share.

use runcast_store::queue::{self, Claim, Held, PointRecord};
use runcast_store::testing::sample_job;
use runcast_store::{Database, Id, jobs};
use std::time::Duration;

pub const LEASE: Duration = Duration::from_secs(30);

/// A point that succeeded.
pub fn record(point: i64) -> PointRecord {
    PointRecord { point, failed: false, record: format!("{{\"p\":{point}}}"), cpu_s: 0.5 }
}

/// All points of a claim, succeeded.
pub fn records(claim: &Claim) -> Vec<PointRecord> {
    claim.missing_points.iter().map(|point| record(*point)).collect()
}

/// Launches a job of this many tasks of one point, with this priority.
pub async fn launch(db: &Database, project: &Id, user: &Id, tasks: i64, priority: i64) -> Id {
    let mut job = sample_job(project, user, tasks);
    job.priority = priority;
    jobs::launch(db, &[job]).await.expect("launched").remove(0)
}

/// The next task.
pub async fn claim(db: &Database, worker: &Id) -> Option<Claim> {
    queue::claim(db, worker, LEASE).await.expect("claimed")
}

/// A job that must be there.
pub async fn job(db: &Database, id: &Id) -> jobs::Job {
    jobs::get(db, id).await.expect("read").expect("there")
}

/// Lets the lease of a task end.
pub async fn let_expire(db: &Database, held: &Held) {
    let statement = "UPDATE tasks SET lease_until = 0 WHERE job_id = $1 AND number = $2 AND state = 'running'";
    db.write(statement, &[(&held.job).into(), held.number.into()]).await.expect("written");
}

/// Lets all waits end.
pub async fn let_waits_end(db: &Database) {
    // Tasks that somebody works on at this moment are left out: this hand takes no lane, as the others do.
    let statement = "UPDATE tasks SET not_before = 0 WHERE (job_id, number) IN (SELECT job_id, number FROM tasks \
                     WHERE not_before > 0 AND state = 'queued' {skip_locked})";
    db.write(statement, &[]).await.expect("written");
}

/// What the lanes count, held against the tasks themselves; and I3 on all jobs.
pub async fn check_books(db: &Database, about: &str) {
    let lanes = "SELECT l.user_id, l.ready, l.running, l.points, \
                 (SELECT COUNT(*) FROM tasks t WHERE t.user_id = l.user_id AND t.state = 'queued' AND t.ready = 1) AS r, \
                 (SELECT COUNT(*) FROM tasks t WHERE t.user_id = l.user_id AND t.state = 'running') AS n, \
                 (SELECT CAST(COALESCE(SUM(t.points), 0) AS {int}) FROM tasks t \
                 WHERE t.user_id = l.user_id AND t.state = 'queued') AS p FROM lanes l";
    for row in db.read(lanes, &[]).await.expect("read") {
        let int = |name| row.int(name).expect("a number");
        assert_eq!((int("ready"), int("running"), int("points")), (int("r"), int("n"), int("p")), "{about}: a lane");
    }
    let jobs = "SELECT j.id, j.state, j.points_total, j.points_done, j.points_failed, j.tasks_open, \
                (SELECT COUNT(*) FROM tasks t WHERE t.job_id = j.id AND t.state IN ('queued', 'running')) AS open, \
                (SELECT COUNT(*) FROM points p WHERE p.job_id = j.id AND p.failed = 0) AS done, \
                (SELECT COUNT(*) FROM points p WHERE p.job_id = j.id AND p.failed = 1) AS failed FROM jobs j";
    for row in db.read(jobs, &[]).await.expect("read") {
        let int = |name| row.int(name).expect("a number");
        let state = row.text("state").expect("a state");
        let about = format!("{about}: job {} {state}", row.text("id").expect("an id"));
        assert_eq!((int("points_done"), int("points_failed")), (int("done"), int("failed")), "{about}");
        assert_eq!(int("tasks_open"), int("open"), "{about}");
        let is_terminal = state != "queued" && state != "running";
        assert_eq!(is_terminal, int("open") == 0, "{about}");
        if state == "succeeded" || state == "failed" {
            assert_eq!(int("done") + int("failed"), int("points_total"), "{about}");
            assert_eq!(state == "failed", int("failed") > 0, "{about}");
        }
        if state == "cancelled" {
            assert!(int("done") + int("failed") < int("points_total"), "{about}");
        }
    }
}

/// Numbers that look random and are the same for the same seed.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 11) as usize % bound.max(1)
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let index = self.below(of.len());
        of.get(index)
    }
}
