//! Pragmas: ours as text, others by what they apply to.

use super::bytes::{Bytes, is_word};
use super::{Kind, Scanner};

/// One of our pragmas.
#[derive(Debug, Clone)]
pub struct Pragma {
    /// What is replaced: the directive without the end of its line, or the operator.
    pub start: usize,
    pub end: usize,
    /// What stands after the word `pragma`, without comments and splices.
    pub text: String,
    /// The source position of each byte of `text`, and one more for the end.
    origins: Vec<u32>,
    /// Whether all of it is UTF-8.
    pub is_text: bool,
}

impl Pragma {
    /// The source position of a byte of the text.
    pub fn origin(&self, at: usize) -> usize {
        self.origins.get(at).or(self.origins.last()).map_or(self.start, |&origin| origin as usize)
    }
}

/// Text and where its bytes come from.
#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    origins: Vec<u32>,
}

impl Gathered {
    fn push(&mut self, byte: u8, origin: usize) {
        self.bytes.push(byte);
        self.origins.push(origin as u32);
    }

    fn ours(&self) -> bool {
        let words: Vec<&[u8]> = words(&self.bytes).take(2).collect();
        match words.as_slice() {
            [b"cll", ..] => true,
            [b"parallel", kind] => matches!(*kind, b"PUB" | b"MPI" | b"OMP" | b"SEQ"),
            _ => false,
        }
    }

    fn pragma(mut self, start: usize, end: usize) -> Pragma {
        self.origins.push(end as u32);
        match String::from_utf8(self.bytes) {
            Ok(text) => Pragma { start, end, text, origins: self.origins, is_text: true },
            Err(error) => {
                // One question mark per byte, so that positions are unchanged.
                let plain = |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { '?' };
                let text = error.as_bytes().iter().map(plain).collect();
                Pragma { start, end, text, origins: self.origins, is_text: false }
            }
        }
    }
}

impl Scanner<'_> {
    /// `#pragma`, whose text begins at `from`.
    pub(super) fn pragma(&mut self, start: usize, from: usize, end: usize) {
        let gathered = gathered(self.bytes, from, end);
        if gathered.ours() {
            let number = self.found.pragmas.len() as u32;
            self.found.pragmas.push(gathered.pragma(start, end));
            return self.push(Kind::Pragma(number), start, end);
        }
        self.names_in(from, end, false);
        self.foreign(&words(&gathered.bytes).take(8).collect::<Vec<_>>(), start, end);
    }

    /// `_Pragma("...")`, whose word stands from `start` to `word_end`.
    pub(super) fn pragma_operator(&mut self, start: usize, word_end: usize) {
        let Some((gathered, end)) = self.operand(word_end) else {
            return self.push(Kind::Name, start, word_end);
        };
        if gathered.ours() {
            let number = self.found.pragmas.len() as u32;
            self.found.pragmas.push(gathered.pragma(start, end));
            return self.push(Kind::Pragma(number), start, end);
        }
        self.foreign(&words(&gathered.bytes).take(8).collect::<Vec<_>>(), start, end);
        self.at = end;
        self.line_start = false;
    }

    /// The string between the brackets of `_Pragma`, as the text that it stands for.
    fn operand(&self, from: usize) -> Option<(Gathered, usize)> {
        let open = self.bytes.matches(self.bytes.blanks_and_lines(from), b"(")?;
        let mut quote = self.bytes.blanks_and_lines(open);
        let prefix_end = self.bytes.word_end(quote);
        if matches!(self.bytes.plain(quote, prefix_end).as_ref(), b"L" | b"u" | b"U" | b"u8") {
            quote = self.bytes.joined(prefix_end);
        }
        if self.bytes.raw(quote) != b'"' {
            return None;
        }
        let (end, true) = self.bytes.quoted_end(quote) else { return None };
        let close = self.bytes.matches(self.bytes.blanks_and_lines(end), b")")?;
        let mut gathered = Gathered::default();
        let mut at = self.bytes.joined(quote + 1);
        while at < end - 1 {
            if self.bytes.raw(at) == b'\\' {
                let next = self.bytes.next(at);
                if matches!(self.bytes.raw(next), b'"' | b'\\') && next < end - 1 {
                    at = next;
                }
            }
            gathered.push(self.bytes.raw(at), at);
            at = self.bytes.next(at);
        }
        Some((gathered, close))
    }
}

/// The text of a directive: comments are a blank, splices nothing.
fn gathered(bytes: Bytes<'_>, from: usize, end: usize) -> Gathered {
    let mut gathered = Gathered::default();
    let mut at = bytes.joined(from);
    while at < end {
        match bytes.raw(at) {
            b'/' if bytes.comment(at).is_some() => {
                gathered.push(b' ', at);
                at = bytes.joined(bytes.comment(at).unwrap_or(at + 1));
            }
            b'"' | b'\'' => {
                let (close, closed) = bytes.quoted_end(at);
                let close = if closed { close.min(end) } else { at + 1 };
                while at < close {
                    gathered.push(bytes.raw(at), at);
                    at = bytes.next(at);
                }
            }
            byte => {
                let byte = if byte.is_ascii_whitespace() || byte == b'\x0b' { b' ' } else { byte };
                gathered.push(byte, at);
                at = bytes.next(at);
            }
        }
    }
    gathered
}

/// The words at the beginning of a text.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let length = rest.iter().take_while(|byte| is_word(**byte)).count();
        let (word, after) = rest.split_at(length);
        rest = after;
        (length > 0).then_some(word)
    })
}
