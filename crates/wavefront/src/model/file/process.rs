//! `[[process]]`: the processes.

use super::law::Laws;
use crate::model::overrides::MOST_UPDATES;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Reader, Table};
use std::collections::HashSet;

/// The most processes of a model.
pub(super) const MOST_PROCESSES: usize = 1000;
const KEYS: [&str; 6] = ["name", "count", "A", "B", "update", "send"];

pub(super) struct Entry {
    pub name: String,
    /// The name of its `[[process]]`, which stands for all of a `count`.
    pub group: String,
    pub alpha_updates: u32,
    pub beta_updates: u32,
    /// Which law, counted in [`Laws::all`].
    pub update: usize,
    /// The time of sending one message, where it has its own \[s\].
    pub send_s: Option<f64>,
}

pub(super) fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>, laws: &mut Laws<'_, '_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for table in reader.tables(top, "process") {
        one(reader, &table, laws, &mut entries);
    }
    if entries.is_empty() && reader.problem_count() == 0 {
        let problem = Problem::new("missing", "there is no process");
        let place = reader.source.place(0, "/process".to_owned());
        reader.wrong(&place, problem.allowed("[[process]]").hint("[[process]] with update = { constant = \"1s\" }"));
    }
    let mut seen = HashSet::new();
    let twice = entries.iter().find(|entry: &&Entry| !seen.insert(entry.name.as_str()));
    if let Some(entry) = twice {
        let message = format!("two processes are called \"{}\"", shorten(&entry.name, 60));
        let place = reader.source.place(0, "/process".to_owned());
        reader.wrong(&place, Problem::new("duplicate_name", message).hint("give each a distinct name"));
    }
    entries
}

fn one(reader: &mut Reader<'_>, table: &Table<'_, '_>, laws: &mut Laws<'_, '_>, entries: &mut Vec<Entry>) {
    reader.allow(table, &KEYS, "[[process]]");
    let name = reader.text(table, "name", "a text");
    if let Some((name, place)) = &name
        && (name.is_empty() || name == "*" || name.len() > 200)
    {
        let problem = Problem::new("not_a_name", format!("\"{}\" cannot name a process", shorten(name, 60)));
        reader.wrong(place, problem.allowed("1 to 200 letters, not *"));
    }
    let name = name.map_or_else(|| format!("p{}", entries.len() + 1), |(name, _)| name);
    let count = match table.has("count") {
        true => reader.whole(table, "count", 1, MOST_PROCESSES as u64),
        false => Some(1),
    };
    let alpha = reader.whole(table, "A", 1, u64::from(MOST_UPDATES)).unwrap_or(1) as u32;
    let beta = reader.whole(table, "B", 0, u64::from(MOST_UPDATES)).unwrap_or(0) as u32;
    let update = laws.update(reader, table, format!("process {}", shorten(&name, 60)));
    let send_s = reader.time(table, "send");
    let (Some(count), Some(update)) = (count, update) else { return };
    if entries.len() + count as usize > MOST_PROCESSES {
        let problem = Problem::new("too_many", format!("more than {MOST_PROCESSES} processes"));
        return reader.wrong(&table.place, problem.allowed(format!("at most {MOST_PROCESSES} processes")));
    }
    for index in 1..=count {
        let called = if table.has("count") { format!("{name}-{index}") } else { name.clone() };
        let group = name.clone();
        entries.push(Entry { name: called, group, alpha_updates: alpha, beta_updates: beta, update, send_s });
    }
}
