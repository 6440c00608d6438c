//! Ranks that the user's own launcher starts, and what comes back from ranks that we start.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, mpi};
use std::path::Path;

fn under_mpirun(place: &Place, mpi: &Mpi, ranks: usize, arguments: &str) -> crate::support::Ran {
    let crowd = if mpi.name == OPEN_MPI { " --oversubscribe" } else { "" };
    let executable = mpi.executable.display();
    place.run(Path::new(mpi.mpirun), &format!("-n {ranks}{crowd} {executable} bsf run {arguments} --json"))
}

fn each(test: impl Fn(&Mpi, &Place)) {
    for mpi in [OPEN_MPI, MPICH].into_iter().filter_map(mpi) {
        test(&mpi, &Place::new());
    }
}

#[test]
fn under_the_launcher_of_the_user_all_other_ranks_are_workers() {
    each(|mpi, place| {
        let ran = under_mpirun(place, mpi, 3, "jacobi --size 40 --backend mpi");
        assert_eq!((ran.code, &ran.document["workers"]), (Some(0), &2.into()), "{ran:?}");
        assert_eq!(ran.digest(), place.bsf_run(mpi, "jacobi --size 40 --workers 2").digest());
    });
}

#[test]
fn what_is_wrong_is_told_once() {
    each(|mpi, place| {
        for (ranks, arguments, code) in [
            (1, "jacobi --size 40 --backend mpi", "one_process"),
            (3, "jacobi --size 40 --workers 3 --backend mpi", "workers"),
            (4, "stats --size 2 --backend mpi", "workers"),
        ] {
            let ran = under_mpirun(place, mpi, ranks, arguments);
            assert_eq!((ran.code, ran.problem()), (Some(2), code), "{} {arguments} {ran:?}", mpi.name);
        }
    });
}

#[test]
fn files_and_text_come_from_rank_0() {
    each(|mpi, place| {
        let arguments =
            "bsf run jacobi --size 40 --workers 2 --backend mpi --timings t.csv --trace x.csv --print-every 10";
        let ran = place.run(&mpi.executable, arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.starts_with("jacobi, size 40") && ran.stdout.contains("digest"), "{}", ran.stdout);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\r'), "{:?}", ran.stdout);
        assert!(ran.stderr.contains("iteration 10,") && !ran.stderr.contains("#runcast"), "{}", ran.stderr);
        for file in ["t.csv", "x.csv"] {
            let table = std::fs::read_to_string(place.path().join(file)).expect("written");
            assert!(table.lines().any(|line| line.contains(",mpi,") && line.contains(",map_fold,2,")), "{table}");
        }
    });
}

#[test]
fn an_error_in_a_worker_names_worker_and_element() {
    each(|mpi, place| {
        // Body 1 stands there.
        let ran = place.bsf_run(mpi, "gravity --size 6 --position 0,100,0 --workers 3 --backend mpi");
        assert_eq!((ran.code, ran.problem()), (Some(1), "failed"), "{ran:?}");
        let message = ran.message();
        assert!(message.contains("worker 1") && message.contains("iteration 1"), "{message}");
    });
}
