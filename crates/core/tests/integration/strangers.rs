//! Tables with names and columns that their authors chose without knowing this program.

use runcast_core::Table;
use runcast_core::roles::{RoleOption, TableOptions};
use runcast_core::series::{SeriesSet, series_of};

fn series(file: &str, options: &TableOptions) -> SeriesSet {
    let path = format!("{}/../../testdata/strangers/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let table = Table::read(file, &bytes, &Default::default()).expect("a table");
    series_of(&table, options).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The parameters, the one that counts processes, the columns left out, and the runs of the first configuration.
fn read_as(set: &SeriesSet) -> (Vec<&str>, &str, Vec<&str>, usize) {
    let first = &set.series[0];
    let left_out = set
        .warnings
        .iter()
        .filter(|warning| warning.code == "column_ignored")
        .filter_map(|warning| warning.message.split(' ').next());
    (
        first.parameters.iter().map(String::as_str).collect(),
        &first.parameters[first.process_parameter.expect("a number of processes")],
        left_out.collect(),
        first.points[0].values.len(),
    )
}

#[test]
fn processes_are_found_without_regard_to_case_and_results_are_no_parameters() {
    let capitals = series("capitals.csv", &TableOptions::default());
    assert_eq!(read_as(&capitals), (vec!["Processes", "Size"], "Processes", vec!["seed", "watts"], 3));
    assert_eq!(capitals.series.len(), 2, "one for each application");
    let unnumbered = series("unnumbered.csv", &TableOptions::default());
    assert_eq!(read_as(&unnumbered), (vec!["nprocs", "cells"], "nprocs", vec!["load"], 3));
    let grid = series("grid.csv", &TableOptions::default());
    assert_eq!(read_as(&grid), (vec!["MPI ranks", "Size"], "MPI ranks", vec!["residual"], 1));
    let wide = series("wide.csv", &TableOptions::default());
    assert_eq!(read_as(&wide), (vec!["Cores", "N"], "Cores", vec!["peak_rss"], 2));
}

/// The line that says how a table was read.
fn line(file: &str, options: &TableOptions) -> String {
    series(file, options).read_as.to_string()
}

#[test]
fn the_role_of_every_column_is_said_with_its_reason() {
    let said = |file: &str| line(file, &TableOptions::default());
    assert_eq!(
        said("blanks.txt"),
        "p = processes (column \"nprocs\"), Time(ms) = metric (lower is better); ignored: speedup (derived: t_1/t_p)"
    );
    assert_eq!(
        said("dated.csv"),
        "p = processes (column \"Num Threads\"), Mesh = parameter, Wall Time (s) = metric (lower is better), \
         MLUPS = metric (higher is better); ignored: index (identifier), commit (identifier), Start Time (timestamp), \
         iters (outcome), passed (outcome), hyperthreading (constant)"
    );
    let german = "p = processes (column \"Kerne\"), Laufzeit [ms] = metric (lower is better), Wiederholung = repetition; \
                  ignored: Größe (constant)";
    assert_eq!(said("german.tsv"), german);
    let set = series("german.tsv", &TableOptions::default());
    assert_eq!(set.series[0].points[0].values, [12.48, 12.51]);
    let dated = series("dated.csv", &TableOptions::default());
    assert!(dated.warnings.iter().any(|warning| warning.code == "repeated_header"));
    assert_eq!(dated.series[0].points.len(), 7, "a row has no time");
}

#[test]
fn a_flag_makes_groups_unless_the_other_inputs_decide_it() {
    let read = |csv: &str| {
        let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
        series_of(&table, &TableOptions::default()).expect("series")
    };
    let follows = read("code,p,held,time_s\na,1,0,8\na,2,0,4.5\na,4,1,2.5\nb,1,0,9\nb,2,1,5\nb,4,1,3\n");
    assert_eq!(
        follows.read_as.to_string(),
        "p = processes, time_s = metric (lower is better), code = label; ignored: held (derived: the other inputs)"
    );
    assert_eq!(follows.series.len(), 2);
    let chosen = read("p,smt,time_s\n1,0,8\n2,0,4.5\n4,0,2.5\n1,1,9\n2,1,5\n4,1,3\n");
    assert_eq!(chosen.read_as.to_string(), "p = processes, time_s = metric (lower is better), smt = label");
    assert_eq!((chosen.series.len(), chosen.series[0].parameters.as_ref()), (2, &["p".to_owned()][..]));
}

#[test]
fn a_metric_named_by_an_option_keeps_the_unit_of_its_name() {
    let options = TableOptions { metrics: vec!["Laufzeit [ms]".to_owned()], ..TableOptions::default() };
    assert_eq!(series("german.tsv", &options).series[0].points[0].values, [12.48, 12.51]);
}

#[test]
fn an_option_gives_a_column_its_role() {
    let role = |text: &str| RoleOption::parse(text).unwrap_or_else(|problem| panic!("{problem}"));
    let options = |roles: &[&str]| TableOptions {
        roles: roles.iter().map(|text| role(text)).collect(),
        ..TableOptions::default()
    };
    let said = line("dated.csv", &options(&["iters=parameter", "MLUPS=ignore", "commit=label", "Mesh=processes"]));
    let wanted = "p = processes (column \"Mesh\"), Num Threads = parameter, iters = parameter, \
                  Wall Time (s) = metric (lower is better), commit = label; ignored: index (identifier), \
                  Start Time (timestamp), MLUPS (option), passed (outcome), hyperthreading (constant)";
    assert_eq!(said, wanted);
    let set = series("capitals.csv", &options(&["watts=metric:W", "seed=label"]));
    assert!(set.series.iter().any(|series| series.metric.unit == "W") && set.series[0].group.contains_key("seed"));
    assert_eq!(RoleOption::parse("x=rank").expect_err("an error").code, "roles");
    assert_eq!(RoleOption::parse("x").expect_err("an error").code, "roles");
}

#[test]
fn a_file_may_say_which_column_is_what() {
    let csv =
        "# roles: {\"processes\":\"width\",\"ignored\":[\"seconds\"]}\nwidth,time_s,seconds\n1,4,1\n2,2,2\n4,1,3\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    let wanted = "p = processes (column \"width\"), time_s = metric (lower is better); ignored: seconds (option)";
    assert_eq!(set.read_as.to_string(), wanted);
}

#[test]
fn a_column_that_is_named_is_a_parameter() {
    let params = Some(vec!["Processes".to_owned(), "watts".to_owned()]);
    let set = series("capitals.csv", &TableOptions { params, ..TableOptions::default() });
    assert_eq!(read_as(&set), (vec!["Processes", "watts"], "Processes", vec![], 1));
}

#[test]
fn forecasts_do_not_depend_on_the_name_of_the_process_column() {
    let points = |name: &str| {
        let csv = format!("{name},n,time_s\n1,100,10\n2,100,6\n4,100,4\n1,200,20\n2,200,12\n4,200,8\n");
        let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
        let set = series_of(&table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{name}: {problems}"));
        let first = &set.series[0];
        (
            first.process_parameter,
            first.points.iter().map(|point| (point.at.clone(), point.values.clone())).collect::<Vec<_>>(),
        )
    };
    let wanted = points("p");
    assert_eq!(wanted.0, Some(0));
    for name in [
        "P",
        "np",
        "nprocs",
        "n_procs",
        "nproc",
        "ntasks",
        "tasks",
        "procs",
        "processes",
        "Processes",
        "ranks",
        "mpi_ranks",
        "MPI ranks",
        "Num MPI ranks",
        "PEs",
        "cores",
        "Cores",
        "ncores",
        "threads",
        "Threads",
        "nthreads",
        "n_threads",
        "OMP_NUM_THREADS",
        "workers",
        "nodes",
        "Nodes",
        "nnodes",
        "gpus",
        "n_gpus",
        "devices",
        "Total_Cores",
    ] {
        assert_eq!(points(name), wanted, "{name}");
    }
}

#[test]
fn of_several_counts_the_one_that_varies_is_taken() {
    let csv = "nodes,ranks,threads,time_s\n1,8,1,10\n1,8,2,6\n1,8,4,4\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!(set.series[0].process_parameter, Some(2));
}

#[test]
fn a_time_goes_before_what_follows_from_it() {
    let csv = "Cores,Time(s),Speedup,Efficiency\n1,100,1,1\n2,52,1.92,0.96\n4,28,3.57,0.89\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!(set.series[0].parameters.as_ref(), ["Cores"]);
    assert!(set.series.iter().any(|series| series.metric.name == "Time(s)" && series.metric.unit == "s"));
    let csv = "threads,gflops,time_s\n1,1.5,2\n2,2.9,1.1\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!((set.series.len(), set.series[0].parameters.as_ref()), (2, &["threads".to_owned()][..]));
}
