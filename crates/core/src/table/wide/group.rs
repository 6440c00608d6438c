//! Groups of columns whose names differ in a number, and what the number counts.

use super::name::{Name, Says, Stem};
use crate::metric::Metric;
use crate::roles::{is_ratio_of_times, is_size, preference};
use crate::table::{ColumnData, Table};

/// Columns whose names differ in a number.
pub(super) struct Group {
    pub(super) stem: Stem,
    /// The columns in the order of the file, with their numbers.
    pub(super) columns: Vec<(usize, u32)>,
    /// Whether every name says that its number is a count.
    are_counts: bool,
}

/// What the numbers of a group are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    /// Values of a parameter, in a column of this name: mostly counts of processes.
    Parameter(String),
    Repetitions,
    /// More than one reading is plausible.
    Doubtful,
    /// The columns are what they are.
    Apart,
}

/// So far apart are repetitions at most, in the median row.
const ALIKE: f64 = 1.5;
/// So many rows show what the numbers are.
const MOST_ROWS: usize = 1 << 12;
/// A plan of process counts begins here at the latest.
const LATEST_START: u32 = 16;

/// The groups of a table, in the order in which they begin.
pub(super) fn groups(table: &Table) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let Some(name) = Name::of(&column.name) else { continue };
        match groups.iter_mut().find(|group| group.stem == name.stem) {
            Some(group) => {
                group.columns.push((index, name.number));
                group.are_counts &= name.is_count;
            }
            None => {
                groups.push(Group { stem: name.stem, columns: vec![(index, name.number)], are_counts: name.is_count })
            }
        }
    }
    groups.retain(|group| {
        let numbers = group.numbers();
        group.columns.len() > 1 && numbers.windows(2).all(|pair| pair[0] != pair[1])
    });
    groups
}

impl Group {
    /// The numbers in increasing order.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.columns.iter().map(|&(_, number)| number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The numbers in the cells of its columns, the first rows of them.
    fn values(&self, table: &Table) -> Vec<Vec<f64>> {
        let numbers = self.columns.iter().filter_map(|&(index, _)| table.columns[index].as_numbers());
        numbers.map(|values| values.start(MOST_ROWS)).collect()
    }

    /// Whether the cells hold what may have been measured: numbers above zero.
    pub(super) fn holds_results(&self, table: &Table) -> bool {
        let has_number = |values: &&Vec<f64>| values.iter().any(|value| !value.is_nan());
        let is_positive = |value: &f64| value.is_nan() || *value >= 0.0;
        let values = self.values(table);
        let is_filled = values.iter().filter(has_number).count() > 1;
        is_filled && values.iter().all(|values| values.iter().all(is_positive))
    }

    /// Whether most cells hold fractions, as results do.
    pub(super) fn has_fractions(&self, table: &Table) -> bool {
        let given = || self.values(table).into_iter().flatten().filter(|value| !value.is_nan());
        2 * given().filter(|value| value.fract() != 0.0).count() > given().count()
    }

    /// Whether every row begins with 1 at one process and ends above it: not times but how much shorter they were.
    pub(super) fn are_speedups(&self, table: &Table) -> bool {
        const NEAR: f64 = 1e-9;
        let of = |number: Option<u32>| {
            let found = self.columns.iter().find(|(_, other)| Some(*other) == number)?;
            table.columns[found.0].as_numbers()
        };
        let numbers = self.numbers();
        let (Some(first), Some(last)) = (of(numbers.first().copied()), of(numbers.last().copied())) else {
            return false;
        };
        let ends: Vec<f64> = last.start(MOST_ROWS).into_iter().filter(|value| !value.is_nan()).collect();
        matches!(self.stem.says(), Says::Processes | Says::Nothing)
            && self.stem.unit().is_empty()
            && numbers.first() == Some(&1)
            && first.start(MOST_ROWS).iter().all(|value| value.is_nan() || (value - 1.0).abs() < NEAR)
            && !ends.is_empty()
            && 2 * ends.iter().filter(|value| **value > 1.0).count() > ends.len()
    }

    /// What the numbers in the names are. `others` are the columns that are in no group.
    pub(super) fn reading(&self, table: &Table, others: &[usize]) -> Reading {
        let says = self.stem.says();
        let is_measured = self.has_fractions(table);
        let has_metric = others.iter().any(|&index| is_metric(table, index));
        let least = if says == Says::Repetitions { 2 } else { 3 };
        // Whole numbers beside a metric are inputs.
        if self.columns.len() < least || !self.holds_results(table) || (has_metric && !is_measured) {
            return Reading::Apart;
        }
        let numbers = self.numbers();
        let first = numbers[0];
        let is_row = numbers.windows(2).all(|pair| pair[1] - pair[0] == 1);
        // Beside a metric by its name they may be whatever they are.
        let doubtful = if is_measured && !has_metric { Reading::Doubtful } else { Reading::Apart };
        let in_column = |name: &str| match table.column(name) {
            None => Reading::Parameter(name.to_owned()),
            Some(_) => Reading::Apart,
        };
        let counts = Counts::of(table, others);
        let are_metrics = self.columns.iter().all(|&(index, _)| is_metric(table, index));
        match says {
            Says::Repetitions if is_row && first <= 1 && (self.stem.is_spelled_out() || self.are_alike(table)) => {
                Reading::Repetitions
            }
            Says::Processes if first == 0 || self.are_percentiles(&numbers) => Reading::Apart,
            // One column for each of the processes, or one for each number of them.
            Says::Processes if is_row && !self.are_counts => doubtful,
            Says::Processes if counts.vary => self.stem.counted().map_or(Reading::Apart, |name| in_column(&name)),
            Says::Processes if table.column("p").is_some() => Reading::Apart,
            Says::Processes => in_column("p"),
            Says::Metric | Says::Nothing if is_row && first == 1 => {
                if counts.are_there && self.are_alike(table) {
                    Reading::Repetitions
                } else if has_metric || (counts.are_there && are_metrics) {
                    Reading::Apart
                } else {
                    Reading::Doubtful
                }
            }
            Says::Metric | Says::Nothing if !is_row && is_plan(&numbers) => {
                if first <= LATEST_START && !counts.vary {
                    in_column("p")
                } else if first > LATEST_START && counts.vary && is_measured && !has_metric && !are_metrics {
                    // The processes are in a column of their own.
                    in_column("N")
                } else if are_metrics {
                    Reading::Apart
                } else {
                    doubtful
                }
            }
            // `400,600,800,1200`: nothing else says what was varied, and it is too much for a count of processes.
            Says::Nothing if !is_row && is_measured && !has_metric && first > LATEST_START => in_column("N"),
            // `N=1000`, `N=2000`
            Says::Other if self.stem.is_assigned() && is_measured && !has_metric => in_column(&self.stem.text()),
            Says::Other if !is_row && are_powers(&numbers) && first <= LATEST_START => {
                let is_free = !counts.are_there && !has_metric && is_measured && !is_size(&self.stem.text());
                if is_free { in_column("p") } else { Reading::Apart }
            }
            _ => Reading::Apart,
        }
    }

    /// Whether each row holds repetitions of one run, by its numbers.
    fn are_alike(&self, table: &Table) -> bool {
        let values = self.values(table);
        let ratio = |row: usize| {
            let given = values.iter().map(|values| values[row]).filter(|value| *value > 0.0);
            let (low, high, count) = given.fold((f64::INFINITY, 0.0f64, 0), |(low, high, count), value| {
                (low.min(value), high.max(value), count + 1)
            });
            (count > 1).then_some(high / low)
        };
        let mut ratios: Vec<f64> = (0..table.rows().min(MOST_ROWS)).filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).is_some_and(|&median| median <= ALIKE)
    }

    /// `p50`, `p90`, `p99`
    fn are_percentiles(&self, numbers: &[u32]) -> bool {
        let known = numbers.iter().filter(|number| [50, 75, 90, 95, 99, 999].contains(*number)).count();
        self.stem.counted().as_deref() == Some("p") && known >= 2
    }
}

/// What the other columns count.
struct Counts {
    /// A column counts processes.
    are_there: bool,
    /// One that does varies.
    vary: bool,
}

impl Counts {
    fn of(table: &Table, others: &[usize]) -> Counts {
        let counts = |index: &&usize| {
            let column = &table.columns[**index];
            matches!(column.data, ColumnData::Number(_)) && preference(&column.name).is_some()
        };
        let columns: Vec<&usize> = others.iter().filter(counts).collect();
        let varies = |index: &&usize| table.columns[**index].constant().is_none();
        Counts { are_there: !columns.is_empty(), vary: columns.iter().any(varies) }
    }
}

/// Whether a column is a time or a rate by its own name.
pub(super) fn is_metric(table: &Table, index: usize) -> bool {
    let column = &table.columns[index];
    let metric = Metric::from_name(&column.name).or_else(|| Metric::from_word(&column.name));
    let is_measure = metric.is_some_and(|metric| !metric.unit.is_empty() || metric.is_rate());
    is_measure && !is_ratio_of_times(&column.name) && matches!(column.data, ColumnData::Number(_))
}

/// Whether numbers are those of a plan: mostly powers of two, one ratio throughout, squares, cubes, or from 1 or 2 on.
fn is_plan(numbers: &[u32]) -> bool {
    let first = numbers[0];
    let is_power = |number: &u32, degree: i32| {
        let root = f64::from(*number).powf(1.0 / f64::from(degree)).round();
        root.powi(degree) == f64::from(*number)
    };
    let ratio = f64::from(numbers[1]) / f64::from(first);
    let has_ratio = (1.25..=4.0).contains(&ratio)
        && numbers.windows(2).all(|pair| (f64::from(pair[1]) / f64::from(pair[0]) - ratio).abs() < 0.01 * ratio);
    first > 0
        && (are_powers(numbers)
            || has_ratio
            || [2, 3].iter().any(|&degree| numbers.iter().all(|number| is_power(number, degree)))
            || first <= 2)
}

/// Whether numbers are mostly powers of two.
fn are_powers(numbers: &[u32]) -> bool {
    4 * numbers.iter().filter(|number| number.is_power_of_two()).count() >= 3 * numbers.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_plans_are_known() {
        for plan in [
            &[1, 2, 4, 8][..],
            &[4, 8, 16],
            &[1, 2, 4, 8, 12],
            &[1, 4, 9, 16, 25],
            &[1, 8, 27],
            &[12, 24, 48],
            &[1, 2, 4, 6, 8, 10, 12],
            &[3, 6, 12],
        ] {
            assert!(is_plan(plan), "{plan:?}");
        }
        for other in [&[2019, 2020, 2021][..], &[10, 20, 30], &[3, 7, 11], &[0, 1, 2], &[10, 100, 1000], &[5, 6, 9]] {
            assert!(!is_plan(other), "{other:?}");
        }
    }
}
