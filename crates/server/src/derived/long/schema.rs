//! What a result's table holds, and how it is looked at first.

use super::Long;
use super::log_axis::{RATIO_X, RATIO_Y, is_log};
use super::view::{FirstView, first_view};
use crate::derived::points::numbers;
use runcast_core::prediction::bound_name;
use runcast_core::table::ColumnData;
use serde::Serialize;
use std::collections::BTreeMap;

/// Words of a column listed at most.
const MOST_WORDS: usize = 1_000;

/// What a result's table holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Schema {
    /// Rows that did not fail.
    pub rows: u64,
    /// Its columns, in the order of the table.
    pub columns: Vec<SchemaColumn>,
    /// Parameters and labels with one value.
    #[cfg_attr(test, schema(value_type = Object))]
    pub constants: BTreeMap<String, serde_json::Value>,
    /// What is seen first.
    pub first_view: SchemaView,
    /// The answer in one sentence, where the command gives one.
    pub sentence: Option<String>,
}

/// What is seen first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SchemaView {
    /// View, axes, color and panels.
    #[serde(flatten)]
    pub view: FirstView,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is.
    pub log_y: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SchemaColumn {
    /// Its name.
    pub name: String,
    /// `processes`, `parameter`, `label`, `metric`, `bound` or `other`.
    pub role: String,
    /// `f8` for numbers, `dict` for texts.
    #[serde(rename = "type")]
    pub kind: String,
    /// SI unit of a metric.
    pub unit: String,
    /// Distinct values.
    pub distinct: u64,
    /// The least number.
    pub min: Option<f64>,
    /// The largest number.
    pub max: Option<f64>,
    /// Texts, in order of appearance; absent where there are more than 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
}

/// What a table holds.
pub fn schema(long: &Long<'_>, sentence: Option<String>) -> Schema {
    let varying: Vec<_> = long.varying().into_iter().map(|(_, varying)| varying).collect();
    let metric = long.metric();
    let view = first_view(&varying, metric.map(|(_, metric)| metric.name.as_str()));
    let values_of = |name: &Option<String>| {
        let index = long.table.columns.iter().position(|column| Some(&column.name) == name.as_ref());
        let numbers = index.and_then(|index| long.table.columns[index].as_numbers());
        numbers.map_or(Vec::new(), |numbers| long.rows.iter().map(|&row| numbers[row]).collect())
    };
    let (log_x, log_y) = (is_log(values_of(&view.x), RATIO_X), is_log(values_of(&view.y), RATIO_Y));
    let columns: Vec<SchemaColumn> = (0..long.table.columns.len()).map(|index| column(long, index)).collect();
    let constants = long.roles.parameters.iter().chain(&long.roles.by).filter_map(|&index| {
        let row = *long.rows.first()?;
        let column = &long.table.columns[index];
        (columns[index].distinct == 1).then(|| {
            let value = match column.as_numbers() {
                Some(numbers) => runcast_core::json::number(numbers[row]),
                None => column.cell(row).into(),
            };
            (column.name.clone(), value)
        })
    });
    Schema {
        rows: long.rows.len() as u64,
        constants: constants.collect(),
        first_view: SchemaView { view, log_x, log_y },
        sentence,
        columns,
    }
}

fn column(long: &Long<'_>, index: usize) -> SchemaColumn {
    let column = &long.table.columns[index];
    let metric = long.roles.metrics.iter().find(|(metric, _)| *metric == index).map(|(_, metric)| metric);
    let is_bound = long
        .roles
        .metrics
        .iter()
        .any(|(_, metric)| ["low", "high"].iter().any(|word| bound_name(&metric.name, word) == column.name));
    let role = match () {
        () if long.processes() == Some(index) => "processes",
        () if long.roles.parameters.contains(&index) => "parameter",
        () if long.roles.by.contains(&index) => "label",
        () if metric.is_some() => "metric",
        () if is_bound => "bound",
        () => "other",
    };
    let is_number = column.as_numbers().is_some();
    let present = || {
        let values = numbers(long.table, index);
        long.rows.iter().filter(move |_| is_number).map(move |&row| values[row]).filter(|value| value.is_finite())
    };
    let words = match &column.data {
        ColumnData::Text { names, .. } if names.len() <= MOST_WORDS => Some(names.clone()),
        _ => None,
    };
    SchemaColumn {
        name: column.name.clone(),
        role: role.to_owned(),
        kind: if is_number { "f8" } else { "dict" }.to_owned(),
        unit: metric.map_or(String::new(), |metric| metric.unit.clone()),
        distinct: long.distinct(index) as u64,
        min: present().reduce(f64::min),
        max: present().reduce(f64::max),
        words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derived::long::view::View;
    use runcast_core::Table;

    const CSV: &[u8] =
        b"app,p,n,time_s,status\nheat,1,100,8,ok\nheat,2,100,4,ok\nheat,4,100,2,ok\nheat,8,100,1,failed\n";

    #[test]
    fn a_schema_tells_roles_constants_and_the_first_view() {
        let table = Table::read("t.csv", CSV, &Default::default()).expect("a table");
        let found = schema(&Long::of(&table, None).expect("rows"), None);
        assert_eq!(found.rows, 3, "the failed row is left out");
        let roles: Vec<&str> = found.columns.iter().map(|column| column.role.as_str()).collect();
        assert_eq!(roles, ["label", "processes", "parameter", "metric", "other"]);
        assert_eq!(found.constants["n"], 100);
        assert_eq!(found.constants["app"], "heat");
        let view = &found.first_view;
        assert_eq!(
            (view.view.view, view.view.x.as_deref(), view.view.y.as_deref()),
            (View::Line, Some("p"), Some("time_s"))
        );
        assert_eq!((found.columns[3].min, found.columns[3].max, found.columns[1].distinct), (Some(2.0), Some(8.0), 3));
    }

    #[test]
    fn a_filter_is_a_formula_and_unknown_columns_are_named() {
        let table = Table::read("t.csv", CSV, &Default::default()).expect("a table");
        assert_eq!(Long::of(&table, Some("p <= 2")).expect("rows").rows, [0, 1]);
        let problems = Long::of(&table, Some("q <= 2")).err().expect("no such column");
        assert_eq!(problems.0[0].pointer.as_deref(), Some("where"));
    }
}
