//! Tables of a TOML file with their places, and what is wrong with them.

use runcast_core::problem::shorten;
use runcast_core::{Problem, Problems, Warning};
use runcast_formula::nearest;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// So many problems of one file are told.
const MOST_PROBLEMS: usize = 20;
/// So many warnings of one kind are told, and how many more there are.
const MOST_WARNINGS: usize = 10;

/// A file in TOML.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// Where something stands: the byte in the file, and the pointer to it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub offset: usize,
    pub pointer: String,
}

/// A value of the file.
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

/// Reads values and collects what is wrong. Its methods give none after a problem.
pub(super) struct Reader<'a> {
    pub source: Source<'a>,
    problems: Vec<Problem>,
    warnings: Vec<Warning>,
    /// How often each kind of warning was given.
    kinds: BTreeMap<&'static str, usize>,
    pub notes: Vec<String>,
}

impl Source<'_> {
    pub(super) fn place(&self, offset: usize, pointer: String) -> Place {
        Place { offset: offset.min(self.text.len()), pointer }
    }

    /// The problem with file, line and column of a place, unless it has a file of its own already.
    pub(super) fn locate(&self, place: &Place, problem: Problem) -> Problem {
        let problem = if problem.pointer.is_none() { problem.at(place.pointer.clone()) } else { problem };
        if problem.file.is_some() {
            return problem;
        }
        let (line, column) = self.line_and_column(place.offset);
        problem.in_file(self.name).at_line(line).at_column(column)
    }

    pub(super) fn line_and_column(&self, offset: usize) -> (u64, u64) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() as u64 + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() as u64 + 1)
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: Source<'a>) -> Self {
        Reader { source, problems: Vec::new(), warnings: Vec::new(), kinds: BTreeMap::new(), notes: Vec::new() }
    }

    pub(super) fn take_problems(&mut self) -> Option<Problems> {
        let mut problems = std::mem::take(&mut self.problems);
        problems.truncate(MOST_PROBLEMS);
        (!problems.is_empty()).then_some(Problems(problems))
    }

    /// How many problems there are so far.
    pub(super) fn problem_count(&self) -> usize {
        self.problems.len()
    }

    /// Notes a problem at a place.
    pub(super) fn wrong(&mut self, place: &Place, problem: Problem) {
        // One more than is told, so that a count of problems still grows.
        if self.problems.len() <= MOST_PROBLEMS {
            self.problems.push(self.source.locate(place, problem));
        }
    }

    /// Notes a problem of an option.
    pub(super) fn wrong_option(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    pub(super) fn warn(&mut self, place: &Place, code: &'static str, message: String) {
        let count = self.kinds.entry(code).or_insert(0);
        *count += 1;
        if *count <= MOST_WARNINGS {
            let (line, _) = self.source.line_and_column(place.offset);
            self.warnings.push(Warning::new(code, message).in_file(self.source.name, line));
        }
    }

    pub(super) fn take_warnings(&mut self) -> Vec<Warning> {
        let more = self.kinds.iter().filter(|(_, count)| **count > MOST_WARNINGS);
        let more = more.map(|(code, count)| Warning::new(*code, format!("{} more like it", count - MOST_WARNINGS)));
        self.warnings.extend(more);
        self.kinds.clear();
        std::mem::take(&mut self.warnings)
    }

    pub(super) fn place(&self, node: Node<'_, '_>, pointer: &str) -> Place {
        self.source.place(node.value.span().start, pointer.to_owned())
    }

    /// The table at a value; a problem where it is something else.
    pub(super) fn table<'t, 'i>(&mut self, node: Node<'t, 'i>, pointer: String, wanted: &str) -> Option<Table<'t, 'i>> {
        let place = self.place(node, &pointer);
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
                let place = self.place(node, pointer);
                self.wrong_type(node, &place, wanted);
                None
            }
        }
    }

    pub(super) fn wrong_type(&mut self, node: Node<'_, '_>, place: &Place, wanted: &str) {
        let seen = self.source.text.get(node.value.span()).unwrap_or_default();
        let message = format!("{} where {wanted} is expected", node.value.get_ref().type_str());
        self.wrong(place, Problem::new("wrong_type", message).value(one_line(&shorten(seen, 200))).allowed(wanted));
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
            let place = self.source.place(name.span().start, table.at(&shown));
            self.wrong(&place, problem);
        }
    }

    pub(super) fn missing(&mut self, table: &Table<'_, '_>, key: &str, allowed: &str) {
        let place = Place { pointer: table.at(key), ..table.place.clone() };
        self.wrong(&place, Problem::new("missing", format!("{key} is not given")).allowed(allowed));
    }

    /// A text at a key, if it is there.
    pub(super) fn text(&mut self, table: &Table<'_, '_>, key: &str, wanted: &str) -> Option<(String, Place)> {
        let node = table.get(key)?;
        self.text_at(node, &table.at(key), wanted)
    }

    pub(super) fn text_at(&mut self, node: Node<'_, '_>, pointer: &str, wanted: &str) -> Option<(String, Place)> {
        let place = self.place(node, pointer);
        match node.value.get_ref().as_str() {
            Some(text) => Some((text.to_owned(), place)),
            None => {
                self.wrong_type(node, &place, wanted);
                None
            }
        }
    }

    /// One of a few words at a key, as its index.
    pub(super) fn choice(&mut self, table: &Table<'_, '_>, key: &str, words: &[&str]) -> Option<usize> {
        let allowed = words.join(", ");
        let (text, place) = self.text(table, key, &format!("one of {allowed}"))?;
        let found = words.iter().position(|word| *word == text);
        if found.is_none() {
            let shown = shorten(&text, 60);
            let problem = Problem::new("unknown_name", format!("\"{shown}\" is not allowed for {key}"));
            let mut problem = problem.value(text.as_str()).allowed(allowed);
            if let Some(near) = nearest(&text, words.iter().copied()) {
                problem = problem.hint(format!("did you mean {near}?"));
            }
            self.wrong(&place, problem);
        }
        found
    }

    pub(super) fn flag(&mut self, table: &Table<'_, '_>, key: &str) -> Option<bool> {
        let node = table.get(key)?;
        match node.value.get_ref() {
            DeValue::Boolean(value) => Some(*value),
            _ => {
                let place = self.place(node, &table.at(key));
                self.wrong_type(node, &place, "true or false");
                None
            }
        }
    }
}

impl<'t, 'i> Table<'t, 'i> {
    pub(super) fn new(entries: &'t DeTable<'i>, pointer: String, place: Place) -> Self {
        let mut entries: Vec<_> = entries.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        Table { entries, pointer, place }
    }

    pub(super) fn get(&self, key: &str) -> Option<Node<'t, 'i>> {
        let found = self.entries.iter().find(|(name, _)| name.get_ref() == key);
        found.map(|(_, value)| Node { value })
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn at(&self, key: &str) -> String {
        format!("{}/{key}", self.pointer)
    }

    /// Its keys with their values, in the order of the file.
    pub(super) fn named(&self) -> impl Iterator<Item = (&str, Node<'t, 'i>)> {
        self.entries.iter().map(|(name, value)| (name.get_ref().as_ref(), Node { value }))
    }
}

/// Without line breaks.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
