//! How the links of a network are laid, in a system file.

use super::super::network::PortIds;
use super::super::{ExplicitLink, ExplicitRoute, Network, System, TopologySpec};
use crate::topology::{MOST_LEVELS, OUTSIDE};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Place, Reader, Table, out_of_range};
use runcast_formula::nearest;
use runcast_formula::units::Dimension;
use std::collections::{HashMap, HashSet};
use toml::de::DeValue;

const KINDS: [&str; 7] = ["star", "crossbar", "bus", "fat_tree", "torus", "dragonfly", "explicit"];
/// More ports of a switch, or more of anything in a topology, are not read.
const MOST: u64 = 1 << 24;
const MOST_DIMENSIONS: usize = 16;

/// The topology of a network; without one a star, of a bus a bus.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    network: &Network,
    system: &System,
    is_bus: bool,
) -> Option<TopologySpec> {
    let joined = PortIds::new(system, network.of, network.between.as_deref());
    let Some(node) = table.get("topology") else {
        let default = if is_bus { TopologySpec::Bus } else { TopologySpec::Star { backbone: None } };
        return match table.has("link") || table.has("route") {
            true => explicit(reader, table, &joined),
            false => Some(default),
        };
    };
    if let DeValue::String(word) = node.value.get_ref() {
        let place = reader.place(node, &table.at("topology"));
        return match word.as_ref() {
            "star" => Some(TopologySpec::Star { backbone: None }),
            "crossbar" => Some(TopologySpec::Crossbar),
            "bus" => Some(TopologySpec::Bus),
            "explicit" => explicit(reader, table, &joined),
            word if KINDS.contains(&word) => {
                let problem = Problem::new("missing", format!("a {word} has sizes")).value(word);
                reader.wrong(
                    &place,
                    problem.allowed(format!("topology = {{ kind = \"{word}\", {} }}", keys(word).join(", "))),
                );
                None
            }
            word => {
                let message = format!("\"{}\" is not a topology", shorten(word, 60));
                let problem = Problem::new("unknown_name", message).value(word).allowed(KINDS.join(", "));
                reader.wrong(
                    &place,
                    match nearest(word, KINDS) {
                        Some(near) => problem.hint(format!("did you mean {near}?")),
                        None => problem,
                    },
                );
                None
            }
        };
    }
    let topology = reader.table(node, table.at("topology"), "a kind such as \"star\", or a table { kind = .. }")?;
    let kind = match topology.has("kind") {
        true => KINDS[reader.choice(&topology, "kind", &KINDS)?],
        false => {
            reader.missing(&topology, "kind", &KINDS.join(", "));
            return None;
        }
    };
    let mut allowed = vec!["kind"];
    allowed.extend(keys(kind));
    reader.allow(&topology, &allowed, &format!("a topology of kind {kind}"));
    let rails = network.rails().filter(|rails| !rails.planes).map_or(1, |rails| u64::from(rails.count));
    let ports = joined.count().saturating_mul(rails);
    match kind {
        "star" => Some(TopologySpec::Star { backbone: backbone(reader, &topology)? }),
        "crossbar" => Some(TopologySpec::Crossbar),
        "bus" => Some(TopologySpec::Bus),
        "fat_tree" => fat_tree(reader, &topology, ports),
        "torus" => torus(reader, &topology, ports),
        "dragonfly" => dragonfly(reader, &topology, ports),
        _ => explicit(reader, if topology.has("route") { &topology } else { table }, &joined),
    }
}

fn keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "star" => &["backbone"],
        "fat_tree" => &["down", "up", "links"],
        "torus" => &["dims"],
        "dragonfly" => &["groups", "chassis", "routers", "nodes", "group_links", "chassis_links", "router_links"],
        "explicit" => &["link", "route"],
        _ => &[],
    }
}

/// None after a problem; some of none without a backbone.
fn backbone(reader: &mut Reader<'_>, topology: &Table<'_, '_>) -> Option<Option<(f64, f64)>> {
    if !topology.has("backbone") {
        return Some(None);
    }
    let backbone = reader.table_at(topology, "backbone")?;
    reader.allow(&backbone, &["bandwidth", "latency"], "a backbone");
    let bandwidth = bandwidth(reader, &backbone)?;
    let latency = if backbone.has("latency") { reader.time(&backbone, "latency")? } else { 0.0 };
    Some(Some((bandwidth, latency)))
}

fn bandwidth(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<f64> {
    const WANTED: &str = "a bandwidth above 0 such as \"10GB/s\"";
    if !table.has("bandwidth") {
        reader.missing(table, "bandwidth", WANTED);
        return None;
    }
    let (bandwidth, place) = reader.quantity(table, "bandwidth", Dimension::BytesPerTime, WANTED)?;
    if bandwidth > 0.0 {
        return Some(bandwidth);
    }
    reader.wrong(&place, out_of_range("bandwidth", &bandwidth.to_string(), WANTED));
    None
}

/// A list of whole numbers from 1.
fn extents(reader: &mut Reader<'_>, topology: &Table<'_, '_>, key: &str, most: usize) -> Option<Vec<u32>> {
    let wanted = "a list of whole numbers from 1, such as [16, 2]";
    let Some(node) = topology.get(key) else {
        reader.missing(topology, key, wanted);
        return None;
    };
    let pointer = topology.at(key);
    let place = reader.place(node, &pointer);
    let nodes = reader.list(node, &pointer, wanted)?;
    if nodes.is_empty() || nodes.len() > most {
        let problem = Problem::new("out_of_range", format!("{key} has {} numbers", nodes.len()));
        reader.wrong(&place, problem.allowed(format!("from 1 to {most} numbers")));
        return None;
    }
    reader.each(nodes, &pointer, |reader, node, pointer| {
        reader.whole_at(node, pointer, key, 1, MOST).map(|extent| extent as u32)
    })
}

/// Whether this many places are enough for the children, and not too many to number.
fn fits(reader: &mut Reader<'_>, topology: &Table<'_, '_>, key: &str, places: Option<u64>, ports: u64) -> Option<()> {
    let place = Place { pointer: topology.at(key), ..topology.place.clone() };
    let problem = match places {
        Some(places) if places >= ports && places <= u64::from(u32::MAX / 64) => return Some(()),
        Some(places) if places < ports => {
            let problem = Problem::new("too_small", format!("the topology has {places} places for {ports} children"));
            problem.value(places.to_string()).allowed(format!("{ports} or more"))
        }
        _ => {
            Problem::new("too_large", "the topology has too many places").allowed(format!("at most {}", u32::MAX / 64))
        }
    };
    reader.wrong(&place, problem);
    None
}

fn product(extents: &[u32]) -> Option<u64> {
    extents.iter().try_fold(1_u64, |product, &extent| product.checked_mul(u64::from(extent)))
}

fn fat_tree(reader: &mut Reader<'_>, topology: &Table<'_, '_>, ports: u64) -> Option<TopologySpec> {
    let down = extents(reader, topology, "down", MOST_LEVELS);
    let up = extents(reader, topology, "up", MOST_LEVELS);
    let links = match topology.has("links") {
        true => extents(reader, topology, "links", MOST_LEVELS),
        false => down.as_ref().map(|down| vec![1; down.len()]),
    };
    let (down, up, links) = (down?, up?, links?);
    for (key, list) in [("up", &up), ("links", &links)] {
        if list.len() != down.len() {
            let place = Place { pointer: topology.at(key), ..topology.place.clone() };
            let problem =
                Problem::new("out_of_range", format!("{key} has {} levels, down has {}", list.len(), down.len()));
            reader.wrong(&place, problem.allowed("as many numbers in each of down, up and links"));
            return None;
        }
    }
    fits(reader, topology, "down", product(&down), ports)?;
    // Cables of every level are numbered.
    for level in 0..down.len() {
        let mut cables = [&up[..=level], &down[level..]].concat();
        cables.push(links[level]);
        fits(reader, topology, "up", product(&cables), 0)?;
    }
    Some(TopologySpec::FatTree { down, up, links })
}

fn torus(reader: &mut Reader<'_>, topology: &Table<'_, '_>, ports: u64) -> Option<TopologySpec> {
    let dims = extents(reader, topology, "dims", MOST_DIMENSIONS)?;
    fits(reader, topology, "dims", product(&dims), ports)?;
    Some(TopologySpec::Torus { dims })
}

fn dragonfly(reader: &mut Reader<'_>, topology: &Table<'_, '_>, ports: u64) -> Option<TopologySpec> {
    let mut get = |key: &str, default: Option<u32>| match (topology.has(key), default) {
        (true, _) => reader.whole(topology, key, 1, MOST).map(|count| count as u32),
        (false, Some(default)) => Some(default),
        (false, None) => {
            reader.missing(topology, key, "a whole number from 1");
            None
        }
    };
    let (groups, chassis) = (get("groups", None), get("chassis", Some(1)));
    let (routers, nodes) = (get("routers", None), get("nodes", None));
    let group_links = get("group_links", Some(1));
    let (chassis_links, router_links) = (get("chassis_links", Some(1)), get("router_links", Some(1)));
    let (groups, chassis, routers, nodes) = (groups?, chassis?, routers?, nodes?);
    fits(reader, topology, "nodes", product(&[groups, chassis, routers, nodes]), ports)?;
    let cables = [product(&[groups, chassis, routers, routers]), product(&[groups, chassis, chassis, routers])];
    for cables in cables.into_iter().chain([product(&[groups, groups])]) {
        fits(reader, topology, "routers", cables, 0)?;
    }
    if groups > 1 && groups > routers {
        let place = Place { pointer: topology.at("routers"), ..topology.place.clone() };
        let problem = out_of_range("routers", &routers.to_string(), "at least as many as groups");
        reader.wrong(&place, problem.hint("router j of a group has the link to group j"));
        return None;
    }
    Some(TopologySpec::Dragonfly {
        groups,
        chassis,
        routers,
        nodes,
        group_links: group_links?,
        chassis_links: chassis_links?,
        router_links: router_links?,
    })
}

/// Links and routes by name; every pair of children must have a route.
fn explicit(reader: &mut Reader<'_>, table: &Table<'_, '_>, ports: &PortIds<'_>) -> Option<TopologySpec> {
    let before = reader.problem_count();
    let mut links = Vec::new();
    let mut numbers = HashMap::new();
    for entry in reader.tables(table, "link") {
        let Some(link) = link(reader, &entry) else { continue };
        if numbers.insert(link.id.clone(), links.len() as u32).is_some() {
            let problem =
                Problem::new("twice", format!("two links are called \"{}\"", link.id)).value(link.id.as_str());
            reader.wrong(&entry.place, problem);
        }
        links.push(link);
    }
    if reader.problem_count() > before {
        return None;
    }
    let mut routes = Vec::new();
    let mut known = HashMap::new();
    for entry in reader.tables(table, "route") {
        let Some(route) = route(reader, &entry, ports, &numbers) else { continue };
        let (Some(from), Some(to)) = (ports.find(&route.from), ports.find(&route.to)) else { continue };
        let mut note = |from: u32, to: u32| {
            if let Some(line) = known.insert((from, to), route.line) {
                let message = format!("there are two routes from {} to {}", route.from, route.to);
                let hint = format!("the other is on line {line}; a route holds both ways unless one_way = true");
                reader.wrong(&entry.place, Problem::new("twice", message).hint(hint));
            }
        };
        note(from, to);
        if !route.one_way && from != to {
            note(to, from);
        }
        routes.push(route);
    }
    if reader.problem_count() > before {
        return None;
    }
    let pairs: HashSet<(u32, u32)> = known.keys().copied().collect();
    missing(reader, table, ports, &pairs)?;
    Some(TopologySpec::Explicit { links, routes })
}

/// Reports the first pair of children without a route.
fn missing(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    ports: &PortIds<'_>,
    known: &HashSet<(u32, u32)>,
) -> Option<()> {
    for from in 0..ports.count() {
        for to in 0..ports.count() {
            // Each pair that is there is in the file, so that this ends soon.
            if from != to && !known.contains(&(from as u32, to as u32)) {
                let message = format!("there is no route from {} to {}", ports.name(from), ports.name(to));
                let place = Place { pointer: table.at("route"), ..table.place.clone() };
                reader.wrong(&place, Problem::new("no_route", message).allowed("a route for each pair of children"));
                return None;
            }
        }
    }
    Some(())
}

fn link(reader: &mut Reader<'_>, entry: &Table<'_, '_>) -> Option<ExplicitLink> {
    reader.allow(entry, &["id", "bandwidth", "latency", "shared", "duplex"], "a link");
    let Some((id, _)) = reader.text(entry, "id", "the name of the link") else {
        if !entry.has("id") {
            reader.missing(entry, "id", "the name of the link");
        }
        return None;
    };
    let bandwidth = bandwidth(reader, entry);
    let latency = if entry.has("latency") { reader.time(entry, "latency") } else { Some(0.0) };
    let shared = reader.flag(entry, "shared").unwrap_or(true);
    let duplex = match entry.has("duplex") {
        true => reader.choice(entry, "duplex", &["full", "half"])?,
        false => 0,
    };
    Some(ExplicitLink { id, bandwidth: bandwidth?, latency_s: latency?, shared, full_duplex: duplex == 0 && shared })
}

fn route(
    reader: &mut Reader<'_>,
    entry: &Table<'_, '_>,
    ports: &PortIds<'_>,
    numbers: &HashMap<String, u32>,
) -> Option<ExplicitRoute> {
    reader.allow(entry, &["from", "to", "links", "one_way"], "a route");
    let from = end(reader, entry, "from", ports);
    let to = end(reader, entry, "to", ports);
    let one_way = reader.flag(entry, "one_way").unwrap_or(false);
    let Some(node) = entry.get("links") else {
        reader.missing(entry, "links", "a list of links, such as [\"a\", \"b\"]");
        return None;
    };
    let pointer = entry.at("links");
    let nodes = reader.list(node, &pointer, "a list of links, such as [\"a\", \"b\"]")?;
    let links = reader.each(nodes, &pointer, |reader, node, pointer| {
        let (name, place) = reader.text_at(node, pointer, "the id of a link")?;
        let (id, back) = match name.strip_prefix('-') {
            Some(id) if !numbers.contains_key(&name) => (id, true),
            _ => (name.as_str(), false),
        };
        if let Some(&number) = numbers.get(id) {
            return Some((number, back));
        }
        let problem = Problem::new("unknown_link", format!("\"{}\" is not a link", shorten(id, 60))).value(id);
        let problem = problem.allowed("the id of a link, with - in front where it is passed the other way");
        reader.wrong(
            &place,
            match nearest(id, numbers.keys().map(String::as_str)) {
                Some(near) => problem.hint(format!("did you mean {near}?")),
                None => problem,
            },
        );
        None
    })?;
    let (from, to) = (from?, to?);
    if from == to {
        let problem = Problem::new("out_of_range", format!("a route from {from} to itself")).value(to);
        reader.wrong(&entry.place, problem.allowed("two children"));
        return None;
    }
    let line = reader.line(entry.place.offset);
    Some(ExplicitRoute { from, to, links, one_way, line })
}

fn end(reader: &mut Reader<'_>, entry: &Table<'_, '_>, key: &str, ports: &PortIds<'_>) -> Option<String> {
    const WANTED: &str = "a child such as \"a\" or \"node[3]\", or the network's own group for what is outside";
    let Some((name, place)) = reader.text(entry, key, WANTED) else {
        if !entry.has(key) {
            reader.missing(entry, key, WANTED);
        }
        return None;
    };
    if ports.find(&name).is_some() {
        return Some(name);
    }
    let problem = Problem::new("unknown_component", format!("\"{}\" is not a child here", shorten(&name, 60)));
    let problem = problem.value(name.as_str()).allowed(WANTED);
    reader.wrong(
        &place,
        match nearest(&name, ports.ids()) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem,
        },
    );
    None
}

/// The port of the outside is none of the children's.
const _: () = assert!(OUTSIDE == u32::MAX);
