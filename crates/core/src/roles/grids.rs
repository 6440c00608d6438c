//! Process grids: columns whose product is the number of processes, and sizes that follow from them.
//!
//! `px` and `py` say nothing that `nprocs` does not say, if each number of processes was run on one grid: a target need
//! not name them. The same goes for a local size beside the global one (`nxg = nxl px`).

use super::read_as::Unused;
use crate::series::groups::codes_of;
use crate::table::Table;

/// So many rows show it; the rest of a longer table is not looked at.
const MOST_ROWS: usize = 1 << 14;
/// Of more columns than this, no grid is looked for.
const MOST_COLUMNS: usize = 12;
/// A grid has at most so many dimensions.
const MOST_DIMENSIONS: u32 = 4;

/// The columns among `inputs` that follow from one of the columns that count processes, each with the reason: px and py,
/// or ranks and threads, where each number of cores was run in one way.
pub(super) fn following(table: &Table, processes: &[usize], inputs: &[usize]) -> Vec<(usize, Unused)> {
    let grid = Grid { table, rows: (0..table.rows().min(MOST_ROWS) as u32).collect() };
    let mut counts = processes.iter().copied().filter(|&count| grid.whole(count).is_some() && grid.varies(count));
    let Some((count, factors)) = counts.find_map(|count| Some((count, grid.factors(count, inputs)?))) else {
        return Vec::new();
    };
    let reason = format!("factor of {}", table.columns[count].name);
    let rest: Vec<usize> = inputs.iter().copied().filter(|index| !factors.contains(index)).collect();
    let mut found = grid.sizes(&factors, &rest);
    found.extend(factors.into_iter().map(|index| (index, Unused::Follows(reason.clone()))));
    found
}

/// Counts that are the product of another count and an input, where these vary independently: `cores` beside `ranks` and
/// `threads`, and what is the product of two counts. A target would have to name all three.
pub(super) fn products(table: &Table, processes: &[usize], inputs: &[usize]) -> Vec<(usize, Unused)> {
    let grid = Grid { table, rows: (0..table.rows().min(MOST_ROWS) as u32).collect() };
    if inputs.len() > MOST_COLUMNS || grid.rows.len() < 4 {
        return Vec::new();
    }
    let varying = |&index: &usize| grid.varies(index).then(|| Some((index, grid.whole(index)?)))?;
    let open: Vec<(usize, Vec<f64>)> = inputs.iter().filter_map(varying).collect();
    let name = |index: usize| table.columns[index].name.as_str();
    let of = |total: &(usize, Vec<f64>)| {
        let others = || open.iter().filter(|other| other.0 != total.0);
        let pairs = others().flat_map(|one| others().map(move |other| (one, other)));
        let counts = |index: &usize| processes.contains(index);
        let may_be = |one: &usize, other: &usize| counts(one) && one != other && (counts(&total.0) || counts(other));
        pairs.filter(|(one, other)| may_be(&one.0, &other.0)).find_map(|(one, other)| {
            let is_product = multiply_to(&[&one.1, &other.1], &total.1);
            let is_free = grid.distinct(&[one.0, other.0]) > grid.distinct(&[total.0]);
            let why = || Unused::Follows(format!("{} {}", name(one.0), name(other.0)));
            (is_product && is_free).then(|| (total.0, why()))
        })
    };
    open.iter().filter_map(of).collect()
}

/// An input of whole numbers.
struct Input {
    index: usize,
    values: Vec<f64>,
    varies: bool,
}

/// Whether the product of these numbers is the total, row by row.
fn multiply_to(columns: &[&[f64]], total: &[f64]) -> bool {
    let product = |row: usize| columns.iter().map(|values| values[row]).product::<f64>();
    total.iter().enumerate().all(|(row, total)| product(row) == *total)
}

struct Grid<'t> {
    table: &'t Table,
    rows: Vec<u32>,
}

impl Grid<'_> {
    /// The numbers of a column, if all are whole and above zero.
    fn whole(&self, index: usize) -> Option<Vec<f64>> {
        let values = self.table.columns[index].as_numbers()?.start(self.rows.len());
        values.iter().all(|value| *value >= 1.0 && value.fract() == 0.0).then_some(values)
    }

    fn varies(&self, index: usize) -> bool {
        self.distinct(&[index]) > 1
    }

    fn distinct(&self, columns: &[usize]) -> usize {
        codes_of(self.table, columns, &self.rows).1
    }

    /// The columns whose product is `count` in every row, the fewest that do; none where a number of processes stands
    /// beside several grids.
    fn factors(&self, count: usize, inputs: &[usize]) -> Option<Vec<usize>> {
        let total = self.whole(count)?;
        let divides = |values: &[f64]| values.iter().zip(&total).all(|(value, total)| total % value == 0.0);
        let column = |&index: &usize| Some(Input { index, values: self.whole(index)?, varies: self.varies(index) });
        let others = inputs.iter().filter(|index| **index != count);
        let open: Vec<Input> = others.filter_map(column).filter(|input| divides(&input.values)).collect();
        if open.len() < 2 || open.len() > MOST_COLUMNS {
            return None;
        }
        let is_size = |set: &u32| (2..=MOST_DIMENSIONS).contains(&set.count_ones());
        let mut sets: Vec<u32> = (0..1u32 << open.len()).filter(is_size).collect();
        sets.sort_by_key(|set| set.count_ones());
        let factors = sets.into_iter().find_map(|set| {
            let chosen: Vec<&Input> =
                open.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, input)| input).collect();
            let values: Vec<&[f64]> = chosen.iter().map(|input| input.values.as_slice()).collect();
            if !multiply_to(&values, &total) {
                return None;
            }
            let varying = chosen.iter().filter(|input| input.varies).count();
            let factors: Vec<usize> = chosen.iter().map(|input| input.index).collect();
            (varying > 1 || (varying == 1 && self.are_alike(&factors))).then_some(factors)
        })?;
        let with_count = [factors.as_slice(), &[count]].concat();
        (self.distinct(&with_count) == self.distinct(&[count])).then_some(factors)
    }

    /// Whether names differ in one letter: `px`, `py`.
    fn are_alike(&self, columns: &[usize]) -> bool {
        let name = |index: usize| self.table.columns[index].name.chars();
        let differs = |a: usize, b: usize| name(a).zip(name(b)).filter(|(a, b)| a != b).count();
        let length = |index: usize| name(index).count();
        columns.windows(2).all(|pair| length(pair[0]) == length(pair[1]) && differs(pair[0], pair[1]) == 1)
    }

    /// Global and local sizes: of two columns one of which is the other times a factor, the one that varies more.
    fn sizes(&self, factors: &[usize], inputs: &[usize]) -> Vec<(usize, Unused)> {
        let mut found: Vec<(usize, Unused)> = Vec::new();
        let open: Vec<(usize, Vec<f64>)> =
            inputs.iter().filter_map(|&index| Some((index, self.whole(index)?))).collect();
        if open.len() > MOST_COLUMNS {
            return found;
        }
        let name = |index: usize| self.table.columns[index].name.as_str();
        for &factor in factors.iter().filter(|&&factor| self.varies(factor)) {
            let Some(times) = self.whole(factor) else { continue };
            let pairs = open.iter().flat_map(|global| open.iter().map(move |local| (global, local)));
            for (&(global, ref total), &(local, ref values)) in pairs {
                let is_free = |index: usize| !found.iter().any(|&(other, _)| other == index);
                if global == local || !is_free(global) || !is_free(local) || !multiply_to(&[values, &times], total) {
                    continue;
                }
                let why = if self.distinct(&[global]) > self.distinct(&[local]) {
                    (global, format!("{} {}", name(local), name(factor)))
                } else {
                    (local, format!("{}/{}", name(global), name(factor)))
                };
                found.push((why.0, Unused::Follows(why.1)));
            }
        }
        found
    }
}
