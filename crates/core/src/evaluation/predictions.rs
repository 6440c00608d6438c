//! Predictions made elsewhere: a table, or a document of `runcast predict`.

use crate::metric::Metric;
use crate::problem::{Problem, Problems, Warning, shorten};
use crate::roles::{TableOptions, roles_of};
use crate::table::{ReadOptions, Table, number};
use indexmap::IndexMap;
use runcast_formula::units::suffix_unit;
use serde_json::{Map, Value};

/// A prediction with everything that tells which run it foretells.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// Its metric; the numbers are in the SI unit.
    pub metric: String,
    /// That unit.
    pub unit: String,
    /// Name of the model, where the predictions tell it.
    pub model: Option<String>,
    /// Parameters and labels by name, numbers in their shortest form.
    pub fields: IndexMap<String, String>,
    /// Names of the fields that are labels.
    pub labels: Vec<String>,
    /// The prediction; none when it was refused.
    pub value: Option<f64>,
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
    /// Level of the interval.
    pub level: Option<f64>,
    /// Line of the file, where it is known.
    pub line: Option<u64>,
}

/// Predictions of one or several models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Predictions {
    /// The predictions, in the order of the file.
    pub list: Vec<Predicted>,
    /// The file.
    pub file: Option<String>,
    /// What was noticed while reading.
    pub warnings: Vec<Warning>,
}

impl Predictions {
    /// Reads a document of kind `predict`, or else a table.
    ///
    /// # Errors
    /// What is wrong with the file, and with the roles of the table's columns.
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

    /// Takes the predictions of a table: metrics with their bounds beside them (`time_s`, `time_low_s`, `time_high_s`)
    /// and `interval_level`. Options count as far as the table has the columns that they name.
    ///
    /// # Errors
    /// Those of [`roles_of`].
    pub fn from_table(table: &Table, options: &TableOptions) -> Result<Predictions, Problems> {
        let bounds = bound_columns(table);
        let own = own_options(table, options, &bounds);
        let mut roles = roles_of(table, &own)?;
        let helper = |index: usize| {
            let name = &table.columns[index].name;
            bounds.contains(name) || LEVELS.contains(&name.as_str())
        };
        roles.metrics.retain(|&(index, _)| !helper(index));
        roles.parameters.retain(|&index| !helper(index));
        let mut predictions = Predictions {
            list: Vec::with_capacity(table.rows() * roles.metrics.len()),
            file: match table.files.as_slice() {
                [file] => Some(file.clone()),
                _ => None,
            },
            warnings: table.warnings.iter().chain(&roles.warnings).cloned().collect(),
        };
        let level = LEVELS.iter().find_map(|name| table.column(name)?.as_numbers());
        let fields: Vec<usize> = roles.parameters.iter().chain(&roles.by).copied().collect();
        for (column, metric) in &roles.metrics {
            let Some(values) = table.columns[*column].as_numbers() else { continue };
            let bound = |word| table.column(&bound_name(&metric.name, word)).and_then(|column| column.as_numbers());
            let (low, high) = (bound("low"), bound("high"));
            for row in 0..table.rows() {
                let at = |column: Option<&[f64]>| column.map(|column| column[row]).filter(|value| !value.is_nan());
                let scaled = |column| at(column).map(|value| value * metric.scale).filter(|value| value.is_finite());
                let mut names_and_cells: IndexMap<String, String> = IndexMap::with_capacity(fields.len());
                for &index in &fields {
                    let cell = table.columns[index].cell(row);
                    names_and_cells.insert(table.columns[index].name.clone(), cell);
                }
                predictions.list.push(Predicted {
                    metric: metric.name.clone(),
                    unit: metric.unit.clone(),
                    model: None,
                    fields: names_and_cells,
                    labels: roles.by.iter().map(|&index| table.columns[index].name.clone()).collect(),
                    value: scaled(Some(values)),
                    low: scaled(low),
                    high: scaled(high),
                    level: at(level),
                    line: Some(u64::from(table.origins[row].line)),
                });
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
            let at = object("at").ok_or_else(|| wrong(place("at"), "configuration"))?;
            let mut fields = IndexMap::new();
            for (parameter, value) in at {
                let value = value.as_f64().ok_or_else(|| wrong(place(&format!("at/{parameter}")), "number"))?;
                fields.insert(parameter.clone(), number::to_text(value));
            }
            let mut labels = Vec::new();
            for (label, value) in object("group").into_iter().flatten() {
                let value = value.as_str().ok_or_else(|| wrong(place(&format!("group/{label}")), "text"))?;
                fields.insert(label.clone(), value.to_owned());
                labels.push(label.clone());
            }
            predictions.list.push(Predicted {
                metric: metric.to_owned(),
                unit: match text("unit") {
                    Some(unit) => unit.to_owned(),
                    None => Metric::named(metric, None)?.unit,
                },
                model: text("model").map(str::to_owned),
                fields,
                labels,
                value: number("value"),
                low: number("low"),
                high: number("high"),
                level: number("level"),
                line: None,
            });
        }
        if predictions.list.is_empty() {
            return Err(Problem::new("empty_table", "the document has no predictions").at("/predictions"));
        }
        Ok(predictions)
    }
}

/// Columns with the level of the intervals.
const LEVELS: [&str; 2] = ["interval_level", "level"];

/// `time_s` is `time`; what has no unit at its end is itself.
pub fn base_name(metric: &str) -> &str {
    suffix_unit(metric).map_or(metric, |suffix| suffix.base)
}

/// The column of a bound of a metric: `time_s` with `low` is `time_low_s`.
pub fn bound_name(metric: &str, word: &str) -> String {
    let base = base_name(metric);
    format!("{base}_{word}{}", &metric[base.len()..])
}

/// The bounds of the columns of a table, by name.
fn bound_columns(table: &Table) -> Vec<String> {
    let names = table.columns.iter().map(|column| column.name.as_str());
    names
        .flat_map(|name| ["low", "high"].map(|word| bound_name(name, word)))
        .filter(|bound| table.column(bound).is_some())
        .collect()
}

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
    if metrics.is_empty() && table.roles.is_none() {
        // The bounds are named like metrics; left to their names they would be taken for some.
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

/// Parameters and labels for people.
pub(super) fn shown(fields: &IndexMap<String, String>) -> String {
    let list: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    shorten(&list.join(", "), 200)
}
