//! Tables of a TOML file with their places, and what is wrong with them.

use super::super::program::{Place, Source, Value};
use super::value::{Kind, value_of};
use indexmap::IndexMap;
use runcast_core::problem::shorten;
use runcast_core::{Problem, Problems};
use runcast_formula::{is_name, nearest};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// So many problems of one file are told.
const MOST_PROBLEMS: usize = 20;

/// Names that formulas know without anybody declaring them.
pub(in super::super) const BUILT_IN: [&str; 7] = ["me", "procs", "rank", "depth", "it", "group", "groups"];

/// Reads values and collects what is wrong. Its methods give none after a problem.
pub(super) struct Reader<'a> {
    pub source: &'a Source,
    problems: Vec<Problem>,
    /// What is being read, in front of each message: `task fft, step 1 (halves): `.
    pub context: String,
}

/// A value of the file with where it stands.
#[derive(Clone, Copy)]
pub(super) struct Node<'t, 'i> {
    pub value: &'t Spanned<DeValue<'i>>,
}

/// A table with the pointer to it.
pub(super) struct Table<'t, 'i> {
    entries: Vec<(&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>)>,
    pub pointer: String,
    pub place: Place,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Reader { source, problems: Vec::new(), context: String::new() }
    }

    pub(super) fn into_problems(mut self) -> Option<Problems> {
        self.problems.truncate(MOST_PROBLEMS);
        (!self.problems.is_empty()).then_some(Problems(self.problems))
    }

    /// Notes a problem at a place.
    pub(super) fn wrong(&mut self, place: &Place, mut problem: Problem) {
        if self.problems.len() <= MOST_PROBLEMS {
            problem.message = format!("{}{}", self.context, problem.message);
            self.problems.push(place.locate(self.source, problem));
        }
    }

    pub(super) fn place(&self, value: &Spanned<DeValue<'_>>, pointer: String) -> Place {
        let raw = self.source.text.get(value.span()).unwrap_or_default();
        let within = raw.len().checked_sub(1).and_then(|end| raw.get(1..end));
        let is_plain_text = value.get_ref().as_str().is_some_and(|text| Some(text) == within && !text.contains('\n'));
        Place { offset: Some(value.span().start), pointer, is_plain_text }
    }

    /// The table at a value; a problem where it is something else.
    pub(super) fn table<'t, 'i>(&mut self, node: Node<'t, 'i>, pointer: String, wanted: &str) -> Option<Table<'t, 'i>> {
        let place = self.place(node.value, pointer.clone());
        match node.value.get_ref() {
            DeValue::Table(entries) => Some(Table::new(entries, pointer, place)),
            _ => {
                self.wrong_type(node, &place, wanted);
                None
            }
        }
    }

    /// The list at a value.
    pub(super) fn list<'t, 'i>(
        &mut self,
        node: Node<'t, 'i>,
        pointer: &str,
        wanted: &str,
    ) -> Option<Vec<Node<'t, 'i>>> {
        match node.value.get_ref() {
            DeValue::Array(values) => Some(values.iter().map(|value| Node { value }).collect()),
            _ => {
                let place = self.place(node.value, pointer.to_owned());
                self.wrong_type(node, &place, wanted);
                None
            }
        }
    }

    pub(super) fn wrong_type(&mut self, node: Node<'_, '_>, place: &Place, wanted: &str) {
        let seen = self.source.text.get(node.value.span()).unwrap_or_default();
        let message = format!("{} where {wanted} is expected", node.value.get_ref().type_str());
        self.wrong(place, Problem::new("wrong_type", message).value(one_line(seen)).allowed(wanted));
    }

    /// Notes every key of a table that is not one of these.
    pub(super) fn allow(&mut self, table: &Table<'_, '_>, keys: &[&str], of: &str) {
        for (name, _) in &table.entries {
            let seen: &str = name.get_ref();
            if keys.contains(&seen) {
                continue;
            }
            let shown = shorten(seen, 60);
            let problem = Problem::new("unknown_key", format!("\"{shown}\" is no key of {of}")).value(seen);
            let mut problem = problem.allowed(keys.join(", "));
            if let Some(near) = nearest(seen, keys.iter().copied()) {
                problem = problem.hint(format!("did you mean {near}?"));
            }
            let place = Place { offset: Some(name.span().start), pointer: table.at(&shown), is_plain_text: false };
            self.wrong(&place, problem);
        }
    }

    /// The value at a key, if it is there.
    pub(super) fn value(&mut self, table: &Table<'_, '_>, key: &str, kind: Kind) -> Option<Value> {
        let node = table.get(key)?;
        self.value_at(node, table.at(key), kind)
    }

    /// The value at a key that must be there.
    pub(super) fn needed(&mut self, table: &Table<'_, '_>, key: &str, kind: Kind) -> Option<Value> {
        if table.get(key).is_none() {
            self.missing(table, key, kind.allowed());
        }
        self.value(table, key, kind)
    }

    pub(super) fn missing(&mut self, table: &Table<'_, '_>, key: &str, allowed: &str) {
        let place = Place { pointer: table.at(key), ..table.place.clone() };
        self.wrong(&place, Problem::new("missing", format!("{key} is not given")).allowed(allowed));
    }

    pub(super) fn value_at(&mut self, node: Node<'_, '_>, pointer: String, kind: Kind) -> Option<Value> {
        let place = self.place(node.value, pointer);
        match value_of(node.value.get_ref(), kind) {
            Ok(Some(given)) => Some(Value { given, place }),
            Ok(None) => {
                self.wrong_type(node, &place, kind.allowed());
                None
            }
            Err(problem) => {
                self.wrong(&place, problem);
                None
            }
        }
    }

    /// A text at a key, if it is there.
    pub(super) fn text(&mut self, table: &Table<'_, '_>, key: &str, wanted: &str) -> Option<(String, Place)> {
        let node = table.get(key)?;
        self.text_at(node, table.at(key), wanted)
    }

    pub(super) fn text_at(&mut self, node: Node<'_, '_>, pointer: String, wanted: &str) -> Option<(String, Place)> {
        let place = self.place(node.value, pointer);
        match node.value.get_ref().as_str() {
            Some(text) => Some((text.to_owned(), place)),
            None => {
                self.wrong_type(node, &place, wanted);
                None
            }
        }
    }

    /// A table of names with values; the names are those of formulas, and none that formulas know anyway.
    pub(super) fn named_values(&mut self, table: &Table<'_, '_>, what: &str, kind: Kind) -> IndexMap<String, Value> {
        let mut values = IndexMap::new();
        for (name, node, place) in table.named() {
            self.check_name(&name, &place, what);
            if let Some(value) = self.value_at(node, place.pointer, kind) {
                values.insert(name, value);
            }
        }
        values
    }

    pub(super) fn check_name(&mut self, name: &str, place: &Place, what: &str) {
        if BUILT_IN.contains(&name) {
            let problem =
                Problem::new("reserved_name", format!("{name} is known in every formula, and cannot be {what}"));
            self.wrong(place, problem.value(name).allowed(format!("any name but {}", BUILT_IN.join(", "))));
        } else if !is_name(name) || name.len() > 256 {
            let message = format!("\"{}\" cannot be the name of {what}", shorten(name, 60));
            let problem = Problem::new("not_a_name", message).value(name);
            self.wrong(place, problem.allowed("letters, digits, _ and inner dots, a letter first"));
        }
    }
}

impl<'t, 'i> Table<'t, 'i> {
    pub(super) fn new(entries: &'t DeTable<'i>, pointer: String, place: Place) -> Self {
        let mut entries: Vec<_> = entries.iter().collect();
        // In the order of the file: parameters may use earlier ones.
        entries.sort_by_key(|(name, _)| name.span().start);
        Table { entries, pointer, place }
    }

    pub(super) fn get(&self, key: &str) -> Option<Node<'t, 'i>> {
        let found = self.entries.iter().find(|(name, _)| name.get_ref() == key);
        found.map(|(_, value)| Node { value })
    }

    pub(super) fn at(&self, key: &str) -> String {
        format!("{}/{key}", self.pointer)
    }

    /// Its entries as names; the place is that of the name.
    pub(super) fn named(&self) -> Vec<(String, Node<'t, 'i>, Place)> {
        let entries = self.entries.iter().map(|(name, value)| {
            let pointer = self.at(&shorten(name.get_ref(), 60));
            let place = Place { offset: Some(name.span().start), pointer, is_plain_text: false };
            (name.get_ref().to_string(), Node { value }, place)
        });
        entries.collect()
    }
}

/// Without line breaks.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
