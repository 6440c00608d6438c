//! Files of rows: names, headers, what survives.

use crate::support::{C, Place, all, build, for_c, have};
use std::fs;
use std::process::Command;

#[test]
fn the_header_tells_what_the_columns_are() {
    let trace = Place::new().trace_of(&build(C[0], &["cases.c"], ""), "nested", &[("CLL_RUN", "0")]);
    let keys: Vec<&str> = trace.notes.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys[..3], ["cll-trace", "run", "clock"]);
    assert_eq!(keys[keys.len() - 2..], ["roles", "end"]);
    let run = trace.note("run");
    assert_eq!(
        (&run["name"], &run["run"], &run["rank"], &run["processes"]),
        (&"p".into(), &0.into(), &0.into(), &1.into())
    );
    assert_eq!(run["source_hash"], "aa11");
    assert!(run["compiler"].as_str().is_some_and(|text| text.starts_with("gcc ")), "{run}");
    let start = run["start_utc"].as_str().expect("a time");
    assert!(start.len() == 20 && start.starts_with("20") && start.ends_with('Z'), "{start}");
    let outer = trace.notes_of("experiment")[0];
    assert_eq!(outer["formula"], "outer[0]+outer[1]*n");
    assert_eq!(outer["names"], serde_json::json!(["n", "m.rows"]));
    assert_eq!(outer["seg"], serde_json::json!(["n/P", "n"]));
    assert_eq!((&outer["file"], &outer["line"]), (&"cases.c".into(), &3.into()));
    assert_eq!((&outer["at"], &outer["exits"], &outer["mode"]), (&"begin".into(), &"drop".into(), &"auto".into()));
    let ends = trace.notes_of("experiment")[3];
    assert_eq!((&ends["at"], &ends["exits"]), (&"end".into(), &"ok".into()));
    assert_eq!(
        trace.columns.join(","),
        "region,run,rank,thread,visit,level,status,visits,n,m.rows,d,k,i,var.rank,x,P,time_s,self_s,raw_s,cpu_s,\
         time_sd_s,time_min_s,time_max_s"
    );
    assert_eq!(trace.note("roles")["params"].as_array().map(Vec::len), Some(8));
    assert_eq!(trace.note("roles")["units"]["raw_s"], "s");
    for field in ["o_in_s", "o_pair_s", "o_value_s", "o_miss_s"] {
        assert!(trace.note("clock")[field].is_number(), "{field}");
    }
    for field in ["rows", "open", "exit", "clamped", "rejected", "spill_s"] {
        assert!(trace.end()[field].is_number(), "{field}");
    }
}

#[test]
fn texts_of_the_program_do_not_break_the_file() {
    let trace = Place::new().trace_of(&build(C[0], &["cases.c"], ""), "quoted", &[]);
    assert_eq!(trace.cells("region,x"), ["a\"b,c\\,-2.5"]);
    let note = trace.notes_of("experiment").into_iter().find(|note| note["line"] == 9).expect("it is there");
    assert_eq!((&note["name"], &note["file"]), (&"a\"b,c\\".into(), &"a \"quoted\" file\\.c".into()));
    // A name that is taken by a column of ours.
    let trace = Place::new().trace_of(&build(C[0], &["cases.c"], ""), "own", &[]);
    assert_eq!(trace.cells("rank,var.rank"), ["0,17"]);
}

#[test]
fn runs_are_numbered() {
    let place = Place::new();
    let program = build(C[0], &["cases.c"], "");
    for _ in 0..3 {
        place.run(&program, "nested", &[]);
    }
    assert_eq!(place.files(), ["p.cll.0.csv", "p.cll.1.csv", "p.cll.2.csv"]);
    let third = place.trace("p.cll.2.csv");
    assert_eq!(third.note("run")["run"], 2);
    assert!(third.rows.iter().all(|row| row["run"] == "2"), "{third:?}");
    place.run(&program, "nested", &[("CLL_RUN", "41")]);
    place.run(&program, "same", &[("CLL_RUN", "41")]);
    assert_eq!(place.trace("p.cll.41.csv").cells("region"), ["inner"]);
    let ran = place.run(&program, "same", &[("CLL_RUN", "x1")]);
    assert!(ran.stderr.contains("CLL_RUN"), "{ran:?}");
    assert_eq!(place.files().len(), 5);
}

#[test]
fn names_and_folders_are_chosen_by_the_environment() {
    let place = Place::new();
    let program = build(C[0], &["cases.c"], "");
    let name = program.file_name().and_then(|name| name.to_str()).expect("a name");
    let mut command = place.command(&program, "nested", &[("CLL_DIR", "there")]);
    command.env_remove("CLL_NAME");
    assert!(command.status().expect("it runs").success());
    assert!(place.path().join("there").join(format!("{name}.cll.0.csv")).is_file());
    let ran = place.run(&program, "nested", &[("CLL_OFF", "1")]);
    assert_eq!((ran.code, place.files().len()), (Some(0), 0));
}

#[test]
fn reports_append_and_take_each_row_once() {
    for compiler in all() {
        let place = Place::new();
        let program = build(compiler, &["cases.c"], "");
        assert_eq!(place.run(&program, "reports", &[]).code, Some(0));
        assert_eq!(place.files(), ["p.cll.0.csv", "some.csv"]);
        let (all, some) = (place.trace("p.cll.0.csv"), place.trace("some.csv"));
        assert_eq!(all.of("outer").len(), 4);
        assert_eq!(all.of("inner").len() + some.of("inner").len(), 8);
        assert_eq!((some.of("inner").len(), some.rows.len()), (4, 4));
        assert_eq!((all.end()["rows"].as_u64(), some.end()["rows"].as_u64()), (Some(8), Some(4)));
        assert!(!some.columns.contains(&"n".to_owned()));
    }
    let place = Place::new();
    place.run(&build(C[0], &["cases.c"], ""), "report-all", &[]);
    assert_eq!(place.files(), ["all.csv"]);
    let ran = place.run(&build(C[0], &["cases.c"], ""), "report-nowhere", &[]);
    assert!(ran.code == Some(0) && ran.stderr.contains("/nonexistent/folder/x.csv"), "{ran:?}");
    assert_eq!(place.trace("p.cll.0.csv").rows.len(), 3);
}

#[test]
fn what_was_written_survives_the_end_of_the_process() {
    for (case, code) in [("abort", None), ("_exit", Some(4)), ("exec", Some(0))] {
        let place = Place::new();
        let program = build(C[0], &["cases.c"], "");
        let ran = place.run(&program, case, &[]);
        // `timeout` gives 128 + 6 for a program that aborted.
        assert!(ran.code == code || (code.is_none() && ran.code == Some(134)), "{ran:?}");
        let trace = place.trace("p.cll.0.csv");
        assert_eq!(trace.rows.len(), 3, "{case}");
        assert!(trace.notes_of("end").is_empty(), "{case}");
    }
}

#[test]
fn a_child_starts_empty_and_writes_its_own_file() {
    for compiler in all() {
        let place = Place::new();
        assert_eq!(place.run(&build(compiler, &["cases.c"], ""), "fork", &[]).code, Some(0));
        assert_eq!(place.files(), ["p.cll.0.csv", "p.cll.1.csv"]);
        // The child ends first.
        let (child, parent) = (place.trace("p.cll.0.csv"), place.trace("p.cll.1.csv"));
        assert_eq!(child.cells("region,visit,raw_s"), ["inner,0,3e-9", "inner,1,4e-9"]);
        assert_eq!(parent.cells("region,raw_s"), ["inner,1e-8", "outer,1e-8"]);
        assert_eq!(
            (&child.note("run")["forked"], &parent.note("run")["forked"]),
            (&true.into(), &serde_json::Value::Null)
        );
    }
    let place = Place::new();
    place.run(&build(C[0], &["cases.c"], ""), "fork", &[("CLL_RUN", "5")]);
    let files = place.files();
    assert!(files.len() == 2 && files[0] == "p.cll.5.csv" && files[1].starts_with("p.cll.5.fork"), "{files:?}");
}

#[test]
fn a_full_disk_is_a_message() {
    let place = Place::new();
    let program = build(C[0], &["cases.c"], "");
    std::os::unix::fs::symlink("/dev/full", place.path().join("p.cll.7.csv")).expect("a link");
    let ran = place.run(&program, "xnested", &[("CLL_RUN", "7")]);
    assert_eq!(ran.code, Some(5), "the program's own: {ran:?}");
    let ran = place.run(&program, "reports", &[("CLL_RUN", "7")]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stderr.lines().filter(|line| line.contains("p.cll.7.csv")).count(), 1, "{ran:?}");
    let ran = place.run(&program, "nested", &[("CLL_DIR", "/proc/nothing")]);
    assert_eq!((ran.code, ran.stderr.lines().count()), (Some(0), 1), "{ran:?}");
}

/// Two translated sources with one experiment, and another of one name but not one formula.
#[test]
fn sources_share_experiments() {
    for compiler in all() {
        let place = Place::new();
        let ran = place.run(&build(compiler, &["two.c", "other.c"], ""), "", &[]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1);
        assert!(ran.stderr.contains("differ#2"), "{ran:?}");
        let trace = place.trace("p.cll.0.csv");
        assert_eq!(trace.of("shared").len(), 3);
        let visits: Vec<&str> = trace.of("shared").iter().map(|row| row["visit"].as_str()).collect();
        assert_eq!(visits, ["0", "1", "2"]);
        assert_eq!((trace.of("differ").len(), trace.of("differ#2").len()), (1, 1));
        let sites: Vec<usize> =
            trace.notes_of("experiment").iter().map(|note| note["sites"].as_array().expect("sites").len()).collect();
        assert_eq!(sites.iter().sum::<usize>(), 4);
        assert_eq!(trace.note("run")["source_hash"].as_str().map(|hash| hash.split('+').count()), Some(2));
        // P is the program's own.
        assert_eq!(trace.columns.iter().filter(|column| *column == "P").count(), 1);
        assert_eq!(trace.of("shared")[0]["P"], "8");
        assert_eq!(trace.of("differ")[0]["P"], "");
    }
}

/// The header disturbs no macro of the program: it includes nothing.
#[test]
fn nothing_of_the_system_is_included() {
    let text = fs::read_to_string(crate::support::library().join("cll.h")).expect("the header");
    let includes = text.lines().filter(|line| line.trim_start().starts_with("#include"));
    assert!(includes.eq(["#include CLL_LIBRARY"]), "an include");
    for compiler in for_c() {
        let source = "#include \"cll.h\"\n#ifdef _FEATURES_H\n#error features\n#endif\n#define _GNU_SOURCE\n\
                      #include <sched.h>\nint main(void) { cpu_set_t set; CPU_ZERO(&set); return 0; }\n";
        let place = Place::new();
        fs::write(place.path().join("x.c"), source).expect("a file");
        let mut command = Command::new(compiler.program);
        command.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "x.c", "-lm", "-I"]);
        let output = command.arg(crate::support::library()).current_dir(place.path()).output().expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stderr.is_empty());
    }
}

/// The example of the reference works as it stands there.
#[test]
fn the_example_of_the_reference_works() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/trace.md");
    let page = fs::read_to_string(page).expect("the reference");
    let source = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    for compiler in for_c() {
        let place = Place::new();
        fs::write(place.path().join("sum.c"), source).expect("a file");
        let mut command = Command::new(compiler.program);
        command.args(["-O1", "-Wall", "-Wextra", "-Werror", "sum.c", "-o", "sum", "-lm", "-I"]);
        let output = command.arg(crate::support::library()).current_dir(place.path()).output().expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(place.run(&place.path().join("sum"), "", &[]).code, Some(0));
        let trace = place.trace("p.cll.0.csv");
        assert!(trace.of("sum").len() >= 10, "{trace:?}");
    }
}

#[test]
fn a_locale_with_commas_changes_no_number() {
    if !have(&["locale"]) {
        return;
    }
    let trace = Place::new().trace_of(&build(C[0], &["two.c", "other.c"], ""), "locale", &[]);
    assert!(trace.of("shared").iter().any(|row| row["P"] == "0.5"));
}

/// A library with regions that comes, and goes, while the program runs: with `-rdynamic` it has a part of the trace,
/// without a trace of its own.
#[test]
fn libraries_may_come_and_go() {
    for compiler in for_c() {
        let library = build(compiler, &["other.c"], "-shared -fPIC");
        for (flags, files) in
            [("-rdynamic", ["p.cll.0.csv", "p.cll.0.part2.csv"]), ("", ["p.cll.0.csv", "p.cll.1.csv"])]
        {
            let place = Place::new();
            let program = build(compiler, &["plugin.c"], flags);
            let ran = place.run(&program, library.to_str().expect("UTF-8"), &[]);
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{compiler:?} {flags}");
            assert_eq!(place.files(), files, "{compiler:?} {flags}");
            let traces: Vec<_> = files.iter().map(|file| place.trace(file)).collect();
            let rows = |region: &str| traces.iter().map(|trace| trace.of(region).len()).sum::<usize>();
            assert_eq!((rows("main"), rows("shared"), rows("differ")), (2, 2, 1), "{compiler:?} {flags}");
            assert!(traces.iter().all(|trace| trace.notes_of("end").len() == 1));
        }
    }
}
