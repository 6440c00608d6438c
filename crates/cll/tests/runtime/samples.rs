//! What a sample says: times, levels, statuses, on every way out of a region.

use crate::support::{Place, Trace, all, build, number};

/// Runs a case of `cases.c` with each compiler; their traces are the same.
fn case(name: &str) -> Trace {
    let mut traces = all().map(|compiler| Place::new().trace_of(&build(compiler, &["cases.c"], ""), name, &[]));
    let first = traces.next().expect("a compiler");
    for other in traces {
        assert_eq!(first.rows, other.rows, "{name}");
    }
    first
}

/// The arithmetic: inside = 2 ns, pair = 5 ns; outer 100 + 10 + 30 + 20 ns on the clock, with two pairs inside.
#[test]
fn overhead_is_taken_out() {
    let trace = case("nested");
    assert_eq!(
        trace.cells("region,visit,level,status,visits,time_s,self_s,raw_s"),
        [
            "inner,0,0,ok,1,8e-9,8e-9,1e-8",
            "inner,1,0,ok,1,1.8e-8,1.8e-8,2e-8",
            // 160 - 2 - 2*5; less 8 and 18
            "outer,0,0,ok,1,1.48e-7,1.22e-7,1.6e-7",
        ]
    );
    assert_eq!(trace.cells("n,m.rows,P")[2], "4,7,1");
    assert_eq!(trace.end()["rows"], 3);
}

/// The arithmetic: 160 on the clock less 2, with no pair inside.
#[test]
fn only_outer_regions_are_timed_on_demand() {
    for compiler in all() {
        let program = build(compiler, &["cases.c"], "");
        let at = |depth: &str, case: &str| {
            let trace = Place::new().trace_of(&program, case, &[("CLL_DEPTH", depth)]);
            trace.cells("region,level,status,time_s,self_s")
        };
        assert_eq!(at("1", "nested"), ["outer,0,ok,1.58e-7,1.58e-7"]);
        assert_eq!(at("2", "nested").len(), 3);
        assert_eq!(at("0", "nested").len(), 3);
        // What a jump has left is not around what comes next.
        assert_eq!(at("1", "longjmp-report"), ["outer,0,open,,", "outer,0,ok,1.58e-7,1.58e-7"]);
        let ran = Place::new().run(&program, "nested", &[("CLL_DEPTH", "one")]);
        assert!(ran.code == Some(0) && ran.stderr.contains("CLL_DEPTH"), "{ran:?}");
    }
}

#[test]
fn regions_that_are_left_early_exit() {
    let trace = case("leaves");
    let expected = ["exit", "exit", "exit", "exit", "exit", "ok", "ok"];
    assert_eq!(trace.cells("status"), expected);
    assert!(trace.rows.iter().all(|row| row["time_s"] == "4.8e-8" && row["level"] == "0"));
    assert_eq!(trace.end()["exit"], 5);
}

#[test]
fn exceptions_close_samples() {
    for compiler in crate::support::CPP.into_iter().filter(|compiler| crate::support::have(&[compiler.program])) {
        let trace = Place::new().trace_of(&build(compiler, &["cases.c"], ""), "throw", &[]);
        let levels = trace.cells("region,level,status");
        assert_eq!(
            levels,
            ["rec,3,exit", "rec,2,exit", "rec,1,exit", "rec,0,exit", "inner,0,ok", "inner,0,ok", "outer,0,ok"]
        );
    }
}

#[test]
fn jumps_leave_samples_open_and_harm_no_other() {
    let trace = case("longjmp");
    assert_eq!(trace.end()["open"], 200);
    for row in &trace.rows {
        assert_eq!(row["level"], "0", "{row:?}");
        assert_eq!(row["status"] == "open", row["time_s"].is_empty(), "{row:?}");
    }
    let last: Vec<String> = trace.cells("region,status,time_s").split_off(200);
    assert_eq!(last[..3], ["inner,ok,8e-9", "inner,ok,1.8e-8", "outer,ok,1.48e-7"]);
    assert!(last[3].starts_with("rec,ok,"), "{last:?}");
}

#[test]
fn jumps_within_a_function_leave_samples_open() {
    let trace = case("longjmp-here");
    assert_eq!(trace.end()["open"], 50);
    let ok = trace.rows.iter().filter(|row| row["status"] == "ok");
    let times: Vec<&str> = ok.map(|row| row["time_s"].as_str()).collect();
    assert_eq!(times, ["8e-9", "1.8e-8", "1.48e-7"]);
}

#[test]
fn samples_that_a_jump_left_are_open_in_the_next_report() {
    let trace = case("longjmp-report");
    assert_eq!(
        trace.cells("region,level,status"),
        ["inner,0,open", "outer,0,open", "inner,0,ok", "inner,0,ok", "outer,0,ok"]
    );
}

#[test]
fn exit_leaves_samples_open() {
    for compiler in all() {
        let place = Place::new();
        let ran = place.run(&build(compiler, &["cases.c"], ""), "exit", &[]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let trace = place.trace("p.cll.0.csv");
        assert_eq!(trace.cells("region,status,n,time_s"), ["inner,open,,", "outer,open,1,"]);
        assert_eq!(trace.end()["open"], 2);
    }
}

/// 10,000 calls deep; times of a call: 10 ns a level, less what the pairs inside cost.
#[test]
fn recursion_counts_its_levels() {
    let trace = case("deep");
    assert_eq!(trace.rows.len(), 10_000);
    for (index, row) in trace.rows.iter().enumerate() {
        assert_eq!(number(row, "d"), index as f64);
        assert_eq!(number(row, "level"), (9_999 - index) as f64);
        assert_eq!(number(row, "visit"), (9_999 - index) as f64);
        let raw = 10.0 * (index + 1) as f64;
        assert!((number(row, "raw_s") - raw * 1e-9).abs() < 1e-17, "{row:?}");
        assert!((number(row, "time_s") - (raw - 2.0 - 5.0 * index as f64) * 1e-9).abs() < 1e-17, "{row:?}");
    }
}

#[test]
fn values_at_the_end_are_read_after_the_clock_stopped() {
    let trace = case("at-end");
    // 20 ns, not 1,020; of the sample that was left early no value is known.
    assert_eq!(trace.cells("region,status,k,raw_s"), ["ends,ok,7,2e-8", "ends,exit,,2e-8"]);
    assert_eq!(trace.end()["rejected"], 0);
}

#[test]
fn plain_calls_in_place_of_braces() {
    let trace = case("open");
    assert_eq!(trace.cells("region,status,raw_s")[..3], ["inner,ok,5e-9", "outer,ok,1.5e-8", "ends,ok,8e-9"]);
    assert_eq!(trace.rows[2]["k"], "6");
    // Left early 10,000 times: the stack does not grow, and levels stay.
    assert_eq!(trace.of("rec").len(), 20_000);
    assert!(trace.of("rec").iter().all(|row| row["level"] == "0"));
    assert_eq!(trace.end()["open"], 10_000);
}

#[test]
fn each_third_visit() {
    let trace = case("third");
    assert_eq!(trace.cells("visit,i,visits"), ["0,0,1", "3,3,1", "6,6,1", "9,9,1"]);
    let third = trace.notes_of("experiment").into_iter().find(|note| note["name"] == "third").expect("it is there");
    assert_eq!(third["every"], 3);
}

#[test]
fn recording_is_switched_off_and_on() {
    assert_eq!(case("on-off").cells("raw_s"), ["1e-9", "4e-9"]);
}

#[test]
fn values_that_are_not_finite_are_rejected_and_exact_ones_kept() {
    let trace = case("not-finite");
    assert_eq!(trace.cells("n,m.rows,status"), ["0,,ok", "1,,ok", "2,0.1,ok", "3,9007199254740992,ok"]);
    assert_eq!(trace.end()["rejected"], 2);
}

#[test]
fn a_clock_that_goes_back_gives_no_time() {
    let trace = case("clock");
    assert_eq!(trace.cells("region,status,time_s")[..2], ["inner,clock,", "inner,ok,0"]);
    assert!(trace.rows.iter().filter(|row| row["status"] == "ok").all(|row| number(row, "time_s") >= 0.0));
}

#[test]
fn times_are_never_negative_and_what_was_clamped_is_counted() {
    let trace = case("clamp");
    assert_eq!(trace.cells("time_s,self_s"), ["0,0", "0,0", "1e-9,1e-9"]);
    assert_eq!(trace.end()["clamped"], 2);
}

#[test]
fn numbers_of_threads_are_recorded_where_they_change() {
    assert_eq!(case("threads-number").cells("P"), ["3", "6"]);
}

#[test]
fn functions_for_other_languages() {
    let trace = case("enter");
    assert_eq!(trace.cells("region,status,n,m.rows"), ["inner,exit,,", "outer,ok,3,4", "rec,ok,,"]);
}

#[test]
fn the_program_keeps_its_errno() {
    for compiler in all() {
        let ran = Place::new().run(&build(compiler, &["cases.c"], ""), "errno", &[]);
        assert_eq!(ran.stdout, "77\n");
    }
}
