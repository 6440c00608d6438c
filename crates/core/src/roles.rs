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

mod assignment;
mod behavior;
mod derived;
mod filter;
mod grids;
mod identifiers;
mod inputs;
mod labels;
mod metrics;
mod numbers;
mod parameters;
mod processes;
mod read_as;
mod repetitions;
mod sizes;
mod statistics;
pub(crate) mod status;

use crate::metric::{Direction, Metric};
use crate::problem::{Problem, Problems, Warning, shorten};
use crate::table::{DeclaredRoles, Table};
use crate::words::Words;
use assignment::Assignment;
use parameters::Inputs;

pub use filter::rows_where;
pub(crate) use inputs::{is_outcome, looks_measured};
pub(crate) use metrics::is_ratio_of_times;
pub use processes::preference;
pub(crate) use processes::{counts, is_every, look_like_counts};
pub use read_as::{ReadAs, ReadColumn, Role, Unused};
pub(crate) use repetitions::is_repetition;
pub(crate) use sizes::{has_size_word, is_size};
pub(crate) use statistics::is_statistic;

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
    /// Roles of single columns, before all that names and values say.
    pub roles: Vec<RoleOption>,
}

/// The role that the user gives a column.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleOption {
    /// Name of the column.
    pub column: String,
    pub role: Role,
    /// Unit of a metric.
    pub unit: Option<String>,
}

impl RoleOption {
    /// `COLUMN=ROLE`, where a metric may be given its unit: `COLUMN=metric:ms`.
    ///
    /// # Errors
    /// There is no such role.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let problem = |message: String| Problem::new("roles", message).at("--roles").value(text);
        let (column, role) = text.rsplit_once('=').ok_or_else(|| {
            problem(format!("\"{}\" names no role", shorten(text, 60)))
                .hint("write COLUMN=ROLE, such as nprocs=processes")
        })?;
        let (role, unit) = match role.split_once(':') {
            Some(("metric", unit)) => ("metric", Some(unit.trim().to_owned())),
            _ => (role, None),
        };
        let role = role.trim();
        let word = if role == "ignore" { Role::Ignored.word() } else { role };
        let role = Role::of_word(word)
            .ok_or_else(|| problem(format!("\"{}\" is not a role", shorten(role, 40))).one_of(role, Role::WORDS))?;
        Ok(RoleOption { column: column.trim().to_owned(), role, unit })
    }
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
    /// The column that numbers repetitions.
    pub repetition: Option<usize>,
    /// Columns that are in no role, with the reason.
    pub unused: Vec<(usize, Unused)>,
    /// Columns whose values alone gave them their role.
    pub by_behavior: Vec<usize>,
    /// The role of every column, for people and documents.
    pub read_as: ReadAs,
    /// Units that were assumed, columns of numbers that are no parameters.
    pub warnings: Vec<Warning>,
}

/// Columns that are neither parameter nor label.
const SPECIAL: [&str; 3] = ["rep", "key", "status"];

/// Assigns roles to the columns of a table.
///
/// # Errors
/// Options name missing columns, a column that must be numeric holds something else, or no column is a metric.
pub fn roles_of(table: &Table, options: &TableOptions) -> Result<Roles, Problems> {
    let assignment = Assignment::new(table, options)?;
    assignment.check_wide()?;
    let by = assignment.chosen_labels()?;
    let chosen_parameters = assignment.chosen_parameters()?;
    let (metrics, mut by_behavior) = assignment.metrics(by.as_deref(), chosen_parameters.as_deref())?;
    let repetition = assignment.repetition(by.as_deref(), &metrics);
    let unused_texts = assignment.unused_texts(&metrics);
    let Inputs { mut parameters, flags, mut unused } = match chosen_parameters {
        Some(parameters) => Inputs { parameters, ..Inputs::default() },
        None => assignment.inputs(by.as_deref(), &metrics, repetition, &unused_texts),
    };
    let process_parameter = assignment.process_parameter(&parameters, &metrics)?;
    by_behavior.extend(process_parameter.filter(|&(_, by_values)| by_values).map(|(position, _)| parameters[position]));
    let process = process_parameter.map(|(position, _)| parameters[position]);
    let warnings = warnings(table, &metrics, &unused);
    unused.extend(unused_texts);
    let mut all_labels = assignment.labels(&metrics, &parameters, &unused);
    all_labels.extend(flags);
    all_labels.sort_unstable();
    let declares = table.roles.as_ref().is_some_and(DeclaredRoles::names_columns);
    if options.params.is_none() && !declares && !assignment.is_of_predictions {
        let is_open = |index: &usize| Some(*index) != process && assignment.role(*index).is_none();
        let constant = |index: &usize| table.columns[*index].constant().filter(|_| is_open(index));
        unused.extend(
            parameters.iter().filter(|index| constant(index).is_some()).map(|&index| (index, Unused::Constant)),
        );
        // A positive constant stays: a target may name it.
        parameters.retain(|index| constant(index).is_none_or(|value| value > 0.0));
    }
    let asked = assignment.named.iter().filter(|(_, role)| *role == Role::Ignored);
    unused.extend(asked.map(|&(index, _)| (index, assignment.reason(index))));
    let (by, constant) = match by {
        Some(by) => {
            let left_out = all_labels.into_iter().filter(|index| !by.contains(index)).collect();
            (by, left_out)
        }
        None => (all_labels, Vec::new()),
    };
    assignment.check_numbers(&metrics, &parameters, &by, &constant)?;
    let process_parameter = process.and_then(|process| parameters.iter().position(|&index| index == process));
    let status = assignment.named.iter().find(|(_, role)| *role == Role::Status).map(|&(index, _)| index);
    let status = status
        .or_else(|| table.columns.iter().position(|column| column.name == "status" && status::marks_failures(column)))
        .filter(|&index| !by.contains(&index) && !assignment.is_other(index, Role::Status));
    let mut roles = Roles {
        parameters,
        process_parameter,
        metrics,
        by,
        constant,
        status,
        repetition,
        unused,
        by_behavior,
        read_as: ReadAs::default(),
        warnings,
    };
    roles.read_as = ReadAs::of(table, &roles, &assignment.said());
    Ok(roles)
}

/// Units that were assumed, and columns of numbers that could be parameters but hold results.
fn warnings(table: &Table, metrics: &[(usize, Metric)], unused: &[(usize, Unused)]) -> Vec<Warning> {
    let assumed = metrics.iter().filter(|(_, metric)| metric.unit_assumed).map(|(_, metric)| {
        let name = &metric.name;
        let message = format!("{name} has no unit; seconds are assumed (--metric {name}:s confirms it)");
        Warning::new("unit_assumed", message)
    });
    let left_out = unused.iter().filter(|(_, why)| *why == Unused::Outcome).map(|(index, _)| {
        let name = shorten(&table.columns[*index].name, 60);
        let message =
            format!("{name} is not a parameter: it looks like a result of a run (--params names those that count)");
        Warning::new("column_ignored", message)
    });
    assumed.chain(left_out).collect()
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
        let problem = match table.wide.turned(name) {
            Some(turned) => {
                let (into, what) = (&turned.into, &turned.stands_for);
                problem.hint(format!("the table is in wide form: this column became \"{into}\" where {what}"))
            }
            None => problem,
        };
        match table.files.as_slice() {
            [file] => problem.in_file(file.as_str()),
            _ => problem,
        }
    })
}
