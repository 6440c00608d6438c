//! `[[modes]]`: laws that change from phase to phase.

use super::law::Laws;
use super::names::Names;
use super::network::{MOST_LINKS, ends, time};
use crate::model::file::refused;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Node, Place, Reader, Table};
use toml::de::DeValue;

/// The most modes of a model, those of several `[[modes]]` multiplied.
pub(super) const MOST_MODES: usize = 1000;
const KEYS: [&str; 4] = ["states", "Q", "start", "override"];

/// One `[[modes]]`.
pub(super) struct Set {
    pub states: Vec<String>,
    pub transition: Vec<Vec<f64>>,
    pub start: Vec<f64>,
    pub overrides: Vec<Override>,
}

/// A law that is in force in a state.
pub(super) struct Override {
    pub state: usize,
    pub target: Target,
    /// Which law, counted in [`Laws::all`].
    pub law: usize,
}

pub(super) enum Target {
    Updates(Vec<usize>),
    Messages(Vec<usize>, Vec<usize>),
}

pub(super) fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>, names: &Names, laws: &mut Laws<'_, '_>) -> Vec<Set> {
    let mut sets = Vec::new();
    let mut count = 1_usize;
    for table in reader.tables(top, "modes") {
        reader.allow(&table, &KEYS, "[[modes]]");
        let Some(states) = states(reader, &table) else { continue };
        count = count.saturating_mul(states.len());
        if count > MOST_MODES {
            let problem = Problem::new("too_many", format!("{count} modes"));
            reader.wrong(&table.place, problem.allowed(format!("at most {MOST_MODES}, all [[modes]] multiplied")));
            return sets;
        }
        let transition = transition(reader, &table, states.len());
        let start = start(reader, &table, &states);
        let overrides = overrides(reader, &table, &states, names, laws);
        if let (Some(transition), Some(start)) = (transition, start) {
            sets.push(Set { states, transition, start, overrides });
        }
    }
    sets
}

fn states(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Vec<String>> {
    let wanted = "a list of names, such as [\"calm\", \"busy\"]";
    let node = reader.required(table, "states", wanted)?;
    let pointer = table.at("states");
    let nodes = reader.list(node, &pointer, wanted)?;
    let names = reader
        .each(nodes, &pointer, |reader, node, pointer| reader.text_at(node, pointer, "a name").map(|(name, _)| name))?;
    let place = reader.place(node, &pointer);
    if names.is_empty() {
        return refused(reader, &place, Problem::new("empty", "there is no state").allowed(wanted));
    }
    if names.len() > MOST_MODES {
        let problem = Problem::new("too_many", format!("{} states", names.len()));
        return refused(reader, &place, problem.allowed(format!("at most {MOST_MODES}")));
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            let message = format!("two states are called \"{}\"", shorten(name, 60));
            return refused(reader, &place, Problem::new("duplicate_name", message));
        }
    }
    Some(names)
}

fn transition(reader: &mut Reader<'_>, table: &Table<'_, '_>, size: usize) -> Option<Vec<Vec<f64>>> {
    let wanted = "a list of rows of probabilities, such as [[0.99, 0.01], [0.03, 0.97]]";
    let Some(node) = table.get("Q") else {
        if size > 1 {
            reader.missing(table, "Q", wanted);
        }
        return (size == 1).then(|| vec![vec![1.0]]);
    };
    let pointer = table.at("Q");
    let rows = reader.list(node, &pointer, wanted)?;
    if rows.len() != size {
        let place = reader.place(node, &pointer);
        let problem = Problem::new("length", format!("Q has {} rows for {size} states", rows.len()));
        return refused(reader, &place, problem.allowed(format!("{size} rows of {size} probabilities")));
    }
    reader.each(rows, &pointer, |reader, row, pointer| probabilities(reader, row, pointer, size, "a row of Q"))
}

/// As many probabilities as there are states, evened out to sum to 1.
fn probabilities(
    reader: &mut Reader<'_>,
    node: Node<'_, '_>,
    pointer: &str,
    size: usize,
    what: &str,
) -> Option<Vec<f64>> {
    let place = reader.place(node, pointer);
    let mut row = reader.numbers(node, pointer, "a list of probabilities")?;
    let sum: f64 = row.iter().sum();
    let problem = if row.len() != size {
        Problem::new("length", format!("{what} has {} entries for {size} states", row.len()))
    } else if let Some(wrong) = row.iter().find(|entry| !(0.0..=1.0).contains(*entry)) {
        Problem::new("not_a_probability", format!("{wrong} in {what} is not a probability"))
    } else if (sum - 1.0).abs() > crate::model::law::SUM_TOLERANCE {
        Problem::new("sum", format!("{what} sums to {sum}, not to 1"))
    } else {
        for entry in &mut row {
            *entry /= sum;
        }
        return Some(row);
    };
    refused(reader, &place, problem.allowed(format!("{size} probabilities that sum to 1")))
}

fn start(reader: &mut Reader<'_>, table: &Table<'_, '_>, states: &[String]) -> Option<Vec<f64>> {
    let in_state = |index: usize| (0..states.len()).map(|state| f64::from(u8::from(state == index))).collect();
    let Some(node) = table.get("start") else { return Some(in_state(0)) };
    let pointer = table.at("start");
    match node.value.get_ref() {
        DeValue::String(name) => {
            let place = reader.place(node, &pointer);
            state(reader, name, &place, states).map(in_state)
        }
        _ => probabilities(reader, node, &pointer, states.len(), "start"),
    }
}

fn state(reader: &mut Reader<'_>, name: &str, place: &Place, states: &[String]) -> Option<usize> {
    let found = states.iter().position(|state| state == name);
    if found.is_none() {
        let problem = Problem::new("unknown_name", format!("\"{}\" is not a state", shorten(name, 60))).value(name);
        let problem = problem.allowed(shorten(&states.join(", "), 200));
        reader.wrong(place, problem.or_near(name, states.iter().map(String::as_str)));
    }
    found
}

fn overrides(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    states: &[String],
    names: &Names,
    laws: &mut Laws<'_, '_>,
) -> Vec<Override> {
    let mut overrides = Vec::new();
    let entries = reader.tables(table, "override");
    if entries.len() > MOST_LINKS {
        let problem = Problem::new("too_many", format!("{} overrides", entries.len()));
        reader.wrong(&table.place, problem.allowed(format!("at most {MOST_LINKS}")));
        return overrides;
    }
    for entry in entries {
        reader.allow(&entry, &["state", "process", "update", "from", "to", "time"], "an override");
        let of_state = match entry.has("state") {
            true => reader.text(&entry, "state", "the name of a state"),
            false => {
                reader.missing(&entry, "state", &shorten(&states.join(", "), 200));
                None
            }
        };
        let of_state = of_state.and_then(|(name, place)| state(reader, &name, &place, states));
        if let (Some((target, law)), Some(state)) = (target(reader, &entry, names, laws), of_state) {
            overrides.push(Override { state, target, law });
        }
    }
    overrides
}

fn target(
    reader: &mut Reader<'_>,
    entry: &Table<'_, '_>,
    names: &Names,
    laws: &mut Laws<'_, '_>,
) -> Option<(Target, usize)> {
    let of_process = entry.has("process") || entry.has("update");
    let of_link = entry.has("from") || entry.has("to") || entry.has("time");
    if of_process == of_link {
        let problem = Problem::new("conflict", "an override applies to a process or to a link");
        return refused(reader, &entry.place, problem.allowed("process and update, or from, to and time"));
    }
    if of_link {
        let (ends, law) = (ends(reader, entry, names), time(reader, entry, laws));
        let ((from, to), law) = (ends?, law?);
        return Some((Target::Messages(from, to), law));
    }
    let name = reader.required_text(entry, "process", "the name of a process, or *");
    let found = name.as_ref().and_then(|(name, place)| names.find(reader, name, place));
    let name = name.map(|(name, _)| shorten(&name, 60)).unwrap_or_default();
    let law = laws.update(reader, entry, format!("process {name} (override)"));
    Some((Target::Updates(found?), law?))
}
