//! `wavefront sample` with ranks of MPI.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, Ran, mpi};
use serde_json::Value;
use std::path::Path;

fn each(test: impl Fn(&Mpi, &Place)) {
    for mpi in [OPEN_MPI, MPICH].into_iter().filter_map(mpi) {
        test(&mpi, &Place::new());
    }
}

fn sample(place: &Place, mpi: &Mpi, arguments: &str) -> Ran {
    place.run(&mpi.executable, &format!("wavefront sample {arguments} --json"))
}

/// As a rank of the user's own launcher.
fn ranks(place: &Place, mpi: &Mpi, count: u32, arguments: &str) -> Ran {
    let oversubscribe = if mpi.name == OPEN_MPI { "--oversubscribe " } else { "" };
    let program = mpi.executable.display();
    let arguments = format!("{oversubscribe}-n {count} {program} wavefront sample {arguments} --json");
    place.run(Path::new(mpi.mpirun), &arguments)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// Every process has its updates, every link its messages, and clocks of one host say the same.
fn assert_complete(ran: &Ran, processes: usize, updates: u64, messages: u64) {
    let document = &ran.document;
    assert_eq!((ran.code, &document["kind"]), (Some(0), &"wavefront-sample".into()), "{ran:?}");
    assert_eq!((&document["backend"], &document["status"]), (&"mpi".into(), &"done".into()));
    assert_eq!(list(&document["processes"]).len(), processes);
    assert_eq!(list(&document["links"]).len(), processes * (processes - 1));
    for process in list(&document["processes"]) {
        assert_eq!(process["count"], updates, "{process}");
        assert!(number(&process["min_s"]) > 0.0 && process["host"].as_str().is_some_and(|host| !host.is_empty()));
    }
    for link in list(&document["links"]) {
        assert_eq!(link["count"], messages, "{link}");
        // A busy machine may let a rank wait, but not for seconds every time.
        assert!(number(&link["p50_s"]) < 1.0, "{link}");
    }
    let clocks = list(&document["clocks"]);
    assert_eq!(clocks.len(), processes);
    assert_eq!((&clocks[0]["offset_s"], &clocks[0]["half_width_s"]), (&0.0.into(), &0.0.into()));
    for clock in &clocks[1..] {
        let half_width_s = number(&clock["half_width_s"]);
        assert!(half_width_s > 0.0 && half_width_s < 0.1, "{clock}");
        // Both ends know the offset of clocks that do not drift, within what both leave open.
        let apart_s = number(&clock["offset_end_s"]) - number(&clock["offset_s"]);
        assert!(apart_s.abs() <= 2.0 * half_width_s + 1e-6, "{clock}");
    }
}

#[test]
fn three_ranks_are_measured_and_make_a_model() {
    each(|mpi, place| {
        let options = "--backend mpi --processes 3 --work 200us --updates 80 --messages 30 --bytes 4KiB";
        let ran = sample(place, mpi, &format!("{options} --out s.csv --write-model m.toml"));
        assert_complete(&ran, 3, 80, 30);
        assert!(ran.document["mpi"].as_str().is_some_and(|library| library.starts_with(mpi.name)), "{ran:?}");
        let table = std::fs::read_to_string(place.path().join("s.csv")).expect("rank 0 wrote it");
        assert_eq!(table.lines().count(), 1 + 3 * 80 + 6 * 30);
        let model = std::fs::read_to_string(place.path().join("m.toml")).expect("rank 0 wrote it");
        assert!(model.contains("process = \"p3\", peer = \"p2\""), "{model}");
        // Without MPI the same table says the same.
        let again = sample(place, mpi, "--check s.csv");
        assert_eq!((again.code, &again.document["diagnostics"]), (Some(0), &ran.document["diagnostics"]));
    });
}

#[test]
fn ranks_that_a_user_has_started_measure_too() {
    each(|mpi, place| {
        // Without --backend: each would measure alone, were they no ranks.
        let ran = ranks(place, mpi, 2, "--work 200us --updates 50 --messages 20 --others wait");
        assert_complete(&ran, 2, 50, 20);
        let matrix = "0.25,0.25,0,0\n0.25,0.25,0.25,0\n0,0.25,0.25,0.25\n0,0,0.25,0.25\n";
        std::fs::write(place.path().join("m.csv"), matrix).expect("written");
        let ran = ranks(place, mpi, 2, "--operator m.csv --pieces 1,3 --updates 50 --messages 0 --backend mpi");
        assert_eq!((ran.code, list(&ran.document["links"]).len()), (Some(0), 0), "{ran:?}");
        assert_eq!(ran.document["pieces"], serde_json::json!([1, 3]));
        let wrong = ranks(place, mpi, 2, "--processes 3 --updates 5 --messages 5");
        assert_eq!((wrong.code, wrong.problem()), (Some(2), "ranks"), "{wrong:?}");
    });
}

#[test]
fn wrong_input_starts_nothing() {
    each(|mpi, place| {
        for (arguments, exit, code) in [
            ("--backend mpi --processes 1", 2, "one_process"),
            ("--backend mpi --operator none.mtx", 2, "cannot_read"),
            ("--backend mpi --launcher no-such-launcher", 2, "program_not_found"),
            ("--backend mpi --updates 0 --messages 0", 2, "nothing"),
        ] {
            let ran = sample(place, mpi, arguments);
            assert_eq!((ran.code, ran.problem()), (Some(exit), code), "{arguments} {ran:?}");
        }
    });
}

#[test]
fn an_interrupt_keeps_what_was_measured() {
    each(|mpi, place| {
        let options = "wavefront sample --backend mpi --processes 2 --work 1ms --updates 1000000 --messages 5";
        let program = format!("{} {options} --out s.csv --json", mpi.executable.display());
        let ran = place.run(Path::new("timeout"), &format!("--foreground --signal=INT --preserve-status 5 {program}"));
        assert_eq!((ran.code, &ran.document["status"]), (Some(1), &"interrupted".into()), "{ran:?}");
        let table = std::fs::read_to_string(place.path().join("s.csv")).expect("rank 0 wrote it");
        assert!(table.lines().count() > 100, "{}", table.lines().count());
        assert!(["p1", "p2"].iter().all(|process| table.contains(&format!("update,{process},"))));
    });
}
