//! The configurations that all inputs are asked about, with what was measured there.

use super::CompareArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use crate::tables;
use runcast_core::configuration::Group;
use runcast_core::series::SeriesSet;
use runcast_core::{Configuration, Metric, Problem, Series, Warning};
use std::collections::{BTreeSet, HashSet};

/// Candidates for the run that decides, where nothing is said: powers of two.
const MOST_CANDIDATES: usize = 40;

/// A configuration of a group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub at: Configuration,
    pub group: Group,
    /// The runs, in SI units; empty: nothing was measured there.
    pub values: Vec<f64>,
    /// Whether it is asked about only to find the run that decides.
    pub is_candidate: bool,
}

/// All of them.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub metric: Metric,
    pub list: Vec<Row>,
    /// The parameter that counts processes.
    pub process: Option<String>,
    /// Parameters of the runs and targets, in their order.
    pub parameters: Vec<String>,
    pub warnings: Vec<Warning>,
}

impl Rows {
    /// The runs of these tables.
    pub(super) fn measured(args: &CompareArgs, files: &[InputFile], context: &mut Context) -> Result<Rows, Failure> {
        let set = if files.is_empty() { None } else { Some(read(args, files, context)?) };
        let (series, mut warnings): (Vec<Series>, Vec<Warning>) = match set {
            Some(set) => (set.series, set.warnings),
            None => (Vec::new(), Vec::new()),
        };
        let metric = metric(args, &series, &mut warnings)?;
        let series: Vec<&Series> = series.iter().filter(|one| one.metric.name == metric.name).collect();
        let measured = |series: &&Series| {
            let row = |point: &runcast_core::series::Point| Row {
                at: series.configuration(point),
                group: series.group.clone(),
                values: point.values.clone(),
                is_candidate: false,
            };
            series.points.iter().map(row).collect::<Vec<_>>()
        };
        let list: Vec<Row> = series.iter().flat_map(measured).collect();
        let process = series.first().and_then(|series| Some(series.parameters[series.process_parameter?].clone()));
        let process = args.table.process_param.clone().or(process);
        let mut rows = Rows { metric, list, process, parameters: Vec::new(), warnings };
        rows.parameters = rows.named();
        Ok(rows)
    }

    /// Asks about these configurations, too, in every group.
    pub(super) fn ask_about(&mut self, targets: &[Configuration]) {
        let groups: BTreeSet<Vec<(String, String)>> =
            self.list.iter().map(|row| row.group.clone().into_iter().collect()).collect();
        let groups: Vec<Group> = match groups.is_empty() {
            true => vec![Group::new()],
            false => groups.into_iter().map(|group| group.into_iter().collect()).collect(),
        };
        let constants = constants(&self.list);
        let mut known: HashSet<String> = self.list.iter().map(|row| key_of(&row.at, &row.group)).collect();
        for target in targets {
            for group in &groups {
                let mut at = Configuration::default();
                // What is the same in all runs need not be said again.
                for (name, value) in constants.iter().filter(|(name, _)| target.get(name).is_none()) {
                    at.0.insert(name.clone(), *value);
                }
                at.0.extend(target.0.clone());
                if known.insert(key_of(&at, group)) {
                    self.list.push(Row { at, group: group.clone(), values: Vec::new(), is_candidate: false });
                }
            }
        }
        self.parameters = self.named();
        if self.process.is_none() {
            self.process = self.parameters.first().cloned();
        }
    }

    /// The parameters of all rows, in the order in which they come.
    fn named(&self) -> Vec<String> {
        let mut parameters: Vec<String> = Vec::new();
        for name in self.list.iter().flat_map(|row| row.at.0.keys()) {
            if !parameters.contains(name) {
                parameters.push(name.clone());
            }
        }
        parameters
    }

    /// The processes of a row, where they are known.
    pub(crate) fn processes(&self, row: &Row) -> Option<f64> {
        row.at.get(self.process.as_deref()?)
    }

    /// Standard deviation of the logarithm of a run, from repetitions; 0 without any.
    pub(crate) fn noise(&self) -> f64 {
        let (mut sum, mut degrees) = (0.0, 0);
        for row in self.list.iter().filter(|row| row.values.len() > 1 && row.values.iter().all(|value| *value > 0.0)) {
            let logs: Vec<f64> = row.values.iter().map(|value| value.ln()).collect();
            let mean = runcast_core::statistics::mean(&logs);
            sum += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
            degrees += logs.len() - 1;
        }
        if degrees == 0 { 0.0 } else { (sum / degrees as f64).sqrt() }
    }

    /// Configurations for the run that decides: processes from the list, all else as in the last row.
    pub(super) fn add_candidates(&mut self, args: &CompareArgs) -> Result<(), Failure> {
        let (Some(process), Some(last)) = (self.process.clone(), self.list.last().cloned()) else { return Ok(()) };
        let each = || self.list.iter().filter_map(|row| Some((row, self.processes(row)?)));
        let measured = each().filter(|(row, _)| !row.values.is_empty()).map(|(_, p)| p).fold(0.0, f64::max);
        let target = each().map(|(_, p)| p).fold(0.0, f64::max);
        let most = measured.max(target / 4.0);
        let processes: Vec<f64> = match &args.candidates {
            Some(list) => list
                .expand(Some(1.0), Some(most.max(1.0)))
                .map_err(|error| Failure::input(Problem::new("bad_option", error.to_string()).at("--candidates")))?,
            None => (0..MOST_CANDIDATES).map(|power| 2.0_f64.powi(power as i32)).take_while(|p| *p <= most).collect(),
        };
        let known: HashSet<String> = self.list.iter().map(|row| key_of(&row.at, &row.group)).collect();
        for p in processes {
            let mut at = last.at.clone();
            at.0.insert(process.clone(), p);
            if !known.contains(&key_of(&at, &last.group)) {
                self.list.push(Row { at, group: last.group.clone(), values: Vec::new(), is_candidate: true });
            }
        }
        Ok(())
    }
}

/// Parameters that have one value in all rows.
fn constants(list: &[Row]) -> Vec<(String, f64)> {
    let Some(first) = list.first() else { return Vec::new() };
    let is_constant = |(name, value): &(&String, &f64)| list.iter().all(|row| row.at.get(name) == Some(**value));
    first.at.0.iter().filter(is_constant).map(|(name, value)| (name.clone(), *value)).collect()
}

fn read(args: &CompareArgs, files: &[InputFile], context: &mut Context) -> Result<SeriesSet, Failure> {
    let (table, mut options) = tables::read(&args.table, files, context)?;
    let table = args.models.prepared(table, &mut options);
    Ok(tables::series(&table, &options, context)?)
}

/// The metric that is compared: the one that was named, else a time, else the first.
fn metric(args: &CompareArgs, series: &[Series], warnings: &mut Vec<Warning>) -> Result<Metric, Failure> {
    let mut names: Vec<&Metric> = Vec::new();
    for one in series {
        if !names.iter().any(|known| known.name == one.metric.name) {
            names.push(&one.metric);
        }
    }
    let Some(first) = names.first() else {
        let named = args.table.metric.first().map_or("time_s", String::as_str);
        return Ok(Metric::named(named, None)?);
    };
    let chosen = names.iter().find(|metric| metric.unit == "s").unwrap_or(first);
    if names.len() > 1 {
        let others: Vec<&str> =
            names.iter().map(|metric| metric.name.as_str()).filter(|name| *name != chosen.name).collect();
        let message = format!("{} is compared, not {}: --metric chooses", chosen.name, others.join(", "));
        warnings.push(Warning::new("one_metric", message));
    }
    Ok((*chosen).clone())
}

/// A configuration with its labels as text; numbers that agree to nine digits are the same.
pub(super) fn key_of(at: &Configuration, group: &Group) -> String {
    let mut names: Vec<&str> = at.0.keys().chain(group.keys()).map(String::as_str).collect();
    names.sort_unstable();
    key(&names, at, group)
}

/// The same of some names.
pub(super) fn key(names: &[&str], at: &Configuration, group: &Group) -> String {
    let one = |name: &&str| match at.get(name) {
        Some(value) => format!("{name}={value:.9e}"),
        None => format!("{name}={}", group.get(*name).map_or("", String::as_str)),
    };
    names.iter().map(one).collect::<Vec<_>>().join("\n")
}
