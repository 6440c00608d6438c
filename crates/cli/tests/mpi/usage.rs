//! What is refused before, or soon after, anything is started.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, mpi};
use std::path::Path;

fn each(test: impl Fn(&Mpi, &Mpi, &Place)) {
    let (Some(open_mpi), Some(mpich)) = (mpi(OPEN_MPI), mpi(MPICH)) else { return };
    test(&open_mpi, &mpich, &Place::new());
    test(&mpich, &open_mpi, &Place::new());
}

#[test]
fn the_version_names_the_library() {
    each(|own, _, place| {
        let text = place.run(&own.executable, "--version").stdout;
        assert!(text.starts_with("runcast ") && text.contains(&format!("(MPI: {}", own.name)), "{text}");
    });
}

#[test]
fn the_launcher_of_the_other_mpi_is_refused_naming_both() {
    each(|own, other, place| {
        let (executable, mpirun) = (own.executable.display(), other.mpirun);
        let direct =
            place.run(Path::new(mpirun), &format!("-n 2 {executable} bsf run jacobi --size 40 --backend mpi --json"));
        let mut command = place.command(&own.executable, "bsf run jacobi --size 40 --backend mpi --json --launcher");
        command.arg(format!("{mpirun} -n {{processes}}"));
        let launched = command.output().expect("it starts");
        place.assert_empty();
        let launched = String::from_utf8_lossy(&launched.stdout).into_owned();
        assert_eq!((direct.code, direct.problem()), (Some(2), "mpi_mismatch"), "{direct:?}");
        for text in [direct.message(), &launched] {
            assert!(text.contains(own.name) && text.contains(other.name), "{text}");
        }
        assert!(launched.contains("mpi_mismatch"), "{launched}");
    });
}

#[test]
fn the_launcher_beside_a_foreign_mpirun_is_taken() {
    each(|own, _, place| {
        // Whichever of the two `mpirun` is: the default finds the right one.
        assert_eq!(place.bsf_run(own, "stats --size 10 --workers 2 --backend mpi").code, Some(0));
    });
}

#[test]
fn wrong_input_starts_nothing() {
    each(|own, _, place| {
        for (arguments, code) in [
            ("stats --size 10 --workers 11 --backend mpi", "workers"),
            ("stats --size 10 --workers 2 --backend mpi --launcher no-such-launcher", "program_not_found"),
            ("stats --size 10 --workers 2 --backend mpi --launcher mpirun{", "bad_template"),
        ] {
            let ran = place.bsf_run(own, arguments);
            assert_eq!((ran.code, ran.problem()), (Some(2), code), "{arguments} {ran:?}");
        }
    });
}

#[test]
fn a_launcher_that_starts_no_rank_is_told_with_its_last_words() {
    each(|own, _, place| {
        let mut command = place.command(&own.executable, "bsf run stats --size 10 --backend mpi --json --launcher");
        command.arg(format!("{} --no-such-option -n {{processes}}", own.mpirun));
        let output = command.output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("launcher_failed"), "{text}");
    });
}

#[test]
fn a_build_without_mpi_says_so() {
    let place = Place::new();
    let runcast = Path::new(env!("CARGO_BIN_EXE_runcast"));
    if place.run(runcast, "--version").stdout.contains("MPI") {
        return; // All of the workspace was built with it.
    }
    let alone = place.run(runcast, "bsf run stats --size 10 --backend mpi --json");
    assert_eq!((alone.code, alone.problem()), (Some(2), "without_mpi"), "{alone:?}");
    let Some(open_mpi) = mpi(OPEN_MPI) else { return };
    let arguments = format!("-n 2 {} bsf run stats --size 10 --backend mpi", runcast.display());
    let below = place.run(Path::new(open_mpi.mpirun), &arguments);
    assert_eq!(below.code, Some(2), "{below:?}");
    assert_eq!(below.stderr.matches("was built without MPI").count(), 1, "{}", below.stderr);
    assert!(below.stderr.contains("hint: build it with MPI: cargo build --release --features mpi"));
}
