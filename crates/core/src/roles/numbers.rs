//! Checks that columns which must hold numbers do.

use super::assignment::Assignment;
use super::processes;
use crate::metric::Metric;
use crate::problem::{Problem, shorten};
use crate::table::{Column, ColumnData, number};

impl Assignment<'_> {
    /// Columns that must be numeric are; columns of text do not look like damaged numbers.
    pub(super) fn check_numbers(
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

    /// Points at the first cell of a column that is no number.
    fn require_numbers(&self, index: usize, otherwise: Option<&str>) -> Result<(), Problem> {
        let column = &self.table.columns[index];
        let ColumnData::Text { codes, names } = &column.data else { return Ok(()) };
        let bad: Vec<bool> =
            names.iter().map(|name| number::parse(name).is_none() && !name.trim_ascii().is_empty()).collect();
        let row = codes.iter().position(|code| bad[code as usize]);
        let Some(row) = row else {
            // Text in JSON that happens to hold numbers.
            let row = codes.iter().position(|code| !names[code as usize].is_empty()).unwrap_or(0);
            let seen = shorten(&column.cell(row), 60);
            let problem = Problem::new("not_a_number", format!("\"{seen}\" is a text, not a number"));
            return Err(self
                .table
                .problem_at(row, problem.at(shorten(&column.name, 60)).value(seen))
                .hint("write it without quotes"));
        };
        let mut problem = number::not_a_number(&names[codes.at(row) as usize]).at(shorten(&column.name, 60));
        if let Some(otherwise) = otherwise {
            let hint = match problem.hint.take() {
                Some(hint) => format!("{hint}; {otherwise}"),
                None => otherwise.to_owned(),
            };
            problem.hint = Some(hint);
        }
        Err(self.table.problem_at(row, problem))
    }
}

/// Whether a column of text was meant to be numeric: what is in it are numbers and damaged numbers, and at least half
/// of it are good ones, or all of it are numbers with a decimal comma. The names of process parameters are taken for
/// numeric as soon as half of the cells are.
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
    for code in codes {
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
