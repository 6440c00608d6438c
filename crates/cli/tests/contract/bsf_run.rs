//! `runcast bsf run`: its document and tables, its exit codes, and runs that go on where others stopped.

use crate::run::Folder;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

fn empty() -> Folder {
    Folder::with(&[])
}

fn run(folder: &Folder, args: &str) -> (Value, i32) {
    let words: Vec<&str> = ["bsf", "run"].into_iter().chain(args.split_whitespace()).collect();
    folder.json(&words)
}

/// The first problem of a run that gives none.
fn problem(args: &str) -> (Value, i32) {
    let (document, exit) = run(&empty(), args);
    assert_eq!(document["kind"], "error", "{args}: {document}");
    (document["problems"][0].clone(), exit)
}

/// Section 3.3 of the specification, in its order.
const FIELDS: [&str; 26] = [
    "kind",
    "version",
    "program",
    "parameters",
    "backend",
    "workers",
    "threads",
    "collective",
    "reproducible",
    "list_length",
    "status",
    "iterations",
    "counter",
    "step_norm",
    "growth_rate",
    "error_max",
    "result_head",
    "result_digest",
    "time_s",
    "iteration_time_s",
    "first_iteration_time_s",
    "map_fold_cpu_s",
    "resumed_from",
    "restarts",
    "checks",
    "warnings",
];

#[test]
fn the_document_has_its_fields_in_their_order() {
    let args = "jacobi --size 150 --system triangular --backend threads --workers 4 --threads 2 --collective tree";
    let (document, exit) = run(&empty(), args);
    assert_eq!(exit, 0);
    let names: Vec<&str> = document.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(names, FIELDS);
    for (name, value) in [
        ("kind", Value::from("bsf-run")),
        ("version", 1.into()),
        ("program", "jacobi".into()),
        ("backend", "threads".into()),
        ("workers", 4.into()),
        ("threads", 2.into()),
        ("collective", "tree".into()),
        ("reproducible", false.into()),
        ("list_length", 150.into()),
        ("status", "converged".into()),
        ("counter", 150.into()),
        ("resumed_from", Value::Null),
        ("restarts", 0.into()),
        ("checks", serde_json::json!({})),
        ("warnings", serde_json::json!([])),
    ] {
        assert_eq!(document[name], value, "{name}");
    }
    assert_eq!(document["parameters"]["size"], 150);
    assert_eq!(document["parameters"]["system"], "triangular");
    assert_eq!(document["result_head"].as_array().map(Vec::len), Some(10));
    assert_eq!(document["result_digest"].as_str().map(str::len), Some(32));
    for name in ["time_s", "iteration_time_s", "first_iteration_time_s", "map_fold_cpu_s", "step_norm", "growth_rate"] {
        assert!(document[name].as_f64().is_some_and(|value| value > 0.0), "{name}");
    }
}

#[test]
fn every_program_tells_what_it_finds() {
    let (cimmino, _) = run(&empty(), "cimmino --size 10 --projection equality");
    assert_eq!((&cimmino["status"], &cimmino["iterations"]), (&"finished".into(), &100.into()));
    assert_eq!((&cimmino["list_length"], &cimmino["counter"]), (&22.into(), &22.into()));
    let (gravity, _) = run(&empty(), "gravity --size 12 --workers 3");
    assert_eq!((&gravity["iterations"], &gravity["error_max"]), (&10.into(), &Value::Null));
    for name in ["position_m", "velocity_m_per_s", "energy_drift", "angular_momentum_drift"] {
        assert!(!gravity["checks"][name].is_null(), "{name}");
    }
    let (stats, exit) = run(&empty(), "stats --size 10 --skip 3 --workers 7");
    assert_eq!((&stats["counter"], &stats["iterations"], exit), (&7.into(), &2.into(), 0));
    assert_eq!(stats["checks"]["mean"], 37.0 / 7.0);
}

#[test]
fn what_does_not_come_to_its_end_has_exit_code_1_and_a_document() {
    for (args, status) in [
        ("jacobi --size 3 --system published", "diverged"),
        ("jacobi --size 3 --system published --divergence-factor 1e300 --norm l2-squared", "diverged"),
        ("jacobi --size 20 --max-iterations 5", "iteration_limit"),
        ("jacobi --size 20 --epsilon 0 --time-limit 0.05s", "time_limit"),
    ] {
        let (document, exit) = run(&empty(), args);
        assert_eq!((document["status"].as_str(), exit), (Some(status), 1), "{args}");
    }
    let (document, exit) = run(&empty(), "cimmino --size 10 --divisor violated");
    assert_eq!((document["status"].as_str(), exit), (Some("feasible"), 0));
}

#[test]
fn wrong_usage_has_exit_code_2_and_says_what_is_allowed() {
    for (args, pointer, words) in [
        ("jacobi --size 3 --workers 4", "--workers", "1 to 3"),
        ("jacobi --size 3 --workers 0", "--workers", "1 to 3"),
        ("cimmino --size 3 --workers 9 --backend threads", "--workers", "1 to 8"),
        ("jacobi", "--size", "integer"),
        ("jacobi --size 0", "--size", "integer"),
        ("jacobi --size 2.5", "--size", "integer"),
        ("jacobi --size -3", "--size", "integer"),
        ("jacobi --size 1e7", "--size", "smaller"),
        ("cimmino --size 1e9", "--size", "smaller"),
        ("jacobi --size 3 --lambda 1.5", "--lambda", "--epsilon"),
        ("stats --size 3 --mass 1", "--mass", "--skip"),
        ("cimmino --size 3 --lambda nan", "--lambda", "above 0"),
        ("jacobi --size 3 --epsilon -1", "--epsilon", "from 0 on"),
        ("gravity --size 3 --position 1,2", "--position", "three numbers"),
        ("gravity --size 3 --dt 0", "--dt", "above 0"),
    ] {
        let (problem, exit) = problem(args);
        assert_eq!((problem["pointer"].as_str(), exit), (Some(pointer), 2), "{args}: {problem}");
        assert!(problem["allowed"].as_str().is_some_and(|allowed| allowed.contains(words)), "{args}: {problem}");
    }
    for args in ["jacobbi --size 3", "jacobi --size 3 --norm l1", "jacobi --size 3 --checkpoint-every 0 --checkpoint c"]
    {
        assert_eq!(problem(args).1, 2, "{args}");
    }
}

#[test]
fn memory_that_is_not_there_is_told() {
    let (problem, _) = problem("jacobi --size 1e7");
    let message = problem["message"].as_str().expect("a message");
    assert!(message.contains("800 TB") && message.contains("are free"), "{message}");
}

#[test]
fn bodies_come_from_a_table_and_what_is_wrong_is_told_with_its_line() {
    let bodies = b"x_m,y_m,z_m,mass_kg\n100,0,0,1e12\n0,100,0,1e12\n0,0,100,1e12\n";
    let bad = b"x_m,y_m,z_m,mass_kg\n100,0,0,1e12\n0,100,zero,1e12\n";
    let folder = Folder::with(&[("good.csv", bodies), ("bad.csv", bad)]);
    let listed = run(&folder, "gravity --bodies good.csv").0;
    let made = run(&folder, "gravity --size 3").0;
    assert_eq!(listed["result_digest"], made["result_digest"]);
    assert_eq!(listed["parameters"]["bodies"], "good.csv");
    let (error, exit) = run(&folder, "gravity --bodies bad.csv");
    let problem = &error["problems"][0];
    assert_eq!((exit, &problem["file"], &problem["line"]), (2, &"bad.csv".into(), &3.into()));
    for args in
        ["gravity --bodies missing.csv", "gravity --bodies good.csv --size 4", "gravity --bodies good.csv --mass 1"]
    {
        assert_eq!(run(&folder, args).1, 2, "{args}");
    }
}

#[test]
fn a_position_at_a_body_has_exit_code_1_and_names_body_and_step() {
    for args in
        ["gravity --size 6 --position 0,0,200", "gravity --size 6 --position 0,0,200 --backend threads --workers 2"]
    {
        let (problem, exit) = problem(args);
        let message = problem["message"].as_str().expect("a message");
        assert_eq!(exit, 1);
        assert!(message.contains("body 5") && message.contains("iteration 1"), "{message}");
    }
}

#[test]
fn timings_have_a_row_for_each_region_and_rank() {
    let folder = empty();
    run(&folder, "jacobi --size 60 --backend threads --workers 2 --timings times.csv --trace trace.csv");
    let timings = std::fs::read_to_string(folder.path().join("times.csv")).expect("written");
    let header =
        "program,backend,collective,workers,threads,size,list_length,region,rank,count,time_s,time_total_s,cpu_time_s";
    assert_eq!(timings.lines().next(), Some(header));
    let iterations: Vec<&str> = timings.lines().filter(|line| line.contains(",iteration,0,")).collect();
    assert_eq!(iterations.len(), 1);
    assert!(iterations[0].starts_with("jacobi,threads,flat,2,1,60,60,iteration,0,"), "{}", iterations[0]);
    for rank in [1, 2] {
        assert!(timings.contains(&format!(",map_fold,{rank},")), "{timings}");
    }
    let trace = std::fs::read_to_string(folder.path().join("trace.csv")).expect("written");
    let header = "program,backend,collective,workers,threads,size,list_length,iteration,region,rank,time_s,cpu_time_s";
    assert_eq!(trace.lines().next(), Some(header));
    let (document, _) = run(&folder, "jacobi --size 60");
    let master = trace.lines().filter(|line| line.contains(",iteration,0,")).count();
    assert_eq!(Some(master as u64), document["iterations"].as_u64());
}

#[test]
fn a_table_may_go_to_the_standard_output() {
    let output = empty().run(&["bsf", "run", "stats", "--size", "9", "--timings", "-"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.starts_with("program,backend,") && !text.contains("digest"), "{text}");
    assert_eq!(run(&empty(), "stats --size 9 --timings - --trace -").1, 2);
}

#[test]
fn people_get_a_table_and_approximations_on_the_way() {
    let output = empty().run(&["bsf", "run", "jacobi", "--size", "11", "--print-every", "20"]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("converged, after 46 iterations") && out.contains("digest"), "{out}");
    let lines: Vec<&str> = err.lines().filter(|line| line.starts_with("iteration ")).collect();
    assert_eq!(lines.len(), 2, "{err}");
    assert!(lines[1].starts_with("iteration 40, "), "{err}");
}

#[test]
fn a_run_goes_on_from_its_checkpoint_as_if_it_had_never_stopped() {
    for program in ["jacobi --size 40", "cimmino --size 15", "gravity --size 12 --iterations 50", "stats --size 100"] {
        let folder = empty();
        let whole = run(&folder, program).0;
        let at = if program.starts_with("stats") { 1 } else { 7 };
        let first = format!("{program} --checkpoint saved.bsf --max-iterations {at}");
        let (part, exit) = run(&folder, &first);
        assert_eq!((part["status"].as_str(), exit), (Some("iteration_limit"), 1), "{first}");
        let (rest, exit) = run(&folder, &format!("{program} --resume saved.bsf"));
        assert_eq!(exit, 0, "{program}");
        assert_eq!(rest["resumed_from"], at);
        for name in ["result_digest", "iterations", "status", "step_norm", "growth_rate", "counter"] {
            assert_eq!(rest[name], whole[name], "{program}: {name}");
        }
    }
}

#[test]
fn a_checkpoint_that_is_of_something_else_or_cut_short_has_exit_code_2() {
    let folder = empty();
    run(&folder, "jacobi --size 40 --checkpoint saved.bsf --max-iterations 7");
    for other in ["jacobi --size 41", "jacobi --size 40 --system triangular", "cimmino --size 40"] {
        let (error, exit) = run(&folder, &format!("{other} --resume saved.bsf"));
        assert_eq!(exit, 2, "{other}: {error}");
        assert_eq!(error["problems"][0]["file"], "saved.bsf");
    }
    let file = folder.path().join("saved.bsf");
    let bytes = std::fs::read(&file).expect("there");
    for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&file, &bytes[..length]).expect("written");
        assert_eq!(run(&folder, "jacobi --size 40 --resume saved.bsf").1, 2, "{length} bytes");
    }
    assert_eq!(run(&folder, "jacobi --size 40 --resume missing.bsf").1, 2);
}

/// Starts a run that never ends, and tells it to stop once it has begun.
#[cfg(unix)]
#[test]
fn an_interrupted_run_saves_and_tells_so() {
    let folder = empty();
    let args = "bsf run gravity --size 12 --iterations 1000000000 --print-every 1000 --checkpoint saved.bsf --json";
    for signal in ["-INT", "-TERM"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_runcast"))
            .args(args.split(' '))
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line.starts_with("iteration "))));
        Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
        // The pipe must not fill up.
        lines.for_each(drop);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{signal}");
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        assert_eq!(document["status"], "interrupted");
        let done = document["iterations"].as_u64().expect("a number");
        let more = format!("gravity --size 12 --iterations {} --resume saved.bsf", done + 5);
        // What limits a run is no part of the problem.
        let (rest, exit) = run(&folder, &more);
        assert_eq!((exit, rest["resumed_from"].as_u64(), rest["iterations"].as_u64()), (0, Some(done), Some(done + 5)));
    }
}

#[test]
fn options_for_mpi_are_told_to_do_nothing_without_it() {
    let (document, exit) = run(&empty(), "stats --size 9 --retries 2");
    assert_eq!((document["warnings"][0]["code"].as_str(), exit), (Some("unused_option"), 0));
}
