//! The long table of a result: what varies in it, how it is looked at first, what matters in it, and as few of its points
//! as a picture needs.

pub mod data;
pub mod importance;
pub mod line;
pub mod log_axis;
pub mod schema;
pub mod view;

use super::points::{code, numbers, roles, usable_rows};
use runcast_core::roles::{Roles, rows_where};
use runcast_core::{Metric, Problems, Table};
use std::collections::HashSet;
use view::Varying;

/// A table, and the rows of it that are looked at.
pub struct Long<'t> {
    pub table: &'t Table,
    pub roles: Roles,
    /// Rows that did not fail and that the filter keeps.
    pub rows: Vec<usize>,
}

impl<'t> Long<'t> {
    /// The rows that a filter keeps, in the formula language.
    ///
    /// # Errors
    /// A table without a metric, a formula that cannot be read, a column that is not there.
    pub fn of(table: &'t Table, filter: Option<&str>) -> Result<Self, Problems> {
        let roles = roles(table)?;
        let usable = usable_rows(table, &roles);
        let filters: Vec<String> =
            filter.filter(|filter| !filter.trim().is_empty()).map(str::to_owned).into_iter().collect();
        let kept = rows_where(table, &filters, "where")?;
        let rows = (0..table.rows()).filter(|&row| usable[row] && kept[row]).collect();
        Ok(Long { table, roles, rows })
    }

    /// Columns other than metrics that vary among the rows, with their indices.
    pub fn varying(&self) -> Vec<(usize, Varying)> {
        let processes = self.processes();
        let all = self.roles.parameters.iter().chain(&self.roles.by);
        all.filter_map(|&index| {
            let values = self.distinct(index);
            let column = &self.table.columns[index];
            let varying = Varying {
                name: column.name.clone(),
                values,
                is_number: column.as_numbers().is_some(),
                is_processes: processes == Some(index),
            };
            (values > 1).then_some((index, varying))
        })
        .collect()
    }

    /// The column that counts processes.
    pub fn processes(&self) -> Option<usize> {
        self.roles.process_parameter.and_then(|at| self.roles.parameters.get(at)).copied()
    }

    /// Distinct values of a column.
    pub fn distinct(&self, column: usize) -> usize {
        self.rows.iter().map(|&row| code(self.table, column, row)).collect::<HashSet<u64>>().len()
    }

    /// The metric that is looked at first: a time, else the first that has a number.
    pub fn metric(&self) -> Option<&(usize, Metric)> {
        let is_filled = |(index, _): &&(usize, Metric)| numbers(self.table, *index).iter().any(|value| !value.is_nan());
        let mut filled = self.roles.metrics.iter().filter(is_filled);
        filled.clone().find(|(_, metric)| metric.unit == "s").or_else(|| filled.next())
    }
}

/// The middle one; of an even number the mean of the two in the middle. NaN of none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[middle],
        _ => 0.5 * (values[middle - 1] + values[middle]),
    }
}
