//! A row of units beneath the header: `p,time` above `-,ms`.

use super::number;
use crate::metric::Metric;

/// Words for numbers without a unit.
const COUNTS: [&str; 22] = [
    "-",
    "--",
    "#",
    "1",
    "count",
    "counts",
    "none",
    "n/a",
    "na",
    "%",
    "int",
    "cores",
    "ranks",
    "processes",
    "procs",
    "threads",
    "nodes",
    "cells",
    "elements",
    "points",
    "iterations",
    "unitless",
];

/// What a cell says of its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nothing, or a count.
    None,
    /// A unit of a metric, without brackets.
    Known(String),
}

/// The units in a row that holds nothing else: at least one, and in every other cell a unit, a word for a count, or
/// nothing.
pub(super) fn units_of<'a>(cells: impl IntoIterator<Item = &'a str>) -> Option<Vec<Unit>> {
    let units: Vec<Unit> = cells.into_iter().map(unit_of).collect::<Option<_>>()?;
    units.iter().any(|unit| *unit != Unit::None).then_some(units)
}

/// Whether a row beneath holds numbers where there are units.
pub(super) fn fits<'a>(units: &[Unit], cells: impl IntoIterator<Item = &'a str>) -> bool {
    let is_number =
        |cell: &str| number::parse(cell).or_else(|| number::grouped(cell)).is_some() || number::is_missing(cell);
    units.iter().zip(cells).all(|(unit, cell)| *unit == Unit::None || is_number(cell))
}

/// The name of a column with its unit in brackets, unless it has one already.
pub(super) fn with_unit(name: String, unit: Option<&Unit>) -> String {
    let Some(Unit::Known(unit)) = unit else { return name };
    let is_bracketed = name.ends_with([')', ']']);
    let same = |known: Metric| {
        let given = Metric::named(&name, Some(unit));
        !known.unit_assumed && given.is_ok_and(|given| given.unit == known.unit && given.scale == known.scale)
    };
    if is_bracketed || Metric::from_name(&name).is_some_and(same) { name } else { format!("{name} [{unit}]") }
}

fn unit_of(cell: &str) -> Option<Unit> {
    let cell = cell.trim();
    let bare = match cell.strip_prefix(['[', '(']).and_then(|cell| cell.strip_suffix([']', ')'])) {
        Some(inner) => inner.trim(),
        None if cell == "1" => return None,
        None => cell,
    };
    if bare.is_empty() || COUNTS.iter().any(|count| bare.eq_ignore_ascii_case(count)) {
        return Some(Unit::None);
    }
    let is_word = bare.len() <= 16 && number::parse(bare).is_none() && !bare.contains(['[', ']', '(', ')', ' ']);
    let is_rate = || bare.contains('/') && Metric::from_word(&format!("x [{bare}]")).is_some();
    (is_word && (Metric::named("x", Some(bare)).is_ok() || is_rate())).then(|| Unit::Known(bare.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_from_labels_and_numbers() {
        for row in [
            &["-", "s"][..],
            &["[count]", "[ms]"],
            &["", "ms"],
            &["#", "us", "ns"],
            &["count", "min", "h"],
            &["(-)", "(s)", "(MB)"],
            &["procs", "GFlop/s", "MB/s"],
            &["-", "1/s"],
            &["B", "kB", "GB", "s"],
            &["cores", "seconds"],
            &["", "ns/day"],
            &["-", "µs"],
        ] {
            assert!(units_of(row.iter().copied()).is_some(), "{row:?}");
        }
        for row in [&["1", "2.5"][..], &["main", "s"], &["-", "-"], &["", ""], &["1", "s"], &["p", "time"], &["4", "-"]]
        {
            assert_eq!(units_of(row.iter().copied()), None, "{row:?}");
        }
    }

    #[test]
    fn a_unit_stands_in_brackets_once() {
        let unit = |unit: &str| Some(Unit::Known(unit.to_owned()));
        let named = |name: &str, of: Option<Unit>| with_unit(name.to_owned(), of.as_ref());
        assert_eq!(named("time", unit("ms")), "time [ms]");
        assert_eq!(named("time_s", unit("s")), "time_s");
        assert_eq!(named("Time (s)", unit("s")), "Time (s)");
        assert_eq!(named("p", Some(Unit::None)), "p");
    }
}
