//! Programs that never end, or are too much: an error, soon.

use crate::{FFT, near, prepared, problems};
use runcast_call::bsp::{Assignment, Detail, Limits, Models};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn machine(processors: u64, rest: &str) -> String {
    format!("machine = {{ processors = {processors}, task = \"main\" }}\nblock.b = {{ g = 1, L = 1 }}\n{rest}")
}

#[track_caller]
fn told(text: &str, code: &str, parts: &[&str]) {
    let problem = &problems(text).0[0];
    assert_eq!(problem.code, code, "{problem}");
    for part in parts {
        assert!(problem.to_string().contains(part), "{part} in {problem}");
    }
}

/// The program that is run without anything kept, under a limit.
#[track_caller]
fn under(text: &str, steps: u64, detail: Detail) -> Result<f64, runcast_core::Problem> {
    let limits = Limits { steps, detail, interrupt: None };
    prepared(text).run(&[], &Models::default(), &limits).map(|outcome| outcome.obsp_time_s())
}

#[test]
fn endless_recursion_is_too_deep() {
    let parts = ["task main, step 1", "does not end", "needs an if", "..."];
    told(&machine(1, "task.main.step = [ { call = \"main\" } ]"), "too_deep", &parts);
    let two = "task.main.step = [ { call = \"other\" } ]\ntask.other.step = [ { call = \"main\" } ]";
    told(&machine(8, two), "too_deep", &["does not end"]);
}

#[test]
fn recursion_that_doubles_is_too_long() {
    let text = machine(
        1,
        "task.main.step = [ { if = \"depth < 60\", call = \"main\" }, { if = \"depth < 60\", call = \"main\" } ]",
    );
    let problem = under(&text, 100_000, Detail::None).expect_err("endless");
    assert_eq!(problem.code, "too_long", "{problem}");
    assert!(problem.to_string().contains("--max-steps"), "{problem}");
}

#[test]
fn the_limit_counts_supersteps_of_processors() {
    // FFT on 8 processors: 8*(2*3 + 1).
    assert!(under(FFT, 56, Detail::None).is_ok());
    assert_eq!(under(FFT, 55, Detail::None).expect_err("one too many").code, "too_long");
}

#[test]
fn endless_repetitions_end() {
    let text = machine(2, "task.main.step = [ { repeat = 1e15, work = 1 } ]");
    assert_eq!(under(&text, 100_000, Detail::None).expect_err("endless").code, "too_long");
    let skipped = machine(2, "task.main.step = [ { repeat = 1e15, if = \"it < 0\", work = 1 } ]");
    assert_eq!(under(&skipped, 10_000, Detail::None).expect_err("endless").code, "too_long");
}

#[test]
fn messages_of_all_to_all_on_65536_processors_are_not_listed() {
    let text = machine(
        65_536,
        "task.main.step = [ { work = \"me\", send = [ { to = \"all\", bytes = 1 } ], expect = \"procs - 1\", block = \"b\" } ]",
    );
    let start = Instant::now();
    let program = prepared(&text);
    let outcome = program.run(&[], &Models::default(), &Limits::default()).expect("calculated");
    near(&outcome.obsp_finish_s()[..2], &[65_535.0 + 65_535.0 + 1.0; 2]);
    assert!(start.elapsed().as_secs() < 30);
}

#[test]
fn too_many_messages_are_refused() {
    let each: Vec<String> = (0..64).map(|to| to.to_string()).collect();
    let text = machine(
        64,
        &format!(
            "task.main.step = [ {{ repeat = 1000, send = [ {{ to = [{}], bytes = 1 }} ], block = \"b\" }} ]",
            each.join(", ")
        ),
    );
    let problem = under(&text, 64_000, Detail::None).expect_err("four million messages");
    assert_eq!(problem.code, "too_many");
    assert!(problem.to_string().contains("to = \"all\" counts"), "{problem}");
}

#[test]
fn too_many_processors_are_refused() {
    told(&machine(1_000_000_000, "task.main.step = []"), "too_many", &["machine: processors", "at most 4194304"]);
    assert_eq!(under(&machine(100, "task.main.step = []"), 99, Detail::None).expect_err("too many").code, "too_many");
}

#[test]
fn too_much_to_tell_is_refused_but_calculated() {
    let text = machine(4096, "task.main.step = [ { repeat = 1000, work = 1 } ]");
    assert_eq!(under(&text, 100_000_000, Detail::Steps).expect_err("4,096,000").code, "too_much_detail");
    assert_eq!(under(&text, 100_000_000, Detail::None), Ok(1000.0));
    // Deep paths are long: they are counted, too.
    let deep = machine(
        1,
        "task.main.step = [ { if = \"depth < 4500\", call = \"main\" }, { if = \"depth == 4500\", repeat = 100000 } ]",
    );
    assert_eq!(under(&deep, 100_000_000, Detail::Steps).expect_err("long paths").code, "too_much_detail");
    assert_eq!(under(&deep, 100_000_000, Detail::None), Ok(0.0));
}

#[test]
fn somebody_can_stop_it() {
    let text = machine(1, "task.main.step = [ { repeat = 1e7, work = 1 } ]");
    let interrupt = AtomicBool::new(true);
    let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
    assert_eq!(prepared(&text).run(&[], &Models::default(), &limits).expect_err("stopped").code, "interrupted");
}

#[test]
fn large_machines_are_calculated_fast_enough_to_be_asked_for() {
    let program = prepared(FFT);
    let set = [Assignment::number("P", 4096.0), Assignment::number("N", 65_536.0)];
    let outcome = program.run(&set, &Models::default(), &Limits::default()).expect("calculated");
    let (n, p) = (65_536.0f64, 4096.0f64);
    let expected = 13.0 + 29.0 * 12.0 + 0.125 * (n / p) * 4.0 + 8.25 * n * (p - 1.0) / p;
    near(outcome.obsp_finish_s(), &vec![expected; 4096]);
}

#[test]
fn too_large_times_are_told() {
    let text = machine(
        2,
        "task.main.step = [ { repeat = 3, work = 1e308, send = [ { to = \"all\", bytes = 1 } ], block = \"b\" } ]",
    );
    told(&text, "out_of_range", &["too large to compute with", "superstep 2"]);
    let silent = machine(2, "task.main.step = [ { repeat = 3, work = 1e308 } ]");
    told(&silent, "out_of_range", &["too large to compute with", "superstep 2"]);
}
