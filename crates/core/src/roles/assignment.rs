//! What is known about the columns of a table before their roles are decided.

use super::read_as::{Role, Unused};
use super::{RoleOption, SPECIAL, TableOptions, column_index};
use crate::prediction::{is_of_predictions, special_columns};
use crate::problem::Problem;
use crate::table::{Column, DeclaredRoles, Table};

pub(super) struct Assignment<'t> {
    pub(super) table: &'t Table,
    pub(super) options: &'t TableOptions,
    pub(super) is_of_predictions: bool,
    /// Columns whose role an option or the file says.
    pub(super) named: Vec<(usize, Role)>,
    /// Columns of a table of predictions that are in no role unless an option names them.
    pub(super) special: Vec<String>,
}

impl<'t> Assignment<'t> {
    /// What options and file say.
    ///
    /// # Errors
    /// `--roles` names a column that is not there.
    pub(super) fn new(table: &'t Table, options: &'t TableOptions) -> Result<Self, Problem> {
        let is_of_predictions = is_of_predictions(table);
        let special = if is_of_predictions { special_columns(table) } else { Vec::new() };
        let mut named = Vec::new();
        for RoleOption { column, role, .. } in &options.roles {
            named.push((column_index(table, column, "--roles")?, *role));
        }
        let declared = table.roles.iter().flat_map(|declared| &declared.others);
        for (column, role) in declared {
            let index = table.columns.iter().position(|other| other.name == *column);
            named.extend(
                index.filter(|index| !named.iter().any(|(other, _)| other == index)).map(|index| (index, *role)),
            );
        }
        for (column, _) in &table.wide.unused {
            let index = table.columns.iter().position(|other| other.name == *column);
            let is_free = |index: &usize| !named.iter().any(|(other, _)| other == index);
            named.extend(index.filter(is_free).map(|index| (index, Role::Ignored)));
        }
        Ok(Assignment { table, options, is_of_predictions, named, special })
    }

    /// The role that an option or the file says.
    pub(super) fn role(&self, index: usize) -> Option<Role> {
        self.named.iter().find(|&&(named, _)| named == index).map(|&(_, role)| role)
    }

    /// Columns that any option names.
    pub(super) fn said(&self) -> Vec<usize> {
        let options = self.options;
        let lists = [options.params.as_deref(), options.by.as_deref()].into_iter().flatten().flatten();
        let metrics = options.metrics.iter().map(|metric| metric.split([':', '=']).next().unwrap_or(metric).to_owned());
        let names: Vec<String> = lists.cloned().chain(options.process_param.clone()).chain(metrics).collect();
        let is_named = |index: &usize| names.iter().any(|name| name.trim() == self.name(*index));
        let named = self.named.iter().map(|&(index, _)| index);
        (0..self.table.columns.len()).filter(is_named).chain(named).collect()
    }

    /// Why a column that an option, the file or its reader leaves out has no role.
    pub(super) fn reason(&self, index: usize) -> Unused {
        let is_asked = self.options.roles.iter().any(|option| option.column == self.name(index));
        let found = self.table.wide.unused.iter().find(|(column, _)| column == self.name(index));
        found.filter(|_| !is_asked).map_or(Unused::Asked, |(_, why)| why.clone())
    }

    /// What is in doubt about a table that may be in wide form, unless an option names one of the columns.
    pub(super) fn check_wide(&self) -> Result<(), Problem> {
        let Some(doubt) = &self.table.wide.doubt else { return Ok(()) };
        let said = self.said();
        let is_said = said.iter().any(|&index| self.table.wide.doubtful.iter().any(|name| name == self.name(index)));
        if is_said || !self.options.metrics.is_empty() { Ok(()) } else { Err(doubt.clone()) }
    }

    /// Whether an option or the file gives the column another role than this.
    pub(super) fn is_other(&self, index: usize, role: Role) -> bool {
        self.role(index).is_some_and(|named| named != role)
    }

    pub(super) fn name(&self, index: usize) -> &str {
        &self.table.columns[index].name
    }

    /// Whether a column is neither parameter nor metric nor label by its name.
    pub(super) fn is_special(&self, column: &Column) -> bool {
        SPECIAL.contains(&column.name.as_str()) || self.special.contains(&column.name) || self.tells_run(column)
    }

    /// Whether it says which run a row of a trace belongs to: rows of other runs are repetitions, not another series.
    fn tells_run(&self, column: &Column) -> bool {
        let is_trace = self.table.roles.as_ref().is_some_and(DeclaredRoles::names_columns);
        is_trace && column.name == "run" && column.as_numbers().is_none()
    }

    /// The columns that `--by` names.
    pub(super) fn chosen_labels(&self) -> Result<Option<Vec<usize>>, Problem> {
        let Some(names) = &self.options.by else { return Ok(None) };
        self.columns_of(names, "--by").map(Some)
    }

    /// The columns that `--params` names.
    pub(super) fn chosen_parameters(&self) -> Result<Option<Vec<usize>>, Problem> {
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
                    .hint("a column makes groups or is a parameter, not both"))
            }
            None => Ok(Some(chosen)),
        }
    }

    pub(super) fn columns_of(&self, names: &[String], option: &str) -> Result<Vec<usize>, Problem> {
        let mut columns = Vec::with_capacity(names.len());
        for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            let index = column_index(self.table, name, option)?;
            if !columns.contains(&index) {
                columns.push(index);
            }
        }
        Ok(columns)
    }
}

#[cfg(test)]
mod tests {
    use crate::roles::TableOptions;
    use crate::series::series_of;
    use crate::table::{ReadOptions, Table};

    #[test]
    fn runs_of_a_trace_are_repetitions() {
        let rows = "region,run,n,time_s\nF,1,8,0.5\nF,lab:1,8,0.6\n";
        let groups = |text: &str| {
            let table = Table::read("t.csv", text.as_bytes(), &ReadOptions::default()).expect("read");
            let set = series_of(&table, &TableOptions::default()).expect("series");
            set.series.iter().map(|series| series.points[0].values.clone()).collect::<Vec<_>>()
        };
        let roles = "# roles: {\"params\":[\"n\"],\"metrics\":[\"time_s\"]}\n";
        assert_eq!(groups(&format!("{roles}{rows}")), [[0.5, 0.6]]);
        // Elsewhere a text called so is a label like any other.
        assert_eq!(groups(rows), [[0.5], [0.6]]);
    }
}
