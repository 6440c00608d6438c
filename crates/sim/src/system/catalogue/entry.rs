//! An entry of the catalogue, and files of them.

use super::LARGEST;
use crate::attributes::{Attributes, Defaults, Quality, attributes};
use runcast_core::toml::{Reader, Source, document};
use runcast_core::{Problem, Problems};

/// What an entry can be.
pub const KINDS: [&str; 8] = ["cpu", "gpu", "accelerator", "machine", "storage", "volunteer", "network", "bus"];
const HEAD: [&str; 5] = ["kind", "name", "source", "quality", "note"];

/// A piece of hardware.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id: what files write as `hardware`.
    pub id: String,
    /// One of [`KINDS`].
    pub kind: String,
    /// Its name for people, where it has one.
    pub name: Option<String>,
    /// The document that its attributes are from, unless they say otherwise.
    pub source: String,
    /// The quality of its attributes, unless they say otherwise.
    pub quality: Quality,
    /// What else there is to say.
    pub note: Option<String>,
    pub attributes: Attributes,
    /// The file that it was read from.
    pub file: String,
    /// Whether it came with the program.
    pub builtin: bool,
}

/// The entries of a file.
pub(super) fn read(text: &str, name: &str) -> Result<Vec<Entry>, Problems> {
    let source = Source { name, text };
    let document = document(source, LARGEST)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    let mut entries = Vec::new();
    for (id, place) in top.keys(&source) {
        if !is_id(&id) {
            let problem = Problem::new("bad_name", "an entry cannot be called so").value(id.as_str());
            reader.wrong(&place, problem.allowed("small letters, digits and . _ + -, 100 at most"));
            continue;
        }
        let Some(node) = top.get(&id) else { continue };
        let Some(table) = reader.table(node, top.at(&id), "a table with the attributes of an entry") else { continue };
        let kind = match table.has("kind") {
            true => reader.choice(&table, "kind", &KINDS),
            false => {
                reader.missing(&table, "kind", &KINDS.join(", "));
                None
            }
        };
        let quality = match reader.choice(&table, "quality", &Quality::WORDS) {
            Some(index) => Quality::nth(index),
            None => Quality::Assumed,
        };
        let text = |reader: &mut Reader<'_>, key: &str| reader.text(&table, key, "a text").map(|(text, _)| text);
        let source = text(&mut reader, "source");
        let (name_of, note) = (text(&mut reader, "name"), text(&mut reader, "note"));
        let defaults = Defaults { quality, source: source.clone().unwrap_or_default() };
        let attributes = attributes(&mut reader, &table, &HEAD, &defaults);
        if let Some((key, _)) = attributes.iter().find(|(_, attribute)| attribute.source.is_empty()) {
            let problem = Problem::new("missing", format!("the entry, or its attribute {key}, names no source"));
            let place = reader.source.place(place.offset, table.at("source"));
            reader.wrong(&place, problem.allowed("a document with its date, such as \"Intel ARK, 2026-11\""));
        }
        let Some(kind) = kind else { continue };
        entries.push(Entry {
            id,
            kind: KINDS[kind].to_owned(),
            name: name_of,
            source: source.unwrap_or_default(),
            quality,
            note,
            attributes,
            file: name.to_owned(),
            builtin: false,
        });
    }
    match reader.take_problems() {
        Some(problems) => Err(problems),
        None => Ok(entries),
    }
}

fn is_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._+-".contains(c);
    !id.is_empty() && id.len() <= 100 && id.chars().all(fits)
}
