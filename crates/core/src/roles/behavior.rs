//! Columns that are metrics by their values, or by what follows from them, where no name says so.

use super::assignment::Assignment;
use super::metrics::is_ratio_of_times;
use super::sizes::is_size;
use super::statistics::MIDDLES;
use super::{inputs, processes};
use crate::metric::{Direction, Metric};
use crate::spelling::words_of;
use crate::table::Column;

impl Assignment<'_> {
    /// The column that is called by the middle of several runs alone: `avg`, beside `min`, `max`, `std`.
    pub(super) fn metrics_by_statistic(&self, taken: &dyn Fn(usize) -> bool) -> Vec<(usize, Metric)> {
        let is_open = |index: &usize| !taken(*index) && self.role(*index).is_none() && self.may_be_measured(*index);
        let open: Vec<usize> = (0..self.table.columns.len()).filter(is_open).collect();
        let called = |word: &&str| open.iter().find(|&&index| words_of(self.name(index)) == [*word]).copied();
        let found = MIDDLES.iter().filter_map(called).min();
        found.and_then(|index| Some((index, Metric::named(self.name(index), None).ok()?))).into_iter().collect()
    }

    /// The two columns whose ratio a speedup is in every row, such as `Ts` and `Tp`: times.
    pub(super) fn times_of_a_ratio(&self, taken: &dyn Fn(usize) -> bool) -> Vec<(usize, Metric)> {
        /// Printed with two digits, a ratio is off by so much.
        const TOLERANCE: f64 = 0.02;
        const MOST_COLUMNS: usize = 64;
        let numbers = |index: usize| self.table.columns[index].as_numbers().unwrap_or_default();
        let is_open = |index: &usize| {
            !taken(*index)
                && self.role(*index).is_none()
                && self.may_be_measured(*index)
                && inputs::looks_measured(numbers(*index))
        };
        let open: Vec<usize> = (0..self.table.columns.len()).filter(is_open).take(MOST_COLUMNS).collect();
        let is_ratio = |&ratio: &usize, above: usize, below: usize| {
            let rows = numbers(ratio).iter().zip(numbers(above).iter().zip(numbers(below).iter()));
            numbers(ratio).len() > 2
                && rows.take(1 << 12).all(|(ratio, (above, below))| (above / below / ratio - 1.0).abs() <= TOLERANCE)
        };
        let ratios = open.iter().filter(|index| is_ratio_of_times(self.name(**index)));
        let pairs = || open.iter().flat_map(|&above| open.iter().map(move |&below| (above, below)));
        let found = ratios.into_iter().find_map(|ratio| {
            pairs().find(|&(above, below)| {
                above != below && *ratio != above && *ratio != below && is_ratio(ratio, above, below)
            })
        });
        let seconds = |index: usize| {
            let metric = Metric::named(self.name(index), Some("s")).ok()?;
            Some((index, Metric { unit_assumed: true, ..metric }))
        };
        found.into_iter().flat_map(|(above, below)| [above, below]).filter_map(seconds).collect()
    }

    /// Speedups and efficiencies, where the table has no time.
    pub(super) fn ratios_of_times(&self, taken: &dyn Fn(usize) -> bool) -> Vec<(usize, Metric)> {
        (0..self.table.columns.len())
            .filter(|&index| !taken(index) && self.role(index).is_none() && self.may_be_measured(index))
            .filter(|&index| is_ratio_of_times(self.name(index)))
            .map(|index| (index, Metric::new(self.name(index), "", Direction::Higher)))
            .collect()
    }

    /// The columns whose numbers look measured: they are not round, and seldom recur. Where all recur, the last of them.
    pub(super) fn metrics_by_behavior(&self, taken: &dyn Fn(usize) -> bool) -> Vec<(usize, Metric)> {
        let free = |&index: &usize| {
            !taken(index)
                && self.role(index).is_none()
                && self.may_be_measured(index)
                && processes::preference(self.name(index)).is_none()
                && !inputs::is_outcome(self.name(index))
        };
        let is_measured = |index: &usize| {
            let values = self.table.columns[*index].as_numbers().unwrap_or_default();
            inputs::looks_measured(values)
        };
        let free: Vec<usize> = (0..self.table.columns.len()).filter(free).collect();
        let mut found: Vec<usize> = free.iter().copied().filter(is_measured).collect();
        if !found.is_empty() {
            // Beside others, times near the resolution of the clock have few digits, and long times no fractions.
            let are_several = found.len() > 1;
            let is_like_them = |index: &usize| {
                let values = self.table.columns[*index].as_numbers().unwrap_or_default();
                let distinct = values.distinct();
                let fractions = distinct.iter().filter(|value| value.fract() != 0.0).count();
                let odd = distinct.iter().filter(|value| !inputs::is_round(**value)).count();
                !is_size(self.name(*index))
                    && !is_progression(distinct)
                    && 2 * distinct.len() > values.len()
                    && (are_several && 2 * fractions > distinct.len()
                        || 4 * fractions > distinct.len() && 2 * odd > distinct.len())
            };
            let likes = free.iter().copied().filter(is_like_them).filter(|index| !found.contains(index));
            found.extend(likes.collect::<Vec<_>>());
            found.sort_unstable();
        }
        if found.is_empty() {
            let has_fractions = |index: &usize| {
                let values = self.table.columns[*index].as_numbers().unwrap_or_default();
                values.iter().any(|value| !value.is_nan() && value.fract() != 0.0)
            };
            found = free.iter().copied().filter(has_fractions).collect();
            if found.len() > 1 {
                return Vec::new();
            }
            if found.is_empty() {
                found = self.beside_one_plan(&free);
            }
        }
        let metric = |index: usize| Some((index, Metric::named(self.name(index), None).ok()?));
        let has_names = self.table.columns.iter().enumerate().any(|(index, column)| column.name != index.to_string());
        let recurs = |index: &usize| {
            let values = self.table.columns[*index].as_numbers().unwrap_or_default();
            3 * values.distinct().len() <= values.len()
        };
        if has_names && found.iter().all(recurs) {
            found = found.split_off(found.len().saturating_sub(1));
        } else if has_names {
            found.retain(|index| !recurs(index));
        }
        found.into_iter().filter_map(metric).collect()
    }

    /// The columns of whole numbers beside the only one that a user set: sizes from row to row, and times in whole
    /// milliseconds under the names of what took them.
    fn beside_one_plan(&self, free: &[usize]) -> Vec<usize> {
        let set = |index: usize| {
            let distinct = self.table.columns[index].as_numbers().unwrap_or_default().distinct();
            is_progression(distinct) || is_geometric(distinct)
        };
        let (plans, rest): (Vec<usize>, Vec<usize>) = free.iter().partition(|&&index| set(index));
        let are_sizes = rest.iter().any(|&index| is_size(self.name(index)));
        let counts = |column: &Column| processes::preference(&column.name).is_some();
        if plans.len() != 1 || rest.is_empty() || are_sizes || self.table.columns.iter().any(counts) {
            return Vec::new();
        }
        let differs = |&index: &usize| {
            let values = self.table.columns[index].as_numbers().unwrap_or_default();
            values.distinct().len() == values.len() && values.iter().all(|value| *value >= 0.0)
        };
        if rest.iter().all(differs) { rest } else { Vec::new() }
    }
}

/// Whether numbers are equally far apart, as those of a plan are.
fn is_progression(distinct: &[f64]) -> bool {
    let mut numbers: Vec<f64> = distinct.iter().copied().filter(|value| value.is_finite()).collect();
    numbers.sort_by(f64::total_cmp);
    let [first, .., last] = numbers.as_slice() else { return false };
    let step = (last - first) / (numbers.len() - 1) as f64;
    numbers.len() >= 4 && numbers.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() <= 1e-6 * step)
}

/// Whether each number is the same factor, of at least 1.5, above the one before it.
fn is_geometric(distinct: &[f64]) -> bool {
    let mut numbers: Vec<f64> = distinct.iter().copied().filter(|value| *value > 0.0).collect();
    numbers.sort_by(f64::total_cmp);
    let [first, second, _, ..] = numbers.as_slice() else { return false };
    let ratio = second / first;
    ratio >= 1.5 && numbers.windows(2).all(|pair| (pair[1] / pair[0] / ratio - 1.0).abs() < 1e-6)
}
