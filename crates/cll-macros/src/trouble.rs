//! What is wrong with an annotation, as a compile error.

use std::ops::Range;

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::LitStr;

use crate::place;

/// One thing that is wrong, and where.
#[derive(Debug)]
pub struct Trouble {
    /// Short stable name, as `runcast cll translate` gives it.
    code: &'static str,
    message: String,
    /// The line of the formula with a mark below.
    excerpt: String,
    hint: Option<String>,
    span: Span,
}

impl Trouble {
    /// What is wrong with some tokens.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Trouble { code, message: message.into(), excerpt: String::new(), hint: None, span }
    }

    /// What is wrong with some bytes of a literal's value.
    pub fn inside(code: &'static str, literal: &LitStr, bytes: Range<usize>, message: impl Into<String>) -> Self {
        let token = literal.token();
        let mut trouble = Self::new(code, place::span(&token, bytes.clone()), message);
        trouble.excerpt = excerpt(&literal.value(), &bytes);
        if let Some(place) = place::of(&token, bytes.start) {
            trouble.excerpt.push_str(&format!("  at {place}"));
        }
        trouble
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn hint_of(self, hint: Option<&str>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    #[cfg(test)]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The whole text of the error.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}", self.code, self.message);
        for (before, part) in [("\n", Some(&self.excerpt)), ("\nhint: ", self.hint.as_ref())] {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                text.push_str(before);
                text.push_str(part);
            }
        }
        text
    }

    /// `compile_error!` in place of an expression or of an item.
    pub fn compile_error(&self) -> TokenStream {
        let text = self.text();
        quote_spanned!(self.span=> ::core::compile_error! { #text })
    }
}

impl From<syn::Error> for Trouble {
    fn from(error: syn::Error) -> Self {
        Trouble::new("bad-clause", error.span(), error.to_string())
    }
}

/// The line of the text with the first of the bytes, and marks below them.
fn excerpt(text: &str, bytes: &Range<usize>) -> String {
    let start = floor(text, bytes.start);
    let end = floor(text, bytes.end.max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let before = text[line_start..start].chars().count();
    let marks = text[start..end.clamp(start, line_end)].chars().count().max(1);
    let line = text[line_start..line_end].replace('\t', " ");
    format!("  {}\n  {}{}", line.trim_end(), " ".repeat(before), "^".repeat(marks))
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked() {
        assert_eq!(excerpt("F[0] + n/F[1]", &(9..13)), "  F[0] + n/F[1]\n           ^^^^");
        assert_eq!(excerpt("F[0] +", &(6..6)), "  F[0] +\n        ^");
        assert_eq!(excerpt("F[0]\n+ äb*q", &(11..12)), "  + äb*q\n       ^");
        assert_eq!(excerpt("", &(0..0)), "  \n  ^");
    }
}
