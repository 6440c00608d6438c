//! Reading configurations to run from any file that lists them.

use super::{MOST_CONFIGURATIONS, PlanSpec, PlannedConfiguration, TRAIN};
use crate::metric::Metric;
use crate::prediction::{is_of_predictions, special_columns};
use crate::problem::{Problem, Problems, shorten};
use crate::table::{Column, ColumnData, Numbers, ReadOptions, Table, number};
use crate::{Configuration, table};
use indexmap::IndexMap;
use serde_json::Value;
use std::collections::HashMap;

/// Reads the configurations to run from a plan.
///
/// | a file that | yields |
/// |---|---|
/// | is a CSV that `runcast plan` wrote | its rows |
/// | is any table with columns of numbers | one configuration per row; `set` and `reps` are read if present; metrics, work, deviations, labels, `key` and `status` are ignored; rows numbered by `rep` count as repetitions |
/// | is a `plan.toml` | the plan that it describes |
/// | is the JSON document of a plan | its configurations |
///
/// # Errors
/// File and line of the error, and all errors of [`PlanSpec::solve`].
///
/// # Examples
/// ```
/// use runcast_core::plan::configurations_from;
/// let planned = configurations_from("runs.csv", b"p,N\n8,20000\n16,25200\n")?;
/// assert_eq!(planned[1].at.get("N"), Some(25200.0));
/// assert_eq!((planned[1].set.as_str(), planned[1].repetitions), ("train", 1));
/// # Ok::<(), runcast_core::Problems>(())
/// ```
pub fn configurations_from(name: &str, bytes: &[u8]) -> Result<Vec<PlannedConfiguration>, Problems> {
    let rows = rows_from(name, bytes)?;
    if !rows.are_repetitions {
        return Ok(rows.rows.into_iter().map(|row| row.planned).collect());
    }
    let mut merged: Vec<PlannedConfiguration> = Vec::new();
    let mut seen = HashMap::new();
    for Row { planned, .. } in rows.rows {
        let values: Vec<u64> = planned.at.0.values().map(|value| value.to_bits()).collect();
        let index = *seen.entry((planned.set.clone(), values)).or_insert(merged.len());
        match merged.get_mut(index) {
            Some(first) => first.repetitions = first.repetitions.saturating_add(planned.repetitions),
            None => merged.push(planned),
        }
    }
    Ok(merged)
}

/// Configurations with their lines.
#[derive(Debug)]
pub(super) struct Rows {
    pub rows: Vec<Row>,
    /// Whether equal rows are repetitions of one configuration.
    pub are_repetitions: bool,
}

#[derive(Debug)]
pub(super) struct Row {
    /// Line in the file, where lines are known.
    pub line: Option<u64>,
    pub planned: PlannedConfiguration,
}

/// Reads every row, repetitions included.
pub(super) fn rows_from(name: &str, bytes: &[u8]) -> Result<Rows, Problems> {
    let planned = if looks_like_toml(name, bytes) {
        let text =
            std::str::from_utf8(bytes).map_err(|_| Problem::new("not_utf8", "the file is not UTF-8").in_file(name))?;
        PlanSpec::from_toml(name, text)?.solve()?.configurations
    } else if let Some(document) = plan_document(bytes) {
        from_document(name, &document)?
    } else {
        let table = Table::read(name, bytes, &ReadOptions::default())?;
        return from_table(&table);
    };
    let rows = planned.into_iter().map(|planned| Row { line: None, planned }).collect();
    Ok(Rows { rows, are_repetitions: false })
}

/// Whether the first significant line is TOML: `[table]` or `key = value`.
fn looks_like_toml(name: &str, bytes: &[u8]) -> bool {
    if name.to_ascii_lowercase().ends_with(".toml") {
        return true;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let head = head.trim_start_matches('\u{feff}');
    let first = head.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or("");
    let is_key =
        |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let has_key = first.split_once('=').is_some_and(|(key, _)| is_key(key.trim()));
    has_key || (first.starts_with("[size") && first.ends_with(']'))
}

fn plan_document(bytes: &[u8]) -> Option<Value> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let document: Value = serde_json::from_slice(bytes).ok()?;
    (document.get("kind")? == "plan").then_some(document)
}

fn from_document(name: &str, document: &Value) -> Result<Vec<PlannedConfiguration>, Problem> {
    let problem = |pointer: String, allowed: &str| {
        Problem::new("document", "this is not a configuration of a plan").in_file(name).at(pointer).allowed(allowed)
    };
    let Some(configurations) = document.get("configurations").and_then(Value::as_array) else {
        return Err(problem("/configurations".to_owned(), "an array of configurations"));
    };
    let read = |(index, configuration): (usize, &Value)| {
        let place = |field: &str| format!("/configurations/{index}/{field}");
        let at = configuration.get("at").and_then(Value::as_object).filter(|at| !at.is_empty());
        let at = at.ok_or_else(|| problem(place("at"), "an object of numbers"))?;
        let value = |(name, value): (&String, &Value)| {
            let value = value.as_f64().filter(|value| value.is_finite());
            value.map(|value| (name.clone(), value)).ok_or_else(|| problem(place(&format!("at/{name}")), "a number"))
        };
        let at: IndexMap<String, f64> = at.iter().map(value).collect::<Result<_, Problem>>()?;
        let set = configuration.get("set").map_or(Some(TRAIN), Value::as_str);
        let repetitions = configuration.get("repetitions").map_or(Some(1.0), Value::as_f64).and_then(whole);
        Ok(planned(
            set.ok_or_else(|| problem(place("set"), "text"))?,
            at,
            repetitions.ok_or_else(|| problem(place("repetitions"), "a whole number from 1"))?,
        ))
    };
    configurations.iter().enumerate().map(read).collect()
}

/// Columns that do not describe what to run.
const RESULTS: [&str; 7] =
    ["work_per_process", "deviation_pct", "core_hours", "interval_level", "rep", "key", "status"];
const REPETITIONS: [&str; 2] = ["reps", "repetitions"];

fn from_table(table: &Table) -> Result<Rows, Problems> {
    if table.rows() > MOST_CONFIGURATIONS {
        let file = table.files.first().cloned().unwrap_or_default();
        let problem = Problem::new("too_many", format!("{} configurations", table.rows())).in_file(file);
        return Err(problem.allowed(format!("at most {MOST_CONFIGURATIONS}")).into());
    }
    let is_metric = |name: &str| {
        let declared = table.roles.as_ref();
        let is_parameter = declared.is_some_and(|roles| roles.parameters.iter().any(|parameter| parameter == name));
        let is_metric = declared.is_some_and(|roles| roles.metrics.iter().any(|metric| metric == name));
        is_metric || (!is_parameter && Metric::from_name(name).is_some())
    };
    // The configurations of a table of predictions: its method and model columns are not parameters.
    let of_predictions = if is_of_predictions(table) { special_columns(table) } else { Vec::new() };
    let mut parameters = Vec::new();
    for column in &table.columns {
        let name = column.name.as_str();
        if of_predictions.iter().any(|known| known == name)
            || name == "set"
            || RESULTS.contains(&name)
            || REPETITIONS.contains(&name)
            || is_metric(name)
            || is_bound(table, name)
        {
            continue;
        }
        match &column.data {
            ColumnData::Number(values) => parameters.push((name, values)),
            ColumnData::Text { .. } => check_label(table, column)?,
        }
    }
    if parameters.is_empty() {
        let file = table.files.first().cloned().unwrap_or_default();
        let problem = Problem::new("no_parameters", "no numeric column says what to run").in_file(file);
        return Err(problem.hint("a plan has a column for each parameter: p,N").into());
    }
    let set = table.column("set");
    let repetitions = REPETITIONS.iter().find_map(|name| table.column(name));
    let rows = (0..table.rows())
        .map(|row| {
            let value = |&(name, values): &(&str, &Numbers)| {
                if values[row].is_nan() {
                    let problem = Problem::new("empty_cell", format!("{name} has no value")).at(name);
                    return Err(table.problem_at(row, problem.allowed("a number")));
                }
                Ok((name.to_owned(), values[row]))
            };
            let at: IndexMap<String, f64> = parameters.iter().map(value).collect::<Result<_, Problem>>()?;
            let set = set.map(|set| set.cell(row)).filter(|set| !set.is_empty());
            let repetitions = repetitions.map_or(Ok(1), |column| repetitions_of(table, column, row))?;
            let line = table.origins.get(row).map(|origin| u64::from(origin.line));
            Ok(Row { line, planned: planned(set.as_deref().unwrap_or(TRAIN), at, repetitions) })
        })
        .collect::<Result<_, Problem>>()?;
    Ok(Rows { rows, are_repetitions: table.column("rep").is_some() && repetitions.is_none() })
}

/// Whether a column has the bounds of another, as `N_low` has those of `N`.
fn is_bound(table: &Table, name: &str) -> bool {
    let of = name.strip_suffix("_low").or_else(|| name.strip_suffix("_high"));
    of.is_some_and(|of| table.column(of).is_some())
}

/// A text column is a label, unless one of its cells looks like a damaged number.
fn check_label(table: &Table, column: &Column) -> Result<(), Problem> {
    let ColumnData::Text { codes, names } = &column.data else { return Ok(()) };
    let damaged: Vec<bool> =
        names.iter().map(|name| number::parse(name).is_none() && number::is_damaged(name)).collect();
    match codes.iter().position(|code| damaged[code as usize]) {
        None => Ok(()),
        Some(row) => Err(table.problem_at(row, number::not_a_number(&column.cell(row)).at(column.name.clone()))),
    }
}

fn repetitions_of(table: &Table, column: &Column, row: usize) -> Result<u32, Problem> {
    let cell = column.cell(row);
    if cell.is_empty() {
        return Ok(1);
    }
    table::number::parse(&cell).and_then(whole).ok_or_else(|| {
        let problem =
            Problem::new("out_of_range", format!("\"{}\" is not a number of repetitions", shorten(&cell, 60)));
        table.problem_at(row, problem.at(column.name.clone()).value(cell).allowed("a whole number from 1"))
    })
}

fn whole(value: f64) -> Option<u32> {
    (value >= 1.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX)).then_some(value as u32)
}

fn planned(set: &str, at: IndexMap<String, f64>, repetitions: u32) -> PlannedConfiguration {
    PlannedConfiguration::new(set, Configuration(at), repetitions)
}
