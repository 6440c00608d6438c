//! What separates the cells of a table of text, and where its header stands.

use super::{cells, number};
use crate::problem::{Problem, Warning};

/// What stands between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// One character.
    Byte(u8),
    /// A run of spaces and tabs.
    Blanks,
}

impl Delimiter {
    /// Whether this byte separates cells.
    pub(super) fn is(self, byte: u8) -> bool {
        match self {
            Delimiter::Byte(delimiter) => byte == delimiter,
            Delimiter::Blanks => matches!(byte, b' ' | b'\t'),
        }
    }

    /// Whether cells are the words of a sentence, of which a line apart by blanks may have as many as there are columns.
    pub(super) fn is_prose(self, cells: &[&str]) -> bool {
        const LINKS: [&str; 8] = ["of", "the", "in", "and", "per", "up", "for", "with"];
        self == Delimiter::Blanks && cells.iter().any(|cell| LINKS.contains(cell))
    }

    /// The cells of a line that has no quotes.
    pub(super) fn cells(self, line: &str) -> Vec<&str> {
        match self {
            Delimiter::Byte(delimiter) => line.split(char::from(delimiter)).map(str::trim_ascii).collect(),
            Delimiter::Blanks => line.split_ascii_whitespace().collect(),
        }
    }
}

/// How a table of text is laid out.
pub(super) struct Layout {
    pub(super) delimiter: Delimiter,
    /// The names of the columns, where they do not stand on the first line that is no comment.
    pub(super) header: Option<Vec<String>>,
    /// What the user should know of it.
    pub(super) warning: Option<Warning>,
}

impl Layout {
    /// Finds the layout of a text; `delimiter` is what the user says.
    ///
    /// Without it the first of `,` `;` tab `|` that stands on the first line separates the cells, else runs of blanks
    /// do, if the next line has as many cells. Where the first line holds numbers alone, the comment above it is the
    /// header if it has as many cells; else the columns are called by their numbers, from 0.
    pub(super) fn of(text: &str, delimiter: Option<char>) -> Result<Layout, Problem> {
        let (mut comment, mut lines) = (None, Vec::new());
        for line in text.lines().filter(|line| !line.trim_ascii().is_empty()) {
            match line.strip_prefix('#') {
                Some(rest) if lines.is_empty() => comment = Some(rest.trim_start_matches('#').trim_ascii()),
                Some(_) => {}
                None => lines.push(line),
            }
            if lines.len() == 2 {
                break;
            }
        }
        let first = lines.first().copied().unwrap_or_default();
        let delimiter = match delimiter {
            Some(delimiter) => chosen(delimiter)?,
            None => found(first, lines.get(1).copied()),
        };
        let mut cells = delimiter.cells(first.trim_ascii());
        if cells.len() > 2 && cells.last().is_some_and(|cell| cell.is_empty()) {
            // A delimiter at the end of the line.
            cells.pop();
        }
        let is_value = |cell: &&str| number::parse(cell).is_some() || cells::clock_s(cell).is_some();
        let has_numbers_alone = cells.iter().all(is_value);
        let is_labeled = || lines.len() == 2 && are_labeled_rows(&cells, &delimiter.cells(lines[1].trim_ascii()));
        if !(has_numbers_alone || is_labeled()) || cells.len() < 2 || lines.len() < 2 {
            return Ok(Layout { delimiter, header: None, warning: None });
        }
        let is_header = |names: &Vec<&str>| {
            names.len() == cells.len() && names.iter().all(|name| is_name(name)) && !delimiter.is_prose(names)
        };
        let comment = comment.filter(|comment| !comment.starts_with("roles:"));
        // A name of two words stands apart from the next by more than one blank.
        let names = comment.map(|comment| delimiter.cells(comment)).filter(is_header);
        let names =
            names.or_else(|| comment.map(by_gaps).filter(|names| delimiter == Delimiter::Blanks && is_header(names)));
        if let Some(names) = names {
            let header = Some(names.into_iter().map(str::to_owned).collect());
            return Ok(Layout { delimiter, header, warning: None });
        }
        let warning =
            Warning::new("no_header", "the table has no header: its columns are called by their numbers, from 0");
        let header = Some((0..cells.len()).map(|index| index.to_string()).collect());
        Ok(Layout { delimiter, header, warning: Some(warning) })
    }
}

/// Whether commas separate the cells of a text.
pub(super) fn has_commas(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim_ascii().is_empty() && !line.starts_with('#'));
    lines.next().is_none_or(|first| found(first, lines.next()) == Delimiter::Byte(b','))
}

/// Whether two lines are labels and what was measured under them, rather than names above a row: both have numbers in
/// the same places, and the first either says the same words, `0, 4660, 15375, node7`, or fractions in no order,
/// `Sequential, 86.2, 84.1, 85.3`. Sizes and settings in the names of columns increase.
fn are_labeled_rows(first: &[&str], second: &[&str]) -> bool {
    let numbers = |cells: &[&str]| cells.iter().map(|cell| number::parse(cell)).collect::<Vec<_>>();
    let (above, below) = (numbers(first), numbers(second));
    let values: Vec<f64> = above.iter().flatten().copied().collect();
    let texts = || first.iter().zip(second).zip(&above).filter(|(_, number)| number.is_none()).map(|(pair, _)| pair);
    let is_same_shape = above.len() == below.len() && above.iter().zip(&below).all(|(a, b)| a.is_some() == b.is_some());
    let are_fractions = || 2 * values.iter().filter(|value| value.fract() != 0.0).count() > values.len();
    is_same_shape
        && values.len() > 2
        && !values.is_sorted()
        && texts().all(|(cell, _)| !cell.is_empty())
        && (texts().all(|(cell, beneath)| cell == beneath) || (is_name(first[0]) && are_fractions()))
}

fn by_gaps(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim_ascii).filter(|name| !name.is_empty()).collect()
}

fn is_name(cell: &str) -> bool {
    !cell.is_empty() && number::parse(cell).is_none()
}

fn chosen(delimiter: char) -> Result<Delimiter, Problem> {
    match u8::try_from(delimiter) {
        Ok(b' ') => Ok(Delimiter::Blanks),
        Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | b'#') => Ok(Delimiter::Byte(byte)),
        _ => Err(Problem::new("delimiter", format!("{delimiter:?} cannot separate cells"))
            .at("--delimiter")
            .value(delimiter)
            .allowed("one ASCII character such as , ; | or a tab")),
    }
}

/// What separates the cells of the first line, by what the second line has.
pub(super) fn found(first: &str, second: Option<&str>) -> Delimiter {
    let outside_quotes: String = first.split('"').step_by(2).collect();
    let cells = |line: &str| Delimiter::Blanks.cells(line).len();
    if let Some(&byte) = [b',', b';', b'\t', b'|'].iter().find(|&&byte| outside_quotes.contains(char::from(byte))) {
        // Columns drawn up by tabs: one empty cell between two others in each line would be none.
        let is_drawn = |line: &str| byte == b'\t' && line.contains("\t\t") && !line.contains(['"', ' ']);
        let are_drawn =
            is_drawn(first) && second.is_some_and(|second| is_drawn(second) && cells(first) == cells(second));
        return if are_drawn { Delimiter::Blanks } else { Delimiter::Byte(byte) };
    }
    match second {
        Some(second) if !first.contains('"') && cells(first) > 1 && cells(first) == cells(second) => Delimiter::Blanks,
        _ => Delimiter::Byte(b','),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> (Delimiter, Option<Vec<String>>) {
        let layout = Layout::of(text, None).expect("a layout");
        (layout.delimiter, layout.header)
    }

    #[test]
    fn delimiters_are_found() {
        for (text, delimiter) in [
            ("p,time_s\n1,2\n", Delimiter::Byte(b',')),
            ("p;time_s\n1;2,5\n", Delimiter::Byte(b';')),
            ("p\ttime (s)\n1\t2\n", Delimiter::Byte(b'\t')),
            ("p | time\n1 | 2\n", Delimiter::Byte(b'|')),
            ("  p   time_s\n  1   2.5\n", Delimiter::Blanks),
            ("\"a,b\";c\n1;2\n", Delimiter::Byte(b';')),
            ("Time (s)\n1.5\n", Delimiter::Byte(b',')),
        ] {
            assert_eq!(layout(text), (delimiter, None), "{text}");
        }
    }

    #[test]
    fn a_header_may_stand_in_a_comment_or_nowhere() {
        let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(layout("# Threads,MB/s\n1.0,5\n2.0,9\n").1, names(&["Threads", "MB/s"]));
        assert_eq!(layout("# measured on a Tuesday\n1,5\n2,9\n").1, names(&["0", "1"]));
        assert_eq!(layout("1 150 3.9e0\n1 150 4.0e0\n").1, names(&["0", "1", "2"]));
        assert_eq!(layout("# a comment\np,t\n2,9\n").1, None);
        assert_eq!(layout("# ranks ; time\n1 ; 00:09:07.7\n2 ; 00:05:01.2\n").1, names(&["ranks", "time"]));
        assert_eq!(layout("Serial, 8.2, 8.1, 8.4\nThreads, 2.9, 2.7, 2.8\n").1, names(&["0", "1", "2", "3"]));
        assert_eq!(
            layout("0 , 463 , 15 , 2048 x 2048 , n-1\n0 , 461 , 14 , 2048 x 2048 , n-1\n").1.map(|n| n.len()),
            Some(5)
        );
        assert_eq!(layout("method, 0.1, 0.5, 0.9\nThreads, 2.9, 2.7, 2.8\n").1, None);
        assert_eq!(layout("2\t\t0.82\n4\t\t0.43\n").0, Delimiter::Blanks);
    }
}
