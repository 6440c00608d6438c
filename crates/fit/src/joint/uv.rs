//! A table of programs over configurations, some of which were not run: completed by a product of low rank.
//!
//! \[K\] Y. Koren, R. Bell, C. Volinsky, *Matrix Factorization Techniques for Recommender Systems*, Computer 42(8) (2009):
//! offsets of rows and columns, and factors by alternating least squares with a ridge.

mod table;

use super::Outcome;
use crate::fitted::NoFit;
use crate::foreign::Foreign;
use crate::predict::{Model, student_t};
use runcast_core::model::{ModelEntry, Quality, Training, TrainingPoint};
use runcast_core::prediction::{Interval, Prediction, Verdict};
use runcast_core::series::Aggregate;
use runcast_core::statistics::median;
use runcast_core::{Configuration, Group, Point, Problem, Series, Warning};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::any::Any;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;
use table::{Cells, Factored, MOST_FACTORS};

pub const NAME: &str = "uv";

/// Other programs that must have been run at a configuration: from one alone nothing follows.
const LEAST_OTHERS: usize = 2;

/// What is a row, what a column, and how many factors tell them apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Uv {
    /// Labels that name a row; none: all.
    pub rows: Vec<String>,
    /// Parameters that name a column; none: all.
    pub columns: Vec<String>,
    /// Number of factors; none: of 0 to 3 what forecasts held-out cells best.
    pub factors: Option<usize>,
    /// What a row or column without much evidence is drawn towards the mean by.
    pub ridge: f64,
}

impl Default for Uv {
    fn default() -> Self {
        Uv { rows: Vec::new(), columns: Vec::new(), factors: None, ridge: 0.1 }
    }
}

impl FromStr for Uv {
    type Err = String;

    /// Reads `rows=app;columns=p,N;factors=1;ridge=0.1`, any of these left out.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut uv = Uv::default();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong =
                || format!("\"{part}\": allowed are rows=app, columns=p,N, factors=0..3, ridge=0.1, joined by ;");
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let list = || value.split(',').map(|word| word.trim().to_owned()).collect::<Vec<String>>();
            match name.trim() {
                "rows" => uv.rows = list(),
                "columns" => uv.columns = list(),
                "factors" => {
                    let factors = value.trim().parse().ok().filter(|factors| *factors <= MOST_FACTORS);
                    uv.factors = Some(factors.ok_or_else(wrong)?);
                }
                "ridge" => {
                    let ridge = value.trim().parse().ok().filter(|ridge: &f64| *ridge > 0.0 && ridge.is_finite());
                    uv.ridge = ridge.ok_or_else(wrong)?;
                }
                _ => return Err(wrong()),
            }
        }
        Ok(uv)
    }
}

impl Uv {
    pub(super) fn fit(&self, all: &[Series]) -> Vec<Outcome> {
        let mut tables = Tables::new();
        let mut fit = |series: &Series| {
            let own = Arc::new(series.clone());
            let model = self
                .fit_one(series, all, &mut tables)
                .and_then(|row| row.into_model(&own).map_err(|problem| NoFit::Unsuitable(problem.message)));
            (own, model)
        };
        all.iter().map(&mut fit).collect()
    }

    /// The row of a series among those of the same metric, and of the same labels that name no row.
    fn fit_one(&self, series: &Series, all: &[Series], tables: &mut Tables) -> Result<Row, NoFit> {
        let (rows, columns) = self.names(series)?;
        let others = |group: &Group| -> Vec<(String, String)> {
            group.iter().filter(|(label, _)| !rows.contains(label)).map(|(a, b)| (a.clone(), b.clone())).collect()
        };
        let is_beside = |other: &Series| {
            other.metric.name == series.metric.name
                && other.parameters == series.parameters
                && others(&other.group) == others(&series.group)
        };
        let beside: Vec<usize> = (0..all.len()).filter(|&k| is_beside(&all[k])).collect();
        if beside.len() < LEAST_OTHERS + 1 {
            let names = if rows.is_empty() { "no label".to_owned() } else { rows.join(", ") };
            let why = format!("uv needs 3 rows or more, and {names} makes {}: --uv 'rows=LABEL'", beside.len());
            return Err(NoFit::Unsuitable(why));
        }
        let own = beside.iter().position(|&k| all[k].group == series.group).unwrap_or(0);
        let table = match tables.get(&beside) {
            Some(table) => Arc::clone(table),
            None => {
                let places: Vec<usize> = columns.iter().filter_map(|name| series.parameter(name)).collect();
                let of: Vec<&Series> = beside.iter().map(|&k| &all[k]).collect();
                let table = Arc::new(self.completed(&of, &places)?);
                tables.insert(beside, Arc::clone(&table));
                table
            }
        };
        let cells = &table.cells;
        if !cells.has_row(own) {
            return Err(NoFit::Unsuitable("this row has no entry".to_owned()));
        }
        let column = |k: usize| Column {
            at: Configuration::from_pairs(&columns, &cells.columns[k]),
            value: table.filled.value(own, k).exp(),
            rows: cells.rows_of(k),
            others: cells.rows_of(k) - usize::from(cells.get(own, k).is_some()),
        };
        Ok(Row {
            table: (0..cells.columns.len()).map(column).collect(),
            of: Settings {
                rows,
                columns,
                factors: table.factors,
                ridge: self.ridge,
                held_out_sd: table.held_out_sd,
                held_out: table.held_out,
            },
            series: Arc::new(series.clone()),
        })
    }

    /// The table that some series are the rows of, with the parameters at `places` as its columns.
    fn completed(&self, rows: &[&Series], places: &[usize]) -> Result<Completed, NoFit> {
        let mut cells = Cells::default();
        for (row, series) in rows.iter().enumerate() {
            for point in &series.points {
                let value = median(&point.values);
                if value <= 0.0 {
                    let line = point.lines.first().copied().unwrap_or(0);
                    return Err(NoFit::NotPositive { model: NAME, line, value });
                }
                cells.add(row, places.iter().map(|&k| point.at[k]).collect(), value.ln());
            }
        }
        let (factors, errors) = cells.choose(self.factors, self.ridge);
        let filled = cells.factored(factors, self.ridge);
        let square: f64 = errors.iter().map(|error| error * error).sum();
        let held_out_sd = (!errors.is_empty()).then(|| (square / errors.len() as f64).sqrt());
        Ok(Completed { cells, filled, factors, held_out_sd, held_out: errors.len() })
    }

    /// Labels of rows and parameters of columns.
    fn names(&self, series: &Series) -> Result<(Vec<String>, Vec<String>), NoFit> {
        let rows: Vec<String> = match self.rows.is_empty() {
            true => series.group.keys().cloned().collect(),
            false => self.rows.clone(),
        };
        let columns = if self.columns.is_empty() { series.parameters.to_vec() } else { self.columns.clone() };
        if let Some(unknown) = rows.iter().find(|row| !series.group.contains_key(*row)) {
            let known: Vec<&str> = series.group.keys().map(String::as_str).collect();
            return Err(NoFit::Options(format!(
                "--uv: rows={unknown} is no label of these runs ({})",
                known.join(", ")
            )));
        }
        if let Some(unknown) = columns.iter().find(|column| series.parameter(column).is_none()) {
            let known = series.parameters.join(", ");
            return Err(NoFit::Options(format!("--uv: columns={unknown} is no parameter of these runs ({known})")));
        }
        let varies = |k: usize| series.points.iter().any(|point| point.at[k] != series.points[0].at[k]);
        let left = |&k: &usize| varies(k) && !columns.contains(&series.parameters[k]);
        if let Some(left) = (0..series.parameters.len()).find(left) {
            let name = &series.parameters[left];
            return Err(NoFit::Options(format!("--uv: {name} varies, too: columns={},{name}", columns.join(","))));
        }
        Ok((rows, columns))
    }
}

/// Tables that were completed, by the series that are their rows: every row of a table asks for the same one.
type Tables = HashMap<Vec<usize>, Arc<Completed>>;

/// A table with all its cells.
struct Completed {
    cells: Cells,
    filled: Factored,
    factors: usize,
    held_out_sd: Option<f64>,
    held_out: usize,
}

/// What the whole table has in common.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Settings {
    rows: Vec<String>,
    columns: Vec<String>,
    factors: usize,
    ridge: f64,
    /// Root mean square of `ln(measured/predicted)` of cells that were held out; none without any.
    held_out_sd: Option<f64>,
    /// Their number.
    held_out: usize,
}

/// A configuration of the table, as the row has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Column {
    at: Configuration,
    value: f64,
    /// Programs that were run there.
    rows: usize,
    /// Those beside this row.
    others: usize,
}

/// One row of a completed table.
struct Row {
    of: Settings,
    table: Vec<Column>,
    series: Arc<Series>,
}

impl Row {
    fn into_model(self, series: &Arc<Series>) -> Result<Model, Problem> {
        Model::of_foreign(Arc::new(self), series, Aggregate::Median)
    }

    /// The column of a configuration, whose other parameters must be those of the runs.
    fn column(&self, at: &Configuration) -> Option<&Column> {
        let is_same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        let is =
            |column: &&Column| column.at.0.iter().all(|(name, value)| at.get(name).is_some_and(|x| is_same(x, *value)));
        self.table.iter().find(is)
    }

    fn complete(&self, target: &Configuration) -> Result<Configuration, Problem> {
        let names = &self.series.parameters;
        if let Some(unknown) = target.0.keys().find(|name| !names.contains(name)) {
            let problem = Problem::new("unknown_parameter", format!("\"{unknown}\" is not a parameter of these runs"));
            return Err(problem.value(unknown).one_of(unknown, names.iter().map(String::as_str)));
        }
        let mut at = Configuration::default();
        for (k, name) in names.iter().enumerate() {
            let first = self.series.points.first().map(|point| point.at[k]);
            let is_constant = self.series.points.iter().all(|point| Some(point.at[k]) == first);
            match (target.get(name), first.filter(|_| is_constant)) {
                (Some(value), _) | (None, Some(value)) => at.0.insert(name.clone(), value),
                _ => {
                    let message = format!("the target has no value of {name}");
                    return Err(
                        Problem::new("missing_parameter", message).hint(format!("--at {}=..", names.join("=..,")))
                    );
                }
            };
        }
        Ok(at)
    }
}

impl Foreign for Row {
    fn name(&self) -> &'static str {
        NAME
    }

    fn entry(&self) -> ModelEntry {
        let series = &self.series;
        let points = series.points.iter();
        let point = |point: &Point| TrainingPoint { at: series.configuration(point), values: point.values.clone() };
        let range = |k: usize| {
            let values = series.points.iter().map(|point| point.at[k]);
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        ModelEntry {
            group: series.group.clone(),
            metric: series.metric.name.clone(),
            unit: series.metric.unit.clone(),
            direction: series.metric.direction,
            model: NAME.to_owned(),
            formula: String::new(),
            class: format!("rank {}", self.of.factors),
            terms: Vec::new(),
            coefficients: Default::default(),
            rank: None,
            condition: None,
            scaling: "grid".to_owned(),
            points: series.points.len(),
            repetitions: series.runs(),
            range: series.parameters.iter().cloned().zip((0..).map(range)).collect(),
            aggregate: Aggregate::Median.name().to_owned(),
            dropped: Vec::new(),
            members: Vec::new(),
            segments: Vec::new(),
            warnings: series.warnings.clone(),
            quality: self.quality(),
            training: Some(Training {
                process_parameter: series.process_parameter.map(|p| series.parameters[p].clone()),
                points: points.map(point).collect(),
                options: json!({}),
            }),
            extra: [("uv".to_owned(), json!({ "settings": self.of, "columns": self.table }))].into_iter().collect(),
        }
    }

    fn predict(&self, target: &Configuration, level: f64) -> Result<(Prediction, Vec<Warning>), Problem> {
        let at = self.complete(target)?;
        let others = self.column(&at).map_or(0, |column| column.others);
        let known = self.column(&at).filter(|column| column.others >= LEAST_OTHERS);
        let mut warnings = Vec::new();
        if known.is_none() {
            let rows = if others == 1 { "1 other row was" } else { &format!("{others} other rows were") };
            let message = format!(
                "{rows} run at {at}, and {LEAST_OTHERS} are needed: uv completes a table, it does not extrapolate"
            );
            warnings.push(Warning::new("not_in_table", message));
        }
        warnings.extend(self.series.warnings.iter().cloned());
        let value = known.map(|column| column.value);
        let mut prediction = Prediction::new("fit", NAME, &self.series.metric.name, at, value);
        prediction.group.clone_from(&self.series.group);
        prediction.unit.clone_from(&self.series.metric.unit);
        prediction.level = level;
        prediction.horizon = 1.0;
        prediction.verdict = if value.is_some() { Verdict::Ok } else { Verdict::Refused };
        prediction.warnings = warnings.iter().map(|warning| warning.code.clone()).collect();
        prediction.warnings.dedup();
        let half = self.of.held_out_sd.zip(student_t(level, self.of.held_out)).map(|(sd, t)| sd * t);
        let interval =
            value.zip(half).map(|(value, half)| Interval { low: value * (-half).exp(), high: value * half.exp() });
        prediction.intervals = [("parametric".to_owned(), interval)].into_iter().collect();
        if let Some(interval) = interval {
            (prediction.low, prediction.high) = (Some(interval.low), Some(interval.high));
            prediction.interval = Some("parametric".to_owned());
        }
        Ok((prediction, warnings))
    }

    fn value(&self, at: &[f64]) -> f64 {
        let at = Configuration::from_pairs(&self.series.parameters, at);
        self.column(&at).map_or(f64::NAN, |column| column.value)
    }

    /// Without the other rows there is no table.
    fn refitted(&self, _: &Series) -> Option<Model> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Row {
    fn quality(&self) -> Quality {
        let error = |point: &Point| (self.value(&point.at) / median(&point.values) - 1.0).abs() * 100.0;
        let errors: Vec<f64> = self.series.points.iter().map(error).filter(|error| error.is_finite()).collect();
        Quality {
            median_error_pct: (!errors.is_empty()).then(|| median(&errors)),
            max_error_pct: errors.iter().copied().reduce(f64::max),
            ..Quality::default()
        }
    }
}

/// A saved row.
pub(super) fn reload(entry: &ModelEntry) -> Result<Model, Problem> {
    let bad = |message: String| Problem::new("bad_model", message);
    #[derive(Deserialize)]
    struct Saved {
        settings: Settings,
        columns: Vec<Column>,
    }
    let saved = entry.extra.get("uv").cloned().unwrap_or_default();
    let Saved { settings, columns } = serde_json::from_value(saved).map_err(|error| bad(format!("uv: {error}")))?;
    let series = Arc::new(crate::document::series_of(entry)?);
    Row { of: settings, table: columns, series: Arc::clone(&series) }.into_model(&series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::over;

    /// Four programs on four counts of processes, the last cell not run.
    fn table() -> Vec<Series> {
        let rows = [
            [100.0, 51.0, 26.5, 14.5],
            [200.0, 101.0, 51.5, 27.0],
            [50.0, 26.0, 14.0, 8.5],
            [400.0, 202.0, 103.0, f64::NAN],
        ];
        let series = |(k, times): (usize, &[f64; 4])| {
            let runs = [1.0, 2.0, 4.0, 8.0].iter().zip(times).filter(|(_, time)| time.is_finite());
            let mut series = over(&["p"], runs.map(|(p, time)| (vec![*p], *time)).collect());
            series.group.insert("app".to_owned(), format!("a{k}"));
            series
        };
        rows.iter().enumerate().map(series).collect()
    }

    fn last(uv: &str) -> Model {
        uv.parse::<Uv>().expect("options").fit(&table()).pop().expect("four rows").1.expect("a model")
    }

    fn at(p: f64) -> Configuration {
        Configuration::from_pairs(&["p".to_owned()], &[p])
    }

    /// Numbers by an independent script.
    #[test]
    fn the_missing_cell_of_a_published_table() {
        for (factors, ridge, value) in
            [(0, 0.1, 58.468050), (0, 0.01, 58.698337), (1, 0.1, 57.663115), (1, 0.01, 57.577629)]
        {
            let model = last(&format!("rows=app;columns=p;factors={factors};ridge={ridge}"));
            let (prediction, _) = model.predict(&at(8.0), 0.9).expect("complete");
            let said = prediction.value.expect("a value");
            assert!((said - value).abs() < 1e-6, "factors={factors} ridge={ridge}: {said}");
            assert!(prediction.low.is_some_and(|low| low < said), "three cells were held out");
            let again = reload(&crate::document::entry_of(&model)).expect("reads back");
            assert_eq!(again.predict(&at(8.0), 0.9).expect("complete").0, prediction);
        }
    }

    #[test]
    fn it_completes_and_does_not_extrapolate() {
        let (prediction, warnings) = last("").predict(&at(16.0), 0.9).expect("complete");
        assert_eq!((prediction.value, prediction.verdict), (None, Verdict::Refused));
        assert_eq!(warnings[0].code, "not_in_table");
        // With two programs there is one other.
        let two = Uv::default().fit(&table()[..2]);
        assert!(two.iter().all(|(_, model)| matches!(model, Err(NoFit::Unsuitable(_)))));
    }

    #[test]
    fn options_say_what_is_wrong_with_them() {
        for wrong in ["rows", "factors=4", "factors=-1", "ridge=0", "ridge=x", "columns=p;depth=2"] {
            assert!(wrong.parse::<Uv>().is_err(), "{wrong}");
        }
        let no_label: Uv = "rows=program".parse().expect("reads");
        assert!(no_label.fit(&table()).iter().all(|(_, model)| matches!(model, Err(NoFit::Options(_)))));
    }
}
