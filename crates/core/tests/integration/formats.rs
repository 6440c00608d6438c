//! Every format is recognized by its content and gives series without further options.

use crate::fixture;
use runcast_core::import::{FORMATS, Probe, recognize};
use runcast_core::roles::TableOptions;
use runcast_core::series::{SeriesSet, series_of};
use runcast_core::table::ReadOptions;
use runcast_core::{Direction, Series, Table};

fn table(name: &str) -> Table {
    Table::read(name, &fixture(name), &ReadOptions::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn set(name: &str) -> SeriesSet {
    series_of(&table(name), &TableOptions::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn find<'s>(set: &'s SeriesSet, region: &str, metric: &str) -> &'s Series {
    set.series
        .iter()
        .find(|series| series.group["region"] == region && series.metric.name == metric)
        .unwrap_or_else(|| panic!("no series {region} {metric}"))
}

fn points(series: &Series) -> Vec<(Vec<f64>, Vec<f64>)> {
    series.points.iter().map(|point| (point.at.clone(), point.values.clone())).collect()
}

#[test]
fn formats_are_recognized_by_content() {
    for (file, format) in [
        ("extrap_one.txt", "extrap-text"),
        ("extrap_two.txt", "extrap-text"),
        ("extrap_new.json", "extrap-json"),
        ("extrap_old.json", "extrap-json"),
        ("extrap.jsonl", "extrap-jsonl"),
        ("talpas.txt", "talpas"),
        ("hyperfine_1.json", "hyperfine"),
        ("hyperfine_2.json", "hyperfine"),
        ("gbench.json", "gbench"),
        ("caliper_split_8.json", "caliper"),
        ("caliper_flat_8.json", "caliper"),
        ("regions.cali", "cali"),
        ("nvtx_pushpop_trace.csv", "nvtx"),
        ("stacks.folded", "folded"),
        ("runs.jsonl", "jsonl"),
        ("trace.csv", "csv"),
    ] {
        let bytes = fixture(file);
        let text = std::str::from_utf8(&bytes).expect("UTF-8");
        assert_eq!(recognize(&Probe::new(text)).expect(file).name, format, "{file}");
        let options = ReadOptions { format: Some(format.to_owned()), ..ReadOptions::default() };
        Table::read(file, &bytes, &options).unwrap_or_else(|problems| panic!("{problems}"));
    }
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let others: Vec<&str> = names.into_iter().filter(|name| *name != "parquet").collect();
    assert_eq!(
        others,
        [
            "extrap-text",
            "extrap-json",
            "extrap-jsonl",
            "talpas",
            "hyperfine",
            "gbench",
            "caliper",
            "cali",
            "cubex",
            "nvtx",
            "folded",
            "jsonl",
            "csv"
        ]
    );
}

#[test]
fn extrap_text_has_regions_metrics_and_repetitions() {
    let set = set("extrap_one.txt");
    assert_eq!(set.series.len(), 4);
    assert_eq!(set.summary.rows, 16);
    assert_eq!((set.summary.configurations, set.summary.parameters.as_slice()), (4, &["p".to_owned()][..]));
    let time = find(&set, "main->solve \"fast\"; step", "time");
    assert_eq!(points(time)[3], (vec![32.0], vec![0.88, 0.87]));
    assert_eq!((time.metric.unit.as_str(), time.points[3].lines.as_slice()), ("s", &[16, 16][..]));
    let visits = find(&set, "main->solve \"fast\"; step", "visits");
    assert_eq!((visits.metric.unit.as_str(), points(visits)[1].clone()), ("", (vec![8.0], vec![200.0, 200.0])));
    assert_eq!(set.warnings.iter().filter(|warning| warning.code == "unit_assumed").count(), 1);
}

#[test]
fn extrap_text_takes_points_of_several_parameters() {
    let set = set("extrap_two.txt");
    assert_eq!(set.series[0].parameters.as_ref(), ["p", "n"]);
    assert_eq!(points(&set.series[0])[1], (vec![32.0, 10_000.0], vec![3.0, 3.1, 3.2]));
}

#[test]
fn extrap_json_new_and_old_tell_the_same() {
    let (new, old) = (set("extrap_new.json"), set("extrap_old.json"));
    assert_eq!(
        points(find(&new, "main", "time")),
        [(vec![4.0, 100.0], vec![1.0, 1.1]), (vec![8.0, 100.0], vec![0.6, 0.5])]
    );
    assert_eq!(points(find(&new, "main", "bytes"))[1].1, [8192.0]);
    let main = find(&old, "main", "time");
    assert_eq!(main.parameters.as_ref(), ["n", "p"]);
    assert_eq!(points(main), [(vec![100.0, 4.0], vec![1.0, 1.1]), (vec![100.0, 8.0], vec![0.6])]);
    assert_eq!(points(find(&old, "main->io", "time")), [(vec![100.0, 8.0], vec![0.5])]);
}

#[test]
fn lines_of_json_hold_one_value_or_several() {
    let lines = set("extrap.jsonl");
    let series = find(&lines, "main->f", "time");
    assert_eq!(
        points(series),
        [(vec![1.0, 2.0], vec![3.5, 3.75]), (vec![2.0, 2.0], vec![7.0, 7.5]), (vec![4.0, 2.0], vec![14.0])]
    );
    let talpas = set("talpas.txt");
    assert_eq!(points(find(&talpas, "f(a;b)", "time"))[0], (vec![20.0, 1.0], vec![82.0, 83.0]));
}

#[test]
fn hyperfine_scans_are_one_series() {
    let set = set("hyperfine_1.json");
    assert_eq!(set.series.len(), 1);
    let series = &set.series[0];
    assert_eq!(series.group["region"], "./solve --threads {threads} --mode {mode}");
    assert_eq!(series.group["mode"], "fast");
    assert_eq!(series.process_parameter, Some(0));
    assert_eq!(points(series)[1], (vec![2.0], vec![1.0, 1.1]));
    assert_eq!(points(series)[2], (vec![4.0], vec![0.6, 0.7]), "a run that was killed has no exit code");
    let failed = set.warnings.iter().find(|warning| warning.code == "failed_runs").expect("a warning");
    assert!(failed.message.starts_with("2 runs are left out"), "{}", failed.message);
}

#[test]
fn hyperfine_2_has_units_and_memory() {
    let set = set("hyperfine_2.json");
    assert_eq!(points(find(&set, "./solve {n}", "time_s"))[0], (vec![1000.0], vec![0.25, 0.26]));
    let memory = find(&set, "./solve {n}", "memory_bytes");
    assert_eq!((memory.metric.unit.as_str(), points(memory)[0].1.clone()), ("B", vec![2048.0, 2048.0]));
}

#[test]
fn gbench_has_arguments_times_and_counters() {
    let set = set("gbench.json");
    let time = find(&set, "BM_sort", "real_time_s");
    assert_eq!(time.parameters.as_ref(), ["arg0", "n"]);
    assert_eq!(time.points.len(), 2, "what failed is left out");
    assert_eq!(time.points[0].at, [8.0, 512.0]);
    for (value, wanted) in time.points[0].values.iter().zip([1.5e-6, 1.6e-6]) {
        assert!((value / wanted - 1.0).abs() < 1e-12, "{value} {wanted}");
    }
    let rate = find(&set, "BM_sort", "bytes_per_s");
    assert_eq!((rate.metric.unit.as_str(), rate.metric.direction), ("B/s", Direction::Higher));
    assert_eq!(points(find(&set, "BM_sort", "misses"))[0].1, [7.0, 8.0]);
    let empty = find(&set, "BM_empty", "cpu_time_s");
    assert_eq!((empty.parameters.len(), empty.points.len()), (0, 1), "it has no arguments");
    assert!(table("gbench.json").column("threads").is_some());
}

#[test]
fn caliper_files_are_runs() {
    for kind in ["split", "flat"] {
        let files = [8, 16].map(|p| {
            let name = format!("caliper_{kind}_{p}.json");
            let bytes = fixture(&name);
            (name, bytes)
        });
        let options = ReadOptions {
            params: vec!["p=mpi.world.size".to_owned()],
            metrics: vec!["time=avg#inclusive#sum#time.duration:s".to_owned()],
            ..ReadOptions::default()
        };
        let table = Table::read_many(&files, &options).unwrap_or_else(|problems| panic!("{problems}"));
        let given = TableOptions { metrics: options.metrics, ..TableOptions::default() };
        for options in [TableOptions::default(), given] {
            let set = series_of(&table, &options).unwrap_or_else(|problems| panic!("{problems}"));
            let solve = find(&set, "main->solve", "time");
            assert_eq!(points(solve), [(vec![8.0], vec![8.25]), (vec![16.0], vec![16.25])]);
            assert_eq!((solve.metric.unit.as_str(), solve.metric.unit_assumed), ("s", false));
            assert!(solve.file.is_none(), "its runs are in two files");
            assert_eq!(set.summary.files.len(), 2);
        }
    }
    let plain = set("caliper_split_8.json");
    let time = find(&plain, "main->solve->io", "avg#inclusive#sum#time.duration_s");
    assert_eq!((time.metric.unit.as_str(), points(time)[0].clone()), ("s", (vec![8.0], vec![0.125])));
}

#[test]
fn json_lines_may_lack_keys() {
    let set = set("runs.jsonl");
    assert_eq!(set.series.len(), 2);
    assert_eq!(set.series[0].points.len(), 3);
    assert_eq!(set.series[0].points[2].lines, [4]);
    assert_eq!((set.series[1].metric.name.as_str(), set.series[1].points.len()), ("energy_j", 1));
    assert!(
        set.warnings.iter().any(|warning| warning.code == "missing_metric" && warning.message.starts_with("2 rows"))
    );
}

#[test]
fn traces_declare_their_roles() {
    let set = set("trace.csv");
    let f = find(&set, "F", "time_s");
    assert_eq!((f.parameters.as_ref(), f.points.len()), (&["n".to_owned(), "P".to_owned()][..], 2));
    let g = find(&set, "G", "self_s");
    assert_eq!(g.parameters.as_ref(), ["P"], "a region that does not record n");
    let codes: Vec<&str> = set.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["failed_runs", "missing_metric"], "{:?}", set.warnings);
    let text = String::from_utf8(fixture("trace.csv")).expect("UTF-8").replace("# end", "# the end");
    let cut = crate::read(&text);
    assert_eq!(cut.warnings[0].code, "incomplete_trace");
}
