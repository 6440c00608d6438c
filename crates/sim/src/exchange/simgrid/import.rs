//! Imports a platform of SimGrid as a system.

mod cluster;
mod routes;

use super::Imported;
use super::config::{self, Messages};
use super::power;
use super::units::{Measure, parse};
use super::xml::{self, Element};
use crate::attributes::Attributes;
use crate::model::Model;
use crate::system::{Component, Kind, Network, Parts, System, TopologySpec};
use runcast_core::problem::shorten;
use runcast_core::toml::Source;
use runcast_core::{Problem, Warning};
use runcast_formula::nearest;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Maximum number of warnings of a kind.
const MOST_WARNINGS: usize = 10;
/// More components are not made.
const MOST: usize = 10_000;

/// Reads a platform file; `file` is its name in messages.
///
/// # Errors
/// It is not XML, not a platform of version 4, or contradictory.
pub fn import(text: &str, file: &str) -> Result<Imported, Problem> {
    let source = Source { name: file, text };
    let root = xml::read(source)?;
    let mut importer = Importer {
        source,
        components: Vec::new(),
        networks: Vec::new(),
        messages: Messages::default(),
        ids: HashSet::new(),
        counted: BTreeMap::new(),
        warnings: Vec::new(),
    };
    importer.platform(&root)?;
    let mut system = System {
        name: named(&root).unwrap_or_else(|| crate::system::stem(file)),
        file: file.to_owned(),
        components: importer.components,
        networks: importer.networks,
        models: vec![Model::default_model()],
        ..System::default()
    };
    system.assume();
    let mut warnings = importer.warnings;
    for (code, count) in importer.counted.into_iter().filter(|(_, count)| *count > MOST_WARNINGS) {
        warnings.push(Warning::new(code, format!("{} more like it", count - MOST_WARNINGS)));
    }
    Ok(Imported { system, warnings })
}

/// What an export calls the system, at the outermost zone.
fn named(root: &Element) -> Option<String> {
    let zone = root.children.iter().find(|child| matches!(child.name.as_str(), "zone" | "AS"))?;
    let is_name = |child: &&Element| child.name == "prop" && child.get("id") == Some(super::export::NAME);
    let name = zone.children.iter().find(is_name)?.get("value")?;
    (!name.is_empty()).then(|| name.to_owned())
}

struct Importer<'a> {
    source: Source<'a>,
    components: Vec<Component>,
    networks: Vec<Network>,
    messages: Messages,
    ids: HashSet<String>,
    counted: BTreeMap<&'static str, usize>,
    warnings: Vec<Warning>,
}

/// What a zone knows about the way out of it.
#[derive(Debug, Clone, Copy, Default)]
struct Outside<'e> {
    /// The host or router that joins it to others.
    gateway: Option<&'e str>,
}

impl<'a> Importer<'a> {
    fn platform(&mut self, root: &Element) -> Result<(), Problem> {
        if root.name != "platform" {
            let problem =
                self.wrong(root, "not_a_platform", format!("<{}> is not a platform", shorten(&root.name, 40)));
            return Err(problem.allowed("<platform version=\"4.1\">"));
        }
        let version = root.get("version").unwrap_or_default();
        if version != "4" && !version.starts_with("4.") {
            let problem = self.wrong(root, "wrong_version", "a platform of another version".to_owned());
            let hint = "simgrid_update_xml, which comes with SimGrid, writes version 4.1";
            return Err(problem.value(version).allowed("version=\"4.1\"").hint(hint));
        }
        let mut notes = Vec::new();
        self.messages = config::read(root, &mut |element, code, text| notes.push((element.offset, code, text)));
        for (offset, code, text) in notes {
            self.warn_at(offset, code, text);
        }
        let mut zone = None;
        for child in &root.children {
            match child.name.as_str() {
                "config" => {}
                "zone" | "AS" | "cluster" if zone.is_some() => {
                    return Err(self
                        .wrong(child, "two_roots", "a second zone at the top".to_owned())
                        .allowed("one zone"));
                }
                "zone" | "AS" | "cluster" => zone = Some(child),
                _ => self.skip(child),
            }
        }
        let Some(zone) = zone else { return Err(self.wrong(root, "missing", "the platform has no zone".to_owned())) };
        match zone.name.as_str() {
            "cluster" => self.cluster(zone, None, false).map(drop),
            _ => self.zone(zone, None, Outside::default()).map(drop),
        }
    }

    fn zone(&mut self, zone: &Element, parent: Option<usize>, outside: Outside<'_>) -> Result<usize, Problem> {
        let index = self.component(zone, self.name(zone)?, Kind::Group, parent, 1)?;
        let gateways = self.gateways(zone);
        let mut ports = HashMap::new();
        for child in &zone.children {
            match child.name.as_str() {
                "zone" | "AS" => {
                    let name = child.get("id").unwrap_or_default();
                    let gateway = gateways.get(name).copied();
                    let inner = self.zone(child, Some(index), Outside { gateway })?;
                    self.port(child, name, inner, &mut ports)?;
                }
                "cluster" => {
                    let name = child.get("id").unwrap_or_default();
                    let inner = self.cluster(child, Some(index), gateways.contains_key(name))?;
                    self.port(child, name, inner, &mut ports)?;
                }
                "host" => {
                    let name = self.name(child)?;
                    let host = self.host(child, index)?;
                    self.port(child, name, host, &mut ports)?;
                }
                "router" | "link" | "route" | "zoneRoute" | "ASroute" | "host_link" | "backbone" | "prop" => {}
                _ => self.skip(child),
            }
        }
        self.routes(zone, index, &ports, outside)?;
        Ok(index)
    }

    fn port(
        &self,
        element: &Element,
        name: &str,
        component: usize,
        ports: &mut HashMap<String, usize>,
    ) -> Result<(), Problem> {
        match ports.insert(name.to_owned(), component) {
            None => Ok(()),
            Some(_) => Err(self.wrong(element, "twice", format!("there are two called {}", shorten(name, 60)))),
        }
    }

    /// The gateway of each zone inside, as its routes name it.
    fn gateways<'e>(&mut self, zone: &'e Element) -> BTreeMap<&'e str, &'e str> {
        let mut gateways: BTreeMap<&str, &str> = BTreeMap::new();
        for route in zone.children.iter().filter(|child| matches!(child.name.as_str(), "zoneRoute" | "ASroute")) {
            for (end, gateway) in [("src", "gw_src"), ("dst", "gw_dst")] {
                let (Some(end), Some(gateway)) = (route.get(end), route.get(gateway)) else { continue };
                let first = *gateways.entry(end).or_insert(gateway);
                if first != gateway {
                    let text = format!("{end} has several gateways: {first} is used, not {gateway}");
                    self.warn(route, "not_imported", text);
                }
            }
        }
        gateways
    }

    fn host(&mut self, host: &Element, parent: usize) -> Result<usize, Problem> {
        let machine = self.component(host, self.name(host)?, Kind::Machine, Some(parent), 1)?;
        let cores = self.count(host, "core")?;
        self.cpu(host, machine, cores)?;
        for key in ["availability_file", "speed_file", "state_file"] {
            if host.get(key).is_some() {
                self.warn(host, "not_imported", format!("the profile {key} is left out"));
            }
        }
        for child in &host.children {
            match child.name.as_str() {
                "prop" => {}
                "disk" => self.disk(child, machine)?,
                _ => self.skip(child),
            }
        }
        Ok(machine)
    }

    /// The processor of a machine: `speed` is that of a core.
    fn cpu(&mut self, element: &Element, machine: usize, cores: f64) -> Result<(), Problem> {
        let id = format!("{}-cpu", self.components[machine].id);
        let Some(text) = element.get("speed") else {
            return Err(self.missing(element, "speed", Measure::Speed.wanted()));
        };
        let (first, more) = text.split_once(',').map_or((text, false), |(first, _)| (first, true));
        if more {
            self.warn(element, "not_imported", "only the first state of the processor is used".to_owned());
        }
        let speed = self.measure(element, "speed", first, Measure::Speed)?;
        let cpu = self.component(element, &id, Kind::Cpu, Some(machine), 1)?;
        let mut attributes = Attributes::default();
        attributes.give("cores", cores);
        attributes.give("flops_double", speed * cores);
        attributes.give("flops_single", speed * cores);
        for prop in element.named("prop") {
            let (Some(id), Some(value)) = (prop.get("id"), prop.get("value")) else { continue };
            let taken = match id {
                "wattage_per_state" | "watt_per_state" => power::read(value, cores, &mut attributes),
                "wattage_off" | "watt_off" => match value.trim().parse::<f64>() {
                    Ok(watts) if watts.is_finite() && watts >= 0.0 => {
                        attributes.give("power_off", watts);
                        true
                    }
                    _ => false,
                },
                _ => true,
            };
            if !taken {
                self.warn(prop, "not_imported", format!("{id} is not understood: {}", shorten(value, 60)));
            } else if value.contains(',') {
                self.warn(prop, "not_imported", format!("{id}: only the first state is used"));
            }
        }
        self.set(cpu, attributes);
        Ok(())
    }

    fn disk(&mut self, disk: &Element, machine: usize) -> Result<(), Problem> {
        let id = format!("{}-{}", self.components[machine].id, self.name(disk)?);
        let storage = self.component(disk, &id, Kind::Storage, Some(machine), 1)?;
        let mut attributes = Attributes::default();
        for (from, to) in [("read_bw", "read_bandwidth"), ("write_bw", "write_bandwidth")] {
            let Some(text) = disk.get(from) else { return Err(self.missing(disk, from, Measure::Bandwidth.wanted())) };
            attributes.give(to, self.positive(disk, from, text, Measure::Bandwidth)?);
        }
        if !disk.children.is_empty() {
            self.warn(disk, "not_imported", "only the bandwidth of a disk is used".to_owned());
        }
        self.set(storage, attributes);
        Ok(())
    }

    fn set(&mut self, component: usize, attributes: Attributes) {
        let component = &mut self.components[component];
        component.own = attributes.iter().map(|(key, _)| key.to_owned()).collect();
        component.parts.set = attributes.clone();
        component.attributes = attributes;
    }

    /// A component with an id of its own.
    fn component(
        &mut self,
        element: &Element,
        name: &str,
        kind: Kind,
        parent: Option<usize>,
        count: u64,
    ) -> Result<usize, Problem> {
        if self.components.len() >= MOST {
            let problem = self.wrong(element, "too_large", "too many hosts and zones".to_owned());
            return Err(problem.allowed(format!("at most {MOST} components; a <cluster> counts as three")));
        }
        let total = parent.map_or(1, |parent| self.components[parent].total).saturating_mul(count);
        let (line, _) = self.source.line_and_column(element.offset);
        let id = self.own_id(name);
        self.components.push(Component {
            id,
            kind,
            parent,
            count,
            total,
            hardware: None,
            attributes: Attributes::default(),
            own: Vec::new(),
            parts: Parts::default(),
            model: None,
            line,
        });
        Ok(self.components.len() - 1)
    }

    /// A name as a unique id.
    fn own_id(&mut self, name: &str) -> String {
        let fits = |c: char| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '_' };
        let id: String = name.chars().take(80).map(fits).collect();
        let id = id.trim_start_matches('.').to_owned();
        let id = if id.is_empty() { "part".to_owned() } else { id };
        let mut own = id.clone();
        let mut number = 2;
        while !self.ids.insert(own.clone()) {
            own = format!("{id}.{number}");
            number += 1;
        }
        own
    }

    /// A network with the factors and limits of the file.
    fn network(&mut self, of: usize, mut attributes: Attributes, topology: TopologySpec, through: bool) {
        self.messages.give(&mut attributes);
        let component = &self.components[of];
        self.networks.push(Network {
            id: component.id.clone(),
            of,
            between: None,
            hardware: None,
            parts: Parts { set: attributes.clone(), ..Parts::default() },
            own: attributes.iter().map(|(key, _)| key.to_owned()).collect(),
            attributes,
            topology,
            segments: self.messages.segments.clone(),
            through,
            line: component.line,
        });
    }

    fn name<'e>(&self, element: &'e Element) -> Result<&'e str, Problem> {
        element.get("id").ok_or_else(|| self.missing(element, "id", "a name"))
    }

    fn count(&self, element: &Element, key: &str) -> Result<f64, Problem> {
        let Some(text) = element.get(key) else { return Ok(1.0) };
        match text.trim().parse::<u32>() {
            Ok(count) if count >= 1 => Ok(f64::from(count)),
            _ => {
                let problem = self.wrong(element, "out_of_range", format!("{key} is {}", shorten(text, 40)));
                Err(problem.value(text).allowed("a whole number from 1"))
            }
        }
    }

    fn measure(&self, element: &Element, key: &str, text: &str, measure: Measure) -> Result<f64, Problem> {
        parse(text, measure).filter(|value| *value >= 0.0).ok_or_else(|| {
            let problem = self.wrong(element, "bad_quantity", format!("{key} is {}", shorten(text, 40)));
            problem.value(text).allowed(measure.wanted())
        })
    }

    fn positive(&self, element: &Element, key: &str, text: &str, measure: Measure) -> Result<f64, Problem> {
        let value = self.measure(element, key, text, measure)?;
        if value > 0.0 {
            return Ok(value);
        }
        let problem = self.wrong(element, "out_of_range", format!("{key} is {}", shorten(text, 40)));
        Err(problem.value(text).allowed("more than 0"))
    }

    fn wrong(&self, element: &Element, code: &str, message: String) -> Problem {
        let (line, column) = self.source.line_and_column(element.offset);
        let problem = Problem::new(code, message).in_file(self.source.name).at_line(line).at_column(column);
        problem.at(shorten(&element.name, 40))
    }

    fn missing(&self, element: &Element, key: &str, allowed: &str) -> Problem {
        self.wrong(element, "missing", format!("{key} is not given")).allowed(allowed)
    }

    fn unknown(&self, element: &Element, what: &str, name: &str, known: &HashMap<String, u32>) -> Problem {
        let message = format!("\"{}\" is not a {what}", shorten(name, 60));
        let problem = self.wrong(element, "unknown_name", message).value(name);
        match nearest(name, known.keys().map(String::as_str)) {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem,
        }
    }

    fn skip(&mut self, element: &Element) {
        self.warn(element, "not_imported", format!("<{}> is left out", shorten(&element.name, 40)));
    }

    fn warn(&mut self, element: &Element, code: &'static str, text: String) {
        self.warn_at(element.offset, code, text);
    }

    fn warn_at(&mut self, offset: usize, code: &'static str, text: String) {
        let count = self.counted.entry(code).or_insert(0);
        *count += 1;
        if *count <= MOST_WARNINGS {
            let (line, _) = self.source.line_and_column(offset.min(self.source.text.len()));
            self.warnings.push(Warning::new(code, text).in_file(self.source.name, line));
        }
    }
}
