//! Workers on both databases: answers do not show how a job was cut, nothing is lost, nothing stays behind.

use crate::executable;
use crate::sweep::{ENDLESS, files, job, launch, table, table_of_the_shell, words};
use runcast_server::queue_worker::{self, Overrides, Settings};
use runcast_server::task::Launcher;
use runcast_store::database::Location;
use runcast_store::jobs::{self, Job, State};
use runcast_store::testing::{self, Place, Postgres};
use runcast_store::{Database, Id, queue};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const SWEEP: &str = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..7 --speedup p -o t.csv";

fn settings(slots: usize) -> Settings {
    Settings {
        name: "test".to_owned(),
        kind: "worker",
        server: None,
        slots,
        lease: Duration::from_secs(30),
        limits: Overrides::default(),
        drain: true,
    }
}

/// Waits for something of a job.
async fn until(db: &Database, id: &Id, what: impl Fn(&Job) -> bool) -> Job {
    let begun = Instant::now();
    loop {
        let now = jobs::get(db, id).await;
        match now {
            Ok(Some(job)) if what(&job) => return job,
            // The database may be away for a while.
            _ => assert!(begun.elapsed() < Duration::from_secs(90), "{now:?}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cut_into_tasks_does_not_show() {
    let wanted = table_of_the_shell(&files(), SWEEP);
    let wanted = &wanted;
    testing::both(|db| async move {
        let launcher = Launcher::new(executable()).await;
        for (tasks, slots) in [(1, 1), (2, 4), (7, 1), (7, 4)] {
            let id = launch(&db, &files(), SWEEP, (7, tasks), "{}").await;
            queue_worker::work(db.clone(), launcher.clone(), settings(slots), CancellationToken::new()).await;
            let done = job(&db, &id).await;
            assert_eq!((done.state, done.points_done, done.points_failed), (State::Succeeded, 7, 0), "{done:?}");
            assert_eq!(done.tasks_total, tasks);
            assert_eq!(table(&db, &id, &files()).await, *wanted, "{tasks} tasks, {slots} slots");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_command_gives_its_outputs_and_an_error_its_problems() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("it opens");
    let launcher = Launcher::new(executable()).await;
    let line = "sim run e.toml --loggops L=1us,o=1us --timeline run.json";
    let good = launch(&db, &files(), line, (1, 1), "{}").await;
    let mut broken = files();
    broken[0].1 = b"this is no script".as_slice().into();
    let bad = launch(&db, &broken, SWEEP, (7, 2), "{}").await;
    queue_worker::work(db.clone(), launcher, settings(2), CancellationToken::new()).await;
    let done = job(&db, &good).await;
    assert_eq!((done.state, done.points_done), (State::Succeeded, 1), "{done:?}");
    assert!(done.cpu_s > 0.0);
    let mut names: Vec<String> =
        jobs::outputs(&db, &good).await.expect("outputs").into_iter().map(|output| output.name).collect();
    names.sort();
    assert_eq!(names, ["document", "file/run.json", "human", "log", "table", "timeline"]);
    let done = job(&db, &bad).await;
    assert_eq!((done.state, done.points_done, done.points_failed), (State::Failed, 0, 7), "{done:?}");
    let error = done.error.expect("an error");
    assert_eq!(error["code"], "input");
    assert_eq!(error["problems"][0]["file"], "app.luau", "{error}");
    let tasks = jobs::tasks(&db, &bad, 0, 10).await.expect("tasks");
    assert!(tasks.iter().all(|task| task.code.as_deref() == Some("input")), "{tasks:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_ends_what_runs_within_two_seconds() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("it opens");
    let launcher = Launcher::new(executable()).await;
    let stop = CancellationToken::new();
    let settings = Settings { drain: false, ..settings(1) };
    let working = tokio::spawn(queue_worker::work(db.clone(), launcher, settings, stop.clone()));
    let id = launch(&db, &files(), ENDLESS, (1, 1), "{}").await;
    until(&db, &id, |job| job.state == State::Running).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    jobs::cancel(&db, &id).await.expect("cancelled");
    until(&db, &id, |job| job.state == State::Cancelled).await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    stop.cancel();
    working.await.expect("it ends");
}

/// `runcast worker` on this database.
fn worker(place: &Place, options: &str) -> Child {
    worker_at(place.location(), options)
}

fn worker_at(location: &Location, options: &str) -> Child {
    let url = match location {
        Location::File(path) => format!("sqlite:{}", path.display()),
        Location::Url(url) => url.clone(),
    };
    let mut command = Command::new(executable());
    command.args(["worker", "--jobs", "1", "--database-url", &url]);
    command.args(words(options)).stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts")
}

/// Processes of tasks that this process has started, by their parent.
fn children_of(parent: u32) -> Vec<u32> {
    let children = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = children.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

async fn until_true(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn signal(child: &Child, name: &str) {
    let done = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("kill");
    assert!(done.success());
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_worker_leaves_no_process_and_its_task_to_others() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("it opens");
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..4 --set slow=3e7 -o t.csv";
    let id = launch(&db, &files(), line, (4, 1), "{}").await;
    let mut first = worker(&place, "--lease 1s");
    until(&db, &id, |job| job.points_done >= 1).await;
    let orphans = children_of(first.id());
    assert_eq!(orphans.len(), 1);
    signal(&first, "KILL");
    first.wait().expect("it ends");
    let is_alive = |pid: &u32| Path::new(&format!("/proc/{pid}/exe")).read_link().is_ok();
    until_true("the process of the task outlives its worker", || !orphans.iter().any(is_alive)).await;
    let mut second = worker(&place, "--lease 1s");
    let done = until(&db, &id, |job| job.state.is_terminal()).await;
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 4, 2), "{done:?}");
    assert_eq!(table(&db, &id, &files()).await, table_of_the_shell(&files(), line));
    signal(&second, "TERM");
    assert!(second.wait().expect("it ends").success());
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_told_to_stop_gives_back_and_one_that_was_frozen_writes_nothing() {
    let place = Place::sqlite().expect("a folder");
    let db = Database::open(place.location()).await.expect("it opens");
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..40 --set slow=3e7 -o t.csv";
    let id = launch(&db, &files(), line, (40, 1), "{}").await;
    let mut first = worker(&place, "");
    until(&db, &id, |job| job.points_done >= 1).await;
    let begun = Instant::now();
    signal(&first, "TERM");
    assert!(first.wait().expect("it ends").success());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let task = jobs::tasks(&db, &id, 0, 1).await.expect("tasks").remove(0);
    assert_eq!((task.state, task.attempt), (State::Queued, 0), "{task:?}");

    let mut frozen = worker(&place, "--lease 1s");
    let before = job(&db, &id).await.points_done;
    until(&db, &id, |job| job.points_done > before).await;
    signal(&frozen, "STOP");
    for pid in children_of(frozen.id()) {
        let _ = Command::new("kill").args(["-STOP", &pid.to_string()]).status();
    }
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(queue::expire(&db).await.expect("expired").queued, 1);
    let there = job(&db, &id).await.points_done;
    for pid in children_of(frozen.id()) {
        let _ = Command::new("kill").args(["-CONT", &pid.to_string()]).status();
    }
    jobs::cancel(&db, &id).await.expect("cancelled");
    signal(&frozen, "CONT");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let after = job(&db, &id).await;
    assert_eq!((after.state, after.points_done), (State::Cancelled, there), "{after:?}");
    signal(&frozen, "TERM");
    assert!(frozen.wait().expect("it ends").success());
}

#[test]
fn a_worker_needs_a_database_that_is_there() {
    let run = |arguments: &[&str]| {
        let done = Command::new(executable()).arg("worker").args(arguments).env_remove("RUNCAST_DATABASE_URL").output();
        let done = done.expect("it runs");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    assert_eq!(run(&[]).0, Some(2));
    let (exit, told) = run(&["--database-url", "sqlite:/nowhere/runcast.sqlite"]);
    assert_eq!(exit, Some(2), "{told}");
    let (exit, told) = run(&["--database-url", "mysql://u:secret@h/x"]);
    assert!(exit == Some(2) && !told.contains("secret"), "{told}");
}

/// A PostgreSQL that is killed in the test, where there is one.
#[expect(clippy::print_stderr, reason = "whoever runs the tests without PostgreSQL should know")]
fn own_postgres() -> Option<Postgres> {
    let server = Postgres::start_with(&["fsync=off"]).expect("PostgreSQL starts");
    if server.is_none() {
        let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
        assert!(!must, "PostgreSQL is missing");
        eprintln!("not tested: PostgreSQL is not installed");
    }
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_starts_while_the_database_is_away_waits_for_it() {
    let Some(server) = own_postgres() else { return };
    let location = server.fresh().await.expect("a database");
    let db = Database::open(&location).await.expect("it opens");
    let id = launch(&db, &files(), SWEEP, (7, 2), "{}").await;
    server.kill().expect("killed");
    let mut waiting = worker_at(&location, "--drain");
    let mut stopped = worker_at(&location, "");
    // Longer than a connection is waited for.
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert!(waiting.try_wait().expect("a child").is_none() && stopped.try_wait().expect("a child").is_none());
    signal(&stopped, "TERM");
    assert!(stopped.wait().expect("it ends").success());
    server.start_again().expect("it starts again");
    let done = until(&db, &id, |job| job.state.is_terminal()).await;
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 7, 1), "{done:?}");
    assert!(waiting.wait().expect("it ends").success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_waits_for_a_database_that_was_killed_and_loses_no_point() {
    let Some(server) = own_postgres() else { return };
    let location = server.fresh().await.expect("a database");
    let db = Database::open(&location).await.expect("it opens");
    let launcher = Launcher::new(executable()).await;
    let stop = CancellationToken::new();
    let settings = Settings { drain: false, ..settings(1) };
    let working = tokio::spawn(queue_worker::work(db.clone(), launcher, settings, stop.clone()));
    let line = "sim sweep e.toml --loggops L=1us,o=1us --vary p=1..12 --set slow=1e7 -o t.csv";
    let id = launch(&db, &files(), line, (12, 1), "{}").await;
    until(&db, &id, |job| job.points_done >= 1).await;
    server.kill().expect("killed");
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.start_again().expect("it starts again");
    let done = until(&db, &id, |job| job.state.is_terminal()).await;
    // It was the same attempt all the time: its points were kept.
    assert_eq!((done.state, done.points_done, done.attempts), (State::Succeeded, 12, 1), "{done:?}");
    assert_eq!(table(&db, &id, &files()).await, table_of_the_shell(&files(), line));
    stop.cancel();
    working.await.expect("it ends");
}
