//! A server that was killed has its tasks running again within seconds of its next start, not after a lease (G14).

use crate::scene::{Scene, name_of, on_postgres};
use crate::site::Plan;
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
    on_postgres(run_again);
}

fn run_again(postgres: Option<Postgres>) {
    let name = name_of(postgres.as_ref());
    let mut scene = Scene::start(Plan { in_process: 2, workers: 0, lease_s: 1 }, postgres);
    scene.client.launch(0, 0, TURNS);
    let before = scene.watch.until_running(&scene.runtime, "two tasks run", |running| running.len() == 2);
    let killed = Instant::now();
    scene.site.kill_server();
    scene.site.start_server();
    let started = killed.elapsed();
    // The same tasks, at a later attempt each.
    let is_again = |running: &[(i64, i64)]| {
        let later = |(number, attempt): &(i64, i64)| running.iter().any(|(n, a)| n == number && a > attempt);
        before.iter().all(later)
    };
    scene.watch.until_running(&scene.runtime, "both run again", is_again);
    let took = killed.elapsed();
    eprintln!(
        "{name}: killed, started after {:.3} s, its tasks run again after {:.3} s (goal: {GOAL:?})",
        started.as_secs_f64(),
        took.as_secs_f64()
    );
    assert!(took < LOOSELY, "{took:?}");
    scene.until_done(Duration::from_secs(60));
    scene.end(TURNS);
}
