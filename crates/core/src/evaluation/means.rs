//! Errors averaged over what points have in common: an application, a number of processes.

use super::EvaluationPoint;
use crate::json;
use crate::statistics::{mean, median};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

/// Errors of the points that have something in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Means {
    pub method: String,
    pub model: String,
    /// What they have in common, by name; empty: all points.
    pub by: IndexMap<String, Value>,
    /// The metric; none: all of them together.
    pub metric: Option<String>,
    /// Number of errors.
    pub count: usize,
    #[serde(serialize_with = "json::as_number")]
    pub mean_error_pct: f64,
    #[serde(serialize_with = "json::as_number")]
    pub median_error_pct: f64,
    #[serde(serialize_with = "json::as_number")]
    pub max_error_pct: f64,
}

/// Means by each of these labels and parameters, and over all: of each metric, and of all metrics together where there are
/// several. Values come in the order in which points have them; a point that lacks a name is left out there.
///
/// # Examples
/// ```
/// use runcast_core::evaluation::{EvaluationPoint, means};
/// let point = |p: f64, error_pct: f64| EvaluationPoint {
///     metric: "time_s".to_owned(),
///     at: runcast_core::Configuration([("p".to_owned(), p)].into_iter().collect()),
///     error_pct: Some(error_pct),
///     ..Default::default()
/// };
/// let found = means(&[point(8.0, 1.0), point(8.0, 3.0), point(16.0, 8.0)], &["p".to_owned()]);
/// let told: Vec<_> = found.iter().map(|one| (one.count, one.mean_error_pct, one.max_error_pct)).collect();
/// assert_eq!(told, [(2, 2.0, 3.0), (1, 8.0, 8.0), (3, 4.0, 8.0)]);
/// ```
pub fn means(points: &[EvaluationPoint], names: &[String]) -> Vec<Means> {
    let mut all = Vec::new();
    for ((method, model), points) in super::summary::by_model(points) {
        for name in names {
            let mut by_value: IndexMap<String, (Value, Vec<&EvaluationPoint>)> = IndexMap::new();
            for point in &points {
                let Some(value) = value_of(point, name) else { continue };
                by_value.entry(value.to_string()).or_insert_with(|| (value, Vec::new())).1.push(point);
            }
            for (_, (value, points)) in by_value {
                all.extend(rows(method, model, &IndexMap::from([(name.clone(), value)]), &points));
            }
        }
        all.extend(rows(method, model, &IndexMap::new(), &points));
    }
    all
}

fn value_of(point: &EvaluationPoint, name: &str) -> Option<Value> {
    let label = point.group.get(name).map(|label| Value::String(label.clone()));
    label.or_else(|| point.at.get(name).map(json::number))
}

fn rows(method: &str, model: &str, by: &IndexMap<String, Value>, points: &[&EvaluationPoint]) -> Vec<Means> {
    let mut metrics: Vec<Option<&str>> = Vec::new();
    for point in points.iter().filter(|point| point.error_pct.is_some()) {
        if !metrics.contains(&Some(point.metric.as_str())) {
            metrics.push(Some(&point.metric));
        }
    }
    if metrics.len() > 1 {
        metrics.push(None);
    }
    let row = |metric: Option<&str>| {
        let own = points.iter().filter(|point| metric.is_none_or(|metric| point.metric == metric));
        let errors: Vec<f64> = own.filter_map(|point| point.error_pct).collect();
        Means {
            method: method.to_owned(),
            model: model.to_owned(),
            by: by.clone(),
            metric: metric.map(str::to_owned),
            count: errors.len(),
            mean_error_pct: mean(&errors),
            median_error_pct: median(&errors),
            max_error_pct: errors.iter().copied().fold(0.0, f64::max),
        }
    };
    metrics.into_iter().map(row).collect()
}
