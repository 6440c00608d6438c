//! Lines that begin with `#`.

use super::bytes::is_word;
use super::{Governed, Kind, Scanner};

/// State of an open `#if`.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    /// One of its sides has the condition 1: those after it are left out.
    decided: bool,
    /// All of its branches so far were excluded and not reported.
    unopened: bool,
}

/// The value of a condition, as far as it is known without a preprocessor.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Condition {
    Never,
    Always,
    Unknown,
}

impl Scanner<'_> {
    /// A directive; `after` is the place after its `#`.
    pub(super) fn directive(&mut self, after: usize) {
        let start = self.at;
        let name_start = self.bytes.blanks(after);
        let name_end = self.bytes.word_end(name_start);
        let end = self.directive_end(name_end);
        let name = self.bytes.plain(name_start, name_end).into_owned();
        let left_out = match name.as_slice() {
            b"if" => self.open(start, name_end, end),
            b"elif" | b"elifdef" | b"elifndef" | b"else" => self.side(&name, start, name_end, end),
            name => {
                self.other(name, start, name_end, end);
                false
            }
        };
        self.at = end;
        self.line_start = false;
        if left_out {
            self.skip();
            self.line_start = true;
        }
    }

    fn other(&mut self, name: &[u8], start: usize, name_end: usize, end: usize) {
        match name {
            b"pragma" => self.pragma(start, name_end, end),
            b"ifdef" | b"ifndef" => {
                self.branches.push(Branch { decided: false, unopened: false });
                self.push(Kind::If, start, end);
            }
            b"endif" => self.close(start, end),
            _ => {
                if matches!(name, b"include" | b"import" | b"embed" | b"include_next") {
                    self.included(name_end);
                }
                self.names_in(name_end, end, name == b"define");
            }
        }
    }

    /// Where the directive ends: before the end of its line; comments and splices take it on.
    fn directive_end(&self, mut at: usize) -> usize {
        let mut lone = [false; 256];
        while at < self.bytes.len() {
            match self.bytes.raw(at) {
                b'\n' => return if self.bytes.raw(at - 1) == b'\r' { at - 1 } else { at },
                b'\\' => at = self.bytes.splice(at).unwrap_or(at + 1),
                b'/' => at = self.bytes.comment(at).unwrap_or(at + 1),
                quote @ (b'"' | b'\'') if !lone[usize::from(quote)] => match self.bytes.quoted_end(at) {
                    (end, true) => at = end,
                    // An apostrophe in the text of an #error.
                    _ => {
                        lone[usize::from(quote)] = true;
                        at += 1;
                    }
                },
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    /// `#if`; returns whether its text is left out.
    fn open(&mut self, start: usize, name_end: usize, end: usize) -> bool {
        let condition = self.condition(name_end, end);
        let never = condition == Condition::Never;
        self.branches.push(Branch { decided: condition == Condition::Always, unopened: never });
        self.names_in(name_end, end, false);
        if !never {
            self.push(Kind::If, start, end);
        }
        never
    }

    /// Another side of an `#if`; returns whether its text is left out.
    fn side(&mut self, name: &[u8], start: usize, name_end: usize, end: usize) -> bool {
        let condition = match name {
            b"elif" => self.condition(name_end, end),
            _ => Condition::Unknown,
        };
        self.names_in(name_end, end, false);
        let mut kind = Kind::Else;
        if let Some(branch) = self.branches.last_mut() {
            if branch.decided || condition == Condition::Never {
                return true;
            }
            branch.decided = condition == Condition::Always;
            if std::mem::take(&mut branch.unopened) {
                kind = Kind::If;
            }
        }
        self.push(kind, start, end);
        false
    }

    fn close(&mut self, start: usize, end: usize) {
        if self.branches.pop().is_none_or(|branch| !branch.unopened) {
            self.push(Kind::EndIf, start, end);
        }
    }

    /// Passes over text that is left out, up to the `#else`, `#elif` or `#endif` of its own `#if`.
    fn skip(&mut self) {
        let mut depth = 0usize;
        let mut line_start = false;
        let mut at = self.at;
        while at < self.bytes.len() {
            match self.bytes.raw(at) {
                b'\n' => {
                    line_start = true;
                    at += 1;
                }
                0..=b' ' => at += 1,
                b'\\' => at = self.bytes.splice(at).unwrap_or(at + 1),
                b'/' => match self.bytes.comment(at) {
                    Some(end) => at = end,
                    None => {
                        line_start = false;
                        at += 1;
                    }
                },
                b'"' | b'\'' => {
                    line_start = false;
                    // An apostrophe in prose does not open a character literal.
                    let (end, closed) = self.bytes.quoted_end(at);
                    at = if closed { end } else { self.bytes.line_end(at) };
                }
                byte if line_start && (byte == b'#' || self.bytes.matches(at, b"%:").is_some()) => {
                    line_start = false;
                    let after = if byte == b'#' { at + 1 } else { self.bytes.matches(at, b"%:").unwrap_or(at + 1) };
                    let name_start = self.bytes.blanks(after);
                    let name_end = self.bytes.word_end(name_start);
                    match (self.bytes.plain(name_start, name_end).as_ref(), depth) {
                        (b"if" | b"ifdef" | b"ifndef", _) => depth += 1,
                        (b"endif" | b"else" | b"elif" | b"elifdef" | b"elifndef", 0) => {
                            self.at = at;
                            return;
                        }
                        (b"endif", _) => depth -= 1,
                        _ => {}
                    }
                    at = name_end.max(after);
                }
                _ => {
                    line_start = false;
                    at += 1;
                }
            }
        }
        self.at = self.bytes.len();
    }

    /// A condition that is a plain number, perhaps in brackets.
    fn condition(&self, from: usize, end: usize) -> Condition {
        let mut digits = Vec::new();
        let mut at = self.bytes.blanks(from);
        while at < end {
            match self.bytes.raw(at) {
                b'(' | b')' => at += 1,
                byte if is_word(byte) && digits.is_empty() => {
                    let word_end = self.bytes.word_end(at).max(at + 1);
                    digits = self.bytes.plain(at, word_end).into_owned();
                    at = word_end;
                }
                _ => return Condition::Unknown,
            }
            at = self.bytes.blanks(at);
        }
        let number = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let suffix = digits[number..].iter().all(|byte| matches!(byte, b'u' | b'U' | b'l' | b'L'));
        match (number > 0 && suffix, digits[..number].iter().all(|&byte| byte == b'0')) {
            (true, true) => Condition::Never,
            (true, false) => Condition::Always,
            _ => Condition::Unknown,
        }
    }

    /// The name of a file between quotes or angle brackets.
    fn included(&mut self, from: usize) {
        let at = self.bytes.blanks(from);
        if self.bytes.raw(at) == b'<' {
            let line = &self.bytes.all[at..self.bytes.line_end(at)];
            if let Some(length) = line.iter().position(|&byte| byte == b'>') {
                self.found.bracketed.push(at..at + length + 1);
            }
        }
        if self.bytes.raw(at) == b'"'
            && let (end, true) = self.bytes.quoted_end(at)
        {
            self.found.includes.push(at..end);
        }
    }

    /// Searches a directive for the name P, for included files, and for pragmas in the body of a macro.
    pub(super) fn names_in(&mut self, from: usize, end: usize, defines: bool) {
        let mut at = from;
        while at < end {
            match self.bytes.raw(at) {
                b'/' => at = self.bytes.comment(at).unwrap_or(at + 1),
                b'"' | b'\'' => at = self.bytes.quoted_end(at).0.max(at + 1),
                byte if is_word(byte) => {
                    let word_end = self.bytes.word_end(at);
                    match self.bytes.plain(at, word_end).as_ref() {
                        b"P" => self.found.has_p = true,
                        b"__has_include" | b"__has_embed" => {
                            let open = self.bytes.blanks(word_end);
                            if self.bytes.raw(open) == b'(' {
                                self.included(open + 1);
                            }
                        }
                        b"_Pragma" if defines => {
                            let open = self.bytes.blanks(word_end);
                            if self.bytes.matches(self.bytes.blanks(open + 1), b"\"cll ").is_some() {
                                self.found.in_macros.push(at);
                            }
                        }
                        _ => {}
                    }
                    at = word_end;
                }
                _ => at += 1,
            }
        }
    }

    /// A foreign pragma that applies to the statement after it.
    pub(super) fn foreign(&mut self, words: &[&[u8]], start: usize, end: usize) {
        let governed = match words {
            [b"omp", rest @ ..] => omp(rest),
            [b"GCC", b"unroll" | b"ivdep" | b"novector", ..] | [b"clang", b"loop", ..] => Some(Governed::Loop),
            [b"unroll" | b"nounroll" | b"unroll_and_jam" | b"ivdep" | b"simd", ..] => Some(Governed::Loop),
            _ => None,
        };
        if let Some(governed) = governed {
            self.push(Kind::Governs(governed), start, end);
        }
    }
}

/// What an OpenMP directive governs.
fn omp(words: &[&[u8]]) -> Option<Governed> {
    let loops = |word: &&[u8]| {
        matches!(*word, b"for" | b"simd" | b"taskloop" | b"distribute" | b"loop" | b"tile" | b"unroll" | b"atomic")
    };
    match words.first().copied()? {
        b"barrier" | b"flush" | b"taskwait" | b"taskyield" | b"threadprivate" | b"declare" | b"cancel"
        | b"cancellation" | b"requires" | b"begin" | b"end" | b"section" | b"allocate" | b"scan" | b"depobj"
        | b"interop" | b"nothing" | b"error" | b"assumes" => None,
        b"target" if matches!(words.get(1).copied(), Some(b"update" | b"enter" | b"exit")) => None,
        b"ordered" if words.len() > 1 => None,
        _ if words.iter().take(5).any(loops) => Some(Governed::Loop),
        _ => Some(Governed::Statement),
    }
}
