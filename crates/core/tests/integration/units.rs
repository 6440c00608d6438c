//! Tables with a row of units beneath the header.

use runcast_core::Table;
use runcast_core::roles::TableOptions;
use runcast_core::series::{SeriesSet, series_of};

fn read(file: &str) -> Table {
    let path = format!("{}/../../testdata/strangers/units/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Table::read(file, &bytes, &Default::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn set(table: &Table) -> SeriesSet {
    series_of(table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn units_beneath_the_header_are_those_of_the_columns() {
    for (file, line, unit, first) in [
        ("plain.csv", "p = processes, time [s] = metric (lower is better)", "s", 103.72),
        (
            "brackets.csv",
            "p = processes (column \"cores\"), size [B] = parameter, elapsed [ms] = metric (lower is better), \
             rate [MB/s] = metric (higher is better)",
            "s",
            8.1205,
        ),
        (
            "blanks.txt",
            "p = processes (column \"threads\"), runtime [us] = metric (lower is better), \
             perf [GFlop/s] = metric (higher is better)",
            "s",
            912.4e-6,
        ),
        ("wide.tsv", "N = parameter, time [ms] = metric (wide: p = 1, 2, 4; lower is better)", "s", 0.8121),
    ] {
        let set = set(&read(file));
        assert_eq!(set.read_as.to_string(), line, "{file}");
        let (metric, value) = (&set.series[0].metric, set.series[0].points[0].values[0]);
        assert_eq!((metric.unit.as_str(), metric.unit_assumed), (unit, false), "{file}");
        assert!((value / first - 1.0).abs() < 1e-12, "{file}: {value}");
    }
}

#[test]
fn names_and_units_may_stand_again_and_lines_are_those_of_the_file() {
    let table = read("again.csv");
    let lines: Vec<u32> = table.origins.iter().map(|origin| origin.line).collect();
    assert_eq!(lines, [3, 4, 8, 9]);
    assert!(table.warnings.iter().any(|warning| warning.code == "repeated_header"));
    let set = set(&table);
    assert_eq!((set.series.len(), set.series[0].metric.name.as_str()), (2, "wall [ms]"));
}

#[test]
fn rows_of_something_else_stay_rows() {
    for (csv, rows) in [
        ("p,class,time_s\n1,W,4.5\n2,W,2.5\n", 2),
        ("kind,unit\ns,ms\nx,y\n", 2),
        ("kind,unit\nh,s\n", 1),
        ("p,time_s\n-,-\n2,2.5\n", 2),
        ("kind,time_s\nB,\nW,2.5\n", 2),
    ] {
        let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
        assert_eq!(table.rows(), rows, "{csv}");
    }
    let bad = Table::read("runs.csv", b"p,time\n-,s\n1,2.5\n2,1,5\n", &Default::default()).expect_err("an error");
    assert_eq!(bad.0[0].line, Some(4));
}
