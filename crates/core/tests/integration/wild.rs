//! Tables as people publish them, with the roles that their authors meant; skipped where the data are not there.

use runcast_core::Table;
use runcast_core::roles::{ReadAs, Role, TableOptions};
use runcast_core::series::series_of;
use std::path::Path;

/// Tables that cannot be read, with what is wrong.
const REFUSED: [(&str, &str); 2] =
    [("lanl__branson_roci_scale.csv", "duplicate_column"), ("SaifEKhaled__convergence.csv", "field_count")];
/// A name with a slip, of a count that a benchmark chose by itself.
const TAKEN_FOR_INPUTS: [&str; 1] = ["iteratons"];

#[test]
fn published_tables_are_read_as_their_authors_meant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/wild");
    let Ok(truth) = std::fs::read(folder.join("truth.csv")) else { return };
    let truth = Table::read("truth.csv", &truth, &Default::default()).expect("a table");
    for row in 0..truth.rows() {
        let cell = |name: &str| truth.column(name).map_or(String::new(), |column| column.cell(row));
        let names = |list: &str| -> Vec<String> {
            let name = |one: &str| one.split(':').next().unwrap_or_default().to_owned();
            cell(list).split('|').map(name).filter(|name| !name.is_empty()).collect()
        };
        let file = cell("file");
        let bytes = std::fs::read(folder.join(&file)).expect("a file");
        let read = Table::read(&file, &bytes, &Default::default())
            .and_then(|table| series_of(&table, &TableOptions::default()));
        let read_as = match (read, REFUSED.iter().find(|(refused, _)| *refused == file)) {
            (Ok(set), None) => set.read_as,
            (Err(problems), Some((_, code))) if problems.0[0].code == *code => continue,
            (read, _) => panic!("{file}: {read:?}"),
        };
        let with = |role: Role| columns(&read_as, role);
        if cell("form") == "nohdr" {
            // Counted from 1 by the author, from 0 here; what was not varied is no parameter.
            assert_eq!((with(Role::Processes), with(Role::Metric)), (vec!["0"], vec!["3", "4"]), "{file}");
            continue;
        }
        if cell("processes_column").parse::<f64>().is_err() {
            assert_eq!(with(Role::Processes), names("processes_column"), "{file}");
        }
        assert_eq!(with(Role::Metric), names("metric_columns"), "{file}");
        assert_eq!(with(Role::Label), names("label_columns"), "{file}");
        assert_eq!(with(Role::Repetition), names("repetition_column"), "{file}");
        let parameters = with(Role::Parameter);
        for column in &read_as.columns {
            let wanted = names("other_parameter_columns").contains(&column.column);
            let is_constant = column.role == Role::Ignored && column.reason == "constant";
            assert!(
                !wanted || is_constant || parameters.contains(&column.column.as_str()),
                "{file}: {}",
                column.column
            );
        }
        for result in names("other_results_or_ignored") {
            let leaks = parameters.contains(&result.as_str()) && !TAKEN_FOR_INPUTS.contains(&result.as_str());
            assert!(!leaks, "{file}: {result} is an input");
        }
    }
}

fn columns(read_as: &ReadAs, role: Role) -> Vec<&str> {
    read_as.columns.iter().filter(|column| column.role == role).map(|column| column.column.as_str()).collect()
}
