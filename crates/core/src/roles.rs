//! Roles: which columns of a table are parameters, metrics and labels.
//!
//! Options take precedence over the file's own declaration, and that over the names:
//!
//! - `rep`, `key` and `status` number repetitions, identify rows and mark failed runs;
//! - a name that ends in a unit (`time_s`), or that is `time`, `elapsed`, `runtime`, is a metric
//!   ([`Metric::from_name`]); where there is no such time or rate, words and units in brackets suggest one
//!   ([`Metric::from_word`]);
//! - other columns of text, and `region`, are labels; other columns of numbers are parameters, unless they hold
//!   results of a run rather than inputs (`inputs`);
//! - of the parameters, the one named like a number of processes counts them (`processes`);
//! - in a table of predictions, metrics are the columns with bounds beside them, and `method` and `model` are labels
//!   where they vary.

mod filter;
mod inputs;
mod processes;

use crate::metric::{Direction, Metric};
use crate::prediction::{bound_name, is_of_predictions, special_columns};
use crate::problem::{Problem, Problems, Warning, shorten};
use crate::table::{Column, ColumnData, Table, number};

pub use filter::rows_where;

/// Options shared by every command that takes a table.
#[derive(Debug, Clone, Default)]
pub struct TableOptions {
    /// `NAME[:UNIT]`: the metrics; when empty, every column that is a metric.
    pub metrics: Vec<String>,
    /// The parameters; other numeric columns are then used only in filters.
    pub params: Option<Vec<String>>,
    /// The columns that form groups; all text columns when absent.
    pub by: Option<Vec<String>>,
    /// Which parameter counts processes.
    pub process_param: Option<String>,
    /// Formulas over the rows; rows that satisfy all of them are used.
    pub filters: Vec<String>,
    /// Which direction is better, overriding the metric's name.
    pub direction: Option<Direction>,
    /// Drops outliers among the repetitions.
    pub drop_outliers: bool,
}

/// The roles of the columns; numbers are indices into [`Table::columns`].
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// The parameters, in the order of the options or of the file.
    pub parameters: Vec<usize>,
    /// Which of `parameters` counts processes.
    pub process_parameter: Option<usize>,
    pub metrics: Vec<(usize, Metric)>,
    /// The labels that form groups.
    pub by: Vec<usize>,
    /// Text columns that have no role and must be constant.
    pub constant: Vec<usize>,
    /// The column that marks failed runs.
    pub status: Option<usize>,
    /// Warnings about assumed units and numeric columns that are not parameters.
    pub warnings: Vec<Warning>,
}

/// Columns that are neither parameter nor label.
const SPECIAL: [&str; 3] = ["rep", "key", "status"];

/// Assigns roles to the columns of a table.
///
/// # Errors
/// Options name missing columns, a column that must be numeric holds something else, or no column is a metric.
pub fn roles_of(table: &Table, options: &TableOptions) -> Result<Roles, Problems> {
    let is_of_predictions = is_of_predictions(table);
    let special = if is_of_predictions { special_columns(table) } else { Vec::new() };
    let assignment = Assignment { table, options, is_of_predictions, special };
    let by = assignment.chosen_labels()?;
    let chosen_parameters = assignment.chosen_parameters()?;
    let metrics = assignment.metrics(by.as_deref(), chosen_parameters.as_deref())?;
    let (parameters, ignored) = match chosen_parameters {
        Some(chosen) => (chosen, Vec::new()),
        None => assignment.parameters(by.as_deref(), &metrics),
    };
    let all_labels = assignment.labels(&metrics, &parameters);
    let (by, constant) = match by {
        Some(by) => {
            let left_out = all_labels.into_iter().filter(|index| !by.contains(index)).collect();
            (by, left_out)
        }
        None => (all_labels, Vec::new()),
    };
    assignment.check_numbers(&metrics, &parameters, &by, &constant)?;
    let process_parameter = assignment.process_parameter(&parameters)?;
    let assumed = metrics.iter().filter(|(_, metric)| metric.unit_assumed).map(|(_, metric)| {
        let name = &metric.name;
        let message = format!("{name} has no unit; seconds are assumed (--metric {name}:s confirms it)");
        Warning::new("unit_assumed", message)
    });
    let left_out = ignored.into_iter().map(|(index, reason)| {
        let name = shorten(&table.columns[index].name, 60);
        Warning::new("column_ignored", format!("{name} is not a parameter: {reason} (--params names the parameters)"))
    });
    let warnings = assumed.chain(left_out).collect();
    let status = table.columns.iter().position(|column| column.name == "status").filter(|index| !by.contains(index));
    Ok(Roles { parameters, process_parameter, metrics, by, constant, status, warnings })
}

/// The column of this name.
///
/// # Errors
/// `unknown_column` with the available names; `option` is where the name was given.
pub fn column_index(table: &Table, name: &str, option: &str) -> Result<usize, Problem> {
    table.columns.iter().position(|column| column.name == name).ok_or_else(|| {
        let names = table.columns.iter().map(|column| column.name.as_str());
        let problem = Problem::new("unknown_column", format!("there is no column \"{}\"", shorten(name, 60)))
            .at(option)
            .value(name)
            .one_of(name, names);
        match table.files.as_slice() {
            [file] => problem.in_file(file.as_str()),
            _ => problem,
        }
    })
}

struct Assignment<'t> {
    table: &'t Table,
    options: &'t TableOptions,
    is_of_predictions: bool,
    /// Columns of a table of predictions that have no role unless an option names them.
    special: Vec<String>,
}

impl Assignment<'_> {
    fn name(&self, index: usize) -> &str {
        &self.table.columns[index].name
    }

    /// Whether a column is neither parameter nor metric nor label by its name.
    fn is_special(&self, column: &Column) -> bool {
        SPECIAL.contains(&column.name.as_str()) || self.special.contains(&column.name)
    }

    /// The columns that `--by` names.
    fn chosen_labels(&self) -> Result<Option<Vec<usize>>, Problem> {
        let Some(names) = &self.options.by else { return Ok(None) };
        self.columns_of(names, "--by").map(Some)
    }

    /// The columns that `--params` names.
    fn chosen_parameters(&self) -> Result<Option<Vec<usize>>, Problem> {
        let Some(names) = &self.options.params else { return Ok(None) };
        let chosen = self.columns_of(names, "--params")?;
        let both = |index: &&usize| {
            self.options.by.as_ref().is_some_and(|by| by.iter().any(|name| name == self.name(**index)))
        };
        match chosen.iter().find(both) {
            Some(&index) => {
                Err(Problem::new("two_roles", format!("\"{}\" is named by --params and by --by", self.name(index)))
                    .at("--params")
                    .value(self.name(index))
                    .hint("a column forms groups or is a parameter, not both"))
            }
            None => Ok(Some(chosen)),
        }
    }

    fn columns_of(&self, names: &[String], option: &str) -> Result<Vec<usize>, Problem> {
        let mut columns = Vec::with_capacity(names.len());
        for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            let index = column_index(self.table, name, option)?;
            if !columns.contains(&index) {
                columns.push(index);
            }
        }
        Ok(columns)
    }

    fn metrics(&self, by: Option<&[usize]>, params: Option<&[usize]>) -> Result<Vec<(usize, Metric)>, Problem> {
        let taken = |index: usize| [by, params].into_iter().flatten().any(|list| list.contains(&index));
        let mut metrics = Vec::new();
        if !self.options.metrics.is_empty() {
            for option in &self.options.metrics {
                let (index, metric) = self.metric_option(option)?;
                if taken(index) {
                    let message = format!("\"{}\" is named by --metric and by --params or --by", metric.name);
                    return Err(Problem::new("two_roles", message).at("--metric").value(option.as_str()));
                }
                if !metrics.iter().any(|&(other, _)| other == index) {
                    metrics.push((index, metric));
                }
            }
        } else if let Some(roles) = self.table.roles.as_ref().filter(|roles| !roles.metrics.is_empty()) {
            for name in &roles.metrics {
                let Some(index) = self.table.columns.iter().position(|column| column.name == *name) else { continue };
                if !taken(index) {
                    metrics.push((index, self.declared_metric(name)?));
                }
            }
        } else {
            let declared = |name: &str| {
                self.table.roles.as_ref().is_some_and(|roles| roles.parameters.iter().any(|declared| declared == name))
            };
            let bounded = self.bounded();
            for (index, column) in self.table.columns.iter().enumerate() {
                if taken(index) || self.is_special(column) || declared(&column.name) {
                    continue;
                }
                if bounded.contains(&index) {
                    metrics.push((index, self.declared_metric(&column.name)?));
                } else if bounded.is_empty() {
                    metrics.extend(Metric::from_name(&column.name).map(|metric| (index, metric)));
                }
            }
            // Speedups and efficiencies follow from a time, which may have a less descriptive name.
            if bounded.is_empty() && metrics.iter().all(|(_, metric)| metric.unit.is_empty()) {
                let found: Vec<usize> = metrics.iter().map(|&(index, _)| index).collect();
                let free = |index: &usize| !taken(*index) && !found.contains(index) && !declared(self.name(*index));
                let suggested = (0..self.table.columns.len()).filter(free);
                metrics.extend(suggested.filter_map(|index| Some((index, Metric::from_word(self.name(index))?))));
                metrics.sort_by_key(|&(index, _)| index);
            }
        }
        if metrics.is_empty() {
            return Err(self.no_metric());
        }
        if let Some(direction) = self.options.direction {
            metrics.iter_mut().for_each(|(_, metric)| metric.direction = direction);
        }
        Ok(metrics)
    }

    /// Columns of a table of predictions that have both bounds beside them: its metrics, whatever their names.
    fn bounded(&self) -> Vec<usize> {
        if !self.is_of_predictions {
            return Vec::new();
        }
        let has = |name: &str, word| self.table.column(&bound_name(name, word)).is_some();
        let is_bounded = |column: &Column| has(&column.name, "low") && has(&column.name, "high");
        let columns = self.table.columns.iter().enumerate();
        columns
            .filter(|(_, column)| column.as_numbers().is_some() && is_bounded(column))
            .map(|(index, _)| index)
            .collect()
    }

    /// `NAME`, `NAME:UNIT`; of `NAME=ATTRIBUTE:UNIT`, already handled by a reader, the name.
    fn metric_option(&self, option: &str) -> Result<(usize, Metric), Problem> {
        let option = option.trim();
        let exists = |name: &str| self.table.columns.iter().any(|column| column.name == name);
        if exists(option) {
            return Ok((column_index(self.table, option, "--metric")?, self.declared_metric(option)?));
        }
        if let Some((name, _)) = option.split_once('=')
            && exists(name)
        {
            return Ok((column_index(self.table, name, "--metric")?, self.declared_metric(name)?));
        }
        let Some((name, unit)) = option.rsplit_once(':') else {
            return Err(match column_index(self.table, option, "--metric") {
                Ok(_) => Problem::new("unknown_column", "no such column").at("--metric"),
                Err(problem) => problem,
            });
        };
        let index = column_index(self.table, name, "--metric")?;
        let metric = Metric::named(name, Some(unit)).map_err(|problem| problem.at("--metric"))?;
        Ok((index, metric))
    }

    /// The metric of a column, with the unit that the file declares for it.
    fn declared_metric(&self, name: &str) -> Result<Metric, Problem> {
        let units = self.table.roles.as_ref().map_or(&[][..], |roles| roles.units.as_slice());
        let unit = units.iter().find(|(column, _)| column == name).map(|(_, unit)| unit.as_str());
        Metric::named(name, unit).map_err(|problem| match self.table.files.as_slice() {
            [file] => problem.in_file(file.as_str()).at(name),
            _ => problem.at(name),
        })
    }

    fn no_metric(&self) -> Problem {
        let numeric: Vec<&str> = self
            .table
            .columns
            .iter()
            .filter(|column| column.as_numbers().is_some() && !SPECIAL.contains(&column.name.as_str()))
            .map(|column| column.name.as_str())
            .collect();
        let problem =
            Problem::new("no_metric", "no column is a metric: none has a name that ends in a unit, like time_s");
        let problem = match self.table.files.as_slice() {
            [file] => problem.in_file(file.as_str()),
            _ => problem,
        };
        let problem = problem.at("--metric");
        if numeric.is_empty() {
            return problem.hint("the table has no numeric column; is the delimiter a comma?");
        }
        let list = shorten(&numeric.join(", "), 400);
        problem
            .allowed(format!("the numeric columns: {list}"))
            .hint("say which one is: --metric NAME:UNIT, such as --metric time:s")
    }

    /// The parameters by declaration or by name, and the columns that could be parameters but hold results, with the reason.
    fn parameters(&self, by: Option<&[usize]>, metrics: &[(usize, Metric)]) -> (Vec<usize>, Vec<(usize, String)>) {
        let free = |index: usize| {
            !metrics.iter().any(|&(metric, _)| metric == index) && !by.is_some_and(|by| by.contains(&index))
        };
        if let Some(roles) = &self.table.roles {
            let declared = roles
                .parameters
                .iter()
                .filter_map(|name| self.table.columns.iter().position(|column| column.name == *name))
                .filter(|&index| free(index))
                .collect();
            return (declared, Vec::new());
        }
        let is_bounded = !self.bounded().is_empty();
        let repetition = self.repetition(by, metrics);
        let candidates: Vec<usize> = (0..self.table.columns.len())
            .filter(|&index| {
                let column = &self.table.columns[index];
                free(index)
                    && repetition != Some(index)
                    && !self.is_special(column)
                    && column.name != "region"
                    && (is_bounded || Metric::from_name(&column.name).is_none())
                    && column.as_numbers().is_some_and(|values| values.iter().any(|value| !value.is_nan()))
            })
            .collect();
        if self.is_of_predictions {
            return (candidates, Vec::new());
        }
        let chosen = self.options.process_param.as_deref().map(str::trim);
        let counts =
            |index: &usize| chosen == Some(self.name(*index)) || processes::preference(self.name(*index)).is_some();
        let (processes, open): (Vec<usize>, Vec<usize>) = candidates.iter().partition(|index| counts(index));
        let mut fixed = by.map_or_else(|| self.labels(metrics, &candidates), <[usize]>::to_vec);
        fixed.extend(processes);
        let outcomes = inputs::outcomes(self.table, &fixed, &open, repetition);
        let inputs =
            candidates.into_iter().filter(|index| !outcomes.iter().any(|(outcome, _)| outcome == index)).collect();
        (inputs, outcomes)
    }

    /// The column that numbers repetitions.
    fn repetition(&self, by: Option<&[usize]>, metrics: &[(usize, Metric)]) -> Option<usize> {
        let chosen = self.options.process_param.as_deref().map(str::trim);
        let numbers = |&index: &usize| {
            let column = &self.table.columns[index];
            column.as_numbers().is_some_and(|values| inputs::numbers_repetitions(&column.name, values))
                && !by.is_some_and(|by| by.contains(&index))
                && !metrics.iter().any(|&(metric, _)| metric == index)
                && chosen != Some(column.name.as_str())
        };
        let mut all = (0..self.table.columns.len()).filter(numbers);
        let first = all.clone().next();
        all.find(|&index| self.name(index) == "rep").or(first)
    }

    /// Every column that is a label by its content.
    fn labels(&self, metrics: &[(usize, Metric)], parameters: &[usize]) -> Vec<usize> {
        self.table
            .columns
            .iter()
            .enumerate()
            .filter(|&(index, column)| {
                let text = match &column.data {
                    ColumnData::Text { .. } => true,
                    // Numbered regions are still regions, unless the column is empty.
                    ColumnData::Number(values) => column.name == "region" && values.iter().any(|value| !value.is_nan()),
                };
                text && !self.is_special(column)
                    && !parameters.contains(&index)
                    && !metrics.iter().any(|&(metric, _)| metric == index)
                    && Metric::from_name(&column.name).is_none()
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// Checks that columns that must be numeric are, and that text columns do not look like damaged numbers.
    fn check_numbers(
        &self,
        metrics: &[(usize, Metric)],
        parameters: &[usize],
        by: &[usize],
        constant: &[usize],
    ) -> Result<(), Problem> {
        for index in metrics.iter().map(|&(index, _)| index).chain(parameters.iter().copied()) {
            self.require_numbers(index, None)?;
        }
        let doubtful = match self.options.by {
            Some(_) => constant,
            None => by,
        };
        for &index in doubtful {
            let column = &self.table.columns[index];
            if looks_numeric(column) {
                let hint = format!("if \"{}\" is a label, say so: --by {0}", shorten(&column.name, 60));
                self.require_numbers(index, Some(&hint))?;
            }
        }
        Ok(())
    }

    /// Points at the first cell of a column that is not a number.
    fn require_numbers(&self, index: usize, otherwise: Option<&str>) -> Result<(), Problem> {
        let column = &self.table.columns[index];
        let ColumnData::Text { codes, names } = &column.data else { return Ok(()) };
        let bad: Vec<bool> =
            names.iter().map(|name| number::parse(name).is_none() && !name.trim_ascii().is_empty()).collect();
        let row = codes.iter().position(|&code| bad[code as usize]);
        let Some(row) = row else {
            // Text in JSON that happens to hold numbers.
            let row = codes.iter().position(|&code| !names[code as usize].is_empty()).unwrap_or(0);
            let seen = shorten(&column.cell(row), 60);
            let problem = Problem::new("not_a_number", format!("\"{seen}\" is a text, not a number"));
            return Err(self
                .table
                .problem_at(row, problem.at(shorten(&column.name, 60)).value(seen))
                .hint("write it without quotes"));
        };
        let mut problem = number::not_a_number(&names[codes[row] as usize]).at(shorten(&column.name, 60));
        if let Some(otherwise) = otherwise {
            let hint = match problem.hint.take() {
                Some(hint) => format!("{hint}; {otherwise}"),
                None => otherwise.to_owned(),
            };
            problem.hint = Some(hint);
        }
        Err(self.table.problem_at(row, problem))
    }

    fn process_parameter(&self, parameters: &[usize]) -> Result<Option<usize>, Problem> {
        if let Some(name) = self.options.process_param.as_deref().map(str::trim) {
            let index = column_index(self.table, name, "--process-param")?;
            return match parameters.iter().position(|&parameter| parameter == index) {
                Some(position) => Ok(Some(position)),
                None => {
                    let names: Vec<&str> = parameters.iter().map(|&index| self.name(index)).collect();
                    Err(Problem::new("not_a_parameter", format!("\"{name}\" is not one of the parameters"))
                        .at("--process-param")
                        .value(name)
                        .hint("name it with --params as well")
                        .one_of(name, names.iter().copied()))
                }
            };
        }
        let values = |position: usize| self.table.columns[parameters[position]].as_numbers().unwrap_or_default();
        let varies = |position: usize| values(position).iter().any(|value| *value != values(position)[0]);
        // Tools that count threads report them for serial programs, too.
        let serial = |position: usize| {
            parameters.len() > 1
                && processes::is_threads(self.name(parameters[position]))
                && values(position).iter().all(|&value| value == 1.0)
        };
        let by_name = parameters.iter().enumerate().filter_map(|(position, &index)| {
            let place = processes::preference(self.name(index))?;
            (!serial(position)).then_some((!varies(position), place, position))
        });
        Ok(by_name.min().map(|(_, _, position)| position))
    }
}

/// Whether a column of text was meant to be numeric: its cells are numbers and damaged numbers, and at least half are
/// valid, or all are numbers with a decimal comma. A column named like a process count is taken as numeric as soon as
/// half of its cells are.
fn looks_numeric(column: &Column) -> bool {
    let ColumnData::Text { codes, names } = &column.data else { return false };
    let (mut good, mut damaged, mut other) = (0usize, 0usize, 0usize);
    let mut commas = true;
    let kinds: Vec<u8> = names
        .iter()
        .map(|name| match name {
            name if name.trim_ascii().is_empty() => 0,
            name if number::parse(name).is_some() => 1,
            name if number::is_damaged(name) => {
                commas &= name.contains(',');
                2
            }
            _ => 3,
        })
        .collect();
    for &code in codes {
        match kinds[code as usize] {
            1 => good += 1,
            2 => damaged += 1,
            3 => other += 1,
            _ => {}
        }
    }
    let half_good = good > 0 && good >= damaged + other;
    let by_name = processes::preference(&column.name).is_some();
    (other == 0 && damaged > 0 && (half_good || commas)) || (by_name && half_good)
}
