//! `[network]`: the times of messages.

use super::law::Laws;
use super::names::Names;
use crate::model::file::refused;
use runcast_core::Problem;
use runcast_core::toml::{Place, Reader, Table};

/// The most links, or overrides, of one file.
pub(super) const MOST_LINKS: usize = 100_000;

/// Which law which link has, counted in [`Laws::all`].
pub(super) struct Network {
    pub default: Option<usize>,
    /// Senders, receivers, law; later ones win.
    pub links: Vec<(Vec<usize>, Vec<usize>, usize)>,
    /// Where it is in the file, for links without a law.
    pub place: Place,
}

pub(super) fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>, names: &Names, laws: &mut Laws<'_, '_>) -> Network {
    let mut network = Network { default: None, links: Vec::new(), place: top.place.clone() };
    network.place.pointer = "/network".to_owned();
    let Some(table) = reader.table_at(top, "network") else { return network };
    network.place = table.place.clone();
    reader.allow(&table, &["default", "link", "send", "broadcast", "order"], "[network]");
    if let Some(node) = table.get("default") {
        network.default = laws.read(reader, node, &table.at("default"), "the network's default".to_owned());
    }
    let links = reader.tables(&table, "link");
    if links.len() > MOST_LINKS {
        let problem = Problem::new("too_many", format!("{} links", links.len()));
        reader.wrong(&table.place, problem.allowed(format!("at most {MOST_LINKS}")));
        return network;
    }
    for link in links {
        reader.allow(&link, &["from", "to", "time"], "a link");
        let ends = ends(reader, &link, names);
        let law = time(reader, &link, laws);
        if let (Some((from, to)), Some(law)) = (ends, law) {
            network.links.push((from, to, law));
        }
    }
    network
}

/// Senders and receivers of a table with `from` and `to`.
pub(super) fn ends(reader: &mut Reader<'_>, table: &Table<'_, '_>, names: &Names) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut end = |key: &str| {
        let (name, place) = reader.required_text(table, key, "the name of a process, or *")?;
        names.find(reader, &name, &place)
    };
    let (from, to) = (end("from"), end("to"));
    let (from, to) = (from?, to?);
    if from.len() == 1 && from == to && names.count() > 1 {
        let problem = Problem::new("own_link", format!("a link from {0} to {0} itself", names.name(from[0])));
        return refused(reader, &table.place, problem.hint("a process needs no message for its own piece"));
    }
    Some((from, to))
}

/// The law at `time`.
pub(super) fn time(reader: &mut Reader<'_>, table: &Table<'_, '_>, laws: &mut Laws<'_, '_>) -> Option<usize> {
    let node = reader.required(table, "time", "time = { constant = \"0.3s\" } and the like")?;
    let text = |key: &str| table.get(key).and_then(|node| node.value.get_ref().as_str().map(str::to_owned));
    let who = format!("link {} -> {}", text("from").unwrap_or_default(), text("to").unwrap_or_default());
    laws.read(reader, node, &table.at("time"), who)
}
