//! Tables in wide form: process counts or repetitions in the names of the columns.
//!
//! `N,t_1,t_2,t_4,t_8` has a column for each number of processes, `p,run1,run2,run3` one for each repetition. Such a
//! table is turned into the long form, one row per run, as soon as it is read: the numbers become the column `p` or
//! `rep`, the cells one column. Where the names allow both readings the columns stay, and [`WideForm::doubt`] is raised
//! when roles are assigned without an option that decides.

mod group;
mod name;
mod turn;

use super::{DeclaredRoles, Table};
use crate::prediction::is_of_predictions;
use crate::problem::{Problem, shorten};
use crate::roles::Unused;
use group::{Group, Reading};
pub(super) use name::{SERIAL, process_word};

/// The formats whose tables may be in wide form; the others declare the roles of their columns.
pub(super) const FORMATS: [&str; 3] = ["csv", "jsonl", "parquet"];

/// A table of more columns is none that people wrote.
const MOST_COLUMNS: usize = 4096;
/// The long form has at most so many cells.
const MOST_CELLS: usize = 1 << 26;

/// How a table in wide form was turned into the long form; empty for other tables.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WideForm {
    /// The columns of the file that became rows.
    pub turned: Vec<TurnedColumn>,
    /// Columns that hold what was measured.
    pub metrics: Vec<String>,
    /// Columns that only the long form has: the numbers in the names.
    pub made: Vec<String>,
    /// Columns of the counts in the cells of a label, each with the label.
    pub counted: Vec<(String, String)>,
    /// Columns that are no inputs, with the reason.
    pub unused: Vec<(String, Unused)>,
    /// All columns as they are written in the file.
    pub columns: Vec<String>,
    /// Why nothing was turned though the names look like it.
    pub doubt: Option<Problem>,
    /// The columns of which the doubt is.
    pub doubtful: Vec<String>,
    /// The line of the header, in a format that has one.
    pub(super) header_line: Option<u64>,
}

/// A column of the file that became rows.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnedColumn {
    /// Its name in the file.
    pub column: String,
    /// The column that holds its cells.
    pub into: String,
    /// What its number is: `p = 4`, `repetition 2`.
    pub stands_for: String,
}

impl WideForm {
    /// Whether columns were turned.
    pub fn is_turned(&self) -> bool {
        !self.turned.is_empty()
    }

    /// What became of a column of the file.
    pub(crate) fn turned(&self, column: &str) -> Option<&TurnedColumn> {
        self.turned.iter().find(|turned| turned.column == column)
    }

    /// Takes in what was done to another file.
    pub(super) fn unite(&mut self, more: WideForm) {
        fn add<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
            for item in more {
                if !list.contains(&item) {
                    list.push(item);
                }
            }
        }
        add(&mut self.turned, more.turned);
        add(&mut self.metrics, more.metrics);
        add(&mut self.made, more.made);
        add(&mut self.counted, more.counted);
        add(&mut self.unused, more.unused);
        add(&mut self.columns, more.columns);
        add(&mut self.doubtful, more.doubtful);
        self.doubt = self.doubt.take().or(more.doubt);
    }
}

/// The table in long form, if it is in wide form; else as it is.
///
/// # Errors
/// A column that belongs to the others holds text.
pub(super) fn turn(mut table: Table) -> Result<Table, Problem> {
    let has_header = !table.warnings.iter().any(|warning| warning.code == "no_header");
    let declares = table.roles.as_ref().is_some_and(DeclaredRoles::names_columns);
    if !has_header || declares || table.columns.len() > MOST_COLUMNS || is_of_predictions(&table) {
        return Ok(table);
    }
    let declared = |index: usize| {
        let others = table.roles.iter().flat_map(|roles| &roles.others);
        others.into_iter().any(|(name, _)| *name == table.columns[index].name)
    };
    let mut groups = group::groups(&table);
    groups.retain(|group| !group.columns.iter().any(|&(index, _)| declared(index)));
    let is_grouped = |index: &usize| groups.iter().any(|group| group.columns.iter().any(|(other, _)| other == index));
    let others: Vec<usize> = (0..table.columns.len()).filter(|index| !is_grouped(index)).collect();
    let readings: Vec<Reading> = groups.iter().map(|group| group.reading(&table, &others)).collect();
    if let Some(place) = readings.iter().position(|reading| *reading == Reading::Doubtful) {
        let names = names(&table, &groups[place]);
        table.wide.doubt = Some(doubt(&table, &groups[place], &names));
        table.wide.doubtful = names;
        return Ok(table);
    }
    match readings.iter().find(|reading| **reading != Reading::Apart) {
        None => Ok(table),
        Some(reading) => {
            let rows = groups.iter().map(|group| group.columns.len()).sum::<usize>().saturating_mul(table.rows());
            if rows.saturating_mul(others.len() + groups.len() + 1) > MOST_CELLS {
                return Ok(table);
            }
            let chosen: Vec<usize> = (0..groups.len()).filter(|&place| readings[place] == *reading).collect();
            turn::turned(table, &groups, &chosen, reading)
        }
    }
}

fn names(table: &Table, group: &Group) -> Vec<String> {
    group.columns.iter().map(|&(index, _)| table.columns[index].name.clone()).collect()
}

/// The numbers in the names of these columns may be one thing or another.
fn doubt(table: &Table, group: &Group, names: &[String]) -> Problem {
    let first_row = table.origins.first().map_or(1, |origin| u64::from(origin.line));
    let list = shorten(&names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "), 200);
    let numbers = group.numbers();
    let renamed = |stem: &str| {
        let names: Vec<String> = numbers.iter().take(3).map(|number| format!("{stem}{number}")).collect();
        names.join(", ")
    };
    let first = names.first().map_or("", String::as_str);
    Problem::new(
        "wide_table",
        format!("the numbers in the names of the columns {list} may be process counts, repetitions or something else"),
    )
    .at_line(table.wide.header_line.unwrap_or(first_row))
    .at("header")
    .value(names.join(","))
    .allowed("names that say what their numbers count")
    .hint(format!(
        "rename them in the header: {} for process counts, {} for repetitions; if each is a metric of its own, say so: \
         --metric \"{}\"",
        renamed("p="),
        renamed("run"),
        shorten(first, 60)
    ))
}
