//! TOML in which one side changed values only, whatever the other side did: each changed value goes to the place of its key,
//! and every other byte stays. Elements of arrays are known by their `id`, or another word that names them.

use super::Conflict;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What names an element of an array, the first that it has.
const NAMES: [&str; 6] = ["id", "name", "of", "file", "label", "source"];

/// Whether it can be read, without a part twice.
pub fn is_readable(text: &str) -> bool {
    Leaves::read(text).is_some()
}

/// The text of the other side with the values that `changed` has in place of those of `base`; none: it changed more than
/// values.
pub fn put(base: &str, changed: &str, other: &str) -> Option<Result<String, Vec<Conflict>>> {
    let (old, new, there) = (Leaves::read(base)?, Leaves::read(changed)?, Leaves::read(other)?);
    if !old.0.keys().eq(new.0.keys()) || old.between(base) != new.between(changed) {
        return None;
    }
    let mut conflicts = Vec::new();
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    for (path, was) in &old.0 {
        let (was, is) = (&base[was.clone()], &changed[new.0[path].clone()]);
        if was == is {
            continue;
        }
        match there.0.get(path) {
            Some(span) if other[span.clone()] == *is => {}
            Some(span) if other[span.clone()] == *was => edits.push((span.clone(), is)),
            found => {
                let line = found.map(|span| other[..span.start].matches('\n').count() as u64 + 1);
                conflicts.push(Conflict::at(path.as_str(), line));
            }
        }
    }
    if !conflicts.is_empty() {
        return Some(Err(conflicts));
    }
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = other.to_owned();
    for (span, value) in edits {
        text.replace_range(span, value);
    }
    // A value may end in a comment of its line, or a name be taken: what cannot be read again was no change of values.
    is_readable(&text).then_some(Ok(text))
}

/// Values that are no tables, by the paths of their keys.
struct Leaves(BTreeMap<String, Range<usize>>);

impl Leaves {
    /// None: it cannot be read, or two elements have one name.
    fn read(text: &str) -> Option<Leaves> {
        let document = DeTable::parse(text).ok()?;
        let mut leaves = Leaves(BTreeMap::new());
        leaves.table(String::new(), document.get_ref())?;
        Some(leaves)
    }

    fn table(&mut self, path: String, table: &DeTable<'_>) -> Option<()> {
        table.iter().try_for_each(|(key, value)| {
            let path = if path.is_empty() { key.get_ref().to_string() } else { format!("{path}/{}", key.get_ref()) };
            self.value(path, value)
        })
    }

    fn value(&mut self, path: String, value: &Spanned<DeValue<'_>>) -> Option<()> {
        match value.get_ref() {
            DeValue::Table(table) => self.table(path, table),
            DeValue::Array(array) if array.iter().any(|one| one.get_ref().is_table()) => {
                array.iter().enumerate().try_for_each(|(index, one)| self.value(element(&path, index, one), one))
            }
            _ => match self.0.insert(path, value.span()) {
                None => Some(()),
                Some(_) => None,
            },
        }
    }

    /// What stands around the values.
    fn between(&self, text: &str) -> Vec<String> {
        let mut spans: Vec<&Range<usize>> = self.0.values().collect();
        spans.sort_by_key(|span| span.start);
        let mut at = 0;
        let mut parts = Vec::with_capacity(spans.len() + 1);
        for span in spans {
            parts.push(text.get(at..span.start).unwrap_or_default().to_owned());
            at = span.end;
        }
        parts.push(text.get(at..).unwrap_or_default().to_owned());
        parts
    }
}

/// The path of an element of an array: by its name where it has one.
fn element(path: &str, index: usize, value: &Spanned<DeValue<'_>>) -> String {
    let named = value.get_ref().as_table().and_then(|table| {
        NAMES.iter().find_map(|name| table.iter().find(|(key, _)| key.get_ref() == name)?.1.get_ref().as_str())
    });
    named.map_or_else(|| format!("{path}/{index}"), |name| format!("{path}/{name}"))
}
