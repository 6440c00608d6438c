//! Entries of the catalogue in documents.

use runcast_sim::attributes::Value;
use runcast_sim::catalogue::Entry;
use serde::Serialize;

/// An entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryRow {
    pub id: String,
    /// Its name for people.
    pub name: Option<String>,
    /// What it is: `cpu`, `gpu`, `network`, ..
    pub kind: String,
    /// `built-in`, or the file that it is from.
    pub origin: String,
    pub attributes: Vec<AttributeRow>,
    /// What else there is to say.
    pub note: Option<String>,
}

/// An attribute: a row of the table `hardware(name, kind, attribute, value, unit, quality, source)`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributeRow {
    /// Its key.
    pub attribute: String,
    /// Its value, in SI base units.
    pub value: Value,
    /// The unit of the value.
    pub unit: String,
    /// `vendor`, `standard`, `derived`, `measured` or `assumed`.
    pub quality: &'static str,
    /// The document, with its date.
    pub source: String,
    /// How it is computed, where it is derived.
    pub formula: Option<String>,
}

impl EntryRow {
    /// An entry.
    pub fn new(entry: &Entry) -> Self {
        let attributes = entry.attributes.iter().map(|(key, attribute)| AttributeRow {
            attribute: key.to_owned(),
            value: attribute.value.clone(),
            unit: attribute.unit.clone(),
            quality: attribute.quality.word(),
            source: attribute.source.clone(),
            formula: attribute.formula.clone(),
        });
        EntryRow {
            id: entry.id.clone(),
            name: entry.name.clone(),
            kind: entry.kind.clone(),
            origin: if entry.builtin { "built-in".to_owned() } else { entry.file.clone() },
            attributes: attributes.collect(),
            note: entry.note.clone(),
        }
    }
}
