//! `[[app]]`: an application with its parameters, places and start.

use super::{App, Named, Order, PlaceEntry, Spot, Value, named};
use runcast_core::Problem;
use runcast_core::toml::{Node, Reader, Table, plain};
use runcast_formula::Formula;
use toml::de::DeValue;

/// Applications beyond this share no machine.
const MOST_APPS: usize = 1000;

pub(super) fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Vec<App> {
    if !top.has("app") {
        reader.missing(top, "app", "[[app]] with a file");
        return Vec::new();
    }
    let tables = reader.tables(top, "app");
    if tables.is_empty() || tables.len() > MOST_APPS {
        let problem = Problem::new("out_of_range", format!("{} applications", tables.len()));
        reader.wrong(&top.place, problem.at("/app").allowed(format!("1 to {MOST_APPS}")));
        return Vec::new();
    }
    tables.iter().map(|table| app(reader, table)).collect()
}

fn app(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> App {
    reader.allow(table, &["file", "name", "params", "place", "start"], "an application");
    if !table.has("file") {
        reader.missing(table, "file", "the name of a script, such as \"heat.luau\"");
    }
    App {
        file: named(reader, table, "file").unwrap_or_else(|| Named::option("", "file")),
        name: reader.text(table, "name", "a name").map(|(name, _)| name),
        params: params(reader, table),
        place: places(reader, table),
        start_s: reader.time(table, "start").unwrap_or(0.0),
    }
}

fn params(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Vec<(String, Value)> {
    let Some(params) = reader.table_at(table, "params") else { return Vec::new() };
    let entries: Vec<_> = params.named().map(|(name, node)| (name.to_owned(), node)).collect();
    let mut read = Vec::with_capacity(entries.len());
    for (name, node) in entries {
        let pointer = params.at(&name);
        if let Some(value) = value(reader, node, &pointer) {
            read.push((name, value));
        }
    }
    read
}

/// A number, or a text; a quantity is a number.
pub(super) fn value(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Value> {
    if let Some(number) = plain(node.value.get_ref()) {
        return Some(Value::Number(number));
    }
    match node.value.get_ref() {
        DeValue::String(text) => Some(Value::of(text)),
        DeValue::Boolean(value) => Some(Value::Number(f64::from(u8::from(*value)))),
        _ => {
            let place = reader.place(node, pointer);
            reader.wrong_type(node, &place, "a number or a text");
            None
        }
    }
}

fn places(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Vec<PlaceEntry> {
    let tables = reader.tables(table, "place");
    tables.iter().filter_map(|table| place(reader, table)).collect()
}

fn place(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<PlaceEntry> {
    reader.allow(table, &["label", "on", "per", "order", "list", "count"], "a place");
    if !table.has("label") {
        reader.missing(table, "label", "the name of a label");
    }
    let (label, _) = reader.text(table, "label", "the name of a label")?;
    let on = reader.text(table, "on", "the id of a component").map(|(on, _)| on);
    let mut number = |key: &str| table.get(key).and_then(|node| amount(reader, node, &table.at(key), key, 1));
    let (per, count) = (number("per"), number("count"));
    let order = match (reader.choice(table, "order", &["block", "cyclic"]), table.get("list")) {
        (Some(_), Some(node)) => {
            let place = reader.place(node, &table.at("list"));
            reader.wrong(&place, Problem::new("conflict", "a place has an order or a list, not both"));
            Order::Block
        }
        (_, Some(node)) if matches!(node.value.get_ref(), DeValue::String(_)) => {
            amount(reader, node, &table.at("list"), "list", 0).map_or(Order::Block, Order::ByRank)
        }
        (_, Some(node)) => Order::List(list(reader, node, &table.at("list"))),
        (Some(1), None) => Order::Cyclic,
        (_, None) => Order::Block,
    };
    Some(PlaceEntry { label, on, per, order, count, spot: Spot::of(&reader.source, &table.place) })
}

fn list(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Vec<Formula> {
    let wanted = "a list of numbers of components, from 0, or a formula of rank";
    let Some(nodes) = reader.list(node, pointer, wanted) else { return Vec::new() };
    let all = reader.each(nodes, pointer, |reader, node, pointer| amount(reader, node, pointer, "an entry of list", 0));
    all.unwrap_or_default()
}

/// The largest number that is written out: beyond 2^53 not every number is one.
const MOST: u64 = 1 << 53;

/// A whole number of at least so much, or a formula of parameters.
fn amount(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str, what: &str, least: u64) -> Option<Formula> {
    let DeValue::String(text) = node.value.get_ref() else {
        let number = reader.whole_at(node, pointer, what, least, MOST)?;
        return Formula::parse(&number.to_string()).ok();
    };
    match Formula::parse(text) {
        Ok(formula) => Some(formula),
        Err(error) => {
            let place = reader.place(node, pointer);
            let mut problem = Problem::new("bad_formula", error.to_string()).value(text.as_ref());
            problem.hint = error.hint();
            reader.wrong(&place, problem.allowed("a whole number, or a formula of parameters"));
            None
        }
    }
}
