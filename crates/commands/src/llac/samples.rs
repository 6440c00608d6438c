//! Turns the rows of a table into the samples of a fit, and counts the rows left out, by reason.

mod domain;
mod group;
mod ranks;

pub use ranks::Ranks;

use super::run_labels;
use super::runs::Runs;
use crate::failure::Failure;
use indexmap::IndexMap;
use runcast_call::piecewise::{Repeated, Samples};
use runcast_core::problem::shorten;
use runcast_core::table::{Column, ColumnData, Numbers};
use runcast_core::{Group, Metric, Problem};
use runcast_formula::Formula;
use runcast_formula::template::Template;

/// Samples that do not count, by reason.
pub type Rejected = IndexMap<String, usize>;

/// What is asked of a table.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The experiment; none: the only one.
    pub experiment: Option<&'a str>,
    /// The formula.
    pub template: &'a Template,
    /// Along what pieces are looked for.
    pub segmentation: &'a [Formula],
    /// Whether every parameter may divide.
    pub looks_everywhere: bool,
    /// The metric; none: the usual one.
    pub metric: Option<&'a str>,
    /// What becomes of several ranks.
    pub ranks: Ranks,
}

/// Rows of one experiment.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Its labels.
    pub group: Group,
    pub rows: Vec<u32>,
}

/// The rows of an experiment.
///
/// # Errors
/// It does not exist, or the name is ambiguous.
pub fn rows_of(runs: &Runs, experiment: Option<&str>) -> Result<Rows, Failure> {
    let all = || (0..u32::try_from(runs.table.rows()).unwrap_or(u32::MAX)).collect::<Vec<u32>>();
    let names = runs.experiments();
    let missing = |name: &str| {
        Problem::new("unknown_experiment", format!("the table has no experiment {}", shorten(name, 60)))
            .at("fit")
            .value(name)
            .allowed(shorten(&names.join(", "), 400))
            .or_near(name, names.iter().map(String::as_str))
    };
    let Some(label) = runs.label() else {
        let labels = runs.labels();
        return match experiment {
            Some(name) => Err(missing(name).into()),
            None if labels.is_empty() => Ok(Rows { group: Group::new(), rows: all() }),
            None => one_group(runs, &labels, &all()).map(|group| Rows { group, rows: all() }),
        };
    };
    let name = match (experiment, names.as_slice()) {
        (Some(name), _) if names.iter().any(|known| known == name) => name,
        (Some(name), _) => return Err(missing(name).into()),
        (None, [only]) => only,
        (None, _) => {
            let with_rows: Vec<&String> = names.iter().filter(|name| has_rows(runs, label, name)).collect();
            match with_rows.as_slice() {
                &[only] => only,
                _ => {
                    let problem = Problem::new("which_experiment", "the table has several experiments").at("fit");
                    let example = format!("name one: fit {}", names.first().map_or("", String::as_str));
                    return Err(problem.allowed(shorten(&names.join(", "), 400)).hint(example).into());
                }
            }
        }
    };
    let mut rows = all();
    if let Some(column) = runs.table.column(label) {
        match &column.data {
            ColumnData::Text { codes, names } => {
                let code = names.iter().position(|known| known == name);
                rows.retain(|&row| Some(codes.at(row as usize) as usize) == code);
            }
            ColumnData::Number(_) => rows.retain(|&row| column.cell(row as usize) == name),
        }
    }
    if rows.is_empty() {
        let problem = Problem::new("no_samples", format!("the experiment {name} was never visited"));
        return Err(Failure::undone(problem.at("fit").hint("run the program where it comes by")));
    }
    let mut group: Group = [(label.to_owned(), name.to_owned())].into_iter().collect();
    let others: Vec<usize> =
        runs.labels().into_iter().filter(|&index| runs.table.columns[index].name != label).collect();
    group.extend(one_group(runs, &others, &rows)?);
    Ok(Rows { group, rows })
}

fn has_rows(runs: &Runs, label: &str, name: &str) -> bool {
    let column = runs.table.column(label);
    column.is_some_and(|column| match &column.data {
        ColumnData::Text { codes, names } => names
            .iter()
            .position(|known| known == name)
            .is_some_and(|code| codes.iter().any(|other| other as usize == code)),
        ColumnData::Number(_) => (0..column.len()).any(|row| column.cell(row) == name),
    })
}

/// The group of rows whose columns of text are constant.
fn one_group(runs: &Runs, labels: &[usize], rows: &[u32]) -> Result<Group, Failure> {
    let mut group = Group::new();
    for &index in labels {
        let column = &runs.table.columns[index];
        let ColumnData::Text { codes, names } = &column.data else { continue };
        let Some(code) = rows.first().map(|&row| codes.at(row as usize)) else { continue };
        let first = names[code as usize].clone();
        if let Some(&row) = rows.iter().find(|&&row| codes.at(row as usize) != code) {
            let (name, other) = (&column.name, column.cell(row as usize));
            let message = format!("{name} holds {} and {}", shorten(&first, 40), shorten(&other, 40));
            let problem = Problem::new("which_experiment", message).at("fit");
            return Err(problem.hint(format!("take one: subset T where {name} == \"{}\"", shorten(&first, 40))).into());
        }
        group.insert(column.name.clone(), first);
    }
    Ok(group)
}

/// The samples of a fit.
///
/// # Errors
/// A column that is not there, a metric without a value, nothing that counts.
pub fn samples(runs: &Runs, question: &Question<'_>) -> Result<Samples, Failure> {
    let Rows { group, mut rows } = rows_of(runs, question.experiment)?;
    let (index, metric) = metric_of(runs, question.metric, &rows)?;
    let values = runs.table.columns[index].as_numbers().unwrap_or_default();
    let visits = runs.table.column("visits").filter(|_| runs.is_trace()).and_then(Column::as_numbers);
    let mut rejected = Rejected::new();
    let exits_ok = group.get("region").and_then(|name| runs.metadata.experiments.get(name)).is_some_and(|e| e.exits_ok);
    reject_by_status(runs, exits_ok, visits, &mut rows, &mut rejected);

    let names = parameters(runs, question, &rows)?;
    let columns: Vec<&Numbers> = names.iter().map(|name| runs.numbers(name, "fit")).collect::<Result<_, Problem>>()?;
    retain(&mut rows, visits, &mut rejected, |row| {
        let is_missing = values[row].is_nan() || columns.iter().any(|column| column[row].is_nan());
        match () {
            () if is_missing => Some("missing value"),
            () if metric.is_time() && values[row] < 0.0 => Some("negative time"),
            () if !(values[row] * metric.scale).is_finite() => Some("too large"),
            () => None,
        }
    });
    let (mut configurations, rows) = group::configurations(&columns, &rows);
    let domain = domain::Domain::new(question.template, question.segmentation, &names);
    let mut kept = Vec::with_capacity(configurations.len());
    for (at, rows) in configurations.drain(..).zip(rows) {
        match domain.objection(&at) {
            Some(reason) => count(&mut rejected, reason, rows.iter().map(|&row| row as usize), visits),
            None => kept.push((at, rows)),
        }
    }
    let run_of_row = run_labels::of_rows(&runs.table);
    let measured = ranks::Measured { runs, run_of_row: run_of_row.as_deref(), values, visits, scale: metric.scale };
    let configurations: Vec<Repeated> = kept
        .into_iter()
        .filter_map(|(at, rows)| measured.repeated(at, &rows, question.ranks).transpose())
        .collect::<Result<_, _>>()?;
    if configurations.is_empty() {
        let told: Vec<String> = rejected.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
        let problem = Problem::new("no_samples", "no sample is left to fit").at("fit");
        return Err(Failure::undone(match told.as_slice() {
            [] => problem,
            _ => problem.value(told.join(", ")).hint(format!("rejected were: {}", told.join(", "))),
        }));
    }
    let process_parameter = process_parameter(runs, &names);
    Ok(Samples { group, metric, parameters: names, process_parameter, configurations, rejected })
}

/// What the table as a whole would reject: of each experiment with a formula by its formula, of others by status.
pub fn rejected(runs: &Runs) -> Rejected {
    let mut all = Rejected::new();
    for name in runs.experiments() {
        let Ok(Rows { group, mut rows }) = rows_of(runs, Some(&name)) else { continue };
        let visits = runs.table.column("visits").filter(|_| runs.is_trace()).and_then(Column::as_numbers);
        let experiment = group.get("region").and_then(|name| runs.metadata.experiments.get(name));
        reject_by_status(runs, experiment.is_some_and(|e| e.exits_ok), visits, &mut rows, &mut all);
        let Ok((index, metric)) = metric_of(runs, None, &rows) else { continue };
        let values = runs.table.columns[index].as_numbers().unwrap_or_default();
        let template = experiment.and_then(|experiment| experiment.template.as_ref());
        let names: Vec<String> = template.map_or(Vec::new(), |template| template.names().to_vec());
        let columns: Option<Vec<&Numbers>> = names.iter().map(|name| runs.numbers(name, "").ok()).collect();
        let columns = columns.unwrap_or_default();
        retain(&mut rows, visits, &mut all, |row| match () {
            () if values[row].is_nan() || columns.iter().any(|column| column[row].is_nan()) => Some("missing value"),
            () if metric.is_time() && values[row] < 0.0 => Some("negative time"),
            () => None,
        });
        let Some(template) = template.filter(|_| columns.len() == names.len()) else { continue };
        let (configurations, rows) = group::configurations(&columns, &rows);
        let domain = domain::Domain::new(template, &[], &names);
        for (at, rows) in configurations.iter().zip(&rows) {
            if let Some(reason) = domain.objection(at) {
                count(&mut all, reason, rows.iter().map(|&row| row as usize), visits);
            }
        }
    }
    all
}

/// The metric: the one asked for, `time_s`, the only one, or the first that has values.
fn metric_of(runs: &Runs, asked: Option<&str>, rows: &[u32]) -> Result<(usize, Metric), Failure> {
    let has_value = |index: usize| {
        runs.table.columns[index]
            .as_numbers()
            .is_some_and(|values| rows.iter().any(|&row| !values[row as usize].is_nan()))
    };
    let name = asked.map(|asked| asked.rsplit_once(':').map_or(asked, |(name, _)| name));
    if let Some((name, reason)) = name.and_then(|name| Some((name, runs.metadata.counters.get(name)?))) {
        let problem = Problem::new("no_counter", format!("{name} is n/a: {reason}")).at("metric").value(name);
        return Err(Failure::undone(problem));
    }
    let roles = runs.roles(asked)?;
    let chosen = match asked {
        Some(_) => roles.metrics.into_iter().next(),
        None => {
            let mut with_values: Vec<_> = roles.metrics.into_iter().filter(|(index, _)| has_value(*index)).collect();
            match with_values.iter().position(|(_, metric)| metric.name == "time_s") {
                Some(time) => Some(with_values.swap_remove(time)),
                None if with_values.len() > 1 => {
                    let names: Vec<&str> = with_values.iter().map(|(_, metric)| metric.name.as_str()).collect();
                    let problem = Problem::new("which_metric", "the table has several metrics").at("fit");
                    let hint = format!("name one: fit metric {}", names[0]);
                    return Err(problem.allowed(names.join(", ")).hint(hint).into());
                }
                None => with_values.pop(),
            }
        }
    };
    match chosen {
        Some((index, metric)) if has_value(index) => Ok((index, metric)),
        Some((_, metric)) => {
            let problem = Problem::new("no_value", format!("{} has no value here", metric.name)).at("metric");
            let problem = problem.value(metric.name.clone());
            Err(Failure::undone(match metric.name.as_str() {
                "cpu_s" => problem.hint("record it: metric(cpu) in the pragma, or CLL_CPU=1 where the program runs"),
                _ => problem,
            }))
        }
        None => Err(Failure::undone(Problem::new("no_value", "no metric has a value here").at("metric"))),
    }
}

fn reject_by_status(
    runs: &Runs,
    exits_ok: bool,
    visits: Option<&Numbers>,
    rows: &mut Vec<u32>,
    rejected: &mut Rejected,
) {
    let Some(column) = runs.table.column("status") else { return };
    let ColumnData::Text { codes, names } = &column.data else { return };
    let reasons: Vec<Option<&str>> = names
        .iter()
        .map(|name| match name.trim() {
            "" | "ok" => None,
            "exit" if exits_ok => None,
            other => Some(other),
        })
        .collect();
    retain(rows, visits, rejected, |row| reasons[codes.at(row) as usize]);
}

fn retain<'r>(
    rows: &mut Vec<u32>,
    visits: Option<&Numbers>,
    rejected: &mut Rejected,
    reason: impl Fn(usize) -> Option<&'r str>,
) {
    rows.retain(|&row| match reason(row as usize) {
        None => true,
        Some(reason) => {
            count(rejected, reason, [row as usize], visits);
            false
        }
    });
}

/// Counts samples: an aggregated row stands for its visits.
fn count(rejected: &mut Rejected, reason: &str, rows: impl IntoIterator<Item = usize>, visits: Option<&Numbers>) {
    for row in rows {
        let samples = visits.map_or(1.0, |visits| visits[row]).clamp(1.0, 1e15);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let samples = if samples.is_nan() { 1 } else { samples as usize };
        match rejected.get_mut(reason) {
            Some(count) => *count += samples,
            None => {
                rejected.insert(reason.to_owned(), samples);
            }
        }
    }
}

/// The names that make a configuration: those of the formula and of `seg`, and all that a trace records. Where the
/// search looks everywhere, or the formula names none, every parameter that the rows vary.
fn parameters(runs: &Runs, question: &Question<'_>, rows: &[u32]) -> Result<Vec<String>, Failure> {
    let used = || {
        let seg = question.segmentation.iter().flat_map(|formula| formula.names().iter());
        question.template.names().iter().chain(seg)
    };
    for name in used() {
        runs.numbers(name, "fit")?;
    }
    let (all, _) = runs.names();
    let column = |name: &String| runs.table.column(name).and_then(Column::as_numbers);
    let is_known =
        |name: &String| column(name).is_some_and(|values| rows.iter().all(|&row| !values[row as usize].is_nan()));
    let varies = |name: &String| {
        column(name).is_some_and(|values| {
            let first = rows.first().map_or(f64::NAN, |&row| values[row as usize]);
            rows.iter().any(|&row| values[row as usize] != first)
        })
    };
    // A trace records what is meant to matter; other tables have columns that only keep the books.
    let wants_all = runs.is_trace() || question.looks_everywhere || used().next().is_none();
    let is_wanted = |name: &String| wants_all && is_known(name) && (runs.is_trace() || varies(name));
    let mut names: Vec<String> =
        all.into_iter().filter(|name| used().any(|used| used == name) || is_wanted(name)).collect();
    for name in used() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    Ok(names)
}

/// The parameter that counts processes: `P` of a trace, else by its name.
fn process_parameter(runs: &Runs, names: &[String]) -> Option<String> {
    let is_used = |name: &&String| names.contains(name);
    let by_name = runs.roles(None).ok().and_then(|roles| {
        let column = *roles.parameters.get(roles.process_parameter?)?;
        Some(runs.table.columns[column].name.clone())
    });
    by_name.filter(|name| names.contains(name)).or_else(|| Some(&"P".to_owned()).filter(is_used).cloned())
}
