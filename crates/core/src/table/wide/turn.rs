//! From the wide form to the long form.

use super::group::{Group, Reading};
use super::name::{SERIAL, Says};
use super::{TurnedColumn, WideForm};
use crate::problem::Problem;
use crate::roles::{Role, Unused, is_outcome, is_size, is_statistic, looks_measured};
use crate::spelling::words_of;
use crate::table::{Column, ColumnData, Numbers, Table, number};

/// The table with a row for each number in the names of the `chosen` groups.
///
/// # Errors
/// A column of a group holds text.
pub(super) fn turned(table: Table, groups: &[Group], chosen: &[usize], reading: &Reading) -> Result<Table, Problem> {
    let mut numbers: Vec<u32> = chosen.iter().flat_map(|&place| groups[place].numbers()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    // Other columns for the same counts go with them: speedups, errors.
    let goes_with = |place: usize| {
        let group = &groups[place];
        group.numbers().iter().all(|number| numbers.contains(number)) && group.has_fractions(&table)
    };
    let taken: Vec<usize> = (0..groups.len()).filter(|place| chosen.contains(place) || goes_with(*place)).collect();
    let of = |place: usize| groups[place].columns.iter().map(|&(index, _)| index);
    let of_taken: Vec<usize> = taken.iter().flat_map(|&place| of(place)).collect();
    for &index in &of_taken {
        check_numbers(&table, index)?;
    }
    let rest: Vec<usize> = (0..table.columns.len()).filter(|index| !of_taken.contains(index)).collect();
    let first: Vec<usize> = chosen.iter().take(1).flat_map(|&place| of(place)).collect();
    let mut wide =
        WideForm { columns: table.columns.iter().map(|column| column.name.clone()).collect(), ..table.wide.clone() };
    wide.unused.extend(rest.iter().filter_map(|&index| unused(&table, index, &first, reading)));

    let mut columns: Vec<Column> = rest.iter().map(|&index| repeated(&table.columns[index], numbers.len())).collect();
    let counter = match reading {
        Reading::Parameter(name) => name.as_str(),
        _ => "rep",
    };
    if !columns.iter().any(|column| column.name == counter) {
        let values = (0..table.rows()).flat_map(|_| numbers.iter().map(|&number| f64::from(number)));
        columns.push(Column::numbers(counter, values.collect()));
        wide.made.push(counter.to_owned());
    }
    let names_method = |place: usize| groups[place].stem.says() == Says::Other;
    let are_methods = chosen.iter().any(|&place| names_method(place));
    for place in taken {
        let group = &groups[place];
        let measured = if group.are_speedups(&table) { "speedup".to_owned() } else { group.stem.measured() };
        let name = free(&columns, measured);
        // Beside a method by its name there may be others.
        let is_rival = are_methods && names_method(place) && name.chars().count() > 1 && !is_outcome(&name);
        if chosen.contains(&place) || is_rival {
            wide.metrics.push(name.clone());
        }
        wide.turned.extend(group.columns.iter().map(|&(index, number)| TurnedColumn {
            column: table.columns[index].name.clone(),
            into: name.clone(),
            stands_for: match reading {
                Reading::Parameter(counter) => format!("{counter} = {number}"),
                _ => format!("repetition {number}"),
            },
        }));
        columns.push(Column::numbers(name, cells(&table, group, &numbers)));
    }
    let mut roles = table.roles;
    // The first column of a table with a row for each size, whose corner is empty.
    let is_corner = |column: &Column| column.name == "index" && column.as_numbers().is_some_and(|v| !counts_rows(v));
    if table.columns.iter().any(is_corner) {
        roles.get_or_insert_default().others.push(("index".to_owned(), Role::Parameter));
    }
    let origins = repeat(table.origins.iter(), numbers.len()).collect();
    Ok(Table { columns, origins, files: table.files, roles, warnings: table.warnings, wide })
}

/// The cells of a group, row by row, in the order of the numbers; empty where it has no column for one.
fn cells(table: &Table, group: &Group, numbers: &[u32]) -> Vec<f64> {
    let values = |number: &u32| {
        let &(index, _) = group.columns.iter().find(|(_, other)| other == number)?;
        table.columns[index].as_numbers()
    };
    let columns: Vec<Option<&Numbers>> = numbers.iter().map(values).collect();
    let cell = |values: &Option<&Numbers>, row: usize| values.map_or(f64::NAN, |values| values[row]);
    (0..table.rows()).flat_map(|row| columns.iter().map(move |values| cell(values, row))).collect()
}

/// The name, or one that no column has.
fn free(columns: &[Column], mut name: String) -> String {
    while columns.iter().any(|column| column.name == name) {
        name = format!("wide_{name}");
    }
    name
}

/// The column with each of its cells so often.
fn repeated(column: &Column, times: usize) -> Column {
    let data = match &column.data {
        ColumnData::Number(values) => ColumnData::Number(repeat(values.iter().copied(), times).collect()),
        ColumnData::Text { codes, names } => {
            ColumnData::Text { codes: repeat(codes.iter(), times).collect(), names: names.clone() }
        }
    };
    Column { name: column.name.clone(), data }
}

fn repeat<T: Copy>(items: impl Iterator<Item = T>, times: usize) -> impl Iterator<Item = T> {
    items.flat_map(move |item| std::iter::repeat_n(item, times))
}

/// Whether a column is the index of the rows, from 0 or 1.
fn counts_rows(values: &Numbers) -> bool {
    let starts = values.first().is_some_and(|&first| first == 0.0 || first == 1.0);
    starts && values.iter().zip(values.iter().skip(1)).all(|(one, next)| next - one == 1.0)
}

/// A column of a group holds numbers.
fn check_numbers(table: &Table, index: usize) -> Result<(), Problem> {
    let column = &table.columns[index];
    let ColumnData::Text { codes, names } = &column.data else { return Ok(()) };
    let is_bad = |code: u32| {
        let cell = &names[code as usize];
        !number::is_missing(cell) && number::parse(cell).is_none()
    };
    let row = codes.iter().position(is_bad).unwrap_or(0);
    let problem = number::not_a_number(&column.cell(row)).at(column.name.as_str());
    Err(problem.at_line(table.origins.get(row).map_or(1, |origin| u64::from(origin.line))))
}

/// Why a column beside the group is no input: it follows from the repetitions, or was measured.
fn unused(table: &Table, index: usize, group: &[usize], reading: &Reading) -> Option<(String, Unused)> {
    let column = &table.columns[index];
    let values = column.as_numbers()?;
    let words = words_of(&column.name);
    let why = if words.iter().any(|word| word == "baseline" || SERIAL.contains(&word.as_str())) {
        Unused::Outcome
    } else if *reading == Reading::Repetitions {
        match statistic(table, values, group) {
            Some(which) => Unused::Derived(format!("{which} of the repetitions")),
            None if words.iter().any(|word| is_statistic(word)) => Unused::Derived("the repetitions".to_owned()),
            None => return None,
        }
    } else {
        let is_result = looks_measured(values) && !is_size(&column.name) && !super::group::is_metric(table, index);
        return is_result.then(|| (column.name.clone(), Unused::Outcome));
    };
    Some((column.name.clone(), why))
}

/// The statistic of the repetitions that a column holds in every row.
fn statistic(table: &Table, values: &Numbers, group: &[usize]) -> Option<&'static str> {
    type Statistic = fn(&[f64]) -> f64;
    const KNOWN: [(&str, Statistic); 4] = [
        ("mean", |sorted| sorted.iter().sum::<f64>() / sorted.len() as f64),
        ("median", |sorted| (sorted[sorted.len() / 2] + sorted[(sorted.len() - 1) / 2]) / 2.0),
        ("minimum", |sorted| sorted[0]),
        ("maximum", |sorted| sorted[sorted.len() - 1]),
    ];
    let runs = |row: usize| {
        let cells = group.iter().filter_map(|&index| table.columns[index].as_numbers());
        let mut runs: Vec<f64> = cells.map(|values| values[row]).filter(|value| !value.is_nan()).collect();
        runs.sort_by(f64::total_cmp);
        runs
    };
    let rows: Vec<(f64, Vec<f64>)> = values
        .iter()
        .enumerate()
        .map(|(row, &value)| (value, runs(row)))
        .filter(|(value, runs)| !value.is_nan() && !runs.is_empty())
        .collect();
    let holds = |statistic: Statistic| {
        rows.iter().all(|(value, runs)| {
            let wanted = statistic(runs);
            (value - wanted).abs() <= 0.01 * wanted.abs()
        })
    };
    KNOWN.iter().find(|(_, statistic)| !rows.is_empty() && holds(*statistic)).map(|(name, _)| *name)
}
