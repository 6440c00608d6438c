//! The column `run`: the run that each row comes from.
//!
//! Traces of the first version tell their run in their heads only. Files of one folder, program and number are one run:
//! its ranks. The same number in two folders, or of two programs, is two: `FOLDER:3`.

use indexmap::IndexMap;
use runcast_call::trace::{FileFacts, Metadata};
use runcast_core::Table;
use runcast_core::table::{Column, ColumnData};
use std::collections::HashMap;

/// The name of the column.
pub const COLUMN: &str = "run";

/// Where a run with a number was made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Source {
    folder: String,
    program: String,
}

/// Adds the column to a table that comes from traces, or makes the runs of several folders distinct in it.
pub fn label(table: &mut Table, metadata: &Metadata) {
    let is_trace = metadata.files.iter().any(|file| file.run.is_some());
    let place = table.columns.iter().position(|column| column.name == COLUMN);
    if (!is_trace && place.is_none()) || table.rows() == 0 {
        return;
    }
    let sources: Vec<Source> =
        table.files.iter().enumerate().map(|(index, name)| source(name, metadata.files.get(index))).collect();
    // Runs of many rows, each looked up once by its file and its cell.
    let mut known: HashMap<(u32, u64), usize> = HashMap::new();
    let mut runs: Vec<(String, Source)> = Vec::new();
    let mut index: HashMap<(String, Source), usize> = HashMap::new();
    let mut codes = Vec::with_capacity(table.rows());
    for row in 0..table.rows() {
        let file = table.origins.at(row).file;
        let cell = place.map_or(u64::MAX, |place| match &table.columns[place].data {
            ColumnData::Number(values) => values[row].to_bits(),
            ColumnData::Text { codes, .. } => u64::from(codes.at(row)),
        });
        codes.push(*known.entry((file, cell)).or_insert_with(|| {
            let text = place.map_or_else(String::new, |place| table.columns[place].cell(row));
            let number = number(&text, file as usize, table, metadata);
            let own = sources.get(file as usize).cloned().unwrap_or_else(|| source("", None));
            let of = told_source(&text, own);
            let next = runs.len();
            let run = *index.entry((number.clone(), of.clone())).or_insert(next);
            if run == next {
                runs.push((number, of));
            }
            run
        }));
    }
    let labels = labels(&runs);
    let numbers: Option<Vec<f64>> = labels.iter().map(|label| label.parse::<u32>().ok().map(f64::from)).collect();
    let column = match numbers {
        Some(numbers) => Column::numbers(COLUMN, codes.iter().map(|&run| numbers[run]).collect()),
        None => Column::text(COLUMN, codes.iter().map(|&run| labels[run].as_str())),
    };
    match (place, table.columns.iter().position(|column| column.name == "region")) {
        (Some(place), _) => table.columns[place] = column,
        (None, Some(region)) => table.columns.insert(region + 1, column),
        (None, None) => table.columns.push(column),
    }
}

fn source(name: &str, facts: Option<&FileFacts>) -> Source {
    let folder = name.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
    let program = facts.and_then(|facts| facts.run.as_ref()).map_or_else(String::new, |run| run.name.clone());
    Source { folder, program }
}

/// The source that a label names, where it is another than that of its file: in a table that was saved.
fn told_source(cell: &str, own: Source) -> Source {
    match cell.rsplit_once(':') {
        Some((told, _))
            if ![&own.folder, &own.program, &format!("{}/{}", own.folder, own.program)].iter().any(|o| *o == told) =>
        {
            Source { folder: told.to_owned(), program: String::new() }
        }
        _ => own,
    }
}

/// The number of a run without its folder: as its row reports it, else its head, else the name of its file.
fn number(cell: &str, file: usize, table: &Table, metadata: &Metadata) -> String {
    let told = cell.rsplit_once(':').map_or(cell, |(_, number)| number);
    if !told.is_empty() {
        return told.to_owned();
    }
    let facts = metadata.files.get(file).and_then(|facts| facts.run.as_ref());
    match facts.and_then(|run| run.run) {
        Some(number) => number.to_string(),
        None => table.files.get(file).cloned().unwrap_or_default(),
    }
}

/// The number alone where there is one run with it.
fn labels(runs: &[(String, Source)]) -> Vec<String> {
    let mut alike: IndexMap<&str, Vec<&Source>> = IndexMap::new();
    for (number, source) in runs {
        alike.entry(number).or_default().push(source);
    }
    let label = |(number, source): &(String, Source)| {
        let others = alike.get(number.as_str()).map_or(&[][..], Vec::as_slice);
        let in_folder = others.iter().filter(|other| other.folder == source.folder).count();
        match () {
            () if others.len() < 2 => number.clone(),
            () if in_folder < 2 => format!("{}:{number}", source.folder),
            () if in_folder == others.len() => format!("{}:{number}", source.program),
            () => format!("{}/{}:{number}", source.folder, source.program),
        }
    };
    runs.iter().map(label).collect()
}

/// A number for the run of each row: of the column `run`, else of `rep`; none where each row is a run.
pub fn of_rows(table: &Table) -> Option<Vec<u32>> {
    let column = table.column(COLUMN).or_else(|| table.column("rep"))?;
    let mut known: HashMap<u64, u32> = HashMap::new();
    let runs = (0..column.len()).map(|row| {
        let key = match &column.data {
            ColumnData::Number(values) => (values[row] + 0.0).to_bits(),
            ColumnData::Text { codes, .. } => u64::from(codes.at(row)),
        };
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        *known.entry(key).or_insert(next)
    });
    Some(runs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: &str, folder: &str, program: &str) -> (String, Source) {
        (number.to_owned(), Source { folder: folder.to_owned(), program: program.to_owned() })
    }

    #[test]
    fn a_number_is_told_apart_where_it_stands_for_several_runs() {
        assert_eq!(labels(&[run("3", "a", "x"), run("4", "b", "x")]), ["3", "4"]);
        assert_eq!(labels(&[run("3", "a", "x"), run("3", "b", "x"), run("4", "b", "x")]), ["a:3", "b:3", "4"]);
        assert_eq!(labels(&[run("3", "a", "x"), run("3", "a", "y")]), ["x:3", "y:3"]);
    }

    #[test]
    fn rows_without_run_belong_to_their_repetition() {
        let table = |columns: Vec<Column>| Table { columns, ..Table::default() };
        let numbers = |name: &str| Column::numbers(name, vec![5.0, 2.0, 5.0]);
        assert_eq!(of_rows(&table(vec![numbers("n")])), None);
        assert_eq!(of_rows(&table(vec![numbers("rep")])), Some(vec![0, 1, 0]));
        let text = Column::text("run", ["a:1", "b:1", "b:1"]);
        assert_eq!(of_rows(&table(vec![numbers("rep"), text])), Some(vec![0, 1, 1]));
    }
}
