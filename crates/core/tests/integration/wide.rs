//! Tables with process counts or repetitions in the names of their columns.

use runcast_core::roles::{ReadColumn, Role, TableOptions};
use runcast_core::series::{SeriesSet, series_of};
use runcast_core::{Problem, Table};

fn read(file: &str) -> Table {
    let path = format!("{}/../../testdata/strangers/wide/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Table::read(file, &bytes, &Default::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn set(table: &Table) -> SeriesSet {
    series_of(table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn of_csv(csv: &str) -> SeriesSet {
    set(&Table::read("runs.csv", csv.as_bytes(), &Default::default()).unwrap_or_else(|problems| panic!("{problems}")))
}

fn problem(csv: &str) -> Problem {
    let found = Table::read("runs.csv", csv.as_bytes(), &Default::default())
        .and_then(|table| series_of(&table, &TableOptions::default()));
    found.expect_err(csv).0.remove(0)
}

/// The parameters, whether one counts processes, configurations, and the runs of the first.
fn shape(set: &SeriesSet) -> (Vec<&str>, bool, usize, usize) {
    let first = &set.series[0];
    let names = first.parameters.iter().map(String::as_str).collect();
    (names, first.process_parameter.is_some(), first.points.len(), first.points[0].values.len())
}

#[test]
fn sizes_in_names_are_too_large_for_counts_of_processes() {
    let set = set(&read("sizes_only.csv"));
    let line = "time = metric (wide: N = 400, 600, 800, 1200, 1600; lower is better), Run = repetition";
    assert_eq!(set.read_as.to_string(), line);
    assert_eq!(shape(&set), (vec!["N"], false, 5, 3));
}

#[test]
fn process_counts_in_names_become_a_column() {
    for (file, line, parameters, points) in [
        ("sizes.csv", "N = parameter, time = metric (wide: p = 1, 2, 4, 8; lower is better)", vec!["N", "p"], 12),
        (
            "bare.csv",
            "size = parameter, time = metric (wide: p = 1, 2, 4, 8, 16; lower is better)",
            vec!["size", "p"],
            15,
        ),
        (
            "threads.csv",
            "matrix = parameter, time = metric (wide: p = 1, 2, 4; lower is better)",
            vec!["matrix", "p"],
            9,
        ),
        ("cores.csv", "n = parameter, time = metric (wide: p = 1, 2, 4, 8; lower is better)", vec!["n", "p"], 12),
        (
            "corner.csv",
            "index = parameter, time = metric (wide: p = 1, 2, 4, 8; lower is better)",
            vec!["index", "p"],
            12,
        ),
    ] {
        let table = read(file);
        let set = set(&table);
        assert_eq!(set.read_as.to_string(), line, "{file}");
        assert_eq!(shape(&set), (parameters, true, points, 1), "{file}");
    }
}

#[test]
fn repetitions_in_names_become_repetitions() {
    for (file, line, points, runs) in [
        ("runs.csv", "p = processes, time = metric (wide: repetition 1, 2, 3; lower is better)", 4, 3),
        ("reps.csv", "p = processes (column \"cores\"), time = metric (wide: repetition 1, 2; lower is better)", 4, 2),
        (
            "times.txt",
            "p = processes (column \"procs\"), time(s) = metric (wide: repetition 1, 2, 3; lower is better)",
            4,
            3,
        ),
        (
            "mean.tsv",
            "p = processes (column \"Threads\"), time [ms] = metric (wide: repetition 1, 2, 3; lower is better); \
             ignored: Mean (derived: mean of the repetitions), Std. dev. (derived: the repetitions)",
            3,
            3,
        ),
    ] {
        let set = set(&read(file));
        assert_eq!(set.read_as.to_string(), line, "{file}");
        let (parameters, has_processes, configurations, repetitions) = shape(&set);
        assert_eq!((parameters.len(), has_processes, configurations, repetitions), (1, true, points, runs), "{file}");
    }
    let mean = set(&read("mean.tsv"));
    assert_eq!((mean.series[0].metric.unit.as_str(), mean.series[0].points[0].values[0]), ("s", 8.1205));
}

#[test]
fn every_column_of_the_file_is_said_as_it_is_written_there() {
    let read_as = set(&read("speedups.csv")).read_as;
    let column = |read: &ReadColumn| (read.column.clone(), read.role, read.reason.clone());
    let columns: Vec<_> = read_as.columns.iter().map(column).collect();
    let wanted = [
        ("N", Role::Parameter, "input"),
        ("serial", Role::Ignored, "outcome"),
        ("T_2", Role::Metric, "wide: p = 2"),
        ("T_4", Role::Metric, "wide: p = 4"),
        ("T_8", Role::Metric, "wide: p = 8"),
        ("S_2", Role::Ignored, "derived: t_1/t_p"),
        ("S_4", Role::Ignored, "derived: t_1/t_p"),
        ("S_8", Role::Ignored, "derived: t_1/t_p"),
    ];
    assert_eq!(columns, wanted.map(|(name, role, reason)| (name.to_owned(), role, reason.to_owned())));
    assert_eq!(read_as.columns[2].name, "time");
}

#[test]
fn several_groups_are_several_metrics() {
    let set = set(&read("solvers.csv"));
    assert_eq!(
        set.read_as.to_string(),
        "cg = metric (wide: p = 1, 2, 4, 8; lower is better), gmres = metric (wide: p = 1, 2, 4, 8; lower is better), \
         case = label"
    );
    assert_eq!((set.series.len(), set.series[0].points.len()), (4, 4), "two cases, two solvers");
}

#[test]
fn lines_are_those_of_the_file_and_empty_cells_are_no_runs() {
    let table = read("missing.csv");
    let lines: Vec<u32> = table.origins.iter().map(|origin| origin.line).collect();
    assert_eq!(lines, [2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]);
    let set = set(&table);
    assert!(set.warnings.iter().any(|warning| warning.code == "missing_metric"));
    assert_eq!(set.series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [4, 4, 3]);
    let text = problem("problem,np=1,np=2,np=4\nsmall,9.1,5.2,3.3\nlarge,80.2,41.7,3;5\n");
    assert_eq!((text.line, text.pointer.as_deref(), text.value.as_deref()), (Some(3), Some("np=4"), Some("3;5")));
}

#[test]
fn what_may_be_one_thing_or_another_is_refused_unless_an_option_decides() {
    let table = read("doubtful.csv");
    let refused = series_of(&table, &TableOptions::default()).expect_err("a doubt").0.remove(0);
    assert_eq!(
        (refused.code.as_str(), refused.file.as_deref(), refused.line),
        ("wide_table", Some("doubtful.csv"), Some(1))
    );
    assert!(refused.message.contains("\"1\", \"2\", \"3\""), "{}", refused.message);
    let hint = refused.hint.expect("a hint");
    assert!(hint.contains("p=1, p=2, p=3") && hint.contains("run1, run2, run3"), "{hint}");
    let metrics = vec!["1:s".to_owned(), "3:s".to_owned()];
    let chosen = series_of(&table, &TableOptions { metrics, ..TableOptions::default() }).expect("series");
    assert_eq!(chosen.series.len(), 2);
    let gone = TableOptions { metrics: vec!["t_4".to_owned()], ..TableOptions::default() };
    let gone = series_of(&read("sizes.csv"), &gone).expect_err("no such column").0.remove(0);
    assert!(gone.hint.is_some_and(|hint| hint.ends_with("became \"time\" where p = 4")));
    for csv in [
        "size,t1,t2,t3\n100,4.1203,4.1317,4.1188\n200,33.0219,32.9804,33.1126\n",
        "procs,t1,t2,t3\n1,4.1203,14.1317,0.1188\n2,2.0219,7.9804,0.1126\n4,1.0219,3.9804,0.1126\n",
        "nodes,t_1,t_2,t_4\n1,4.1203,2.1317,1.1188\n2,2.0219,1.9804,0.9126\n",
        "kernel,64,128,256\na,4.1203,2.1317,1.1188\nb,2.0219,1.9804,0.9126\n",
        "n,thread1,thread2,thread3\n10,4.1203,2.1317,1.1188\n20,2.0219,1.9804,0.9126\n",
    ] {
        assert_eq!(problem(csv).code, "wide_table", "{csv}");
    }
}

#[test]
fn columns_that_are_no_row_of_runs_stay_what_they_are() {
    for (csv, wanted) in [
        ("p,real,user,sys\n1,4.1,4.0,0.1\n2,2.2,4.1,0.1\n4,1.2,4.2,0.2\n", "real, user, sys"),
        ("p,ours_ms,bitnet_ms\n1,4.1,4.7\n2,2.2,2.5\n4,1.2,1.4\n", "ours_ms, bitnet_ms"),
        ("p,T1(s),T2(s),total(s)\n1,4.12,9.1,13.2\n2,2.21,4.8,7.0\n4,1.19,2.5,3.7\n", "T1(s), T2(s), total(s)"),
        ("p,t1_s,t2_s,t3_s\n1,4.12,9.1,0.2\n2,2.21,4.8,0.1\n4,1.19,2.5,0.1\n", "t1_s, t2_s, t3_s"),
        ("p,n1,n2,n3,time_s\n1,8,8,8,4.1\n2,16,8,8,4.2\n4,16,16,8,4.4\n", "time_s"),
        ("p,p50,p90,p99,time_s\n1,8.11,8.25,8.31,4.1\n2,6.13,8.21,8.12,4.2\n4,6.15,6.12,8.13,4.4\n", "time_s"),
        ("p,L1_misses,L2_misses,L3_misses,time_s\n1,80,8,8,4.1\n2,61,8,8,4.2\n4,16,16,8,4.4\n", "time_s"),
        ("p,time_s,t1,t2,t3\n1,9.41,4.12,9.1,0.2\n2,5.22,2.21,4.8,0.1\n4,3.31,1.19,2.5,0.1\n", "time_s"),
        ("p,x0,x1,x2,time_s\n1,8.1,8.2,8.3,4.1\n2,6.1,8.2,8.1,4.2\n4,6.1,6.1,8.1,4.4\n", "time_s"),
    ] {
        let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
        assert!(!table.wide.is_turned(), "{csv}");
        let set = series_of(&table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{csv}: {problems}"));
        let metrics = set.read_as.columns.iter().filter(|column| column.role == Role::Metric);
        assert_eq!(metrics.map(|column| column.column.as_str()).collect::<Vec<_>>().join(", "), wanted, "{csv}");
    }
}

#[test]
fn sizes_in_the_names_of_columns_are_a_parameter() {
    let set = of_csv("Procs,N=1000,N=2000,N=4000\n1,1.05,2.11,4.19\n2,0.54,1.09,2.14\n4,0.31,0.62,1.21\n");
    assert_eq!(shape(&set), (vec!["Procs", "N"], true, 9, 1));
    assert_eq!(set.series[0].metric.unit, "s");
    let rates = of_csv("p,L=8 (GB/s),L=16 (GB/s)\n1,3.1,5.2\n2,6.1,9.9\n4,11.4,18.3\n");
    assert_eq!(rates.series.len(), 2, "metrics by their names stay apart");
}

#[test]
fn names_are_recognized_in_many_spellings() {
    for names in [
        ["t1", "t2", "t4", "t8"],
        ["T(1)", "T(2)", "T(4)", "T(8)"],
        ["1_thread", "2_threads", "4_threads", "8_threads"],
        ["p=1", "p=2", "p=4", "p=8"],
        ["np1", "np2", "np4", "np8"],
        ["P8", "P4", "P2", "P1"],
        ["1 core (s)", "2 cores (s)", "4 cores (s)", "8 cores (s)"],
        ["time_1", "time_2", "time_4", "time_8"],
        ["time_p1_s", "time_p2_s", "time_p4_s", "time_p8_s"],
        ["Time 1 proc", "Time 2 procs", "Time 4 procs", "Time 8 procs"],
        ["1P", "2P", "4P", "8P"],
        ["16 ranks", "32 ranks", "64 ranks", "128 ranks"],
        ["elapsed@1", "elapsed@2", "elapsed@4", "elapsed@8"],
        ["omp_1", "omp_2", "omp_4", "omp_8"],
        ["mpi 1", "mpi 2", "mpi 4", "mpi 8"],
    ] {
        for (delimiter, row) in [(',', "4096,8.113,4.217,2.241,1.283"), (';', "4096;8.113;4.217;2.241;1.283")] {
            let header = names.join(&delimiter.to_string());
            let csv = format!("size{delimiter}{header}\n{row}\n{}\n", row.replace("4096", "8192"));
            let set = of_csv(&csv);
            assert_eq!(shape(&set), (vec!["size", "p"], true, 8, 1), "{csv}");
            assert_eq!(set.series[0].metric.unit, "s", "{csv}");
        }
    }
    for names in [
        "run1,run2,run3",
        "r1,r2,r3",
        "1st run,2nd run,3rd run",
        "Run #1,Run #2,Run #3",
        "iter1,iter2,iter3",
        "Trial 1,Trial 2,Trial 3",
        "rep0,rep1,rep2",
        "t_1,t_2,t_3",
        "run01_ms,run02_ms,run03_ms",
        "1,2,3",
    ] {
        let set = of_csv(&format!("nodes,{names}\n1,8.113,8.217,8.241\n2,4.113,4.217,4.241\n4,2.113,2.217,2.241\n"));
        assert_eq!(shape(&set), (vec!["nodes"], true, 3, 3), "{names}");
    }
}

#[test]
fn json_lines_and_several_files_may_be_wide() {
    let json =
        "{\"N\":100,\"t_1\":8.13,\"t_2\":4.27,\"t_4\":2.35}\n{\"N\":200,\"t_1\":16.13,\"t_2\":8.27,\"t_4\":4.35}\n";
    let wide = Table::read("a.jsonl", json.as_bytes(), &Default::default()).expect("a table");
    assert_eq!(shape(&set(&wide)), (vec!["N", "p"], true, 6, 1));
    let long = Table::read("b.csv", b"N,p,time\n400,1,33.21\n400,2,17.11\n", &Default::default()).expect("a table");
    let both = set(&Table::concatenate(vec![wide, long]));
    assert_eq!(shape(&both), (vec!["N", "p"], true, 8, 1));
    let names: Vec<&str> = both.read_as.columns.iter().map(|column| column.column.as_str()).collect();
    assert_eq!(names, ["N", "t_1", "t_2", "t_4", "p", "time"]);
}

proptest::proptest! {
    #[test]
    fn no_header_makes_a_reader_panic(
        names in proptest::collection::vec("(p|t_|T|run|time_|n|px|x y|é|\\(|\\[)?[0-9]{0,11}( threads|_ms|\\(s\\)|\\)|\\.5|%)?", 1..7),
        rows in proptest::collection::vec(proptest::collection::vec("(-|ms|#|s|[1-9]|[0-9]{1,3}\\.[0-9]{2,4}|x|)", 7), 1..6),
    ) {
        let mut csv = names.join(",");
        for row in rows {
            csv.push_str(&format!("\n{}", row[..names.len()].join(",")));
        }
        if let Ok(table) = Table::read("runs.csv", csv.as_bytes(), &Default::default()) {
            let rows = table.rows();
            proptest::prop_assert!(table.columns.iter().all(|column| column.len() == rows), "{csv}");
            let _ = series_of(&table, &TableOptions::default());
        }
    }
}
