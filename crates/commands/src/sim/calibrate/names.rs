//! `--free` and `--fix`: which coefficients, with which bounds and values, of which models.

use super::CalibrateArgs;
use crate::failure::Failure;
use runcast_core::Problem;
use runcast_formula::nearest;
use runcast_formula::units::Quantity;
use runcast_sim::calibrate::Free;
use runcast_sim::run::Prepared;

/// What is to be found, and what is given.
pub(super) struct Wanted {
    pub free: Vec<Free>,
    pub fixed: Vec<(String, f64)>,
    /// For each name the models that have it.
    pub models: Vec<(String, Vec<String>)>,
}

/// Reads both options.
pub(super) fn wanted(args: &CalibrateArgs, prepared: &Prepared) -> Result<Wanted, Failure> {
    let Some(system) = &prepared.system else {
        let problem = Problem::new("missing", "coefficients belong to the models of a system").at("--system");
        return Err(problem.hint("give a system in place of --loggops").into());
    };
    let all = &system.system.models;
    let mut wanted = Wanted { free: Vec::new(), fixed: Vec::new(), models: Vec::new() };
    let mut seen: Vec<String> = Vec::new();
    let mut known = |text: &str, option: &str| -> Result<(String, f64), Failure> {
        let name = text.trim();
        let name = name.strip_prefix("c.").unwrap_or(name);
        let having: Vec<_> = all.iter().filter(|model| model.coefficients.contains_key(name)).collect();
        let Some(first) = having.first() else {
            let names: Vec<&str> = all.iter().flat_map(|model| model.coefficients.keys()).map(String::as_str).collect();
            let mut problem = Problem::new("unknown_coefficient", format!("no model of the system has c.{name}"));
            problem = problem.at(option).value(text).allowed(listed(&names));
            problem.hint = nearest(name, names).map(|near| format!("did you mean c.{near}?"));
            return Err(problem.into());
        };
        if seen.iter().any(|there| there == name) {
            return Err(Problem::new("repeated", format!("c.{name} is there twice")).at(option).value(text).into());
        }
        seen.push(name.to_owned());
        wanted.models.push((name.to_owned(), having.iter().map(|model| model.name.clone()).collect()));
        Ok((name.to_owned(), first.coefficients[name].value))
    };
    let mut free = Vec::new();
    for text in &args.free {
        let (name, bounds) = text.split_once('=').map_or((text.as_str(), None), |(name, bounds)| (name, Some(bounds)));
        let (name, given) = known(name, "--free")?;
        free.push(match bounds {
            Some(bounds) => bounded(name, bounds).map_err(|problem| problem.at("--free").value(text))?,
            None if given > 0.0 => Free { name, start: given, low: 0.0, high: f64::INFINITY },
            None => {
                let problem =
                    Problem::new("no_start", format!("c.{name} is {given} in the system: no place to start at"));
                return Err(problem.at("--free").hint(format!("give bounds: --free c.{name}=1ns..1us")).into());
            }
        });
    }
    let mut fixed = Vec::new();
    for text in &args.fix {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Problem::new("bad_option", "a value is missing")
                .at("--fix")
                .value(text)
                .allowed("c.NAME=VALUE")
                .into());
        };
        let (name, _) = known(name, "--fix")?;
        fixed.push((name, quantity(value).map_err(|problem| problem.at("--fix"))?));
    }
    (wanted.free, wanted.fixed) = (free, fixed);
    Ok(wanted)
}

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

/// A number, with any unit.
fn quantity(text: &str) -> Result<f64, Problem> {
    let parsed = Quantity::parse(text.trim()).map_err(|error| {
        let mut problem = Problem::new("bad_quantity", error.to_string()).value(text);
        problem.hint = error.hint();
        problem
    })?;
    Ok(parsed.value)
}
