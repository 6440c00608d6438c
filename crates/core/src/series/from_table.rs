//! Splitting a table into series.

use super::groups::{Groups, labels_of};
use super::outliers::outliers;
use super::{Point, Series};
use crate::configuration::{Configuration, group_name};
use crate::metric::Metric;
use crate::model::TableSummary;
use crate::problem::{Problem, Problems, Warning, shorten};
use crate::roles::{ReadAs, Roles, TableOptions, roles_of, rows_where, status};
use crate::table::{ColumnData, Numbers, Table, number};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Maximum number of warnings about single repetitions at the top of a document; each series has its own.
const MOST_WARNINGS: usize = 20;

/// The series of a table.
#[derive(Debug, Clone, Default)]
pub struct SeriesSet {
    /// Groups in the order in which they first appear, the metrics of each in the order of the columns or options.
    pub series: Vec<Series>,
    /// Warnings about the table, including those of its series.
    pub warnings: Vec<Warning>,
    pub summary: TableSummary,
    /// The role of every column.
    pub read_as: ReadAs,
}

/// Sorts the runs of a table into series, one for each group and metric.
///
/// Rows whose `status` is neither empty nor a word of success (`ok`, `passed`, 0) are dropped and counted (`failed_runs`), rows without a value of a
/// metric do not count for it (`missing_metric`). Rows with the same parameters and labels are repetitions. Values are
/// in the SI unit of the metric. Of at least three repetitions, one further from the median than 25 % and than five
/// robust standard deviations of the logs raises `repetition_outlier`.
///
/// # Errors
/// Roles cannot be assigned ([`roles_of`]), a parameter has an empty cell, a text column left out of `--by` varies, or
/// no row is left.
///
/// # Examples
/// ```
/// use runcast_core::{Table, series::series_of};
/// let csv = b"app,p,rep,time_ms\nhpl,8,0,1500\nhpl,8,1,1510\nhpl,16,0,900\n";
/// let table = Table::read("runs.csv", csv, &Default::default())?;
/// let set = series_of(&table, &Default::default())?;
/// assert_eq!(set.series[0].group["app"], "hpl");
/// assert_eq!(set.series[0].points[0].values, [1.5, 1.51]);
/// # Ok::<(), runcast_core::Problems>(())
/// ```
pub fn series_of(table: &Table, options: &TableOptions) -> Result<SeriesSet, Problems> {
    let roles = roles_of(table, options)?;
    let mut warnings = table.warnings.clone();
    warnings.extend(roles.warnings.iter().cloned());
    let rows = chosen_rows(table, &roles, options, &mut warnings)?;
    check_constant(table, &roles, &rows)?;

    let builder = Builder { table, roles: &roles, options, names: parameter_names(table, &roles.parameters) };
    let mut groups = Groups::new(table, &roles.by, rows);
    let mut tally = Tally::default();
    let mut series = Vec::with_capacity(groups.len() * roles.metrics.len());
    for group in 0..groups.len() {
        builder.group(groups.rows_mut(group), &mut series, &mut tally)?;
    }
    if series.is_empty() {
        let names: Vec<&str> = roles.metrics.iter().map(|(_, metric)| metric.name.as_str()).collect();
        let message = format!("no row has a value of {}", shorten(&names.join(", "), 200));
        return Err(in_only_file(table, Problem::new("empty_table", message)).into());
    }
    warnings.extend(tally.warnings(table, &roles, options.drop_outliers));
    let summary = TableSummary {
        files: table.files.clone(),
        rows: tally.rows,
        configurations: tally.configurations.len(),
        parameters: builder.names.to_vec(),
    };
    let read_as = roles.read_as;
    Ok(SeriesSet { series, warnings, summary, read_as })
}

fn in_only_file(table: &Table, problem: Problem) -> Problem {
    match table.files.as_slice() {
        [file] => problem.in_file(file.as_str()),
        _ => problem,
    }
}

fn parameter_names(table: &Table, parameters: &[usize]) -> Arc<[String]> {
    parameters.iter().map(|&index| table.columns[index].name.clone()).collect()
}

/// The rows that pass the filters and whose run did not fail.
fn chosen_rows(
    table: &Table,
    roles: &Roles,
    options: &TableOptions,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<u32>, Problems> {
    let mut keep = rows_where(table, &options.filters, "--where")?;
    let filtered = keep.iter().filter(|&&keep| keep).count();
    if filtered == 0 {
        return Err(Problem::new("no_rows", "no row satisfies the filter")
            .at("--where")
            .value(options.filters.join(" and "))
            .into());
    }
    let failed = roles.status.map_or(0, |status| drop_failed(table, status, &mut keep));
    if failed > 0 {
        let rows = if failed == 1 { "row is" } else { "rows are" };
        let message = format!("{failed} {rows} left out because of their status");
        if failed == filtered {
            return Err(in_only_file(table, Problem::new("no_rows", format!("no run is left: {message}")))
                .at("status")
                .hint("an empty status, 0, or a word such as \"ok\" or \"success\" marks a run that counts")
                .into());
        }
        warnings.push(Warning::new("failed_runs", message));
    }
    Ok((0u32..).zip(&keep).filter(|&(_, &keep)| keep).map(|(row, _)| row).collect())
}

/// Drops rows whose status says that the run failed; returns how many.
fn drop_failed(table: &Table, column: usize, keep: &mut [bool]) -> usize {
    let mut dropped = 0;
    let mut drop = |row: usize, failed: bool| {
        if failed && keep[row] {
            keep[row] = false;
            dropped += 1;
        }
    };
    match &table.columns[column].data {
        ColumnData::Number(values) => {
            values.iter().enumerate().for_each(|(row, value)| drop(row, !status::is_good_number(*value)))
        }
        ColumnData::Text { codes, names } => {
            let good = status::that_count(names.iter().map(|name| &**name));
            codes.iter().enumerate().for_each(|(row, code)| drop(row, !good[code as usize]));
        }
    }
    dropped
}

/// Checks that text columns that form no groups hold one text.
fn check_constant(table: &Table, roles: &Roles, rows: &[u32]) -> Result<(), Problem> {
    for &index in &roles.constant {
        let column = &table.columns[index];
        let ColumnData::Text { codes, .. } = &column.data else { continue };
        let Some((&first, rest)) = rows.split_first() else { continue };
        let Some(&other) = rest.iter().find(|&&row| codes.at(row as usize) != codes.at(first as usize)) else {
            continue;
        };
        let name = shorten(&column.name, 60);
        let [one, two] = [first, other].map(|row| shorten(&column.cell(row as usize), 60));
        let message = format!("\"{name}\" is left out of --by and holds both \"{one}\" and \"{two}\"");
        let problem = Problem::new("not_constant", message)
            .at("--by")
            .value(column.name.as_str())
            .hint(format!("add it, as in --by {name}, or select rows: --where '{name} == \"{one}\"'"));
        return Err(table.problem_at(other as usize, problem));
    }
    Ok(())
}

/// Counts over all series.
#[derive(Default)]
struct Tally {
    rows: usize,
    configurations: HashSet<Box<[u64]>>,
    /// Rows without a value, by metric.
    missing: Vec<usize>,
    /// Rows without a value, by parameter.
    without: BTreeMap<String, usize>,
    outliers: Vec<Warning>,
    more_outliers: usize,
}

impl Tally {
    fn warnings(&self, table: &Table, roles: &Roles, dropped: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for ((column, metric), &missing) in roles.metrics.iter().zip(&self.missing) {
            if missing > 0 {
                let all = table.columns[*column].as_numbers().is_some_and(|values| values.iter().all(|v| v.is_nan()));
                let message = match (all, missing) {
                    (true, _) => format!("{} has no value in any row", metric.name),
                    (false, 1) => format!("1 row has no {} and is left out", metric.name),
                    (false, _) => format!("{missing} rows have no {} and are left out", metric.name),
                };
                warnings.push(Warning::new("missing_metric", message));
            }
        }
        for (name, &count) in &self.without {
            let rows = if count == 1 { "1 row has".to_owned() } else { format!("{count} rows have") };
            let are = if count == 1 { "is" } else { "are" };
            let message = format!("{rows} no value of {} and {are} left out", shorten(name, 60));
            warnings.push(Warning::new("missing_parameter", message));
        }
        warnings.extend(self.outliers.iter().cloned());
        if self.more_outliers > 0 {
            let left_out = if dropped { " and are left out" } else { "" };
            let message = format!("{} more repetitions lie far from the others{left_out}", self.more_outliers);
            warnings.push(Warning::new("repetition_outlier", message));
        }
        warnings
    }
}

struct Builder<'t> {
    table: &'t Table,
    roles: &'t Roles,
    options: &'t TableOptions,
    names: Arc<[String]>,
}

/// The parameters of one group: the columns, and which of them counts processes.
struct Parameters<'t> {
    names: Arc<[String]>,
    columns: Vec<&'t Numbers>,
    process: Option<usize>,
}

impl<'t> Builder<'t> {
    /// The series of the rows of one group.
    fn group(&self, rows: &mut [u32], series: &mut Vec<Series>, tally: &mut Tally) -> Result<(), Problem> {
        let rows = self.with_values(rows, tally);
        if rows.is_empty() {
            return Ok(());
        }
        let parameters = self.parameters(rows)?;
        sort_by_configuration(rows, &parameters);
        let group = labels_of(self.table, &self.roles.by, rows[0] as usize);
        let mut used = 0;
        tally.missing.resize(self.roles.metrics.len(), 0);
        for (number, (column, metric)) in self.roles.metrics.iter().enumerate() {
            let Some(values) = self.table.columns[*column].as_numbers() else { continue };
            let missing = rows.iter().filter(|&&row| values[row as usize].is_nan()).count();
            tally.missing[number] += missing;
            if missing == rows.len() {
                continue;
            }
            used = used.max(rows.len() - missing);
            let mut warnings = Vec::new();
            if missing > 0 {
                let message = format!("rows without {}: {missing}", metric.name);
                warnings.push(Warning::new("missing_metric", message));
            }
            let points = self.points(rows, &parameters, values, metric, &mut warnings, tally)?;
            series.push(Series {
                group: group.clone(),
                metric: metric.clone(),
                parameters: Arc::clone(&parameters.names),
                process_parameter: parameters.process,
                points,
                file: self.file_of(rows),
                warnings,
            });
        }
        tally.rows += used;
        Ok(())
    }

    /// The rows of a group that have a value of every parameter that was found, moved to the front: a column that some
    /// runs of a group lack is no reason to refuse the others. Where the user or the file names the parameters, and of
    /// what counts processes, none may lack.
    fn with_values<'r>(&self, rows: &'r mut [u32], tally: &mut Tally) -> &'r mut [u32] {
        let is_named = self.options.params.is_some() || self.table.roles.is_some();
        let process = self.roles.process_parameter.map(|position| self.roles.parameters[position]);
        let mut count = rows.len();
        for &index in self.roles.parameters.iter().filter(|index| !is_named && Some(**index) != process) {
            let Some(values) = self.table.columns[index].as_numbers() else { continue };
            let has_value = |row: &u32| !values[*row as usize].is_nan();
            let given = rows[..count].iter().filter(|row| has_value(row)).count();
            if given > 0 && given < count {
                let name = &self.table.columns[index].name;
                *tally.without.entry(name.clone()).or_default() += count - given;
                rows[..count].sort_by_key(|row| !has_value(row));
                count = given;
            }
        }
        &mut rows[..count]
    }

    /// The parameters that a group has: it may lack one in all of its rows, unless an option names it. One that is zero or
    /// less in all rows of a group, and was found by its values, is none of this group.
    fn parameters(&self, rows: &[u32]) -> Result<Parameters<'t>, Problem> {
        let may_lack = self.options.params.is_none();
        let is_found = may_lack && self.table.roles.is_none();
        let process = self.roles.process_parameter.map(|position| self.roles.parameters[position]);
        let mut columns = Vec::with_capacity(self.roles.parameters.len());
        let mut present = Vec::with_capacity(self.roles.parameters.len());
        for &index in &self.roles.parameters {
            let column = &self.table.columns[index];
            let Some(values) = column.as_numbers() else { continue };
            let first = values[rows[0] as usize];
            if is_found
                && Some(index) != process
                && first <= 0.0
                && rows.iter().all(|&row| values[row as usize] == first)
            {
                continue;
            }
            let missing = rows.iter().find(|&&row| values[row as usize].is_nan());
            if let Some(&row) = missing {
                if may_lack && rows.iter().all(|&row| values[row as usize].is_nan()) {
                    continue;
                }
                let name = shorten(&column.name, 60);
                let problem = Problem::new("missing_parameter", format!("the parameter \"{name}\" has no value here"))
                    .at(&*name)
                    .hint("fill the cell, or name the parameters: --params");
                return Err(self.table.problem_at(row as usize, problem));
            }
            present.push(index);
            columns.push(values);
        }
        let process = self
            .roles
            .process_parameter
            .and_then(|position| present.iter().position(|&index| index == self.roles.parameters[position]));
        let names = if present.len() == self.names.len() {
            Arc::clone(&self.names)
        } else {
            parameter_names(self.table, &present)
        };
        Ok(Parameters { names, columns, process })
    }

    /// The points of sorted rows.
    fn points(
        &self,
        rows: &[u32],
        parameters: &Parameters<'_>,
        values: &Numbers,
        metric: &Metric,
        warnings: &mut Vec<Warning>,
        tally: &mut Tally,
    ) -> Result<Vec<Point>, Problem> {
        let mut points = Vec::new();
        let mut key = Vec::with_capacity(parameters.columns.len());
        for same in rows.chunk_by(|&a, &b| compare(a, b, parameters) == Ordering::Equal) {
            let mut point = Point {
                at: parameters.columns.iter().map(|column| column[same[0] as usize]).collect(),
                values: Vec::with_capacity(same.len()),
                lines: Vec::with_capacity(same.len()),
            };
            for &row in same {
                let value = values[row as usize];
                if value.is_nan() {
                    continue;
                }
                let scaled = value * metric.scale;
                if !scaled.is_finite() {
                    let problem = Problem::new("too_large", format!("{value} is too large in {}", metric.unit));
                    return Err(self.table.problem_at(row as usize, problem.at(&*metric.name)));
                }
                point.values.push(scaled);
                point.lines.push(self.table.origins.at(row as usize).line);
            }
            if point.values.is_empty() {
                continue;
            }
            self.look_for_outliers(same, values, parameters, metric, &mut point, warnings, tally);
            key.clear();
            key.extend(point.at.iter().map(|&value| number::bits(value)));
            if !tally.configurations.contains(key.as_slice()) {
                tally.configurations.insert(key.as_slice().into());
            }
            points.push(point);
        }
        Ok(points)
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a warning states")]
    fn look_for_outliers(
        &self,
        rows: &[u32],
        values: &Numbers,
        parameters: &Parameters<'_>,
        metric: &Metric,
        point: &mut Point,
        warnings: &mut Vec<Warning>,
        tally: &mut Tally,
    ) {
        let found = outliers(&point.values);
        if found.is_empty() {
            return;
        }
        let measured: Vec<u32> = rows.iter().copied().filter(|&row| !values[row as usize].is_nan()).collect();
        let median = crate::statistics::median(&point.values);
        let labels = group_name(&labels_of(self.table, &self.roles.by, rows[0] as usize));
        let labels = if labels.is_empty() { labels } else { format!(", {}", shorten(&labels, 100)) };
        let at = format!("{}{labels}", Configuration::from_pairs(&parameters.names, &point.at));
        let at = at.trim_start_matches(", ");
        let left_out = if self.options.drop_outliers { "; it is left out" } else { "" };
        for &index in &found {
            let origin = self.table.origins.at(measured[index] as usize);
            let unit = if metric.unit.is_empty() { String::new() } else { format!(" {}", metric.unit) };
            let message = format!(
                "{} of {}{unit} at {at} lies far from the median of its {} repetitions, {}{unit}{left_out}",
                metric.name,
                rounded(point.values[index]),
                point.values.len(),
                rounded(median),
            );
            let warning = Warning::new("repetition_outlier", message);
            let warning = match self.table.files.get(origin.file as usize) {
                Some(file) => warning.in_file(file.as_str(), u64::from(origin.line)),
                None => warning,
            };
            if tally.outliers.len() < MOST_WARNINGS {
                tally.outliers.push(warning.clone());
            } else {
                tally.more_outliers += 1;
            }
            warnings.push(warning);
        }
        if self.options.drop_outliers {
            for &index in found.iter().rev() {
                point.values.remove(index);
                point.lines.remove(index);
            }
        }
    }

    /// The file of the rows, if it is one.
    fn file_of(&self, rows: &[u32]) -> Option<Arc<str>> {
        let file = |row: u32| self.table.origins.at(row as usize).file;
        let first = file(rows[0]);
        let same = self.table.files.len() == 1 || rows.iter().all(|&row| file(row) == first);
        same.then(|| self.table.files.get(first as usize).map(|name| Arc::from(name.as_str()))).flatten()
    }
}

/// Four significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// By the process parameter, then by the others in their order; repetitions stay in the order of the table.
fn sort_by_configuration(rows: &mut [u32], parameters: &Parameters<'_>) {
    rows.sort_by(|&a, &b| compare(a, b, parameters));
}

fn compare(a: u32, b: u32, parameters: &Parameters<'_>) -> Ordering {
    // None of them is NaN, so every pair has an order.
    let by = |column: &Numbers| column[a as usize].partial_cmp(&column[b as usize]).unwrap_or(Ordering::Equal);
    let process = parameters.process.map_or(Ordering::Equal, |index| by(parameters.columns[index]));
    process.then_with(|| {
        parameters.columns.iter().map(|column| by(column)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    })
}
