//! The document of `runcast sim sweep`, and its text.

use super::file::SweepTable;
use crate::context::Screen;
use crate::human::{DASH, Table, count, quantity, significant};
use runcast_core::Warning;
use runcast_core::table::number;
use runcast_sim::exchanged::Exchange;
use runcast_sim::sweep::Axis;
use runcast_sim::world::Scaled;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Rows that people are shown.
const MOST_ROWS: usize = 60;

/// The document of `sim sweep`.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    /// `sim-sweep`.
    pub kind: &'static str,
    /// Version of this shape.
    pub version: u32,
    /// What varies, with its values.
    pub vary: Map<String, Value>,
    /// Rows that were simulated now.
    pub simulated: usize,
    /// Rows that were there.
    pub taken_over: usize,
    /// Rows that could not be simulated.
    pub failed: usize,
    /// The rows, as in the table.
    pub rows: Vec<Map<String, Value>>,
    /// What exchanged hardware does to the result, for the first configuration.
    pub exchange: Vec<Exchange>,
    /// Coefficients that follow exchanged hardware, in the first configuration.
    pub scaled: Vec<Scaled>,
    /// What should be known.
    pub warnings: Vec<Warning>,
}

impl Document {
    pub(super) fn new(axes: &[Axis], table: &SweepTable, keys: &[String], taken_over: usize) -> Document {
        let cell = |column: &str, text: &str| match number::parse(text) {
            _ if text.is_empty() => Value::Null,
            Some(number) if !["key", "status"].contains(&column) => json!(number),
            _ => json!(text),
        };
        let there: Vec<&String> = keys.iter().filter(|key| table.row(key).is_some()).collect();
        let row = |key: &&String| -> Map<String, Value> {
            let cells = table.header.iter().map(|column| (column.clone(), cell(column, table.cell(key, column))));
            cells.collect()
        };
        Document {
            kind: "sim-sweep",
            version: 1,
            vary: axes.iter().map(|axis| (axis.name.clone(), json!(axis.values))).collect(),
            simulated: there.len().saturating_sub(taken_over),
            taken_over,
            failed: there.iter().filter(|key| table.cell(key, "status") != "ok").count(),
            rows: there.iter().map(row).collect(),
            exchange: Vec::new(),
            scaled: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

pub(super) fn text(document: &Document, screen: Screen) -> String {
    let names: Vec<&String> = document.vary.keys().collect();
    let has = |column: &str| document.rows.iter().any(|row| row.get(column).is_some_and(|value| !value.is_null()));
    let repeated = document.rows.iter().any(|row| row.get("rep").and_then(Value::as_f64) != Some(1.0));
    let columns = [
        ("time", "time_s", "s"),
        ("energy", "energy_j", "J"),
        ("expected time", "expected_time_s", "s"),
        ("failure", "failure_probability", ""),
        ("cost", "cost", ""),
        ("speedup", "speedup", ""),
        ("efficiency", "efficiency", ""),
    ];
    let columns: Vec<_> = columns.into_iter().filter(|(_, column, _)| has(column)).collect();
    let mut table = Table::new();
    for name in &names {
        table = table.number(name.as_str());
    }
    if repeated {
        table = table.number("rep");
    }
    for (title, ..) in &columns {
        table = table.number(*title);
    }
    for row in document.rows.iter().take(MOST_ROWS) {
        let plain = |name: &str| match row.get(&runcast_core::prediction::column(name)) {
            Some(Value::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), crate::human::parameter),
            Some(Value::String(text)) => text.clone(),
            _ => DASH.to_owned(),
        };
        let mut cells: Vec<String> = names.iter().map(|name| plain(name)).collect();
        if repeated {
            cells.push(row.get("rep").and_then(Value::as_f64).map_or(DASH.to_owned(), crate::human::parameter));
        }
        for (_, column, unit) in &columns {
            let value = row.get(*column).and_then(Value::as_f64);
            cells.push(match value {
                Some(value) if unit.is_empty() => significant(value, 4),
                Some(value) => quantity(value, unit),
                None => DASH.to_owned(),
            });
        }
        table.row(cells);
    }
    let left = document.rows.len().saturating_sub(MOST_ROWS);
    let more = if left > 0 { format!("and {}\n", count(left, "more row", "more rows")) } else { String::new() };
    format!(
        "{}{more}\n{} simulated, {} taken over\n",
        table.render(screen),
        count(document.simulated, "row", "rows"),
        document.taken_over
    )
}
