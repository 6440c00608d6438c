//! Axes of hardware that cannot change the time: nothing can be recommended among entries that give the same time to the last
//! digit.

use super::{Effect, Exchange, examine_one, is_same};
use crate::model::Location;
use crate::optimize::evaluate;
use crate::run::{self, Prepared};
use crate::sweep::{self, Axis, Point};
use runcast_core::Problem;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Refuses axes of hardware that cannot change the time: in neither the first nor the last configuration does it differ from
/// entry to entry, and there [`super::examine`] finds it hidden or unused.
///
/// # Errors
/// `exchange_hidden`, with the rule that hides the difference; an interrupt.
pub fn refuse(base: &Prepared, axes: &[Axis], interrupt: &AtomicBool) -> Result<(), Problem> {
    if !axes.iter().any(|axis| component(axis).is_some() && axis.values.len() > 1) {
        return Ok(());
    }
    // Draws differ from entry to entry: without them equal costs are equal times.
    let mut inputs = (*base.inputs).clone();
    inputs.experiment.noise = None;
    inputs.experiment.repetitions = Some(1);
    let Ok(base) = run::prepare(&Arc::new(inputs), &base.variation) else { return Ok(()) };
    for (number, axis) in axes.iter().enumerate() {
        let Some(id) = component(axis).filter(|_| axis.values.len() > 1) else { continue };
        let mut found: Vec<Exchange> = Vec::new();
        for point in corners(axes) {
            let points = entries(axes, number, &point);
            let results = evaluate(&base, axes, &points, interrupt, &|| {})?;
            let done: Vec<(&Point, f64)> = points
                .iter()
                .zip(&results)
                .filter_map(|(point, result)| Some((point, result.as_ref().ok()?.time_s)))
                .collect();
            let is_changed = done.windows(2).any(|pair| !is_same(pair[0].1, pair[1].1));
            let exchange = if is_changed { None } else { examined(&base, axes, id, &done, interrupt)? };
            match exchange {
                Some(exchange) if matches!(exchange.effect, Effect::Hidden | Effect::Unused) => found.push(exchange),
                // It changes, or entries whose figures are alike tie rightly.
                _ if !done.is_empty() => {
                    found.clear();
                    break;
                }
                _ => {}
            }
        }
        let hidden = found.iter().position(|exchange| exchange.effect == Effect::Hidden).unwrap_or(0);
        if let Some(exchange) = found.get(hidden) {
            return Err(problem(exchange, id));
        }
    }
    Ok(())
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
fn problem(exchange: &Exchange, id: &str) -> Problem {
    let message = exchange.warning().map(|warning| warning.message).unwrap_or_default();
    let site = exchange.sites.iter().find(|site| site.reason.is_some());
    let hint = match site.and_then(|site| site.reason.as_deref()) {
        None => "do not vary what nothing depends on",
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
            let pointer = format!("hardware.{id}");
            Location { file: site.file.clone(), line: site.line, column: 1, pointer }.locate(problem)
        }
        None => problem.at(format!("hardware.{id}")),
    }
}

fn component(axis: &Axis) -> Option<&str> {
    axis.name.strip_prefix("hardware.")
}

/// All first values, and all last ones.
fn corners(axes: &[Axis]) -> Vec<Point> {
    let at = |last: bool| Point {
        values: axes.iter().map(|axis| axis.values[if last { axis.values.len() - 1 } else { 0 }].clone()).collect(),
        repetition: 0,
    };
    vec![at(false), at(true)]
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
