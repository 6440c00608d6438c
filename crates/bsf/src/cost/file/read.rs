//! Reading a file of costs: every value as a text, with its position.

use super::given::{Given, Place, Text};
use super::keys::{KEYS, Key, Kind};
use super::parameters;
use super::source::{Source, one_line};
use super::spec::CostSpec;
use runcast_core::problem::shorten;
use runcast_core::{Problem, Problems};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Size limit of a file \[bytes\].
const LARGEST: usize = 4 << 20;
/// Maximum number of problems reported for one file.
const MOST_PROBLEMS: usize = 20;
/// Tables of keys.
const TABLES: [&str; 3] = ["counts", "machine", "times"];
/// Tables for readers and other commands.
const NOTES: [&str; 2] = ["origin", "messages"];
/// The parts of an uncertain time.
const PARTS: [&str; 3] = ["value", "low", "high"];

pub(super) fn read(name: &str, text: &str) -> Result<CostSpec, Problems> {
    let source = Source { name, text };
    if text.len() > LARGEST {
        let problem = Problem::new("too_large", format!("a file of {} bytes", text.len())).in_file(name);
        return Err(problem.allowed(format!("at most {LARGEST} bytes")).into());
    }
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let mut problem = source.place(at, String::new()).locate(Problem::new("toml", one_line(error.message())));
        problem.pointer = None;
        problem
    })?;
    let spec = CostSpec { name: Some(name.to_owned()), ..CostSpec::default() };
    let mut reader = Reader { source, spec, problems: Vec::new() };
    reader.document(document.get_ref());
    reader.problems.truncate(MOST_PROBLEMS);
    if reader.problems.is_empty() { Ok(reader.spec) } else { Err(Problems(reader.problems)) }
}

struct Reader<'a> {
    source: Source<'a>,
    spec: CostSpec,
    problems: Vec<Problem>,
}

type Entry<'t, 'i> = (&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>);

impl Reader<'_> {
    fn document(&mut self, document: &DeTable<'_>) {
        for (name, value) in in_order(document) {
            let table: &str = name.get_ref();
            match (TABLES.iter().find(|known| **known == table), value.get_ref()) {
                (Some(table), DeValue::Table(entries)) => self.table(table, entries),
                (Some(_), _) => self.wrong_type("", name, value, "a table"),
                (None, _) if NOTES.contains(&table) => {}
                (None, _) => self.entry("", (name, value)),
            }
        }
    }

    fn table(&mut self, table: &str, entries: &DeTable<'_>) {
        for entry in in_order(entries) {
            self.entry(table, entry);
        }
    }

    fn entry(&mut self, table: &str, (name, value): Entry<'_, '_>) {
        let Some(key) = Key::at(table, name.get_ref()) else { return self.unknown(table, name) };
        if let (Kind::Parameters, DeValue::Table(values)) = (key.kind, value.get_ref()) {
            return self.parameters(values);
        }
        let place = self.source.value_place(value, pointer(table, name.get_ref()));
        let text = match value.get_ref() {
            DeValue::Table(parts) if key.kind == Kind::Time => self.parts(&place, name, parts),
            value => text_of(key.kind, value).map(Text::Plain),
        };
        match text {
            Some(text) => self.give(table, name.get_ref(), Given { text, place }),
            None if matches!(value.get_ref(), DeValue::Table(_)) && key.kind == Kind::Time => {}
            None => self.wrong_type(table, name, value, wanted(key.kind)),
        }
    }

    fn give(&mut self, table: &str, name: &str, given: Given) {
        let homes = KEYS.iter().flat_map(|key| key.homes);
        if let Some(home) = homes.into_iter().find(|home| **home == (table, name)) {
            self.spec.file.insert(*home, given);
        }
    }

    /// The parts of an uncertain time; none after a problem.
    fn parts(&mut self, place: &Place, name: &Spanned<DeString<'_>>, parts: &DeTable<'_>) -> Option<Text> {
        let before = self.problems.len();
        for (part, _) in in_order(parts) {
            if !PARTS.contains(&part.get_ref().as_ref()) {
                let problem =
                    Problem::new("unknown_name", format!("\"{}\" is not part of a time", shorten(part.get_ref(), 60)));
                let place = self.source.place(part.span().start, place.pointer.clone());
                self.problems.push(place.locate(problem.value(part.get_ref().as_ref()).allowed(PARTS.join(", "))));
            }
        }
        let found = PARTS.map(|part| self.part(place, name, parts, part));
        let [Some(value), Some(low), Some(high)] = found else { return None };
        (self.problems.len() == before).then(|| Text::Within(Box::new([value, low, high])))
    }

    fn part(
        &mut self,
        place: &Place,
        name: &Spanned<DeString<'_>>,
        parts: &DeTable<'_>,
        part: &str,
    ) -> Option<(String, Place)> {
        let Some(value) = parts.get(part) else {
            let problem = Problem::new("missing", format!("{} has no {part}", shorten(name.get_ref(), 60)));
            self.problems.push(place.locate(problem.allowed("{ value = .., low = .., high = .. }")));
            return None;
        };
        let part_place = self.source.value_place(value, format!("{}/{part}", place.pointer));
        let text = text_of(Kind::Time, value.get_ref());
        if text.is_none() {
            self.problems.push(part_place.locate(self.source.type_problem(value, wanted(Kind::Time))));
        }
        text.map(|text| (text, part_place))
    }

    fn parameters(&mut self, values: &DeTable<'_>) {
        for (name, value) in in_order(values) {
            let place = self.source.value_place(value, format!("/parameters/{}", shorten(name.get_ref(), 60)));
            if self.spec.parameters.len() >= parameters::MOST {
                let problem = Problem::new("too_many", format!("more than {} parameters", parameters::MOST));
                return self.problems.push(place.locate(problem.allowed(format!("at most {}", parameters::MOST))));
            }
            match (parameters::check_name(name.get_ref()), text_of(Kind::Formula, value.get_ref())) {
                (Ok(()), Some(text)) => {
                    let given = Given { text: Text::Plain(text), place };
                    self.spec.set_parameter(name.get_ref().to_string(), given);
                }
                (Err(problem), _) => self.problems.push(place.locate(problem)),
                (_, None) => {
                    self.problems.push(place.locate(self.source.type_problem(value, wanted(Kind::Formula))));
                }
            }
        }
    }

    fn unknown(&mut self, table: &str, name: &Spanned<DeString<'_>>) {
        let shown = shorten(name.get_ref(), 60);
        let keys = KEYS.iter().flat_map(|key| key.homes).filter(|home| home.0 == table).map(|home| home.1);
        let tables = TABLES.into_iter().filter(|_| table.is_empty());
        let allowed: Vec<&str> = keys.chain(tables).collect();
        let what = if table.is_empty() { "a file of costs".to_owned() } else { format!("[{table}]") };
        let mut problem = Problem::new("unknown_name", format!("\"{shown}\" is not a key of {what}"));
        let elsewhere = TABLES.into_iter().find(|other| Key::at(other, name.get_ref()).is_some());
        if let Some(other) = elsewhere {
            problem = problem.hint(format!("{shown} belongs in [{other}]"));
        }
        let place = self.source.place(name.span().start, pointer(table, &shown));
        self.problems.push(place.locate(problem.value(name.get_ref().as_ref()).allowed(allowed.join(", "))));
    }

    fn wrong_type(&mut self, table: &str, name: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let place = self.source.value_place(value, pointer(table, name.get_ref()));
        self.problems.push(place.locate(self.source.type_problem(value, wanted)));
    }
}

/// The entries in the order of the file.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries
}

/// The value as the text of an option, if it has the right type.
fn text_of(kind: Kind, value: &DeValue<'_>) -> Option<String> {
    match (kind, value) {
        (Kind::Parameters, _) => None,
        (Kind::Whole, DeValue::String(_)) => None,
        (_, DeValue::String(text)) => Some(text.to_string()),
        (Kind::Word, _) => None,
        (_, DeValue::Integer(number)) => Some(i128::from_str_radix(number.as_str(), number.radix()).ok()?.to_string()),
        (_, DeValue::Float(number)) => Some(number.as_str().replace('_', "")),
        _ => None,
    }
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Word => "a string",
        Kind::Share => "a share such as 0.9",
        Kind::Whole => "a whole number",
        Kind::Formula => "a number, or a formula in quotes",
        Kind::Parameters => "a table such as { N = 2000 }",
        Kind::Time => "a time such as \"15us\", or { value = \"29ns\", low = \"24ns\", high = \"35ns\" }",
    }
}

fn pointer(table: &str, name: &str) -> String {
    if table.is_empty() { format!("/{name}") } else { format!("/{table}/{name}") }
}
