//! Positions in a file.

use super::given::{Place, Spot};
use runcast_core::Problem;
use toml::Spanned;
use toml::de::DeValue;

/// A file in TOML.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

impl Source<'_> {
    /// The position of a byte.
    pub(super) fn place(&self, offset: usize, pointer: String) -> Place {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() as u64 + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[start..].chars().count() as u64 + 1;
        Place { spot: Some(Spot { file: self.name.to_owned(), line, column }), pointer, is_plain_text: false }
    }

    pub(super) fn value_place(&self, value: &Spanned<DeValue<'_>>, pointer: String) -> Place {
        let raw = self.text.get(value.span()).unwrap_or_default();
        let within = raw.len().checked_sub(1).and_then(|end| raw.get(1..end));
        let is_plain_text = value.get_ref().as_str().is_some_and(|text| Some(text) == within && !text.contains('\n'));
        Place { is_plain_text, ..self.place(value.span().start, pointer) }
    }

    /// The problem of a value of the wrong type.
    pub(super) fn type_problem(&self, value: &Spanned<DeValue<'_>>, wanted: &str) -> Problem {
        let seen = self.text.get(value.span()).unwrap_or_default();
        let found = value.get_ref().type_str();
        Problem::new("wrong_type", format!("{found} where {wanted} is expected")).value(one_line(seen)).allowed(wanted)
    }
}

/// Without line breaks.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
