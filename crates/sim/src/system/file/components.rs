//! Components of a system file, put into a tree.

use super::super::parts::check_numa;
use super::super::{Component, Kind, Parts};
use super::{Changes, changed, tell};
use crate::attributes::{Defaults, Quality, attribute_table};
use crate::catalogue::Catalogue;
use crate::model::Model;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Place, Reader, Table};
use runcast_formula::nearest;
use std::collections::HashMap;

/// More components are not read; `count` stands for identical ones.
const MOST: usize = 10_000;
/// Trees are not deeper.
const DEEPEST: usize = 32;
/// The largest number of anything.
const MOST_OF_ONE: u64 = 1 << 40;
const KEYS: [&str; 7] = ["id", "kind", "parent", "count", "hardware", "set", "model"];

/// Every model that a component names is there.
pub(super) fn check_models(reader: &mut Reader<'_>, top: &Table<'_, '_>, models: &[Model]) {
    let before = reader.problem_count();
    for table in reader.tables(top, "component") {
        super::model(reader, &table, "model", models);
        if reader.problem_count() > before {
            return;
        }
    }
}

/// A component as it is in the file.
struct Entry {
    component: Component,
    parent: Option<(String, Place)>,
    place: Place,
    kind_is_known: bool,
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    top: &Table<'_, '_>,
    catalogue: &Catalogue,
    changes: &Changes,
) -> Option<Vec<Component>> {
    let tables = reader.tables(top, "component");
    if !top.has("component") || tables.is_empty() {
        if reader.problem_count() == 0 {
            reader.missing(top, "component", "component = [ { id = .., kind = .. }, .. ]");
        }
        return None;
    }
    if tables.len() > MOST {
        let problem = Problem::new("too_large", format!("{} components", tables.len()));
        let place = tables[MOST].place.clone();
        reader.wrong(&place, problem.allowed(format!("at most {MOST}")).hint("count = 100 means 100 identical ones"));
        return None;
    }
    let entries: Vec<Entry> =
        tables.iter().map(|table| entry(reader, table, catalogue, changes)).collect::<Option<_>>()?;
    tree(reader, entries)
}

fn entry(reader: &mut Reader<'_>, table: &Table<'_, '_>, catalogue: &Catalogue, changes: &Changes) -> Option<Entry> {
    reader.allow(table, &KEYS, "a component");
    let id = identifier(reader, table, "id")?;
    let kind = match table.has("kind") {
        true => reader.choice(table, "kind", &Kind::WORDS).map(Kind::nth),
        false => {
            reader.missing(table, "kind", &Kind::WORDS.join(", "));
            None
        }
    };
    let count = match table.has("count") {
        true => reader.whole(table, "count", 1, MOST_OF_ONE).unwrap_or(1),
        false => 1,
    };
    let parent = reader.text(table, "parent", "the id of another component");
    let model = table.get("model").and_then(|node| node.value.get_ref().as_str().map(str::to_owned));
    let parts = match kind {
        // The id of a group may also be that of its network: another entry is then for that.
        Some(kind) if kind.hardware().is_empty() => {
            hardware(reader, table, catalogue, None, &id, kind.hardware(), kind.word())
        }
        Some(kind) => hardware(reader, table, catalogue, changed(changes, &id), &id, kind.hardware(), kind.word()),
        None => Parts::default(),
    };
    let defaults = Defaults { quality: Quality::Given, source: reader.source.name.to_owned() };
    let set = attribute_table(reader, table, "set", &defaults);
    let own = set.iter().map(|(key, _)| key.to_owned()).collect();
    let line = reader.line(table.place.offset);
    let mut parts = Parts { set, ..parts };
    let hardware = parts.entry.clone();
    if changes.doubled.contains(&id) {
        parts.double();
    }
    let (attributes, fates) = parts.attributes();
    tell(reader, &table.place, &id, &parts, &fates);
    let component = Component {
        id,
        kind: kind.unwrap_or(Kind::Group),
        parent: None,
        count,
        total: count,
        hardware,
        attributes,
        own,
        parts,
        model,
        line,
    };
    check(reader, table, &component);
    Some(Entry { component, parent, place: table.place.clone(), kind_is_known: kind.is_some() })
}

/// What attributes say together.
fn check(reader: &mut Reader<'_>, table: &Table<'_, '_>, component: &Component) {
    let both = |a: &str, b: &str| component.own.iter().any(|key| key == a) && component.own.iter().any(|key| key == b);
    let place = Place { pointer: table.at("set"), ..table.place.clone() };
    if both("mtbf", "failure_rate") {
        let problem = Problem::new("twice", "mtbf and failure_rate are redundant: give one of them");
        reader.wrong(&place, problem.allowed("mtbf, or failure_rate"));
    }
    if let Err(problem) = component.attributes.check_state(&component.id) {
        reader.wrong(&place, problem);
    }
    let get = |key: &str| component.attributes.get(key);
    if let Err(problem) = check_numa(&component.attributes, &component.id) {
        reader.wrong(&place, problem);
    }
    if let (Some(idle), Some(load)) = (get("power_idle"), get("power_load"))
        && idle > load
    {
        let message =
            format!("{} takes more power when it is idle ({idle} W) than under load ({load} W)", component.id);
        reader.warn(&place, "odd_power", message);
    }
}

/// The catalogue entry of a component or a network, and the one that it is to have in its place.
pub(super) fn hardware(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    catalogue: &Catalogue,
    changed: Option<&str>,
    id: &str,
    kinds: &[&str],
    of: &str,
) -> Parts {
    let mut parts = Parts::default();
    let find = |entry: &str| match kinds {
        [] => Err(Problem::new("wrong_kind", format!("a {of} has no hardware of its own")).value(entry)),
        kinds => catalogue.find(entry, kinds).map(|found| found.attributes.clone()),
    };
    if let Some((entry, place)) = reader.text(table, "hardware", "the id of a catalogue entry") {
        match find(&entry) {
            Ok(attributes) => parts.of_reference = attributes,
            Err(problem) => reader.wrong(&place, problem),
        }
        parts.reference = Some(entry);
    }
    (parts.entry, parts.of_entry) = (parts.reference.clone(), parts.of_reference.clone());
    if let Some(entry) = changed {
        match find(entry) {
            Ok(attributes) => parts.of_entry = attributes,
            Err(problem) => {
                reader.wrong_option(problem.in_file(reader.source.name).at(format!("hardware.{id}")));
            }
        }
        parts.entry = Some(entry.to_owned());
    }
    parts
}

/// An id: a word that fits into `hardware.ID` and `node[3]`.
pub(super) fn identifier(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str) -> Option<String> {
    const ALLOWED: &str = "letters, digits, _ - and . within, 100 at most";
    let Some((id, place)) = reader.text(table, key, ALLOWED) else {
        if !table.has(key) {
            reader.missing(table, key, ALLOWED);
        }
        return None;
    };
    let fits = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    if id.is_empty() || id.chars().count() > 100 || !id.chars().all(fits) || id.starts_with('.') {
        let problem = Problem::new("bad_name", format!("\"{}\" cannot be an id", shorten(&id, 60)));
        reader.wrong(&place, problem.value(id).allowed(ALLOWED));
        return None;
    }
    Some(id)
}

/// Parents before children, children of one parent in the order of the file.
fn tree(reader: &mut Reader<'_>, entries: Vec<Entry>) -> Option<Vec<Component>> {
    let before = reader.problem_count();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some(first) = numbers.insert(&entry.component.id, index) {
            let message = format!("\"{}\" is the id of two components", entry.component.id);
            let problem = Problem::new("twice", message).value(entry.component.id.as_str());
            let line = entries[first].component.line;
            reader.wrong(&entry.place, problem.hint(format!("the first is on line {line}")));
        }
    }
    let parents: Vec<Option<usize>> = entries.iter().map(|entry| parent(reader, entry, &entries, &numbers)).collect();
    if reader.problem_count() > before {
        return None;
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); entries.len()];
    let mut roots = Vec::new();
    for (index, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(index),
            None => roots.push(index),
        }
    }
    let mut order = Vec::new();
    let mut stack: Vec<(usize, usize)> = roots.iter().rev().map(|&root| (root, 1)).collect();
    while let Some((index, depth)) = stack.pop() {
        if depth > DEEPEST {
            let problem = Problem::new("too_large", format!("the tree is more than {DEEPEST} components deep"));
            reader.wrong(&entries[index].place, problem.at("component"));
            return None;
        }
        order.push(index);
        stack.extend(children[index].iter().rev().map(|&child| (child, depth + 1)));
    }
    if order.len() < entries.len() {
        cycle(reader, &entries, &parents, &order);
        return None;
    }
    one_root(reader, &entries, &roots)?;
    place(reader, entries, &parents, &order)
}

fn parent(reader: &mut Reader<'_>, entry: &Entry, entries: &[Entry], numbers: &HashMap<&str, usize>) -> Option<usize> {
    let (name, place) = entry.parent.as_ref()?;
    let Some(&parent) = numbers.get(name.as_str()) else {
        let shown = shorten(name, 60);
        let problem = Problem::new("unknown_component", format!("\"{shown}\" is not a component")).value(name.as_str());
        let ids = entries.iter().map(|entry| entry.component.id.as_str());
        reader.wrong(
            place,
            match nearest(name, ids) {
                Some(near) => problem.hint(format!("did you mean {near}?")),
                None => problem.allowed("the id of another component"),
            },
        );
        return None;
    };
    let (kind, above) = (entry.component.kind, entries[parent].component.kind);
    if entry.kind_is_known && entries[parent].kind_is_known && !kind.parents().contains(&above) {
        let message = format!("a {kind} cannot be in a {above}");
        let allowed: Vec<&str> = kind.parents().iter().map(|kind| kind.word()).collect();
        let problem = Problem::new("wrong_parent", message).value(name.as_str());
        reader.wrong(place, problem.allowed(format!("a parent of kind {}", allowed.join(" or "))));
    }
    Some(parent)
}

/// Names a cycle of parents.
fn cycle(reader: &mut Reader<'_>, entries: &[Entry], parents: &[Option<usize>], reached: &[usize]) {
    let mut seen = vec![0_u32; entries.len()];
    for &index in reached {
        seen[index] = u32::MAX;
    }
    let Some(mut at) = seen.iter().position(|&mark| mark == 0) else { return };
    while seen[at] == 0 {
        seen[at] = 1;
        at = parents[at].unwrap_or(at);
    }
    let first = at;
    let mut names = vec![entries[at].component.id.as_str()];
    loop {
        at = parents[at].unwrap_or(first);
        names.push(&entries[at].component.id);
        if at == first || names.len() > 10 {
            break;
        }
    }
    let problem = Problem::new("cycle", format!("components contain each other: {}", names.join(" in ")));
    let place = entries[first].parent.as_ref().map_or(&entries[first].place, |(_, place)| place);
    reader.wrong(place, problem.allowed("a tree with one root"));
}

fn one_root(reader: &mut Reader<'_>, entries: &[Entry], roots: &[usize]) -> Option<()> {
    let &[first, ref others @ ..] = roots else { return None };
    if let [second, ..] = others {
        let names: Vec<&str> = roots.iter().take(10).map(|&root| entries[root].component.id.as_str()).collect();
        let message = format!("{} components have no parent: {}", roots.len(), names.join(", "));
        let place =
            Place { pointer: format!("{}/parent", entries[*second].place.pointer), ..entries[*second].place.clone() };
        let problem = Problem::new("two_roots", message).allowed("one root that contains all others");
        reader.wrong(&place, problem.hint("put them into a group"));
        return None;
    }
    let root = &entries[first];
    if !matches!(root.component.kind, Kind::Wan | Kind::Group | Kind::Machine) {
        let problem = Problem::new("wrong_parent", format!("a {} cannot be the root", root.component.kind));
        reader.wrong(
            &root.place,
            problem.allowed("a machine, a group or a wan as the root").hint("put it into a machine"),
        );
        return None;
    }
    if root.component.count != 1 {
        let place = Place { pointer: format!("{}/count", root.place.pointer), ..root.place.clone() };
        let problem = Problem::new("out_of_range", "the root exists once").value(root.component.count.to_string());
        reader.wrong(&place, problem.allowed("count = 1").hint("put the identical ones into a group"));
        return None;
    }
    Some(())
}

/// Renumbers, and multiplies counts up the tree.
fn place(
    reader: &mut Reader<'_>,
    entries: Vec<Entry>,
    parents: &[Option<usize>],
    order: &[usize],
) -> Option<Vec<Component>> {
    let mut numbers = vec![0; entries.len()];
    for (new, &old) in order.iter().enumerate() {
        numbers[old] = new;
    }
    let mut entries: Vec<Option<Entry>> = entries.into_iter().map(Some).collect();
    let mut components: Vec<Component> = Vec::with_capacity(entries.len());
    for &old in order {
        let Some(mut entry) = entries[old].take() else { continue };
        entry.component.parent = parents[old].map(|parent| numbers[parent]);
        let above = entry.component.parent.map_or(1, |parent| components[parent].total);
        match above.checked_mul(entry.component.count).filter(|&total| total <= MOST_OF_ONE) {
            Some(total) => entry.component.total = total,
            None => {
                let message = format!("{above} times {} of {}", entry.component.count, entry.component.id);
                let place = Place { pointer: format!("{}/count", entry.place.pointer), ..entry.place };
                reader.wrong(&place, Problem::new("too_large", message).allowed("at most 2^40 in all"));
                return None;
            }
        }
        components.push(entry.component);
    }
    Some(components)
}
