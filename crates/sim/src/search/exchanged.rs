//! Whether exchanged hardware, or another value of an attribute or a parameter, can change the result, and if not, which rule
//! hides it.
//!
//! Established by evaluation, never by names: the run as the file has it and the run with the other entry are compared, and the
//! cost of every block that the exchange can reach is computed with both entries. What stays equal is computed once more with
//! every figure of the new entry doubled (latencies halved): what stays equal even then depends on nothing of the hardware.

mod attributes;
mod parameters;
mod refuse;
mod sites;
mod told;

pub use attributes::examine_attributes;
pub use refuse::refuse;

use crate::optimize::Objective;
use crate::run::{self, Prepared, RunControl, RunResult};
use crate::sweep::{self, Axis, Point};
use crate::system::Parts;
use crate::world::{Scaled, SystemWorld};
use runcast_core::{Problem, Problems};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Times that differ by less than this share are the same.
const SAME: f64 = 1e-9;

/// Whether two times are the same to the last digits.
pub fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * one.abs().max(other.abs())
}

/// Whether some objective differs between two results, or is known in one of them only.
fn differ(one: &RunResult, other: &RunResult, objectives: &[Objective]) -> bool {
    objectives.iter().any(|objective| match (objective.of(one), objective.of(other)) {
        (Some(one), Some(other)) => !is_same(one, other),
        (one, other) => one.is_some() != other.is_some(),
    })
}

/// What an exchange of hardware does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The result follows.
    Changed,
    /// It changes, but costs that should follow do not.
    PartlyHidden,
    /// Nothing of the hardware can change it.
    Hidden,
    /// Nothing runs there.
    Unused,
    /// Both entries have the same figures where it matters.
    SameFigures,
}

/// What is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The entry of a component or a network.
    Hardware,
    /// A figure of one, `ID.KEY`.
    Attribute,
    /// A parameter of the applications, or a coefficient, `c.NAME`.
    Parameter,
}

/// An exchanged component or network, or another value of an attribute or a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    pub name: String,
    pub what: What,
    pub from: String,
    pub to: String,
    pub effect: Effect,
    /// Share of the time of its sites that is hidden.
    pub share: f64,
    /// Where it takes time, the largest first.
    pub sites: Vec<Site>,
}

/// Where a component takes time: a cost function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// File and line of the rule; empty and 0: the default law, or the script.
    pub file: String,
    pub line: u64,
    pub on: Cow<'static, str>,
    /// Type of the block.
    #[serde(rename = "type")]
    pub kind: String,
    /// The formula.
    pub text: String,
    /// Why it does not follow; none: it does.
    pub reason: Option<Cow<'static, str>>,
    /// Seconds as in the file; none: of messages, and of blocks that are not known before the run.
    pub value_from: Option<f64>,
    pub value_to: Option<f64>,
    /// Share of the busy time of all sites of this exchange.
    pub share: f64,
}

/// Looks at every exchanged component and network of a prepared run, given its time.
///
/// # Errors
/// What is wrong with the run as the file has it; an interrupt.
pub fn examine(prepared: &Prepared, time_s: f64, interrupt: &AtomicBool) -> Result<Vec<Exchange>, Problems> {
    let Some(read) = &prepared.system else { return Ok(Vec::new()) };
    let system = &read.system;
    let components = system.components.iter().map(|one| (&one.id, &one.parts));
    let networks = system.networks.iter().map(|one| (&one.id, &one.parts));
    let exchanged: Vec<_> = components.chain(networks).filter(|(_, parts)| parts.entry != parts.reference).collect();
    let one = |(id, parts): (&String, &Parts)| examine_one(prepared, id, parts, time_s, interrupt);
    exchanged.into_iter().map(one).collect()
}

/// Looks at one component or network.
fn examine_one(
    prepared: &Prepared,
    id: &str,
    parts: &Parts,
    time_s: f64,
    interrupt: &AtomicBool,
) -> Result<Exchange, Problems> {
    let name = |entry: &Option<String>| entry.clone().unwrap_or_default();
    let mut exchange = Exchange {
        name: id.to_owned(),
        what: What::Hardware,
        from: name(&parts.reference),
        to: name(&parts.entry),
        effect: Effect::Unused,
        share: 0.0,
        sites: Vec::new(),
    };
    let mut variation = prepared.variation.clone();
    variation.as_in_file.insert(id.to_owned());
    let before = prepared.again(&variation)?;
    let mut variation = prepared.variation.clone();
    variation.doubled.insert(id.to_owned());
    let doubled = prepared.again(&variation)?;
    let first = run::simulate(&before, &RunControl::new(interrupt))?.result;
    let time_doubled =
        || -> Result<f64, Problems> { Ok(run::simulate(&doubled, &RunControl::new(interrupt))?.result.time_s) };
    let is_changed = !is_same(first.time_s, time_s);
    let components = prepared.system.as_ref().map(|read| read.system.components.as_slice()).unwrap_or_default();
    match components.iter().position(|one| one.id == *id && one.parts.entry != one.parts.reference) {
        Some(component) => {
            let runs = [&before, prepared, &doubled];
            sites::of_component(&mut exchange, component, runs, is_changed, &|| Ok(is_same(time_doubled()?, time_s)))?;
        }
        None => {
            let carries = first.links.iter().any(|link| link.network == *id);
            exchange.effect = match is_changed {
                true => Effect::Changed,
                false if !is_same(time_doubled()?, time_s) => Effect::SameFigures,
                false if carries => Effect::Hidden,
                false => Effect::Unused,
            };
            if matches!(exchange.effect, Effect::Hidden | Effect::Unused) {
                sites::of_network(&mut exchange, prepared, first.counts.messages > 0)?;
            }
        }
    }
    Ok(exchange)
}

/// An entry with which no configuration gives a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    pub value: String,
    pub reason: String,
}

/// Takes entries out of what varies that lack a figure which a coefficient depends on, or that are of another kind than what
/// it was measured on: nothing can be recommended among them.
///
/// # Errors
/// None of the entries of an axis is left.
pub fn leave_out(base: &Prepared, axes: &mut [Axis]) -> Result<Vec<LeftOut>, Problems> {
    let mut all = Vec::new();
    for number in 0..axes.len() {
        if !axes[number].name.starts_with("hardware.") {
            continue;
        }
        let mut kept = Vec::new();
        let mut first: Option<Problem> = None;
        for value in axes[number].values.clone() {
            let mut values: Vec<_> = axes.iter().map(|axis| axis.values[0].clone()).collect();
            values[number] = value.clone();
            let problem = match sweep::prepare(base, axes, &Point { values, repetition: 0 }) {
                Ok(prepared) => match prepared.stage(0) {
                    Ok(stage) => stage
                        .warnings()
                        .into_iter()
                        .find(|warning| warning.code == "scaled_across_kinds")
                        .map(|warning| Problem::new("scaled_across_kinds", warning.message)),
                    Err(Problems(problems)) => problems.into_iter().find(|problem| problem.code == "missing_figure"),
                },
                Err(_) => None,
            };
            match problem {
                Some(problem) => {
                    all.push(LeftOut { value: value.to_string(), reason: problem.message.clone() });
                    first.get_or_insert(problem);
                }
                None => kept.push(value),
            }
        }
        match first {
            Some(problem) if kept.is_empty() => return Err(problem.into()),
            _ => axes[number].values = kept,
        }
    }
    Ok(all)
}

/// Looks at what varies, once for each component and network, attribute, parameter and coefficient: hardware and attributes in
/// the first configuration with the last value that is not that of the file, parameters unless they are known to change the
/// result. Of these, only what changes nothing is reported.
///
/// # Errors
/// As [`examine`].
pub fn examine_axes(
    base: &Prepared,
    axes: &[Axis],
    is_known_to_change: &dyn Fn(usize) -> bool,
    interrupt: &AtomicBool,
) -> Result<Vec<Exchange>, Problems> {
    let mut all = Vec::new();
    for (number, axis) in axes.iter().enumerate() {
        let found = match parameters::is_one(base, axis) {
            true if is_known_to_change(number) => None,
            true => parameters::examine_axis(&quiet(base)?, axes, number, &Objective::ALL, interrupt)?,
            false => examine_axis(base, axes, number, interrupt)?,
        };
        all.extend(found);
    }
    Ok(all)
}

/// Coefficients that follow exchanged hardware, with each entry that varies in the first configuration. Configurations that
/// cannot be laid out are left out: the search tells them.
pub fn scaled_axes(base: &Prepared, axes: &[Axis]) -> Vec<Scaled> {
    let first: Vec<_> = axes.iter().map(|axis| axis.values[0].clone()).collect();
    let mut configurations = vec![first.clone()];
    for (number, axis) in axes.iter().enumerate().filter(|(_, axis)| axis.name.starts_with("hardware.")) {
        configurations.extend(axis.values.iter().skip(1).map(|value| {
            let mut values = first.clone();
            values[number] = value.clone();
            values
        }));
    }
    let mut all: Vec<Scaled> = Vec::new();
    for values in configurations {
        let Ok(prepared) = sweep::prepare(base, axes, &Point { values, repetition: 0 }) else { continue };
        let Ok(stage) = prepared.stage(0) else { continue };
        for one in stage.system_world().map(SystemWorld::scaled).unwrap_or_default() {
            if !all.contains(one) {
                all.push(one.clone());
            }
        }
    }
    all
}

/// The same without noise, once: draws differ from value to value, and equal costs are equal times only without them.
fn quiet(base: &Prepared) -> Result<Prepared, Problems> {
    let mut inputs = (*base.inputs).clone();
    inputs.experiment.noise = None;
    inputs.experiment.repetitions = Some(1);
    run::prepare(&Arc::new(inputs), &base.variation)
}

/// Looks at an axis of hardware or of an attribute; none: it is neither, or no value can be simulated.
fn examine_axis(
    base: &Prepared,
    axes: &[Axis],
    number: usize,
    interrupt: &AtomicBool,
) -> Result<Option<Exchange>, Problems> {
    let axis = &axes[number];
    let hardware = axis.name.strip_prefix("hardware.");
    if hardware.is_none() && !attributes::is_one(base, axis) {
        return Ok(None);
    }
    let mut values: Vec<_> = axes.iter().map(|axis| axis.values[0].clone()).collect();
    for value in axis.values.iter().rev() {
        values[number] = value.clone();
        let Ok(mut prepared) = sweep::prepare(base, axes, &Point { values: values.clone(), repetition: 0 }) else {
            continue;
        };
        let others = axes.iter().filter_map(|axis| axis.name.strip_prefix("hardware."));
        let mut variation = prepared.variation.clone();
        variation.as_in_file.extend(others.filter(|other| Some(*other) != hardware).map(str::to_owned));
        prepared = prepared.again(&variation)?;
        let Ok(simulated) = run::simulate(&prepared, &RunControl::new(interrupt)) else { continue };
        let found = match hardware {
            Some(id) => {
                let all = examine(&prepared, simulated.result.time_s, interrupt)?;
                all.into_iter().find(|exchange| exchange.name == id)
            }
            None => attributes::examine_one(&prepared, &axis.name, &simulated.result, interrupt)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
