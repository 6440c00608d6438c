//! Tables of runs: named columns of numbers or text, and the origin of each row.
//!
//! [`Table::read`] takes CSV, JSON Lines, Parquet and the formats of other tools ([`crate::import`]); [`Table::write_csv`] and
//! [`Table::write_jsonl`] write tables that read back identically. The role of each column, parameter, metric or
//! label, is decided by [`crate::roles`].

mod blocks;
mod build;
mod cells;
mod choose;
mod codes;
mod counted;
pub(crate) mod csv;
pub(crate) mod jsonl;
mod layout;
mod merge;
pub mod number;
mod numbers;
mod origins;
pub(crate) mod parquet;
mod read;
mod records;
mod source;
mod tidy;
mod units;
mod wide;
mod write;

pub(crate) use build::TextBuilder;
pub use choose::ColumnRows;
pub use codes::Codes;
pub use numbers::Numbers;
pub use origins::Origins;
pub use parquet::catches_panics;
pub use read::ReadOptions;
pub use source::Source;
pub use wide::WideForm;

use crate::problem::{Problem, Warning};
use crate::roles::Role;

/// A table in tidy form: one row per run.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The columns, in the order of the file.
    pub columns: Vec<Column>,
    /// Where each row came from.
    pub origins: Origins,
    /// The files read, as the user named them; [`Origin::file`] counts into it.
    pub files: Vec<String>,
    /// The roles of the columns, if the file declares them.
    pub roles: Option<DeclaredRoles>,
    /// Warnings from reading.
    pub warnings: Vec<Warning>,
    /// What was done to columns that stood for process counts or repetitions.
    pub wide: WideForm,
}

/// The place of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Index into [`Table::files`].
    pub file: u32,
    /// Line, counted from 1.
    pub line: u32,
}

#[derive(Debug, Clone)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    pub data: ColumnData,
}

/// The cells of a column.
#[derive(Debug, Clone)]
pub enum ColumnData {
    /// Numbers; an empty cell is NaN, and nothing else is.
    Number(Numbers),
    /// Text, as codes into a list of distinct texts.
    Text {
        /// For each row, the index of its text.
        codes: Codes,
        /// The distinct texts, in order of first appearance.
        names: Vec<String>,
    },
}

/// Roles that a file declares (`# roles:` of a trace, or an imported format, which knows its parameters and metrics).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeclaredRoles {
    /// Columns that are parameters.
    pub parameters: Vec<String>,
    /// Columns that are metrics.
    pub metrics: Vec<String>,
    /// Units of metrics, if the format declares them, as (column, unit).
    pub units: Vec<(String, String)>,
    /// Roles of other columns, such as the one that counts processes and those that are ignored.
    pub others: Vec<(String, Role)>,
}

impl DeclaredRoles {
    /// Whether it says which columns are parameters and metrics, not only what single ones are.
    pub(crate) fn names_columns(&self) -> bool {
        !self.parameters.is_empty() || !self.metrics.is_empty()
    }
}

impl Table {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.origins.len()
    }

    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// A problem that points at a row.
    pub fn problem_at(&self, row: usize, problem: Problem) -> Problem {
        match self.origins.get(row) {
            Some(origin) => {
                let file = self.files.get(origin.file as usize).cloned().unwrap_or_default();
                problem.in_file(file).at_line(u64::from(origin.line))
            }
            None => problem,
        }
    }
}

impl Column {
    /// A column of numbers; NaN where a cell is empty.
    pub fn numbers(name: impl Into<String>, values: Vec<f64>) -> Self {
        Column { name: name.into(), data: ColumnData::Number(values.into()) }
    }

    pub fn text<'a>(name: impl Into<String>, cells: impl IntoIterator<Item = &'a str>) -> Self {
        let mut builder = TextBuilder::default();
        for cell in cells {
            builder.push(cell);
        }
        Column { name: name.into(), data: builder.finish() }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        match &self.data {
            ColumnData::Number(values) => values.len(),
            ColumnData::Text { codes, .. } => codes.len(),
        }
    }

    /// Whether it has no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number in all of its cells, if it is the same.
    pub(crate) fn constant(&self) -> Option<f64> {
        let values = self.as_numbers()?;
        let first = *values.first()?;
        values.iter().all(|value| *value == first).then_some(first)
    }

    /// Its numbers, if it is numeric.
    pub fn as_numbers(&self) -> Option<&Numbers> {
        match &self.data {
            ColumnData::Number(values) => Some(values),
            ColumnData::Text { .. } => None,
        }
    }

    /// A cell as text: a number as its shortest form, the empty text if there is none.
    pub fn cell(&self, row: usize) -> String {
        match &self.data {
            ColumnData::Number(values) => number::to_text(values[row]),
            ColumnData::Text { codes, names } => names[codes.at(row) as usize].clone(),
        }
    }
}

/// Equality of cells; two empty numbers are equal, and texts compare by content, not by code.
impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.len() == other.len()
            && match (&self.data, &other.data) {
                (ColumnData::Number(left), ColumnData::Number(right)) => {
                    left.iter().zip(right).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
                }
                (
                    ColumnData::Text { codes: left, names: left_names },
                    ColumnData::Text { codes: right, names: right_names },
                ) => left.iter().zip(right.iter()).all(|(a, b)| left_names[a as usize] == right_names[b as usize]),
                _ => false,
            }
    }
}
