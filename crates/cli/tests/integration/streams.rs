//! Results on the standard output, everything else on the standard error.

use crate::{Place, program};
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn results_and_notes_are_kept_apart() {
    let place = Place::new();
    let answer = place.run(&["plan", "--processes", "1,2,4", "--fixed", "N=100", "-o", "plan.csv"]).code(0);
    assert!(answer.out.contains("strong scaling, 3 configurations, 3 runs"), "{}", answer.out);
    assert!(answer.err.starts_with("note: wrote plan.csv"), "{}", answer.err);
    assert!(place.read("plan.csv").starts_with("set,p,N,reps,"));
}

#[test]
fn a_dash_sends_the_file_itself_to_the_standard_output() {
    let answer = Place::new().run(&["plan", "--processes", "1,2", "-o", "-"]).code(0);
    assert!(answer.out.starts_with("set,p,reps,"), "{}", answer.out);
    assert!(answer.err.is_empty(), "{}", answer.err);
}

#[test]
fn a_document_is_the_only_thing_on_the_standard_output() {
    let place = Place::with_runs();
    for arguments in [
        ["plan", "--processes", "1,2", "--json"].as_slice(),
        &["import", "runs.csv", "--json"],
        &["import", "--list-formats", "--json"],
        &["fit", "runs.csv", "--json"],
        &["fit", "runs.csv", "--json", "-o", "-"],
        &["predict", "runs.csv", "--at", "p=64", "--json"],
        &["evaluate", "runs.csv", "--json"],
        &["advise", "processes", "runs.csv", "--json"],
        &["report", "runs.csv", "--json"],
        &["--json", "plan", "--processes", "1,2"],
    ] {
        let answer = place.run(arguments).code(0);
        let document = answer.document();
        assert_eq!(document["version"], 1, "{arguments:?}");
        assert!(document["warnings"].is_array(), "{arguments:?}");
        assert!(answer.err.is_empty(), "{arguments:?}: {}", answer.err);
    }
}

#[test]
fn a_fit_is_written_as_the_document_that_json_prints() {
    let place = Place::with_runs();
    let printed = place.run(&["fit", "runs.csv", "--json"]).code(0).out;
    place.run(&["fit", "runs.csv", "-o", "models.json"]).code(0);
    assert_eq!(place.read("models.json"), printed);
    assert_eq!(place.run(&["fit", "runs.csv", "-o", "-"]).code(0).out, printed);
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let place = Place::with_runs();
    let one = place.run(&["fit", "runs.csv", "--model", "all", "--json", "--threads", "1"]).code(0).out;
    let four = place.run(&["fit", "runs.csv", "--model", "all", "--json", "--threads", "4"]).code(0).out;
    assert_eq!(one, four);
}

#[test]
fn nothing_is_colored_in_a_pipe() {
    let place = Place::with_runs();
    for arguments in [["fit", "runs.csv"].as_slice(), &["fit", "nothing.csv"], &["--help"], &["plan", "--wrong"]] {
        let answer = place.run(arguments);
        assert!(!answer.out.contains('\u{1b}') && !answer.err.contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn warnings_go_to_the_standard_error() {
    let place = Place::new();
    place.write("runs.csv", "p,time\n1,10\n2,6\n4,4\n8,3\n");
    let answer = place.run(&["fit", "runs.csv"]).code(0);
    assert!(answer.err.contains("warning: time has no unit"), "{}", answer.err);
    assert!(answer.err.contains("(unit_assumed)"), "{}", answer.err);
    assert!(!answer.out.contains("warning:"));
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let place = Place::new();
    let mut table = String::from("p,time_s\n");
    for row in 1..200_000 {
        table.push_str(&format!("{row},{}\n", 1.0 / f64::from(row)));
    }
    place.write("long.csv", &table);
    let mut child = Command::new(program())
        .args(["import", "long.csv"])
        .current_dir(place.folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut first = [0; 8];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("read");
    let mut err = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("read");
    assert_eq!(&first, b"p,time_s");
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    assert_eq!(err, "read as: p = processes, time_s = metric (lower is better)\n");
}
