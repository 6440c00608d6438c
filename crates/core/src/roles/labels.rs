//! The columns that form groups.

use super::assignment::Assignment;
use super::identifiers;
use super::inputs::is_outcome;
use super::read_as::{Role, Unused};
use crate::metric::Metric;
use crate::table::ColumnData;

impl Assignment<'_> {
    /// Every column that is a label by its content, except `unused` ones.
    pub(super) fn labels(
        &self,
        metrics: &[(usize, Metric)],
        parameters: &[usize],
        unused: &[(usize, Unused)],
    ) -> Vec<usize> {
        let is_free = |index: usize| {
            !parameters.contains(&index)
                && !metrics.iter().any(|&(metric, _)| metric == index)
                && !unused.iter().any(|&(other, _)| other == index)
        };
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
                text && Metric::from_name(&column.name).is_none()
            })
            .collect()
    }

    /// Columns of text that make no groups, with the reason: dates, verdicts, and names of runs.
    pub(super) fn unused_texts(&self, metrics: &[(usize, Metric)]) -> Vec<(usize, Unused)> {
        if self.is_of_predictions || self.table.roles.as_ref().is_some_and(|roles| roles.names_columns()) {
            return Vec::new();
        }
        let is_metric = |index: usize| metrics.iter().any(|&(metric, _)| metric == index);
        let has_inputs = self.table.columns.iter().enumerate().any(|(index, column)| {
            let values = column.as_numbers().unwrap_or_default();
            !is_metric(index)
                && !self.is_special(column)
                && !is_outcome(&column.name)
                && values.iter().any(|value| *value != values[0])
        });
        let is_asked = |name: &str| self.options.by.as_ref().is_some_and(|by| by.iter().any(|label| label == name));
        (0..self.table.columns.len())
            .filter(|&index| {
                let column = &self.table.columns[index];
                let is_open = self.role(index).is_none() && !is_metric(index) && !self.is_special(column);
                is_open && column.name != "region" && !is_asked(&column.name)
            })
            .filter_map(|index| Some((index, identifiers::by_text(&self.table.columns[index], has_inputs)?)))
            .collect()
    }
}
