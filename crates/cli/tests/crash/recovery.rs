//! A server that was killed has its tasks running again within seconds of its next start, not after a lease (G14).

use crate::client::{self, Client, Heard};
use crate::site::{Plan, Site};
use crate::watch::Watch;
use crate::{check, no_postgres};
use runcast_store::testing::Postgres;
use std::time::{Duration, Instant};

/// The goal, and what a debug build on a busy machine may take; a lease is 30 s.
const GOAL: Duration = Duration::from_secs(3);
const LOOSELY: Duration = Duration::from_secs(15);
/// Points that last, so that two run when the server is killed.
const TURNS: u64 = 4_000_000;

#[test]
fn tasks_run_again_at_once_after_the_server_was_killed_on_sqlite() {
    run_again(None);
}

#[test]
fn tasks_run_again_at_once_after_the_server_was_killed_on_postgres() {
    match Postgres::start().expect("PostgreSQL starts") {
        Some(postgres) => run_again(Some(postgres)),
        None => no_postgres(),
    }
}

fn run_again(postgres: Option<Postgres>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let name = if postgres.is_some() { "PostgreSQL" } else { "SQLite" };
    let mut site = Site::start(Plan { in_process: 2, workers: 0, lease_s: 1 }, postgres, &runtime);
    client::prepare(&site);
    let mut watch = Watch::new(site.database(&runtime));
    let heard = Heard::default();
    let client = Client { door: site.door(), heard: &heard };
    client.launch(0, 0, TURNS);
    let before = watch.until_running(&runtime, "two tasks run", |running| running.len() == 2);
    let killed = Instant::now();
    site.kill_server();
    site.start_server();
    let started = killed.elapsed();
    // The same tasks, at a later attempt each.
    let is_again = |running: &[(i64, i64)]| {
        let later = |(number, attempt): &(i64, i64)| running.iter().any(|(n, a)| n == number && a > attempt);
        before.iter().all(later)
    };
    watch.until_running(&runtime, "both run again", is_again);
    let took = killed.elapsed();
    eprintln!(
        "{name}: killed, started after {:.3} s, its tasks run again after {:.3} s (goal: {GOAL:?})",
        started.as_secs_f64(),
        took.as_secs_f64()
    );
    assert!(took < LOOSELY, "{took:?}");
    let begun = Instant::now();
    while watch.look(&runtime).expect("the database answers") > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the job does not end\n{}", site.said());
        std::thread::sleep(Duration::from_millis(50));
    }
    check::all_is_well(&client, &mut watch, TURNS, &runtime);
    assert!(site.stop().iter().all(std::process::ExitStatus::success), "{}", site.said());
    site.assert_no_orphans();
}
