//! The cells of a row: where one ends, and the number in it.

use runcast_core::table::number;
use std::borrow::Cow;

/// The cells of a line; a quoted cell may hold commas, and quotes written twice.
pub(super) struct Cells<'a> {
    rest: Option<&'a str>,
}

impl<'a> Cells<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Cells { rest: Some(line) }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.rest?;
        if rest.as_bytes().first() == Some(&b'"') {
            return Some(self.quoted(&rest[1..]));
        }
        match rest.bytes().position(|byte| byte == b',') {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Some(Cow::Borrowed(&rest[..end]))
            }
            None => {
                self.rest = None;
                Some(Cow::Borrowed(rest))
            }
        }
    }
}

impl<'a> Cells<'a> {
    /// The rest of a quoted cell. Without a closing quote the cell extends to the end of the line.
    fn quoted(&mut self, rest: &'a str) -> Cow<'a, str> {
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            match (bytes[end], bytes.get(end + 1)) {
                (b'"', Some(b'"')) => end += 2,
                (b'"', _) => break,
                _ => end += 1,
            }
        }
        let end = end.min(bytes.len());
        let behind = rest.get(end + 1..).unwrap_or("");
        self.rest = behind.strip_prefix(',');
        let cell = &rest[..end];
        if cell.contains("\"\"") { Cow::Owned(cell.replace("\"\"", "\"")) } else { Cow::Borrowed(cell) }
    }
}

/// The number of a cell; NaN for an empty one, `n/a` included; none for what is not a number.
pub(super) fn value(cell: &str) -> Option<f64> {
    let bytes = cell.as_bytes();
    // Most cells are counts of a few digits, or empty.
    if bytes.len() <= 15 && bytes.iter().all(u8::is_ascii_digit) {
        if bytes.is_empty() {
            return Some(f64::NAN);
        }
        let whole = bytes.iter().fold(0u64, |sum, digit| 10 * sum + u64::from(digit - b'0'));
        return Some(whole as f64);
    }
    if let Some(value) = number::parse(cell) {
        return Some(value);
    }
    matches!(cell.trim_ascii(), "" | "n/a").then_some(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Vec<String> {
        Cells::new(line).map(Cow::into_owned).collect()
    }

    #[test]
    fn a_comma_parts_cells_outside_of_quotes() {
        assert_eq!(cells("F,0,,1.5"), ["F", "0", "", "1.5"]);
        assert_eq!(cells("\"a,\"\"b\",,"), ["a,\"b", "", ""]);
        assert_eq!(cells(""), [""]);
        assert_eq!(cells("\"open,1"), ["open,1"]);
        assert_eq!(cells("\"a\"x,1"), ["a"]);
    }

    #[test]
    fn a_cell_is_a_number_or_empty_or_damaged() {
        assert_eq!(value("2048"), Some(2048.0));
        assert_eq!(value("999999999999999"), Some(999_999_999_999_999.0));
        assert_eq!(value("1.5e-3"), Some(0.0015));
        assert_eq!(value("-1"), Some(-1.0));
        assert!(value("").is_some_and(f64::is_nan) && value("n/a").is_some_and(f64::is_nan));
        for bad in ["x", "1.5e", "nan", "inf", "0x10", "1 2"] {
            assert_eq!(value(bad), None, "{bad}");
        }
    }
}
