//! Axes that cannot change the result: nothing can be recommended among entries and values that give the same time to the last
//! digit.

use super::parameters::{self, corners};
use super::{Effect, Exchange, What, attributes, examine_one, is_same, quiet};
use crate::model::Location;
use crate::optimize::{Objective, evaluate};
use crate::run::{self, Prepared};
use crate::sweep::{self, Axis, Point};
use runcast_core::{Problem, Problems};
use std::sync::atomic::AtomicBool;

/// Refuses axes that cannot change an objective: of hardware, if in neither the first nor the last configuration the time differs
/// from entry to entry, and there [`super::examine`] finds it hidden or unused; of attributes, parameters and coefficients, if
/// there no objective differs.
///
/// # Errors
/// `exchange_hidden`, with the rule that hides the difference; an interrupt.
pub fn refuse(base: &Prepared, axes: &[Axis], objectives: &[Objective], interrupt: &AtomicBool) -> Result<(), Problem> {
    let Ok(base) = quiet(base) else { return Ok(()) };
    for (number, axis) in axes.iter().enumerate().filter(|(_, axis)| axis.values.len() > 1) {
        let exchange = match component(axis) {
            Some(id) => of_hardware(&base, axes, (number, id), interrupt)?,
            None => of_value(&base, axes, number, objectives, interrupt)?,
        };
        if let Some(exchange) = exchange.filter(|one| matches!(one.effect, Effect::Hidden | Effect::Unused)) {
            return Err(problem(&exchange, &axis.name));
        }
    }
    Ok(())
}

/// What hardware does that changes nothing.
fn of_hardware(
    base: &Prepared,
    axes: &[Axis],
    (number, id): (usize, &str),
    interrupt: &AtomicBool,
) -> Result<Option<Exchange>, Problem> {
    let mut found: Vec<Exchange> = Vec::new();
    for point in corners(axes) {
        let points = entries(axes, number, &point);
        let results = evaluate(base, axes, &points, interrupt, &|| {})?;
        let done: Vec<(&Point, f64)> = points
            .iter()
            .zip(&results)
            .filter_map(|(point, result)| Some((point, result.as_ref().ok()?.time_s)))
            .collect();
        let is_changed = done.windows(2).any(|pair| !is_same(pair[0].1, pair[1].1));
        let exchange = if is_changed { None } else { examined(base, axes, id, &done, interrupt)? };
        match exchange {
            Some(exchange) if matches!(exchange.effect, Effect::Hidden | Effect::Unused) => found.push(exchange),
            // It changes, or entries whose figures are alike tie rightly.
            _ if !done.is_empty() => return Ok(None),
            _ => {}
        }
    }
    let hidden = found.iter().position(|exchange| exchange.effect == Effect::Hidden).unwrap_or(0);
    Ok(found.into_iter().nth(hidden))
}

/// What an attribute, a parameter or a coefficient does that changes nothing.
fn of_value(
    base: &Prepared,
    axes: &[Axis],
    number: usize,
    objectives: &[Objective],
    interrupt: &AtomicBool,
) -> Result<Option<Exchange>, Problem> {
    let first = |problems: Problems| problems.0.into_iter().next().unwrap_or_default();
    if parameters::is_one(base, &axes[number]) {
        return parameters::examine_axis(base, axes, number, objectives, interrupt).map_err(first);
    }
    if !attributes::is_one(base, &axes[number]) {
        return Ok(None);
    }
    let Some(seen) = parameters::ties(base, axes, number, objectives, interrupt)? else { return Ok(None) };
    for (point, result) in seen.iter().rev() {
        let prepared = sweep::prepare(base, axes, point).map_err(first)?;
        let found = attributes::examine_one(&prepared, &axes[number].name, result, interrupt).map_err(first)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// What the last entry that is not that of the file does at a point.
fn examined(
    base: &Prepared,
    axes: &[Axis],
    id: &str,
    done: &[(&Point, f64)],
    interrupt: &AtomicBool,
) -> Result<Option<Exchange>, Problem> {
    for (point, time_s) in done.iter().rev() {
        let Ok(prepared) = sweep::prepare(base, axes, point) else { continue };
        let Some(read) = prepared.system.clone() else { continue };
        let components = read.system.components.iter().map(|one| (&one.id, &one.parts));
        let networks = read.system.networks.iter().map(|one| (&one.id, &one.parts));
        let mut exchanged = components.chain(networks).filter(|(_, parts)| parts.entry != parts.reference);
        let Some((_, parts)) = exchanged.find(|(known, _)| *known == id) else { continue };
        match examine_one(&prepared, id, parts, *time_s, interrupt) {
            Ok(exchange) => return Ok(Some(exchange)),
            Err(problems) => match problems.0.into_iter().find(|problem| problem.code == run::INTERRUPTED) {
                Some(problem) => return Err(problem),
                None => continue,
            },
        }
    }
    Ok(None)
}

/// The refusal.
fn problem(exchange: &Exchange, name: &str) -> Problem {
    let message = exchange.warning().map(|warning| warning.message).unwrap_or_default();
    let site = exchange.sites.iter().find(|site| site.reason.is_some());
    let hint = match site.and_then(|site| site.reason.as_deref()) {
        None => "do not vary what nothing depends on",
        Some("time_given") if exchange.what == What::Parameter => {
            "let the time that the script gives follow the parameter"
        }
        Some(_) if exchange.what == What::Parameter => {
            "let the rule follow what the script gives with the parameter: size, ops, bytes, or par.NAME"
        }
        Some("time_given") => "give the ops or the size of the block instead of time, and a rule if necessary",
        Some("set_hides") => "leave the figures to the catalogue: remove them from set",
        Some("no_unit") => "give the coefficient its unit, such as \"2.9ns\"",
        Some(_) => {
            "let the rule name figures of the hardware, such as hw.flops_double, hw.clock or bw, or let its coefficient depend \
             on one: { value = \"2.9ns\", scales = \"scalar\" }"
        }
    };
    let names = format!("{}, {}", exchange.from, exchange.to);
    let problem = Problem::new("exchange_hidden", message).value(names).hint(hint);
    match site.filter(|site| site.line > 0) {
        Some(site) => {
            let pointer = name.to_owned();
            Location { file: site.file.clone(), line: site.line, column: 1, pointer }.locate(problem)
        }
        None => problem.at(name),
    }
}

fn component(axis: &Axis) -> Option<&str> {
    axis.name.strip_prefix("hardware.")
}

/// A point with each entry of an axis.
fn entries(axes: &[Axis], number: usize, point: &Point) -> Vec<Point> {
    let with = |value: &crate::experiment::Value| {
        let mut point = point.clone();
        point.values[number] = value.clone();
        point
    };
    axes[number].values.iter().map(with).collect()
}
