//! A table of the session: its rows, and the metadata of the traces that it comes from.

use super::run_labels;
use crate::failure::Failure;
use runcast_call::trace::{FileFacts, Metadata, Trace};
use runcast_core::problem::shorten;
use runcast_core::roles::{Roles, TableOptions, roles_of, rows_where};
use runcast_core::table::{Column, ColumnData, ColumnRows, DeclaredRoles, Numbers};
use runcast_core::{Metric, Problem, Table, Warning};
use runcast_formula::{Column as Values, Formula};

/// A table of the session.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    /// The rows.
    pub table: Table,
    /// What the heads of traces say; files that are no traces say nothing.
    pub metadata: Metadata,
}

impl Runs {
    /// A table that is no trace.
    pub fn of_table(table: Table) -> Runs {
        let metadata = Metadata { files: vec![FileFacts::default(); table.files.len()], ..Metadata::default() };
        Runs { table, metadata }
    }

    /// A trace.
    pub fn of_trace(trace: Trace) -> Runs {
        Runs { table: trace.table, metadata: trace.metadata }
    }

    /// Several tables as one.
    ///
    /// # Errors
    /// Two formulas for one experiment.
    pub fn concatenate(parts: Vec<Runs>) -> Result<Runs, Problem> {
        let some_declare = parts.iter().any(|runs| runs.table.roles.is_some());
        let (mut metadata, mut warnings) = (Metadata::default(), Vec::new());
        let mut tables = Vec::with_capacity(parts.len());
        for runs in parts {
            let Runs { mut table, metadata: more } = runs;
            // Beside columns that are declared, the others need a declaration, too.
            if some_declare && table.roles.is_none() {
                table.roles = declared(&table);
            }
            metadata.unite(more, &mut warnings)?;
            tables.push(table);
        }
        let mut table = Table::concatenate(tables);
        table.warnings.extend(warnings);
        run_labels::label(&mut table, &metadata);
        Ok(Runs { table, metadata })
    }

    /// Which column is what.
    ///
    /// # Errors
    /// No column is a metric, or one that must be numeric is not.
    pub fn roles(&self, metric: Option<&str>) -> Result<Roles, Failure> {
        let metrics = metric.map(str::to_owned).into_iter().collect();
        Ok(roles_of(&self.table, &TableOptions { metrics, ..TableOptions::default() })?)
    }

    /// The names of the parameters, and of the metrics that have a value somewhere.
    pub fn names(&self) -> (Vec<String>, Vec<String>) {
        let Ok(roles) = self.roles(None) else {
            let numeric = self.table.columns.iter().filter(|column| column.as_numbers().is_some());
            return (numeric.map(|column| column.name.clone()).collect(), Vec::new());
        };
        let name = |index: &usize| self.table.columns[*index].name.clone();
        let has_value = |index: &usize| {
            self.table.columns[*index].as_numbers().is_some_and(|values| values.iter().any(|value| !value.is_nan()))
        };
        let metrics = roles.metrics.iter().map(|(index, _)| index).filter(|index| has_value(index)).map(name);
        let parameters = roles.parameters.iter().map(name).filter(|name| name != run_labels::COLUMN);
        (parameters.collect(), metrics.collect())
    }

    /// Whether some of it comes from traces.
    pub fn is_trace(&self) -> bool {
        !self.metadata.experiments.is_empty() || self.metadata.files.iter().any(|file| file.run.is_some())
    }

    /// The column that distinguishes experiments: `region`, else the only label.
    pub fn label(&self) -> Option<&str> {
        if self.table.column("region").is_some() {
            return Some("region");
        }
        let labels = self.labels();
        match labels.as_slice() {
            [only] => Some(&self.table.columns[*only].name),
            _ => None,
        }
    }

    /// Columns of text that make groups.
    pub fn labels(&self) -> Vec<usize> {
        let is_run = |index: &usize| self.table.columns[*index].name == run_labels::COLUMN;
        match self.roles(None) {
            Ok(roles) => roles.by.into_iter().filter(|index| !is_run(index)).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// The experiments: those with rows in the order of the rows, then those that the heads name alone.
    pub fn experiments(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if let Some(column) = self.label().and_then(|label| self.table.column(label)) {
            match &column.data {
                ColumnData::Text { codes, names: all } => {
                    let mut seen = vec![false; all.len()];
                    for code in codes {
                        if !std::mem::replace(&mut seen[code as usize], true) {
                            names.push(all[code as usize].clone());
                        }
                    }
                }
                ColumnData::Number(_) => {
                    for row in 0..column.len() {
                        let cell = column.cell(row);
                        if !names.contains(&cell) {
                            names.push(cell);
                        }
                    }
                }
            }
        }
        for name in self.metadata.experiments.keys() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The rows for which a filter holds.
    ///
    /// # Errors
    /// The filter cannot be read, or nothing is left.
    pub fn subset(&self, filter: &str) -> Result<Runs, Failure> {
        let keep = rows_where(&self.table, &[filter.to_owned()], "where")?;
        if !keep.contains(&true) {
            let problem = Problem::new("no_rows", "no row satisfies the filter").at("where").value(filter);
            return Err(problem.into());
        }
        let columns = self.table.columns.iter().map(|column| column.kept(&keep)).collect();
        let origins = self.table.origins.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(origin, _)| origin);
        let table = Table {
            columns,
            origins: origins.collect(),
            files: self.table.files.clone(),
            roles: self.table.roles.clone(),
            ..Table::default()
        };
        Ok(Runs { table, metadata: self.metadata.clone() })
    }

    /// The same with a column more, or another one. What a formula gives where it has no value is empty, and counted.
    ///
    /// # Errors
    /// The formula cannot be read, uses columns that are not there, or gives no value anywhere.
    pub fn transform(&self, name: &str, formula: &str) -> Result<(Runs, Vec<Warning>), Failure> {
        if ["region", "status"].contains(&name) {
            let problem = Problem::new("bad_name", format!("{name} holds text, and a formula gives numbers"));
            return Err(problem.at("transform").value(name).into());
        }
        let mut values = self.evaluate(formula, "transform")?;
        let mut empty = 0;
        for value in &mut values {
            if !value.is_finite() {
                *value = f64::NAN;
                empty += 1;
            }
        }
        if empty == values.len() {
            let problem = Problem::new("formula", "the formula has no value in any row").at("transform");
            return Err(problem.value(formula).into());
        }
        let mut warnings = Vec::new();
        if empty > 0 {
            let message = format!("{name} has no value in {empty} of {} rows", values.len());
            warnings.push(Warning::new("missing_value", message));
        }
        let mut runs = self.clone();
        let column = Column::numbers(name, values);
        match runs.table.columns.iter_mut().find(|other| other.name == name) {
            Some(other) => *other = column,
            None => runs.table.columns.push(column),
        }
        if let Some(roles) = &mut runs.table.roles {
            let is_known = roles.parameters.iter().chain(&roles.metrics).any(|known| known == name);
            match Metric::from_name(name) {
                _ if is_known => {}
                Some(_) => roles.metrics.push(name.to_owned()),
                None => roles.parameters.push(name.to_owned()),
            }
        }
        Ok((runs, warnings))
    }

    /// The value of a formula in each row.
    ///
    /// # Errors
    /// The formula cannot be read, or uses columns that are not there.
    pub fn evaluate(&self, formula: &str, at: &str) -> Result<Vec<f64>, Failure> {
        let known = || self.table.columns.iter().map(|column| column.name.as_str());
        let problem = |error: runcast_formula::FormulaError| {
            let error = error.with_known_names(known());
            let problem = Problem::new("formula", error.to_string()).at(at).value(formula);
            match error.hint() {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        };
        let parsed = Formula::parse(formula).map_err(problem)?;
        let names: Vec<&str> = known().collect();
        let program = parsed.compile(&names).map_err(problem)?;
        let all = 0..self.table.rows();
        let rows: Vec<ColumnRows<'_>> = self.table.columns.iter().map(|column| column.rows(all.clone())).collect();
        let columns: Vec<Values<'_>> = rows.iter().map(ColumnRows::for_formulas).collect();
        let mut values = vec![0.0; self.table.rows()];
        program.columns(&columns, &mut values).map_err(problem)?;
        Ok(values)
    }

    /// The same with another status of all rows, or of those for which a filter holds; how many these are.
    ///
    /// # Errors
    /// The filter cannot be read or holds nowhere; the text is none.
    pub fn with_status(&self, text: &str, filter: Option<&str>) -> Result<(Runs, usize), Failure> {
        if text.trim().is_empty() || text.chars().count() > 40 || text.chars().any(char::is_control) {
            let problem = Problem::new("bad_name", "a status is a word").at("transform").value(shorten(text, 60));
            return Err(problem.allowed("ok, exit, open, clock, place").into());
        }
        let filters: Vec<String> = filter.map(str::to_owned).into_iter().collect();
        let set = rows_where(&self.table, &filters, "where")?;
        let count = set.iter().filter(|set| **set).count();
        if count == 0 {
            let problem = Problem::new("no_rows", "no row satisfies the filter").at("where");
            return Err(problem.value(filter.unwrap_or_default()).into());
        }
        let place = self.table.columns.iter().position(|column| column.name == "status");
        let before = |row: usize| place.map_or_else(String::new, |place| self.table.columns[place].cell(row));
        let cells: Vec<String> =
            set.iter().enumerate().map(|(row, set)| if *set { text.to_owned() } else { before(row) }).collect();
        let column = Column::text("status", cells.iter().map(String::as_str));
        let mut runs = self.clone();
        match place {
            Some(place) => runs.table.columns[place] = column,
            None => runs.table.columns.push(column),
        }
        Ok((runs, count))
    }

    /// The first rows.
    pub fn first(&self, rows: usize) -> Runs {
        let keep: Vec<bool> = (0..self.table.rows()).map(|row| row < rows).collect();
        let columns = self.table.columns.iter().map(|column| column.kept(&keep)).collect();
        let origins = self.table.origins.iter().take(rows).collect();
        let table = Table { columns, origins, files: self.table.files.clone(), ..Table::default() };
        Runs { table, metadata: self.metadata.clone() }
    }

    /// One row.
    pub fn only(&self, row: usize) -> Runs {
        let keep: Vec<bool> = (0..self.table.rows()).map(|other| other == row).collect();
        let columns = self.table.columns.iter().map(|column| column.kept(&keep)).collect();
        let origins = self.table.origins.iter().skip(row).take(1).collect();
        Runs { table: Table { columns, origins, ..Table::default() }, metadata: Metadata::default() }
    }

    /// A column that must be there and numeric.
    ///
    /// # Errors
    /// There is none, with the names that there are.
    pub fn numbers(&self, name: &str, at: &str) -> Result<&Numbers, Problem> {
        match self.table.column(name).map(Column::as_numbers) {
            Some(Some(values)) => Ok(values),
            Some(None) => {
                let message = format!("the column {} holds text, not numbers", shorten(name, 60));
                Err(Problem::new("not_a_number", message).at(at).value(name))
            }
            None => {
                let (parameters, metrics) = self.names();
                let known = [parameters, metrics].concat();
                Err(Problem::new("unknown_name", format!("{} is no column of the table", shorten(name, 60)))
                    .at(at)
                    .value(name)
                    .allowed(shorten(&known.join(", "), 400))
                    .or_near(name, known.iter().map(String::as_str)))
            }
        }
    }
}

/// The roles of a table as a declaration.
fn declared(table: &Table) -> Option<DeclaredRoles> {
    let roles = roles_of(table, &TableOptions::default()).ok()?;
    let name = |index: &usize| table.columns[*index].name.clone();
    Some(DeclaredRoles {
        others: Vec::new(),
        parameters: roles.parameters.iter().map(name).collect(),
        metrics: roles.metrics.iter().map(|(index, _)| name(index)).collect(),
        units: Vec::new(),
    })
}
