//! Real runs that are not part of this repository; the tests do nothing where they are not there.

use runcast_core::Table;
use runcast_core::roles::TableOptions;
use runcast_core::series::{SeriesSet, series_of};
use runcast_core::table::ReadOptions;

/// Reads a file below the folder of public data: `RUNCAST_DATA`, or `shared/data` beside the workspace.
#[expect(clippy::print_stderr, reason = "a test that does nothing should say so")]
fn read(path: &str) -> Option<Table> {
    let folder = std::env::var("RUNCAST_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").to_owned());
    let Ok(bytes) = std::fs::read(format!("{folder}/fit/{path}")) else {
        eprintln!("note: {folder}/fit/{path} is not there; nothing was tested");
        return None;
    };
    Some(Table::read(path, &bytes, &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems}")))
}

fn set(path: &str, metric: &str, params: &[&str], by: Option<&[&str]>) -> Option<SeriesSet> {
    let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let options = TableOptions {
        metrics: vec![metric.to_owned()],
        params: Some(list(params)),
        by: by.map(list),
        ..TableOptions::default()
    };
    Some(series_of(&read(path)?, &options).unwrap_or_else(|problems| panic!("{problems}")))
}

#[test]
fn the_wrong_run_of_sparta_is_an_outlier() {
    let Some(set) = set("sparta_crossroads_weak/tidy.csv", "time:s", &["p"], None) else { return };
    let outliers: Vec<_> = set.warnings.iter().filter(|warning| warning.code == "repetition_outlier").collect();
    assert_eq!(outliers.len(), 1, "{outliers:?}");
    assert_eq!(outliers[0].line, Some(38));
    assert!(outliers[0].message.contains("p=128"), "{}", outliers[0].message);
    assert_eq!((set.series.len(), set.series[0].points.len(), set.series[0].runs()), (1, 12, 56));
}

#[test]
fn grids_fall_into_series() {
    if let Some(set) = set("lulesh_quartz_grid/tidy.csv", "time:s", &["p", "N"], Some(&["region", "s"])) {
        assert_eq!((set.summary.rows, set.series.len()), (8400, 280));
    }
    if let Some(set) = set("relearn_grid/tidy.csv", "time:s", &["p", "N"], Some(&["region", "n"])) {
        assert_eq!((set.summary.rows, set.series.len()), (700, 70));
    }
    if let Some(set) = set("mpi_collectives/tidy.csv", "time_median_us", &["p"], None) {
        assert_eq!((set.summary.rows, set.series.len()), (70, 14));
        assert!((set.series[0].points[0].values[0] / 11.21505e-6 - 1.0).abs() < 1e-12);
    }
}

#[test]
fn benchmark_inputs_are_read() {
    for (file, series) in [
        ("a_1k_5p_5r.txt", 1),
        ("b_1000k_5p_5r.txt", 1000),
        ("d0_42terms_noiseless.txt", 420),
        ("d2_42terms_2pct.txt", 420),
    ] {
        let Some(table) = read(&format!("bench_inputs/{file}")) else { return };
        let set = series_of(&table, &TableOptions::default()).expect("series");
        assert_eq!(set.series.len(), series, "{file}");
        assert!(set.series.iter().all(|series| series.points.len() == 5), "{file}");
    }
}
