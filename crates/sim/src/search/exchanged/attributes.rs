//! Attributes that the caller sets: whether another value of `ID.KEY` can change the result.

use super::{Effect, Exchange, What, differ, is_same, sites};
use crate::attributes::Value;
use crate::optimize::Objective;
use crate::run::{self, Prepared, RunControl, RunResult};
use crate::sweep::Axis;
use crate::system::{System, known_of_network, number_of};
use runcast_core::Problems;
use std::sync::atomic::AtomicBool;

/// Starts of keys that no time depends on.
const NOT_ABOUT_TIME: [&str; 5] = ["power_", "price", "mtbf", "failure_rate", "memory"];

/// Looks at every attribute that the caller sets, given the result; those that have the value of the file are left out.
///
/// # Errors
/// What is wrong with the run as the file has it; an interrupt.
pub fn examine_attributes(
    prepared: &Prepared,
    result: &RunResult,
    interrupt: &AtomicBool,
) -> Result<Vec<Exchange>, Problems> {
    let names = prepared.variation.attributes.keys();
    let found = names.map(|name| examine_one(prepared, name, result, interrupt)).collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Whether an axis is of an attribute.
pub(super) fn is_one(base: &Prepared, axis: &Axis) -> bool {
    let (Some((id, _)), Some(read)) = (axis.name.rsplit_once('.'), &base.system) else { return false };
    let system = &read.system;
    system.find(id).is_some() || system.networks.iter().any(|network| network.id == id)
}

/// Looks at one; none: it has the value of the file.
pub(super) fn examine_one(
    prepared: &Prepared,
    name: &str,
    result: &RunResult,
    interrupt: &AtomicBool,
) -> Result<Option<Exchange>, Problems> {
    let (Some((id, key)), Some(read), Some(to)) =
        (name.rsplit_once('.'), &prepared.system, prepared.variation.attributes.get(name))
    else {
        return Ok(None);
    };
    let mut variation = prepared.variation.clone();
    variation.as_in_file.insert(name.to_owned());
    let before = prepared.again(&variation)?;
    let of_file = before.system.as_ref().and_then(|read| value_of(&read.system, id, key));
    if of_file.is_some() && of_file == value_of(&read.system, id, key) {
        return Ok(None);
    }
    let mut exchange = Exchange {
        name: name.to_owned(),
        what: What::Attribute,
        from: of_file.unwrap_or_else(|| "not given".to_owned()),
        to: to.clone(),
        effect: Effect::Unused,
        share: 0.0,
        sites: Vec::new(),
    };
    let first = run::simulate(&before, &RunControl::new(interrupt))?.result;
    let is_changed = differ(&first, result, &Objective::ALL);
    if NOT_ABOUT_TIME.iter().any(|start| key.starts_with(start)) {
        // A cap chooses among states: no cost of a block tells what it does, and one that is never reached does nothing.
        let is_cap = key == "power_cap" && read.system.components.iter().any(|one| !one.attributes.states().is_empty());
        exchange.effect = match is_changed {
            true => Effect::Changed,
            false if is_cap => Effect::SameFigures,
            false => Effect::Unused,
        };
        return Ok(Some(exchange));
    }
    let mut variation = prepared.variation.clone();
    variation.doubled.insert(name.to_owned());
    // Twice as much may be more than there can be: then nothing says that it is hidden.
    let Ok(doubled) = prepared.again(&variation) else {
        exchange.effect = if is_changed { Effect::Changed } else { Effect::SameFigures };
        return Ok(Some(exchange));
    };
    let is_same_doubled = || -> Result<bool, Problems> {
        Ok(is_same(run::simulate(&doubled, &RunControl::new(interrupt))?.result.time_s, result.time_s))
    };
    match (read.system.find(id), network(&read.system, id, key)) {
        (Some(component), false) => {
            let runs = [&before, prepared, &doubled];
            sites::of_component(&mut exchange, component, runs, is_changed, &is_same_doubled)?;
        }
        _ => {
            let carries = first.links.iter().any(|link| link.network == *id);
            exchange.effect = match is_changed {
                true => Effect::Changed,
                false if !is_same_doubled()? => Effect::SameFigures,
                false if carries => Effect::Hidden,
                false => Effect::Unused,
            };
            if matches!(exchange.effect, Effect::Hidden | Effect::Unused) {
                sites::of_network(&mut exchange, prepared, first.counts.messages > 0)?;
            }
        }
    }
    Ok(Some(exchange))
}

/// Whether a key of an id is that of a network.
fn network(system: &System, id: &str, key: &str) -> bool {
    system.networks.iter().any(|network| network.id == id && known_of_network(key))
}

/// An attribute as a file would have it.
fn value_of(system: &System, id: &str, key: &str) -> Option<String> {
    let attributes = match system.networks.iter().find(|network| network.id == id && known_of_network(key)) {
        Some(network) => &network.attributes,
        None => &system.components[system.find(id)?].attributes,
    };
    let attribute = attributes.attribute(key)?;
    Some(match &attribute.value {
        Value::Number(value) => number_of(key, *value, &attribute.unit).trim_matches('"').to_owned(),
        Value::Flag(value) => value.to_string(),
        Value::Word(word) => word.clone(),
        Value::Curve(_) | Value::States(_) => "of the file".to_owned(),
    })
}
