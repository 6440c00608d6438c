//! Power states of a device: how fast it is in each, and what it draws there.

use super::{Attributes, Value};
use runcast_core::Problem;
use runcast_core::toml::{Node, Reader, out_of_range};
use runcast_formula::nearest;
use runcast_formula::units::Dimension;
use serde::Serialize;

/// A power state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerState {
    pub name: String,
    /// Clock and operations per second are so many times those of the device.
    pub factor: f64,
    /// Watts when nothing is computed; none: a share of `power_load`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_idle: Option<f64>,
    /// Watts when all cores compute.
    pub power_load: f64,
}

/// More are not read.
const MOST: usize = 100;
pub(super) const STATES: &str =
    "tables such as { name = \"low\", factor = 0.5, power_idle = \"15W\", power_load = \"40W\" }";

impl Attributes {
    /// Power states, the fastest first; empty: none are given.
    pub fn states(&self) -> &[PowerState] {
        match self.attribute("states").map(|attribute| &attribute.value) {
            Some(Value::States(states)) => states,
            _ => &[],
        }
    }

    /// The state that the device is in where blocks name no other: that of `state`, else the fastest.
    pub fn own_state(&self) -> usize {
        let named = self.word("state").and_then(|name| self.states().iter().position(|state| state.name == name));
        named.unwrap_or(0)
    }

    /// Whether `state` names one of `states`.
    ///
    /// # Errors
    /// `unknown_state`.
    pub(crate) fn check_state(&self, id: &str) -> Result<(), Problem> {
        match self.word("state") {
            Some(name) if !self.states().iter().any(|state| state.name == name) => {
                Err(unknown_state(id, name, self.states()))
            }
            _ => Ok(()),
        }
    }
}

/// There is no such state.
pub(crate) fn unknown_state(id: &str, name: &str, states: &[PowerState]) -> Problem {
    let known: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
    let problem = Problem::new("unknown_state", format!("{id} has no power state {name}")).value(name);
    if known.is_empty() {
        return problem.allowed("a name of states").hint(format!("give {id} states = [ .. ]: {STATES}"));
    }
    let problem = problem.allowed(known.join(", "));
    match nearest(name, known) {
        Some(near) => problem.hint(format!("did you mean {near}?")),
        None => problem,
    }
}

/// Reads them; the fastest comes first, of those that are equally fast the first in the file.
pub(super) fn states(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<Vec<PowerState>> {
    let nodes = reader.list(node, pointer, STATES)?;
    let place = reader.place(node, pointer);
    if nodes.is_empty() || nodes.len() > MOST {
        let problem = Problem::new("out_of_range", format!("{} power states", nodes.len()));
        reader.wrong(&place, problem.allowed(format!("1 to {MOST}")));
        return None;
    }
    let mut states: Vec<PowerState> = reader.each(nodes, pointer, one)?;
    for (at, state) in states.iter().enumerate() {
        if states[..at].iter().any(|other| other.name == state.name) {
            let message = format!("{} is the name of two power states", state.name);
            reader.wrong(&place, Problem::new("twice", message).value(state.name.as_str()).allowed("different names"));
            return None;
        }
    }
    states.sort_by(|one, other| other.factor.total_cmp(&one.factor));
    Some(states)
}

fn one(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str) -> Option<PowerState> {
    let table = reader.table(node, pointer.to_owned(), STATES)?;
    reader.allow(&table, &["name", "factor", "power_idle", "power_load"], "a power state");
    let (name, place) = reader.required_text(&table, "name", "a name")?;
    if name.is_empty() || name.len() > 100 {
        reader.wrong(&place, Problem::new("bad_name", "a power state needs a name").allowed("1 to 100 characters"));
        return None;
    }
    let factor = reader.required(&table, "factor", "a number above 0")?;
    let (factor, place) = reader.number_at(factor, &table.at("factor"), "a number above 0")?;
    if factor <= 0.0 {
        reader.wrong(&place, out_of_range("factor", &factor.to_string(), "a number above 0"));
        return None;
    }
    reader.required(&table, "power_load", "a power such as \"80W\"")?;
    let load = watts(reader, &table, "power_load")?;
    let idle = match table.has("power_idle") {
        true => Some(watts(reader, &table, "power_idle")?),
        false => None,
    };
    Some(PowerState { name, factor, power_idle: idle, power_load: load })
}

fn watts(reader: &mut Reader<'_>, table: &runcast_core::toml::Table<'_, '_>, key: &str) -> Option<f64> {
    let (watts, place) =
        reader.quantity_at(table.get(key)?, &table.at(key), Dimension::Power, "a power such as \"80W\"")?;
    if watts < 0.0 {
        reader.wrong(&place, out_of_range(key, &watts.to_string(), "0 or more"));
        return None;
    }
    Some(watts)
}
