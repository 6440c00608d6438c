//! How a table was read: the role of every column, and why it has it.

use super::Roles;
use super::repetitions;
use crate::table::{ColumnData, Table, WideForm};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Counts what runs side by side.
    Processes,
    /// Another input of a run.
    Parameter,
    /// What was measured.
    Metric,
    /// Makes groups.
    Label,
    /// Numbers repetitions.
    Repetition,
    /// Identifies rows.
    Key,
    /// Marks failed runs.
    Status,
    /// None of these.
    Ignored,
}

crate::words!(Role::word:
    Processes = "processes",
    Parameter = "parameter",
    Metric = "metric",
    Label = "label",
    Repetition = "repetition",
    Key = "key",
    Status = "status",
    Ignored = "ignored",
);

/// Why a column is in no role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unused {
    /// It holds one value in all rows.
    Constant,
    /// It follows from other columns, in this way.
    Derived(String),
    /// It is an input that other inputs give, in this way: no target needs it.
    Follows(String),
    /// A run gave it.
    Outcome,
    /// It names runs.
    Identifier,
    /// It says when a run was made.
    Timestamp,
    /// An option, or the file, says so.
    Asked,
    /// Others are named by an option or the file.
    NotNamed,
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unused::Constant => f.write_str("constant"),
            Unused::Derived(how) => write!(f, "derived: {how}"),
            Unused::Follows(how) => f.write_str(how),
            Unused::Outcome => f.write_str("outcome"),
            Unused::Identifier => f.write_str("identifier"),
            Unused::Timestamp => f.write_str("timestamp"),
            Unused::Asked => f.write_str("option"),
            Unused::NotNamed => f.write_str("not named"),
        }
    }
}

/// The role of every column of a table, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadAs {
    /// A column of the file each.
    pub columns: Vec<ReadColumn>,
}

/// What one column was read as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadColumn {
    /// Its name as it is written in the file; its number, from 0, in a table without header.
    pub column: String,
    /// What it is.
    pub role: Role,
    /// What it is called in results: `p` for what counts processes.
    pub name: String,
    /// SI unit of a metric.
    pub unit: String,
    /// Which values of a metric are better: `lower` or `higher`.
    pub direction: String,
    /// Why it has this role.
    pub reason: String,
}

impl ReadAs {
    /// The columns of a table with their roles. `named` are those whose role an option or the file says.
    pub(super) fn of(table: &Table, roles: &Roles, named: &[usize]) -> ReadAs {
        let mut columns: Vec<ReadColumn> =
            (0..table.columns.len()).map(|index| ReadColumn::of(table, roles, index, named)).collect();
        for (made, label) in &table.wide.counted {
            columns.retain(|read| read.column != *made);
            for read in columns.iter_mut().filter(|read| read.column == *label) {
                read.reason = format!("{COUNTS}{made}");
            }
        }
        ReadAs { columns: as_in_file(columns, &table.wide) }
    }
}

/// Why a label has its role begins with this where its cells hold counts of processes, too.
const COUNTS: &str = "counts: ";

/// Why a column of a table in wide form has its role begins with this.
const WIDE: &str = "wide: ";

/// The columns as they are written in a file in wide form.
fn as_in_file(columns: Vec<ReadColumn>, wide: &WideForm) -> Vec<ReadColumn> {
    if !wide.is_turned() {
        return columns;
    }
    let mut found = Vec::with_capacity(wide.columns.len());
    for read in columns {
        let turned = wide.turned.iter().filter(|turned| turned.into == read.column);
        let written = turned.map(|turned| ReadColumn {
            column: turned.column.clone(),
            reason: match read.role {
                Role::Metric => format!("{WIDE}{}", turned.stands_for),
                _ => read.reason.clone(),
            },
            ..read.clone()
        });
        found.extend(written);
        if wide.columns.contains(&read.column) && !wide.turned.iter().any(|turned| turned.column == read.column) {
            found.push(read);
        }
    }
    found.sort_by_key(|read| wide.columns.iter().position(|column| *column == read.column));
    found
}

impl ReadColumn {
    /// What its number stands for, of a metric in wide form: `p = 4`.
    fn wide(&self) -> Option<&str> {
        self.reason.strip_prefix(WIDE).filter(|_| self.role == Role::Metric)
    }

    fn of(table: &Table, roles: &Roles, index: usize, named: &[usize]) -> ReadColumn {
        let column = &table.columns[index];
        let said = |reason: &str| if named.contains(&index) { "option".to_owned() } else { reason.to_owned() };
        let plain = |role: Role, reason: String| ReadColumn {
            column: column.name.clone(),
            role,
            name: column.name.clone(),
            unit: String::new(),
            direction: String::new(),
            reason,
        };
        if let Some((_, metric)) = roles.metrics.iter().find(|&&(metric, _)| metric == index) {
            let reason = if roles.by_behavior.contains(&index) { "behavior" } else { "name" };
            return ReadColumn {
                unit: metric.unit.clone(),
                direction: metric.direction.word().to_owned(),
                ..plain(Role::Metric, said(reason))
            };
        }
        let process = roles.process_parameter.map(|position| roles.parameters[position]);
        if process == Some(index) {
            let reason = if roles.by_behavior.contains(&index) { "behavior" } else { "name" };
            return ReadColumn { name: "p".to_owned(), ..plain(Role::Processes, said(reason)) };
        }
        if let Some((_, why)) = roles.unused.iter().find(|&&(unused, _)| unused == index) {
            let role = if matches!(why, Unused::Follows(_)) { Role::Parameter } else { Role::Ignored };
            return plain(role, why.to_string());
        }
        if roles.parameters.contains(&index) {
            return plain(Role::Parameter, said("input"));
        }
        if roles.by.contains(&index) {
            let is_text = matches!(column.data, ColumnData::Text { .. });
            return plain(Role::Label, said(if is_text { "text" } else { "flag" }));
        }
        if roles.status == Some(index) {
            return plain(Role::Status, said("name"));
        }
        if column.name == "key" {
            return plain(Role::Key, said("name"));
        }
        if roles.repetition == Some(index) || column.as_numbers().is_some_and(|v| repetitions::numbers(&column.name, v))
        {
            return plain(Role::Repetition, said("name"));
        }
        let is_text = matches!(column.data, ColumnData::Text { .. });
        if is_text && column.name == "run" {
            return plain(Role::Repetition, said("name"));
        }
        let why = if is_text { Unused::Constant } else { Unused::NotNamed };
        plain(Role::Ignored, why.to_string())
    }
}

/// The number at the end of `p = 4`.
fn number(counted: &str) -> &str {
    counted.rsplit_once(' ').map_or(counted, |(_, number)| number)
}

/// At most so many numbers are listed in the line for people.
const MOST_NUMBERS: usize = 8;

/// `1, 2, 4, .., 64`
fn listed(numbers: &[&str]) -> String {
    match numbers {
        [first @ .., last] if numbers.len() > MOST_NUMBERS => {
            format!("{}, .., {last}", first[..MOST_NUMBERS - 2].join(", "))
        }
        _ => numbers.join(", "),
    }
}

/// At most so many columns that are in no role are named in the line for people.
const MOST_UNUSED: usize = 8;

/// `p = processes (column "nprocs"), N = parameter, time_s = metric (lower is better); ignored: host (constant)`
impl fmt::Display for ReadAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        // Columns of bookkeeping that are called what they are go without saying.
        let is_plain = |column: &ReadColumn| {
            matches!(column.role, Role::Key | Role::Status) && column.column == column.role.word()
        };
        let used = |column: &&ReadColumn| column.role != Role::Ignored && !is_plain(column);
        let order = |column: &ReadColumn| Role::ALL.iter().position(|role| *role == column.role);
        let mut columns: Vec<&ReadColumn> = self.columns.iter().filter(used).collect();
        columns.sort_by_key(|column| order(column));
        for (place, column) in columns.iter().enumerate() {
            if let Some(counted) = column.wide() {
                let alike = |other: &&&ReadColumn| other.wide().is_some() && other.name == column.name;
                // Columns that became one are said once.
                if columns[..place].iter().any(|other| alike(&other)) {
                    continue;
                }
                let all: Vec<&str> =
                    columns.iter().filter(alike).filter_map(|other| other.wide()).map(number).collect();
                let (what, _) = counted.rsplit_once(' ').unwrap_or((counted, ""));
                write!(f, "{separator}{} = metric ({WIDE}{what} {}; ", column.name, listed(&all))?;
                write!(f, "{} is better)", column.direction)?;
                separator = ", ";
                continue;
            }
            write!(f, "{separator}{} = {}", column.name, column.role.word())?;
            if column.name != column.column {
                write!(f, " (column \"{}\")", column.column)?;
            }
            if column.reason == "behavior" {
                f.write_str(" by its values")?;
            }
            if column.role == Role::Metric {
                write!(f, " ({} is better)", column.direction)?;
            }
            if column.role == Role::Parameter && !["input", "option"].contains(&column.reason.as_str()) {
                write!(f, " ({})", column.reason)?;
            }
            if let Some(counts) = column.reason.strip_prefix(COUNTS) {
                write!(f, ", {counts} = processes (counts in \"{}\")", column.column)?;
            }
            separator = ", ";
        }
        let unused: Vec<&ReadColumn> = self.columns.iter().filter(|column| column.role == Role::Ignored).collect();
        for (number, column) in unused.iter().take(MOST_UNUSED).enumerate() {
            let separator = if number == 0 { "; ignored: " } else { ", " };
            write!(f, "{separator}{} ({})", column.column, column.reason)?;
        }
        if unused.len() > MOST_UNUSED {
            write!(f, " and {} more", unused.len() - MOST_UNUSED)?;
        }
        Ok(())
    }
}
