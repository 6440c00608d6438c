//! `[vary]`: what a sweep varies.

use super::{Spot, Value, app};
use runcast_core::Problem;
use runcast_core::toml::{Node, Reader, Table};
use runcast_formula::numbers::NumberList;
use toml::de::DeValue;

/// A name with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Varied {
    /// A parameter; `hardware.ID`, `use.GROUP`, `fidelity`, `c.NAME`.
    pub name: String,
    /// Its values; one text of the form `catalogue:KIND` stands for all entries of a kind.
    pub values: Vec<Value>,
    pub spot: Spot,
}

impl Varied {
    /// What an option such as `p=1..1024*2` means; rules without an end, such as `powers:2`, go from 1 up to `most`.
    ///
    /// # Errors
    /// No name, no values, or an invalid list of numbers.
    pub fn option(text: &str, option: &str, most: f64) -> Result<Varied, Problem> {
        let allowed = "NAME=VALUES, such as p=1..64*2 or hardware.cpu=intel-xeon-l5640,amd-epyc-9654";
        let wrong = |message: String| Problem::new("bad_option", message).at(option).value(text).allowed(allowed);
        let (name, values) = text.split_once('=').ok_or_else(|| wrong("there is no =".to_owned()))?;
        if name.trim().is_empty() || values.trim().is_empty() {
            return Err(wrong("a name or its values are missing".to_owned()));
        }
        let spot = Spot { line: 0, column: 0, pointer: option.to_owned() };
        let values = match name.trim().starts_with("share.") {
            // Numbers of machines, which are no list of values: 0-5+16-17.
            true => texts(values),
            false => list(values.trim(), Some(most)).map_err(wrong)?,
        };
        Ok(Varied { name: name.trim().to_owned(), values, spot })
    }
}

/// A list of numbers of the common language, or texts with commas between them.
fn list(text: &str, most: Option<f64>) -> Result<Vec<Value>, String> {
    match NumberList::parse(text) {
        Ok(list) => {
            let open = most.filter(|_| list.is_unbounded());
            let numbers = list.expand(open.map(|_| 1.0), open).map_err(|error| error.to_string())?;
            Ok(numbers.into_iter().map(Value::Number).collect())
        }
        Err(error) => {
            let looks_like_numbers = text.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter));
            let is_rule = ["list:", "range:", "powers:", "multiples:"].iter().any(|rule| text.starts_with(rule));
            let parts = texts(text);
            let has_units = parts.iter().all(|part| part.number().is_some());
            if (looks_like_numbers || is_rule) && !has_units {
                return Err(error.to_string());
            }
            Ok(parts)
        }
    }
}

/// Texts with commas between them.
fn texts(text: &str) -> Vec<Value> {
    text.split(',').map(|part| Value::of(part.trim())).collect()
}

pub(super) fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Vec<Varied> {
    let Some(table) = reader.table_at(top, "vary") else { return Vec::new() };
    let entries: Vec<_> = table.named().map(|(name, node)| (name.to_owned(), node)).collect();
    let mut varied = Vec::with_capacity(entries.len());
    for (name, node) in entries {
        each(reader, &name, node, &table.at(&name), &mut varied);
    }
    varied
}

/// One name; `hardware.cpu` without quotes is a table in a table.
fn each(reader: &mut Reader<'_>, name: &str, node: Node<'_, '_>, pointer: &str, varied: &mut Vec<Varied>) {
    if let DeValue::Table(_) = node.value.get_ref() {
        let Some(table) = reader.table(node, pointer.to_owned(), "values") else { return };
        let entries: Vec<_> = table.named().map(|(inner, node)| (inner.to_owned(), node)).collect();
        if name.matches('.').count() < 8 {
            for (inner, node) in entries {
                each(reader, &format!("{name}.{inner}"), node, &table.at(&inner), varied);
            }
        }
        return;
    }
    let place = reader.place(node, pointer);
    let Some(values) = values(reader, node, pointer) else { return };
    if values.is_empty() {
        reader.wrong(&place, Problem::new("missing", format!("{name} has no values")).allowed("at least one"));
        return;
    }
    varied.push(Varied { name: name.to_owned(), values, spot: Spot::of(&reader.source, &place) });
}

fn values(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Vec<Value>> {
    match node.value.get_ref() {
        DeValue::Array(_) => {
            let nodes = reader.list(node, pointer, "values")?;
            reader.each(nodes, pointer, app::value)
        }
        DeValue::String(text) => match list(text, None) {
            Ok(values) => Some(values),
            Err(message) => {
                let place = reader.place(node, pointer);
                let problem = Problem::new("bad_list", message).value(text.as_ref());
                reader.wrong(&place, problem.allowed("a list such as [1, 2, 4] or \"1..64*2\""));
                None
            }
        },
        _ => app::value(reader, node, pointer).map(|value| vec![value]),
    }
}
