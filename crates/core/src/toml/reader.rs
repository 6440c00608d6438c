//! Tables of a TOML file with their positions, and the errors in them.

use crate::problem::shorten;
use crate::problem::{Problem, Problems, Warning};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Maximum number of problems reported for one file.
const MOST_PROBLEMS: usize = 20;
/// Maximum number of warnings of one kind; further ones are counted.
const MOST_WARNINGS: usize = 10;

/// A file in TOML.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its name, as the user wrote it.
    pub name: &'a str,
    pub text: &'a str,
}

/// The tables of a file.
///
/// # Errors
/// The file is larger than `largest` bytes, or not TOML.
pub fn document<'i>(source: Source<'i>, largest: usize) -> Result<Spanned<DeTable<'i>>, Problems> {
    if source.text.len() > largest {
        let problem = Problem::new("too_large", format!("a file of {} bytes", source.text.len())).in_file(source.name);
        return Err(problem.allowed(format!("at most {largest} bytes")).into());
    }
    DeTable::parse(source.text).map_err(|error| {
        let place = source.place(error.span().map_or(0, |span| span.start), String::new());
        let mut problem = source.locate(&place, Problem::new("toml", one_line(error.message())));
        problem.pointer = None;
        Problems::from(problem)
    })
}

/// A position: the byte in the file, and the pointer.
#[derive(Debug, Clone)]
pub struct Place {
    /// Byte in the file.
    pub offset: usize,
    /// The pointer: `/network/0/latency`.
    pub pointer: String,
}

/// A value of the file.
#[derive(Debug, Clone, Copy)]
pub struct Node<'t, 'i> {
    /// The value with its span.
    pub value: &'t Spanned<DeValue<'i>>,
}

/// A table with the pointer to it.
#[derive(Debug, Clone)]
pub struct Table<'t, 'i> {
    entries: Vec<(&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>)>,
    pub pointer: String,
    pub place: Place,
}

/// Reads values and collects problems. Its methods return none after a problem.
#[derive(Debug)]
pub struct Reader<'a> {
    pub source: Source<'a>,
    /// What is being read, put in front of each message: `task fft, step 1 (halves): `.
    pub context: String,
    /// Offsets of the lines, computed on demand.
    lines: OnceCell<Vec<usize>>,
    problems: Vec<Problem>,
    warnings: Vec<Warning>,
    /// Defaults that were filled in, as readable sentences.
    pub notes: Vec<String>,
    /// Number of warnings of each kind.
    kinds: BTreeMap<&'static str, usize>,
}

impl Source<'_> {
    /// The position of a byte, with the pointer to the value there.
    pub fn place(&self, offset: usize, pointer: String) -> Place {
        Place { offset: offset.min(self.text.len()), pointer }
    }

    /// The problem with file, line and column of a place, unless it has a file of its own already.
    ///
    /// A column that it brings along counts in the text at that place, as in messages about formulas.
    pub fn locate(&self, place: &Place, mut problem: Problem) -> Problem {
        let within = problem.column.take_if(|_| problem.file.is_none());
        let problem = if problem.pointer.is_none() { problem.at(place.pointer.clone()) } else { problem };
        if problem.file.is_some() {
            return problem;
        }
        let (line, column) = self.line_and_column(place.offset);
        let within = within.filter(|&within| self.is_letter_by_letter(place.offset, within)).unwrap_or(0);
        problem.in_file(self.name).at_line(line).at_column(column + within)
    }

    /// Whether a quoted text begins at a byte and starts without escapes.
    fn is_letter_by_letter(&self, offset: usize, letters: u64) -> bool {
        let raw = self.text.get(offset..).unwrap_or_default();
        let quote = raw.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        quote.is_some_and(|quote| {
            let first: String = raw.chars().skip(1).take(letters as usize).collect();
            !raw.starts_with(&quote.to_string().repeat(3)) && !first.contains(['\\', '\n'])
        })
    }

    /// Line and column of a byte, from 1.
    pub fn line_and_column(&self, offset: usize) -> (u64, u64) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() as u64 + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() as u64 + 1)
    }
}

impl<'a> Reader<'a> {
    /// Nothing is wrong yet.
    pub fn new(source: Source<'a>) -> Self {
        Reader {
            source,
            context: String::new(),
            lines: OnceCell::new(),
            problems: Vec::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            kinds: BTreeMap::new(),
        }
    }

    /// The line of a byte, from 1; fast even when called often.
    pub fn line(&self, offset: usize) -> u64 {
        let starts = self.lines.get_or_init(|| {
            let ends = self.source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            ends.map(|(end, _)| end + 1).collect()
        });
        starts.partition_point(|&start| start <= offset) as u64 + 1
    }

    /// The problems, if any: the first twenty.
    pub fn take_problems(&mut self) -> Option<Problems> {
        let mut problems = std::mem::take(&mut self.problems);
        problems.truncate(MOST_PROBLEMS);
        (!problems.is_empty()).then_some(Problems(problems))
    }

    /// The whole file as a table.
    pub fn top<'t, 'i>(&self, document: &'t Spanned<DeTable<'i>>) -> Table<'t, 'i> {
        Table::new(document.get_ref(), String::new(), self.source.place(0, String::new()))
    }

    /// The table at a key, if present.
    pub fn table_at<'t, 'i>(&mut self, table: &Table<'t, 'i>, key: &str) -> Option<Table<'t, 'i>> {
        let node = table.get(key)?;
        self.table(node, table.at(key), &format!("a table [{key}]"))
    }

    /// The tables of an array of tables at a key; a single table stands for an array of one.
    pub fn tables<'t, 'i>(&mut self, table: &Table<'t, 'i>, key: &str) -> Vec<Table<'t, 'i>> {
        let Some(node) = table.get(key) else { return Vec::new() };
        let pointer = table.at(key);
        let nodes = match node.value.get_ref() {
            DeValue::Table(_) => vec![node],
            _ => self.list(node, &pointer, &format!("tables [[{key}]]")).unwrap_or_default(),
        };
        let mut tables = Vec::new();
        for (index, node) in nodes.into_iter().enumerate() {
            tables.extend(self.table(node, format!("{pointer}/{index}"), "a table"));
        }
        tables
    }

    /// Number of problems so far.
    pub fn problem_count(&self) -> usize {
        self.problems.len()
    }

    /// Records a problem at a position.
    pub fn wrong(&mut self, place: &Place, mut problem: Problem) {
        // One more than is reported, so that a count of problems still grows.
        if self.problems.len() <= MOST_PROBLEMS {
            problem.message.insert_str(0, &self.context);
            self.problems.push(self.source.locate(place, problem));
        }
    }

    /// The value of a result; its problem is recorded at a position.
    pub fn found<T>(&mut self, place: &Place, found: Result<T, Problem>) -> Option<T> {
        found.map_err(|problem| self.wrong(place, problem)).ok()
    }

    /// Records a problem of an option.
    pub fn wrong_option(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Records a warning at a position; the first ten of each kind, and a count of the rest.
    pub fn warn(&mut self, place: &Place, code: &'static str, message: String) {
        let count = self.kinds.entry(code).or_insert(0);
        *count += 1;
        if *count <= MOST_WARNINGS {
            let (line, _) = self.source.line_and_column(place.offset);
            self.warnings.push(Warning::new(code, message).in_file(self.source.name, line));
        }
    }

    pub fn take_warnings(&mut self) -> Vec<Warning> {
        let more = self.kinds.iter().filter(|(_, count)| **count > MOST_WARNINGS);
        let more = more.map(|(code, count)| Warning::new(*code, format!("{} more like it", count - MOST_WARNINGS)));
        self.warnings.extend(more);
        self.kinds.clear();
        std::mem::take(&mut self.warnings)
    }

    /// The place of a value.
    pub fn place(&self, node: Node<'_, '_>, pointer: &str) -> Place {
        self.source.place(node.value.span().start, pointer.to_owned())
    }

    /// The table at a value; a problem where it is something else.
    pub fn table<'t, 'i>(&mut self, node: Node<'t, 'i>, pointer: String, wanted: &str) -> Option<Table<'t, 'i>> {
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
    pub fn list<'t, 'i>(&mut self, node: Node<'t, 'i>, pointer: &str, wanted: &str) -> Option<Vec<Node<'t, 'i>>> {
        match node.value.get_ref() {
            DeValue::Array(values) => Some(values.iter().map(|value| Node { value }).collect()),
            _ => {
                let place = self.place(node, pointer);
                self.wrong_type(node, &place, wanted);
                None
            }
        }
    }

    /// Records that a value has another type than expected.
    pub fn wrong_type(&mut self, node: Node<'_, '_>, place: &Place, wanted: &str) {
        let seen = self.source.text.get(node.value.span()).unwrap_or_default();
        let message = format!("{} where {wanted} is expected", node.value.get_ref().type_str());
        self.wrong(place, Problem::new("wrong_type", message).value(one_line(&shorten(seen, 200))).allowed(wanted));
    }

    /// Records every key of a table that is not one of these.
    pub fn allow(&mut self, table: &Table<'_, '_>, keys: &[&str], of: &str) {
        for (name, _) in &table.entries {
            let seen: &str = name.get_ref();
            if keys.contains(&seen) {
                continue;
            }
            let shown = shorten(seen, 60);
            let problem = Problem::new("unknown_key", format!("\"{shown}\" is not a key of {of}")).value(seen);
            let problem = problem.allowed(keys.join(", ")).or_near(seen, keys.iter().copied());
            let place = self.source.place(name.span().start, table.at(&shown));
            self.wrong(&place, problem);
        }
    }

    /// Records that a key is missing.
    pub fn missing(&mut self, table: &Table<'_, '_>, key: &str, allowed: &str) {
        let place = Place { pointer: table.at(key), ..table.place.clone() };
        self.wrong(&place, Problem::new("missing", format!("{key} is not given")).allowed(allowed));
    }

    /// The value of a required key.
    pub fn required<'t, 'i>(&mut self, table: &Table<'t, 'i>, key: &str, allowed: &str) -> Option<Node<'t, 'i>> {
        let node = table.get(key);
        if node.is_none() {
            self.missing(table, key, allowed);
        }
        node
    }

    /// A text at a required key.
    pub fn required_text(&mut self, table: &Table<'_, '_>, key: &str, wanted: &str) -> Option<(String, Place)> {
        let node = self.required(table, key, wanted)?;
        self.text_at(node, &table.at(key), wanted)
    }

    /// A text at a key, if present.
    pub fn text(&mut self, table: &Table<'_, '_>, key: &str, wanted: &str) -> Option<(String, Place)> {
        let node = table.get(key)?;
        self.text_at(node, &table.at(key), wanted)
    }

    /// The text at a value.
    pub fn text_at(&mut self, node: Node<'_, '_>, pointer: &str, wanted: &str) -> Option<(String, Place)> {
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
    pub fn choice(&mut self, table: &Table<'_, '_>, key: &str, words: &[&str]) -> Option<usize> {
        let allowed = words.join(", ");
        let (text, place) = self.text(table, key, &format!("one of {allowed}"))?;
        let found = words.iter().position(|word| *word == text);
        if found.is_none() {
            let shown = shorten(&text, 60);
            let problem = Problem::new("unknown_name", format!("\"{shown}\" is not allowed for {key}"));
            let problem = problem.value(text.as_str()).allowed(allowed).or_near(&text, words.iter().copied());
            self.wrong(&place, problem);
        }
        found
    }

    /// True or false at a key, if present.
    pub fn flag(&mut self, table: &Table<'_, '_>, key: &str) -> Option<bool> {
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
    /// The entries in the order of the file.
    pub fn new(entries: &'t DeTable<'i>, pointer: String, place: Place) -> Self {
        let mut entries: Vec<_> = entries.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        Table { entries, pointer, place }
    }

    /// The value of a key, if present.
    pub fn get(&self, key: &str) -> Option<Node<'t, 'i>> {
        let found = self.entries.iter().find(|(name, _)| name.get_ref() == key);
        found.map(|(_, value)| Node { value })
    }

    /// Whether a key is present.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The pointer to a key.
    pub fn at(&self, key: &str) -> String {
        format!("{}/{key}", self.pointer)
    }

    /// Its keys with their positions, in the order of the file.
    pub fn keys(&self, source: &Source<'_>) -> Vec<(String, Place)> {
        let place = |name: &Spanned<DeString<'i>>| source.place(name.span().start, self.at(name.get_ref()));
        self.entries.iter().map(|(name, _)| (name.get_ref().to_string(), place(name))).collect()
    }

    /// Its keys with their values, in the order of the file.
    pub fn named(&self) -> impl Iterator<Item = (&str, Node<'t, 'i>)> {
        self.entries.iter().map(|(name, value)| (name.get_ref().as_ref(), Node { value }))
    }
}

/// Without line breaks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_problems_count_in_the_text_where_it_stands_as_it_is() {
        let source = Source { name: "a.toml", text: "a = \"x + \"\nb = \"\\t+\"\nc = 'é+'\nd = \"\"\"e\"\"\"\n" };
        let at = |offset: usize, column: u64| {
            let problem =
                source.locate(&source.place(offset, "/a".to_owned()), Problem::new("f", "f").at_column(column));
            (problem.line, problem.column)
        };
        assert_eq!(at(4, 5), (Some(1), Some(10)));
        // Escapes, and what is not text in quotes: where the value begins.
        assert_eq!(at(15, 2), (Some(2), Some(5)));
        assert_eq!(at(25, 2), (Some(3), Some(7)));
        assert_eq!(at(35, 1), (Some(4), Some(5)));
        assert_eq!(at(0, 3), (Some(1), Some(1)));
    }

    #[test]
    fn the_context_stands_before_each_message() {
        let source = Source { name: "a.toml", text: "x = 1\n" };
        let document = document(source, 100).expect("TOML");
        let mut reader = Reader::new(source);
        reader.context = "task t: ".to_owned();
        let top = reader.top(&document);
        reader.missing(&top, "y", "a number");
        assert_eq!(reader.take_problems().expect("one").0[0].message, "task t: y is not given");
    }
}
