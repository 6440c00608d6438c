//! From the rows of a table to points: repetitions are merged, other columns distinguish curves.

use super::{Choice, Curve, Figure, FigureAxis, FigureColumns, FigureKind, FigurePoint, MOST_CURVES, too_many};
use runcast_core::prediction::bound_name;
use runcast_core::roles::{Roles, TableOptions, column_index, roles_of};
use runcast_core::table::{ColumnData, Numbers};
use runcast_core::{Metric, Problem, Problems, Table, statistics};
use std::collections::{BTreeMap, HashMap};

/// A table with what is chosen of it.
pub(super) struct Points<'t> {
    pub table: &'t Table,
    pub roles: Roles,
    /// Column of the horizontal axis.
    pub x: usize,
    /// Column of the metric.
    pub y: usize,
    pub metric: Metric,
    /// Columns that make curves.
    pub by: Vec<usize>,
}

/// Columns that do not describe a configuration.
const SPECIAL: [&str; 4] = ["rep", "key", "status", "interval_level"];

impl<'t> Points<'t> {
    pub fn of(table: &'t Table, choice: &Choice) -> Result<Self, Problems> {
        let roles = roles(table)?;
        let (y, metric) = match &choice.y {
            Some(name) => named_metric(table, name, "y")?,
            None => first_metric(table, &roles)?,
        };
        let x = match &choice.x {
            Some(name) => numeric(table, name, "x")?,
            None => usual_axis(table, &roles)?,
        };
        let by = match &choice.by {
            Some(names) => names.iter().map(|name| column_index(table, name, "by")).collect::<Result<_, _>>()?,
            None => others(table, &roles, &[x, y]),
        };
        Ok(Points { table, roles, x, y, metric, by })
    }

    /// The curves as they are in the table.
    pub fn curves(&self) -> Result<Figure, Problems> {
        let (xs, ys) = (numbers(self.table, self.x), numbers(self.table, self.y));
        let name = &self.metric.name;
        let bound = |word| self.table.column(&bound_name(name, word)).and_then(|column| column.as_numbers());
        let (lows, highs) = (bound("low"), bound("high"));
        let usable = usable_rows(self.table, &self.roles);
        let mut index: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut curves: Vec<(String, Vec<[f64; 4]>)> = Vec::new();
        for row in (0..self.table.rows()).filter(|row| usable[*row]) {
            if xs[row].is_nan() || ys[row].is_nan() {
                continue;
            }
            let key: Vec<u64> = self.by.iter().map(|column| code(self.table, *column, row)).collect();
            let curve = *index.entry(key).or_insert_with(|| {
                curves.push((self.name_of(row), Vec::new()));
                curves.len() - 1
            });
            let scaled = |values: Option<&Numbers>| values.map_or(f64::NAN, |values| values[row] * self.metric.scale);
            curves[curve].1.push([xs[row], ys[row] * self.metric.scale, scaled(lows), scaled(highs)]);
        }
        if curves.len() > MOST_CURVES {
            return Err(too_many(curves.len()).into());
        }
        let series = curves.into_iter().map(|(name, values)| Curve { name, base: None, points: merged(values) });
        Ok(Figure {
            kind: FigureKind::Line,
            x: FigureAxis { name: self.table.columns[self.x].name.clone(), unit: String::new() },
            y: FigureAxis { name: name.clone(), unit: self.metric.unit.clone() },
            metric: None,
            by: self.by.iter().map(|column| self.table.columns[*column].name.clone()).collect(),
            series: series.collect(),
            columns: columns(self.table, &self.roles),
        })
    }

    fn name_of(&self, row: usize) -> String {
        let each = self.by.iter().map(|&column| {
            let column = &self.table.columns[column];
            match column.as_numbers() {
                Some(_) => format!("{} = {}", column.name, column.cell(row)),
                None => column.cell(row),
            }
        });
        each.collect::<Vec<_>>().join(", ")
    }
}

/// Repetitions as their mean, with the table's interval or that of the repetitions.
fn merged(mut values: Vec<[f64; 4]>) -> Vec<FigurePoint> {
    values.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let same = values.chunk_by(|a, b| a[0] == b[0]);
    same.map(|same| {
        let all = |field: usize| same.iter().map(|value| value[field]).collect::<Vec<f64>>();
        let told = |field: usize| Some(statistics::mean(&all(field))).filter(|value| value.is_finite());
        let ys = all(1);
        let (mut low, mut high) = (told(2), told(3));
        if low.is_none() && high.is_none() && ys.len() > 1 {
            low = ys.iter().copied().reduce(f64::min);
            high = ys.iter().copied().reduce(f64::max);
        }
        FigurePoint { x: same[0][0], y: statistics::mean(&ys), low, high, rows: ys.len() as u64, ..Default::default() }
    })
    .collect()
}

pub(super) fn roles(table: &Table) -> Result<Roles, Problems> {
    let mut roles = roles_of(table, &TableOptions::default())?;
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let bounds: Vec<String> =
        names.iter().flat_map(|name| ["low", "high"].map(|word| bound_name(name, word))).collect();
    let helper = |index: usize| bounds.iter().any(|bound| bound == names[index]) || SPECIAL.contains(&names[index]);
    roles.metrics.retain(|(index, _)| !helper(*index));
    roles.parameters.retain(|index| !helper(*index));
    roles.by.retain(|index| !helper(*index));
    Ok(roles)
}

pub(super) fn columns(table: &Table, roles: &Roles) -> FigureColumns {
    let name = |index: &usize| table.columns[*index].name.clone();
    // A metric without any number (a cost, without prices) is none to choose; before there are rows this is unknown.
    let is_empty = !roles.metrics.iter().any(|(index, _)| is_filled(table, *index));
    let metrics = roles.metrics.iter().filter(|(index, _)| is_empty || is_filled(table, *index));
    FigureColumns {
        parameters: roles.parameters.iter().map(name).collect(),
        metrics: metrics.map(|(index, _)| name(index)).collect(),
        labels: roles.by.iter().map(name).collect(),
    }
}

/// A column of numbers.
pub(crate) fn numeric(table: &Table, name: &str, option: &str) -> Result<usize, Problem> {
    let index = column_index(table, name, option)?;
    match table.columns[index].as_numbers() {
        Some(_) => Ok(index),
        None => Err(Problem::new("not_numeric", format!("the column {name} holds texts")).at(option).value(name)),
    }
}

pub(super) fn named_metric(table: &Table, name: &str, option: &str) -> Result<(usize, Metric), Problem> {
    Ok((numeric(table, name, option)?, Metric::named(name, None)?))
}

fn is_filled(table: &Table, column: usize) -> bool {
    numbers(table, column).iter().any(|value| !value.is_nan())
}

/// The first metric that has a number.
fn first_metric(table: &Table, roles: &Roles) -> Result<(usize, Metric), Problem> {
    let found = roles.metrics.iter().find(|(index, _)| is_filled(table, *index)).or(roles.metrics.first());
    found.cloned().ok_or_else(|| Problem::new("no_metric", "no column of the table is a metric").at("y"))
}

/// The parameter that counts processes if it varies, else the first that varies, else any.
fn usual_axis(table: &Table, roles: &Roles) -> Result<usize, Problem> {
    let processes = roles.process_parameter.and_then(|at| roles.parameters.get(at)).copied();
    let varying = |index: &usize| varies(table, *index);
    let found = processes.filter(|index| varying(index));
    let found = found.or_else(|| roles.parameters.iter().copied().find(|index| varying(index)));
    let found = found.or_else(|| roles.parameters.first().copied());
    found.ok_or_else(|| Problem::new("no_parameter", "no column of the table is a parameter").at("x"))
}

/// Parameters and labels that vary, but for these.
fn others(table: &Table, roles: &Roles, but: &[usize]) -> Vec<usize> {
    let all = roles.parameters.iter().chain(&roles.by).copied();
    all.filter(|index| !but.contains(index) && varies(table, *index)).collect()
}

fn varies(table: &Table, column: usize) -> bool {
    (1..table.rows()).any(|row| code(table, column, row) != code(table, column, 0))
}

/// Equal for equal cells of a column.
pub(super) fn code(table: &Table, column: usize, row: usize) -> u64 {
    match &table.columns[column].data {
        ColumnData::Number(values) => values[row].to_bits(),
        ColumnData::Text { codes, .. } => u64::from(codes.at(row)),
    }
}

pub(crate) fn numbers(table: &Table, column: usize) -> &Numbers {
    table.columns[column].as_numbers().unwrap_or_default()
}

/// Rows that did not fail.
pub(super) fn usable_rows(table: &Table, roles: &Roles) -> Vec<bool> {
    let Some(status) = roles.status else { return vec![true; table.rows()] };
    let column = &table.columns[status];
    (0..table.rows()).map(|row| matches!(column.cell(row).as_str(), "" | "ok")).collect()
}

/// What a row says of its configuration, but for these columns.
pub(super) fn rest(table: &Table, roles: &Roles, row: usize, but: &[usize]) -> BTreeMap<String, String> {
    let all = roles.parameters.iter().chain(&roles.by).filter(|index| !but.contains(index));
    all.map(|&index| (table.columns[index].name.clone(), table.columns[index].cell(row))).collect()
}
