//! Splits a script into commands.

/// A text with commands, and how far it has been read.
#[derive(Debug, Clone)]
pub struct Script<'a> {
    rest: &'a str,
    line: u64,
    column: u64,
}

/// A command that was not yet looked into.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line<'a> {
    /// Its text, without comments and blanks around it.
    pub text: &'a str,
    /// The line that it begins on, counted from 1.
    pub line: u64,
    /// The character of the line that it begins at, counted from 1.
    pub column: u64,
}

impl<'a> Script<'a> {
    /// Reads a text from its beginning.
    pub fn new(text: &'a str) -> Self {
        Script { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, column: 1 }
    }

    fn skip(&mut self, bytes: usize) {
        let (before, rest) = self.rest.split_at(bytes);
        match before.rfind('\n') {
            Some(last) => {
                self.line += before.matches('\n').count() as u64;
                self.column = 1 + before[last + 1..].chars().count() as u64;
            }
            None => self.column += before.chars().count() as u64,
        }
        self.rest = rest;
    }
}

impl<'a> Iterator for Script<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            let blanks = self.rest.find(|letter: char| !letter.is_whitespace() && letter != ';')?;
            self.skip(blanks);
            let whole = self.rest;
            let end = end_of(whole);
            let line = Line { text: whole[..end].trim_end(), line: self.line, column: self.column };
            self.skip(end);
            if self.rest.starts_with('#') {
                let comment = self.rest.find('\n').unwrap_or(self.rest.len());
                self.skip(comment);
            }
            if !line.text.is_empty() {
                return Some(line);
            }
        }
    }
}

/// Where a command ends: at a line end, `;`, or `#` that begins a word; none of them within quotes, which end with the
/// line.
fn end_of(text: &str) -> usize {
    let mut quote: Option<char> = None;
    let mut begins_word = true;
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (_, '\n') => return index,
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, ';') => return index,
            (None, '#') if begins_word => return index,
            (None, '"' | '\'') => quote = Some(letter),
            (None, _) => {}
        }
        begins_word = quote.is_none() && letter.is_whitespace();
    }
    text.len()
}
