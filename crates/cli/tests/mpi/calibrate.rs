//! `bsf calibrate` and `bsf validate --run` with processes of MPI.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, Ran, mpi};
use serde_json::Value;
use std::path::Path;

fn each(test: impl Fn(&Mpi, &Place)) {
    for mpi in [OPEN_MPI, MPICH].into_iter().filter_map(mpi) {
        test(&mpi, &Place::new());
    }
}

fn bsf(place: &Place, mpi: &Mpi, arguments: &str) -> Ran {
    place.run(&mpi.executable, &format!("bsf {arguments} --json"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn codes(document: &Value) -> Vec<&str> {
    document["warnings"].as_array().expect("a list").iter().filter_map(|warning| warning["code"].as_str()).collect()
}

#[test]
fn three_processes_measure_and_their_file_is_taken_by_predict_and_validate() {
    each(|mpi, place| {
        let measured =
            bsf(place, mpi, "calibrate jacobi --size 2000 --backend mpi -o costs.toml --messages messages.csv");
        let document = &measured.document;
        assert_eq!((measured.code, &document["kind"]), (Some(0), &"bsf-calibrate".into()), "{measured:?}");
        let origin = &document["origin"];
        assert_eq!((&origin["processes"], &origin["backend"]), (&3.into(), &"mpi".into()));
        assert!(origin["mpi"].as_str().is_some_and(|library| library.starts_with(mpi.name)), "{origin}");
        // Numbers of 8 bytes, and what goes before them.
        assert!((16_000.0..16_400.0).contains(&number(&origin["send_bytes"])), "{origin}");
        let [latency_s, overhead_s] = ["latency_s", "overhead_s"].map(|key| number(&document["times"][key]["value"]));
        assert!(0.0 < latency_s && (0.0..=latency_s).contains(&overhead_s), "{document}");
        let messages = std::fs::read_to_string(place.path().join("messages.csv")).expect("rank 0 wrote it");
        assert_eq!(messages.lines().count(), 26);

        assert_eq!(bsf(place, mpi, "predict costs.toml").document["list_length"], 2000);
        let args = "validate --run jacobi --size 2000 --backend mpi --workers 1,2 --iterations 20 --repeat 2";
        let validated = bsf(place, mpi, &format!("{args} --params costs.toml --timings runs.csv"));
        assert_eq!((validated.code, &validated.document["source"]), (Some(0), &"params".into()), "{validated:?}");
        assert_eq!(validated.document["curves"][0]["test"]["count"], 2);
        let table = std::fs::read_to_string(place.path().join("runs.csv")).expect("written");
        assert_eq!(
            table.lines().filter(|line| line.starts_with("jacobi,mpi,") && line.contains(",iteration,0,20,")).count(),
            4
        );
        let again = bsf(place, mpi, "validate runs.csv --params costs.toml");
        assert_eq!(again.document["curves"], validated.document["curves"]);
    });
}

#[test]
fn ranks_that_a_user_has_started_measure_too() {
    each(|mpi, place| {
        let run = |processes: u32, arguments: &str| {
            let oversubscribe = if mpi.name == OPEN_MPI { "--oversubscribe " } else { "" };
            let arguments =
                format!("{oversubscribe}-n {processes} {} bsf {arguments} --json", mpi.executable.display());
            place.run(Path::new(mpi.mpirun), &arguments)
        };
        // Without --backend: each would measure alone, were they no ranks.
        let two = run(2, "calibrate stats --size 90 --repeat 5");
        assert_eq!((two.code, &two.document["origin"]["processes"]), (Some(0), &2.into()), "{two:?}");
        assert!(two.document["times"]["overhead_s"].is_null());
        assert!(codes(&two.document).contains(&"no_overhead"), "{two:?}");
        let four = run(4, "calibrate stats --size 90 --repeat 5");
        assert_eq!((four.code, &four.document["origin"]["processes"]), (Some(0), &4.into()), "{four:?}");
        assert!(!four.document["times"]["overhead_s"].is_null());
        let one = run(1, "calibrate stats --size 90 --backend mpi");
        assert_eq!((one.code, one.problem()), (Some(2), "one_process"), "{one:?}");
        let several = run(2, "validate --run stats --size 90 --backend mpi --fit");
        assert_eq!((several.code, several.problem()), (Some(2), "under_launcher"), "{several:?}");
    });
}

#[test]
fn wrong_input_starts_nothing_and_failures_name_their_place() {
    each(|mpi, place| {
        for (arguments, exit, code) in [
            ("calibrate stats --size 10 --workers 11 --backend mpi", 2, "workers"),
            ("calibrate stats --size 10 --backend mpi --launcher no-such-launcher", 2, "program_not_found"),
            ("validate --run stats --size 10 --workers 1,2,11 --backend mpi --fit", 2, "workers"),
            (
                "validate --run stats --size 10 --workers 1,2,3 --backend mpi --fit --launcher no-such-launcher",
                2,
                "program_not_found",
            ),
            ("calibrate gravity --size 3 --position 100,0,0 --velocity 0,0,0 --backend mpi", 1, "failed"),
        ] {
            let ran = bsf(place, mpi, arguments);
            assert_eq!((ran.code, ran.problem()), (Some(exit), code), "{arguments} {ran:?}");
        }
    });
}

#[test]
fn measuring_can_be_interrupted() {
    each(|mpi, place| {
        let program =
            format!("{} bsf calibrate stats --size 90 --backend mpi --repeat 1000000 --json", mpi.executable.display());
        let ran = place.run(Path::new("timeout"), &format!("--foreground --signal=INT --preserve-status 4 {program}"));
        assert_eq!((ran.code, ran.problem()), (Some(1), "interrupted"), "{ran:?}");
        assert!(!ran.stdout.contains("--checkpoint"), "there is none: {ran:?}");
    });
}
