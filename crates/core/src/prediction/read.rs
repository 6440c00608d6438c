//! Reading predictions: the table of predictions, tables of others, and documents of `runcast predict`.

use super::table::{KNOWN, bound_columns, bound_name, name_of};
use super::{Prediction, Verdict};
use crate::configuration::{Configuration, Group};
use crate::metric::Metric;
use crate::problem::{Problem, Problems, Warning, shorten};
use crate::roles::{TableOptions, roles_of};
use crate::table::{Column, Numbers, ReadOptions, Table};
use runcast_formula::nearest;
use serde_json::{Map, Value};

/// A prediction that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// The prediction; method and model are empty where the file does not state them.
    pub prediction: Prediction,
    /// Line of the file, if known.
    pub line: Option<u64>,
}

/// Predictions of one or several models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Predictions {
    /// The predictions, in the order of the file.
    pub list: Vec<Predicted>,
    pub file: Option<String>,
    /// Warnings from reading.
    pub warnings: Vec<Warning>,
}

impl Predictions {
    /// Predictions that were just made.
    pub fn of(list: Vec<Prediction>, file: impl Into<String>) -> Predictions {
        let list = list.into_iter().map(|prediction| Predicted { prediction, line: None }).collect();
        Predictions { list, file: Some(file.into()), warnings: Vec::new() }
    }

    /// Reads a document of kind `predict`, or else a table.
    ///
    /// # Errors
    /// Errors in the file, and in the roles of the table's columns.
    pub fn read(
        name: &str,
        bytes: &[u8],
        read_options: &ReadOptions,
        options: &TableOptions,
    ) -> Result<Predictions, Problems> {
        if read_options.format.is_none()
            && let Ok(Value::Object(document)) = serde_json::from_slice(bytes)
            && document.get("kind").and_then(Value::as_str) == Some("predict")
        {
            return Predictions::from_document(name, &document).map_err(|problem| problem.in_file(name).into());
        }
        Predictions::from_table(&Table::read(name, bytes, read_options)?, options)
    }

    /// Takes the predictions of a table: metrics with their bounds beside them (`time_s`, `time_low_s`, `time_high_s`),
    /// and the columns with their method, model and verdict, where present. Options apply only where the table has the
    /// columns that they name.
    ///
    /// # Errors
    /// Those of [`roles_of`].
    pub fn from_table(table: &Table, options: &TableOptions) -> Result<Predictions, Problems> {
        let bounds = bound_columns(table);
        let own = own_options(table, options, &bounds);
        let mut roles = roles_of(table, &own)?;
        let helper = |index: usize| {
            let name = &table.columns[index].name;
            bounds.contains(name) || KNOWN.contains(&name.as_str()) || name == OTHER_LEVEL
        };
        roles.metrics.retain(|&(index, _)| !helper(index));
        roles.parameters.retain(|&index| !helper(index));
        roles.by.retain(|&index| !helper(index));
        let mut predictions = Predictions {
            list: Vec::with_capacity(table.rows() * roles.metrics.len()),
            file: match table.files.as_slice() {
                [file] => Some(file.clone()),
                _ => None,
            },
            warnings: table.warnings.iter().chain(&roles.warnings).cloned().collect(),
        };
        let numbers = |name: &str| table.column(name).and_then(Column::as_numbers);
        let cell = |name: &str, row: usize| table.column(name).map(|column| column.cell(row)).unwrap_or_default();
        let level = numbers("interval_level").or_else(|| numbers(OTHER_LEVEL));
        let horizon = numbers("horizon");
        for (column, metric) in &roles.metrics {
            let Some(values) = table.columns[*column].as_numbers() else { continue };
            let (low, high) = (numbers(&bound_name(&metric.name, "low")), numbers(&bound_name(&metric.name, "high")));
            for row in 0..table.rows() {
                let at = |column: Option<&Numbers>| column.map(|column| column[row]).filter(|value| !value.is_nan());
                let scaled = |column| at(column).map(|value| value * metric.scale);
                let own_name = |index: &usize| name_of(&table.columns[*index].name).to_owned();
                let parameters = roles
                    .parameters
                    .iter()
                    .filter_map(|index| Some((own_name(index), at(table.columns[*index].as_numbers())?)));
                let group = roles.by.iter().map(|index| (own_name(index), table.columns[*index].cell(row)));
                let (at_row, group) = (Configuration(parameters.collect()), group.collect::<Group>());
                let (method, model) = (cell("method", row), cell("model", row));
                let mut prediction = Prediction::new(&method, model, &metric.name, at_row, scaled(Some(values)))
                    .of_group(group)
                    .within(at(level).unwrap_or(f64::NAN), scaled(low), scaled(high));
                if let Some(horizon) = at(horizon) {
                    prediction = prediction.beyond(horizon);
                }
                prediction.unit.clone_from(&metric.unit);
                if let Some(verdict) = Verdict::named(&cell("verdict", row)).filter(|_| prediction.value.is_some()) {
                    prediction.verdict = verdict;
                }
                predictions.list.push(Predicted { prediction, line: Some(u64::from(table.origins.at(row).line)) });
            }
        }
        Ok(predictions)
    }

    /// Takes the predictions of a document of kind `predict`.
    ///
    /// # Errors
    /// Fields are missing or of another kind.
    pub fn from_document(name: &str, document: &Map<String, Value>) -> Result<Predictions, Problem> {
        let wrong = |field: String, wanted: &str| {
            Problem::new("field", format!("there is no {wanted}")).at(field).allowed(wanted.to_owned())
        };
        let list = document
            .get("predictions")
            .and_then(Value::as_array)
            .ok_or_else(|| wrong("/predictions".to_owned(), "list of predictions"))?;
        let mut predictions = Predictions { file: Some(name.to_owned()), ..Predictions::default() };
        for (index, entry) in list.iter().enumerate() {
            let place = |field: &str| format!("/predictions/{index}/{field}");
            let text = |field: &str| entry.get(field).and_then(Value::as_str);
            let number = |field: &str| entry.get(field).and_then(Value::as_f64);
            let object = |field: &str| entry.get(field).and_then(Value::as_object);
            let metric = text("metric").ok_or_else(|| wrong(place("metric"), "name of a metric"))?;
            let mut at = Configuration::default();
            for (parameter, value) in object("at").ok_or_else(|| wrong(place("at"), "configuration"))? {
                let value = value.as_f64().ok_or_else(|| wrong(place(&format!("at/{parameter}")), "number"))?;
                at.0.insert(parameter.clone(), value);
            }
            let mut group = Group::new();
            for (label, value) in object("group").into_iter().flatten() {
                let value = value.as_str().ok_or_else(|| wrong(place(&format!("group/{label}")), "text"))?;
                group.insert(label.clone(), value.to_owned());
            }
            let (method, model) = (text("method").unwrap_or_default(), text("model").unwrap_or_default());
            let mut prediction = Prediction::new(method, model, metric, at, number("value")).of_group(group).within(
                f64::NAN,
                number("low"),
                number("high"),
            );
            prediction.level = number("level").unwrap_or(f64::NAN);
            prediction.unit = match text("unit") {
                Some(unit) => unit.to_owned(),
                None => Metric::named(metric, None)?.unit,
            };
            if let Some(horizon) = number("horizon") {
                prediction = prediction.beyond(horizon);
            }
            if let Some(verdict) = text("verdict").and_then(Verdict::named).filter(|_| prediction.value.is_some()) {
                prediction.verdict = verdict;
            }
            predictions.list.push(Predicted { prediction, line: None });
        }
        if predictions.list.is_empty() {
            return Err(Problem::new("empty_table", "the document has no predictions").at("/predictions"));
        }
        Ok(predictions)
    }

    pub fn into_list(self) -> Vec<Prediction> {
        self.list.into_iter().map(|predicted| predicted.prediction).collect()
    }

    /// Names of all parameters, labels and metrics, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names = indexmap::IndexSet::new();
        for Predicted { prediction, .. } in &self.list {
            names.extend(prediction.at.0.keys().chain(prediction.group.keys()).chain([&prediction.metric]));
        }
        names.into_iter().map(String::as_str).collect()
    }

    /// Calls a parameter, a label or a metric something else.
    pub fn rename(&mut self, from: &str, to: &str) {
        for Predicted { prediction, .. } in &mut self.list {
            let Prediction { at, group, metric, .. } = prediction;
            at.0 =
                std::mem::take(&mut at.0).into_iter().map(|(name, value)| (renamed(name, from, to), value)).collect();
            *group = std::mem::take(group).into_iter().map(|(name, value)| (renamed(name, from, to), value)).collect();
            *metric = renamed(std::mem::take(metric), from, to);
        }
    }
}

/// `--rename K=workers`: two names of the same parameter, label or metric, one in the runs, the other in predictions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The name in the runs; or in the predictions, if the runs have only the other name.
    pub left: String,
    /// The name in the predictions.
    pub right: String,
}

impl std::str::FromStr for Rename {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split_once('=').map(|(left, right)| (left.trim(), right.trim()));
        match names.filter(|(left, right)| !left.is_empty() && !right.is_empty() && left != right) {
            Some((left, right)) => Ok(Rename { left: left.to_owned(), right: right.to_owned() }),
            None => Err("two names are needed, such as K=workers".to_owned()),
        }
    }
}

impl Rename {
    /// The old and the new name of the predictions' column, so that it matches runs with these names.
    ///
    /// # Errors
    /// `unknown_column`: the runs have neither name.
    pub fn towards(&self, runs: &[&str]) -> Result<(&str, &str), Problem> {
        match (runs.contains(&self.left.as_str()), runs.contains(&self.right.as_str())) {
            (true, _) => Ok((&self.right, &self.left)),
            (false, true) => Ok((&self.left, &self.right)),
            (false, false) => {
                let message = format!("the runs have neither \"{}\" nor \"{}\"", self.left, self.right);
                Err(unknown(Problem::new("unknown_column", message), self, &self.left, runs))
            }
        }
    }

    /// Renames in all predictions, so that they match runs with these names.
    ///
    /// # Errors
    /// `unknown_column`: no prediction has the name, or the runs have neither. `clash`: predictions have both.
    pub fn apply(list: &[Rename], predictions: &mut [Predictions], runs: &[&str]) -> Result<(), Problem> {
        for rename in list {
            let (from, to) = rename.towards(runs)?;
            let mut is_known = false;
            for predictions in predictions.iter_mut() {
                let names = predictions.names();
                let has_it = names.contains(&from);
                if has_it && names.contains(&to) {
                    let message = format!("the predictions have both \"{from}\" and \"{to}\"");
                    let problem = Problem::new("clash", message).at("--rename").value(rename.to_string());
                    return Err(problem.in_file(predictions.file.clone().unwrap_or_default()));
                }
                is_known |= has_it;
                if has_it {
                    predictions.rename(from, to);
                }
            }
            if !is_known {
                let mut names: Vec<&str> = predictions.iter().flat_map(Predictions::names).collect();
                names.sort_unstable();
                names.dedup();
                let message = format!("no prediction has a parameter, label or metric \"{}\"", shorten(from, 60));
                return Err(unknown(Problem::new("unknown_column", message), rename, from, &names));
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Rename {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.left, self.right)
    }
}

fn unknown(problem: Problem, rename: &Rename, name: &str, names: &[&str]) -> Problem {
    let problem = problem.at("--rename").value(rename.to_string()).allowed(shorten(&names.join(", "), 400));
    match nearest(name, names.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean {near}?")),
        None => problem,
    }
}

fn renamed(name: String, from: &str, to: &str) -> String {
    if name == from { to.to_owned() } else { name }
}

/// Other tools' names for the level of the intervals.
const OTHER_LEVEL: &str = "level";

/// The options that concern the predictions: those that name a column of theirs, without filters.
fn own_options(table: &Table, options: &TableOptions, bounds: &[String]) -> TableOptions {
    let exists = |name: &str| table.column(name).is_some();
    let metric_exists =
        |option: &String| exists(option) || option.rsplit_once(':').is_some_and(|(name, _)| exists(name));
    let kept = |list: &Option<Vec<String>>| {
        let list: Vec<String> = list.iter().flatten().filter(|name| exists(name)).cloned().collect();
        (!list.is_empty()).then_some(list)
    };
    let mut metrics: Vec<String> = options.metrics.iter().filter(|option| metric_exists(option)).cloned().collect();
    if metrics.is_empty() && table.roles.is_none() && !super::table::is_of_predictions(table) {
        // The bounds are named like metrics; by name alone they would be taken for metrics.
        metrics.extend(
            table
                .columns
                .iter()
                .filter(|column| !bounds.contains(&column.name) && column.as_numbers().is_some())
                .filter(|column| Metric::from_name(&column.name).is_some())
                .filter(|column| !options.params.as_ref().is_some_and(|params| params.contains(&column.name)))
                .map(|column| column.name.clone()),
        );
    }
    let by = kept(&options.by).map(|mut by| {
        by.extend(
            table
                .columns
                .iter()
                .filter(|column| column.as_numbers().is_none() && !by.contains(&column.name))
                .filter(|column| !["key", "status", "rep"].contains(&column.name.as_str()))
                .map(|column| column.name.clone())
                .collect::<Vec<_>>(),
        );
        by
    });
    TableOptions { metrics, params: kept(&options.params), by, direction: options.direction, ..TableOptions::default() }
}
