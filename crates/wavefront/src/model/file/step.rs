//! The lattice step of a file that names none.

use super::law::Described;
use crate::model::binning::{TICKS, rounded};
use crate::model::distribution::Shape;

/// The widest law spans no more ticks than that, however short updates can be.
const MOST_TICKS: f64 = 1000.0;
/// A common measure of constant times is looked for up to this part of the least.
const PARTS: u32 = 100;

/// What is chosen, and why in words; none where there is nothing to choose by.
pub(super) fn chosen(laws: &[Described], updates: &[usize]) -> Option<(f64, String)> {
    let ranges = laws.iter().filter_map(|law| Some((law, law.distribution.range_s()?)));
    let widest = ranges.max_by(|a, b| (a.1.1 - a.1.0).total_cmp(&(b.1.1 - b.1.0)))?;
    let width_s = widest.1.1 - widest.1.0;
    if width_s <= 0.0 {
        return constants(laws).map(|step_s| (step_s, "all times are multiples of it, or nearly".to_owned()));
    }
    let least = updates.iter().filter_map(|&index| laws[index].distribution.range_s()).map(|range| range.0);
    // A step above the least time of an update would make some updates take no time. A law that goes down to 0, or
    // nearly, does so on any lattice.
    let least = least.filter(|least| *least > width_s / MOST_TICKS).fold(f64::INFINITY, f64::min);
    let step_s = rounded((width_s / TICKS).min(least));
    let ticks = (width_s / step_s).round();
    Some((step_s, format!("the widest law, of {}, spans {ticks} ticks", widest.0.who)))
}

/// Without the last digits, which are rounding's: 0.1 and not 0.09999999999999999.
fn plain(step_s: f64) -> f64 {
    format!("{step_s:.12e}").parse().unwrap_or(step_s)
}

/// The largest part of the least positive time that all times are multiples of.
fn constants(laws: &[Described]) -> Option<f64> {
    let values: Vec<f64> = laws
        .iter()
        .filter_map(|law| match &law.distribution.shape {
            Shape::Values(values) => values.first().map(|value| value.0),
            _ => None,
        })
        .filter(|value| *value > 0.0)
        .collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    if !least.is_finite() {
        // Nothing takes any time.
        return None;
    }
    let fits = |step: f64| values.iter().all(|value| (value / step - (value / step).round()).abs() <= 1e-9);
    let found = (1..=PARTS).map(|part| least / f64::from(part)).find(|step| fits(*step));
    Some(found.map(plain).unwrap_or_else(|| rounded(least / TICKS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_measure_is_a_plain_number() {
        assert_eq!(plain(0.3 / 3.0), 0.1);
        assert_eq!(plain(1.0 / 3.0), 0.333_333_333_333_3);
        assert_eq!(plain(2.5e-9), 2.5e-9);
    }
}
