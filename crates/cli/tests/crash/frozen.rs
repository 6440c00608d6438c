//! A worker that sleeps beyond its lease and wakes up again writes nothing: the numbers of the attempts tell.

use crate::client::{self, Client, Heard};
use crate::site::{Plan, Site};
use crate::watch::Watch;
use crate::{check, no_postgres};
use runcast_store::testing::Postgres;
use std::time::{Duration, Instant};

/// Points that last, so that the worker has one under way when it falls asleep.
const TURNS: u64 = 10_000_000;

#[test]
fn a_worker_that_slept_beyond_its_lease_writes_nothing_on_sqlite() {
    writes_nothing(None);
}

#[test]
fn a_worker_that_slept_beyond_its_lease_writes_nothing_on_postgres() {
    match Postgres::start().expect("PostgreSQL starts") {
        Some(postgres) => writes_nothing(Some(postgres)),
        None => no_postgres(),
    }
}

fn writes_nothing(postgres: Option<Postgres>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let mut site = Site::start(Plan { in_process: 0, workers: 2, lease_s: 1 }, postgres, &runtime);
    // The other one comes later.
    site.kill_worker(1);
    client::prepare(&site);
    let mut watch = Watch::new(site.database(&runtime));
    let heard = Heard::default();
    let client = Client { door: site.door(), heard: &heard };
    let id = client.launch(0, 0, TURNS);
    let begun = Instant::now();
    while watch.points_of(&id) < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no points\n{}", site.said());
        watch.look(&runtime).expect("the database answers");
    }
    // One that has just begun, so that there is time to put its worker to sleep.
    let first = watch.until_running(&runtime, "a task runs", |running| running.len() == 1);
    let held =
        watch.until_running(&runtime, "another runs", |running| running.len() == 1 && running[0].0 != first[0].0);
    while site.tasks_of_worker(0).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no process of a task\n{}", site.said());
    }
    // Asleep while it writes to SQLite's file, it would keep all others out: it is asleep while its task turns.
    site.signal_worker(0, "STOP");
    assert_eq!(site.tasks_of_worker(0).len(), 1, "the process of its task goes on");
    std::thread::sleep(Duration::from_millis(1200));
    site.start_worker(1);
    let again = watch.until_running(&runtime, "another has it", |running| {
        running.iter().any(|(number, attempt)| *number == held[0].0 && *attempt > held[0].1)
    });
    assert_eq!(again.len(), 1);
    // Its task has ended meanwhile, and it has the result in its hands.
    site.signal_worker(0, "CONT");
    let begun = Instant::now();
    while watch.look(&runtime).expect("the database answers") > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the job does not end\n{}", site.said());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(watch.attempt_of(&id, held[0].0 - 1), Some(again[0].1), "who was awake has written the point");
    check::all_is_well(&client, &mut watch, TURNS, &runtime);
    // It works on as if nothing had been.
    site.assert_alive();
    assert!(site.stop().iter().all(std::process::ExitStatus::success), "{}", site.said());
    site.assert_no_orphans();
}
