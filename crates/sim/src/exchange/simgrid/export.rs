//! Exports a system as a platform of SimGrid.

use super::Exported;
use super::config::{Messages, left_out, number};
use super::power;
use super::xml::escape;
use crate::attributes::Attributes;
use crate::system::{ExplicitRoute, Kind, Network, System, TopologySpec};
use runcast_core::{Problem, Warning};
use std::fmt::Write;

/// Routes of each pair are written; more machines than these in one network without a cluster are refused.
const MOST_PAIRS: u64 = 1 << 22;

/// Writes a platform file of version 4.1.
///
/// # Errors
/// The system cannot be one: volunteers, a machine without processors, children of unlike kinds in a topology.
pub fn export(system: &System) -> Result<Exported, Problem> {
    let mut writer = Writer { system, text: String::new(), warnings: Vec::new() };
    writer.text += "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
    writer.text += "<platform version=\"4.1\">\n";
    writer.config();
    writer.element(0, 1)?;
    writer.text += "</platform>\n";
    Ok(Exported { text: writer.text, warnings: writer.warnings })
}

struct Writer<'s> {
    system: &'s System,
    text: String,
    warnings: Vec<Warning>,
}

/// What SimGrid knows of a processor: flop/s of a core, cores, properties.
struct Processor {
    speed: f64,
    cores: f64,
    props: Vec<(&'static str, String)>,
}

/// A property of the outermost zone: what the system is called.
pub(super) const NAME: &str = "runcast/name";

impl Writer<'_> {
    fn config(&mut self) {
        let mut networks = self.system.networks.iter();
        let Some(first) = networks.next() else { return };
        let messages = Messages::of(&first.segments, &first.attributes);
        if let Some(other) = networks.find(|other| Messages::of(&other.segments, &other.attributes) != messages) {
            let text =
                format!("SimGrid has one law for all messages: that of {} is used, not that of {}", first.id, other.id);
            self.warnings.push(left_out(text));
        }
        for network in self.system.networks.iter().filter(|network| network.loggops().is_some()) {
            self.warnings.push(left_out(format!("{}: LogGOPS parameters are left out", network.id)));
        }
        for network in &self.system.networks {
            if network.between.is_some() {
                let text = format!("{}: ports of devices in a machine are left out: one link is for all", network.id);
                self.warnings.push(left_out(text));
            }
            if let Some(rails) = network.rails() {
                let text = format!("{}: one rail of {} is written", network.id, rails.count);
                self.warnings.push(left_out(text));
            }
        }
        let props = messages.write();
        if props.is_empty() {
            return;
        }
        self.text += " <config>\n";
        for (id, value) in props {
            let _ = writeln!(self.text, "  <prop id=\"{id}\" value=\"{value}\"/>");
        }
        self.text += " </config>\n";
    }

    fn element(&mut self, component: usize, depth: usize) -> Result<(), Problem> {
        let this = &self.system.components[component];
        match this.kind {
            Kind::Wan | Kind::Group if self.is_cluster(component) => self.cluster(component, depth),
            Kind::Wan | Kind::Group => self.zone(component, depth),
            Kind::Machine if this.parent.is_none() => {
                let id = escape(&this.id);
                let _ = writeln!(self.text, "{}<zone id=\"{id}.zone\" routing=\"Full\">", pad(depth));
                self.host(component, &this.id, depth + 1)?;
                let _ = writeln!(self.text, "{}</zone>", pad(depth));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A group of identical machines, with nothing in them but processors, on a topology that SimGrid knows for clusters.
    fn is_cluster(&self, component: usize) -> bool {
        let mut children = self.system.children(component);
        let (Some(machine), None) = (children.next(), children.next()) else { return false };
        let is_plain = self.system.children(machine).all(|child| self.system.components[child].kind == Kind::Cpu);
        let topology = self.system.networks_of(component).next().map(|network| &network.topology);
        let fits = matches!(
            topology,
            Some(
                TopologySpec::Star { .. }
                    | TopologySpec::Crossbar
                    | TopologySpec::FatTree { .. }
                    | TopologySpec::Torus { .. }
                    | TopologySpec::Dragonfly { .. }
            )
        );
        self.system.components[machine].kind == Kind::Machine && is_plain && fits
    }

    fn cluster(&mut self, component: usize, depth: usize) -> Result<(), Problem> {
        let (Some(machine), Some(network)) =
            (self.system.children(component).next(), self.system.networks_of(component).next())
        else {
            return Ok(());
        };
        self.others(component);
        let group = &self.system.components[component];
        if group.count != 1 {
            return Err(self.refuse(component, "a group that is there several times"));
        }
        let nodes = &self.system.components[machine];
        let processor = self.processor(machine)?;
        let places = network.topology.places().filter(|places| *places != nodes.count);
        if let Some(places) = places {
            let text = format!("{}: SimGrid needs {places} machines, one at each place, not {}", group.id, nodes.count);
            self.warnings.push(left_out(text));
        }
        let mut line = format!(
            "<cluster id=\"{}\" prefix=\"{}-\" suffix=\"\" radical=\"0-{}\" speed=\"{}f\" core=\"{}\" bw=\"{}Bps\" lat=\"{}s\"",
            escape(&group.id),
            escape(&nodes.id),
            nodes.count - 1,
            number(processor.speed),
            processor.cores,
            number(network.bandwidth()),
            number(network.latency_s())
        );
        let _ = write!(line, " sharing_policy=\"{}\"", policy(network.shared(), network.full_duplex()));
        if let Some(inside) = self.system.networks_of(machine).next() {
            let (bandwidth, latency) = (number(inside.bandwidth()), number(inside.latency_s()));
            let _ = write!(line, " loopback_bw=\"{bandwidth}Bps\" loopback_lat=\"{latency}s\"");
            if inside.shared() {
                self.warnings.push(left_out(format!("{}: SimGrid shares no link inside a machine", inside.id)));
            }
        }
        line += &topology(&network.topology);
        let pad = pad(depth);
        if processor.props.is_empty() {
            let _ = writeln!(self.text, "{pad}{line}/>");
        } else {
            let _ = writeln!(self.text, "{pad}{line}>");
            self.props(&processor.props, depth + 1);
            let _ = writeln!(self.text, "{pad}</cluster>");
        }
        Ok(())
    }

    fn zone(&mut self, component: usize, depth: usize) -> Result<(), Problem> {
        let this = &self.system.components[component];
        if this.count != 1 {
            return Err(self.refuse(component, "a group that is there several times"));
        }
        self.others(component);
        let _ = writeln!(self.text, "{}<zone id=\"{}\" routing=\"Full\">", pad(depth), escape(&this.id));
        if this.parent.is_none() {
            let name = escape(&self.system.name);
            let _ = writeln!(self.text, "{}<prop id=\"{NAME}\" value=\"{name}\"/>", pad(depth + 1));
        }
        let mut loopbacks = Vec::new();
        let children: Vec<usize> = self.system.children(component).collect();
        for &child in &children {
            let inner = &self.system.components[child];
            match inner.kind {
                Kind::Wan | Kind::Group => self.element(child, depth + 1)?,
                Kind::Machine => {
                    for instance in 0..inner.count {
                        let name = instance_name(&inner.id, inner.count, instance);
                        self.host(child, &name, depth + 1)?;
                        loopbacks.push((child, name));
                    }
                }
                _ => self.warnings.push(left_out(format!("{}: a {} outside a machine", inner.id, inner.kind))),
            }
        }
        // The router that joins the zone to others, where no host does.
        if self.system.networks_of(component).next().is_some_and(|network| network.through) {
            let _ = writeln!(self.text, "{}<router id=\"{}\"/>", pad(depth + 1), escape(&router(&this.id)));
        }
        let mut routes = String::new();
        self.routes(component, &mut routes, depth + 1)?;
        for (machine, name) in loopbacks {
            let Some(inside) = self.system.networks_of(machine).next() else { continue };
            let pad = pad(depth + 1);
            let name = escape(&name);
            let policy = if inside.shared() { "SHARED" } else { "FATPIPE" };
            let (bandwidth, latency) = (number(inside.bandwidth()), number(inside.latency_s()));
            let _ = writeln!(
                self.text,
                "{pad}<link id=\"{name}.loopback\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency}s\" sharing_policy=\"{policy}\"/>"
            );
            let _ = writeln!(
                routes,
                "{pad}<route src=\"{name}\" dst=\"{name}\"><link_ctn id=\"{name}.loopback\"/></route>"
            );
        }
        self.text += &routes;
        let _ = writeln!(self.text, "{}</zone>", pad(depth));
        Ok(())
    }

    /// Links, and routes of all pairs.
    fn routes(&mut self, component: usize, routes: &mut String, depth: usize) -> Result<(), Problem> {
        let Some(network) = self.system.networks_of(component).next() else { return Ok(()) };
        let pad = pad(depth);
        if let TopologySpec::Explicit { links, routes: written } = &network.topology {
            for link in links {
                let _ = writeln!(
                    self.text,
                    "{pad}<link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"{}\"/>",
                    escape(&link.id),
                    number(link.bandwidth),
                    number(link.latency_s),
                    policy(link.shared, link.full_duplex)
                );
            }
            for route in written {
                let steps: String = route
                    .links
                    .iter()
                    .map(|&(link, back)| {
                        let link = &links[link as usize];
                        let direction = match (link.full_duplex, back) {
                            (false, _) => "",
                            (true, false) => " direction=\"UP\"",
                            (true, true) => " direction=\"DOWN\"",
                        };
                        format!("<link_ctn id=\"{}\"{direction}/>", escape(&link.id))
                    })
                    .collect();
                self.route(component, route, &steps, routes, &pad);
            }
            return Ok(());
        }
        self.plain(component, network, routes, &pad)
    }

    /// One route of an explicit network.
    fn route(&self, component: usize, route: &ExplicitRoute, steps: &str, routes: &mut String, pad: &str) {
        let own = &self.system.components[component].id;
        let end = |id: &str| {
            let group = self.system.find(id).filter(|&found| self.system.components[found].kind != Kind::Machine);
            let name = id.replace('[', "-").replace(']', "");
            match group {
                Some(_) if id == own => (router(own), None),
                Some(group) => (id.to_owned(), Some(self.gateway(group))),
                None => (name, None),
            }
        };
        let ((from, gateway_from), (to, gateway_to)) = (end(&route.from), end(&route.to));
        let symmetrical = if route.one_way { "NO" } else { "YES" };
        let (from, to) = (escape(&from), escape(&to));
        let _ = match (gateway_from, gateway_to) {
            (None, None) => writeln!(
                routes,
                "{pad}<route src=\"{from}\" dst=\"{to}\" symmetrical=\"{symmetrical}\">{steps}</route>"
            ),
            (a, b) => {
                let (a, b) = (a.unwrap_or_else(|| from.clone()), b.unwrap_or_else(|| to.clone()));
                let (a, b) = (escape(&a), escape(&b));
                writeln!(
                    routes,
                    "{pad}<zoneRoute src=\"{from}\" dst=\"{to}\" gw_src=\"{a}\" gw_dst=\"{b}\" symmetrical=\"{symmetrical}\">{steps}</zoneRoute>"
                )
            }
        };
    }

    /// The netpoint that joins a group to others.
    fn gateway(&self, group: usize) -> String {
        let id = &self.system.components[group].id;
        match self.system.children(group).next() {
            Some(machine) if self.is_cluster(group) => {
                format!("{}-{id}_router", self.system.components[machine].id)
            }
            _ => router(id),
        }
    }

    /// A star or bus whose children are not identical machines: a link each, and routes of all pairs.
    fn plain(&mut self, component: usize, network: &Network, routes: &mut String, pad: &str) -> Result<(), Problem> {
        let backbone = match &network.topology {
            TopologySpec::Star { backbone } => *backbone,
            TopologySpec::Crossbar | TopologySpec::Bus => None,
            other => return Err(self.refuse(component, &format!("a {} of different children", other.word()))),
        };
        let is_bus = network.topology == TopologySpec::Bus;
        let mut ends = Vec::new();
        for child in self.system.children(component) {
            let inner = &self.system.components[child];
            match inner.kind {
                Kind::Wan | Kind::Group => ends.push((inner.id.clone(), Some(self.gateway(child)))),
                Kind::Machine => {
                    ends.extend(
                        (0..inner.count.min(MOST_PAIRS)).map(|at| (instance_name(&inner.id, inner.count, at), None)),
                    );
                }
                _ => {}
            }
        }
        if (ends.len() as u64).saturating_mul(ends.len() as u64) > MOST_PAIRS {
            return Err(self.refuse(component, "too many children that are not a cluster"));
        }
        let id = escape(&self.system.components[component].id);
        let (bandwidth, latency) = (number(network.bandwidth()), number(network.latency_s()));
        let policy = policy(network.shared(), network.full_duplex() && !is_bus);
        let link = |name: &str| {
            format!(
                "{pad}<link id=\"{name}\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency}s\" sharing_policy=\"{policy}\"/>\n"
            )
        };
        if is_bus {
            self.text += &link(&format!("{id}.bus"));
        } else {
            for (end, _) in &ends {
                self.text += &link(&format!("{}.link", escape(end)));
            }
        }
        if let Some((bandwidth, latency)) = backbone {
            let (bandwidth, latency) = (number(bandwidth), number(latency));
            let _ = writeln!(
                self.text,
                "{pad}<link id=\"{id}.backbone\" bandwidth=\"{bandwidth}Bps\" latency=\"{latency}s\" sharing_policy=\"SHARED\"/>"
            );
        }
        let is_duplex = policy == "SPLITDUPLEX";
        let step = |end: &str, direction: &str| {
            let direction = if is_duplex { format!(" direction=\"{direction}\"") } else { String::new() };
            format!("<link_ctn id=\"{}.link\"{direction}/>", escape(end))
        };
        let middle = if backbone.is_some() { format!("<link_ctn id=\"{id}.backbone\"/>") } else { String::new() };
        let out = (router(&self.system.components[component].id), None);
        let with_out: Vec<&(String, Option<String>)> = ends.iter().chain(network.through.then_some(&out)).collect();
        for (at, from) in with_out.iter().enumerate() {
            for to in &with_out[at + 1..] {
                let to_out = to.0 == out.0;
                let steps = match (is_bus, to_out) {
                    (true, _) => format!("<link_ctn id=\"{id}.bus\"/>"),
                    (false, true) => format!("{}{middle}", step(&from.0, "UP")),
                    (false, false) => format!("{}{middle}{}", step(&from.0, "UP"), step(&to.0, "DOWN")),
                };
                let (a, b) = (escape(&from.0), escape(&to.0));
                let _ = match (&from.1, &to.1) {
                    (None, None) => writeln!(routes, "{pad}<route src=\"{a}\" dst=\"{b}\">{steps}</route>"),
                    (x, y) => {
                        let (x, y) = (escape(x.as_deref().unwrap_or(&from.0)), escape(y.as_deref().unwrap_or(&to.0)));
                        writeln!(
                            routes,
                            "{pad}<zoneRoute src=\"{a}\" dst=\"{b}\" gw_src=\"{x}\" gw_dst=\"{y}\">{steps}</zoneRoute>"
                        )
                    }
                };
            }
        }
        Ok(())
    }

    fn host(&mut self, machine: usize, name: &str, depth: usize) -> Result<(), Problem> {
        let processor = self.processor(machine)?;
        let pad = pad(depth);
        let line = format!(
            "{pad}<host id=\"{}\" speed=\"{}f\" core=\"{}\"",
            escape(name),
            number(processor.speed),
            processor.cores
        );
        let mut disks = String::new();
        for child in self.system.children(machine) {
            let storage = &self.system.components[child];
            if storage.kind != Kind::Storage {
                continue;
            }
            let get = |key: &str| storage.attributes.get(key).or(storage.attributes.get("bandwidth"));
            let (Some(read), Some(write)) = (get("read_bandwidth"), get("write_bandwidth")) else {
                self.warnings.push(left_out(format!("{}: a storage without bandwidth", storage.id)));
                continue;
            };
            let own =
                storage.id.strip_prefix(&format!("{}-", self.system.components[machine].id)).unwrap_or(&storage.id);
            let _ = writeln!(
                disks,
                "{pad} <disk id=\"{}\" read_bw=\"{}Bps\" write_bw=\"{}Bps\"/>",
                escape(own),
                number(read),
                number(write)
            );
        }
        if processor.props.is_empty() && disks.is_empty() {
            let _ = writeln!(self.text, "{line}/>");
            return Ok(());
        }
        let _ = writeln!(self.text, "{line}>");
        self.props(&processor.props, depth + 1);
        self.text += &disks;
        let _ = writeln!(self.text, "{pad}</host>");
        Ok(())
    }

    fn props(&mut self, props: &[(&'static str, String)], depth: usize) {
        for (id, value) in props {
            let _ = writeln!(self.text, "{}<prop id=\"{id}\" value=\"{value}\"/>", pad(depth));
        }
    }

    /// The processors of a machine together.
    fn processor(&mut self, machine: usize) -> Result<Processor, Problem> {
        let mut cpus = self.system.children(machine).filter(|&child| self.system.components[child].kind == Kind::Cpu);
        let Some(cpu) = cpus.next() else { return Err(self.refuse(machine, "a machine without a processor")) };
        if cpus.next().is_some() {
            return Err(self.refuse(machine, "a machine with different processors"));
        }
        let gpus = self
            .system
            .children(machine)
            .filter(|&child| matches!(self.system.components[child].kind, Kind::Gpu | Kind::Accelerator));
        let gpus: Vec<String> = gpus.map(|gpu| self.system.components[gpu].id.clone()).collect();
        self.warnings.extend(gpus.iter().map(|gpu| left_out(format!("{gpu}: a device besides the processors"))));
        let this = &self.system.components[cpu];
        let get = |key: &str| this.attributes.get(key);
        let cores = get("cores").unwrap_or(1.0);
        let Some(flops) = get("flops_double").or(get("flops_single")) else {
            return Err(self.refuse(cpu, "a processor without flops_double"));
        };
        let board = self.system.components[machine].attributes.get("power_idle").unwrap_or(0.0);
        let mut props = Vec::new();
        if let Some(watts) = power::write(&this.attributes, cores, this.count as f64, board) {
            props.push(("wattage_per_state", watts));
        }
        if let Some(off) = get("power_off") {
            props.push(("wattage_off", number(off)));
        }
        self.unknown(cpu, &this.attributes);
        Ok(Processor { speed: per_core(flops, cores), cores: cores * this.count as f64, props })
    }

    /// Attributes that SimGrid lacks.
    fn unknown(&mut self, component: usize, attributes: &Attributes) {
        let lost: Vec<&str> = ["turbo", "smt_gain", "mem_bandwidth", "mtbf", "failure_rate", "price"]
            .into_iter()
            .filter(|key| attributes.get(key).is_some())
            .collect();
        if !lost.is_empty() {
            let id = &self.system.components[component].id;
            self.warnings.push(left_out(format!("{id}: {} are left out", lost.join(", "))));
        }
    }

    /// Networks beside the first.
    fn others(&mut self, component: usize) {
        for other in self.system.networks_of(component).skip(1) {
            self.warnings.push(left_out(format!("{}: a second network is left out", other.id)));
        }
    }

    fn refuse(&self, component: usize, what: &str) -> Problem {
        let this = &self.system.components[component];
        let problem = Problem::new("not_exported", format!("{}: SimGrid has no {what}", this.id));
        problem.in_file(self.system.file.as_str()).at_line(this.line.max(1))
    }
}

/// The speed of a core from which the same sum comes back.
fn per_core(flops: f64, cores: f64) -> f64 {
    let speed = flops / cores;
    let near = [format!("{speed:.11e}").parse().unwrap_or(speed), speed, speed.next_up(), speed.next_down()];
    near.into_iter().find(|near| near * cores == flops).unwrap_or(speed)
}

fn policy(shared: bool, full_duplex: bool) -> &'static str {
    match (shared, full_duplex) {
        (false, _) => "FATPIPE",
        (true, true) => "SPLITDUPLEX",
        (true, false) => "SHARED",
    }
}

fn topology(topology: &TopologySpec) -> String {
    let join = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    match topology {
        TopologySpec::Star { backbone: Some((bandwidth, latency)) } => {
            format!(" bb_bw=\"{}Bps\" bb_lat=\"{}s\"", number(*bandwidth), number(*latency))
        }
        TopologySpec::FatTree { down, up, links } => format!(
            " topology=\"FAT_TREE\" topo_parameters=\"{};{};{};{}\"",
            down.len(),
            join(down),
            join(up),
            join(links)
        ),
        TopologySpec::Torus { dims } => format!(" topology=\"TORUS\" topo_parameters=\"{}\"", join(dims)),
        TopologySpec::Dragonfly { groups, chassis, routers, nodes, group_links, chassis_links, router_links } => {
            format!(
                " topology=\"DRAGONFLY\" topo_parameters=\"{groups},{group_links};{chassis},{chassis_links};\
             {routers},{router_links};{nodes}\""
            )
        }
        _ => String::new(),
    }
}

fn router(id: &str) -> String {
    format!("{id}.router")
}

fn instance_name(id: &str, count: u64, instance: u64) -> String {
    if count == 1 { id.to_owned() } else { format!("{id}-{instance}") }
}

fn pad(depth: usize) -> String {
    " ".repeat(depth)
}
