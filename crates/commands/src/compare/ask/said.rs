//! Predictions that are there already, found by configuration.

use super::super::input::Input;
use super::super::rows::{Row, Rows, key};
use super::Competitor;
use crate::compare::Setting;
use runcast_core::Group;
use runcast_core::prediction::{Prediction, base_name};
use std::collections::HashMap;

type MethodAndModel = (String, String);
type ByConfiguration<'p> = HashMap<String, &'p Prediction>;

/// Competitors by method and model; a reason where nothing is of these configurations.
pub(super) fn spread(
    input: &Input,
    list: &[Prediction],
    settings: &[&Setting],
    rows: &Rows,
) -> Result<Vec<Competitor>, String> {
    let of_metric: Vec<&Prediction> = list.iter().filter(|one| is_of_metric(one, list, rows)).collect();
    if of_metric.is_empty() {
        return Err(format!("it does not forecast {}", rows.metric.name));
    }
    let has = |name: &str| of_metric.iter().any(|one| one.at.get(name).is_some() || one.group.contains_key(name));
    let labels: Vec<&str> =
        rows.list.first().map(|row| row.group.keys().map(String::as_str).collect()).unwrap_or_default();
    let common: Vec<&str> = rows.parameters.iter().map(String::as_str).chain(labels).filter(|name| has(name)).collect();
    if !rows.parameters.iter().any(|name| has(name)) {
        let own: Vec<&str> = of_metric[0].at.0.keys().map(String::as_str).collect();
        return Err(format!(
            "{} ({}) and the runs ({}) have no parameter in common: --rename {}={}?",
            input.name,
            own.join(", "),
            rows.parameters.join(", "),
            rows.process.as_deref().unwrap_or("p"),
            own.first().unwrap_or(&"p")
        ));
    }
    if let Some(name) = rows.parameters.iter().find(|name| varies(name, rows) && !has(name) && !is_set(name, settings))
    {
        return Err(format!(
            "it has no {name}, which varies in the runs: --set {}:{name}=V says which it is for",
            input.name
        ));
    }
    let mut by_model: Vec<(MethodAndModel, ByConfiguration<'_>)> = Vec::new();
    let in_runs = |label: &str| common.contains(&label);
    for one in of_metric {
        let extra = one.group.iter().filter(|(label, _)| !in_runs(label)).map(|(_, value)| value.as_str());
        let model: Vec<&str> = [one.model.as_str()].into_iter().chain(extra).filter(|part| !part.is_empty()).collect();
        let name = (one.method.clone(), model.join("/"));
        let key = key(&common, &one.at, &one.group);
        match by_model.iter_mut().find(|(known, _)| *known == name) {
            Some((_, found)) => drop(found.insert(key, one)),
            None => by_model.push((name, [(key, one)].into_iter().collect())),
        }
    }
    let mut all = Vec::new();
    for ((method, model), found) in by_model {
        let mut competitor = Competitor { method, model, ..Competitor::of(input, rows) };
        for (index, row) in rows.list.iter().enumerate() {
            if let Some(setting) = other_value(row, settings) {
                competitor.refuse(format!("{} is set to {}", setting.name, setting.value));
                continue;
            }
            competitor.answers[index] = found.get(&key(&common, &row.at, &row.group)).map(|found| (*found).clone());
        }
        if competitor.answered() == 0 {
            competitor.refuse(format!("none of its {} configurations is among these", found.len()));
        }
        all.push(competitor);
    }
    Ok(all)
}

/// The setting that a row contradicts.
pub(super) fn other_value<'s>(row: &Row, settings: &[&'s Setting]) -> Option<&'s Setting> {
    settings.iter().find(|setting| row.at.get(&setting.name).is_some_and(|value| value != setting.value)).copied()
}

/// Whether an option says the value of a parameter.
pub(super) fn is_set(name: &str, settings: &[&Setting]) -> bool {
    settings.iter().any(|setting| setting.name == name)
}

/// Whether a parameter differs among the rows that were measured or asked for.
pub(super) fn varies(name: &str, rows: &Rows) -> bool {
    let mut values = rows.list.iter().filter(|row| !row.is_candidate).map(|row| row.at.get(name));
    let first = values.next();
    values.any(|value| Some(value) != first)
}

fn is_of_metric(one: &Prediction, list: &[Prediction], rows: &Rows) -> bool {
    let metric = &rows.metric;
    if one.metric == metric.name || (one.unit == metric.unit && base_name(&one.metric) == base_name(&metric.name)) {
        return true;
    }
    // Another name for the only metric of this unit.
    one.unit == metric.unit && list.iter().all(|other| other.metric == one.metric || other.unit != metric.unit)
}

/// `region=map`
pub(super) fn labels(group: &Group) -> String {
    group.iter().map(|(label, value)| format!("{label}={value}")).collect::<Vec<_>>().join(", ")
}
