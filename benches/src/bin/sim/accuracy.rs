//! Accuracy after calibration on small runs, on the runs that were held out (G10).
//!
//! The applications and systems are the templates of `runcast sim new`; what is done is what `runcast sim calibrate` does.

use runcast_benches::page::root;
use runcast_core::Problem;
use runcast_sim::calibrate::{Free, Options, calibrate};
use runcast_sim::experiment::{self, Value};
use runcast_sim::run::{Inputs, Prepared, RunControl, Settings, Variation, prepare, simulate};
use runcast_sim::templates;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Error that each may have, in percent.
const GOAL_PCT: f64 = 8.0;
/// Mean error of all of them, in percent.
const GOAL_MEAN_PCT: f64 = 4.0;

/// An application with its runs.
struct Case {
    /// The template.
    name: &'static str,
    /// The table, from the top of the repository.
    table: &'static str,
    /// Columns that are parameters.
    parameters: &'static [&'static str],
    /// Coefficients to find.
    free: &'static [&'static str],
    /// Coefficients that are known.
    fixed: &'static [(&'static str, f64)],
    /// What is held out.
    held_out: &'static str,
}

const CASES: [Case; 3] = [
    Case {
        name: "heat",
        table: "testdata/sim/heat.csv",
        parameters: &["p", "n", "iters"],
        free: &["stencil", "pack"],
        fixed: &[],
        held_out: "p >= 125",
    },
    Case {
        name: "msort",
        table: "../shared/data/sim/msort.csv",
        parameters: &["p", "n"],
        free: &["sort", "merge"],
        fixed: &[("split", 1.333e-9)],
        held_out: "p >= 64",
    },
    Case {
        name: "mslave",
        table: "testdata/sim/mslave.csv",
        parameters: &["slaves"],
        free: &["similarity"],
        fixed: &[("collect", 2e-4)],
        held_out: "slaves >= 12",
    },
];

/// A configuration with the mean of its repetitions.
struct Row {
    parameters: Vec<(String, f64)>,
    is_held_out: bool,
    times_s: Vec<f64>,
}

impl Row {
    fn real_s(&self) -> f64 {
        self.times_s.iter().sum::<f64>() / self.times_s.len() as f64
    }
}

/// Errors in percent.
struct Errors {
    mean: f64,
    most: f64,
}

/// The section.
pub fn section() -> Result<String, String> {
    let mut text = format!(
        "### Accuracy after calibration\n\nCoefficients from small runs, times of larger ones that were held out. The runs are \
         SimGrid SMPI's of our MPI programs, with noise; the mean of all repetitions counts. Goal: at most {GOAL_PCT} % each, \
         {GOAL_MEAN_PCT} % in the mean; the paper says 1.4 to 7.8 %.\n\n\
         | application | calibrated on | its mean error | held out | mean error | largest | goal |\n\
         |---|--:|--:|---|--:|--:|---|\n",
    );
    let mut means = Vec::new();
    for case in &CASES {
        let Ok(table) = std::fs::read_to_string(root().join(case.table)) else {
            let _ = writeln!(
                text,
                "| {} | - | - | {} | not measured: its table is not here | - | - |",
                case.name, case.held_out
            );
            continue;
        };
        let rows = rows(&table, case.parameters)?;
        let [train, held_out] = errors(case, &rows).map_err(|problem| format!("{}: {problem}", case.name))?;
        let small = rows.iter().filter(|row| !row.is_held_out).count();
        let _ = writeln!(
            text,
            "| {} | {small} | {:.2} % | {}, {} | {:.2} % | {:.2} % | {} |",
            case.name,
            train.mean,
            case.held_out,
            rows.len() - small,
            held_out.mean,
            held_out.most,
            if held_out.mean <= GOAL_PCT { "met" } else { "missed" }
        );
        means.push(held_out.mean);
    }
    let mean = means.iter().sum::<f64>() / means.len().max(1) as f64;
    let met = if mean <= GOAL_MEAN_PCT { "met" } else { "missed" };
    let _ = writeln!(text, "\nMean of {}: {mean:.2} %; the goal of {GOAL_MEAN_PCT} % is {met}.", means.len());
    Ok(text)
}

/// Configurations of a table, in the order of their first rows.
fn rows(table: &str, parameters: &[&str]) -> Result<Vec<Row>, String> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| names.iter().position(|other| *other == name).ok_or(format!("no column {name}"));
    let (set, time_s) = (column("set")?, column("time_s")?);
    let columns = parameters.iter().map(|name| column(name)).collect::<Result<Vec<_>, _>>()?;
    let mut rows: Vec<Row> = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |index: usize| {
            let cell = cells.get(index).copied().unwrap_or_default();
            cell.parse::<f64>().map_err(|error| format!("{line}: {error}"))
        };
        let values = columns.iter().map(|&index| number(index)).collect::<Result<Vec<_>, _>>()?;
        let parameters: Vec<(String, f64)> = parameters.iter().map(|name| (*name).to_owned()).zip(values).collect();
        let is_held_out = cells.get(set) == Some(&"holdout");
        match rows.iter_mut().find(|row| row.parameters == parameters) {
            Some(row) => row.times_s.push(number(time_s)?),
            None => rows.push(Row { parameters, is_held_out, times_s: vec![number(time_s)?] }),
        }
    }
    Ok(rows)
}

/// Calibrates on small runs; errors on these, and on those that were held out.
fn errors(case: &Case, rows: &[Row]) -> Result<[Errors; 2], Problem> {
    let first = |problems: runcast_core::Problems| {
        problems.0.into_iter().next().unwrap_or_else(|| Problem::new("unknown", "it cannot be simulated"))
    };
    let prepared = prepared(case.name).map_err(first)?;
    let mut base = prepared.variation.clone();
    base.coefficients.extend(case.fixed.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    let mut each = Vec::new();
    for row in rows {
        let mut variation = base.clone();
        for (name, value) in &row.parameters {
            variation.set(name, Value::Number(*value))?;
        }
        each.push(prepared.again(&variation).map_err(first)?);
    }
    let interrupt = AtomicBool::new(false);
    let one = |index: usize, values: &[f64]| -> Result<f64, Problem> {
        let mut variation = each[index].variation.clone();
        variation.coefficients.extend(case.free.iter().map(|name| (*name).to_owned()).zip(values.iter().copied()));
        let simulated = each[index].again(&variation).and_then(|it| simulate(&it, &RunControl::new(&interrupt)));
        Ok(simulated.map_err(first)?.result.time_s)
    };
    let small: Vec<usize> = (0..rows.len()).filter(|&index| !rows[index].is_held_out).collect();
    let real: Vec<f64> = small.iter().map(|&index| rows[index].real_s()).collect();
    let known = prepared.system.as_ref().map(|read| read.system.models.as_slice()).unwrap_or_default();
    let start = |name: &str| known.iter().find_map(|model| model.coefficients.get(name)).map_or(1.0, |one| one.value);
    let free: Vec<Free> = case
        .free
        .iter()
        .map(|name| Free { name: (*name).to_owned(), start: start(name), low: 0.0, high: f64::INFINITY })
        .collect();
    let options = Options { starts: 2, ..Options::default() };
    let found = calibrate(&real, &free, &options, &|values| small.iter().map(|&index| one(index, values)).collect())?;
    let values: Vec<f64> = found.coefficients.iter().map(|one| one.value).collect();
    let (mut train, mut held_out) = (Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let error = 100.0 * (one(index, &values)? / row.real_s() - 1.0).abs();
        if row.is_held_out { held_out.push(error) } else { train.push(error) }
    }
    Ok([train, held_out].map(|errors| Errors {
        mean: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        most: errors.iter().copied().fold(0.0, f64::max),
    }))
}

/// A template, ready to be varied, without noise.
fn prepared(name: &str) -> Result<Prepared, runcast_core::Problems> {
    let template = templates::find(name).ok_or_else(|| Problem::new("unknown", "there is no such template"))?;
    let experiment = experiment::read(template.experiment, "experiment.toml")?;
    let mut files = |path: &Path| match path.file_name().and_then(|name| name.to_str()) {
        Some("app.luau") => Ok(template.app.to_owned()),
        Some("system.toml") => Ok(template.system.to_owned()),
        _ => Err(Problem::new("unreadable", "the template has no such file")),
    };
    let inputs = Inputs::read(experiment, Settings::default(), &mut files)?;
    prepare(&Arc::new(inputs), &Variation::default())
}
