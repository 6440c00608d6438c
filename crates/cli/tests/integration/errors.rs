//! What is wrong is told with file, line, field, value and hint, as text and as a document.

use crate::Place;
use serde_json::json;

#[test]
fn an_unknown_option_is_wrong_usage() {
    let answer = Place::new().run(&["plan", "--procesess", "4"]).code(2);
    assert!(answer.out.is_empty());
    assert!(answer.err.starts_with("error: unexpected argument '--procesess'"), "{}", answer.err);
    assert!(answer.err.contains("--processes"));
}

#[test]
fn wrong_usage_is_a_document_under_json() {
    let answer = Place::new().run(&["plan", "--json", "--threads", "many"]).code(2);
    let document = answer.document();
    assert_eq!((&document["kind"], &document["version"]), (&json!("error"), &json!(1)));
    let problem = &document["problems"][0];
    assert_eq!(problem["code"], "invalid_value");
    assert_eq!(problem["pointer"], "--threads");
    assert_eq!(problem["value"], "many");
    assert!(answer.err.is_empty(), "{}", answer.err);
}

#[test]
fn json_after_two_dashes_belongs_to_the_program() {
    let answer = Place::new().run(&["bench", "plan.csv", "--", "prog", "--json"]).code(2);
    assert!(answer.out.is_empty(), "{}", answer.out);
    assert!(answer.err.contains("--output"), "{}", answer.err);
}

#[test]
fn a_missing_file_is_wrong_input() {
    let answer = Place::new().run(&["fit", "nothing.csv"]).code(2);
    assert_eq!(
        answer.err,
        "error: nothing.csv: cannot be read: no such file or directory\nhint: check the name and the folder\n"
    );
}

#[test]
fn a_damaged_number_is_told_with_its_line() {
    let place = Place::new();
    place.write("runs.csv", "p,time_s\n1,10\n2,\"5,5\"\n4,3\n");
    let answer = place.run(&["fit", "runs.csv"]).code(2);
    insta::assert_snapshot!(answer.whole());
    let problem = &place.run(&["fit", "runs.csv", "--json"]).code(2).document()["problems"][0];
    assert_eq!((&problem["file"], &problem["line"]), (&json!("runs.csv"), &json!(3)));
    assert_eq!(problem["value"], "5,5");
}

#[test]
fn all_problems_of_a_plan_are_told_at_once() {
    let place = Place::new();
    place.write("plan.toml", "scaling = \"week\"\nprocesses = \"squares\"\nmax_p = \"many\"\n");
    let answer = place.run(&["plan", "plan.toml"]).code(2);
    insta::assert_snapshot!(answer.whole());
}

#[test]
fn targets_and_levels_are_checked_by_the_command_line() {
    let place = Place::with_runs();
    for wrong in [
        ["--at", "p"],
        ["--at", "p=1,p=2"],
        ["--at", "3,5"],
        ["--at", "p=inf"],
        ["--level", "1.5"],
        ["--level", "90"],
        ["--delimiter", "ab"],
        ["--threads", "0"],
    ] {
        let answer = place.run(&[["predict", "runs.csv"].as_slice(), &wrong].concat()).code(2);
        assert!(answer.err.contains(wrong[0]), "{wrong:?}: {}", answer.err);
    }
}

#[test]
fn a_picture_is_svg_or_png() {
    let place = Place::with_runs();
    place.run(&["fit", "runs.csv", "--plot", "curve.svg"]).code(0);
    assert!(place.read("curve.svg").starts_with("<svg"));
    place.run(&["fit", "runs.csv", "--plot", "curve.png"]).code(0);
    assert!(std::fs::read(place.path("curve.png")).expect("there").starts_with(b"\x89PNG"));
    let answer = place.run(&["fit", "runs.csv", "--plot", "curve.bmp"]).code(2);
    assert!(answer.err.contains("neither .svg nor .png"), "{}", answer.err);
}

#[test]
fn a_file_that_cannot_be_written_is_exit_code_1() {
    let place = Place::with_runs();
    std::fs::create_dir(place.path("folder")).expect("made");
    let answer = place.run(&["fit", "runs.csv", "-o", "folder"]).code(1);
    assert!(answer.err.contains("error: folder: cannot be written"), "{}", answer.err);
}

#[test]
fn the_standard_output_cannot_hold_a_document_and_a_table() {
    let place = Place::new();
    let answer = place.run(&["plan", "--processes", "1,2", "--json", "-o", "-"]).code(2);
    assert_eq!(answer.document()["problems"][0]["code"], "stdout_taken");
}

#[test]
fn the_standard_input_is_read_once() {
    let place = Place::new();
    let output = place.command(&["fit", "-", "-"]).write_stdin("p,time_s\n1,2\n").output().expect("started");
    let answer = crate::Answer::of(&output).code(2);
    assert!(answer.err.contains("once"), "{}", answer.err);
}

#[test]
fn a_bare_number_is_told_as_it_was_read() {
    let costs = ["bsf", "predict", "--algorithm", "jacobi", "--size", "1500", "--op-time", "29ns"];
    let rest = ["--transfer-time", "190ns", "--workers", "1,8", "--latency"];
    let place = Place::new();
    let answer = place.run(&[&costs[..], &rest, &["15"]].concat()).code(0);
    assert!(answer.err.contains("warning: read --latency 15 as 15 s; hint: 15us? (bare_number)"), "{}", answer.err);
    let answer = place.run(&[&costs[..], &rest, &["15us"]].concat()).code(0);
    assert!(!answer.err.contains("bare_number"), "{}", answer.err);
}
