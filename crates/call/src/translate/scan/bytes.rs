//! The bytes of a source as a compiler sees them: a backslash before the end of a line joins the two lines.

use std::borrow::Cow;

/// A source with its spliced lines.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a> {
    pub all: &'a [u8],
}

impl<'a> Bytes<'a> {
    /// The byte at `at`, 0 beyond the end.
    pub fn raw(self, at: usize) -> u8 {
        self.all.get(at).copied().unwrap_or(0)
    }

    pub fn len(self) -> usize {
        self.all.len()
    }

    /// Where the splice that begins at `at` ends; none if there is no splice.
    ///
    /// Blanks between the backslash and the end of the line are accepted, as in gcc and clang.
    pub fn splice(self, at: usize) -> Option<usize> {
        if self.raw(at) != b'\\' {
            return None;
        }
        let mut end = at + 1;
        while matches!(self.raw(end), b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r') {
            end += 1;
        }
        (self.raw(end) == b'\n').then_some(end + 1)
    }

    /// The first place from `at` on that is not a splice.
    pub fn joined(self, mut at: usize) -> usize {
        while let Some(end) = self.splice(at) {
            at = end;
        }
        at
    }

    /// The place of the byte after the one at `at`.
    pub fn next(self, at: usize) -> usize {
        self.joined(at + 1)
    }

    /// Whether `text` is at `at`, splices or not; where it ends.
    pub fn matches(self, mut at: usize, text: &[u8]) -> Option<usize> {
        for &wanted in text {
            at = self.joined(at);
            if at >= self.len() || self.raw(at) != wanted {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Where the comment that begins at `at` ends; none if there is no comment.
    pub fn comment(self, at: usize) -> Option<usize> {
        if self.raw(at) != b'/' {
            return None;
        }
        let second = self.next(at);
        match self.raw(second) {
            b'/' => Some(self.line_end(second + 1)),
            b'*' => Some(self.block_end(second + 1)),
            _ => None,
        }
    }

    /// The end of the line, without its `\n`; spliced lines are one.
    pub fn line_end(self, mut at: usize) -> usize {
        while at < self.len() {
            match self.raw(at) {
                b'\n' => return at,
                b'\\' => at = self.splice(at).unwrap_or(at + 1),
                _ => at += 1,
            }
        }
        self.len()
    }

    fn block_end(self, mut at: usize) -> usize {
        while at < self.len() {
            if self.raw(at) == b'*' {
                let next = self.next(at);
                if self.raw(next) == b'/' {
                    return next + 1;
                }
            }
            at += 1;
        }
        self.len()
    }

    /// The first place from `at` on in the same line that is neither blank nor comment.
    pub fn blanks(self, mut at: usize) -> usize {
        loop {
            at = self.joined(at);
            match self.raw(at) {
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => at += 1,
                b'/' => match self.comment(at) {
                    Some(end) => at = end,
                    None => return at,
                },
                _ => return at,
            }
        }
    }

    /// The same across ends of lines.
    pub fn blanks_and_lines(self, mut at: usize) -> usize {
        loop {
            at = self.blanks(at);
            if self.raw(at) != b'\n' {
                return at;
            }
            at += 1;
        }
    }

    /// Where the word that begins at `at` ends; `at` itself if there is none.
    pub fn word_end(self, at: usize) -> usize {
        let mut end = at;
        loop {
            while is_word(self.raw(end)) {
                end += 1;
            }
            match self.splice(end) {
                Some(next) if is_word(self.raw(self.joined(next))) => end = self.joined(next),
                _ => return end,
            }
        }
    }

    /// A part of the source without its splices.
    pub fn plain(self, start: usize, end: usize) -> Cow<'a, [u8]> {
        let part = self.all.get(start..end).unwrap_or_default();
        if !part.contains(&b'\\') {
            return Cow::Borrowed(part);
        }
        let mut plain = Vec::with_capacity(part.len());
        let mut at = start;
        while at < end {
            match self.splice(at) {
                Some(next) => at = next,
                None => {
                    plain.push(self.raw(at));
                    at += 1;
                }
            }
        }
        Cow::Owned(plain)
    }

    /// Where the string or character whose quote is at `at` ends: after its closing quote, or at the end of the
    /// line if it is never closed.
    pub fn quoted_end(self, at: usize) -> (usize, bool) {
        let quote = self.raw(at);
        let mut end = at + 1;
        while end < self.len() {
            match self.raw(end) {
                b'\n' => return (end, false),
                b'\\' => end = self.splice(end).unwrap_or(end + 2),
                byte if byte == quote => return (end + 1, true),
                _ => end += 1,
            }
        }
        (self.len(), false)
    }

    /// Where the raw string whose quote is at `at` ends: at the end of the source if it is never closed; none if
    /// it does not begin like one.
    pub fn raw_end(self, at: usize) -> Option<usize> {
        let opening = at + 1;
        let length = self.all.get(opening..)?.iter().take(17).position(|&byte| byte == b'(')?;
        let delimiter = &self.all[opening..opening + length];
        if delimiter.iter().any(|byte| matches!(byte, b' ' | b')' | b'\\' | b'\t' | b'\n' | b'\r' | b'"')) {
            return None;
        }
        let mut from = opening + length + 1;
        loop {
            let rest = self.all.get(from..).unwrap_or_default();
            let Some(distance) = rest.iter().position(|&byte| byte == b')') else { return Some(self.len()) };
            let close = from + distance;
            let end = close + 1 + length;
            if self.all.get(close + 1..end) == Some(delimiter) && self.raw(end) == b'"' {
                return Some(end + 1);
            }
            from = close + 1;
        }
    }
}

/// Whether a byte may be in a name; all of UTF-8 beyond ASCII may.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
