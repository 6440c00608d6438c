//! The bound of a loop, as a size: sums and products of numbers, names, members and sizes of containers.

use super::size::Size;
use crate::translate::scan::{Kind, Token, Word};
use std::collections::BTreeMap;

/// Tokens of a source, with what they stand for.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub source: &'a [u8],
    pub tokens: &'a [Token],
    /// Of each bracket the place of the one that it belongs to.
    pub pairs: &'a [Option<usize>],
}

/// Which brackets belong together.
pub(super) fn pairs(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign(b'(' | b'[' | b'{') => open.push(place),
            Kind::Sign(b')' | b']' | b'}') => {
                if let Some(other) = open.pop() {
                    (pairs[other], pairs[place]) = (Some(place), Some(other));
                }
            }
            _ => {}
        }
    }
    pairs
}

impl<'a> Text<'a> {
    pub fn word(&self, at: usize) -> &'a str {
        let token = self.tokens.get(at);
        let bytes = token.and_then(|token| self.source.get(token.start as usize..token.end as usize));
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or("")
    }

    pub fn is_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Name)
    }

    pub fn is_word(&self, at: usize, word: Word) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word(word))
    }

    pub fn is(&self, at: usize, sign: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(sign))
    }

    /// The place behind the bracket that closes the one at `at`.
    pub fn behind(&self, at: usize) -> Option<usize> {
        self.pairs.get(at).copied().flatten().filter(|other| *other > at).map(|other| other + 1)
    }

    /// The source of tokens, on one line.
    pub fn written(&self, from: usize, to: usize) -> String {
        (from..to).map(|at| self.word(at)).collect()
    }
}

/// Recorded names, and the expressions that they stand for.
pub(super) type Variables = BTreeMap<String, String>;

/// Reads a bound.
pub(super) struct Bound<'a, 'v> {
    pub text: Text<'a>,
    pub at: usize,
    pub end: usize,
    pub variables: &'v mut Variables,
    depth: usize,
}

/// Deeper brackets are no bound of a loop.
const DEEPEST: usize = 40;

impl<'a, 'v> Bound<'a, 'v> {
    /// The size of the tokens from `at` to `end`; none where it is not of a known form.
    pub fn read(text: Text<'a>, at: usize, end: usize, variables: &'v mut Variables) -> Option<Size> {
        let mut bound = Bound { text, at, end, variables, depth: 0 };
        let size = bound.sum()?;
        (bound.at == bound.end).then_some(size)
    }

    fn sign(&self) -> u8 {
        match self.text.tokens.get(self.at).filter(|_| self.at < self.end).map(|token| token.kind) {
            Some(Kind::Sign(sign)) => sign,
            _ => 0,
        }
    }

    fn sum(&mut self) -> Option<Size> {
        let mut size = self.product()?;
        loop {
            let factor = match self.sign() {
                b'+' => 1.0,
                b'-' => -1.0,
                _ => return Some(size),
            };
            self.at += 1;
            size = size.plus(&self.product()?, factor);
        }
    }

    fn product(&mut self) -> Option<Size> {
        let mut size = self.factor()?;
        loop {
            match self.sign() {
                b'*' => {
                    self.at += 1;
                    size = size.times(&self.factor()?)?;
                }
                b'/' => {
                    self.at += 1;
                    size = size.over(&self.factor()?)?;
                }
                _ => return Some(size),
            }
        }
    }

    fn factor(&mut self) -> Option<Size> {
        if self.at >= self.end || self.depth > DEEPEST {
            return None;
        }
        if self.sign() == b'-' {
            self.at += 1;
            return Some(Size::default().plus(&self.factor()?, -1.0));
        }
        if self.sign() == b'(' {
            return self.bracket();
        }
        let token = self.text.tokens[self.at];
        match token.kind {
            Kind::Number => {
                let word = self.text.word(self.at).trim_end_matches(['u', 'U', 'l', 'L']);
                let value: f64 = word.parse().ok()?;
                self.at += 1;
                Some(Size::number(value))
            }
            Kind::Name => self.named(),
            _ => None,
        }
    }

    /// A sum in brackets, or what follows a type in brackets.
    fn bracket(&mut self) -> Option<Size> {
        let behind = self.text.behind(self.at).filter(|behind| *behind <= self.end)?;
        let is_type = |at: usize| matches!(self.text.tokens[at].kind, Kind::Type);
        self.depth += 1;
        let size = if self.at + 1 < behind - 1 && (self.at + 1..behind - 1).all(is_type) {
            self.at = behind;
            self.factor()
        } else {
            let size = Bound::read(self.text, self.at + 1, behind - 1, self.variables);
            self.at = behind;
            size
        };
        self.depth -= 1;
        size
    }

    /// A name, a member, an element at a fixed place, or the size of a container.
    fn named(&mut self) -> Option<Size> {
        let start = self.at;
        let mut name = self.text.word(start).to_owned();
        self.at += 1;
        while self.at < self.end {
            let kind = self.text.tokens[self.at].kind;
            if kind == Kind::Arrow || self.sign() == b'.' {
                if !self.text.is_name(self.at + 1) || self.at + 1 >= self.end {
                    return None;
                }
                let member = self.text.word(self.at + 1);
                self.at += 2;
                if self.sign() == b'(' {
                    // Only what asks for a size, and takes nothing.
                    if !["size", "length", "rows", "cols"].contains(&member) || !self.text.is(self.at + 1, b')') {
                        return None;
                    }
                    self.at += 2;
                    name = format!("{name}_{member}");
                } else {
                    name = member.to_owned();
                }
            } else if self.sign() == b'[' {
                let index = self.text.tokens.get(self.at + 1)?.kind;
                if index != Kind::Number || !self.text.is(self.at + 2, b']') {
                    return None;
                }
                name = format!("{name}_{}", self.text.word(self.at + 1));
                self.at += 3;
            } else {
                break;
            }
        }
        if self.sign() == b'(' {
            return None;
        }
        // One name for two expressions would be recorded as one of them.
        let written = self.text.written(start, self.at);
        let known = self.variables.entry(name.clone()).or_insert_with(|| written.clone());
        if *known != written {
            return None;
        }
        Some(Size::name(&name))
    }
}
