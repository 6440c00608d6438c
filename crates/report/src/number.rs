//! Readable numbers: few digits, SI prefixes, no digit that the data does not support.

use runcast_formula::units;

/// A number with its unit, to `digits` significant digits: `12.3 ms`, `1.50 GB/s`, `64`.
///
/// Units that take SI prefixes get one; a bare number and a percentage get none. Values that are not finite become a dash.
///
/// # Examples
/// ```
/// use runcast_report::number::quantity;
/// assert_eq!(quantity(0.012345, "s", 3), "12.3\u{a0}ms");
/// assert_eq!(quantity(64.0, "", 3), "64");
/// assert_eq!(quantity(f64::NAN, "s", 3), "–");
/// ```
pub fn quantity(value: f64, unit: &str, digits: usize) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    let text = units::format_quantity_digits(value, unit, digits);
    match text.split_once(' ') {
        // The formula language spells micro with a letter that every keyboard has.
        Some((number, "us")) => with_unit(number, "µs"),
        Some((number, unit)) => with_unit(number, unit),
        None => text,
    }
}

/// A number to `digits` significant digits, without trailing zeros after the point.
///
/// # Examples
/// ```
/// use runcast_report::number::significant;
/// assert_eq!(significant(1234.5678, 3), "1,235");
/// assert_eq!(significant(0.5, 3), "0.5");
/// assert_eq!(significant(1.5e-9, 3), "1.5e-9");
/// ```
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = digits.clamp(1, 17);
    // The exponent after rounding: 9.996 to three digits is 10.0.
    let scientific = format!("{:.*e}", digits - 1, value);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, text)| text.parse().ok()).unwrap_or(0);
    // If all digits before the point are requested, the number is written out.
    if !(-4..=(digits as i32 - 1).max(9)).contains(&exponent) {
        let (mantissa, _) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        return format!("{}e{exponent}", without_trailing_zeros(mantissa));
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    grouped(without_trailing_zeros(&format!("{value:.decimals$}")))
}

/// A formula with its numbers rounded to `digits` significant digits; names that contain digits are unchanged.
///
/// # Examples
/// ```
/// use runcast_report::number::formula;
/// assert_eq!(formula("66.954321 + 2.5731234e-9*x1234567^(1/2)", 3), "67 + 2.57e-9*x1234567^(1/2)");
/// ```
pub fn formula(text: &str, digits: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let inside_name = rest[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let mut end = start;
        let bytes = rest.as_bytes();
        while end < bytes.len() {
            let exponent_sign =
                matches!(bytes[end], b'+' | b'-') && end > start && matches!(bytes[end - 1], b'e' | b'E');
            let exponent = matches!(bytes[end], b'e' | b'E')
                && bytes.get(end + 1).is_some_and(|next| next.is_ascii_digit() || *next == b'-');
            if bytes[end].is_ascii_digit() || bytes[end] == b'.' || exponent || exponent_sign {
                end += 1;
            } else {
                break;
            }
        }
        out.push_str(&rest[..start]);
        let number = &rest[start..end];
        match number.parse::<f64>() {
            Ok(value) if !inside_name && number.len() > digits + 1 => out.push_str(&rounded(value, digits)),
            _ => out.push_str(number),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// A number of a formula to `digits` significant digits, without trailing zeros.
fn rounded(value: f64, digits: usize) -> String {
    let text = format!("{:.*e}", digits.saturating_sub(1), value);
    let value: f64 = text.parse().unwrap_or(value);
    if value != 0.0 && !(1e-4..1e7).contains(&value.abs()) { format!("{value:e}") } else { format!("{value}") }
}

/// A fixed number of decimals, with the sign always shown: `+3.2`, `-0.4`.
pub fn signed(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:+.decimals$}").replace('-', MINUS) } else { DASH.to_owned() }
}

/// A percentage: `3.2 %`, `0.04 %`, `1,240 %`.
pub fn percent(value: f64) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    let text = match value.abs() {
        large if large >= 1e6 => format!("{value:.1e}"),
        large if large >= 99.95 => grouped(&format!("{value:.0}")),
        middle if !(1e-6..0.1).contains(&middle) => format!("{value:.1}"),
        _ => significant(value, 1),
    };
    format!("{text}\u{a0}%")
}

/// The factor for the numbers and the unit to show, so that `largest` reads well: `(1e-3, "ms")`.
///
/// Long times are in minutes and hours, as in [`quantity`].
pub fn prefixed(largest: f64, unit: &str) -> (f64, String) {
    if unit == "s" && largest >= 6000.0 {
        return (3600.0, "h".to_owned());
    }
    if unit == "s" && largest >= 1000.0 {
        return (60.0, "min".to_owned());
    }
    prefixed_si(largest, unit)
}

/// As [`prefixed`], by powers of a thousand only; seconds get none above 1 s.
pub fn prefixed_si(largest: f64, unit: &str) -> (f64, String) {
    if !PREFIXABLE.contains(&unit) || largest <= 0.0 || !largest.is_finite() {
        return (1.0, unit.to_owned());
    }
    // 999.9996 reads better as 1 k than as 1000.
    let step = ((largest * 1.000_5).log10() / 3.0).floor() as i32;
    let (least, most) = match unit {
        "s" => (-4, 0),
        "B" | "B/s" | "flop/s" | "Hz" | "flop" | "bit/s" => (0, 6),
        _ => (-4, 6),
    };
    let step = step.clamp(least, most);
    (10f64.powi(3 * step), format!("{}{unit}", PREFIXES[(step + 4) as usize]))
}

/// As [`prefixed`], by powers of 1024, for sizes in bytes on axes of powers of two.
pub fn prefixed_binary(largest: f64, unit: &str) -> (f64, String) {
    if !largest.is_finite() || largest < 1.0 {
        return (1.0, unit.to_owned());
    }
    let step = ((largest.log2() + 1e-9) / 10.0).floor().clamp(0.0, 6.0) as usize;
    (1024f64.powi(step as i32), format!("{}{unit}", ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][step]))
}

/// `12.3 ms`: joined by a non-breaking space.
pub fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number}\u{a0}{unit}") }
}

/// The value of a parameter as the user wrote it: `64`, `0.5`, `1e12`.
pub fn parameter(value: f64) -> String {
    if !value.is_finite() {
        return DASH.to_owned();
    }
    if value.fract() == 0.0 && value.abs() < 1e9 { format!("{value}") } else { significant(value, 6).replace(',', "") }
}

/// Placeholder for a missing number.
pub const DASH: &str = "–";

const MINUS: &str = "\u{2212}";

const PREFIXES: [&str; 11] = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];

/// Units that take SI prefixes.
const PREFIXABLE: [&str; 12] = ["s", "B", "B/s", "flop", "flop/s", "Hz", "J", "W", "bit/s", "teps", "TEPS", "Wh"];

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Commas between groups of three from 1,000 on.
fn grouped(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_follow_the_size() {
        assert_eq!(quantity(1.5e-6, "s", 3), "1.5\u{a0}µs");
        assert_eq!(quantity(59.94, "s", 3), "59.9\u{a0}s");
        assert_eq!(quantity(300.0, "s", 3), "300\u{a0}s");
        assert_eq!(quantity(7200.0, "s", 3), "2\u{a0}h");
        assert_eq!(quantity(1.26e10, "flop/s", 3), "12.6\u{a0}Gflop/s");
        assert_eq!(quantity(0.25, "B", 3), "0.25\u{a0}B");
        assert_eq!(quantity(0.5, "speedups", 3), "0.5\u{a0}speedups");
        assert_eq!(quantity(0.0, "s", 3), "0\u{a0}s");
        assert_eq!(quantity(-0.002, "J", 3), "-2\u{a0}mJ");
    }

    #[test]
    fn rounding_never_shows_a_thousand_of_the_smaller_unit() {
        assert_eq!(quantity(0.999_999, "s", 3), "1\u{a0}s");
        assert_eq!(significant(9.996, 3), "10");
        assert_eq!(significant(999_999.0, 3), "999,999");
        assert_eq!(significant(42_441_527_748.0, 15), "42,441,527,748");
        assert_eq!(significant(42_441_527_748.0, 3), "4.24e10");
    }

    #[test]
    fn numbers_of_formulas_are_rounded_and_names_left_alone() {
        assert_eq!(formula("66.954321 + 2.5731234*log2(p)", 4), "66.95 + 2.573*log2(p)");
        assert_eq!(formula("x1234567*p^(1/2)", 4), "x1234567*p^(1/2)");
        assert_eq!(formula("1.23456789e-9*p", 4), "1.235e-9*p");
    }

    #[test]
    fn extremes_stay_short() {
        assert_eq!(significant(1e300, 3), "1e300");
        assert_eq!(significant(5e-324, 3), "4.94e-324");
        assert_eq!(percent(1e12), "1.0e12\u{a0}%");
        assert_eq!(percent(0.0), "0.0\u{a0}%");
        assert_eq!(percent(2e-14), "0.0\u{a0}%");
        assert_eq!(percent(0.04), "0.04\u{a0}%");
        assert_eq!(signed(-0.4, 1), "\u{2212}0.4");
        assert_eq!(parameter(27000.0), "27000");
        assert_eq!(prefixed_binary(65536.0, "B"), (1024.0, "KiB".to_owned()));
    }
}
