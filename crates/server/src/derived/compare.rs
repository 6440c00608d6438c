//! Simulated values beside measured ones.

use super::{Curve, Figure, FigureAxis, FigureColumns, FigureKind, FigurePoint};
use runcast_core::evaluation::join;
use runcast_core::prediction::{Predictions, base_name};
use runcast_core::roles::TableOptions;
use runcast_core::table::number;
use runcast_core::{Metric, Problem, Problems, Table, Warning, statistics};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Measured runs beside what a job says of them, worst first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Comparison {
    /// The metric.
    pub metric: String,
    /// SI unit of its numbers.
    pub unit: String,
    /// A row a configuration, the worst first.
    pub rows: Vec<ComparedRow>,
    /// Mean of `d_pct`; null when no row has one.
    pub d_avg_pct: Option<f64>,
    /// Largest `d_pct`.
    pub d_max_pct: Option<f64>,
    /// Measured configurations that the job says nothing of.
    pub unmatched: u64,
    /// What else should be known.
    #[cfg_attr(test, schema(value_type = Vec<Object>))]
    pub warnings: Vec<Warning>,
}

/// A measured configuration and its simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ComparedRow {
    /// Its parameters and labels.
    #[cfg_attr(test, schema(value_type = Object))]
    pub params: BTreeMap<String, serde_json::Value>,
    /// What was measured; the median of the repetitions.
    pub real: f64,
    /// What was simulated; null when it failed.
    pub simulated: Option<f64>,
    /// |real - simulated|/real in percent.
    pub d_pct: Option<f64>,
}

/// Joins the table of a job to measured runs.
///
/// # Errors
/// Nothing fits together; the metric is in neither.
pub fn compare(simulated: &Table, real: &Table, metric: Option<&str>) -> Result<Comparison, Problems> {
    let own = TableOptions::default();
    let mut predictions = Predictions::from_table(simulated, &own)?;
    let metric = match metric {
        Some(name) => Metric::named(name, None).map_err(|problem| problem.at("metric"))?,
        None => common_metric(&predictions, real)?,
    };
    let same = |name: &str, unit: &str| base_name(name) == base_name(&metric.name) && unit == metric.unit;
    predictions.list.retain(|one| same(&one.prediction.metric, &one.prediction.unit));
    if predictions.list.is_empty() {
        let problem = Problem::new("unknown_column", format!("the job has no metric {}", metric.name));
        return Err(problem.at("metric").value(metric.name.as_str()).into());
    }
    let there = real.columns.iter().map(|column| column.name.as_str());
    let column = there.into_iter().find(|name| Metric::named(name, None).is_ok_and(|found| same(name, &found.unit)));
    let Some(column) = column else {
        let problem = Problem::new("unknown_column", format!("the table has no column of {}", metric.name));
        return Err(problem.at("metric").value(metric.name.as_str()).into());
    };
    let options = TableOptions { metrics: vec![column.to_owned()], ..TableOptions::default() };
    let runs = runcast_core::series::series_of(real, &options)?;
    let configurations: usize = runs.series.iter().map(|series| series.points.len()).sum();
    let mut joined = join(&predictions, &runs.series)?;
    joined.warnings.splice(0..0, runs.warnings);
    let mut seen: Vec<(&runcast_core::Group, &runcast_core::Configuration)> = Vec::new();
    let mut rows = Vec::with_capacity(joined.points.len());
    for point in &joined.points {
        let labels = point.group.iter().map(|(name, label)| (name.clone(), label.clone().into()));
        let numbers = point.at.0.iter().map(|(name, value)| (name.clone(), runcast_core::json::number(*value)));
        let (real, simulated, d_pct) = (point.measured, point.predicted, point.error_pct);
        rows.push(ComparedRow { params: labels.chain(numbers).collect(), real, simulated, d_pct });
        seen.push((&point.group, &point.at));
    }
    seen.sort_by_key(|(group, at)| format!("{group:?}{at:?}"));
    seen.dedup();
    let matched = seen.len();
    rows.sort_by(|a, b| b.d_pct.unwrap_or(f64::INFINITY).total_cmp(&a.d_pct.unwrap_or(f64::INFINITY)));
    let errors: Vec<f64> = rows.iter().filter_map(|row| row.d_pct).collect();
    Ok(Comparison {
        metric: metric.name,
        unit: metric.unit,
        d_avg_pct: (!errors.is_empty()).then(|| statistics::mean(&errors)),
        d_max_pct: errors.iter().copied().reduce(f64::max),
        unmatched: configurations.saturating_sub(matched) as u64,
        rows,
        warnings: joined.warnings,
    })
}

/// The first metric of the job that the runs have, too.
fn common_metric(predictions: &Predictions, real: &Table) -> Result<Metric, Problem> {
    let there: Vec<Metric> = real.columns.iter().filter_map(|column| Metric::from_name(&column.name)).collect();
    let is_there = |name: &str, unit: &str| {
        there.iter().any(|metric| base_name(&metric.name) == base_name(name) && metric.unit == unit)
    };
    let mut list = predictions.list.iter().map(|predicted| &predicted.prediction);
    match list.find(|predicted| is_there(&predicted.metric, &predicted.unit)) {
        Some(predicted) => Metric::named(&predicted.metric, None),
        None => Err(Problem::new("no_match", "the job and the table have no metric in common").at("metric")),
    }
}

impl Comparison {
    /// The same as a picture's numbers: simulated over measured.
    pub fn figure(&self) -> Figure {
        let cell = |value: &serde_json::Value| match value {
            serde_json::Value::Number(value) => value.as_f64().map(number::to_text).unwrap_or_default(),
            serde_json::Value::String(text) => text.clone(),
            _ => String::new(),
        };
        let points = self.rows.iter().filter_map(|row| {
            Some(FigurePoint {
                x: row.real,
                y: row.simulated?,
                rows: 1,
                d_pct: row.d_pct,
                at: row.params.iter().map(|(name, value)| (name.clone(), cell(value))).collect(),
                ..FigurePoint::default()
            })
        });
        let axis = |what: &str| FigureAxis { name: what.to_owned(), unit: self.unit.clone() };
        Figure {
            kind: FigureKind::Compare,
            x: axis("real"),
            y: axis("simulated"),
            metric: Some(self.metric.clone()),
            by: Vec::new(),
            series: vec![Curve { name: "simulated".to_owned(), base: None, points: points.collect() }],
            columns: FigureColumns::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(csv: &str) -> Table {
        Table::read("t.csv", csv.as_bytes(), &Default::default()).expect("a table")
    }

    #[test]
    fn errors_are_shares_of_what_was_measured_the_worst_first() {
        let simulated =
            read("p,rep,time_s,energy_j,status,key\n1,1,40,,ok,a\n2,1,19,,ok,b\n4,1,11,,ok,c\n8,1,1,,ok,d\n");
        let real = read("p,time_ms\n1,40000\n2,20000\n4,10000\n16,5\n");
        let found = compare(&simulated, &real, Some("time_s")).expect("a comparison");
        let rows: Vec<(f64, Option<f64>, f64)> =
            found.rows.iter().map(|row| (row.real, row.simulated, row.d_pct.expect("an error"))).collect();
        assert_eq!(rows.len(), 3);
        for (row, wanted) in rows.iter().zip([(10.0, 11.0, 10.0), (20.0, 19.0, 5.0), (40.0, 40.0, 0.0)]) {
            assert!((row.0 - wanted.0).abs() < 1e-9 && row.1 == Some(wanted.1) && (row.2 - wanted.2).abs() < 1e-9);
        }
        assert!((found.d_avg_pct.expect("an average") - 5.0).abs() < 1e-9);
        assert!((found.d_max_pct.expect("a maximum") - 10.0).abs() < 1e-9);
        assert_eq!(found.unmatched, 1);
        assert_eq!(found.rows[0].params["p"], 4);
        assert_eq!(compare(&simulated, &real, None).expect("the same").metric, "time_s");
    }

    #[test]
    fn a_metric_that_one_side_lacks_is_refused() {
        let (simulated, real) = (read("p,time_s\n1,1\n"), read("p,energy_j\n1,1\n"));
        for metric in [Some("time_s"), Some("energy_j"), Some("nothing_s"), None] {
            assert!(compare(&simulated, &real, metric).is_err(), "{metric:?}");
        }
    }
}
