//! The rows of a trace, column by column, bad lines left out.

use super::cells::{self, Cells};
use super::head::Head;
use runcast_core::problem::shorten;
use runcast_core::table::{Codes, ColumnData, Numbers, Origin};
use runcast_core::{Problem, Warning};
use std::collections::HashMap;

/// Names of columns that hold text; the others hold numbers.
const TEXTS: [&str; 3] = ["region", "run", "status"];

/// Maximum number of columns: those of a trace are the names that a program records, and a few others.
const MOST_COLUMNS: usize = 10_000;

/// Reads the lines of a trace.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub head: Head,
    pub header: Option<Vec<String>>,
    pub columns: Vec<ColumnData>,
    /// Position of each row.
    pub lines: Vec<Origin>,
    pub lost: Lost,
    codes: Vec<HashMap<String, u32>>,
    /// Numbers and codes of the row that is being read.
    row: Vec<Cell>,
}

/// The rows left out.
#[derive(Debug, Default)]
pub(super) struct Lost {
    pub lines: u64,
    pub bytes: u64,
    pub first: Option<LostLine>,
    /// The last line of the file is one of them, and has no end.
    pub at_end: bool,
}

/// A line that was left out.
#[derive(Debug)]
pub(super) struct LostLine {
    pub line: u64,
    pub why: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy)]
enum Cell {
    Number(f64),
    Code(u32),
}

impl Reader {
    /// Reads a whole text.
    ///
    /// # Errors
    /// A version that is not known, or a header that cannot be one.
    pub(super) fn read(&mut self, text: &str) -> Result<(), Problem> {
        let mut number = 0u64;
        let mut rest = text;
        while !rest.is_empty() {
            number += 1;
            let (line, after, is_ended) = match rest.bytes().position(|byte| byte == b'\n') {
                Some(end) => (&rest[..end], &rest[end + 1..], true),
                None => (rest, "", false),
            };
            rest = after;
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            if let Some(comment) = line.strip_prefix('#') {
                self.head.take(comment.trim(), number)?;
            } else if self.header.is_none() {
                self.take_header(line, number)?;
            } else if let Err(why) = self.take_row(line, number, is_ended) {
                self.lost.take(line, number, why, is_ended);
            }
        }
        Ok(())
    }

    fn take_header(&mut self, line: &str, number: u64) -> Result<(), Problem> {
        let names: Vec<String> = Cells::new(line).map(|cell| cell.trim().to_owned()).collect();
        let bad = |message: String| Problem::new("bad_header", message).at_line(number).value(shorten(line, 60));
        if names.len() > MOST_COLUMNS {
            return Err(bad(format!("the trace has {} columns, more than {MOST_COLUMNS}", names.len())));
        }
        let mut seen = std::collections::HashSet::new();
        for name in &names {
            if name.is_empty()
                || name.chars().any(|letter| letter.is_control() || letter == char::REPLACEMENT_CHARACTER)
            {
                return Err(bad("the line with the names of the columns is damaged".to_owned()));
            }
            if !seen.insert(name) {
                return Err(bad(format!("two columns are named \"{}\"", shorten(name, 60))));
            }
        }
        if !names.iter().any(|name| name == "region") {
            return Err(bad("the trace has no column \"region\"".to_owned())
                .hint("the line with the column names comes before the rows"));
        }
        for name in &names {
            self.columns.push(if TEXTS.contains(&name.as_str()) {
                ColumnData::Text { codes: Codes::default(), names: Vec::new() }
            } else {
                ColumnData::Number(Numbers::default())
            });
        }
        self.codes = names.iter().map(|_| HashMap::new()).collect();
        self.header = Some(names);
        Ok(())
    }

    /// Adds a row, or changes nothing.
    fn take_row(&mut self, line: &str, number: u64, is_ended: bool) -> Result<(), String> {
        let wanted = self.columns.len();
        self.row.clear();
        let mut last_is_empty = false;
        for cell in Cells::new(line) {
            let index = self.row.len();
            let Some(column) = self.columns.get_mut(index) else {
                return Err(format!("it has more than {wanted} cells"));
            };
            last_is_empty = cell.is_empty();
            self.row.push(match column {
                ColumnData::Number(_) => Cell::Number(
                    cells::value(&cell).ok_or_else(|| format!("\"{}\" is not a number", shorten(&cell, 40)))?,
                ),
                ColumnData::Text { codes, names } => {
                    // Rows of one region are adjacent: the text is usually the previous one.
                    match codes.last().filter(|&code| names[code as usize] == *cell) {
                        Some(code) => Cell::Code(code),
                        None => Cell::Code(code_of(&cell, names, &mut self.codes[index])?),
                    }
                }
            });
        }
        if self.row.len() < wanted {
            return Err(format!("it has {} of {wanted} cells", self.row.len()));
        }
        // A number at the very end of a file may have lost digits.
        if !is_ended && !last_is_empty {
            return Err("it has no end".to_owned());
        }
        for (column, cell) in self.columns.iter_mut().zip(&self.row) {
            match (column, cell) {
                (ColumnData::Number(values), Cell::Number(value)) => values.push(*value),
                (ColumnData::Text { codes, .. }, Cell::Code(code)) => codes.push(*code),
                _ => {}
            }
        }
        self.lines.push(Origin { file: 0, line: u32::try_from(number).unwrap_or(u32::MAX) });
        Ok(())
    }
}

fn code_of(cell: &str, names: &mut Vec<String>, codes: &mut HashMap<String, u32>) -> Result<u32, String> {
    if let Some(&code) = codes.get(cell) {
        return Ok(code);
    }
    let odd = |letter: char| letter.is_control() || letter == char::REPLACEMENT_CHARACTER;
    if cell.len() > 10_000 || cell.chars().any(odd) {
        return Err("it contains invalid characters".to_owned());
    }
    let code = u32::try_from(names.len()).map_err(|_| "it is one name too many".to_owned())?;
    names.push(cell.to_owned());
    codes.insert(cell.to_owned(), code);
    Ok(code)
}

impl Lost {
    fn take(&mut self, line: &str, number: u64, why: String, is_ended: bool) {
        self.lines += 1;
        self.bytes += line.len() as u64 + u64::from(is_ended);
        self.at_end |= !is_ended;
        if self.first.is_none() {
            self.first = Some(LostLine { line: number, why, text: shorten(line, 200) });
        }
    }

    /// The warning about lost rows, if any.
    pub(super) fn warning(&self, kept: usize) -> Option<Warning> {
        let first = self.first.as_ref()?;
        let lines = if self.lines == 1 { "1 line".to_owned() } else { format!("{} lines", self.lines) };
        let place = if self.at_end && self.lines == 1 { "the last row is truncated" } else { "the first bad line" };
        let message = format!(
            "{lines} ({} bytes) are not valid rows and were skipped, {kept} rows were read; {place}: {}",
            self.bytes, first.why
        );
        let mut warning = Warning::new("truncated", message);
        warning.line = Some(first.line);
        Some(warning)
    }
}
