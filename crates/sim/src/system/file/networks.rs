//! Networks of a system file.

use super::super::platform::{COPY_BANDWIDTH, COPY_LATENCY_S};
use super::super::profile::profile;
use super::super::{Kind, Network, Parts, System, TopologySpec};
use super::components::{hardware, identifier};
use super::{Changes, changed, tell, topology};
use crate::attributes::{Defaults, Quality, attribute_table, attributes};
use crate::catalogue::Catalogue;
use crate::platform::{RailChoice, Segment};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Place, Reader, Table, out_of_range};
use runcast_formula::nearest;
use runcast_formula::units::Dimension;

const MOST: usize = 10_000;
const KEYS: [&str; 14] = [
    "of",
    "id",
    "hardware",
    "between",
    "topology",
    "set",
    "segments",
    "through",
    "link",
    "route",
    "rails",
    "rail",
    "planes",
    "stripe_min",
];
/// Attributes that are written beside the others of a network, not in `set`.
const BESIDE: [&str; 4] = ["rails", "rail", "planes", "stripe_min"];
const SEGMENT: [&str; 12] = [
    "from",
    "latency_factor",
    "bandwidth_factor",
    "overhead",
    "overhead_per_byte",
    "send_overhead",
    "recv_overhead",
    "send_overhead_per_byte",
    "recv_overhead_per_byte",
    "isend_overhead",
    "isend_overhead_per_byte",
    "persistent_overhead",
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
    check_inside(reader, top, system);
}

/// Two devices of a machine whose networks join others, but not these two.
fn check_inside(reader: &mut Reader<'_>, top: &Table<'_, '_>, system: &System) {
    for machine in 0..system.components.len() {
        let inside: Vec<&Network> = system.networks_of(machine).collect();
        if inside.is_empty() || inside.iter().any(|network| network.between.is_none()) {
            continue;
        }
        let mut devices = system.devices(machine);
        devices.dedup();
        let joins = |one: usize, other: usize| {
            let both = |between: &Vec<usize>| between.contains(&one) && between.contains(&other);
            inside.iter().any(|network| network.between.as_ref().is_some_and(both))
        };
        let pairs =
            || devices.iter().enumerate().flat_map(|(at, one)| devices[at..].iter().map(move |other| (*one, *other)));
        let are_several = |one: usize, other: usize| one != other || system.components[one].count > 1;
        if let Some((one, other)) = pairs().find(|&(one, other)| are_several(one, other) && !joins(one, other)) {
            let id = |at: usize| &system.components[at].id;
            let text = format!(
                "no network of {} joins {} and {}: messages between them are copies in memory, {} GB/s and {} us",
                id(machine),
                id(one),
                id(other),
                COPY_BANDWIDTH / 1e9,
                COPY_LATENCY_S * 1e6
            );
            let offset = top.get("network").map_or(0, |node| node.value.span().start);
            reader.warn(&Place { offset, pointer: "/network".to_owned() }, "no_inner_network", text);
        }
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
    let others: Vec<&str> = KEYS.into_iter().filter(|key| !BESIDE.contains(key)).collect();
    let beside = attributes(reader, table, &others, &defaults);
    let set = attribute_table(reader, table, "set", &defaults).with(&beside);
    let own: Vec<String> = set.iter().map(|(key, _)| key.to_owned()).collect();
    let mut parts = Parts { set, ..parts };
    if changes.doubled.contains(&id) {
        parts.double();
    }
    let (mut now, fates) = parts.attributes();
    let mut segments = segments(reader, table);
    let families = (parts.of_reference.word("family"), parts.of_entry.word("family"));
    if parts.is_exchanged() && families.0 != families.1 {
        // What the file says about messages of a size is true of another family.
        let profile = profile(families.1);
        // How many ports a machine has, and which a message takes, does not depend on what they are.
        let built = parts.set.clone().only(|key| BESIDE.contains(&key) && parts.of_entry.attribute(key).is_none());
        now = parts.of_entry.clone().with(&profile.limits).with(&built);
        segments.clone_from(&profile.segments);
        let family = families.1.unwrap_or("other networks");
        let text = format!("{id}: segments, limits and set are those of another family; now as of {family}, assumed");
        reader.warn(&table.place, "profile_changed", text);
    } else {
        tell(reader, &table.place, &id, &parts, &fates);
    }
    let between = between(reader, table, of, system);
    let mut network = Network {
        id,
        of,
        between,
        hardware: entry,
        attributes: now,
        own,
        parts,
        topology: TopologySpec::Crossbar,
        segments,
        through: false,
        line: reader.line(table.place.offset),
    };
    let topology = topology::read(reader, table, &network, system, is_bus);
    let is_machine = component.kind == Kind::Machine;
    let below_wan = component.parent.is_some_and(|parent| system.components[parent].kind == Kind::Wan);
    network.topology = topology?;
    network.through = reader.flag(table, "through").unwrap_or({
        let is_bus = is_bus || network.topology == TopologySpec::Bus;
        is_bus || (below_wan && !is_machine)
    });
    check(reader, table, &network);
    check_rails(reader, table, &network, system);
    Some(network)
}

/// The children of a machine whose devices have ports: those named, by id or kind; all where links are laid to each.
fn between(reader: &mut Reader<'_>, table: &Table<'_, '_>, of: usize, system: &System) -> Option<Vec<usize>> {
    let devices: Vec<usize> = system.children(of).filter(|&child| system.components[child].kind.computes()).collect();
    let is_machine = system.components[of].kind == Kind::Machine;
    let Some(node) = table.get("between") else {
        return (is_machine && lays_links(table) && !devices.is_empty()).then_some(devices);
    };
    let place = reader.place(node, &table.at("between"));
    let known: Vec<&str> = devices.iter().map(|&child| system.components[child].id.as_str()).collect();
    let refuse = |reader: &mut Reader<'_>, problem: Problem| {
        reader.wrong(&place, problem.allowed(format!("ids of devices of a machine: {}", known.join(", "))));
        None
    };
    if !is_machine {
        let message = format!("{} is no machine: all in it is joined", system.components[of].id);
        return refuse(reader, Problem::new("wrong_kind", message));
    }
    let names = reader.list(node, &table.at("between"), "a list of ids, such as [\"gpu\"]")?;
    let mut joined = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let (name, _) = reader.text_at(name, &format!("{}/{index}", table.at("between")), "the id of a device")?;
        let called = |child: &&usize| {
            let component = &system.components[**child];
            component.id == name || component.kind.word() == name
        };
        let before = joined.len();
        joined.extend(devices.iter().filter(called));
        if joined.len() == before {
            let message = format!("{} has no device \"{}\"", system.components[of].id, shorten(&name, 60));
            let near = nearest(&name, known.iter().copied()).map(|near| format!("did you mean {near}?"));
            let mut problem = Problem::new("unknown_component", message).value(name);
            problem.hint = near;
            return refuse(reader, problem);
        }
    }
    joined.sort_unstable();
    joined.dedup();
    if joined.is_empty() {
        return refuse(reader, Problem::new("missing", "a network between no devices joins nothing"));
    }
    Some(joined)
}

/// Whether a topology is named that has links to each: any but a bus.
fn lays_links(table: &Table<'_, '_>) -> bool {
    let Some(node) = table.get("topology") else { return false };
    let value = node.value.get_ref();
    let kind = value.as_str().or_else(|| value.as_table().and_then(|table| table.get("kind")?.get_ref().as_str()));
    kind != Some("bus")
}

/// What rails demand of the machines that have them.
fn check_rails(reader: &mut Reader<'_>, table: &Table<'_, '_>, network: &Network, system: &System) {
    const MOST_RAILS: f64 = 64.0;
    let place = |key: &str| match table.get(key) {
        Some(_) => Place { pointer: table.at(key), ..table.place.clone() },
        None => table.place.clone(),
    };
    if let Some(count) = network.attributes.get("rails")
        && (count > MOST_RAILS || count.fract() != 0.0)
    {
        let wanted = format!("a whole number from 1 to {MOST_RAILS}");
        reader.wrong(&place("rails"), out_of_range("rails", &count.to_string(), &wanted));
        return;
    }
    let Some(rails) = network.rails() else { return };
    if system.components[network.of].kind == Kind::Machine || matches!(network.topology, TopologySpec::Explicit { .. })
    {
        let problem = Problem::new("wrong_kind", format!("{} cannot have rails", network.id));
        let allowed = "rails of a network that joins machines, laid by a rule: star, fat_tree, torus, dragonfly";
        reader.wrong(&place("rails"), problem.allowed(allowed));
        return;
    }
    for machine in system.children(network.of).filter(|&child| system.components[child].kind == Kind::Machine) {
        let devices = system.devices(machine);
        let of_kind = |device: &&usize| system.components[**device].kind != Kind::Cpu && **device != machine;
        let count = devices.iter().filter(of_kind).count();
        if count > 0 && count < rails.count as usize && rails.choice.is_none_or(|choice| choice == RailChoice::Affinity)
        {
            let text = format!(
                "{} has {} rails and {count} devices, each of which takes one: the others are idle; rail = \"load\" or \
                 \"stripe\" uses them",
                system.components[machine].id, rails.count
            );
            reader.warn(&place("rails"), "rails_idle", text);
        }
    }
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
    for (key, at) in
        [("isend_overhead", &mut segment.isend_overhead_s), ("persistent_overhead", &mut segment.persistent_overhead_s)]
    {
        if let Some(seconds) = reader.time(entry, key) {
            *at = Some(seconds);
        }
    }
    if entry.has("isend_overhead_per_byte") {
        let mut seconds = 0.0;
        per_byte(reader, entry, "isend_overhead_per_byte", &mut seconds);
        segment.isend_overhead_per_byte_s = Some(seconds);
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
