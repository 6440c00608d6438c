//! Numbers, times and lists of them.

use super::reader::{Node, Place, Reader, Table};
use crate::problem::Problem;
use crate::problem::shorten;
use runcast_formula::units::{Dimension, Quantity, parse_quantity};
use toml::de::DeValue;

const TIME: &str = "a time such as \"0.1s\" or \"15ms\", or a number of seconds";

/// A number without a unit; none where the value is something else or is not finite.
pub fn plain(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Integer(_) => integer(value)? as f64,
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok()?,
        _ => return None,
    };
    // No negative zero.
    number.is_finite().then_some(number + 0.0)
}

/// A whole number; none where the value is something else.
pub fn integer(value: &DeValue<'_>) -> Option<i128> {
    match value {
        DeValue::Integer(number) => i128::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok(),
        _ => None,
    }
}

impl Reader<'_> {
    /// A number at a key, if present, with its position for further errors.
    pub fn number(&mut self, table: &Table<'_, '_>, key: &str, wanted: &str) -> Option<(f64, Place)> {
        let node = table.get(key)?;
        self.number_at(node, &table.at(key), wanted)
    }

    /// The number at a value.
    pub fn number_at(&mut self, node: Node<'_, '_>, pointer: &str, wanted: &str) -> Option<(f64, Place)> {
        let place = self.place(node, pointer);
        match plain(node.value.get_ref()) {
            Some(number) => Some((number, place)),
            None => {
                self.wrong_type(node, &place, wanted);
                None
            }
        }
    }

    /// A number within bounds: `allowed` describes them, `inside` checks them.
    pub fn bounded(
        &mut self,
        table: &Table<'_, '_>,
        key: &str,
        allowed: &str,
        inside: impl Fn(f64) -> bool,
    ) -> Option<f64> {
        let (number, place) = self.number(table, key, allowed)?;
        if inside(number) {
            return Some(number);
        }
        self.wrong(&place, out_of_range(key, &number.to_string(), allowed));
        None
    }

    /// A whole number from `least` to `most`.
    pub fn whole(&mut self, table: &Table<'_, '_>, key: &str, least: u64, most: u64) -> Option<u64> {
        let node = table.get(key)?;
        self.whole_at(node, &table.at(key), key, least, most)
    }

    /// A whole number at a value.
    pub fn whole_at(&mut self, node: Node<'_, '_>, pointer: &str, what: &str, least: u64, most: u64) -> Option<u64> {
        let place = self.place(node, pointer);
        let allowed = format!("a whole number from {least} to {most}");
        match (integer(node.value.get_ref()), plain(node.value.get_ref())) {
            (Some(number), _) if (i128::from(least)..=i128::from(most)).contains(&number) => Some(number as u64),
            (_, Some(_)) => {
                let seen = self.source.text.get(node.value.span()).unwrap_or_default();
                self.wrong(&place, out_of_range(what, seen, &allowed));
                None
            }
            _ => {
                self.wrong_type(node, &place, &allowed);
                None
            }
        }
    }

    /// A time in seconds, of any sign.
    pub fn signed_time_at(&mut self, node: Node<'_, '_>, pointer: &str) -> Option<(f64, Place)> {
        let place = self.place(node, pointer);
        let DeValue::String(text) = node.value.get_ref() else {
            return self.number_at(node, pointer, TIME);
        };
        match parse_quantity(text, Dimension::Time) {
            Ok(seconds) => Some((seconds + 0.0, place)),
            Err(error) => {
                let mut problem = Problem::new("not_a_time", error.to_string()).value(text.as_ref()).allowed(TIME);
                problem.hint = error.hint();
                self.wrong(&place, problem);
                None
            }
        }
    }

    /// A time in seconds that is 0 or more.
    pub fn time_at(&mut self, node: Node<'_, '_>, pointer: &str) -> Option<(f64, Place)> {
        let (seconds, place) = self.signed_time_at(node, pointer)?;
        if seconds < 0.0 {
            let problem = Problem::new("out_of_range", format!("the time {seconds} s is negative"));
            self.wrong(&place, problem.value(seconds.to_string()).allowed("a time of 0 or more"));
            return None;
        }
        Some((seconds, place))
    }

    /// As [`Reader::time_at`], at a key.
    pub fn time(&mut self, table: &Table<'_, '_>, key: &str) -> Option<f64> {
        let node = table.get(key)?;
        self.time_at(node, &table.at(key)).map(|(seconds, _)| seconds)
    }

    /// A quantity in SI base units at a key, if present: a text with a unit, or a number.
    pub fn quantity(
        &mut self,
        table: &Table<'_, '_>,
        key: &str,
        dimension: Dimension,
        wanted: &str,
    ) -> Option<(f64, Place)> {
        let node = table.get(key)?;
        self.quantity_at(node, &table.at(key), dimension, wanted)
    }

    /// A quantity at a value.
    pub fn quantity_at(
        &mut self,
        node: Node<'_, '_>,
        pointer: &str,
        dimension: Dimension,
        wanted: &str,
    ) -> Option<(f64, Place)> {
        let DeValue::String(text) = node.value.get_ref() else { return self.number_at(node, pointer, wanted) };
        let place = self.place(node, pointer);
        match parse_quantity(text, dimension) {
            Ok(value) => Some((value + 0.0, place)),
            Err(error) => {
                let mut problem = Problem::new("bad_quantity", error.to_string()).value(text.as_ref()).allowed(wanted);
                problem.hint = error.hint();
                self.wrong(&place, problem);
                None
            }
        }
    }

    /// Seconds per byte at a value: `"0.1ns/B"`, or `"0.1ns"` for each.
    pub fn per_byte_at(&mut self, node: Node<'_, '_>, pointer: &str, wanted: &str) -> Option<(f64, Place)> {
        let is_time = node.value.get_ref().as_str().is_some_and(|text| {
            Quantity::parse(text).is_ok_and(|quantity| quantity.has_unit && quantity.powers == Dimension::Time.powers())
        });
        let dimension = if is_time { Dimension::Time } else { Dimension::TimePerByte };
        self.quantity_at(node, pointer, dimension, wanted)
    }

    /// A list of numbers at a key.
    pub fn numbers(&mut self, node: Node<'_, '_>, pointer: &str, wanted: &str) -> Option<Vec<f64>> {
        let nodes = self.list(node, pointer, wanted)?;
        self.each(nodes, pointer, |reader, node, pointer| {
            reader.number_at(node, pointer, "a number").map(|(number, _)| number)
        })
    }

    /// The entries of a list; none if one of them is wrong.
    pub fn each<T>(
        &mut self,
        nodes: Vec<Node<'_, '_>>,
        pointer: &str,
        mut one: impl FnMut(&mut Self, Node<'_, '_>, &str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let before = self.problem_count();
        let mut all = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.into_iter().enumerate() {
            all.extend(one(self, node, &format!("{pointer}/{index}")));
        }
        (self.problem_count() == before).then_some(all)
    }
}

/// The problem of a number that is not allowed.
pub fn out_of_range(what: &str, value: &str, allowed: &str) -> Problem {
    let message = format!("{what} is {}", shorten(value, 40));
    Problem::new("out_of_range", message).value(value).allowed(allowed)
}
