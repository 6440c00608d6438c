//! A worker that sleeps beyond its lease and wakes up again writes nothing: the numbers of the attempts tell.

use crate::scene::{Scene, on_postgres};
use crate::site::Plan;
use runcast_store::testing::Postgres;
use std::time::{Duration, Instant};

/// Points that last, so that the worker has one under way when it falls asleep.
const TURNS: u64 = 5_000_000;
/// Six seconds on idle cores; beside other tests that compute, ten times that were seen.
const PATIENCE: Duration = Duration::from_secs(240);

#[test]
fn a_worker_that_slept_beyond_its_lease_writes_nothing_on_sqlite() {
    writes_nothing(None);
}

#[test]
fn a_worker_that_slept_beyond_its_lease_writes_nothing_on_postgres() {
    on_postgres(writes_nothing);
}

fn writes_nothing(postgres: Option<Postgres>) {
    let mut scene = Scene::start(Plan { in_process: 0, workers: 2, lease_s: 1 }, postgres);
    // The other one comes later.
    scene.site.kill_worker(1);
    let id = scene.client.launch(0, 0, TURNS);
    let begun = Instant::now();
    while scene.watch.points_of(&id) < 2 {
        assert!(begun.elapsed() < PATIENCE, "no points\n{}", scene.site.said());
        scene.open_jobs();
    }
    // One that has just begun, so that there is time to put its worker to sleep.
    let first = scene.watch.until_running(&scene.runtime, "a task runs", |running| running.len() == 1);
    let is_another = |running: &[(i64, i64)]| running.len() == 1 && running[0].0 != first[0].0;
    let held = scene.watch.until_running(&scene.runtime, "another runs", is_another);
    while scene.site.tasks_of_worker(0).is_empty() {
        assert!(begun.elapsed() < PATIENCE, "no process of a task\n{}", scene.site.said());
    }
    // Asleep while it writes to SQLite's file, it would keep all others out: it is asleep while its task turns.
    scene.site.signal_worker(0, "STOP");
    assert_eq!(scene.site.tasks_of_worker(0).len(), 1, "the process of its task goes on");
    std::thread::sleep(Duration::from_millis(1200));
    scene.site.start_worker(1);
    let again = scene.watch.until_running(&scene.runtime, "another has it", |running| {
        running.iter().any(|(number, attempt)| *number == held[0].0 && *attempt > held[0].1)
    });
    assert_eq!(again.len(), 1);
    // Its task has ended meanwhile, and it has the result in its hands.
    scene.site.signal_worker(0, "CONT");
    scene.until_done(PATIENCE);
    assert_eq!(scene.watch.attempt_of(&id, held[0].0 - 1), Some(again[0].1), "who was awake has written the point");
    // It works on as if nothing had been.
    scene.end(TURNS);
}
