//! Systems for people.

use crate::context::Screen;
use crate::human::{self, Table};
use runcast_sim::attributes::{Attribute, Attributes, PowerState, Value};
use runcast_sim::system::{Component, Kind, System, TopologySpec, Totals};
use std::fmt::Write;

/// The tree, a component a line, networks beneath the component whose children they join.
pub(super) fn tree(system: &System) -> String {
    let mut text = format!("{}\n", system.name);
    if !system.components.is_empty() {
        branch(system, 0, "", true, &mut text);
    }
    text
}

fn branch(system: &System, index: usize, indent: &str, is_last: bool, text: &mut String) {
    let component = &system.components[index];
    let (fork, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
    let _ = writeln!(text, "{indent}{fork}{}", component_line(component));
    let indent = format!("{indent}{below}");
    let children: Vec<usize> = system.children(index).collect();
    let stem = if children.is_empty() { "   " } else { "│  " };
    for network in system.networks_of(index) {
        let mut line = format!("{} network", network.topology.word());
        if network.id != component.id {
            line = format!("{} \"{}\"", line, network.id);
        }
        if component.kind == Kind::Machine {
            line = "inside".to_owned();
        }
        if let Some(entry) = &network.hardware {
            line += &format!(", {entry}");
        }
        if !matches!(network.topology, TopologySpec::Explicit { .. }) || component.kind == Kind::Machine {
            let bandwidth = network.bandwidth();
            if bandwidth.is_finite() {
                line += &format!(", {}", human::quantity(bandwidth, "B/s"));
            }
            line += &format!(", {}", human::quantity(network.latency_s(), "s"));
        }
        if !network.shared() {
            line += ", not shared";
        }
        if network.through {
            line += ", on the way out";
        }
        let _ = writeln!(text, "{indent}{stem}~ {line}");
    }
    for (at, child) in children.iter().enumerate() {
        branch(system, *child, &indent, at + 1 == children.len(), text);
    }
}

fn component_line(component: &Component) -> String {
    let mut line = component.id.clone();
    if component.total > 1 {
        line += &match component.total == component.count {
            true => format!(" x {}", component.count),
            false => format!(" x {} (in all {})", component.count, component.total),
        };
    }
    line += &format!("  {}", component.kind);
    if let Some(entry) = &component.hardware {
        line += &format!(", {entry}");
    }
    let get = |key: &str| component.attributes.get(key);
    if let Some(cores) = get("cores").filter(|_| component.kind.computes()) {
        line += &format!(", {}", human::count(cores as usize, "core", "cores"));
    }
    if let Some(flops) = get("flops_double") {
        line += &format!(", {}", human::quantity(flops, "flop/s"));
    }
    if let Some(watts) = get("power_load").or(get("power_idle")) {
        line += &format!(", {}", human::quantity(watts, "W"));
    }
    line
}

/// All attributes, with where they come from.
pub(super) fn attributes(system: &System, screen: Screen) -> String {
    let mut table = Table::new().text("of").text("attribute").number("value").text("quality").text("source");
    let mut add = |of: &str, attributes: &Attributes| {
        for (key, attribute) in attributes.iter() {
            let cells = [of, key, &value(attribute), attribute.quality.word(), &attribute.source];
            table.row(cells);
        }
    };
    for component in &system.components {
        add(&component.id, &component.attributes);
    }
    for network in &system.networks {
        add(&format!("network {}", network.id), &network.attributes);
    }
    if table.is_empty() { String::new() } else { format!("\n{}", table.render(screen)) }
}

/// A value for people.
pub(crate) fn value(attribute: &Attribute) -> String {
    match &attribute.value {
        Value::Number(number) => {
            let unit = if attribute.unit == "op/s" { "flop/s" } else { attribute.unit.as_str() };
            match unit {
                "" => human::parameter(*number),
                unit => human::quantity(*number, unit),
            }
        }
        Value::Flag(true) => "yes".to_owned(),
        Value::Flag(false) => "no".to_owned(),
        Value::Word(word) => word.clone(),
        Value::Curve(points) => {
            let points = points.iter().map(|(threads, watts)| format!("{threads}: {watts} W"));
            points.collect::<Vec<_>>().join(", ")
        }
        Value::States(states) => {
            let one = |state: &PowerState| format!("{}: {}, {} W", state.name, state.factor, state.power_load);
            states.iter().map(one).collect::<Vec<_>>().join("; ")
        }
    }
}

/// What a system has in all, in a line.
pub(super) fn summary(totals: &Totals) -> String {
    let whole =
        |number: u64, one: &str, many: &str| human::count(usize::try_from(number).unwrap_or(usize::MAX), one, many);
    let mut parts = vec![whole(totals.machines, "machine", "machines")];
    parts.push(whole(totals.cores as u64, "core", "cores"));
    if totals.accelerators > 0 {
        parts.push(whole(totals.accelerators, "accelerator", "accelerators"));
    }
    if totals.flops_double_per_s > 0.0 {
        parts.push(human::quantity(totals.flops_double_per_s, "flop/s"));
    }
    if let (Some(idle), Some(load)) = (totals.power_idle_w, totals.power_load_w) {
        parts.push(format!("{} idle, {} under load", human::quantity(idle, "W"), human::quantity(load, "W")));
    }
    if let Some(rate) = totals.failure_rate_per_s.filter(|rate| *rate > 0.0) {
        parts.push(format!("a failure every {}", human::quantity(1.0 / rate, "s")));
    }
    if let Some(price) = totals.price {
        parts.push(format!("price {}", human::significant(price, 3)));
    }
    parts.join(", ")
}

/// What is assumed, a line each.
pub(super) fn assumed(assumed: &[String]) -> String {
    assumed.iter().map(|text| format!("assumed: {text}\n")).collect()
}
