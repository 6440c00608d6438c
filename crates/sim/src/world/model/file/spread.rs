//! Laws of random factors: `{ kind = "exp", mean = 0.004 }`.

use crate::noise::Distribution;
use runcast_core::toml::{Node, Reader, Table};

/// A law; `min` of a uniform law is 0 unless given.
pub fn spread(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Distribution> {
    let table = reader.table(node, pointer.to_owned(), "a table such as { kind = \"exp\", mean = 0.004 }")?;
    law(reader, &table)
}

/// The law that a table describes.
pub fn law(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Distribution> {
    if !table.has("kind") {
        reader.missing(table, "kind", &Distribution::KINDS.join(", "));
        return None;
    }
    let kind = reader.choice(table, "kind", &Distribution::KINDS)?;
    let keys: &[&str] = match kind {
        0 => &["kind", "mean"],
        1 => &["kind", "mean", "sd"],
        2 => &["kind", "min", "max"],
        _ => &["kind", "values", "prob"],
    };
    reader.allow(table, keys, &format!("a law of kind \"{}\"", Distribution::KINDS[kind]));
    let mut number = |key: &str, default: Option<f64>| match table.get(key) {
        Some(node) => reader.number_at(node, &table.at(key), "a number").map(|(number, _)| number),
        None if default.is_some() => default,
        None => {
            reader.missing(table, key, "a number");
            None
        }
    };
    let law = match kind {
        0 => Distribution::exponential(number("mean", None)?),
        1 => {
            let mean = number("mean", Some(0.0));
            Distribution::normal(mean?, number("sd", None)?)
        }
        2 => {
            let min = number("min", Some(0.0));
            Distribution::uniform(min?, number("max", None)?)
        }
        _ => {
            let mut list = |key: &str| match table.get(key) {
                Some(node) => reader.numbers(node, &table.at(key), "a list of numbers"),
                None => {
                    reader.missing(table, key, "a list of numbers");
                    None
                }
            };
            let values = list("values");
            let probabilities = list("prob");
            Distribution::discrete(&values?, &probabilities?)
        }
    };
    match law {
        Ok(law) => Some(law),
        Err(mut problem) => {
            let key = problem.pointer.take().unwrap_or_default();
            let place = match table.get(&key) {
                Some(node) => reader.place(node, &table.at(&key)),
                None => table.place.clone(),
            };
            reader.wrong(&place, problem);
            None
        }
    }
}
