//! Assigning rows to groups.

use crate::configuration::Group;
use crate::hash::MixMap;
use crate::table::{ColumnData, Table, number};
use std::collections::HashMap;

/// The rows of a table by group, groups in the order in which they first appear.
pub(super) struct Groups {
    /// The rows, group by group, in the order of the table within each.
    rows: Vec<u32>,
    /// Where each group begins in `rows`, and the end.
    starts: Vec<usize>,
}

impl Groups {
    /// Groups `rows` by these columns.
    pub(super) fn new(table: &Table, by: &[usize], rows: Vec<u32>) -> Self {
        let (codes, count) = codes_of(table, by, &rows);
        // A counting sort keeps the order of the table within each group.
        let mut starts = vec![0usize; count + 1];
        for &code in &codes {
            starts[code as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0u32; rows.len()];
        for (&row, &code) in rows.iter().zip(&codes) {
            let place = &mut next[code as usize];
            sorted[*place] = row;
            *place += 1;
        }
        Groups { rows: sorted, starts }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn rows_mut(&mut self, group: usize) -> &mut [u32] {
        &mut self.rows[self.starts[group]..self.starts[group + 1]]
    }
}

/// A code for each row by its cells in the columns `by`, in the order of first appearance, and how many there are.
pub(crate) fn codes_of(table: &Table, by: &[usize], rows: &[u32]) -> (Vec<u32>, usize) {
    let mut codes = vec![0u32; rows.len()];
    let mut count = usize::from(!rows.is_empty());
    for &column in by {
        let (cell_codes, distinct) = cell_codes(table, column, rows);
        if distinct > 1 {
            count = combine(&mut codes, count, &cell_codes, distinct);
        }
    }
    (codes, count)
}

/// The labels of the group that a row belongs to.
pub(super) fn labels_of(table: &Table, by: &[usize], row: usize) -> Group {
    by.iter().map(|&index| (table.columns[index].name.clone(), table.columns[index].cell(row))).collect()
}

/// A code per row for the cells of a column, and how many codes there may be.
fn cell_codes(table: &Table, column: usize, rows: &[u32]) -> (Vec<u32>, usize) {
    match &table.columns[column].data {
        ColumnData::Text { codes, names } => (rows.iter().map(|&row| codes.at(row as usize)).collect(), names.len()),
        ColumnData::Number(values) => {
            let mut code_of: MixMap<u64, u32> = MixMap::default();
            if let Some(codes) = values.codes() {
                // The two zeros are one number.
                let mut code = |value: &f64| {
                    let next = code_of.len() as u32;
                    *code_of.entry(number::bits(*value)).or_insert(next)
                };
                let of: Vec<u32> = values.distinct().iter().map(&mut code).collect();
                return (rows.iter().map(|&row| of[codes.at(row as usize) as usize]).collect(), code_of.len());
            }
            let codes = rows
                .iter()
                .map(|&row| {
                    let next = code_of.len() as u32;
                    *code_of.entry(number::bits(values[row as usize])).or_insert(next)
                })
                .collect();
            (codes, code_of.len())
        }
    }
}

/// Replaces the code of each row by one for the pair of it and another code; new codes count from 0 in the order in
/// which they first appear. Returns how many there are.
fn combine(codes: &mut [u32], count: usize, others: &[u32], distinct: usize) -> usize {
    const UNSEEN: u32 = u32::MAX;
    let mut found = 0u32;
    let pairs = count.saturating_mul(distinct);
    if pairs <= 4 * codes.len() + 1024 {
        let mut table = vec![UNSEEN; pairs];
        for (code, &other) in codes.iter_mut().zip(others) {
            let slot = &mut table[*code as usize * distinct + other as usize];
            if *slot == UNSEEN {
                *slot = found;
                found += 1;
            }
            *code = *slot;
        }
    } else {
        let mut table: HashMap<u64, u32> = HashMap::new();
        for (code, &other) in codes.iter_mut().zip(others) {
            let pair = (u64::from(*code) << 32) | u64::from(other);
            *code = *table.entry(pair).or_insert_with(|| {
                found += 1;
                found - 1
            });
        }
    }
    found as usize
}
