//! Filters: formulas over the columns of a table.

use super::column_index;
use crate::problem::{Problem, Problems};
use crate::table::{ColumnRows, Table};
use runcast_formula::{Column, Formula};

/// Rows evaluated at a time.
const BLOCK: usize = 65_536;

/// Which rows of a table satisfy all formulas; columns of text are compared with quoted texts. Comparisons with an
/// empty numeric cell do not hold. `option` (`--where`, `--train`) is named in problems.
///
/// # Errors
/// A formula cannot be read, or it uses a column that is missing or of another kind.
///
/// # Examples
/// ```
/// use runcast_core::{Table, roles::rows_where};
/// let table = Table::read("runs.csv", b"app,p,time_s\nhpl,8,1.5\nft,16,0.9\n", &Default::default())?;
/// let rows = rows_where(&table, &["app == \"hpl\" and p <= 64".to_owned()], "--where")?;
/// assert_eq!(rows, [true, false]);
/// # Ok::<(), runcast_core::Problems>(())
/// ```
pub fn rows_where(table: &Table, filters: &[String], option: &str) -> Result<Vec<bool>, Problems> {
    let mut keep = vec![true; table.rows()];
    for filter in filters {
        keep_where(table, filter, option, &mut keep)?;
    }
    Ok(keep)
}

fn keep_where(table: &Table, filter: &str, option: &str, keep: &mut [bool]) -> Result<(), Problem> {
    let problem = |error: runcast_formula::FormulaError| {
        let error = error.with_known_names(table.columns.iter().map(|column| column.name.as_str()));
        let problem = Problem::new("formula", error.to_string()).at(option).value(filter);
        match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    };
    let formula = Formula::parse(filter).map_err(problem)?;
    let mut used = Vec::new();
    for name in formula.names() {
        // A missing name is reported by the compiler below, which knows its position.
        used.extend(column_index(table, name, option).ok());
    }
    let names: Vec<&str> = used.iter().map(|&index| table.columns[index].name.as_str()).collect();
    let program = formula.compile(&names).map_err(problem)?;
    let mut values = vec![0.0; BLOCK.min(keep.len())];
    for (block, keep) in keep.chunks_mut(BLOCK).enumerate() {
        let rows = block * BLOCK..block * BLOCK + keep.len();
        let blocks: Vec<ColumnRows<'_>> = used.iter().map(|&index| table.columns[index].rows(rows.clone())).collect();
        let columns: Vec<Column<'_>> = blocks.iter().map(ColumnRows::for_formulas).collect();
        let values = &mut values[..keep.len()];
        program.columns(&columns, values).map_err(problem)?;
        for (keep, &value) in keep.iter_mut().zip(&*values) {
            *keep &= value != 0.0 && !value.is_nan();
        }
    }
    Ok(())
}
