//! Records and their cells in a text.

use super::comments::Comments;
use crate::problem::{Problem, shorten};
use crate::table::layout::Delimiter;
use std::borrow::Cow;

/// A cell in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    /// Quotes inside are written twice.
    pub(super) escaped: bool,
}

impl Field {
    pub(super) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let raw = &text[self.start..self.end];
        if self.escaped { Cow::Owned(raw.replace("\"\"", "\"")) } else { Cow::Borrowed(raw) }
    }

    /// The text as a label.
    pub(super) fn label<'a>(&self, text: &'a str, trims: bool) -> Cow<'a, str> {
        match self.text(text) {
            Cow::Borrowed(raw) if trims && !self.quoted => Cow::Borrowed(raw.trim_ascii()),
            other => other,
        }
    }
}

/// The cells of a row, reused from row to row.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) fields: Vec<Field>,
    /// The line on which it begins.
    pub(super) line: u64,
}

/// Where a scan has come to.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// In the text.
    pub(super) position: usize,
    pub(super) line: u64,
    /// What the comments before it said.
    pub(super) comments: Comments,
}

impl Default for Place {
    fn default() -> Self {
        Place { position: 0, line: 1, comments: Comments::default() }
    }
}

/// The problem of a quoted cell that goes on to the end of the text.
pub(super) const UNCLOSED: &str = "unclosed_quote";

/// Goes through the records and counts lines.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) delimiter: Delimiter,
    pub(super) place: Place,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, delimiter: Delimiter, place: Place) -> Self {
        Scanner { text, delimiter, place }
    }

    /// The next record; false at the end.
    pub(super) fn next(&mut self, record: &mut Record) -> Result<bool, Problem> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.place.position) {
                None => return Ok(false),
                Some(b'\n') => {
                    self.place.position += 1;
                    self.place.line += 1;
                }
                Some(b'\r') if matches!(bytes.get(self.place.position + 1), None | Some(b'\n')) => {
                    self.place.position += 1
                }
                Some(b'#') => self.skip_comment()?,
                Some(_) => break,
            }
        }
        record.fields.clear();
        record.line = self.place.line;
        self.skip_blanks();
        loop {
            let field = if bytes.get(self.place.position) == Some(&b'"') { self.quoted()? } else { self.bare() };
            record.fields.push(field);
            match bytes.get(self.place.position) {
                None => return Ok(true),
                Some(&byte) if self.delimiter.is(byte) => {
                    self.place.position += 1;
                    if self.skip_blanks() && matches!(bytes.get(self.place.position), None | Some(b'\n' | b'\r')) {
                        return self.end_line();
                    }
                }
                Some(_) => return self.end_line(),
            }
        }
    }

    /// Steps over a line feed, or the carriage return before one or before the end.
    pub(super) fn end_line(&mut self) -> Result<bool, Problem> {
        let bytes = self.text.as_bytes();
        self.place.position += usize::from(bytes.get(self.place.position) == Some(&b'\r'));
        if bytes.get(self.place.position) == Some(&b'\n') {
            self.place.position += 1;
            self.place.line += 1;
        }
        Ok(true)
    }

    /// Steps over a run of blanks where these separate the cells; returns whether they do.
    pub(super) fn skip_blanks(&mut self) -> bool {
        if self.delimiter != Delimiter::Blanks {
            return false;
        }
        let bytes = self.text.as_bytes();
        while bytes.get(self.place.position).is_some_and(|&byte| self.delimiter.is(byte)) {
            self.place.position += 1;
        }
        true
    }

    /// A cell without quotes around it.
    pub(super) fn bare(&mut self) -> Field {
        let bytes = self.text.as_bytes();
        let start = self.place.position;
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            if self.delimiter.is(byte) || byte == b'\n' {
                break;
            }
            if byte == b'\r' && matches!(bytes.get(end + 1), None | Some(b'\n')) {
                break;
            }
            end += 1;
        }
        self.place.position = end;
        Field { start, end, quoted: false, escaped: false }
    }

    /// A quoted cell; the quotes are not part of it.
    pub(super) fn quoted(&mut self) -> Result<Field, Problem> {
        let bytes = self.text.as_bytes();
        let (first_line, start) = (self.place.line, self.place.position + 1);
        let mut end = start;
        let mut escaped = false;
        loop {
            match bytes.get(end) {
                None => {
                    return Err(Problem::new(UNCLOSED, "a quote is opened here and never closed")
                        .at_line(first_line)
                        .hint("a quote inside a quoted cell is written twice"));
                }
                Some(b'"') if bytes.get(end + 1) == Some(&b'"') => {
                    escaped = true;
                    end += 2;
                }
                Some(b'"') => break,
                Some(b'\n') => {
                    self.place.line += 1;
                    end += 1;
                }
                Some(_) => end += 1,
            }
        }
        self.place.position = end + 1;
        let closed = match bytes.get(self.place.position) {
            None | Some(b'\n') => true,
            Some(b'\r') => matches!(bytes.get(self.place.position + 1), None | Some(b'\n')),
            Some(&byte) => self.delimiter.is(byte),
        };
        if !closed {
            return Err(Problem::new("text_after_quote", "there is text after the closing quote of a cell")
                .at_line(self.place.line)
                .value(shorten(&self.text[start..end], 60))
                .hint("a quote inside a quoted cell is written twice"));
        }
        Ok(Field { start, end, quoted: true, escaped })
    }

    pub(super) fn skip_comment(&mut self) -> Result<(), Problem> {
        let rest = &self.text[self.place.position..];
        let length = rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len());
        self.place.comments.take(rest[1..length].trim_ascii(), self.place.line)?;
        self.place.position += length;
        Ok(())
    }
}
