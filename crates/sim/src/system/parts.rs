//! What a component or a network is made of: its catalogue entry, what the file sets, and what becomes of that when another
//! entry takes the place of the one in the file.
//!
//! A figure that the file sets was true of the entry in the file. Where both entries give the figure it is a factor:
//! `entry * set / reference`. What only the new entry gives is taken from there, and what it does not give stays.

use super::System;
use crate::attributes::{Attribute, Attributes, KNOWN, PowerState, Quality, Value};
use runcast_core::Problem;
use runcast_formula::nearest;

/// An entry of the catalogue, and what the file lays over it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts {
    /// Entry in the file.
    pub reference: Option<String>,
    pub of_reference: Attributes,
    /// Entry now: that of the file, unless another takes its place.
    pub entry: Option<String>,
    pub of_entry: Attributes,
    /// What the file sets.
    pub set: Attributes,
    /// What the caller sets, whatever entry and file say.
    pub over: Attributes,
}

/// An entry that a device might have.
#[derive(Debug, Clone, Copy)]
pub struct Other<'a> {
    pub id: Option<&'a str>,
    pub attributes: &'a Attributes,
    /// Whether it is the one that the device has now, with what the caller sets.
    pub is_now: bool,
}

/// What became of a key that the file sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The new entry does not give it: the value of the old one stays.
    Kept,
    /// The new entry says how it is built.
    Dropped,
}

/// How a device is built: taken from the entry that gives it.
const STRUCTURE: [&str; 5] = ["cores", "threads_per_core", "numa", "rails", "copy_engines"];
/// Figures of the machine that are those of all its processors.
const SUMS: [&str; 3] = ["mem_bandwidth", "cache", "memory"];
/// Figure of the machine that is that of one of its processors.
const OF_ONE: &str = "mem_bandwidth_core";

/// Whether a key is a figure of merit of the hardware, so that another entry scales what the file sets.
fn is_figure(key: &str) -> bool {
    const WORDS: [&str; 12] = [
        "clock",
        "ipc",
        "cache",
        "memory",
        "bandwidth",
        "latency",
        "mtbf",
        "failure_rate",
        "read_bandwidth",
        "write_bandwidth",
        "price",
        "price_hour",
    ];
    const STARTS: [&str; 5] = ["flops_", "efficiency", "mem_bandwidth", "cache_", "power_"];
    // A cap is that of the site, whatever machines stand there.
    key != "power_cap" && (WORDS.contains(&key) || STARTS.iter().any(|start| key.starts_with(start)))
}

/// A figure of hardware that is twice as good.
fn twice_as_good(key: &str, value: f64) -> f64 {
    const TIMES: [&str; 6] = ["latency", "L", "o", "g", "G", "O"];
    if TIMES.contains(&key) { value / 2.0 } else { value * 2.0 }
}

/// Domains of memory divide the cores of a processor.
///
/// # Errors
/// `bad_numa`.
pub(super) fn check_numa(attributes: &Attributes, id: &str) -> Result<(), Problem> {
    let (cores, numa) = (attributes.get("cores").unwrap_or(1.0), attributes.get("numa").unwrap_or(1.0));
    if numa.fract() == 0.0 && numa >= 1.0 && cores % numa == 0.0 {
        return Ok(());
    }
    let problem = Problem::new("bad_numa", format!("numa does not divide the {cores} cores of {id}"));
    let problem = problem.value(numa.to_string()).allowed(format!("a whole number that divides {cores}"));
    Err(problem.hint("set it on processors"))
}

/// Whether a key of an id that is a group's and its network's is meant for the network.
pub(crate) fn known_of_network(key: &str) -> bool {
    const KEYS: [&str; 13] = [
        "bandwidth",
        "latency",
        "rails",
        "stripe_min",
        "eager_limit",
        "detach_limit",
        "window",
        "L",
        "o",
        "g",
        "G",
        "O",
        "S",
    ];
    KEYS.contains(&key)
}

/// A figure with another entry in place of the reference, for which the file sets it.
fn figure(set: Option<f64>, reference: Option<f64>, entry: Option<f64>) -> Option<f64> {
    match (set, reference, entry) {
        (Some(set), Some(reference), Some(entry)) if reference != 0.0 => Some(entry * set / reference),
        (Some(set), _, None) => Some(set),
        (_, _, entry) => entry,
    }
}

/// An attribute of the file that another entry scaled.
fn scaled(attribute: &Attribute, value: Value) -> Attribute {
    let source = format!("{}, scaled to another entry", attribute.source);
    Attribute { value, quality: Quality::Assumed, source, ..attribute.clone() }
}

/// Power states of another device: what they draw follows the power of the entries.
fn times(states: &[PowerState], ratio: f64) -> Vec<PowerState> {
    let one = |state: &PowerState| PowerState {
        power_idle: state.power_idle.map(|idle| idle * ratio),
        power_load: state.power_load * ratio,
        ..state.clone()
    };
    states.iter().map(one).collect()
}

impl Parts {
    /// Whether another entry takes the place of that in the file.
    pub fn is_exchanged(&self) -> bool {
        self.entry != self.reference || self.sets_figures()
    }

    /// Whether the caller sets more than how the device is used.
    pub fn sets_figures(&self) -> bool {
        self.over.iter().any(|(key, _)| !["state", "power_cap"].contains(&key))
    }

    /// The entry now.
    pub fn now(&self) -> Other<'_> {
        Other { id: self.entry.as_deref(), attributes: &self.of_entry, is_now: true }
    }

    /// The entry in the file.
    pub fn in_file(&self) -> Other<'_> {
        Other { id: self.reference.as_deref(), attributes: &self.of_reference, is_now: false }
    }

    /// Every figure of the entry twice as good.
    pub(super) fn double(&mut self) {
        let figures: Vec<String> =
            self.of_entry.numbers().map(|(key, _)| key.to_owned()).filter(|key| is_figure(key)).collect();
        for key in figures {
            let Some(value) = self.of_entry.get(&key) else { continue };
            self.of_entry.give(&key, twice_as_good(&key, value));
        }
        self.entry = self.entry.take().map(|entry| format!("{entry} (doubled)"));
    }

    /// The attributes now, and which set keys did not scale.
    pub(super) fn attributes(&self) -> (Attributes, Vec<(String, Fate)>) {
        let mut all = self.of_entry.clone().with(&self.set);
        let mut fates = Vec::new();
        if self.entry == self.reference {
            return (all, fates);
        }
        for (key, attribute) in self.set.iter() {
            let now = self.of_entry.attribute(key);
            if STRUCTURE.contains(&key)
                && let Some(now) = now
            {
                all.insert(key, now.clone());
                fates.push((key.to_owned(), Fate::Dropped));
            }
            if let Value::States(states) = &attribute.value {
                let load = |of: &Attributes| of.get("power_load");
                match figure(Some(1.0), load(&self.of_reference), load(&self.of_entry)) {
                    Some(ratio) if load(&self.of_entry).is_some() && load(&self.of_reference).is_some() => {
                        all.insert(key, scaled(attribute, Value::States(times(states, ratio))));
                    }
                    _ => fates.push((key.to_owned(), Fate::Kept)),
                }
            }
            let Some(value) = self.set.get(key).filter(|_| is_figure(key)) else { continue };
            if now.is_none() {
                fates.push((key.to_owned(), Fate::Kept));
            } else if let Some(value) = figure(Some(value), self.of_reference.get(key), self.of_entry.get(key)) {
                all.insert(key, scaled(attribute, Value::Number(value)));
            }
        }
        (all, fates)
    }
}

impl System {
    /// A number of a device with this entry in place of its own; what the file sets on the machine counts all its processors.
    pub(crate) fn number_with(&self, device: usize, machine: usize, key: &str, entry: Other<'_>) -> Option<f64> {
        let (of_device, of_machine) = (&self.components[device], &self.components[machine]);
        let parts = &of_device.parts;
        let over = || parts.over.get(key).or_else(|| of_machine.parts.over.get(key));
        if let Some(value) = over().filter(|_| entry.is_now) {
            return Some(value);
        }
        let on_machine = of_machine.parts.set.get(key).filter(|_| device != machine && parts.set.get(key).is_none());
        if let Some(set) = on_machine {
            return match SUMS.contains(&key) || key == OF_ONE {
                true => self.of_machine(machine, key, set, Some((device, entry))),
                false => Some(set),
            };
        }
        let set = parts.set.get(key);
        if entry.id == parts.reference.as_deref() {
            return set.or_else(|| entry.attributes.get(key));
        }
        if STRUCTURE.contains(&key) {
            return entry.attributes.get(key).or(set);
        }
        match is_figure(key) {
            true => figure(set, parts.of_reference.get(key), entry.attributes.get(key)),
            false => set.or_else(|| entry.attributes.get(key)),
        }
    }

    /// What a machine sets for its processors, with the entries that these have; one of them may have another.
    fn of_machine(&self, machine: usize, key: &str, set: f64, other: Option<(usize, Other<'_>)>) -> Option<f64> {
        let processors: Vec<usize> =
            self.children(machine).filter(|child| self.components[*child].kind == super::Kind::Cpu).collect();
        let entry = |child: usize| match other {
            Some((device, entry)) if device == child => entry,
            _ => self.components[child].parts.now(),
        };
        let is_as_in_file = |child: &usize| entry(*child).id == self.components[*child].parts.reference.as_deref();
        if processors.iter().all(is_as_in_file) {
            return Some(set);
        }
        let total = |of: &dyn Fn(usize) -> Option<f64>| -> Option<f64> {
            let each = processors.iter().map(|child| of(*child).map(|one| one * self.components[*child].count as f64));
            match key == OF_ONE {
                true => processors.first().and_then(|child| of(*child)),
                false => each.sum(),
            }
        };
        let reference = total(&|child| self.components[child].parts.of_reference.get(key));
        let now = total(&|child| entry(child).attributes.get(key));
        figure(Some(set), reference, now)
    }

    /// Sets attributes of components and networks, whatever entry and file say: `ID.KEY` and a value. Of names in `doubled` the
    /// value is twice as good.
    ///
    /// # Errors
    /// There is no such component or network; a value that the key cannot have.
    pub(super) fn set(&mut self, all: &[(String, String)], doubled: &[String]) -> Result<(), Problem> {
        for (name, text) in all {
            let wrong = |problem: Problem| problem.at(name.clone()).value(format!("{name}={text}"));
            let (id, key) = name.rsplit_once('.').unwrap_or((name, ""));
            let mut over = Attributes::default();
            over.give_text(key, text).map_err(wrong)?;
            if let Some(value) = over.get(key).filter(|_| doubled.contains(name)) {
                over.give(key, twice_as_good(key, value));
            }
            let is_network = |network: &super::Network| network.id == id && known_of_network(key);
            let component = self.components.iter_mut().find(|component| component.id == id);
            let (parts, attributes, own) = match self.networks.iter_mut().find(|network| is_network(network)) {
                Some(network) => (&mut network.parts, &mut network.attributes, &mut network.own),
                None => match component {
                    Some(component) => (&mut component.parts, &mut component.attributes, &mut component.own),
                    None => {
                        let ids = self.components.iter().map(|component| component.id.as_str());
                        let near = nearest(id, ids).map(|near| format!("did you mean {near}.{key}?"));
                        let problem = Problem::new("unknown_component", format!("there is no component {id}"));
                        let hint = near.unwrap_or_else(|| "ID.KEY is an attribute of a component".to_owned());
                        return Err(wrong(problem.hint(hint)));
                    }
                },
            };
            if crate::attributes::known(key).is_none() && attributes.attribute(key).is_none() {
                let allowed: Vec<&str> = attributes.iter().map(|(key, _)| key).collect();
                let near = nearest(key, allowed.iter().copied().chain(KNOWN.iter().map(|known| known.key)));
                let problem = wrong(Problem::new("unknown_name", format!("{id} has no attribute {key}")));
                return Err(problem.allowed(allowed.join(", ")).hint(match near {
                    Some(near) => format!("did you mean {id}.{near}?"),
                    None => "docs/reference/sim-system.md lists all that mean something".to_owned(),
                }));
            }
            *attributes = attributes.clone().with(&over);
            attributes.check_state(id).map_err(wrong)?;
            check_numa(attributes, id).map_err(wrong)?;
            own.push(key.to_owned());
            parts.over = parts.over.clone().with(&over);
        }
        Ok(())
    }

    /// Lays exchanged processors under what their machines set for them.
    pub(super) fn exchange_on_machines(&mut self) {
        for machine in 0..self.components.len() {
            if self.components[machine].kind != super::Kind::Machine {
                continue;
            }
            for key in SUMS.iter().chain([&OF_ONE]) {
                let Some(set) = self.components[machine].parts.set.get(key) else { continue };
                if let Some(value) = self.of_machine(machine, key, set, None).filter(|value| *value != set) {
                    self.components[machine].attributes.give(key, value);
                }
            }
        }
    }
}
