//! Text to tokens, one at a time.

use std::ops::Range;

use crate::error::{ErrorKind, FormulaError};
use crate::expr::Comparison;
use crate::span::Span;

/// A token and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Number(f64),
    /// The name is the text of the span.
    Name,
    /// Without its quotes.
    Text(String),
    And,
    Or,
    Not,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Comparison(Comparison),
    Open,
    Close,
    Comma,
    End,
}

/// Reads tokens from a text.
pub(crate) struct Lexer<'a> {
    source: &'a str,
    offset: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, offset: 0 }
    }

    /// The next token; [`TokenKind::End`] at the end, again and again.
    pub fn next(&mut self) -> Result<Token, FormulaError> {
        let rest = &self.source[self.offset..];
        self.offset += rest.len() - rest.trim_start().len();
        let start = self.offset;
        let kind = self.kind()?;
        Ok(Token { kind, span: Span::new(start..self.offset) })
    }

    fn kind(&mut self) -> Result<TokenKind, FormulaError> {
        let rest = &self.source[self.offset..];
        let mut chars = rest.chars();
        let Some(first) = chars.next() else {
            return Ok(TokenKind::End);
        };
        let second = chars.next();
        if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
            return self.number();
        }
        if is_name_start(first) {
            return Ok(self.word());
        }
        if first == '"' || first == '\'' {
            return self.text(first);
        }
        let (kind, length) = operator(rest);
        match kind {
            Some(kind) => {
                self.offset += length;
                Ok(kind)
            }
            None => {
                let span = self.offset..self.offset + length;
                Err(self.error(ErrorKind::UnexpectedCharacter { found: self.source[span.clone()].to_owned() }, span))
            }
        }
    }

    fn number(&mut self) -> Result<TokenKind, FormulaError> {
        let span = self.offset..self.offset + number_length(&self.source[self.offset..]);
        let text = &self.source[span.clone()];
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.offset = span.end;
                Ok(TokenKind::Number(value))
            }
            _ => Err(self.error(ErrorKind::NumberTooLarge { number: text.to_owned() }, span)),
        }
    }

    fn word(&mut self) -> TokenKind {
        let length = name_length(&self.source[self.offset..]);
        let word = &self.source[self.offset..self.offset + length];
        self.offset += length;
        match word {
            "and" => TokenKind::And,
            "or" => TokenKind::Or,
            "not" => TokenKind::Not,
            _ => TokenKind::Name,
        }
    }

    fn text(&mut self, quote: char) -> Result<TokenKind, FormulaError> {
        let mut text = String::new();
        let mut chars = self.source[self.offset..].char_indices().skip(1).peekable();
        while let Some((index, c)) = chars.next() {
            if c != quote {
                text.push(c);
            } else if chars.peek().is_some_and(|&(_, next)| next == quote) {
                text.push(c);
                chars.next();
            } else {
                self.offset += index + 1;
                return Ok(TokenKind::Text(text));
            }
        }
        Err(self.error(ErrorKind::UnclosedText, self.offset..self.source.len()))
    }

    fn error(&self, kind: ErrorKind, span: Range<usize>) -> FormulaError {
        FormulaError::new(kind, Span::new(span))
    }
}

/// The operator at the beginning and its length; no operator but a length for what is not one.
fn operator(rest: &str) -> (Option<TokenKind>, usize) {
    let bytes = rest.as_bytes();
    let (kind, length) = match (bytes.first(), bytes.get(1)) {
        // What other languages write is taken as a whole, for the hint.
        (Some(b'*'), Some(b'*')) | (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|')) => return (None, 2),
        (Some(b'<'), Some(b'>')) | (Some(b'='), Some(b'<' | b'>')) => return (None, 2),
        (Some(b'='), Some(b'=')) => (TokenKind::Comparison(Comparison::Equal), 2),
        (Some(b'!'), Some(b'=')) => (TokenKind::Comparison(Comparison::NotEqual), 2),
        (Some(b'<'), Some(b'=')) => (TokenKind::Comparison(Comparison::LessEqual), 2),
        (Some(b'>'), Some(b'=')) => (TokenKind::Comparison(Comparison::GreaterEqual), 2),
        (Some(b'<'), _) => (TokenKind::Comparison(Comparison::Less), 1),
        (Some(b'>'), _) => (TokenKind::Comparison(Comparison::Greater), 1),
        (Some(b'+'), _) => (TokenKind::Plus, 1),
        (Some(b'-'), _) => (TokenKind::Minus, 1),
        (Some(b'*'), _) => (TokenKind::Star, 1),
        (Some(b'/'), _) => (TokenKind::Slash, 1),
        (Some(b'^'), _) => (TokenKind::Caret, 1),
        (Some(b'('), _) => (TokenKind::Open, 1),
        (Some(b')'), _) => (TokenKind::Close, 1),
        (Some(b','), _) => (TokenKind::Comma, 1),
        _ => return (None, rest.chars().next().map_or(0, char::len_utf8)),
    };
    (Some(kind), length)
}

/// The length of the number at the beginning: digits, a point, digits, and an exponent if it has digits; 0 if there is none.
///
/// ```text
/// 12   1.5   .5   1.   1e3   1.5E-3
/// ```
pub(crate) fn number_length(text: &str) -> usize {
    let digits = |from: usize| text.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut length = whole;
    if text[length..].starts_with('.') {
        let fraction = digits(length + 1);
        if whole + fraction == 0 {
            return 0;
        }
        length += 1 + fraction;
    }
    if length > 0 && text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// The length of the name at the beginning; 0 if there is none. A dot belongs to it when more of the name follows.
pub(crate) fn name_length(text: &str) -> usize {
    if !text.starts_with(is_name_start) {
        return 0;
    }
    let mut length = 0;
    let mut rest = text;
    loop {
        let part = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        length += part;
        match rest[part..].strip_prefix('.') {
            Some(after) if after.starts_with(is_name_part) => {
                length += 1;
                rest = after;
            }
            _ => return length,
        }
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

// The superscripts of Unicode count as numeric, but `N²` is meant as a power: better an error with a hint.
fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit() || (c.is_alphanumeric() && !matches!(c, '²' | '³' | '¹'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_they_should() {
        for (text, length) in [
            ("1e3*n", 3),
            ("2n", 1),
            (".5", 2),
            ("1.", 2),
            ("1e-3", 4),
            ("1e", 1),
            ("1e+", 1),
            (".", 0),
            ("", 0),
            ("1..2", 2),
        ] {
            assert_eq!(number_length(text), length, "{text}");
        }
    }

    #[test]
    fn names_have_inner_dots_only() {
        for (text, length) in
            [("cpu.cores*2", 9), ("a.", 1), ("a..b", 1), ("_x1+", 3), ("größe", 7), ("1a", 0), ("N²", 1)]
        {
            assert_eq!(name_length(text), length, "{text}");
        }
    }

    #[test]
    fn a_quote_inside_a_text_is_doubled() {
        let token = Lexer::new(r#""say ""hi"" to 'him'" "#).next().unwrap();
        assert_eq!(token.kind, TokenKind::Text(r#"say "hi" to 'him'"#.to_owned()));
        assert!(Lexer::new("'open").next().is_err());
    }
}
