//! What a benchmark found, configuration by configuration.

use crate::context::Screen;
use crate::failure::Failure;
use crate::human::{self, Table};
use indexmap::IndexMap;
use runcast_bench::Outcome;
use runcast_bench::journal::{self, Entry, Record};
use runcast_core::{Configuration, Metric, json, statistics};
use serde::Serialize;

/// The runs of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigurationSummary {
    /// The configuration.
    pub at: Configuration,
    /// Runs that count.
    pub ok: usize,
    /// Runs that failed.
    pub failed: usize,
    /// Wall time and figures.
    pub metrics: IndexMap<String, Spread>,
}

/// How the values of the repetitions lie, in the unit of the column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The middle one.
    #[serde(serialize_with = "json::as_number")]
    pub median: f64,
    /// The smallest.
    #[serde(serialize_with = "json::as_number")]
    pub min: f64,
    /// The largest.
    #[serde(serialize_with = "json::as_number")]
    pub max: f64,
}

/// The configurations of a benchmark, in the order of their parameters.
///
/// # Errors
/// The journal cannot be read.
pub fn of(outcome: &Outcome) -> Result<Vec<ConfigurationSummary>, Failure> {
    let mut records: IndexMap<String, Record> = IndexMap::new();
    for entry in journal::read(&outcome.journal)? {
        if let Entry::Run(record) = entry {
            // A later run of the same key has replaced the earlier one.
            records.insert(record.run.key.clone(), *record);
        }
    }
    let mut grouped: Vec<(Configuration, Vec<Record>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for record in records.into_values() {
        let place = *places.entry(record.run.at.to_string()).or_insert_with(|| {
            grouped.push((record.run.at.clone(), Vec::new()));
            grouped.len() - 1
        });
        if let Some((_, list)) = grouped.get_mut(place) {
            list.push(record);
        }
    }
    grouped.sort_by(|(a, _), (b, _)| a.0.values().partial_cmp(b.0.values()).unwrap_or(std::cmp::Ordering::Equal));
    Ok(grouped.into_iter().map(|(at, records)| summarize(at, &records)).collect())
}

fn summarize(at: Configuration, records: &[Record]) -> ConfigurationSummary {
    let ok: Vec<&Record> = records.iter().filter(|record| record.measured.is_ok()).collect();
    let mut values: IndexMap<String, Vec<f64>> = IndexMap::new();
    for record in &ok {
        let figures = record.measured.figures.iter().map(|(name, value)| (name.as_str(), *value));
        for (name, value) in record.measured.time_s.map(|time_s| ("time_s", time_s)).into_iter().chain(figures) {
            values.entry(name.to_owned()).or_default().push(value);
        }
    }
    let spread = |values: &[f64]| Spread {
        median: statistics::median(values),
        min: values.iter().copied().fold(f64::INFINITY, f64::min),
        max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    ConfigurationSummary {
        at,
        ok: ok.len(),
        failed: records.len() - ok.len(),
        metrics: values.into_iter().map(|(name, values)| (name, spread(&values))).collect(),
    }
}

/// The configurations for people: a row each.
pub fn text(configurations: &[ConfigurationSummary], screen: Screen) -> String {
    let parameters: Vec<&String> = configurations.first().map_or(Vec::new(), |first| first.at.0.keys().collect());
    let mut metrics: Vec<&String> = Vec::new();
    for name in configurations.iter().flat_map(|configuration| configuration.metrics.keys()) {
        if !metrics.contains(&name) {
            metrics.push(name);
        }
    }
    let mut table = Table::new();
    for name in &parameters {
        table = table.number(name.as_str());
    }
    table = table.number("runs").number("failed");
    for name in &metrics {
        table = table.number(format!("{name}: median")).number("least").number("most");
    }
    for configuration in configurations {
        let mut row: Vec<String> =
            parameters.iter().map(|name| configuration.at.get(name).map_or(String::new(), human::parameter)).collect();
        row.push(configuration.ok.to_string());
        row.push(if configuration.failed > 0 { configuration.failed.to_string() } else { String::new() });
        for name in &metrics {
            let spread = configuration.metrics.get(*name);
            let metric = Metric::from_name(name);
            let shown = |value: f64| match &metric {
                Some(metric) => human::quantity(value * metric.scale, &metric.unit),
                None => human::significant(value, 4),
            };
            let cell = |value: fn(&Spread) -> f64| spread.map_or(String::new(), |spread| shown(value(spread)));
            row.extend([cell(|spread| spread.median), cell(|spread| spread.min), cell(|spread| spread.max)]);
        }
        table.row(row);
    }
    table.render(screen)
}
