//! Clocks, CPU time and counters.

use crate::support::{C, Compiler, Place, Trace, build, for_c, number};
use std::path::PathBuf;
use std::process::Command;

fn trace(arguments: &str, flags: &str, variables: &[(&str, &str)]) -> Trace {
    Place::new().trace_of(&build(C[0], &["work.c"], flags), arguments, variables)
}

#[test]
fn cpu_time_of_regions_that_are_long_enough() {
    let trace = trace("cpu", "-DREAL", &[("CLL_CPU", "1")]);
    for row in trace.of("G") {
        // 2 ms at work on the clock, at most; 3 ms asleep.
        let cpu = number(row, "cpu_s");
        assert!(cpu > 1e-5 && cpu < 2.5e-3 && cpu < number(row, "raw_s"), "{row:?}");
    }
    assert!(trace.of("F").iter().skip(1).all(|row| row["cpu_s"].is_empty()));
    let without = self::trace("cpu", "-DREAL", &[]);
    assert!(without.rows.iter().all(|row| row["cpu_s"].is_empty()));
}

#[test]
fn cpu_time_where_it_is_asked_for() {
    let trace = trace("visits 20 1", "-DREAL -DMETRIC=\"cpu\"", &[]);
    assert!(trace.rows.iter().all(|row| number(row, "cpu_s") >= 0.0));
    assert_eq!(trace.notes_of("experiment")[0]["metric"], serde_json::json!(["cpu"]));
    let trace = self::trace("visits 200 1", "-DREAL -DMETRIC=\"cpu\"", &[("CLL_MODE", "aggregate")]);
    assert!(trace.rows.iter().all(|row| number(row, "cpu_s") >= 0.0));
}

#[test]
fn both_clocks_tell_the_same_time() {
    for compiler in for_c() {
        for clock in ["mono", "tsc"] {
            let place = Place::new();
            let ran = place.run(&build(compiler, &["work.c"], "-DREAL"), "sleep", &[("CLL_CLOCK", clock)]);
            assert_eq!(ran.code, Some(0));
            let trace = place.trace("p.cll.0.csv");
            let note = trace.note("clock");
            // A machine without an invariant counter says so.
            assert!(note["kind"] == clock || (note["why"].is_string() && !ran.stderr.is_empty()), "{note} {ran:?}");
            let times = trace.of("G").into_iter().map(|row| number(row, "time_s"));
            let least = times.fold(f64::INFINITY, f64::min);
            assert!((0.99e-3..1.2e-3).contains(&least), "{clock}: {least}");
            let (inside, pair) = (note["o_in_s"].as_f64().unwrap_or(-1.0), note["o_pair_s"].as_f64().unwrap_or(-1.0));
            assert!(0.0 < inside && inside < pair && pair < 5e-6, "{note}");
        }
    }
}

#[test]
fn a_counter_that_is_not_invariant_is_not_used() {
    let place = Place::new();
    let variables = [("CLL_CLOCK", "tsc"), ("CLL_TEST_VARIANT_TSC", "1")];
    let ran = place.run(&build(C[0], &["work.c"], "-DREAL"), "visits 10 1", &variables);
    assert!(ran.code == Some(0) && ran.stderr.contains("not invariant"), "{ran:?}");
    let trace = place.trace("p.cll.0.csv");
    assert_eq!(
        (&trace.note("clock")["kind"], &trace.note("clock")["why"]),
        (&"mono".into(), &"tsc is not invariant".into())
    );
    let ran = place.run(&build(C[0], &["work.c"], "-DREAL"), "visits 10 1", &[("CLL_CLOCK", "sun")]);
    assert!(ran.code == Some(0) && ran.stderr.contains("CLL_CLOCK"), "{ran:?}");
}

/// Empty regions: after the overhead is taken out, next to nothing is left.
#[test]
fn empty_regions_take_next_to_no_time() {
    let trace = trace("visits 20000 1", "-DREAL", &[("CLL_MODE", "trace")]);
    let mut times: Vec<f64> = trace.rows.iter().map(|row| number(row, "time_s")).collect();
    times.sort_by(f64::total_cmp);
    let pair = trace.note("clock")["o_pair_s"].as_f64().expect("a number");
    assert!(times[times.len() / 2] < pair, "{} {pair}", times[times.len() / 2]);
}

#[test]
fn without_papi_counters_are_not_available() {
    let variables = [("CLL_PAPI_LIBRARY", "/nonexistent/libpapi.so")];
    let trace = trace("visits 5 1", "-DREAL -DMETRIC=\"PAPI_TOT_INS,cpu\"", &variables);
    assert_eq!(trace.note("roles")["counters"]["PAPI_TOT_INS"], "n/a: PAPI is not installed");
    assert!(trace.rows.iter().all(|row| row["PAPI_TOT_INS"].is_empty()));
    assert!(!trace.note("roles")["metrics"].to_string().contains("PAPI"));
}

/// Whatever PAPI there is on this machine: numbers above 0, or empty cells and a reason.
#[test]
fn counters_are_numbers_or_the_reason_is_told() {
    let trace = trace("visits 5 1", "-DREAL -DMETRIC=\"PAPI_TOT_INS\"", &[("CLL_PAPI", "PAPI_TOT_CYC")]);
    for counter in ["PAPI_TOT_INS", "PAPI_TOT_CYC"] {
        let said = trace.note("roles")["counters"][counter].as_str().expect("a text").to_owned();
        if said == "ok" {
            assert!(trace.of("F").iter().all(|row| number(row, counter) > 0.0));
        } else {
            assert!(said.starts_with("n/a: "), "{said}");
            assert!(trace.rows.iter().all(|row| row[counter].is_empty()));
        }
    }
}

/// A library in PAPI's place.
fn fake(compiler: Compiler, place: &Place) -> PathBuf {
    let library = place.path().join("libfake.so");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/runtime/programs/papi.c");
    let mut command = Command::new(compiler.program);
    let output = command.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}

#[test]
fn counters_of_papi() {
    let place = Place::new();
    let library = fake(C[0], &place);
    let library = ("CLL_PAPI_LIBRARY", library.to_str().expect("UTF-8"));
    let program = build(C[0], &["work.c"], "-DREAL -DMETRIC=\"PAPI_ONE,PAPI_UNKNOWN,PAPI_TWO\"");
    for mode in ["trace", "aggregate"] {
        let trace = place.trace_of(&program, "visits 40 1", &[library, ("CLL_MODE", mode)]);
        let roles = trace.note("roles");
        assert_eq!(roles["counters"]["PAPI_UNKNOWN"], "n/a: PAPI: no such event");
        assert_eq!((&roles["counters"]["PAPI_ONE"], &roles["units"]["PAPI_TWO"]), (&"ok".into(), &"1".into()));
        for row in &trace.rows {
            assert_eq!(
                (row["PAPI_ONE"].as_str(), row["PAPI_TWO"].as_str(), row["PAPI_UNKNOWN"].as_str()),
                ("1000", "2000", "")
            );
        }
    }
    let trace = place.trace_of(&program, "visits 4 1", &[library, ("CLL_PAPI", "PAPI_START_FAILS")]);
    assert_eq!(trace.note("roles")["counters"]["PAPI_ONE"], "n/a: PAPI: no counters \"here\"");
    assert!(trace.rows.iter().all(|row| row["PAPI_ONE"].is_empty()));
}
