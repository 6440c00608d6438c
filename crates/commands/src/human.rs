//! Tables and numbers for people.
//!
//! Drawn here rather than by a crate: rows of one line each, numbers to the right, text shortened only on a terminal
//! that is too narrow, and a hundred thousand rows in no time.

use crate::context::Screen;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use runcast_report::number;

/// What stands where there is no number.
pub const DASH: &str = "-";

/// A number with its unit, to three significant digits: `12.3 ms`.
pub fn quantity(value: f64, unit: &str) -> String {
    plain(&number::quantity(value, unit, 3))
}

/// An optional number with its unit, to three significant digits.
pub fn optional_quantity(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| quantity(value, unit))
}

/// A number to so many significant digits: `1,235`.
pub fn significant(value: f64, digits: usize) -> String {
    plain(&number::significant(value, digits))
}

/// A percentage: `3.2 %`.
pub fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| plain(&number::percent(value)))
}

/// A percentage with its sign: `+3.2 %`.
pub fn signed_percent(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| plain(&format!("{} %", number::signed(value, decimals))))
}

/// The value of a parameter: `20000`, with all its digits.
pub fn parameter(value: f64) -> String {
    runcast_core::table::number::to_text(value)
}

/// Typography that pages have and terminals do not need.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ").replace('\u{2212}', "-").replace('\u{2013}', DASH)
}

/// A table for people.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    name: String,
    right: bool,
    shrinks: bool,
}

const GAP: usize = 2;
/// A column is never made narrower than this.
const NARROWEST: usize = 8;

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Table::default()
    }

    /// Adds a column of text, which may be shortened.
    #[must_use]
    pub fn text(mut self, name: impl Into<String>) -> Self {
        self.columns.push(Column { name: name.into(), right: false, shrinks: true });
        self
    }

    /// Adds a column of numbers, which never are shortened.
    #[must_use]
    pub fn number(mut self, name: impl Into<String>) -> Self {
        self.columns.push(Column { name: name.into(), right: true, shrinks: false });
        self
    }

    /// Adds a row with a cell for every column.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut row: Vec<String> = cells.into_iter().map(|cell| one_line(cell.into())).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table with a heading, ending in a line end; columns without any content are left out.
    pub fn render(&self, screen: Screen) -> String {
        let used: Vec<usize> =
            (0..self.columns.len()).filter(|&index| self.rows.iter().any(|row| !row[index].is_empty())).collect();
        let mut widths: Vec<usize> = used
            .iter()
            .map(|&index| {
                let cells = self.rows.iter().map(|row| row[index].width());
                cells.max().unwrap_or(0).max(self.columns[index].name.width())
            })
            .collect();
        if let Some(width) = screen.width {
            self.shrink(&used, &mut widths, width);
        }
        let mut out = String::new();
        let heading: Vec<&str> = used.iter().map(|&index| self.columns[index].name.as_str()).collect();
        if screen.color {
            out.push_str("\u{1b}[1m");
        }
        self.line(&mut out, &used, &widths, &heading);
        if screen.color {
            out.insert_str(out.len() - 1, "\u{1b}[0m");
        }
        for row in &self.rows {
            let cells: Vec<&str> = used.iter().map(|&index| row[index].as_str()).collect();
            self.line(&mut out, &used, &widths, &cells);
        }
        out
    }

    fn line(&self, out: &mut String, used: &[usize], widths: &[usize], cells: &[&str]) {
        let start = out.len();
        for ((&index, &width), cell) in used.iter().zip(widths).zip(cells) {
            if out.len() > start {
                out.extend(std::iter::repeat_n(' ', GAP));
            }
            let cell_width = cell.width();
            let blanks = || std::iter::repeat_n(' ', width.saturating_sub(cell_width));
            if cell_width > width {
                cut(out, cell, width);
            } else if self.columns[index].right {
                out.extend(blanks());
                out.push_str(cell);
            } else {
                out.push_str(cell);
                out.extend(blanks());
            }
        }
        let end = out.trim_end_matches(' ').len().max(start);
        out.truncate(end);
        out.push('\n');
    }

    /// Takes from the widest columns of text what the terminal lacks.
    fn shrink(&self, used: &[usize], widths: &mut [usize], terminal: usize) {
        let gaps = GAP * widths.len().saturating_sub(1);
        let mut surplus = (widths.iter().sum::<usize>() + gaps).saturating_sub(terminal);
        while surplus > 0 {
            let widest = used
                .iter()
                .zip(widths.iter_mut())
                .filter(|(index, width)| self.columns[**index].shrinks && **width > NARROWEST)
                .max_by_key(|(_, width)| **width);
            let Some((_, width)) = widest else { return };
            *width -= 1;
            surplus -= 1;
        }
    }
}

/// As much of a text as fits, and `…`.
fn cut(out: &mut String, text: &str, width: usize) {
    let mut left = width.saturating_sub(1);
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        out.push(letter);
    }
    out.push('…');
    out.extend(std::iter::repeat_n(' ', left));
}

/// Control characters of hostile names would play with the terminal.
fn one_line(text: String) -> String {
    if text.chars().any(char::is_control) { text.chars().flat_map(shown).collect() } else { text }
}

fn shown(letter: char) -> impl Iterator<Item = char> {
    let escaped = letter.is_control();
    let plain = (!escaped).then_some(letter);
    escaped.then(|| letter.escape_default()).into_iter().flatten().chain(plain)
}

/// `1 run`, `2 runs`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new().text("region").number("time").text("formula");
        table.row(["main", "1.5 s", "a very long formula that nobody reads"]);
        table.row(["é\u{1b}[2J", "10 s", ""]);
        table
    }

    #[test]
    fn columns_are_aligned_and_nothing_is_shortened_in_a_file() {
        let text = table().render(Screen::default());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "region       time  formula");
        assert_eq!(lines[1], "main        1.5 s  a very long formula that nobody reads");
        assert_eq!(lines[2], "é\\u{1b}[2J   10 s");
    }

    #[test]
    fn a_narrow_terminal_shortens_text_only() {
        let text = table().render(Screen { width: Some(40), color: false });
        assert!(text.lines().all(|line| line.width() <= 40), "{text}");
        assert!(text.contains("1.5 s") && text.contains('…'));
    }
}
