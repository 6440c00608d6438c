//! A system as a file that reads back as the same.

use super::file::FORMAT;
use super::{Component, Network, System, TopologySpec};
use crate::attributes::{Attributes, KNOWN, Value, What};
use crate::model::DEFAULT;
use crate::platform::Segment;
use runcast_formula::units::{Dimension, Quantity};
use std::fmt::Write;

/// A system file. Computational models are not part of it: nothing that is converted has any.
pub fn write(system: &System) -> String {
    let mut text = format!("format = {}\nname = {}\n", quoted(FORMAT), quoted(&system.name));
    if let Some(model) = system.default_model.as_deref().filter(|model| *model == DEFAULT) {
        text += &format!("default_model = {}\n", quoted(model));
    }
    if let Some(faults) = &system.faults {
        text += &crate::faults::written(faults);
    }
    text += "component = [\n";
    for component in &system.components {
        text += &format!("  {},\n", component_line(system, component));
    }
    text += "]\n";
    for network in &system.networks {
        text += &network_table(system, network);
    }
    text
}

fn component_line(system: &System, component: &Component) -> String {
    let mut parts =
        vec![format!("id = {}", quoted(&component.id)), format!("kind = {}", quoted(component.kind.word()))];
    if let Some(parent) = component.parent {
        parts.push(format!("parent = {}", quoted(&system.components[parent].id)));
    }
    if component.count != 1 {
        parts.push(format!("count = {}", component.count));
    }
    parts.extend(component.hardware.iter().map(|entry| format!("hardware = {}", quoted(entry))));
    parts.extend(set(&component.attributes, &component.own).map(|set| format!("set = {set}")));
    format!("{{ {} }}", parts.join(", "))
}

fn network_table(system: &System, network: &Network) -> String {
    let component = &system.components[network.of];
    let mut text = format!("[[network]]\nof = {}\n", quoted(&component.id));
    if network.id != component.id {
        text += &format!("id = {}\n", quoted(&network.id));
    }
    if let Some(entry) = &network.hardware {
        text += &format!("hardware = {}\n", quoted(entry));
    }
    if let Some(between) = &network.between {
        let ids: Vec<String> = between.iter().map(|&child| quoted(&system.components[child].id)).collect();
        text += &format!("between = [{}]\n", ids.join(", "));
    }
    if !component.kind.is_host() || network.between.is_some() {
        text += &topology(&network.topology);
    }
    if network.through {
        text += "through = true\n";
    }
    if let Some(set) = set(&network.attributes, &network.own) {
        text += &format!("set = {set}\n");
    }
    if !network.segments.is_empty() {
        text += "segments = [\n";
        for segment in &network.segments {
            text += &format!("  {},\n", segment_line(segment));
        }
        text += "]\n";
    }
    text
}

fn set(attributes: &Attributes, own: &[String]) -> Option<String> {
    let mut parts = Vec::new();
    for (key, attribute) in attributes.iter().filter(|(key, _)| own.iter().any(|own| own == key)) {
        let value = match &attribute.value {
            Value::Number(number) => number_of(key, *number, &attribute.unit),
            Value::Flag(flag) => flag.to_string(),
            Value::Word(word) => quoted(word),
            Value::Curve(points) => {
                let points: Vec<String> =
                    points.iter().map(|&(x, y)| format!("[{}, {}]", plain(x), plain(y))).collect();
                format!("[{}]", points.join(", "))
            }
            Value::States(states) => {
                let states: Vec<String> = states.iter().map(state_line).collect();
                format!("[{}]", states.join(", "))
            }
        };
        parts.push(format!("{key} = {value}"));
    }
    (!parts.is_empty()).then(|| format!("{{ {} }}", parts.join(", ")))
}

/// A power state as it is in a file.
pub fn state_line(state: &crate::attributes::PowerState) -> String {
    let idle = state.power_idle.map(|idle| format!(", power_idle = {}", quantity(idle, "W"))).unwrap_or_default();
    let (name, load) = (quoted(&state.name), quantity(state.power_load, "W"));
    format!("{{ name = {name}, factor = {}{idle}, power_load = {load} }}", plain(state.factor))
}

/// A number with a unit, if it reads back as the same, else as it is.
pub(crate) fn number_of(key: &str, value: f64, unit: &str) -> String {
    let known = KNOWN.iter().find(|known| known.key == key);
    let unit = match known.map(|known| known.what) {
        Some(What::Quantity(Dimension::OperationsPerTime)) => "flop/s",
        Some(What::Quantity(dimension)) => dimension.si_unit(),
        _ => unit,
    };
    quantity(value, unit)
}

fn quantity(value: f64, unit: &str) -> String {
    const SMALL: [(&str, f64); 4] = [("", 1.0), ("m", 1e-3), ("u", 1e-6), ("n", 1e-9)];
    const LARGE: [(&str, f64); 5] = [("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)];
    let prefixes: &[(&str, f64)] = match unit {
        "s" | "s/B" | "W" => &SMALL,
        "B/s" | "flop/s" | "B" | "Hz" => &LARGE,
        _ => &[],
    };
    if value == 0.0 || prefixes.is_empty() {
        return plain(value);
    }
    for (prefix, factor) in prefixes.iter().filter(|(_, factor)| value >= *factor) {
        let scaled = format!("{:.12e}", value / factor).parse().unwrap_or(value);
        let text = format!("{}{prefix}{unit}", shortest(scaled));
        if Quantity::parse(&text).is_ok_and(|quantity| quantity.value == value) {
            return quoted(&text);
        }
    }
    plain(value)
}

/// A number that TOML reads back as the same.
fn plain(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e9 { format!("{}", value as i64) } else { shortest(value) }
}

fn shortest(value: f64) -> String {
    let text = format!("{value}");
    if text.len() <= 17 { text } else { format!("{value:e}") }
}

fn segment_line(segment: &Segment) -> String {
    let mut line = format!(
        "{{ from = {}, latency_factor = {}, bandwidth_factor = {}",
        segment.from,
        plain(segment.latency_factor),
        plain(segment.bandwidth_factor)
    );
    let pairs = [
        ("overhead", segment.send_overhead_s, segment.recv_overhead_s, "s"),
        ("overhead_per_byte", segment.send_overhead_per_byte_s, segment.recv_overhead_per_byte_s, "s/B"),
    ];
    for (key, send, receive, unit) in pairs {
        let _ = if send == receive {
            write!(line, ", {key} = {}", quantity(send, unit))
        } else {
            write!(line, ", send_{key} = {}, recv_{key} = {}", quantity(send, unit), quantity(receive, unit))
        };
    }
    let others = [
        ("isend_overhead", segment.isend_overhead_s, "s"),
        ("isend_overhead_per_byte", segment.isend_overhead_per_byte_s, "s/B"),
        ("persistent_overhead", segment.persistent_overhead_s, "s"),
    ];
    for (key, value, unit) in others {
        if let Some(value) = value {
            let _ = write!(line, ", {key} = {}", quantity(value, unit));
        }
    }
    line + " }"
}

fn topology(topology: &TopologySpec) -> String {
    match topology {
        TopologySpec::Star { backbone: None } => String::new(),
        TopologySpec::Star { backbone: Some((bandwidth, latency)) } => format!(
            "topology = {{ kind = \"star\", backbone = {{ bandwidth = {}, latency = {} }} }}\n",
            quantity(*bandwidth, "B/s"),
            quantity(*latency, "s")
        ),
        TopologySpec::Crossbar => "topology = \"crossbar\"\n".to_owned(),
        TopologySpec::Bus => "topology = \"bus\"\n".to_owned(),
        TopologySpec::FatTree { down, up, links } => {
            format!("topology = {{ kind = \"fat_tree\", down = {down:?}, up = {up:?}, links = {links:?} }}\n")
        }
        TopologySpec::Torus { dims } => format!("topology = {{ kind = \"torus\", dims = {dims:?} }}\n"),
        TopologySpec::Dragonfly { groups, chassis, routers, nodes, group_links, chassis_links, router_links } => {
            format!(
                "topology = {{ kind = \"dragonfly\", groups = {groups}, chassis = {chassis}, routers = {routers}, \
             nodes = {nodes}, group_links = {group_links}, chassis_links = {chassis_links}, \
             router_links = {router_links} }}\n"
            )
        }
        TopologySpec::Explicit { links, routes } => {
            let mut text = "topology = \"explicit\"\nlink = [\n".to_owned();
            for link in links {
                let policy = match (link.shared, link.full_duplex) {
                    (false, _) => ", shared = false",
                    (true, false) => ", duplex = \"half\"",
                    (true, true) => "",
                };
                let (bandwidth, latency) = (quantity(link.bandwidth, "B/s"), quantity(link.latency_s, "s"));
                let id = quoted(&link.id);
                let _ = writeln!(text, "  {{ id = {id}, bandwidth = {bandwidth}, latency = {latency}{policy} }},");
            }
            text += "]\nroute = [\n";
            for route in routes {
                let name = |&(link, back): &(u32, bool)| {
                    let id = &links[link as usize].id;
                    quoted(&if back { format!("-{id}") } else { id.clone() })
                };
                let names: Vec<String> = route.links.iter().map(name).collect();
                let way = if route.one_way { ", one_way = true" } else { "" };
                let (from, to) = (quoted(&route.from), quoted(&route.to));
                let _ = writeln!(text, "  {{ from = {from}, to = {to}, links = [{}]{way} }},", names.join(", "));
            }
            text + "]\n"
        }
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
