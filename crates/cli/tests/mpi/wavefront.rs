//! `wavefront run` with processes of MPI.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, Ran, mpi, signal, wait_for};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// Three processes of 4 ms and more on a network of 3 ms.
const MODEL: &str = "\
[wavefront]
step = '1ms'
rho = 0.5
[[process]]
count = 3
name = 'ws'
B = 1
update = { ticks = [4, 5, 8], prob = [0.5, 0.3, 0.2] }
[network]
default = { constant = '3ms' }
";

fn each(test: impl Fn(&Mpi, &Mpi, &Place)) {
    let both = [OPEN_MPI, MPICH].map(mpi);
    for (own, other) in [(0, 1), (1, 0)] {
        let (Some(own), Some(other)) = (&both[own], &both[other]) else { continue };
        let place = Place::new();
        std::fs::write(place.path().join("model.toml"), MODEL).expect("written");
        test(own, other, &place);
    }
}

fn run(place: &Place, mpi: &Mpi, arguments: &str) -> Ran {
    place.run(&mpi.executable, &format!("wavefront run model.toml {arguments} --json"))
}

/// The same under a launcher of the user's own.
fn run_below(place: &Place, launcher: &Mpi, program: &Mpi, ranks: u32, arguments: &str) -> Ran {
    let oversubscribe = if launcher.name == OPEN_MPI { "--oversubscribe " } else { "" };
    let program = program.executable.display();
    let words = format!("{oversubscribe}-n {ranks} {program} wavefront run model.toml {arguments} --json");
    place.run(Path::new(launcher.mpirun), &words)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn ranks_iterate_and_rank_0_tells() {
    each(|own, _, place| {
        let ran = run(place, own, "--backend mpi --emulate --phases 40 --runs 2 --out runs");
        let document = &ran.document;
        assert_eq!((ran.code, &document["kind"]), (Some(0), &"wavefront-run".into()), "{ran:?}");
        assert_eq!((&document["backend"], &document["semantics"]), (&"mpi".into(), &"abort".into()));
        assert_eq!((&document["validated_phases"], &document["runs"]), (&80.into(), &2.into()));
        // Updates of 4 ms at least, and messages of 3: no phase is shorter on average, even of the leader.
        let phase_s = number(&document["measured"]["phase_mean_s"]);
        assert!((5e-3..0.1).contains(&phase_s), "{phase_s}");
        assert!((number(&document["measured"]["rate_per_phase"]) - 2.0_f64.log10()).abs() < 0.06, "{document}");
        let phases = std::fs::read_to_string(place.path().join("runs/phases.csv")).expect("rank 0 wrote it");
        assert_eq!(phases.lines().count(), 1 + 2 * 3 * 40);
        let runs = std::fs::read_to_string(place.path().join("runs/runs.csv")).expect("rank 0 wrote it");
        assert_eq!(runs.lines().filter(|line| line.starts_with("3,40,") && line.ends_with(",ok")).count(), 2, "{runs}");
    });
}

#[test]
fn ranks_that_a_user_has_started_work_for_real() {
    each(|own, other, place| {
        // Without --backend: each would make the whole run, were they no ranks.
        let ran = run_below(place, own, own, 3, "--phases 200 --work 100us --semantics complete");
        let document = &ran.document;
        assert_eq!((ran.code, &document["backend"]), (Some(0), &"mpi".into()), "{ran:?}");
        assert_eq!((&document["semantics"], &document["validated"]), (&"complete".into(), &"second_half".into()));
        assert!(number(&document["measured"]["phase_mean_s"]) > 5e-5 && document["predicted"].is_object());
        let wrong = run_below(place, own, own, 2, "--phases 5");
        assert_eq!((wrong.code, wrong.problem()), (Some(2), "ranks"), "{wrong:?}");
        let foreign = run_below(place, other, own, 3, "--phases 5");
        assert_eq!((foreign.code, foreign.problem()), (Some(2), "mpi_mismatch"), "{foreign:?}");
    });
}

#[test]
fn wrong_input_starts_nothing() {
    each(|own, _, place| {
        for (arguments, exit, code) in [
            ("--backend mpi --B 1,2", 2, "length"),
            ("--backend mpi --launcher no-such-launcher", 2, "program_not_found"),
        ] {
            let ran = run(place, own, arguments);
            assert_eq!((ran.code, ran.problem()), (Some(exit), code), "{arguments} {ran:?}");
        }
    });
}

#[test]
fn an_interrupted_run_tells_what_it_has() {
    each(|own, _, place| {
        let arguments = "wavefront run model.toml --backend mpi --emulate --phases 100000 --out runs --json";
        let run = place.start_words(own, arguments);
        run.await_ranks(3);
        wait_for("the tables", || place.path().join("runs/runs.csv").exists());
        // A phase takes 5 ms or more, and longer where others use the cores, too.
        std::thread::sleep(Duration::from_secs(2));
        signal("INT", run.parent());
        let ran = run.end();
        assert_eq!((ran.code, &ran.document["status"]), (Some(1), &"interrupted".into()), "{} {ran:?}", own.name);
        let phases = ran.document["validated_phases"].as_u64().expect("some");
        let table = std::fs::read_to_string(place.path().join("runs/phases.csv")).expect("rank 0 wrote it");
        assert_eq!(table.lines().count() as u64, 1 + 3 * phases);
        assert!(phases > 0 && number(&ran.document["measured"]["phase_mean_s"]) > 0.0);
    });
}

#[test]
fn the_first_wish_to_stop_ends_a_long_update() {
    each(|own, _, place| {
        let arguments = "wavefront run model.toml --backend mpi --work 1h --phases 10 --out runs --json";
        let run = place.start_words(own, arguments);
        run.await_ranks(3);
        wait_for("the tables", || place.path().join("runs/runs.csv").exists());
        std::thread::sleep(Duration::from_millis(700));
        let start = Instant::now();
        signal("INT", run.parent());
        let ran = run.end();
        assert!(start.elapsed() < Duration::from_secs(20), "{} {:?}", own.name, start.elapsed());
        assert_eq!((ran.code, ran.problem()), (Some(1), "interrupted"), "{} {ran:?}", own.name);
        let phases = std::fs::read_to_string(place.path().join("runs/phases.csv")).expect("rank 0 wrote it");
        assert_eq!(phases.lines().count(), 1, "no update was made to its end: {phases}");
    });
}
