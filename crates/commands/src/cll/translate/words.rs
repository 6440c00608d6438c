//! The text of `cll translate` for people.

use super::document::{Document, FileEntry};
use crate::human::count;
use std::fmt::Write as _;

/// A line a source, and a line an experiment.
pub fn text(document: &Document, check: bool) -> String {
    let mut text = String::new();
    if !document.errors.is_empty() {
        return text;
    }
    for file in &document.files {
        let _ = writeln!(text, "{}", heading(file, check));
        for experiment in &file.experiments {
            let formula = experiment.formula.as_deref().unwrap_or("no formula: times only");
            let records = match experiment.names.len() {
                0 => String::new(),
                _ => format!("; records {}", experiment.names.join(", ")),
            };
            let places: Vec<String> =
                experiment.sites.iter().map(|site| format!("{}-{}", site.begin_line, site.end_line)).collect();
            let word = if places.len() == 1 { "lines" } else { "regions, lines" };
            let number = if places.len() == 1 { String::new() } else { format!("{} ", places.len()) };
            let _ = writeln!(text, "  {}: {formula}{records} ({number}{word} {})", experiment.name, places.join(", "));
        }
    }
    text
}

fn heading(file: &FileEntry, check: bool) -> String {
    let found = match file.experiments.len() {
        0 => "no experiments".to_owned(),
        number => count(number, "experiment", "experiments"),
    };
    let parallel = file.parallel.map_or(String::new(), |kind| format!(", parallel {kind}"));
    if check || file.outputs.is_empty() {
        return format!("{}: {found}{parallel}", file.input);
    }
    format!("{} -> {}: {found}{parallel}", file.input, file.outputs.join(", "))
}
