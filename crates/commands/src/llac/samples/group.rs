//! Rows with the same values are one configuration.

use runcast_core::table::Numbers;
use std::collections::HashMap;

/// The configurations of some rows in ascending order, and the rows of each in the order of the table.
pub(super) fn configurations(columns: &[&Numbers], rows: &[u32]) -> (Vec<Vec<f64>>, Vec<Vec<u32>>) {
    let mut codes = vec![0u32; rows.len()];
    let mut count = u32::from(!rows.is_empty());
    for column in columns {
        let mut code_of: HashMap<(u32, u64), u32> = HashMap::new();
        let mut last = (u32::MAX, 0u64, 0u32);
        for (code, &row) in codes.iter_mut().zip(rows) {
            // Both zeros are the same value.
            let bits = (column[row as usize] + 0.0).to_bits();
            if (last.0, last.1) != (*code, bits) {
                let next = u32::try_from(code_of.len()).unwrap_or(u32::MAX);
                last = (*code, bits, *code_of.entry((*code, bits)).or_insert(next));
            }
            *code = last.2;
        }
        count = u32::try_from(code_of.len()).unwrap_or(u32::MAX);
    }
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
    for (&code, &row) in codes.iter().zip(rows) {
        groups[code as usize].push(row);
    }
    let mut all: Vec<(Vec<f64>, Vec<u32>)> = groups
        .into_iter()
        .map(|rows| (columns.iter().map(|column| column[rows[0] as usize] + 0.0).collect(), rows))
        .collect();
    all.sort_by(|(a, _), (b, _)| {
        a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    all.into_iter().unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_sorted_and_keep_their_rows() {
        let [n, p] =
            [[4.0, 2.0, 4.0, 2.0, 4.0], [1.0, 1.0, 1.0, 0.0, -0.0]].map(|column| Numbers::from(column.to_vec()));
        let (at, rows) = configurations(&[&n, &p], &[0, 1, 2, 3, 4]);
        assert_eq!(at, [[2.0, 0.0], [2.0, 1.0], [4.0, 0.0], [4.0, 1.0]]);
        assert_eq!(rows, [vec![3], vec![1], vec![4], vec![0, 2]]);
        assert_eq!(configurations(&[], &[7, 8]), (vec![vec![]], vec![vec![7, 8]]));
        assert!(configurations(&[&n], &[]).0.is_empty());
    }
}
