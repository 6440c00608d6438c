//! Roles, groups, repetitions, filters.

use crate::{fixture, read};
use runcast_core::roles::TableOptions;
use runcast_core::series::{SeriesSet, series_of};
use runcast_core::{Direction, Problem, Table};

fn options(edit: impl FnOnce(&mut TableOptions)) -> TableOptions {
    let mut options = TableOptions::default();
    edit(&mut options);
    options
}

fn list(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

fn series(table: &Table, options: &TableOptions) -> SeriesSet {
    series_of(table, options).unwrap_or_else(|problems| panic!("{problems}"))
}

fn problem(table: &Table, options: &TableOptions) -> Problem {
    series_of(table, options).expect_err("an error").0.remove(0)
}

const RUNS: &str = "app,p,N,rep,time_s,perf_gflops\n\
    hpl,6,18000,0,52.1,74.6\nhpl,6,18000,1,51.8,75.1\nhpl,8,20000,0,53.0,100.6\nft,8,64,0,1.5,2.5\n";

#[test]
fn names_give_roles() {
    let set = series(&read(RUNS), &TableOptions::default());
    let names: Vec<(String, String)> =
        set.series.iter().map(|series| (series.group["app"].clone(), series.metric.name.clone())).collect();
    let wanted = [("hpl", "time_s"), ("hpl", "perf_gflops"), ("ft", "time_s"), ("ft", "perf_gflops")];
    assert_eq!(names, wanted.map(|(app, metric)| (app.to_owned(), metric.to_owned())));
    let rate = &set.series[1];
    assert_eq!((rate.metric.unit.as_str(), rate.metric.direction), ("flop/s", Direction::Higher));
    assert_eq!(rate.points[0].values, [74.6e9, 75.1e9]);
    assert_eq!(rate.parameters.as_ref(), ["p", "N"]);
    assert_eq!((rate.process_parameter, rate.points[0].lines.as_slice()), (Some(0), &[2, 3][..]));
    assert_eq!((set.summary.rows, set.summary.configurations), (4, 3));
}

#[test]
fn options_override_names() {
    let table = read("p,size_bytes,ranks,elapsed_us,x\n1,10,2,5,7\n2,20,4,6,8\n");
    let set = series(
        &table,
        &options(|options| {
            options.params = list(&["size_bytes", "ranks"]);
            options.metrics = vec!["elapsed_us".to_owned(), "x:GiB".to_owned()];
            options.direction = Some(Direction::Higher);
        }),
    );
    assert_eq!(set.series[0].parameters.as_ref(), ["size_bytes", "ranks"]);
    assert_eq!(set.series[0].process_parameter, Some(1));
    assert_eq!(set.series[0].metric.direction, Direction::Higher);
    assert_eq!(set.series[1].points[0].values, [7.0 * 1024f64.powi(3)]);
    let set = series(&table, &options(|options| options.process_param = Some("ranks".to_owned())));
    assert_eq!(set.series[0].process_parameter, Some(2), "p, size_bytes, ranks and x are the parameters");
}

#[test]
fn numeric_columns_can_make_groups() {
    let table = read("region,s,p,time_s\na,10,8,1\na,10,16,2\na,20,8,3\n");
    let set = series(&table, &options(|options| options.by = list(&["region", "s"])));
    assert_eq!(set.series.len(), 2);
    assert_eq!(set.series[1].group["s"], "20");
    assert_eq!(set.series[1].parameters.as_ref(), ["p"]);
    let mixed = series(&read("region,p,time_s\n1,8,1\n2,8,2\n"), &TableOptions::default());
    assert_eq!(mixed.series.len(), 2, "numbered regions are regions");
}

#[test]
fn points_are_sorted_by_processes() {
    let table = read("N,p,time_s\n200,8,1\n100,16,2\n100,8,3\n200,8,4\n1e2,8,5\n");
    let set = series(&table, &TableOptions::default());
    let at: Vec<&[f64]> = set.series[0].points.iter().map(|point| point.at.as_slice()).collect();
    assert_eq!(at, [[100.0, 8.0], [200.0, 8.0], [100.0, 16.0]]);
    assert_eq!(set.series[0].points[0].values, [3.0, 5.0]);
    assert_eq!(set.series[0].points[0].lines, [4, 6]);
}

#[test]
fn one_wrongly_fast_run_is_named_with_its_line() {
    let bytes = fixture("weak_outlier.csv");
    let table = Table::read("weak.csv", &bytes, &Default::default()).expect("a table");
    let mut options = options(|options| {
        options.metrics = vec!["time:s".to_owned()];
        options.params = list(&["p"]);
    });
    let set = series(&table, &options);
    let warning = &set.series[0].warnings[0];
    assert_eq!((warning.code.as_str(), warning.line), ("repetition_outlier", Some(5)));
    assert_eq!(warning.file.as_deref(), Some("weak.csv"));
    assert!(set.warnings.contains(warning));
    assert_eq!(set.series[0].points[1].values.len(), 4);
    options.drop_outliers = true;
    let set = series(&table, &options);
    assert_eq!(set.series[0].points[1].values, [0.1128, 0.1129, 0.1135]);
    assert_eq!(set.series[0].points[1].lines, [6, 7, 8]);
    options.filters = vec!["anomalous == 0".to_owned()];
    assert!(series(&table, &options).warnings.is_empty());
}

#[test]
fn failed_runs_and_empty_cells_do_not_count() {
    let table = read("p,status,time_s\n1,ok,1\n2,,2\n4,failed,0.1\n8,ok,\n");
    let set = series(&table, &TableOptions::default());
    assert_eq!(set.series[0].points.len(), 2);
    let codes: Vec<&str> = set.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["failed_runs", "missing_metric"]);
    let all_failed = read("p,status,time_s\n1,failed,1\n");
    assert_eq!(problem(&all_failed, &TableOptions::default()).code, "no_rows");
}

#[test]
fn filters_compare_text_and_numbers() {
    let table = read(RUNS);
    let filtered = |filter: &str| {
        let set = series(&table, &options(|options| options.filters = vec![filter.to_owned()]));
        set.series.iter().map(|series| series.runs()).sum::<usize>()
    };
    assert_eq!(filtered("app == \"hpl\" and p <= 6"), 4);
    assert_eq!(filtered("app != \"hpl\""), 2);
    assert_eq!(filtered("N/p > 2600"), 4);
    let wrong = |filter: &str| problem(&table, &options(|options| options.filters = vec![filter.to_owned()]));
    assert_eq!(wrong("p >").pointer.as_deref(), Some("--where"));
    assert!(wrong("ap == \"hpl\"").to_string().contains("app"));
    assert_eq!(wrong("p > 1000").code, "no_rows");
    assert!(wrong("app > 3").message.contains("app"));
}

#[test]
fn mistakes_in_options_are_named() {
    let table = read(RUNS);
    let unknown = problem(&table, &options(|options| options.metrics = vec!["tme_s".to_owned()]));
    assert_eq!((unknown.code.as_str(), unknown.pointer.as_deref()), ("unknown_column", Some("--metric")));
    assert_eq!(unknown.hint.as_deref(), Some("did you mean time_s?"));
    assert_eq!(unknown.allowed.as_deref(), Some("app, p, N, rep, time_s, perf_gflops"));
    for edit in [
        (|options| options.params = list(&["q"])) as fn(&mut TableOptions),
        |options| options.by = list(&["ap"]),
        |options| options.process_param = Some("procs".to_owned()),
        |options| options.metrics = vec!["nothing:s".to_owned()],
    ] {
        assert_eq!(problem(&table, &options(edit)).code, "unknown_column");
    }
    let unit = problem(&table, &options(|options| options.metrics = vec!["time_s:parsec".to_owned()]));
    assert_eq!((unit.code.as_str(), unit.pointer.as_deref()), ("unknown_unit", Some("--metric")));
    let twice = problem(
        &table,
        &options(|options| {
            options.params = list(&["p"]);
            options.by = list(&["p", "app"]);
        }),
    );
    assert_eq!(twice.code, "two_roles");
    let left_out = problem(&table, &options(|options| options.by = list(&["N"])));
    assert_eq!((left_out.code.as_str(), left_out.line), ("not_constant", Some(5)));
    let narrowed = options(|options| {
        options.by = list(&["N"]);
        options.filters = vec!["app == 'hpl'".to_owned()];
    });
    assert_eq!(series(&table, &narrowed).series.len(), 4);
    let no_metric = problem(&read("p,latitude\n1,2\n"), &TableOptions::default());
    assert_eq!(no_metric.allowed.as_deref(), Some("the columns of numbers: p, latitude"));
    assert!(no_metric.hint.is_some_and(|hint| hint.contains("--metric NAME:UNIT")));
}

#[test]
fn values_too_large_in_si_are_an_error() {
    let table = read("p,time_h\n1,1e307\n");
    assert_eq!(problem(&table, &TableOptions::default()).code, "too_large");
}
