//! Builds tidy tables: several metrics of the same region, point and repetition share a row.

use crate::metric::Metric;
use crate::problem::Problem;
use crate::table::{Column, ColumnData, DeclaredRoles, Origin, Origins, Table, TextBuilder};
use std::collections::HashMap;

/// Means "none" in lists of rows.
const NONE: u32 = u32::MAX;

/// A table with more empty cells than this is refused: it may be much larger than its file.
const MOST_EMPTY: usize = 50_000_000;

/// Refuses tables that would be much larger than their file because every row adds columns of its own.
pub(crate) fn check_size(columns: usize, rows: usize) -> Result<(), Problem> {
    if columns.saturating_mul(rows) > MOST_EMPTY && columns > 1000 { Err(too_large(columns, rows)) } else { Ok(()) }
}

fn too_large(columns: usize, rows: usize) -> Problem {
    Problem::new("too_large", format!("the file names {columns} columns for {rows} rows, most of which would be empty"))
        .hint("give values of one kind the same name")
}

/// A table under construction.
pub(super) struct Tidy {
    parameters: Vec<Column>,
    labels: Vec<(String, TextBuilder)>,
    metrics: Vec<GrowingMetric>,
    metric_of: HashMap<String, u32>,
    repetition: Vec<f64>,
    origins: Origins,
    cells: Vec<Cell>,
    cell_of: HashMap<(Vec<u32>, Vec<u64>), u32>,
    /// For each row, the next row of its cell.
    next_row: Vec<u32>,
    /// For each cell and metric, the row that was filled last.
    filled: HashMap<(u32, u32), u32>,
    /// Cells of the table that had to be left empty.
    empty: usize,
}

struct GrowingMetric {
    name: String,
    unit: Option<String>,
    values: Vec<f64>,
}

/// The rows of a point in a region.
struct Cell {
    labels: Vec<u32>,
    at: Vec<f64>,
    first: u32,
    last: u32,
    rows: u32,
}

impl Tidy {
    /// A table with these parameters and labels.
    pub(super) fn new<S: AsRef<str>>(parameters: &[S], labels: &[S]) -> Self {
        Tidy {
            parameters: parameters.iter().map(|name| Column::numbers(name.as_ref(), Vec::new())).collect(),
            labels: labels.iter().map(|name| (name.as_ref().to_owned(), TextBuilder::default())).collect(),
            metrics: Vec::new(),
            metric_of: HashMap::new(),
            repetition: Vec::new(),
            origins: Origins::default(),
            cells: Vec::new(),
            cell_of: HashMap::new(),
            next_row: Vec::new(),
            filled: HashMap::new(),
            empty: 0,
        }
    }

    /// The index of a metric, which is added when it is new. Without a name it is `value`.
    pub(super) fn metric(&mut self, name: &str, unit: Option<&str>) -> u32 {
        let name = if name.is_empty() { "value" } else { name };
        if let Some(&index) = self.metric_of.get(name) {
            return index;
        }
        let index = u32::try_from(self.metrics.len()).unwrap_or(NONE);
        self.metric_of.insert(name.to_owned(), index);
        self.metrics.push(GrowingMetric { name: name.to_owned(), unit: unit.map(str::to_owned), values: Vec::new() });
        index
    }

    /// The code of a label's text.
    pub(super) fn label(&mut self, label: usize, text: impl AsRef<str>) -> u32 {
        self.labels[label].1.code(text)
    }

    /// The cell of a point with these labels; missing parameters are NaN.
    pub(super) fn cell(&mut self, labels: &[u32], at: &[f64]) -> u32 {
        let key = (labels.to_vec(), at.iter().map(|&value| (value + 0.0).to_bits()).collect());
        let next = u32::try_from(self.cells.len()).unwrap_or(NONE);
        let cells = &mut self.cells;
        *self.cell_of.entry(key).or_insert_with(|| {
            cells.push(Cell { labels: labels.to_vec(), at: at.to_vec(), first: NONE, last: NONE, rows: 0 });
            next
        })
    }

    /// Adds repetitions of a metric; NaN stands for one that was not measured.
    pub(super) fn add(&mut self, cell: u32, metric: u32, values: &[f64], line: u64) {
        let mut last = self.filled.get(&(cell, metric)).copied().unwrap_or(NONE);
        for &value in values {
            let follows = match last {
                NONE => self.cells[cell as usize].first,
                row => self.next_row[row as usize],
            };
            last = if follows == NONE { self.add_row(cell, line) } else { follows };
            let column = &mut self.metrics[metric as usize].values;
            if column.len() <= last as usize {
                self.empty += last as usize - column.len();
                if self.empty > MOST_EMPTY {
                    return;
                }
                column.resize(last as usize, f64::NAN);
                column.push(value);
            } else {
                column[last as usize] = value;
            }
        }
        if last != NONE {
            self.filled.insert((cell, metric), last);
        }
    }

    fn add_row(&mut self, index: u32, line: u64) -> u32 {
        let row = u32::try_from(self.origins.len()).unwrap_or(NONE);
        let cell = &mut self.cells[index as usize];
        if cell.last == NONE {
            cell.first = row;
        } else {
            self.next_row[cell.last as usize] = row;
        }
        cell.last = row;
        self.repetition.push(f64::from(cell.rows));
        cell.rows += 1;
        self.next_row.push(NONE);
        self.origins.push(Origin { file: 0, line: u32::try_from(line).unwrap_or(u32::MAX) });
        for (column, &value) in self.parameters.iter_mut().zip(&cell.at) {
            if let ColumnData::Number(values) = &mut column.data {
                values.push(value);
            }
        }
        for ((_, builder), &code) in self.labels.iter_mut().zip(&cell.labels) {
            builder.push_code(code);
        }
        row
    }

    /// The table: parameters, labels, `rep`, metrics.
    ///
    /// # Errors
    /// Two columns have the same name.
    pub(super) fn finish(self) -> Result<Table, Problem> {
        let rows = self.origins.len();
        let missing: usize = self.metrics.iter().map(|metric| rows - metric.values.len().min(rows)).sum();
        if self.empty + missing > MOST_EMPTY {
            return Err(too_large(self.metrics.len(), rows));
        }
        let roles = DeclaredRoles {
            others: Vec::new(),
            parameters: self.parameters.iter().map(|column| column.name.clone()).collect(),
            metrics: self.metrics.iter().map(|metric| metric.name.clone()).collect(),
            units: self.metrics.iter().filter_map(|metric| Some((metric.name.clone(), metric.unit.clone()?))).collect(),
        };
        let mut columns = self.parameters;
        columns.extend(self.labels.into_iter().map(|(name, builder)| Column { name, data: builder.finish() }));
        columns.push(Column::numbers("rep", self.repetition));
        for mut metric in self.metrics {
            metric.values.resize(rows, f64::NAN);
            columns.push(Column::numbers(metric.name, metric.values));
        }
        let mut seen = HashMap::new();
        for (index, column) in columns.iter().enumerate() {
            if seen.insert(column.name.as_str(), index).is_some() {
                let message = format!("\"{}\" names two columns of the table: parameter, label or metric", column.name);
                return Err(Problem::new("duplicate_column", message)
                    .value(column.name.as_str())
                    .hint("give each a distinct name; region and rep are reserved"));
            }
        }
        Ok(Table { columns, origins: self.origins, roles: Some(roles), ..Table::default() })
    }
}

/// The name of a metric's column with its unit last, unless the name already has one.
pub(super) fn with_unit(name: &str, suffix: &str) -> String {
    match Metric::from_name(name) {
        Some(metric) if !metric.unit_assumed => name.to_owned(),
        _ => format!("{name}_{suffix}"),
    }
}
