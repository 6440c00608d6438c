//! Which rows of a table count, and what their times are.

use super::RowArgs;
use crate::failure::Failure;
use runcast_core::problem::shorten;
use runcast_core::roles::{TableOptions, column_index, roles_of, rows_where};
use runcast_core::table::{Column, ColumnData, Numbers};
use runcast_core::{Metric, Problem, Table, Warning};
use std::collections::HashMap;

/// The column that counts workers.
pub(super) const WORKERS: &str = "workers";
/// The column with the length of the list.
pub(super) const LIST_LENGTH: &str = "list_length";
/// The column with the number of iterations that a time is of.
const ITERATIONS: &str = "iterations";

/// Columns of numbers that say nothing of what was run.
const NO_SETTINGS: [&str; 7] = [WORKERS, LIST_LENGTH, ITERATIONS, "rank", "count", "rep", "key"];

/// The rows that count, with times of one iteration where the table states how many there were.
///
/// # Errors
/// There is no such row; `workers`, or a column of times, is missing.
pub(super) fn prepared(table: &Table, choice: &RowArgs) -> Result<(Table, TableOptions), Failure> {
    let counted = choice.process_param.as_deref().map(|name| with_workers(table, name)).transpose()?;
    let table = counted.as_ref().unwrap_or(table);
    column_index(table, WORKERS, WORKERS)?;
    let mut keep = rows_where(table, &choice.filters, "--where")?;
    if !keep.contains(&true) {
        let problem = Problem::new("no_rows", "no row satisfies the filter").at("--where");
        return Err(problem.value(choice.filters.join(" and ")).into());
    }
    keep_iterations_of_master(table, &mut keep)?;
    let mut table = table.kept(&keep);
    let options = options(&table, choice)?;
    options.params.iter().flatten().try_for_each(|name| no_gaps(&table, name))?;
    per_iteration(&mut table, &options)?;
    Ok((table, options))
}

/// The table with a column `workers`: those of a column with such a name, else one less than its processes. A process alone
/// is no worker, and its time is none of the model.
fn with_workers(table: &Table, name: &str) -> Result<Table, Failure> {
    let index = column_index(table, name, "--process-param")?;
    let counts_workers = [WORKERS, "K", "k"].contains(&name);
    let Some(numbers) = table.columns[index].as_numbers().map(Numbers::to_vec) else {
        let problem = Problem::new("not_a_number", format!("{name} must be a column of numbers"));
        return Err(in_only_file(table, problem).at("--process-param").value(name).into());
    };
    let workers: Vec<f64> = numbers.iter().map(|count| if counts_workers { *count } else { count - 1.0 }).collect();
    let mut counted = table.kept(&workers.iter().map(|workers| *workers != 0.0).collect::<Vec<bool>>());
    counted.columns.retain(|column| column.name != WORKERS);
    counted.columns.push(Column::numbers(WORKERS, workers.into_iter().filter(|workers| *workers != 0.0).collect()));
    Ok(counted)
}

/// Of a table that `bsf run --timings` wrote, which has a row a region and rank, the iterations of the master.
fn keep_iterations_of_master(table: &Table, keep: &mut [bool]) -> Result<(), Problem> {
    let (Some(region), Some(rank)) = (table.column("region"), table.column("rank")) else { return Ok(()) };
    let is_iteration = |row: usize| region.cell(row).trim() == "iteration" && rank.cell(row).trim() == "0";
    keep.iter_mut().enumerate().for_each(|(row, keep)| *keep = *keep && is_iteration(row));
    if keep.contains(&true) {
        return Ok(());
    }
    let message =
        "of a table with region and rank, the rows with region \"iteration\" and rank 0 count; there are none";
    Err(in_only_file(table, Problem::new("no_rows", message)).at("region"))
}

/// Which columns are what: of the columns of numbers, workers and the length of the list alone are parameters.
fn options(table: &Table, choice: &RowArgs) -> Result<TableOptions, Failure> {
    let default = || table.column("time_s").map(|column| column.name.clone());
    let filled = |column: &Column| (0..table.rows()).any(|row| !column.cell(row).trim().is_empty());
    let has_length = table.column(LIST_LENGTH).is_some_and(filled);
    let parameters = [Some(WORKERS), has_length.then_some(LIST_LENGTH)];
    let mut options = TableOptions {
        metrics: choice.metric.clone().or_else(default).into_iter().collect(),
        params: Some(parameters.into_iter().flatten().map(str::to_owned).collect()),
        process_param: Some(WORKERS.to_owned()),
        drop_outliers: choice.drop_outliers,
        ..TableOptions::default()
    };
    let roles = roles_of(table, &options)?;
    let names: Vec<&str> = roles.metrics.iter().map(|(_, metric)| metric.name.as_str()).collect();
    match roles.metrics.as_slice() {
        [(_, metric)] if metric.unit == "s" => {
            options.metrics = vec![choice.metric.clone().unwrap_or_else(|| metric.name.clone())];
            Ok(options)
        }
        [(_, metric)] => {
            let message = format!("{} is no time: its unit is \"{}\"", metric.name, metric.unit);
            Err(in_only_file(table, Problem::new("not_a_time", message))
                .at("--metric")
                .allowed("a column of times")
                .into())
        }
        _ => {
            let problem = Problem::new("several_metrics", "several columns are metrics");
            Err(in_only_file(table, problem).at("--metric").allowed(names.join(", ")).into())
        }
    }
}

/// Every row has a number in this column.
fn no_gaps(table: &Table, name: &str) -> Result<(), Problem> {
    let gap = table.column(name).and_then(|column| (0..table.rows()).find(|&row| column.cell(row).trim().is_empty()));
    match gap {
        Some(row) => {
            let problem = Problem::new("missing_parameter", format!("{name} has no value here")).at(name);
            Err(table.problem_at(row, problem.allowed("a whole number, 1 or more")))
        }
        None => Ok(()),
    }
}

/// Divides times of whole runs by their iterations.
fn per_iteration(table: &mut Table, options: &TableOptions) -> Result<(), Failure> {
    let Some(iterations) = table.column(ITERATIONS) else { return Ok(()) };
    let Some(counts) = iterations.as_numbers().map(Numbers::to_vec) else {
        let problem = Problem::new("not_a_number", "iterations must be numbers");
        return Err(table.problem_at(0, problem.at(ITERATIONS).value(iterations.cell(0))).into());
    };
    let is_wrong = |row: &usize| !(counts[*row] >= 1.0 && counts[*row].is_finite()) && counts_as_run(table, *row);
    if let Some(row) = (0..table.rows()).find(is_wrong) {
        let problem = Problem::new("iterations", format!("{} iterations", iterations.cell(row)));
        let problem = problem.at(ITERATIONS).value(iterations.cell(row)).allowed("a number, 1 or more");
        return Err(table.problem_at(row, problem).into());
    }
    let roles = roles_of(table, options)?;
    for (column, _) in roles.metrics {
        if let ColumnData::Number(times) = &mut table.columns[column].data {
            times.map(|row, time| time / counts[row]);
        }
    }
    Ok(())
}

/// Whether a row is of a run that did not fail.
fn counts_as_run(table: &Table, row: usize) -> bool {
    table.column("status").is_none_or(|status| matches!(status.cell(row).trim(), "" | "ok"))
}

/// A warning about columns of numbers that differ between runs with as many workers: what differs there may be no
/// repetition.
pub(super) fn mixed_settings(table: &Table) -> Option<Warning> {
    let workers = table.column(WORKERS)?;
    let is_setting = |column: &&Column| {
        !NO_SETTINGS.contains(&column.name.as_str())
            && column.as_numbers().is_some()
            && Metric::from_name(&column.name).is_none()
    };
    let differs = |column: &&Column| {
        let mut seen: HashMap<String, String> = HashMap::new();
        (0..table.rows()).filter(|&row| counts_as_run(table, row)).any(|row| {
            let cell = column.cell(row);
            *seen.entry(workers.cell(row)).or_insert_with(|| cell.clone()) != cell
        })
    };
    let names: Vec<&str> =
        table.columns.iter().filter(is_setting).filter(differs).map(|column| column.name.as_str()).collect();
    let first = names.first()?;
    let message = format!(
        "runs with as many workers differ in {}, and are taken for repetitions; --where '{first} == ..' chooses some",
        shorten(&names.join(", "), 100)
    );
    Some(Warning::new("mixed_settings", message))
}

/// Says in which file a problem is, if there is one file.
pub(super) fn in_only_file(table: &Table, problem: Problem) -> Problem {
    match table.files.as_slice() {
        [file] => problem.in_file(file.as_str()),
        _ => problem,
    }
}
