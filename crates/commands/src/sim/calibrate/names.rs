//! `--free` and `--fixed`: which coefficients, sizes of noise and attributes, with which bounds and values.

use super::CalibrateArgs;
use crate::failure::Failure;
use runcast_core::Problem;
use runcast_formula::units::Quantity;
use runcast_formula::{is_name, nearest};
use runcast_sim::attributes::{self, Bound};
use runcast_sim::calibrate::{Free, blocks};
use runcast_sim::model::Model;
use runcast_sim::run::Prepared;
use runcast_sim::system::System;

/// What is to be found, and what is given.
pub(super) struct Wanted {
    pub free: Vec<Free>,
    pub fixed: Vec<(String, f64)>,
    /// For each coefficient, without `c.`, the models that have it.
    pub models: Vec<(String, Vec<String>)>,
    /// Types of blocks whose law is to be found.
    pub laws: Vec<String>,
}

impl Wanted {
    /// Whether a size of noise is to be found.
    pub fn has_noise(&self) -> bool {
        self.free.iter().any(|one| one.name.starts_with("noise."))
    }
}

/// What a name of `--free` or `--fixed` stands for.
struct Known {
    /// In full: `c.sort`, `noise.block.mean`, `node.mem_bandwidth`.
    name: String,
    /// Its value in the files.
    value: Option<f64>,
    /// Models that have it, of a coefficient.
    models: Vec<String>,
}

/// Reads both options.
pub(super) fn wanted(args: &CalibrateArgs, prepared: &Prepared) -> Result<Wanted, Failure> {
    let Some(read) = &prepared.system else {
        let problem = Problem::new("missing", "coefficients belong to the models of a system").at("--system");
        return Err(problem.hint("give a system in place of --loggops").into());
    };
    let models = prepared.models()?;
    let mut wanted = Wanted { free: Vec::new(), fixed: Vec::new(), models: Vec::new(), laws: Vec::new() };
    let mut seen: Vec<String> = Vec::new();
    let mut take = |text: &str, option: &str| -> Result<Known, Failure> {
        let found = known(text, prepared, &read.system, &models).map_err(|problem| problem.at(option).value(text))?;
        if seen.contains(&found.name) {
            let problem = Problem::new("repeated", format!("{} is there twice", found.name));
            return Err(problem.at(option).value(text).into());
        }
        seen.push(found.name.clone());
        if let Some(name) = found.name.strip_prefix("c.") {
            wanted.models.push((name.to_owned(), found.models.clone()));
        }
        Ok(found)
    };
    let mut free = Vec::new();
    for text in &args.free {
        if let Some(kind) = text.trim().strip_prefix("law.") {
            let kind = law(kind, prepared).map_err(|problem| problem.at("--free").value(text))?;
            if wanted.laws.contains(&kind) {
                let problem = Problem::new("repeated", format!("law.{kind} is there twice"));
                return Err(problem.at("--free").value(text).into());
            }
            wanted.laws.push(kind);
            continue;
        }
        let (name, bounds) = text.split_once('=').map_or((text.as_str(), None), |(name, bounds)| (name, Some(bounds)));
        let found = take(name, "--free")?;
        let start = found.value.filter(|value| *value > 0.0);
        free.push(match (bounds, start) {
            (Some(bounds), _) => {
                within(bounded(found.name, bounds).map_err(|problem| problem.at("--free").value(text))?)
            }
            (None, Some(start)) => within(Free { name: found.name, start, low: 0.0, high: f64::INFINITY }),
            (None, None) => {
                let value = found.value.map_or_else(|| "not".to_owned(), |value| value.to_string());
                let message = format!("{} is {value} in the system: no place to start at", found.name);
                let problem = Problem::new("no_start", message).at("--free");
                return Err(problem.hint(format!("give bounds: --free {}=1ns..1us", found.name)).into());
            }
        });
    }
    let mut fixed = Vec::new();
    for text in &args.fix {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Problem::new("bad_option", "a value is missing")
                .at("--fixed")
                .value(text)
                .allowed("c.NAME=VALUE")
                .into());
        };
        let found = take(name, "--fixed")?;
        fixed.push((found.name, quantity(value).map_err(|problem| problem.at("--fixed"))?));
    }
    (wanted.free, wanted.fixed) = (free, fixed);
    Ok(wanted)
}

/// A type of blocks, of `law.TYPE`.
fn law(kind: &str, prepared: &Prepared) -> Result<String, Problem> {
    if kind.contains('=') {
        let problem = Problem::new("bad_bounds", "a law has no bounds").allowed("law.TYPE");
        return Err(problem.hint("bounds of its coefficients: --free c.NAME=LOW..HIGH"));
    }
    let kinds = blocks::kinds(prepared);
    if kinds.contains(kind) {
        return Ok(kind.to_owned());
    }
    let problem = Problem::new("unknown_type", format!("no block of the script has the type {kind}"));
    let problem = problem.one_of(kind, kinds.iter().map(String::as_str));
    Err(if kinds.is_empty() { problem.hint("give it one: compute{ type = \"sort\", .. }") } else { problem })
}

/// What a name stands for: a coefficient, with or without `c.`; `noise.NAME`; an attribute `ID.KEY`.
fn known(text: &str, prepared: &Prepared, system: &System, models: &[Model]) -> Result<Known, Problem> {
    let text = text.trim();
    if let Some(size) = text.strip_prefix("noise.") {
        let mut spec = prepared.inputs.experiment.noise.clone().unwrap_or_default();
        let value = spec.size(size).filter(|value| *value > 0.0).unwrap_or(NOISE_START);
        spec.set(size, value)?;
        return Ok(Known { name: text.to_owned(), value: Some(value), models: Vec::new() });
    }
    let name = text.strip_prefix("c.").unwrap_or(text);
    let has = |model: &&Model| is_name(name) && model.coefficients.contains_key(name);
    let having: Vec<_> = models.iter().filter(has).collect();
    if let Some(first) = having.first() {
        return Ok(Known {
            name: format!("c.{name}"),
            value: Some(first.coefficients[name].value),
            models: having.iter().map(|model| model.name.clone()).collect(),
        });
    }
    if let Some((id, key)) = text.rsplit_once('.').filter(|(id, _)| *id != "c") {
        let component = system.components.iter().find(|component| component.id == id);
        let network = system.networks.iter().find(|network| network.id == id);
        if component.is_some() || network.is_some() {
            let value = network.and_then(|network| network.attributes.get(key));
            let value = value.or_else(|| component.and_then(|component| component.attributes.get(key)));
            return Ok(Known { name: text.to_owned(), value, models: Vec::new() });
        }
    }
    let names: Vec<&str> = models
        .iter()
        .flat_map(|model| model.coefficients.keys())
        .map(String::as_str)
        .filter(|name| is_name(name))
        .collect();
    let mut problem = Problem::new("unknown_coefficient", format!("no model of the system has c.{name}"));
    problem = problem.allowed(format!("{}; law.TYPE; noise.NAME; ID.KEY of a component or network", listed(&names)));
    problem.hint = nearest(name, names).map(|near| format!("did you mean c.{near}?"));
    Err(problem)
}

/// Where the search for a size of noise begins, where the experiment has none.
const NOISE_START: f64 = 0.02;

fn listed(names: &[&str]) -> String {
    let mut names: Vec<String> = names.iter().map(|name| format!("c.{name}")).collect();
    names.sort();
    names.dedup();
    names.join(", ")
}

fn bounded(name: String, bounds: &str) -> Result<Free, Problem> {
    let wrong = || {
        Problem::new("bad_bounds", "these are no bounds").allowed("two values of which the first is less: 1ns..10ns")
    };
    let (low, high) = bounds.split_once("..").ok_or_else(wrong)?;
    let (low, high) = (quantity(low)?, quantity(high)?);
    if !(low < high && low >= 0.0) {
        return Err(wrong());
    }
    let start = if low > 0.0 { (low * high).sqrt() } else { high / 2.0 };
    Ok(Free { name, start, low, high })
}

/// A free attribute within what its key allows: a search may try its bounds.
fn within(free: Free) -> Free {
    let key = free.name.rsplit_once('.').filter(|(id, _)| !["c", "noise"].contains(id) && !id.starts_with("noise."));
    let (low, high) = match key.and_then(|(_, key)| attributes::known(key)).map(|known| known.bound) {
        Some(Bound::Positive) => (1e-3 * free.start, f64::INFINITY),
        Some(Bound::Count) => (1.0, f64::INFINITY),
        Some(Bound::Share) => (0.0, 1.0),
        Some(Bound::NotNegative) | None => return free,
    };
    Free { low: free.low.max(low).min(free.start), high: free.high.min(high).max(free.start), ..free }
}

/// A number, with any unit.
fn quantity(text: &str) -> Result<f64, Problem> {
    let parsed = Quantity::parse(text.trim()).map_err(|error| {
        let mut problem = Problem::new("bad_quantity", error.to_string()).value(text);
        problem.hint = error.hint();
        problem
    })?;
    Ok(parsed.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_stay_within_what_their_keys_allow() {
        let within = |name: &str, start: f64, low: f64, high: f64| {
            let free = super::within(Free { name: name.to_owned(), start, low, high });
            (free.low, free.high)
        };
        assert_eq!(within("cpu.ipc", 1.15, 0.0, f64::INFINITY), (1.15e-3, f64::INFINITY), "above 0");
        assert_eq!(within("cpu.numa", 2.0, 0.0, f64::INFINITY), (1.0, f64::INFINITY), "a count");
        assert_eq!(within("net.latency", 1e-6, 1e-7, 1e-5), (1e-7, 1e-5));
        assert_eq!(within("c.ipc", 1.15, 0.0, f64::INFINITY), (0.0, f64::INFINITY), "a coefficient may be 0");
        assert_eq!(within("noise.block.mean", 0.02, 0.0, f64::INFINITY), (0.0, f64::INFINITY));
    }
}
