//! Some of the rows of a table.

use super::{Column, ColumnData, Table, TextBuilder};
use std::ops::Range;

/// Some rows of a column as plain lists, for formulas.
#[derive(Debug)]
pub enum ColumnRows<'t> {
    Numbers(Vec<f64>),
    /// Codes into the distinct texts of the column.
    Texts(Vec<u32>, &'t [String]),
}

impl ColumnRows<'_> {
    /// The rows as the argument of a compiled formula.
    pub fn for_formulas(&self) -> runcast_formula::Column<'_> {
        match self {
            ColumnRows::Numbers(values) => runcast_formula::Column::Number(values),
            ColumnRows::Texts(codes, names) => runcast_formula::Column::Text { codes, names },
        }
    }
}

impl Column {
    /// Adjacent rows as plain lists.
    pub fn rows(&self, rows: Range<usize>) -> ColumnRows<'_> {
        match &self.data {
            ColumnData::Number(values) => ColumnRows::Numbers(rows.map(|row| values[row]).collect()),
            ColumnData::Text { codes, names } => ColumnRows::Texts(rows.map(|row| codes.at(row)).collect(), names),
        }
    }

    /// The rows for which `keep` holds; distinct texts stay, whether they still occur or not.
    #[must_use]
    pub fn kept(&self, keep: &[bool]) -> Column {
        let chosen = || keep.iter().enumerate().filter(|(_, keep)| **keep).map(|(row, _)| row);
        let data = match &self.data {
            ColumnData::Number(values) => ColumnData::Number(chosen().map(|row| values[row]).collect()),
            ColumnData::Text { codes, names } => {
                ColumnData::Text { codes: chosen().map(|row| codes.at(row)).collect(), names: names.clone() }
            }
        };
        Column { name: self.name.clone(), data }
    }
}

impl Table {
    /// So many first rows, or all where there are fewer.
    #[must_use]
    pub fn start(&self, rows: usize) -> Table {
        let rows = rows.min(self.rows());
        let data = |column: &Column| match &column.data {
            ColumnData::Number(values) => ColumnData::Number(values.start(rows).into()),
            ColumnData::Text { codes, names } => {
                let mut builder = TextBuilder::default();
                codes.iter().take(rows).for_each(|code| builder.push(&names[code as usize]));
                builder.finish()
            }
        };
        let columns =
            self.columns.iter().map(|column| Column { name: column.name.clone(), data: data(column) }).collect();
        Table {
            columns,
            origins: self.origins.iter().take(rows).collect(),
            files: self.files.clone(),
            roles: self.roles.clone(),
            warnings: self.warnings.clone(),
            wide: self.wide.clone(),
        }
    }

    /// The rows for which `keep` holds.
    #[must_use]
    pub fn kept(&self, keep: &[bool]) -> Table {
        Table {
            columns: self.columns.iter().map(|column| column.kept(keep)).collect(),
            origins: self.origins.iter().zip(keep).filter(|(_, keep)| **keep).map(|(origin, _)| origin).collect(),
            files: self.files.clone(),
            roles: self.roles.clone(),
            warnings: self.warnings.clone(),
            wide: self.wide.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_with_their_lines() {
        let table =
            Table::read("runs.csv", b"app,p,time_s\nx,8,1\ny,16,2\nx,32,3\n", &Default::default()).expect("a table");
        let kept = table.kept(&[true, false, true]);
        assert_eq!(
            (kept.columns[0].cell(1), kept.columns[2].cell(1), kept.origins.at(1).line),
            ("x".into(), "3".into(), 4)
        );
    }
}
