//! Runs that are stopped, and runs that stand still.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, Running, mpi, signal, wait_for};
use std::time::{Duration, Instant};

const LONG: &str = "gravity --size 3000 --iterations 1000000 --workers 2 --backend mpi";

fn each(test: impl Fn(&Mpi, &Place)) {
    for mpi in [OPEN_MPI, MPICH].into_iter().filter_map(mpi) {
        test(&mpi, &Place::new());
    }
}

/// A long run that has saved something.
fn started<'a>(place: &'a Place, mpi: &Mpi, more: &str) -> (Running<'a>, Vec<(usize, u32)>) {
    let run = place.start(mpi, &format!("{LONG} --checkpoint saved --checkpoint-every 10 {more}"));
    let ranks = run.await_ranks(3);
    wait_for("a checkpoint", || place.path().join("saved").exists());
    (run, ranks)
}

#[test]
fn who_is_asked_to_stop_saves_and_tells_how_far_it_came() {
    each(|mpi, place| {
        for name in ["TERM", "INT"] {
            let (run, _) = started(place, mpi, "");
            signal(name, run.parent());
            let ran = run.end();
            assert_eq!((ran.code, &ran.document["status"]), (Some(1), &"interrupted".into()), "{} {ran:?}", mpi.name);
            let iterations = ran.document["iterations"].as_u64().expect("some");
            let more = iterations + 5;
            let arguments = format!("gravity --size 3000 --iterations {more} --workers 2 --backend mpi");
            let resumed = place.bsf_run(mpi, &format!("{arguments} --resume saved"));
            assert_eq!(resumed.document["resumed_from"], iterations, "{resumed:?}");
            std::fs::remove_file(place.path().join("saved")).expect("it is there");
        }
    });
}

#[test]
fn what_stands_still_is_ended() {
    each(|mpi, place| {
        let (run, ranks) = started(place, mpi, "--stall-timeout 3s");
        let start = Instant::now();
        signal("STOP", ranks[2].1);
        let ran = run.end();
        assert_eq!((ran.code, ran.problem()), (Some(1), "stalled"), "{} {ran:?}", mpi.name);
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
        assert!(ran.stdout.contains("--resume saved"), "{ran:?}");
    });
}

/// Each launcher was once seen to hang for good after the loss of a rank, and to ignore SIGTERM.
#[test]
fn a_launcher_that_hangs_after_the_loss_of_a_rank_is_ended() {
    each(|mpi, place| {
        let (run, ranks) = started(place, mpi, "");
        let start = Instant::now();
        signal("STOP", run.launcher());
        signal("KILL", ranks[1].1);
        let ran = run.end();
        assert_eq!((ran.code, ran.problem()), (Some(1), "rank_lost"), "{} {ran:?}", mpi.name);
        // The proxies below the launcher end the others at once: which one was the first is a guess.
        assert!(ran.message().contains(" is gone after iteration "), "{}", ran.message());
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    });
}

#[test]
fn a_run_that_stood_still_is_started_again() {
    each(|mpi, place| {
        let (run, ranks) = started(place, mpi, "--stall-timeout 3s --retries 1");
        signal("STOP", ranks[2].1);
        wait_for("the run to be started again", || {
            let now = run.ranks();
            now.len() == 3 && now.iter().all(|rank| !ranks.contains(rank))
        });
        std::thread::sleep(Duration::from_millis(500));
        signal("TERM", run.parent());
        let ran = run.end();
        assert_eq!((&ran.document["status"], &ran.document["restarts"]), (&"interrupted".into(), &1.into()), "{ran:?}");
        assert!(ran.document["resumed_from"].as_u64() >= Some(10), "{ran:?}");
    });
}
