//! `kill -9` at any moment.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, Ran, Random, mpi, signal};
use std::time::{Duration, Instant};

const EVERY: u64 = 20;

fn rounds() -> usize {
    std::env::var("RUNCAST_KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

/// A run that takes some seconds.
fn arguments(mpi: &Mpi) -> String {
    let place = Place::new();
    let start = Instant::now();
    let short = "gravity --size 3000 --iterations 200 --workers 3 --backend mpi";
    let _ = place.bsf_run(mpi, short);
    let probed = place.bsf_run(mpi, short).document["iteration_time_s"].as_f64().expect("a time");
    assert!(start.elapsed() < Duration::from_secs(60), "too slow a machine");
    let iterations = ((2.0 / probed) as u64).clamp(200, 20_000);
    format!("gravity --size 3000 --iterations {iterations} --workers 3 --backend mpi --collective tree")
}

fn saving(arguments: &str) -> String {
    format!("{arguments} --checkpoint saved --checkpoint-every {EVERY}")
}

/// A random worker is killed at a random moment, and the run comes to the same end.
fn a_killed_worker(name: &'static str) {
    let Some(mpi) = mpi(name) else { return };
    let arguments = arguments(&mpi);
    let start = Instant::now();
    let undisturbed = Place::new().bsf_run(&mpi, &saving(&arguments)).digest();
    let mut whole = start.elapsed();
    let mut random = Random(u64::from(std::process::id()));
    let mut killed = 0;
    for round in 0..4 * rounds() {
        if killed == rounds() {
            break;
        }
        let place = Place::new();
        let mut run = place.start(&mpi, &format!("{} --retries 2", saving(&arguments)));
        let ranks = run.await_ranks(4);
        std::thread::sleep(whole.mul_f64(0.9 * random.share()));
        let (rank, pid) = ranks[1 + random.below(3)];
        let was_over = run.is_over();
        signal("KILL", pid);
        let ran = run.end();
        assert_eq!((ran.code, ran.digest()), (Some(0), undisturbed.clone()), "{name}, round {round}: {ran:?}");
        if ran.document["restarts"] == 0 {
            // It came to its end before: the machine was busier when it was timed.
            whole = whole.mul_f64(0.7);
            continue;
        }
        assert!(!was_over);
        killed += 1;
        assert_eq!(ran.document["restarts"], 1, "{ran:?}");
        let told = ran.stderr.lines().find(|line| line.starts_with("warning: ")).expect("a warning");
        // Hydra does not say which rank it was, and kills the others so fast that the first to be gone is a guess.
        let is_named = told.contains(&format!("rank {rank} (worker {rank}) was killed"));
        let is_guessed = told.contains("was the first to be gone") || told.contains("a rank was killed");
        assert!(is_named || is_guessed && name == MPICH, "rank {rank}: {told}");
        assert_at_most_one_interval(&ran, told);
    }
    assert!(killed > rounds() / 2, "hardly ever killed: {killed}");
}

/// What was done after the last checkpoint is done again, and no more.
fn assert_at_most_one_interval(ran: &Ran, told: &str) {
    let resumed = ran.document["resumed_from"].as_u64().unwrap_or(0);
    let iteration = told.split("after iteration ").nth(1).and_then(|rest| rest.split(';').next()?.parse::<u64>().ok());
    assert!(resumed + EVERY >= iteration.unwrap_or(0), "resumed from {resumed}: {told}");
}

#[test]
fn open_mpi_with_a_killed_worker() {
    a_killed_worker(OPEN_MPI);
}

#[test]
fn mpich_with_a_killed_worker() {
    a_killed_worker(MPICH);
}

/// The command that the error names goes on after the loss of a rank.
fn a_killed_master(name: &'static str) {
    let Some(mpi) = mpi(name) else { return };
    let arguments = arguments(&mpi);
    let place = Place::new();
    let run = place.start(&mpi, &saving(&arguments));
    let ranks = run.await_ranks(4);
    crate::support::wait_for("a checkpoint", || place.path().join("saved").exists());
    signal("KILL", ranks[0].1);
    let ran = run.end();
    assert_eq!((ran.code, ran.problem()), (Some(1), "rank_lost"), "{ran:?}");
    assert!(ran.message().contains("killed by signal 9"), "{}", ran.message());
    let hint = ran.document["problems"][0]["hint"].as_str().expect("a hint");
    let command = hint.split("to go on: runcast ").nth(1).expect("a command");
    let resumed = place.run(&mpi.executable, command);
    let undisturbed = Place::new().bsf_run(&mpi, &arguments);
    assert!(resumed.document["resumed_from"].as_u64() >= Some(EVERY), "{resumed:?}");
    assert_eq!(resumed.digest(), undisturbed.digest());
}

#[test]
fn open_mpi_with_a_killed_master() {
    a_killed_master(OPEN_MPI);
}

#[test]
fn mpich_with_a_killed_master() {
    a_killed_master(MPICH);
}

/// With the process that watches, all end; the checkpoint stays.
fn a_killed_parent(name: &'static str) {
    let Some(mpi) = mpi(name) else { return };
    let arguments = arguments(&mpi);
    let place = Place::new();
    let run = place.start(&mpi, &saving(&arguments));
    run.await_ranks(4);
    crate::support::wait_for("a checkpoint", || place.path().join("saved").exists());
    signal("KILL", run.parent());
    run.end();
    let resumed = place.bsf_run(&mpi, &format!("{} --resume saved", saving(&arguments)));
    assert!(resumed.document["resumed_from"].as_u64() >= Some(EVERY), "{resumed:?}");
    assert_eq!(resumed.digest(), place.bsf_run(&mpi, &arguments).digest());
}

#[test]
fn open_mpi_with_a_killed_parent() {
    a_killed_parent(OPEN_MPI);
}

#[test]
fn mpich_with_a_killed_parent() {
    a_killed_parent(MPICH);
}
