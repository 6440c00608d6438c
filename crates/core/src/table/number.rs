//! Numbers in cells: what counts as one, and the messages about what does not.

use crate::problem::{Problem, shorten};
use std::io::{self, Write};

/// The number that a cell holds; `None` for text, and also for `nan`, `inf`, hexadecimals, `1_000` and numbers too
/// large for a double.
///
/// # Examples
/// ```
/// use runcast_core::table::number::parse;
/// assert_eq!(parse(" 1.5e3"), Some(1500.0));
/// assert_eq!(parse("3,5"), None);
/// assert_eq!(parse("inf"), None);
/// assert_eq!(parse("1e999"), None);
/// ```
pub fn parse(cell: &str) -> Option<f64> {
    let bytes = cell.as_bytes();
    let trimmed = match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) if first.is_ascii_whitespace() || last.is_ascii_whitespace() => cell.trim_ascii(),
        (None, _) => return None,
        _ => cell,
    };
    // Rust reads "inf" and "nan" as numbers; they begin with a letter.
    let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    trimmed.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The number that a cell with separators between groups of three digits holds: `1,234,567.5`.
pub(super) fn grouped(cell: &str) -> Option<f64> {
    let cell = cell.trim_ascii();
    let (whole, fraction) = cell.split_once('.').unwrap_or((cell, ""));
    let mut groups = whole.strip_prefix('-').unwrap_or(whole).split(',');
    let digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().is_some_and(|group| digits(group) && group.len() <= 3);
    let rest: Vec<&str> = groups.collect();
    let is_grouped = !rest.is_empty() && rest.iter().all(|group| digits(group) && group.len() == 3);
    let has_fraction = fraction.is_empty() || digits(fraction);
    (first && is_grouped && has_fraction).then(|| parse(&cell.replace(',', "")))?
}

/// Whether a cell says that nothing was measured: it is empty, or `NA` in one of its spellings. `nan` and `inf` are
/// numbers that went wrong.
pub(super) fn is_missing(cell: &str) -> bool {
    const ABSENT: [&str; 7] = ["NA", "N/A", "NULL", "NONE", "-", "--", "?"];
    let cell = cell.trim_ascii();
    cell.is_empty() || (cell.len() <= 4 && ABSENT.iter().any(|absent| cell.eq_ignore_ascii_case(absent)))
}

/// Whether a cell holds what is left where a calculation went wrong.
pub(crate) fn is_not_finite(cell: &str) -> bool {
    let cell = cell.trim_ascii().trim_start_matches(['-', '+']);
    ["nan", "inf", "infinity"].iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// The shortest text that reads back as the same number; the empty text for NaN.
pub fn to_text(value: f64) -> String {
    if value.is_nan() {
        String::new()
    } else if value != 0.0 && !(1e-5..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// Writes the shortest text that reads back as the same number; nothing for NaN.
pub(super) fn write(out: &mut impl Write, value: f64) -> io::Result<()> {
    if value.is_nan() {
        Ok(())
    } else if value != 0.0 && !(1e-5..1e16).contains(&value.abs()) {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    }
}

/// The bits of a number as a key: the two zeros are the same, and so is every NaN.
pub(crate) fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() }
}

/// Whether a cell that is not a number looks like a damaged one: a decimal comma, `nan`, `inf`, a number with trailing
/// text. Words, versions (`1.2.3`) and grids (`2x2x2`) are labels.
pub fn is_damaged(cell: &str) -> bool {
    damage(cell).is_some()
}

/// The problem of a cell that should hold a number: code `not_a_number`, with a hint if possible.
pub fn not_a_number(cell: &str) -> Problem {
    let cell = cell.trim_ascii();
    let shown = shorten(cell, 60);
    let problem = |message: String| Problem::new("not_a_number", message).value(cell);
    let plain = || problem(format!("\"{shown}\" is not a number"));
    match damage(cell) {
        None => plain(),
        Some(Damage::Comma(repaired)) => plain().hint(format!("write {repaired}, with a decimal point")),
        Some(Damage::Group(repaired)) => {
            plain().hint(format!("write {repaired}: no separators between the digits of a number"))
        }
        Some(Damage::Missing) => plain().hint("leave the cell empty where nothing was measured"),
        Some(Damage::TooLarge) => problem(format!("{shown} is too large for a number")),
        Some(Damage::Hexadecimal) => plain().hint("write it as a decimal number"),
        Some(Damage::Tail(number, tail)) => plain().hint(format!(
            "write {number} alone; a unit (\"{}\") belongs in the name of the column, as in time_ms",
            shorten(&tail, 20)
        )),
    }
}

enum Damage {
    Comma(String),
    Group(String),
    Missing,
    TooLarge,
    Hexadecimal,
    Tail(String, String),
}

const MISSING: [&str; 16] = [
    "nan",
    "-nan",
    "+nan",
    "inf",
    "-inf",
    "+inf",
    "infinity",
    "-infinity",
    "+infinity",
    "na",
    "n/a",
    "null",
    "none",
    "-",
    "?",
    "#value!",
];

fn damage(cell: &str) -> Option<Damage> {
    let cell = cell.trim_ascii();
    if cell.len() > 400 {
        return None;
    }
    let lower = cell.to_ascii_lowercase();
    if MISSING.contains(&lower.as_str()) || lower.starts_with("nan(") || lower.starts_with("-nan(") {
        return Some(Damage::Missing);
    }
    let digits = lower.strip_prefix(['-', '+']).unwrap_or(&lower);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.' || first == ',') {
        return None;
    }
    if cell.parse::<f64>().is_ok_and(f64::is_infinite) {
        return Some(Damage::TooLarge);
    }
    if digits.strip_prefix("0x").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_hexdigit())) {
        return Some(Damage::Hexadecimal);
    }
    if let Some((whole, rest)) = cell.split_once(',') {
        let repaired = format!("{whole}.{rest}");
        if !rest.contains([',', '.']) && !whole.contains('.') && parse(&repaired).is_some() {
            return Some(Damage::Comma(repaired));
        }
    }
    let joined: String = cell.chars().filter(|c| !matches!(c, ',' | '_' | ' ' | '\'' | '\u{a0}')).collect();
    let separators = cell.chars().count() - joined.chars().count();
    // Of several parts each but the first has three digits; `32, 1, 1` is a list.
    let is_list = separators > 1
        && cell
            .split([',', '_', '\'', '\u{a0}'])
            .skip(1)
            .any(|part| part.trim().chars().take_while(char::is_ascii_digit).count() != 3);
    if separators > 0 && !is_list && parse(&joined).is_some() {
        return Some(Damage::Group(joined));
    }
    let end = number_prefix(cell);
    let (number, tail) = cell.split_at(end);
    // A version, a grid, a range or a date has digits after the first number as well.
    let is_tail = end > 0 && !tail.bytes().any(|byte| byte.is_ascii_digit()) && parse(number).is_some();
    is_tail.then(|| Damage::Tail(number.to_owned(), tail.trim().to_owned()))
}

/// How many bytes at the beginning look like a number without an exponent.
fn number_prefix(cell: &str) -> usize {
    let bytes = cell.as_bytes();
    let mut end = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let mut seen_point = false;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'0'..=b'9' => {}
            b'.' if !seen_point => seen_point = true,
            _ => break,
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_decimal_numbers_are_numbers() {
        for good in ["0", "-1", "+2.5", ".5", "5.", "1e-300", " 7 ", "1E5"] {
            assert!(parse(good).is_some(), "{good}");
        }
        for bad in ["", " ", "nan", "NaN", "inf", "-Infinity", "0x10", "1_000", "1e999", "3,5", "1 2", "e5", "-", "٣"]
        {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn groups_of_three_digits_are_numbers_in_quotes() {
        for (cell, value) in [("1,234", 1234.0), ("-12,345,678.5", -12_345_678.5), (" 999,000 ", 999_000.0)] {
            assert_eq!(grouped(cell), Some(value), "{cell}");
        }
        for cell in ["3,5", "1,23", "1234", "1234,567", "1,234,56", ",123", "1,234.x", "1,,234", ""] {
            assert_eq!(grouped(cell), None, "{cell}");
        }
    }

    #[test]
    fn damaged_numbers_are_told_from_labels() {
        for damaged in ["3,5", "-0,25", "nan", "inf", "12abc", "3.5 s", "1e999", "0xff", "1_000", "1,234,567", "n/a"] {
            assert!(is_damaged(damaged), "{damaged}");
        }
        for label in ["main", "1.2.3", "2x2x2", "8-16", "2024-01-01", "4.1rc1", "a1", "", "x,y", "+", "32,  1,  1"] {
            assert!(!is_damaged(label), "{label}");
        }
    }

    #[test]
    fn a_decimal_comma_is_explained() {
        let problem = not_a_number("3,5");
        assert_eq!(problem.message, "\"3,5\" is not a number");
        assert_eq!(problem.hint.as_deref(), Some("write 3.5, with a decimal point"));
    }

    #[test]
    fn text_of_a_number_reads_back() {
        for value in [0.0, -0.0, 1.0, 0.1, 1e-300, 1.5e300, 123_456_789.0, 1e16, 9.999e15, 1e-5, 3.3e-6] {
            assert_eq!(parse(&to_text(value)), Some(value), "{value}");
        }
        assert_eq!(to_text(250_031_213.0), "250031213");
        assert_eq!(to_text(f64::NAN), "");
    }
}
