//! What every test here begins with and ends with: a site, a client, and an eye on the database.

use crate::client::{self, Client, Heard};
use crate::site::{Plan, Site};
use crate::watch::Watch;
use crate::{check, no_postgres};
use runcast_store::testing::Postgres;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// All there is.
pub struct Scene {
    pub site: Site,
    pub client: Client,
    pub watch: Watch,
    pub runtime: Runtime,
}

/// A test on a PostgreSQL of its own. It need not wait for the disk: what a killed process has written, the system keeps.
pub fn on_postgres(test: impl FnOnce(Option<Postgres>)) {
    match Postgres::start_with(&["fsync=off"]).expect("PostgreSQL starts") {
        Some(postgres) => test(Some(postgres)),
        None => no_postgres(),
    }
}

/// What people call it.
pub fn name_of(postgres: Option<&Postgres>) -> &'static str {
    if postgres.is_some() { "PostgreSQL" } else { "SQLite" }
}

impl Scene {
    /// Starts all of it; on SQLite without a PostgreSQL.
    pub fn start(plan: Plan, postgres: Option<Postgres>) -> Scene {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let site = Site::start(plan, postgres, &runtime);
        client::prepare(&site);
        let watch = Watch::new(site.database(&runtime));
        let client = Client { door: site.door(), heard: Arc::<Heard>::default() };
        Scene { site, client, watch, runtime }
    }

    /// Looks once, if the database is there: how many jobs are not terminal.
    pub fn open_jobs(&mut self) -> usize {
        self.watch.look(&self.runtime).expect("the database answers")
    }

    /// Waits until all jobs have ended.
    pub fn until_done(&mut self, longest: Duration) {
        let begun = Instant::now();
        while self.watch.open_jobs(&self.runtime) > 0 {
            assert!(begun.elapsed() < longest, "jobs do not end\n{}", self.site.said());
            std::thread::sleep(Duration::from_millis(50));
        }
        self.open_jobs();
    }

    /// Asserts that all is as if nothing had been, ends all, and says how many attempts it took.
    pub fn end(&mut self, turns: u64) -> i64 {
        let attempts = check::all_is_well(&self.client, &mut self.watch, turns, &self.runtime);
        self.site.assert_alive();
        let ended = self.site.stop();
        assert!(ended.iter().all(ExitStatus::success), "{ended:?}\n{}", self.site.said());
        self.site.assert_no_orphans();
        attempts
    }
}
