//! Threads: all samples are there, whoever reports.

use crate::support::{C, Place, Trace, build, for_c, have, number};
use std::collections::BTreeMap;

fn run(arguments: &str, flags: &str, variables: &[(&str, &str)]) -> Trace {
    let place = Place::new();
    let ran = place.run(&build(C[0], &["work.c"], flags), arguments, variables);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments}");
    assert_eq!(place.files(), ["p.cll.0.csv"]);
    place.trace("p.cll.0.csv")
}

/// Visits by thread.
fn visits(trace: &Trace) -> BTreeMap<String, f64> {
    let mut visits = BTreeMap::new();
    for row in &trace.rows {
        *visits.entry(row["thread"].clone()).or_insert(0.0) += number(row, "visits");
    }
    visits
}

/// Of eight threads four have ended; the others wait until the report, or until exit.
#[test]
fn samples_of_all_threads_are_there() {
    for (mode, at_exit) in [("trace", "1"), ("trace", "0"), ("aggregate", "1"), ("aggregate", "0")] {
        let trace = run(&format!("threads 1000 {at_exit}"), "", &[("CLL_MODE", mode)]);
        let visits = visits(&trace);
        assert_eq!(visits.len(), 8, "{mode} {at_exit}");
        assert!(visits.values().all(|&count| count == 1000.0), "{visits:?}");
        assert_eq!(trace.end()["threads"], 8);
    }
}

/// Reports while four threads go on: no visit is missing, none is there twice.
#[test]
fn reports_do_not_stop_threads() {
    for arguments in ["busy", "busy-exit"] {
        let trace = run(arguments, "-DREAL", &[("CLL_MODE", "trace")]);
        let mut seen: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for row in &trace.rows {
            seen.entry(&row["thread"]).or_default().push(number(row, "visit") as usize);
        }
        for (thread, mut visits) in seen {
            visits.sort_unstable();
            assert!(visits.iter().enumerate().all(|(index, visit)| index == *visit), "{arguments}: thread {thread}");
        }
        run(arguments, "-DREAL", &[("CLL_MODE", "aggregate")]);
    }
}

#[test]
fn threads_may_report_at_once() {
    let trace = run("reporting", "-DREAL", &[]);
    assert_eq!(trace.rows.len(), 4 * 20 * 200);
    assert!(visits(&trace).values().all(|&count| count == 4000.0));
}

#[test]
fn a_thread_that_ends_inside_a_region_leaves_it_open() {
    for compiler in for_c() {
        let place = Place::new();
        let trace = place.trace_of(&build(compiler, &["work.c"], ""), "leaves-open", &[]);
        assert_eq!(trace.rows.len(), 1);
        assert!(["open", "exit"].contains(&trace.rows[0]["status"].as_str()));
    }
}

#[test]
fn memory_of_threads_that_have_ended_is_used_again() {
    let place = Place::new();
    let ran = place.run(&build(C[0], &["work.c"], ""), "short-lived 3000", &[("CLL_MEM", "1MiB")]);
    let peak: f64 = ran.stdout.trim().parse().expect("a peak");
    assert!(peak < 6.0 * 1024.0, "{peak} KiB");
    let trace = place.trace("p.cll.0.csv");
    assert_eq!((trace.rows.len(), visits(&trace).len()), (9000, 3000));
}

/// The sanitizers of both compilers find nothing.
#[test]
fn sanitizers_find_nothing() {
    for compiler in for_c() {
        for kind in ["thread", "address,undefined"] {
            let flags = format!("-DREAL -fsanitize={kind} -fno-sanitize-recover=all");
            let program = build(compiler, &["work.c"], &flags);
            for arguments in ["threads 1000 0", "busy", "busy-exit", "reporting", "short-lived 20", "visits 30000 7"] {
                for mode in ["trace", "aggregate"] {
                    let variables = [("CLL_MODE", mode), ("CLL_MEM", "1MiB"), ("CLL_CPU", "1")];
                    let ran = Place::new().run(&program, arguments, &variables);
                    assert_eq!(
                        (ran.code, ran.stderr.as_str()),
                        (Some(0), ""),
                        "{compiler:?} {kind} {arguments} {mode}"
                    );
                }
            }
        }
        let program = build(compiler, &["cases.c"], "-fsanitize=address,undefined -fno-sanitize-recover=all");
        for case in
            ["nested", "leaves", "longjmp-report", "exit", "deep", "at-end", "open", "fork", "reports", "quoted"]
        {
            let ran = Place::new().run(&program, case, &[("ASAN_OPTIONS", "detect_stack_use_after_return=1")]);
            assert!([Some(0), Some(3)].contains(&ran.code) && ran.stderr.is_empty(), "{compiler:?} {case}: {ran:?}");
        }
    }
}

#[test]
fn valgrind_finds_nothing() {
    if !have(&["valgrind"]) {
        return;
    }
    let place = Place::new();
    let program = build(C[0], &["work.c"], "");
    let arguments = format!("-q --error-exitcode=7 {} visits 3000 5", program.display());
    let ran = place.run("valgrind".as_ref(), &arguments, &[("CLL_MEM", "256KiB")]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
