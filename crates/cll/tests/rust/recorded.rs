//! What annotated programs record.

use crate::program::{run, run_with};

/// The sum of a column.
fn total(numbers: &[f64]) -> f64 {
    numbers.iter().sum()
}

#[test]
fn a_function_with_the_attribute() {
    let trace = run("attribute");
    assert!(trace.named("attribute.cll.", ".csv"), "{:?}", trace.file);
    assert_eq!(trace.head("cll-trace"), "2");
    let experiment: serde_json::Value = serde_json::from_str(trace.experiment("sort")).expect("JSON");
    assert_eq!(experiment["formula"], "sort[0] + sort[1]*n*log2(n)");
    assert_eq!(experiment["names"], serde_json::json!(["n"]));
    let file = experiment["file"].as_str().expect("a file");
    assert!(file.ends_with("tests/rust/programs.rs"), "{file}");
    let source = include_str!("programs.rs");
    let line = source.lines().position(|line| line.contains("#[cll(model = \"f[0] + f[1]*n*log2(n)\""));
    assert_eq!(experiment["line"].as_u64(), line.map(|line| line as u64 + 1));
    assert_eq!(trace.column("sort", "n"), ["100", "200", "300"]);
    assert_eq!(trace.column("sort", "status"), ["ok"; 3]);
    assert_eq!(trace.column("sort", "level"), ["0"; 3]);
    assert_eq!(trace.column("sort", "P"), ["1"; 3]);
    let run: serde_json::Value = serde_json::from_str(trace.head("run")).expect("JSON");
    assert_eq!(run["name"], "attribute");
    assert!(run["compiler"].as_str().is_some_and(|compiler| compiler.starts_with("rustc 1.")), "{run}");
    assert!(run["source_hash"].as_str().is_some_and(|hash| hash.len() == 16), "{run}");
    for (raw, time) in trace.numbers("sort", "raw_s").iter().zip(trace.numbers("sort", "time_s")) {
        assert!(*raw > 0.0 && time >= 0.0 && time <= *raw, "{time} of {raw}");
    }
    let end: serde_json::Value = serde_json::from_str(trace.head("end")).expect("JSON");
    assert_eq!((&end["rows"], &end["exit"], &end["open"]), (&3.into(), &0.into(), &0.into()));
}

#[test]
fn an_expression() {
    let trace = run("expression");
    assert_eq!(trace.column("F", "n"), ["1", "2", "3", "4"]);
    assert!(trace.experiment("F").contains("\"formula\":\"F[0] + F[1]*n\""));
}

#[test]
fn fields_methods_and_values_that_are_moved() {
    let trace = run("fields");
    assert_eq!(trace.column("scale", "self.rows"), ["3"]);
    assert_eq!(trace.column("scale", "columns"), ["4"]);
    assert_eq!(trace.column("scale", "factor"), ["0.5"]);
    assert!(trace.experiment("scale").contains("\"names\":[\"self.rows\",\"columns\",\"factor\"]"));
}

#[test]
fn recursion_has_levels() {
    let trace = run("recursion");
    for (level, visits) in [("0", 1), ("1", 2), ("2", 4), ("3", 8)] {
        assert_eq!(trace.column("halves", "level").iter().filter(|found| **found == level).count(), visits);
    }
    // The time of a call is its own and that of the calls inside.
    let inner: f64 =
        trace.of("halves").iter().filter(|row| row["level"] == "1").map(|row| number(&row["time_s"])).sum();
    let outer = trace.of("halves").into_iter().find(|row| row["level"] == "0").expect("the first call");
    assert!((number(&outer["time_s"]) - number(&outer["self_s"]) - inner).abs() < 1e-9, "{outer:?} {inner}");
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number")
}

#[test]
fn deep_recursion() {
    let trace = run("depth");
    let levels = trace.numbers("down", "level");
    assert_eq!(levels.len(), 10_000);
    assert_eq!(total(&levels), 9_999.0 * 10_000.0 / 2.0);
    assert!(trace.of("down").iter().all(|row| number(&row["level"]) + number(&row["n"]) == 9_999.0));
}

#[test]
fn a_question_mark_is_an_exit() {
    let trace = run("question_mark");
    assert_eq!(trace.column("parsed", "status"), ["ok", "exit"]);
    assert_eq!(trace.column("parsed", "n"), ["2", "4"]);
    assert_eq!(trace.column("B", "status"), ["ok", "exit"]);
    assert!(trace.head("end").contains("\"exit\":2"));
}

#[test]
fn a_panic_is_an_exit_and_harms_no_other_region() {
    let trace = run("panics");
    assert_eq!(trace.column("divided", "status"), ["ok", "exit", "ok", "ok"]);
    assert_eq!(trace.column("divided", "level"), ["0"; 4]);
    assert_eq!(trace.column("inner", "status"), ["exit"]);
    assert_eq!(trace.column("outer", "status"), ["exit"]);
    assert!(trace.head("end").contains("\"open\":0"));
}

#[test]
fn return_continue_and_break_leave_a_region() {
    let trace = run("leaves");
    assert_eq!(trace.column("return", "status"), ["ok", "ok", "exit"]);
    assert_eq!(trace.column("continue", "status"), ["exit", "ok", "exit", "ok", "exit", "ok"]);
    assert_eq!(trace.column("break", "status"), ["ok", "ok", "exit"]);
    assert_eq!(trace.column("break", "level"), ["0"; 3]);
}

#[test]
fn early_ends_count_where_they_are_said_to() {
    let trace = run("exits_ok");
    assert!(trace.experiment("early").contains("\"exits\":\"ok\""));
    assert_eq!(trace.column("early", "n"), ["1", "2"]);
}

#[test]
fn threads_have_numbers_of_their_own() {
    let trace = run("threads");
    let rows = trace.of("task");
    assert_eq!(rows.len(), (1..=8).sum::<usize>());
    let mut threads: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        match threads.iter_mut().find(|(thread, _)| *thread == row["thread"]) {
            Some((_, values)) => values.push(&row["n"]),
            None => threads.push((&row["thread"], vec![&row["n"]])),
        }
    }
    let mut counts: Vec<usize> = threads.iter().map(|(_, values)| values.len()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2, 3, 4, 5, 6, 7, 8]);
    for (thread, values) in threads {
        let wanted: Vec<String> = (0..values.len()).map(|n| n.to_string()).collect();
        assert_eq!(values, wanted, "thread {thread}");
    }
}

#[test]
fn a_generic_function_is_one_experiment() {
    let trace = run("generic");
    assert_eq!(trace.column("shown", "n"), ["2", "1"]);
    assert_eq!(trace.head.iter().filter(|(key, _)| key == "experiment").count(), 1);
}

#[test]
fn values_at_the_end() {
    let trace = run("at_end");
    assert_eq!(trace.column("A", "found"), ["2", "7"]);
    assert!(trace.experiment("A").contains("\"at\":\"end\""));
    // An early exit has no values.
    assert_eq!(trace.column("grow", "n"), ["2", ""]);
    assert_eq!(trace.column("grow", "status"), ["ok", "exit"]);
}

#[test]
fn one_visit_in_three() {
    let trace = run("every_third");
    assert_eq!(trace.column("E", "n"), ["0", "3", "6", "9"]);
    assert_eq!(trace.column("E", "visit"), ["0", "3", "6", "9"]);
}

#[test]
fn aggregates_have_all_visits() {
    let trace = run("aggregates");
    assert_eq!(total(&trace.numbers("G", "visits")), 200.0);
    for half in ["0", "1"] {
        let visits: f64 =
            trace.of("G").iter().filter(|row| row["half"] == half).map(|row| number(&row["visits"])).sum();
        assert_eq!(visits, 100.0);
    }
    assert!(trace.rows.len() < 100);
    let merged: Vec<_> = trace.of("G").into_iter().filter(|row| row["visits"] != "1").collect();
    assert!(!merged.is_empty());
    for row in merged {
        let (least, mean, most) = (number(&row["time_min_s"]), number(&row["time_s"]), number(&row["time_max_s"]));
        assert!(least <= mean && mean <= most, "{row:?}");
    }
}

#[test]
fn options_are_in_the_head() {
    let trace = run("options");
    let experiment: serde_json::Value = serde_json::from_str(trace.experiment("O")).expect("JSON");
    assert_eq!(experiment["names"], serde_json::json!(["n", "bytes"]));
    assert_eq!(experiment["seg"], serde_json::json!(["n/P", "bytes"]));
    assert_eq!(experiment["mode"], "trace");
    assert!(trace.columns().contains(&"PAPI_TOT_INS"), "{:?}", trace.columns());
    assert!(trace.numbers("O", "cpu_s")[0] >= 0.0);
}

#[test]
fn recording_is_switched_off_and_on() {
    let trace = run("switched");
    assert_eq!(trace.column("S", "n"), ["1", "3"]);
    let ran = run_with("switched", &[("CLL_OFF", "1")]);
    assert!(ran.output.status.success());
    assert!(ran.traces().iter().all(|trace| trace.rows.is_empty()));
}

#[test]
fn a_report_of_some_experiments_into_a_file() {
    let ran = run_with("reports", &[]);
    let traces = ran.traces();
    assert_eq!(traces.len(), 2, "{traces:?}");
    let only = traces.iter().find(|trace| trace.file.ends_with("only-a.csv")).expect("the report");
    assert_eq!((only.of("A").len(), only.of("B").len()), (1, 0));
    let rest = traces.iter().find(|trace| !trace.file.ends_with("only-a.csv")).expect("the rest");
    assert_eq!((rest.of("A").len(), rest.of("B").len()), (1, 1));
}

#[test]
fn regions_that_the_end_of_the_program_finds_open() {
    let trace = run("left_open");
    assert_eq!(trace.column("unfinished", "status"), ["open"]);
    assert_eq!(trace.column("before", "status"), ["ok"]);
    assert_eq!(trace.column("inside", "status"), ["ok"]);
}

#[test]
fn ranks_from_the_program_or_from_the_environment() {
    let told = run("processes");
    assert_eq!((told.column("R", "rank"), told.column("R", "P")), (vec!["2"], vec!["8"]));
    assert!(told.named("processes.cll.", ".r2.csv"), "{:?}", told.file);
    for (rank, size) in [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")] {
        let ran = run_with("expression", &[(rank, "3"), (size, "4")]);
        let found = ran.trace();
        assert!(found.named("expression.cll.", ".r3.csv"), "{:?}", found.file);
        assert_eq!((found.column("F", "rank"), found.column("F", "P")), (vec!["3"; 4], vec!["4"; 4]));
    }
    let step = run_with("expression", &[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_NTASKS", "8")]);
    assert_eq!(step.trace().column("F", "P"), ["2"; 4]);
}

/// The script of a job is one process, and so is what one says without a size, or with one that cannot be.
#[test]
fn processes_that_are_alone() {
    for environment in [
        [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")],
        [("PMI_RANK", "0"), ("PMI_SIZE", "1")],
        [("PMI_RANK", "5"), ("PMI_SIZE", "4")],
        [("PMI_RANK", "-1"), ("PMI_SIZE", "2x")],
    ] {
        let trace = run_with("expression", &environment).trace();
        assert!(trace.named("expression.cll.", ".csv"), "{environment:?}: {:?}", trace.file);
        assert_eq!(trace.column("F", "P"), ["1"; 4], "{environment:?}");
    }
}

#[test]
fn time_of_regions_inside_is_not_their_own() {
    let trace = run("nested");
    let column = |region| trace.numbers(region, "time_s");
    for (visit, row) in trace.of("outer").iter().enumerate() {
        let inside = column("inner")[visit] + column("inner2")[visit];
        let difference = number(&row["time_s"]) - number(&row["self_s"]) - inside;
        assert!(difference.abs() < 1e-9, "{difference}");
    }
    assert!(trace.experiment("inner2").contains("inner2[0]"), "constants bear the experiment's name");
}

#[test]
fn functions_of_all_kinds() {
    let trace = run("kinds_of_functions");
    let statuses = |region| trace.column(region, "status");
    for region in ["by_default", "longer", "boxed", "trusted", "called_by_c", "matched", "coerced", "slice", "result"] {
        assert_eq!(statuses(region), ["ok"], "{region}");
    }
    assert_eq!(statuses("never"), ["exit"]);
    assert_eq!(statuses("failing"), ["ok", "ok"]);
    assert_eq!(statuses("opaque"), ["ok", "ok"]);
    assert_eq!(trace.column("by_default", "sides"), ["4"]);
}

#[test]
fn short_regions_do_not_come_out_negative() {
    let trace = run("pairs");
    assert_eq!(trace.column("pair", "m").len(), 2_000);
    assert!(trace.numbers("pair", "time_s").iter().all(|time| *time >= 0.0));
}
