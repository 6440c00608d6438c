//! From the text of a template to a formula in which each constant is a name of its own.

use std::fmt::Write;
use std::ops::Range;

use super::TemplateError;
use crate::limits;

/// Separates the name of the constants and an index: a character that no program uses.
const MARK: char = 'ʗ';

/// The text as a formula.
pub(super) struct Source {
    /// In the formula language; `A[0]` is the name `Aʗ0`.
    pub formula: String,
    /// As people write it: blanks collapsed, `->` as a dot.
    pub text: String,
    /// The name of the constants; empty when there are none.
    pub name: String,
    /// How many constants there are.
    pub constants: usize,
    /// Where the parts of `formula` come from, in order.
    parts: Vec<Part>,
    length: usize,
}

/// A part of the formula.
struct Part {
    at: usize,
    /// Where it comes from.
    origin: Range<usize>,
    /// Whether it is in the text as it is; a constant does not.
    same: bool,
}

impl Part {
    /// Where a byte of the formula comes from.
    fn original(&self, at: usize) -> Range<usize> {
        let place = self.origin.start + (at - self.at);
        if self.same { place..place + 1 } else { self.origin.clone() }
    }
}

impl Source {
    /// # Errors
    /// Bad indices, assignments and steps.
    pub fn read(text: &str, constants: Option<&str>) -> Result<Source, TemplateError> {
        if text.len() > limits::LENGTH {
            let message = format!("{} bytes are too long; {} are allowed", text.len(), limits::LENGTH);
            return Err(TemplateError::new("not-canonical", message, 0..0));
        }
        let mut source = Source {
            formula: String::with_capacity(text.len()),
            text: String::with_capacity(text.len()),
            name: constants.unwrap_or_default().to_owned(),
            constants: 0,
            parts: Vec::new(),
            length: text.len(),
        };
        let mut indices: Vec<(usize, Range<usize>)> = Vec::new();
        let mut at = 0;
        while at < text.len() {
            at = source.step(text, at, &mut indices)?;
        }
        source.constants = indices.len();
        check_indices(indices, &source.name)?;
        source.text = collapsed(&source.text);
        Ok(source)
    }

    /// Takes what is at `at`; returns where it ends.
    fn step(
        &mut self,
        text: &str,
        at: usize,
        indices: &mut Vec<(usize, Range<usize>)>,
    ) -> Result<usize, TemplateError> {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { return Ok(text.len()) };
        if is_start(first) {
            let name_end = at + name_length(rest);
            let bracket = skip_blanks(text, name_end);
            if text[bracket..].starts_with('[') {
                let (index, end) = self.index_of(text, at..name_end, bracket)?;
                indices.push((index, at..end));
                self.parts.push(Part { at: self.formula.len(), origin: at..end, same: false });
                let _ = write!(self.formula, "{}{MARK}{index}", self.name);
                let _ = write!(self.text, "{}[{index}]", self.name);
                return Ok(end);
            }
            return Ok(self.member_name(text, at, name_end));
        }
        if first.is_ascii_digit() {
            // So that the letters of 1e5 are not taken for a name.
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
            self.both(&rest[..length], at);
            return Ok(at + length);
        }
        if let Some(length) = side_effect(&text[..at], rest) {
            let what = &rest[..length];
            let error = TemplateError::new("side-effect", format!("\"{what}\" changes a variable"), at..at + length);
            return Err(error.hint("a formula is recorded, not run: it may use values only"));
        }
        if let Some(length) = two_letters(rest) {
            self.both(&rest[..length], at);
            return Ok(at + length);
        }
        self.both(&rest[..first.len_utf8()], at);
        Ok(at + first.len_utf8())
    }

    /// `[ integer ]` after a name.
    fn index_of(&mut self, text: &str, name: Range<usize>, bracket: usize) -> Result<(usize, usize), TemplateError> {
        let found = &text[name.clone()];
        if self.name.is_empty() {
            self.name = found.to_owned();
        }
        let start = skip_blanks(text, bracket + 1);
        let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
        let close = skip_blanks(text, start + digits);
        let end = close + 1;
        if digits == 0 || !text[close..].starts_with(']') {
            let shown = text[start..].chars().take(20).collect::<String>();
            let error =
                TemplateError::new("bad-index", format!("an index must be a number, not \"{shown}\""), start..start);
            return Err(error.hint(format!("an element of an array needs a name: var(x = {found}[..])")));
        }
        if found != self.name {
            let message = format!("the constants are called {}, not {found}", self.name);
            return Err(TemplateError::new("bad-index", message, name.start..end)
                .hint("all constants of a formula have one name; an element of an array needs var(x = a[0])"));
        }
        match text[start..start + digits].parse::<usize>() {
            Ok(index) if index < 1000 => Ok((index, end)),
            _ => {
                let message = format!("the index {} is too large", &text[start..start + digits]);
                Err(TemplateError::new("bad-index", message, start..start + digits))
            }
        }
    }

    /// `a->b.c`, blanks around the arrows allowed; returns where it ends.
    fn member_name(&mut self, text: &str, start: usize, name_end: usize) -> usize {
        self.both(&text[start..name_end], start);
        let mut end = name_end;
        loop {
            let operator = skip_blanks(text, end);
            let length = match () {
                () if text[operator..].starts_with("->") => 2,
                () if text[operator..].starts_with('.') => 1,
                () => return end,
            };
            let member = skip_blanks(text, operator + length);
            if !text[member..].starts_with(is_start) {
                return end;
            }
            let member_end = member + name_length(&text[member..]);
            self.both(".", operator);
            self.both(&text[member..member_end], member);
            end = member_end;
        }
    }

    fn both(&mut self, part: &str, origin: usize) {
        let end = origin + part.len();
        match self.parts.last_mut() {
            Some(last) if last.same && last.origin.end == origin => last.origin.end = end,
            _ => self.parts.push(Part { at: self.formula.len(), origin: origin..end, same: true }),
        }
        self.formula.push_str(part);
        self.text.push_str(part);
    }

    /// A range of the formula as a range of the text.
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        let end = self.length..self.length;
        let origin = |at: usize| match self.parts.partition_point(|part| part.at <= at) {
            0 => end.clone(),
            _ if at >= self.formula.len() => end.clone(),
            after => self.parts[after - 1].original(at),
        };
        let start = origin(range.start).start;
        if range.end > range.start { start..origin(range.end - 1).end.max(start) } else { start..start }
    }

    /// The index of a constant by its name in the formula.
    pub fn index(&self, name: &str) -> Option<usize> {
        name.strip_prefix(self.name.as_str())?.strip_prefix(MARK)?.parse().ok()
    }

    /// Whether a name of the formula is a constant.
    pub fn is_constant(&self, name: &str) -> bool {
        self.index(name).is_some()
    }

    /// The name of the constants for messages.
    pub fn shown(&self) -> &str {
        if self.name.is_empty() { "c" } else { &self.name }
    }
}

/// Indices are 0..k-1, each once.
fn check_indices(mut indices: Vec<(usize, Range<usize>)>, name: &str) -> Result<(), TemplateError> {
    indices.sort_by_key(|(index, place)| (*index, place.start));
    for (expected, (index, place)) in indices.iter().enumerate() {
        let message = match () {
            () if *index < expected => format!("{name}[{index}] occurs twice"),
            () if *index > expected => format!("{name}[{index}] is used, but {name}[{expected}] is not"),
            () => continue,
        };
        return Err(TemplateError::new("bad-index", message, place.clone())
            .hint("constants are numbered from 0, each number once"));
    }
    Ok(())
}

/// The length of an assignment or a step at the beginning of `rest`.
fn side_effect(before: &str, rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    match bytes {
        [b'+', b'+', ..] | [b'-', b'-', ..] => Some(2),
        [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', ..] => Some(2),
        [b'=', b'=', ..] => None,
        [b'=', ..] if !before.ends_with(['=', '<', '>', '!']) => Some(1),
        _ => None,
    }
}

/// The length of a comparison of two letters.
fn two_letters(rest: &str) -> Option<usize> {
    ["==", "<=", ">=", "!="].iter().any(|operator| rest.starts_with(operator)).then_some(2)
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn name_length(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = &text[at.min(text.len())..];
    at.min(text.len()) + rest.len() - rest.trim_start().len()
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
