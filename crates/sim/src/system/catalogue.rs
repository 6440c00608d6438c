//! The catalogue of real hardware: attributes, each with its source and quality (docs/reference/sim-catalogue.md).
//!
//! Those of `crates/sim/catalogue/*.toml` are compiled in; a user's own files extend them, the later wins.

mod entry;

pub use entry::{Entry, KINDS};

use indexmap::IndexMap;
use runcast_core::{Problem, Problems};
use runcast_formula::nearest;
use std::sync::OnceLock;

/// Files that are compiled in. A new entry is a table in one of them; a new file is one line here.
const FILES: [(&str, &str); 5] = [
    ("cpu.toml", include_str!("../../catalogue/cpu.toml")),
    ("gpu.toml", include_str!("../../catalogue/gpu.toml")),
    ("network.toml", include_str!("../../catalogue/network.toml")),
    ("bus.toml", include_str!("../../catalogue/bus.toml")),
    ("storage.toml", include_str!("../../catalogue/storage.toml")),
];

/// The largest file of a user that is read, in bytes.
const LARGEST: usize = 16 << 20;

/// Entries by id.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    entries: IndexMap<String, Entry>,
}

impl Catalogue {
    /// What is compiled in.
    pub fn builtin() -> &'static Catalogue {
        static BUILTIN: OnceLock<Catalogue> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            let mut catalogue = Catalogue::default();
            for (name, text) in FILES {
                // A test reads every file and knows every attribute, so that nothing is ever left out here.
                for entry in entry::read(text, name).unwrap_or_default() {
                    catalogue.entries.insert(entry.id.clone(), Entry { builtin: true, ..entry });
                }
            }
            catalogue
        })
    }

    /// This one, extended by files (name and content) in their order; the later wins.
    ///
    /// # Errors
    /// What is wrong in any of the files.
    pub fn extended(&self, files: &[(String, String)]) -> Result<Catalogue, Vec<Problem>> {
        let mut catalogue = self.clone();
        let mut problems = Vec::new();
        for (name, text) in files {
            match entry::read(text, name) {
                Ok(entries) => catalogue.entries.extend(entries.into_iter().map(|entry| (entry.id.clone(), entry))),
                Err(Problems(found)) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(catalogue) } else { Err(problems) }
    }

    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// The entry of this id, or what is wrong: with the nearest id of those kinds.
    ///
    /// # Errors
    /// `unknown_hardware`, `wrong_kind`.
    pub fn find(&self, id: &str, kinds: &[&str]) -> Result<&Entry, Problem> {
        let Some(entry) = self.get(id) else {
            let shown = runcast_core::problem::shorten(id, 60);
            let problem = Problem::new("unknown_hardware", format!("\"{shown}\" is not in the catalogue")).value(id);
            let candidates = || kinds.iter().flat_map(|kind| self.of_kind(kind)).map(|entry| entry.id.as_str());
            return Err(match nearest(id, candidates()) {
                Some(near) => problem.hint(format!("did you mean {near}?")),
                None => problem.hint("runcast sim hardware list shows all, --catalogue FILE adds more"),
            });
        };
        if kinds.contains(&entry.kind.as_str()) {
            return Ok(entry);
        }
        let problem = Problem::new("wrong_kind", format!("\"{id}\" is of kind {}", entry.kind)).value(id);
        Err(problem.allowed(format!("an entry of kind {}", kinds.join(" or "))))
    }

    /// Entries of a kind, in their order.
    pub fn of_kind<'c>(&'c self, kind: &str) -> impl Iterator<Item = &'c Entry> {
        let kind = kind.to_owned();
        self.entries.values().filter(move |entry| entry.kind == kind)
    }

    /// All entries, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }
}

/// Reads a file of entries: what `sim hardware add` and the server check before they keep it.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str, name: &str) -> Result<Vec<Entry>, Problems> {
    if text.len() > LARGEST {
        let problem = Problem::new("too_large", format!("a file of {} bytes", text.len())).in_file(name);
        return Err(problem.allowed(format!("at most {LARGEST} bytes")).into());
    }
    entry::read(text, name)
}

#[cfg(test)]
mod tests;
