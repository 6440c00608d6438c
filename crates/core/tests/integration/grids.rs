//! Tables whose columns say how the processes were arranged.

use runcast_core::Table;
use runcast_core::roles::{RoleOption, TableOptions};
use runcast_core::series::{SeriesSet, series_of};

fn series(file: &str, options: &TableOptions) -> SeriesSet {
    let path = format!("{}/../../testdata/strangers/grids/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let table = Table::read(file, &bytes, &Default::default()).expect("a table");
    series_of(&table, options).unwrap_or_else(|problems| panic!("{problems}"))
}

fn parameters(set: &SeriesSet) -> Vec<&str> {
    set.series[0].parameters.iter().map(String::as_str).collect()
}

#[test]
fn a_target_need_not_name_the_grid() {
    for (file, wanted, line) in [
        (
            "cube.csv",
            vec!["nprocs", "n"],
            "p = processes (column \"nprocs\"), px = parameter (factor of nprocs), py = parameter (factor of nprocs), \
             pz = parameter (factor of nprocs), n = parameter, time_s = metric (lower is better)",
        ),
        (
            "hpl.txt",
            vec!["ranks", "N"],
            "p = processes (column \"ranks\"), nprow = parameter (factor of ranks), npcol = parameter (factor of ranks), \
             seconds = metric (lower is better)",
        ),
        (
            "weak.csv",
            vec!["cores", "nx_local"],
            "p = processes (column \"cores\"), Px = parameter (factor of cores), Py = parameter (factor of cores), \
             nx_global = parameter (nx_local Px), wall (s) = metric (lower is better)",
        ),
        (
            "strips.csv",
            vec!["tasks"],
            "p = processes (column \"tasks\"), dims_x = parameter (factor of tasks), \
             dims_y = parameter (factor of tasks), time_s = metric (lower is better)",
        ),
    ] {
        let set = series(file, &TableOptions::default());
        let said = set.read_as.to_string();
        let said = said.split("; ignored").next().unwrap_or_default();
        assert_eq!((parameters(&set), said), (wanted, line), "{file}");
    }
}

#[test]
fn grids_that_were_chosen_are_inputs() {
    let set = series("chosen.csv", &TableOptions::default());
    assert_eq!((parameters(&set), set.series[0].points.len()), (vec!["np", "Px", "Py"], 6));
    let role = |text: &str| RoleOption::parse(text).unwrap_or_else(|problem| panic!("{problem}"));
    let roles = vec![role("px=parameter"), role("py=parameter"), role("pz=parameter")];
    let said = series("cube.csv", &TableOptions { roles, ..TableOptions::default() });
    assert_eq!(parameters(&said), ["nprocs", "px", "py", "pz", "n"]);
}

#[test]
fn published_grids_follow_from_the_processes() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/wild");
    for file in ["gkritop__strong.csv", "gkritop__weak.csv"] {
        let Ok(bytes) = std::fs::read(folder.join(file)) else { return };
        let table = Table::read(file, &bytes, &Default::default()).expect("a table");
        let set = series_of(&table, &TableOptions::default()).expect("series");
        let first = &set.series[0];
        let varies = |index: &usize| first.points.iter().any(|point| point.at[*index] != first.points[0].at[*index]);
        let varying: Vec<&str> =
            (0..first.parameters.len()).filter(varies).map(|index| first.parameters[index].as_str()).collect();
        assert_eq!(varying, ["nprocs"], "{file}");
    }
}
