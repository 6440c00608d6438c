//! Tables and numbers for people.
//!
//! Drawn here rather than by a crate: rows of one line each, numbers to the right, and a hundred thousand rows in no
//! time. On a terminal that is too narrow text is shortened first; what still does not fit goes on below, in a second
//! block of rows that begin with the same columns. No line is wider than the terminal.

use crate::context::Screen;
use runcast_core::Group;
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

/// The cells of a group's labels.
pub fn cells_of(group: &Group, labels: &[&String]) -> Vec<String> {
    labels.iter().map(|label| group.get(*label).cloned().unwrap_or_default()).collect()
}

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Table::default()
    }

    /// A table whose first columns are labels.
    pub fn of_labels(labels: &[&String]) -> Self {
        labels.iter().fold(Table::new(), |table, label| table.text(label.as_str()))
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
        let mut out = String::new();
        let blocks = match screen.width {
            Some(width) => {
                self.shrink(&used, &mut widths, width);
                self.fold(&used, &mut widths, width)
            }
            None => vec![(0..used.len()).collect()],
        };
        for (number, block) in blocks.into_iter().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            let columns: Vec<usize> = block.iter().map(|&position| used[position]).collect();
            let widths: Vec<usize> = block.iter().map(|&position| widths[position]).collect();
            self.block(&mut out, &columns, &widths, screen.color);
        }
        out
    }

    /// Heading and rows of some columns.
    fn block(&self, out: &mut String, used: &[usize], widths: &[usize], color: bool) {
        let heading: Vec<&str> = used.iter().map(|&index| self.columns[index].name.as_str()).collect();
        if color {
            out.push_str("\u{1b}[1m");
        }
        self.line(out, used, widths, &heading);
        if color {
            out.insert_str(out.len() - 1, "\u{1b}[0m");
        }
        for row in &self.rows {
            let cells: Vec<&str> = used.iter().map(|&index| row[index].as_str()).collect();
            self.line(out, used, widths, &cells);
        }
    }

    /// Which columns stand side by side, by their position among those used. Each block begins with the columns that
    /// name the rows: the first, and the texts that follow it as long as they leave half of the terminal.
    fn fold(&self, used: &[usize], widths: &mut [usize], terminal: usize) -> Vec<Vec<usize>> {
        let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        if total(widths) <= terminal {
            return vec![(0..used.len()).collect()];
        }
        let fits = |keys: usize| total(&widths[..keys]) <= terminal / 2;
        let texts = used.iter().skip(1).take_while(|&&index| self.columns[index].shrinks).count();
        let keys = (2..=texts + 1).take_while(|&keys| keys < used.len() && fits(keys)).last().unwrap_or(1);
        if keys < used.len() {
            widths[0] = widths[0].min((terminal / 2).max(1));
        }
        let left = terminal.saturating_sub(total(&widths[..keys]) + GAP).max(1);
        let mut blocks = Vec::new();
        let mut block: Vec<usize> = (0..keys).collect();
        let mut free = left;
        for (position, width) in widths.iter_mut().enumerate().skip(keys) {
            *width = (*width).min(left);
            if *width > free {
                blocks.push(std::mem::replace(&mut block, (0..keys).collect()));
                free = left;
            }
            block.push(position);
            free = free.saturating_sub(*width + GAP);
        }
        widths.iter_mut().for_each(|width| *width = (*width).min(terminal.max(1)));
        blocks.push(block);
        blocks
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

/// Lines wider than the terminal are broken at blanks; what follows is indented by two more than the line. Rows of a
/// [`Table`] fit already.
pub fn wrapped(text: String, screen: Screen) -> String {
    let Some(terminal) = screen.width.filter(|&width| text.lines().any(|line| shown_width(line) > width)) else {
        return text;
    };
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        if shown_width(bare) <= terminal {
            out.push_str(line);
            continue;
        }
        let indent = (bare.len() - bare.trim_start_matches(' ').len()).min(terminal / 2);
        let mut at = indent;
        out.extend(std::iter::repeat_n(' ', indent));
        let mut words = bare.split(' ').filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            out.push_str(word);
            at += shown_width(word);
            let Some(next) = words.peek() else { break };
            if at + 1 + shown_width(next) > terminal {
                out.push('\n');
                at = (indent + 2).min(terminal / 2);
                out.extend(std::iter::repeat_n(' ', at));
            } else {
                out.push(' ');
                at += 1;
            }
        }
        out.push_str(&line[bare.len()..]);
    }
    out
}

/// The columns that a text takes; sequences that set colors take none.
fn shown_width(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, rest)| rest.width())).sum::<usize>()
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
mod at_80;

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

    #[test]
    fn columns_that_do_not_fit_go_on_below() {
        let mut table = Table::new().text("application").text("region");
        for number in 0..9 {
            table = table.number(format!("execution_time_of_part_{number}_ms"));
        }
        let mut table = table.text("formula");
        for region in ["main->solve->exchange->wait", "main"] {
            let mut cells = vec!["an application with a long name".to_owned(), region.to_owned()];
            cells.extend((0..9).map(|number| format!("{number}1.25 ms")));
            cells.push("1.25 + 3.5*p^(1/2)*log2(p)".to_owned());
            table.row(cells);
        }
        for width in [8, 20, 40, 80, 132] {
            let text = table.render(Screen { width: Some(width), color: false });
            assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
        }
        let text = table.render(Screen { width: Some(80), color: false });
        for number in 0..9 {
            assert_eq!(text.matches(&format!("{number}1.25 ms")).count(), 2, "every number is shown:\n{text}");
        }
        let blocks: Vec<&str> = text.split("\n\n").collect();
        assert!(blocks.len() > 1 && blocks.iter().all(|block| block.starts_with("applica")), "{text}");
        assert_eq!(table.render(Screen::default()).lines().count(), 3, "nothing is folded in a file");
    }

    #[test]
    fn long_lines_are_broken_at_blanks() {
        let screen = Screen { width: Some(20), color: false };
        let text =
            wrapped("short\n  one two three four five six seven\na-word-longer-than-it-all end\n".to_owned(), screen);
        let wanted = "short\n  one two three four\n    five six seven\na-word-longer-than-it-all\n  end\n";
        assert_eq!(text, wanted);
        let colored = "\u{1b}[1m12345678901234567\u{1b}[0m ab\n".to_owned();
        assert_eq!(wrapped(colored.clone(), screen), colored);
        assert_eq!(wrapped("x ".repeat(50), Screen::default()), "x ".repeat(50));
    }
}
