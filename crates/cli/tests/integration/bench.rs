//! `bench`: runs, tables, resuming, interruption.

use crate::{Answer, Place, program};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn place() -> Place {
    let place = Place::new();
    place.write("plan.csv", "set,p,N,reps\ntrain,1,10,2\ntrain,2,10,2\ntarget,4,10,1\n");
    place
}

#[test]
fn a_plan_becomes_a_table_and_is_taken_up_again() {
    let place = place();
    let arguments = [
        "bench",
        "plan.csv",
        "-o",
        "runs.csv",
        "--only",
        "train",
        "--figure",
        "solve_s=^solved in ([0-9.]+) s",
        "--",
        "echo",
        "solved in {N/p} s",
    ];
    let answer = place.run(&arguments).code(0);
    assert!(answer.out.contains("4 runs in runs.csv: 4 made now"), "{}", answer.out);
    assert!(answer.err.contains("measuring: 4 runs"), "{}", answer.err);
    assert!(answer.err.contains("runcast predict runs.csv --targets plan.csv"), "{}", answer.err);
    let table = place.read("runs.csv");
    assert!(table.starts_with("# roles: {\"processes\":\"p\",\"params\":[\"p\",\"N\"],"), "{table}");
    assert_eq!(table.lines().nth(1), Some("p,N,rep,time_s,cpu_s,peak_bytes,solve_s,status,key"));
    assert_eq!(table.lines().count(), 6);

    let again = place.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(again.code, Some(2), "--json after -- belongs to the program, which changes the command");
    let again = place.run(&[&["--json"], &arguments[..]].concat()).code(0).document();
    assert_eq!((&again["kind"], &again["ok"], &again["skipped"]), (&"bench".into(), &0.into(), &4.into()));
    let first = &again["configurations"][0];
    assert_eq!(first["at"], serde_json::json!({"p": 1, "N": 10}));
    assert_eq!(first["metrics"]["solve_s"], serde_json::json!({"median": 10, "min": 10, "max": 10}));
}

#[test]
fn failed_runs_are_told_and_kept() {
    let place = place();
    let arguments = ["bench", "plan.csv", "-o", "runs.csv", "--", "sh", "-c", "exit $(( {p} == 2 ))"];
    let answer = place.run(&arguments).code(0);
    assert!(answer.err.contains("failed: p=2, N=10 (exit_1)"), "{}", answer.err);
    assert!(answer.out.contains("2 of them failed"), "{}", answer.out);
    assert_eq!(place.read("runs.csv").matches(",exit_1,").count(), 2);
    let all = ["bench", "plan.csv", "-o", "other.csv", "--", "false"];
    place.run(&all).code(1);
}

#[test]
fn mistakes_are_told_before_anything_runs() {
    let place = place();
    for (arguments, code) in [
        (["bench", "plan.csv", "-o", "t.csv", "--", "./nothing-here"].as_slice(), "program_not_found"),
        (&["bench", "plan.csv", "-o", "t.csv", "--", "echo", "{M}"], "unknown_name"),
        (&["bench", "plan.csv", "-o", "-", "--", "echo"], "not_a_file"),
        (&["bench", "plan.csv", "-o", "t.csv", "--only", "nothing", "--", "echo"], "unknown_set"),
        (&["bench", "plan.csv", "-o", "t.csv", "--figure", "x=(", "--", "echo"], "bad_figure"),
        (&["bench", "plan.csv", "-o", "t.csv", "--figure", "residual=r ([0-9.]+)", "--", "echo"], "unknown_unit"),
        (&["bench", "plan.csv", "-o", "t.csv", "--time-limit", "-1", "--", "echo"], "unknown_option"),
        (&["bench", "plan.csv", "-o", "plan.csv", "--", "echo"], "foreign_table"),
        (
            &["bench", "--at", "p=0", "--launcher", "mpirun", "--mpirun", "true", "-o", "t.csv", "--", "echo"],
            "bad_process_count",
        ),
    ] {
        let document = place.run(&[&["--json"], arguments].concat()).code(2).document();
        assert_eq!(document["problems"][0]["code"], code, "{arguments:?}: {document}");
    }
    assert!(!place.path("t.csv").exists());
}

#[test]
fn configurations_can_be_given_without_a_plan() {
    let place = Place::new();
    let arguments =
        ["bench", "--at", "p=1", "--at", "p=2", "--repetitions", "2", "-o", "runs.csv", "--", "echo", "{rep}{seed}"];
    let answer = place.run(&arguments).code(0);
    assert!(answer.out.contains("4 runs in runs.csv"), "{}", answer.out);
}

#[test]
fn an_interrupted_benchmark_goes_on_where_it_stopped() {
    let place = Place::new();
    place.write("plan.csv", "p,reps\n1,3\n2,3\n");
    let arguments = ["bench", "plan.csv", "-o", "runs.csv", "--", "sleep", "0.4"];
    let child = Command::new(program())
        .args(arguments)
        .current_dir(place.folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let rows = || std::fs::read_to_string(place.path("runs.csv")).map_or(0, |table| table.lines().count());
    let begin = Instant::now();
    while rows() < 3 && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let answer = Answer::of(&child.wait_with_output().expect("ended")).code(1);
    assert!(answer.err.contains("the same command goes on where it stopped"), "{}", answer.err);
    let before = rows();
    assert!((3..8).contains(&before), "{before}");
    let answer = place.run(&arguments).code(0);
    assert!(answer.out.contains("there already"), "{}", answer.out);
    assert_eq!(rows(), 8, "the roles, the header and six runs");
}
