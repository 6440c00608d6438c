//! Values of a program: numbers, quantities, formulas, and their names.

use super::super::program::Value;
use super::value::{Kind, value_of};
use indexmap::IndexMap;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Node, Place, Reader, Table};
use runcast_formula::is_name;

/// Names that formulas can use without a declaration.
pub(in super::super) const BUILT_IN: [&str; 7] = ["me", "procs", "rank", "depth", "it", "group", "groups"];

/// Reading the values of a program. Its methods return none after a problem.
pub(super) trait Values {
    /// The value at a key, if present.
    fn value(&mut self, table: &Table<'_, '_>, key: &str, kind: Kind) -> Option<Value>;
    /// The value at a required key.
    fn needed(&mut self, table: &Table<'_, '_>, key: &str, kind: Kind) -> Option<Value>;
    fn value_at(&mut self, node: Node<'_, '_>, pointer: &str, kind: Kind) -> Option<Value>;
    /// A list of values.
    fn values(&mut self, node: Node<'_, '_>, pointer: &str, kind: Kind, wanted: &str) -> Option<Vec<Value>>;
    /// The entries of a table as names; the position is that of the name.
    fn named<'t, 'i>(&self, table: &Table<'t, 'i>) -> Vec<(String, Node<'t, 'i>, Place)>;
    /// A table of names with values; the names must be valid in formulas and not built in.
    fn named_values(&mut self, table: &Table<'_, '_>, what: &str, kind: Kind) -> IndexMap<String, Value>;
    fn check_name(&mut self, name: &str, place: &Place, what: &str);
}

impl Values for Reader<'_> {
    fn value(&mut self, table: &Table<'_, '_>, key: &str, kind: Kind) -> Option<Value> {
        self.value_at(table.get(key)?, &table.at(key), kind)
    }

    fn needed(&mut self, table: &Table<'_, '_>, key: &str, kind: Kind) -> Option<Value> {
        if !table.has(key) {
            self.missing(table, key, kind.allowed());
        }
        self.value(table, key, kind)
    }

    fn value_at(&mut self, node: Node<'_, '_>, pointer: &str, kind: Kind) -> Option<Value> {
        let place = self.place(node, pointer);
        match value_of(node.value.get_ref(), kind) {
            Ok(Some(given)) => return Some(Value { given, place: place.into() }),
            Ok(None) => self.wrong_type(node, &place, kind.allowed()),
            Err(problem) => self.wrong(&place, problem),
        }
        None
    }

    fn values(&mut self, node: Node<'_, '_>, pointer: &str, kind: Kind, wanted: &str) -> Option<Vec<Value>> {
        let list = self.list(node, pointer, wanted)?.into_iter().enumerate();
        list.map(|(index, node)| self.value_at(node, &format!("{pointer}/{index}"), kind)).collect()
    }

    fn named<'t, 'i>(&self, table: &Table<'t, 'i>) -> Vec<(String, Node<'t, 'i>, Place)> {
        let keys = table.keys(&self.source).into_iter();
        keys.zip(table.named()).map(|((name, place), (_, node))| (name, node, place)).collect()
    }

    fn named_values(&mut self, table: &Table<'_, '_>, what: &str, kind: Kind) -> IndexMap<String, Value> {
        let mut values = IndexMap::new();
        for (name, node, place) in self.named(table) {
            self.check_name(&name, &place, what);
            if let Some(value) = self.value_at(node, &place.pointer, kind) {
                values.insert(name, value);
            }
        }
        values
    }

    fn check_name(&mut self, name: &str, place: &Place, what: &str) {
        if BUILT_IN.contains(&name) {
            let problem =
                Problem::new("reserved_name", format!("{name} is predefined in every formula and cannot be {what}"));
            self.wrong(place, problem.value(name).allowed(format!("any name but {}", BUILT_IN.join(", "))));
        } else if !is_name(name) || name.len() > 256 {
            let message = format!("\"{}\" cannot be the name of {what}", shorten(name, 60));
            let problem = Problem::new("not_a_name", message).value(name);
            self.wrong(place, problem.allowed("letters, digits, _ and inner dots, a letter first"));
        }
    }
}
