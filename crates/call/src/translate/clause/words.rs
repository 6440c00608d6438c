//! The text of a pragma as words.

use crate::translate::fault::Fault;

/// A word of a pragma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub start: usize,
}

impl Word<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    /// A string or a character, with its quotes.
    Text,
    Sign,
}

/// All words of a text.
#[derive(Debug)]
pub struct Words<'t> {
    all: Vec<Word<'t>>,
    end: usize,
}

/// Goes through words.
#[derive(Debug)]
pub struct Reader<'t, 'w> {
    words: &'w [Word<'t>],
    at: usize,
    end: usize,
}

/// Signs of more than one letter, the longest first.
const LONG: [&str; 22] = [
    "<<=", ">>=", "->", "++", "--", "==", "<=", ">=", "!=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "&&",
    "||", "<<", ">>",
];

impl<'t> Words<'t> {
    pub fn of(text: &'t str) -> Result<Self, Fault> {
        let mut all = Vec::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let rest = &text[at..];
            let (kind, length) = match first {
                '"' | '\'' => (Kind::Text, quoted(rest, first, at)?),
                _ if is_letter(first) => (Kind::Name, letters(rest)),
                _ if first.is_ascii_digit() || starts_with_fraction(rest) => (Kind::Number, number(rest)),
                _ => (Kind::Sign, sign(rest)),
            };
            all.push(Word { kind, text: &rest[..length], start: at });
            at += length;
        }
        Ok(Words { all, end: text.trim_end().len() })
    }

    pub fn reader(&self) -> Reader<'t, '_> {
        Reader { words: &self.all, at: 0, end: self.end }
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn letters(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
}

fn starts_with_fraction(rest: &str) -> bool {
    rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit())
}

fn number(rest: &str) -> usize {
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        let goes_on = c.is_alphanumeric()
            || matches!(c, '.' | '_')
            || (c == '\'' && rest[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()))
            || (matches!(c, '+' | '-') && matches!(before, 'e' | 'E' | 'p' | 'P'));
        if !goes_on {
            return at;
        }
        before = c;
    }
    rest.len()
}

fn quoted(rest: &str, quote: char, start: usize) -> Result<usize, Fault> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(Fault::new("bad-clause", start, format!("the {quote} is never closed")).hint("close the quote"))
}

fn sign(rest: &str) -> usize {
    let long = LONG.iter().find(|sign| rest.starts_with(**sign));
    long.map_or_else(|| rest.chars().next().map_or(0, char::len_utf8), |sign| sign.len())
}

impl<'t> Reader<'t, '_> {
    pub fn peek(&self) -> Option<Word<'t>> {
        self.words.get(self.at).copied()
    }

    pub fn peek_is(&self, text: &str) -> bool {
        self.peek().is_some_and(|word| word.text == text)
    }

    /// The word `ahead` positions further on.
    pub fn ahead(&self, distance: usize) -> Option<Word<'t>> {
        self.words.get(self.at + distance).copied()
    }

    pub fn next(&mut self) -> Option<Word<'t>> {
        let word = self.peek();
        self.at += usize::from(word.is_some());
        word
    }

    /// Takes a sign, if it is next.
    pub fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.peek_is(sign);
        self.at += usize::from(found);
        found
    }

    /// Where the text ends.
    pub fn end(&self) -> usize {
        self.end
    }

    /// A name, which may not be a reserved word.
    pub fn name(&mut self, expected: &str) -> Result<Word<'t>, Fault> {
        let found = self.peek();
        if let Some(word) = found.filter(|word| word.kind == Kind::Name) {
            self.at += 1;
            return Ok(word);
        }
        let (shown, at) = found.map_or(("the end", self.end), |word| (word.text, word.start));
        Err(Fault::new("bad-clause", at, format!("{expected} \"{shown}\"")).hint(super::FORMS))
    }

    /// Nothing may follow.
    pub fn finish(&self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(word) => {
                let message = format!("\"{}\" follows the end of the clause", word.text);
                Err(Fault::new("bad-clause", word.start, message).hint("remove it, or turn it into a comment"))
            }
        }
    }
}
