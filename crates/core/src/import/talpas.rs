//! The TALPAS format: one object per line, with semicolons where JSON has commas.

use super::extrap_jsonl::read_measurements;
use super::{Format, Probe};
use crate::problem::Problems;
use crate::table::{ReadOptions, Table};

pub(super) const FORMAT: Format = Format {
    name: "talpas",
    description: "TALPAS lines, {\"parameters\":{..};\"metric\":..;\"callpath\":..;\"value\":..}",
    recognizes,
    read,
};

fn recognizes(probe: &Probe<'_>) -> bool {
    if probe.is_array() || !probe.is_json() {
        return false;
    }
    let semicolon = probe.first_lines(1).any(|line| {
        // Only the beginning: a document of one line may be very long.
        let end = (0..=line.len().min(100_000)).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
        has_semicolon(&line[..end])
    });
    semicolon || (probe.has_key("parameters") && probe.has_key("value"))
}

fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    read_measurements(&with_commas(text), "parameters").map_err(|problem| problem.in_file(file).into())
}

/// Replaces semicolons outside strings; every character keeps its position.
fn with_commas(text: &str) -> String {
    let mut in_text = InText::default();
    text.chars().map(|c| if !in_text.step(c) && c == ';' { ',' } else { c }).collect()
}

fn has_semicolon(text: &str) -> bool {
    let mut in_text = InText::default();
    text.chars().any(|c| !in_text.step(c) && c == ';')
}

/// Whether a character is inside a string; a string ends with its line at the latest.
#[derive(Default)]
struct InText {
    inside: bool,
    escaped: bool,
}

impl InText {
    fn step(&mut self, c: char) -> bool {
        let was = self.inside;
        match c {
            '\n' => (self.inside, self.escaped) = (false, false),
            _ if self.escaped => self.escaped = false,
            '\\' if self.inside => self.escaped = true,
            '"' => self.inside = !self.inside,
            _ => {}
        }
        was
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_in_strings_stay() {
        let line = r#"{"a":1;"f;\"g;":2;"h":3}"#;
        assert_eq!(with_commas(line), r#"{"a":1,"f;\"g;":2,"h":3}"#);
        assert!(!has_semicolon(r#"{"a;b":1}"#));
    }
}
