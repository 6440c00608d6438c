//! From bytes to tokens: comments, strings, characters, splices, directives.
//!
//! There is no preprocessor. Both sides of an `#if` become tokens, unless its condition is a plain number: code
//! excluded by `#if 0` is not scanned.

pub mod bytes;
mod directive;
pub mod lines;
mod pragma;
pub mod token;

use bytes::{Bytes, is_word};
pub use pragma::Pragma;
use std::ops::Range;
pub use token::{Governed, Kind, Token, Word};

/// Result of scanning a source.
#[derive(Debug, Default)]
pub struct Scanned {
    pub tokens: Vec<Token>,
    /// Our pragmas, in their order.
    pub pragmas: Vec<Pragma>,
    /// Names of files between quotes, with the quotes: `#include "own.h"`.
    pub includes: Vec<Range<usize>>,
    /// The same between angle brackets, with these: `#include <own.h>`.
    pub bracketed: Vec<Range<usize>>,
    /// Whether there is an identifier P outside our pragmas.
    pub has_p: bool,
    /// Positions of our pragmas in the bodies of macros, which are left unchanged.
    pub in_macros: Vec<usize>,
}

/// Scans a source.
pub fn scan(source: &[u8], cpp: bool) -> Scanned {
    let mut scanner = Scanner {
        bytes: Bytes { all: source },
        cpp,
        at: 0,
        line_start: true,
        branches: Vec::new(),
        found: Scanned::default(),
    };
    scanner.found.tokens.reserve(source.len() / 5);
    if source.starts_with(b"\xEF\xBB\xBF") {
        scanner.at = 3;
    }
    scanner.run();
    scanner.found
}

struct Scanner<'a> {
    bytes: Bytes<'a>,
    cpp: bool,
    at: usize,
    /// Nothing but blanks and comments since the line began.
    line_start: bool,
    /// Of each open `#if`: whether a side of it is certain.
    branches: Vec<directive::Branch>,
    found: Scanned,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while self.at < self.bytes.len() {
            self.step();
        }
    }

    fn step(&mut self) {
        let at = self.at;
        match self.bytes.raw(at) {
            b'\n' => {
                self.line_start = true;
                self.at += 1;
            }
            0..=b' ' => self.at += 1,
            b'\\' => self.backslash(),
            b'/' => match self.bytes.comment(at) {
                Some(end) => self.at = end,
                None => self.operator(),
            },
            b'#' if self.line_start => self.directive(at + 1),
            b'%' if self.line_start && self.bytes.matches(at, b"%:").is_some() => {
                let end = self.bytes.matches(at, b"%:").unwrap_or(at + 1);
                self.directive(end);
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.bytes.raw(self.bytes.next(at)).is_ascii_digit() => self.number(),
            b'"' | b'\'' => self.quoted(at),
            byte if is_word(byte) => self.word(),
            _ => self.operator(),
        }
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        self.line_start = false;
        self.found.tokens.push(Token { kind, start: start as u32, end: end as u32 });
        self.at = end;
    }

    fn backslash(&mut self) {
        match self.bytes.splice(self.at) {
            Some(end) => self.at = end,
            // \u00e9 in a name, or something that is not C.
            None => self.push(Kind::Operator, self.at, self.at + 1),
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let mut end = start + 1;
        let mut before = self.bytes.raw(start);
        loop {
            let next = self.bytes.joined(end);
            let byte = self.bytes.raw(next);
            let goes_on = match byte {
                b'+' | b'-' => matches!(before, b'e' | b'E' | b'p' | b'P'),
                b'\'' => is_word(self.bytes.raw(self.bytes.next(next))),
                b'.' => true,
                byte => is_word(byte),
            };
            if !goes_on {
                return self.push(Kind::Number, start, end);
            }
            before = byte;
            end = next + 1;
        }
    }

    /// A string or a character, whose quote is at `at`; a prefix may be before it.
    fn quoted(&mut self, at: usize) {
        let start = self.at;
        let (end, _) = self.bytes.quoted_end(at);
        self.push(Kind::Text, start, end.max(at + 1).min(self.bytes.len()));
    }

    fn word(&mut self) {
        let start = self.at;
        let end = self.bytes.word_end(start);
        let word = self.bytes.plain(start, end);
        let next = self.bytes.joined(end);
        match (self.bytes.raw(next), word.as_ref()) {
            (b'"', b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => match self.bytes.raw_end(next) {
                Some(close) => return self.push(Kind::Text, start, close),
                None => return self.quoted(next),
            },
            (b'"' | b'\'', b"L" | b"u" | b"U" | b"u8") => return self.quoted(next),
            _ => {}
        }
        match word.as_ref() {
            b"P" => self.found.has_p = true,
            b"_Pragma" => return self.pragma_operator(start, end),
            _ => {}
        }
        self.push(token::of_word(&word, self.cpp), start, end);
    }

    fn operator(&mut self) {
        let start = self.at;
        let first = self.bytes.raw(start);
        let second_at = self.bytes.next(start);
        let second = self.bytes.raw(second_at);
        let third = || self.bytes.raw(self.bytes.next(second_at));
        let (kind, end) = match (first, second) {
            (b'-', b'>') => (Kind::Arrow, second_at + 1),
            (b':', b':') => (Kind::Scope, second_at + 1),
            (b'.', b'.') if third() == b'.' => (Kind::Operator, self.bytes.next(second_at) + 1),
            (b'=' | b'<' | b'>' | b'!' | b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=')
            | (b'+', b'+')
            | (b'-', b'-') => (Kind::Operator, second_at + 1),
            (b'<', b'%') => (Kind::Sign(b'{'), second_at + 1),
            (b'%', b'>') => (Kind::Sign(b'}'), second_at + 1),
            (b':', b'>') => (Kind::Sign(b']'), second_at + 1),
            // In C++, `<::` begins with `<` unless `:` or `>` follows.
            (b'<', b':') if !(self.cpp && third() == b':') => (Kind::Sign(b'['), second_at + 1),
            _ => (Kind::Sign(first), start + 1),
        };
        self.push(kind, start, end.min(self.bytes.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str, cpp: bool) -> Vec<String> {
        let scanned = scan(source.as_bytes(), cpp);
        scanned.tokens.iter().map(|token| source[token.start as usize..token.end as usize].to_owned()).collect()
    }

    #[test]
    fn literals_are_one_token_each() {
        assert_eq!(shown("a = \"x \\\" // {\" + '\\'';", false), ["a", "=", "\"x \\\" // {\"", "+", "'\\''", ";"]);
        assert_eq!(shown("R\"x(a)\" }\n)x\" L'a' u8\"b\"", true), ["R\"x(a)\" }\n)x\"", "L'a'", "u8\"b\""]);
        assert_eq!(shown("1'000'000 0x1p-3 1e+5 .5f 3", true), ["1'000'000", "0x1p-3", "1e+5", ".5f", "3"]);
        assert_eq!(shown("\"open\nb", false), ["\"open", "b"]);
    }

    #[test]
    fn spliced_names_are_one_token() {
        assert_eq!(shown("re\\\nturn x; // a \\\n b\ny", false), ["re\\\nturn", "x", ";", "y"]);
        let kinds: Vec<Kind> = scan(b"re\\\nturn", false).tokens.iter().map(|token| token.kind).collect();
        assert_eq!(kinds, [Kind::Word(Word::Return)]);
    }

    #[test]
    fn digraphs_are_what_they_stand_for() {
        let kinds: Vec<Kind> = scan(b"<% a<:1:> %>", false).tokens.iter().map(|token| token.kind).collect();
        let sign = Kind::Sign;
        assert_eq!(kinds, [sign(b'{'), Kind::Name, sign(b'['), Kind::Number, sign(b']'), sign(b'}')]);
        assert_eq!(shown("a<::b>", true), ["a", "<", "::", "b", ">"]);
    }

    #[test]
    fn what_if_0_leaves_out_is_no_token() {
        assert_eq!(
            shown("#if 0\ndon't {\n#if X\n#else\n#endif\n#else\na\n#endif\nb", false),
            ["#else", "a", "#endif", "b"]
        );
        assert_eq!(shown("#if 0\na\n#endif\nb", false), ["b"]);
        assert_eq!(shown("#if 1\na\n#elif X\nb\n#else\nc\n#endif\nd", false), ["#if 1", "a", "#endif", "d"]);
        assert_eq!(shown("#if X\na\n#elif 0\nb\n#endif", false), ["#if X", "a", "#endif"]);
        assert_eq!(shown("#define A {\n#error don't\n}", false), ["}"]);
    }
}
