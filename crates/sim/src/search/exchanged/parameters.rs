//! Parameters and coefficients that vary: whether they can change the result.

use super::{Effect, Exchange, What, differ, sites};
use crate::optimize::{self, Objective};
use crate::run::{self, Prepared, RunControl, RunResult};
use crate::sweep::{self, Axis, Point};
use runcast_core::{Problem, Problems};
use std::sync::atomic::AtomicBool;

/// Whether an axis is of a parameter or a coefficient.
pub(super) fn is_one(_: &Prepared, axis: &Axis) -> bool {
    axis.name.starts_with("c.") || (!axis.name.contains('.') && axis.name != "fidelity")
}

/// All first values, and all last ones.
pub(super) fn corners(axes: &[Axis]) -> [Point; 2] {
    [false, true].map(|last| Point {
        values: axes.iter().map(|axis| axis.values[if last { axis.values.len() - 1 } else { 0 }].clone()).collect(),
        repetition: 0,
    })
}

/// Points with each value of an axis at which all objectives are the same, at the corner where they are looked at last; none:
/// some differ, or fewer than two values can be simulated.
///
/// # Errors
/// An interrupt.
pub(super) fn ties(
    base: &Prepared,
    axes: &[Axis],
    number: usize,
    objectives: &[Objective],
    interrupt: &AtomicBool,
) -> Result<Option<Vec<(Point, RunResult)>>, Problem> {
    let mut all = None;
    for corner in corners(axes) {
        let mut seen: Vec<(Point, RunResult)> = Vec::new();
        for value in &axes[number].values {
            let mut point = corner.clone();
            point.values[number] = value.clone();
            let found = optimize::evaluate(base, axes, std::slice::from_ref(&point), interrupt, &|| {})?;
            let Some(Ok(result)) = found.into_iter().next() else { continue };
            if seen.first().is_some_and(|(_, first)| differ(first, &result, objectives)) {
                return Ok(None);
            }
            seen.push((point, result));
        }
        if seen.len() > 1 {
            all = Some(seen);
        }
    }
    Ok(all)
}

/// Looks at an axis of a run without noise; none: it changes some objective, at the first or the last configuration.
///
/// # Errors
/// An interrupt; what is wrong with a configuration.
pub(super) fn examine_axis(
    base: &Prepared,
    axes: &[Axis],
    number: usize,
    objectives: &[Objective],
    interrupt: &AtomicBool,
) -> Result<Option<Exchange>, Problems> {
    let axis = &axes[number];
    if axis.values.len() < 2 {
        return Ok(None);
    }
    let Some(seen) = ties(base, axes, number, objectives, interrupt)? else { return Ok(None) };
    let (Some((from, first)), Some((to, last))) = (seen.first(), seen.last()) else { return Ok(None) };
    let (before, now) = (sweep::prepare(base, axes, from)?, sweep::prepare(base, axes, to)?);
    let mut exchange = Exchange {
        name: axis.name.clone(),
        what: What::Parameter,
        from: from.values[number].to_string(),
        to: to.values[number].to_string(),
        effect: Effect::Unused,
        share: 0.0,
        sites: Vec::new(),
    };
    // Twice the value, if it is a number: the values at hand may be alike by chance.
    if let Some(value) = to.values[number].number() {
        let mut variation = now.variation.clone();
        let twice = variation.set(&axis.name, crate::experiment::Value::Number(2.0 * value)).map_err(Problems::from);
        let result = twice
            .and_then(|()| base.again(&variation))
            .and_then(|doubled| Ok(run::simulate(&doubled, &RunControl::new(interrupt))?.result));
        if result.is_ok_and(|doubled| differ(&doubled, last, objectives)) {
            exchange.effect = Effect::SameFigures;
            return Ok(Some(exchange));
        }
    }
    let sent = |result: &RunResult| (result.counts.messages, result.counts.bytes, result.counts.collectives);
    sites::of_parameter(&mut exchange, &before, &now, sent(first) != sent(last))?;
    Ok(Some(exchange))
}
