//! Networks of a system file.

use super::super::profile::profile;
use super::super::{Network, Parts, System, TopologySpec};
use super::components::{hardware, identifier};
use super::{Changes, changed, tell, topology};
use crate::attributes::{Defaults, Quality, attribute_table};
use crate::catalogue::Catalogue;
use crate::platform::Segment;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Place, Reader, Table, out_of_range};
use runcast_formula::nearest;
use runcast_formula::units::Dimension;

const MOST: usize = 10_000;
const KEYS: [&str; 9] = ["of", "id", "hardware", "topology", "set", "segments", "through", "link", "route"];
const SEGMENT: [&str; 9] = [
    "from",
    "latency_factor",
    "bandwidth_factor",
    "overhead",
    "overhead_per_byte",
    "send_overhead",
    "recv_overhead",
    "send_overhead_per_byte",
    "recv_overhead_per_byte",
];

pub(super) fn read(
    reader: &mut Reader<'_>,
    top: &Table<'_, '_>,
    catalogue: &Catalogue,
    changes: &Changes,
    system: &mut System,
) {
    let tables = reader.tables(top, "network");
    if let Some(table) = tables.get(MOST) {
        let place = table.place.clone();
        reader.wrong(&place, Problem::new("too_large", "too many networks").allowed(format!("at most {MOST}")));
        return;
    }
    for table in &tables {
        let Some(network) = network(reader, table, catalogue, changes, system) else { continue };
        let same = |other: &&Network| other.of == network.of && other.id == network.id;
        if let Some(first) = system.networks.iter().find(same) {
            let message = format!("{} has two networks called \"{}\"", system.components[network.of].id, network.id);
            let problem = Problem::new("twice", message).value(network.id.as_str());
            let hint = format!("the first is on line {}; give this one an id of its own", first.line);
            reader.wrong(&table.place, problem.hint(hint));
            continue;
        }
        system.networks.push(network);
    }
}

/// Ids of networks, by which hardware may be changed.
pub(super) fn ids(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Vec<String> {
    let before = reader.problem_count();
    let tables = reader.tables(top, "network");
    if reader.problem_count() > before {
        return Vec::new();
    }
    let text = |table: &Table<'_, '_>, key: &str| {
        table.get(key).and_then(|node| node.value.get_ref().as_str().map(str::to_owned))
    };
    tables.iter().filter_map(|table| text(table, "id").or_else(|| text(table, "of"))).collect()
}

fn network(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    catalogue: &Catalogue,
    changes: &Changes,
    system: &System,
) -> Option<Network> {
    reader.allow(table, &KEYS, "a network");
    let of = aggregator(reader, table, system)?;
    let component = &system.components[of];
    let id = if table.has("id") { identifier(reader, table, "id")? } else { component.id.clone() };
    let kinds = ["network", "bus"];
    let parts = hardware(reader, table, catalogue, changed(changes, &id), &id, &kinds, "network");
    let entry = parts.entry.clone();
    let is_bus = entry.as_ref().and_then(|id| catalogue.get(id)).is_some_and(|entry| entry.kind == "bus");
    let defaults = Defaults { quality: Quality::Given, source: reader.source.name.to_owned() };
    let set = attribute_table(reader, table, "set", &defaults);
    let own: Vec<String> = set.iter().map(|(key, _)| key.to_owned()).collect();
    let mut parts = Parts { set, ..parts };
    if changes.doubled.contains(&id) {
        parts.double();
    }
    let (mut attributes, fates) = parts.attributes();
    let mut segments = segments(reader, table);
    let families = (parts.of_reference.word("family"), parts.of_entry.word("family"));
    if parts.is_exchanged() && families.0 != families.1 {
        // What the file says about messages of a size is true of another family.
        let profile = profile(families.1);
        attributes = parts.of_entry.clone().with(&profile.limits);
        segments.clone_from(&profile.segments);
        let family = families.1.unwrap_or("other networks");
        let text = format!("{id}: segments, limits and set are those of another family; now as of {family}, assumed");
        reader.warn(&table.place, "profile_changed", text);
    } else {
        tell(reader, &table.place, &id, &parts, &fates);
    }
    let topology = topology::read(reader, table, of, system, is_bus);
    let line = reader.line(table.place.offset);
    let is_machine = component.kind == super::super::Kind::Machine;
    let below_wan = component.parent.is_some_and(|parent| system.components[parent].kind == super::super::Kind::Wan);
    let topology = topology?;
    let through = reader.flag(table, "through").unwrap_or({
        let is_bus = is_bus || topology == TopologySpec::Bus;
        is_bus || (below_wan && !is_machine)
    });
    let network = Network { id, of, hardware: entry, attributes, own, parts, topology, segments, through, line };
    check(reader, table, &network);
    Some(network)
}

fn aggregator(reader: &mut Reader<'_>, table: &Table<'_, '_>, system: &System) -> Option<usize> {
    let Some((name, place)) = reader.text(table, "of", "the id of a wan, group or machine") else {
        if !table.has("of") {
            reader.missing(table, "of", "the id of a wan, group or machine");
        }
        return None;
    };
    let found = system.find(&name);
    match found {
        Some(of) if system.components[of].kind.is_aggregator() => found,
        Some(of) => {
            let message = format!("a {} has no network", system.components[of].kind);
            reader
                .wrong(&place, Problem::new("wrong_kind", message).value(name).allowed("a wan, a group or a machine"));
            None
        }
        None => {
            let message = format!("\"{}\" is not a component", shorten(&name, 60));
            let problem = Problem::new("unknown_component", message).value(name.as_str());
            let ids = system.components.iter().filter(|component| component.kind.is_aggregator());
            let problem = problem.allowed("the id of a wan, group or machine");
            reader.wrong(
                &place,
                match nearest(&name, ids.map(|component| component.id.as_str())) {
                    Some(near) => problem.hint(format!("did you mean {near}?")),
                    None => problem,
                },
            );
            None
        }
    }
}

/// What attributes say together.
fn check(reader: &mut Reader<'_>, table: &Table<'_, '_>, network: &Network) {
    let get = |key: &str| network.attributes.get(key);
    let at = |key: &str| {
        let set = table.get("set").map_or(table.place.offset, |node| node.value.span().start);
        Place { offset: set, pointer: format!("{}/set/{key}", table.pointer) }
    };
    let loggops = network.loggops().is_some();
    // A refused value is reported once, at its position.
    let set = table.get("set").and_then(|node| node.value.get_ref().as_table());
    let told = |key: &str| set.is_some_and(|set| set.contains_key(key));
    let needs_links = !matches!(network.topology, TopologySpec::Explicit { .. });
    if get("bandwidth").is_none() && !told("bandwidth") && !loggops && needs_links {
        let problem = Problem::new("missing", format!("the network {} has no bandwidth", network.id));
        let place = at("bandwidth");
        let allowed = "a bandwidth in set, a catalogue entry in hardware, or LogGOPS parameters in set";
        reader.wrong(&place, problem.allowed(allowed));
    }
    if get("latency").is_none() && !loggops && needs_links {
        let message = format!("the network {} has no latency: 0 is assumed", network.id);
        reader.warn(&at("latency"), "no_latency", message);
    }
    if let (Some(eager), Some(detach)) = (get("eager_limit"), get("detach_limit"))
        && eager > detach
    {
        let problem = out_of_range("eager_limit", &eager.to_string(), "at most detach_limit");
        reader.wrong(&at("eager_limit"), problem.hint(format!("detach_limit is {detach} bytes")));
    }
}

/// Segments by size; each inherits what it does not name from the one before.
pub(in super::super) fn segments(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Vec<Segment> {
    const WANTED: &str = "segments = [ { from = \"0B\", latency_factor = 1, bandwidth_factor = 0.9 }, .. ]";
    let Some(node) = table.get("segments") else { return Vec::new() };
    let pointer = table.at("segments");
    let nodes = reader.list(node, &pointer, WANTED).unwrap_or_default();
    let mut all: Vec<Segment> = Vec::new();
    let mut last = Segment::default();
    for (index, node) in nodes.into_iter().enumerate() {
        let Some(entry) = reader.table(node, format!("{pointer}/{index}"), "a table such as { from = \"1KiB\" }")
        else {
            continue;
        };
        if segment(reader, &entry, index == 0, &mut last).is_none() {
            continue;
        }
        if all.last().is_some_and(|before| before.from >= last.from) {
            let place = Place { pointer: entry.at("from"), ..entry.place.clone() };
            let problem = out_of_range("from", &last.from.to_string(), "more than that of the segment before");
            reader.wrong(&place, problem);
            continue;
        }
        if index == 0 && last.from > 0 {
            all.push(Segment::default());
        }
        all.push(last);
    }
    all
}

fn segment(reader: &mut Reader<'_>, entry: &Table<'_, '_>, is_first: bool, segment: &mut Segment) -> Option<()> {
    reader.allow(entry, &SEGMENT, "a segment");
    let before = reader.problem_count();
    let mut positive = |key: &str, at: &mut f64| {
        if let Some(value) = reader.bounded(entry, key, "a factor above 0", |value| value > 0.0) {
            *at = value;
        }
    };
    positive("latency_factor", &mut segment.latency_factor);
    positive("bandwidth_factor", &mut segment.bandwidth_factor);
    for key in ["overhead", "send_overhead"] {
        time(reader, entry, key, &mut segment.send_overhead_s);
    }
    for key in ["overhead", "recv_overhead"] {
        time(reader, entry, key, &mut segment.recv_overhead_s);
    }
    for key in ["overhead_per_byte", "send_overhead_per_byte"] {
        per_byte(reader, entry, key, &mut segment.send_overhead_per_byte_s);
    }
    for key in ["overhead_per_byte", "recv_overhead_per_byte"] {
        per_byte(reader, entry, key, &mut segment.recv_overhead_per_byte_s);
    }
    if entry.has("from") {
        let (from, place) = reader.quantity(entry, "from", Dimension::Bytes, "a size such as \"64KiB\"")?;
        if !(0.0..=9e15).contains(&from) {
            reader.wrong(&place, out_of_range("from", &from.to_string(), "a size from 0 to 9e15 bytes"));
        }
        segment.from = from.ceil() as u64;
    } else if !is_first {
        reader.missing(entry, "from", "the size from which the segment holds, such as \"64KiB\"");
    }
    (reader.problem_count() == before).then_some(())
}

fn time(reader: &mut Reader<'_>, entry: &Table<'_, '_>, key: &str, at: &mut f64) {
    if let Some(seconds) = reader.time(entry, key) {
        *at = seconds;
    }
}

fn per_byte(reader: &mut Reader<'_>, entry: &Table<'_, '_>, key: &str, at: &mut f64) {
    let wanted = "a time per byte, 0 or more, such as \"0.1ns\" or \"0.1ns/B\"";
    let Some(node) = entry.get(key) else { return };
    let Some((value, place)) = reader.per_byte_at(node, &entry.at(key), wanted) else { return };
    match value >= 0.0 {
        true => *at = value,
        false => reader.wrong(&place, out_of_range(key, &value.to_string(), wanted)),
    }
}
