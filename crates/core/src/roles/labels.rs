//! Which columns make groups.

use super::assignment::Assignment;
use super::identifiers;
use super::read_as::{Role, Unused};
use crate::metric::Metric;
use crate::table::ColumnData;

impl Assignment<'_> {
    /// Every column that is a label by its content.
    pub(super) fn labels(&self, metrics: &[(usize, Metric)], parameters: &[usize]) -> Vec<usize> {
        let is_free =
            |index: usize| !parameters.contains(&index) && !metrics.iter().any(|&(metric, _)| metric == index);
        (0..self.table.columns.len())
            .filter(|&index| {
                let column = &self.table.columns[index];
                match self.role(index) {
                    Some(role) => return role == Role::Label && is_free(index),
                    None if self.is_special(column) || !is_free(index) => return false,
                    None => {}
                }
                let text = match &column.data {
                    ColumnData::Text { .. } => true,
                    // Numbered regions are still regions, unless nothing is in the column.
                    ColumnData::Number(values) => column.name == "region" && values.iter().any(|value| !value.is_nan()),
                };
                text && Metric::from_name(&column.name).is_none() && self.unused_text(index, parameters).is_none()
            })
            .collect()
    }

    /// Columns of text that make no groups, with the reason.
    pub(super) fn unused_texts(&self, metrics: &[(usize, Metric)], parameters: &[usize]) -> Vec<(usize, Unused)> {
        (0..self.table.columns.len())
            .filter(|&index| self.role(index).is_none() && !metrics.iter().any(|&(metric, _)| metric == index))
            .filter_map(|index| Some((index, self.unused_text(index, parameters)?)))
            .collect()
    }

    fn unused_text(&self, index: usize, parameters: &[usize]) -> Option<Unused> {
        let column = &self.table.columns[index];
        let is_declared = self.table.roles.as_ref().is_some_and(|roles| roles.names_columns());
        let is_asked = self.options.by.as_ref().is_some_and(|by| by.contains(&column.name));
        if is_declared || is_asked || self.is_of_predictions || column.as_numbers().is_some() || self.is_special(column)
        {
            return None;
        }
        let varies = |&index: &usize| {
            let values = self.table.columns[index].as_numbers().unwrap_or_default();
            values.iter().any(|value| *value != values[0])
        };
        identifiers::by_text(column, parameters.iter().any(varies))
    }
}
