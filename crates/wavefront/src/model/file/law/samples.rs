//! Laws from measured times: `{ samples = "samples.csv", column = "time_s", where = { kind = "update" } }`.

use super::{discrete, keys, quoted};
use crate::model::distribution::Distribution;
use crate::model::file::refused;
use crate::model::file::sources::Sources;
use runcast_core::table::{Column, ColumnData, Numbers};
use runcast_core::toml::{Node, Reader, Table, plain};
use runcast_core::{Problem, Table as Rows};
use runcast_formula::units::suffix_unit;
use std::collections::{BTreeMap, HashMap};
use toml::de::DeValue;

const DEFAULT_COLUMN: &str = "time_s";

pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    sources: &mut Sources<'_>,
    who: &str,
) -> Option<Distribution> {
    reader.allow(table, &keys(&["samples", "column", "where"]), "a law of samples");
    let (name, place) = reader.text(table, "samples", "the name of a table")?;
    let column = reader.text(table, "column", "the name of a column");
    let column = column.map_or_else(|| DEFAULT_COLUMN.to_owned(), |(column, _)| column);
    let rows = reader.found(&place, sources.table(&name))?;
    let kept = match table.get("where") {
        None => usable(&rows),
        Some(node) => {
            let wanted = "a table such as { kind = \"update\", process = \"ws3\" }";
            let filters = reader.table(node, table.at("where"), wanted)?;
            let by_index =
                wanted_cells(&rows, &filters).and_then(|(columns, cells)| sources.rows(&name, columns, &cells));
            match by_index {
                Some(kept) => kept,
                None => one_by_one(reader, &rows, &filters, &name)?,
            }
        }
    };
    let found = seconds(&rows, &column, &name, &kept, who);
    let pairs = reader.found(&place, found)?;
    discrete(reader, table, pairs, true)
}

/// Rows whose `status`, if there is one, is empty or `ok`.
fn usable(rows: &Rows) -> Vec<usize> {
    match rows.column("status") {
        Some(status) => (0..rows.rows()).filter(|row| matches!(status.cell(*row).as_str(), "" | "ok")).collect(),
        None => (0..rows.rows()).collect(),
    }
}

/// The columns that filters name and the cells that they want, as in [`index`]; none where a filter is not understood.
fn wanted_cells(rows: &Rows, filters: &Table<'_, '_>) -> Option<(Vec<usize>, Vec<u64>)> {
    let mut all = Vec::new();
    for (key, node) in filters.named() {
        let column = rows.columns.iter().position(|column| column.name == key)?;
        let cell = match (&rows.columns[column].data, node.value.get_ref()) {
            (ColumnData::Text { names, .. }, DeValue::String(text)) => {
                names.iter().position(|name| name == text)? as u64
            }
            (ColumnData::Number(_), value) => (plain(value)? + 0.0).to_bits(),
            _ => return None,
        };
        all.push((column, cell));
    }
    all.sort_unstable();
    Some(all.into_iter().unzip())
}

/// The usable rows by their cells in some columns: codes of texts, bits of numbers.
pub(in super::super) fn index(rows: &Rows, columns: &[usize]) -> HashMap<Vec<u64>, Vec<usize>> {
    let cell = |column: usize, row: usize| match &rows.columns[column].data {
        ColumnData::Text { codes, .. } => u64::from(codes.at(row)),
        ColumnData::Number(values) => (values[row] + 0.0).to_bits(),
    };
    let mut index: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
    for row in usable(rows) {
        index.entry(columns.iter().map(|column| cell(*column, row)).collect()).or_default().push(row);
    }
    index
}

/// The rows that all filters keep, one filter after the other, so that the one that leaves nothing is reported.
fn one_by_one(reader: &mut Reader<'_>, rows: &Rows, filters: &Table<'_, '_>, file: &str) -> Option<Vec<usize>> {
    let mut kept = usable(rows);
    for (key, value) in filters.named() {
        let pointer = filters.at(key);
        keep(reader, &mut kept, rows, (key, value), &pointer, file)?;
    }
    Some(kept)
}

/// Keeps the rows whose cell in a column is what the filter says.
fn keep(
    reader: &mut Reader<'_>,
    kept: &mut Vec<usize>,
    rows: &Rows,
    (key, node): (&str, Node<'_, '_>),
    pointer: &str,
    file: &str,
) -> Option<()> {
    let place = reader.place(node, pointer);
    let Some(column) = rows.column(key) else {
        return refused(reader, &place, unknown_column(rows, key, file));
    };
    let number = plain(node.value.get_ref());
    match (&column.data, node.value.get_ref(), number) {
        (ColumnData::Text { codes, names }, DeValue::String(text), _) => {
            let code = names.iter().position(|name| name == text);
            kept.retain(|row| Some(codes.at(*row) as usize) == code);
        }
        // A label that looks like a number, such as a process called 3.
        (ColumnData::Number(values), DeValue::String(text), _)
            if runcast_core::table::number::parse(text).is_some() =>
        {
            let number = runcast_core::table::number::parse(text);
            kept.retain(|row| Some(values[*row]) == number);
        }
        (ColumnData::Number(values), _, Some(number)) => {
            kept.retain(|row| values[*row] == number);
        }
        (data, ..) => {
            let wanted = if matches!(data, ColumnData::Number(_)) { "a number" } else { "a text" };
            reader.wrong_type(node, &place, wanted);
            return None;
        }
    }
    if kept.is_empty() {
        let problem = Problem::new("empty", format!("no row of {file} has this {key} and the preceding filters"));
        return refused(reader, &place, problem.allowed(cells(column)));
    }
    Some(())
}

/// A few of the values of a column.
fn cells(column: &Column) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for row in 0..column.len().min(100_000) {
        let cell = column.cell(row);
        if !distinct.contains(&cell) {
            distinct.push(cell);
        }
        if distinct.len() > 10 {
            distinct.push("..".to_owned());
            break;
        }
    }
    distinct.join(", ")
}

/// Times in seconds with their shares.
fn seconds(rows: &Rows, column: &str, file: &str, kept: &[usize], who: &str) -> Result<Vec<(f64, f64)>, Problem> {
    let values = numbers(rows, column, file)?;
    let scale = match suffix_unit(column) {
        None => 1.0,
        Some(suffix) if suffix.unit == "s" => suffix.scale,
        Some(suffix) => {
            let problem = Problem::new("wrong_unit", format!("the column {} is not a time", quoted(column)));
            return Err(problem
                .in_file(file)
                .value(suffix.unit)
                .allowed("a column of times, such as time_s or time_ms"));
        }
    };
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    let mut total = 0_u64;
    for (row, value) in kept.iter().map(|&row| (row, values[row])).filter(|(_, value)| !value.is_nan()) {
        let value = value * scale;
        if value < 0.0 || !value.is_finite() {
            let problem = Problem::new("out_of_range", format!("a time of {value} s")).at(column);
            return Err(rows.problem_at(row, problem.allowed("times of 0 or more")));
        }
        // The bits of numbers that are not negative are in the order of the numbers.
        *counts.entry((value + 0.0).to_bits()).or_insert(0) += 1;
        total += 1;
    }
    if total == 0 {
        let message = format!("there is no time for {who} in the column {}", quoted(column));
        return Err(Problem::new("empty", message).in_file(file));
    }
    let share = |count: u64| count as f64 / total as f64;
    Ok(counts.into_iter().map(|(bits, count)| (f64::from_bits(bits), share(count))).collect())
}

pub(super) fn numbers<'r>(rows: &'r Rows, column: &str, file: &str) -> Result<&'r Numbers, Problem> {
    let Some(found) = rows.column(column) else { return Err(unknown_column(rows, column, file)) };
    found.as_numbers().ok_or_else(|| {
        let numeric = |row: &usize| runcast_core::table::number::parse(&found.cell(*row)).is_none();
        let row = (0..found.len()).find(numeric).unwrap_or(0);
        rows.problem_at(row, runcast_core::table::number::not_a_number(&found.cell(row)).at(column))
    })
}

fn unknown_column(rows: &Rows, name: &str, file: &str) -> Problem {
    let names: Vec<&str> = rows.columns.iter().map(|column| column.name.as_str()).take(30).collect();
    let problem = Problem::new("unknown_name", format!("{file} has no column {}", quoted(name)));
    problem.value(name).allowed(names.join(", ")).or_near(name, names)
}
