//! Quantities printed for people.

/// Digits of [`format_quantity`].
const DIGITS: usize = 3;
/// More than these are not in an `f64`.
const MOST_DIGITS: usize = 17;
/// Numbers without a prefix get an exponent from here on.
const WRITTEN_OUT: f64 = 1e7;

/// A value in SI base units with a prefix that makes it short, to three significant digits.
///
/// Knows the units of [`suffix_unit`](super::suffix_unit) and [`Dimension::si_unit`](super::Dimension::si_unit), and
/// ratios that begin with them; others, the empty one among them, get no prefix. Long times are in minutes, hours, days
/// or years. What [`parse_quantity`](super::parse_quantity) can read, it reads back. A value that is not finite is `-`.
///
/// ```
/// use runcast_formula::units::format_quantity;
///
/// assert_eq!(format_quantity(0.00153, "s"), "1.53 ms");
/// assert_eq!(format_quantity(6.4e9, "B"), "6.4 GB");
/// assert_eq!(format_quantity(0.8e-9, "s/B"), "800 ps/B");
/// assert_eq!(format_quantity(2.5e12, "flop/s"), "2.5 Tflop/s");
/// assert_eq!(format_quantity(86_400.0, "s"), "24 h");
/// assert_eq!(format_quantity(14.2365, ""), "14.2");
/// ```
pub fn format_quantity(value: f64, unit: &str) -> String {
    format_quantity_digits(value, unit, DIGITS)
}

/// As [`format_quantity`], to the given number of significant digits (at least 1, at most 17).
///
/// ```
/// use runcast_formula::units::format_quantity_digits;
/// assert_eq!(format_quantity_digits(0.00153217, "s", 5), "1.5322 ms");
/// ```
pub fn format_quantity_digits(value: f64, unit: &str, digits: usize) -> String {
    let digits = digits.clamp(1, MOST_DIGITS);
    if !value.is_finite() {
        return "-".to_owned();
    }
    // Of the rounded value, so that 999.9 ms is 1 s.
    let (factor, shown_unit) = scale(rounded(value, digits).abs(), unit);
    let number = plain(value / factor, digits);
    if shown_unit.is_empty() { number } else { format!("{number} {shown_unit}") }
}

/// A factor, and the unit that is so large.
fn scale(size: f64, unit: &str) -> (f64, String) {
    const LONG: [(f64, f64, &str); 4] = [
        (1000.0 * 86_400.0, 8760.0 * 3600.0, "y"),
        (100.0 * 3600.0, 86_400.0, "d"),
        (6000.0, 3600.0, "h"),
        (1000.0, 60.0, "min"),
    ];
    const SMALL: [(f64, &str); 5] = [(1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"), (1e-12, "p")];
    const LARGE: [(f64, &str); 7] =
        [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let first = unit.split('/').next().unwrap_or_default();
    if unit == "s"
        && let Some((_, factor, name)) = LONG.iter().find(|(from, _, _)| size >= *from)
    {
        return (*factor, (*name).to_owned());
    }
    let small = matches!(first, "s" | "J" | "W");
    let large = matches!(first, "B" | "flop" | "op" | "TEPS" | "Hz" | "J" | "W");
    let prefix = if large && size >= 1e3 {
        LARGE.iter().find(|(factor, _)| size >= *factor)
    } else if small && size < 1.0 && size > 0.0 {
        SMALL.iter().find(|(factor, _)| size >= *factor).or(SMALL.last())
    } else {
        None
    };
    let (factor, prefix) = prefix.copied().unwrap_or((1.0, ""));
    (factor, format!("{prefix}{unit}"))
}

/// The nearest number with this many significant digits.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

/// The number with this many significant digits, without zeros at the end of its decimals.
fn plain(value: f64, digits: usize) -> String {
    let size = value.abs();
    let mut text = if size != 0.0 && !(1e-4..WRITTEN_OUT).contains(&size) {
        return trimmed_exponent(value, digits);
    } else {
        let exponent = if size == 0.0 { 0 } else { size.log10().floor() as i32 };
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        format!("{value:.decimals$}")
    };
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if text == "-0" { "0".to_owned() } else { text }
}

fn trimmed_exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.*e}", digits - 1);
    match text.split_once('e') {
        Some((number, exponent)) if number.contains('.') => {
            format!("{}e{exponent}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Dimension, parse_quantity};

    #[test]
    fn values_get_a_fitting_unit() {
        for (value, unit, expected) in [
            (0.0, "s", "0 s"),
            (1.0, "s", "1 s"),
            (0.9999, "s", "1 s"),
            (0.9994, "s", "999 ms"),
            (1.234e-13, "s", "0.123 ps"),
            (57.942, "s", "57.9 s"),
            (999.6, "s", "16.7 min"),
            (7200.0, "s", "2 h"),
            (1e6, "s", "11.6 d"),
            (1.5768e8, "s", "5 y"),
            (-0.00153, "s", "-1.53 ms"),
            (999.0, "B", "999 B"),
            (65536.0, "B", "65.5 kB"),
            (0.5, "B", "0.5 B"),
            (3.6e6, "J", "3.6 MJ"),
            (2.4e-10, "J/B", "240 pJ/B"),
            (5e-9, "1/s", "5e-9 1/s"),
            (1e21, "flop/s", "1000 Eflop/s"),
            (123_456.0, "", "123456"),
            (1.5e7, "", "1.5e7"),
            (f64::NAN, "s", "-"),
            (f64::INFINITY, "B", "-"),
        ] {
            assert_eq!(format_quantity(value, unit), expected, "{value} {unit}");
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        for dimension in Dimension::ALL {
            for exponent in -14..20 {
                let value = 1.2345 * 10f64.powi(exponent);
                let text = format_quantity_digits(value, dimension.si_unit(), 6);
                let read = parse_quantity(&text, dimension).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert!((read / value - 1.0).abs() < 1e-4, "{value}: {text}");
            }
        }
    }
}
