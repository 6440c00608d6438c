//! Whether exchanged hardware can change the result, and if not, which rule hides it.
//!
//! Established by evaluation, never by names: the run as the file has it and the run with the other entry are compared, and the
//! cost of every block that the exchange can reach is computed with both entries. What stays equal is computed once more with
//! every figure of the new entry doubled (latencies halved): what stays equal even then depends on nothing of the hardware.

use crate::application::Block;
use crate::model::{Operand, Rule, Scale, exponent};
use crate::optimize::hidden::is_same;
use crate::run::{self, Prepared, RunControl};
use crate::sweep::{self, Axis, Point};
use crate::world::{SystemWorld, World};
use runcast_core::{Problem, Problems, Warning};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

/// Sites that are told.
const MOST_SITES: usize = 20;
/// From this share of hidden time on a change is only a part of what it should be.
const PARTLY: f64 = 0.05;

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

/// An exchanged component or network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    pub name: String,
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
    /// Seconds as in the file.
    pub value_from: f64,
    pub value_to: f64,
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
    let mut all = Vec::new();
    for (id, parts) in exchanged {
        let name = |entry: &Option<String>| entry.clone().unwrap_or_default();
        let mut exchange = Exchange {
            name: id.clone(),
            from: name(&parts.reference),
            to: name(&parts.entry),
            effect: Effect::Unused,
            share: 0.0,
            sites: Vec::new(),
        };
        let mut variation = prepared.variation.clone();
        variation.as_in_file.insert(id.clone());
        let before = prepared.again(&variation)?;
        let mut variation = prepared.variation.clone();
        variation.doubled.insert(id.clone());
        let doubled = prepared.again(&variation)?;
        let first = run::simulate(&before, &RunControl::new(interrupt))?.result;
        let is_changed = !is_same(first.time_s, time_s);
        match system.components.iter().position(|one| one.id == *id && one.parts.entry != one.parts.reference) {
            Some(component) => blocks(&mut exchange, component, [&before, prepared, &doubled], is_changed)?,
            None => {
                let other = run::simulate(&doubled, &RunControl::new(interrupt))?.result;
                let carries = first.links.iter().any(|link| link.network == *id);
                exchange.effect = match (is_changed, is_same(other.time_s, time_s)) {
                    (true, _) => Effect::Changed,
                    (false, false) => Effect::SameFigures,
                    (false, true) if carries => Effect::Hidden,
                    (false, true) => Effect::Unused,
                };
            }
        }
        all.push(exchange);
    }
    Ok(all)
}

/// An entry that no configuration can be told with.
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

/// Looks at the hardware that varies, once for each component and network: the first configuration with the last entry that is
/// not that of the file.
///
/// # Errors
/// As [`examine`].
pub fn examine_axes(base: &Prepared, axes: &[Axis], interrupt: &AtomicBool) -> Result<Vec<Exchange>, Problems> {
    let mut all = Vec::new();
    for (number, axis) in axes.iter().enumerate() {
        let Some(id) = axis.name.strip_prefix("hardware.") else { continue };
        let mut values: Vec<_> = axes.iter().map(|axis| axis.values[0].clone()).collect();
        for value in axis.values.iter().rev() {
            values[number] = value.clone();
            let Ok(mut prepared) = sweep::prepare(base, axes, &Point { values: values.clone(), repetition: 0 }) else {
                continue;
            };
            let others =
                axes.iter().filter_map(|axis| axis.name.strip_prefix("hardware.")).filter(|other| *other != id);
            let mut variation = prepared.variation.clone();
            variation.as_in_file.extend(others.map(str::to_owned));
            prepared = prepared.again(&variation)?;
            let Ok(result) = run::simulate(&prepared, &RunControl::new(interrupt)) else { continue };
            let found = examine(&prepared, result.result.time_s, interrupt)?;
            if let Some(found) = found.into_iter().find(|exchange| exchange.name == id) {
                all.push(found);
                break;
            }
        }
    }
    Ok(all)
}

/// Blocks of a component, or of the devices of a machine: in the file, now, and with all figures doubled.
fn blocks(exchange: &mut Exchange, component: usize, runs: [&Prepared; 3], is_changed: bool) -> Result<(), Problems> {
    let stages = [runs[0].stage(0)?, runs[1].stage(0)?, runs[2].stage(0)?];
    let [Some(before), Some(now), Some(doubled)] =
        [stages[0].system_world(), stages[1].system_world(), stages[2].system_world()]
    else {
        return Ok(());
    };
    let application = &runs[1].recorded.application;
    let mut found: Vec<(Site, bool)> = Vec::new();
    for (label, used) in now.label_uses().iter().enumerate().filter(|(_, used)| used.count > 0) {
        for (number, times) in application.executions(label) {
            let Some(block) = application.blocks.get(number as usize) else { continue };
            let class = |world: &SystemWorld| world.place(used.first).class;
            let Ok((device, machine, rule)) = now.source_of(block, class(now)) else { continue };
            if device != component && machine != component {
                continue;
            }
            let cost = |world: &SystemWorld| world.compute(block, class(world)).map(|cost| cost.seconds);
            let (Ok(from), Ok(to), Ok(beyond)) = (cost(before), cost(now), cost(doubled)) else { continue };
            let is_hidden = is_same(from, to) && is_same(to, beyond) && from > 0.0;
            let site = Site {
                file: rule.map_or(String::new(), |rule| rule.location.file.clone()),
                line: rule.map_or(0, |rule| rule.location.line),
                on: "compute".into(),
                kind: block.kind.clone(),
                text: text(block, rule),
                reason: is_hidden.then(|| reason(now, block, rule, device).into()),
                value_from: from,
                value_to: to,
                share: from * times,
            };
            let alike = |known: &&mut (Site, bool)| {
                (&known.0.file, known.0.line, &known.0.kind, known.1) == (&site.file, site.line, &site.kind, is_hidden)
            };
            match found.iter_mut().find(alike) {
                Some((known, _)) => known.share += site.share,
                None => found.push((site, is_hidden)),
            }
        }
    }
    let total: f64 = found.iter().map(|(site, _)| site.share).sum();
    let share = |time: f64| if total > 0.0 { time / total } else { 0.0 };
    exchange.share = 0.0 + share(found.iter().filter(|(_, is_hidden)| *is_hidden).map(|(site, _)| site.share).sum());
    let any_changes = found.iter().any(|(site, _)| !is_same(site.value_from, site.value_to));
    exchange.effect = match () {
        () if found.is_empty() && !is_changed => Effect::Unused,
        () if is_changed && exchange.share >= PARTLY => Effect::PartlyHidden,
        () if is_changed || any_changes => Effect::Changed,
        () if exchange.share > 0.0 => Effect::Hidden,
        () => Effect::SameFigures,
    };
    exchange.sites = found.into_iter().map(|(site, _)| Site { share: share(site.share), ..site }).collect();
    exchange.sites.sort_by(|a, b| b.share.total_cmp(&a.share));
    exchange.sites.truncate(MOST_SITES);
    Ok(())
}

fn text(block: &Block, rule: Option<&Rule>) -> String {
    match rule.and_then(|rule| rule.value.as_ref()) {
        _ if block.time_s.is_some() => "the seconds that the script gives".to_owned(),
        Some(formula) => formula.text.clone(),
        None => "the default law".to_owned(),
    }
}

/// Why a cost does not follow: the first that fits.
fn reason(world: &SystemWorld, block: &Block, rule: Option<&Rule>, device: usize) -> &'static str {
    if block.time_s.is_some() {
        return "time_given";
    }
    let system = world.system();
    let Some(formula) = rule.and_then(|rule| rule.value.as_ref()) else {
        let sets = system.components[device].own.iter().any(|key| key.starts_with("flops") || key.starts_with("mem_"));
        return if sets { "set_hides" } else { "constant" };
    };
    let models = &system.models;
    let coefficients: Vec<_> = formula
        .names
        .iter()
        .filter_map(|used| match &used.operand {
            Operand::Coefficient(name) => models.iter().find_map(|model| model.coefficients.get(name)),
            _ => None,
        })
        .collect();
    match coefficients.iter().any(|one| one.scales == Some(Scale::None)) {
        true => "scales_none",
        false if coefficients.iter().any(|one| exponent(one.unit) == 0) => "no_unit",
        false => "constant",
    }
}

impl Exchange {
    /// What the user should know of it.
    pub fn warning(&self) -> Option<Warning> {
        let Exchange { name, from, to, .. } = self;
        let exchange = format!("exchanging {name} ({from} -> {to})");
        let hidden: Vec<String> = self
            .sites
            .iter()
            .filter_map(|site| {
                let at = if site.line > 0 { format!(" ({}:{})", site.file, site.line) } else { String::new() };
                let why = match site.reason.as_deref()? {
                    "scales_none" => ", scales = \"none\"",
                    "no_unit" => ", whose coefficient has no unit",
                    _ => "",
                };
                Some(format!("\"{}\"{at}{why}", site.text))
            })
            .take(3)
            .collect();
        let hidden = if hidden.is_empty() { "what no rule of it decides".to_owned() } else { hidden.join(", ") };
        let share = 100.0 * self.share;
        let (code, text) = match self.effect {
            Effect::Changed => return None,
            Effect::Hidden if self.sites.is_empty() => (
                "exchange_hidden",
                format!("{exchange} cannot change the result: a rule gives the time of its messages"),
            ),
            Effect::Hidden => (
                "exchange_hidden",
                format!("{exchange} cannot change the result: {share:.0} % of its time is {hidden}"),
            ),
            Effect::PartlyHidden => (
                "exchange_partly_hidden",
                format!("{exchange} changes only a part of the result: {share:.0} % of its time is {hidden}"),
            ),
            Effect::Unused => ("exchange_unused", format!("{exchange} changes nothing: nothing here uses it")),
            Effect::SameFigures => (
                "exchange_same_figures",
                format!("{exchange} changes nothing: their figures are the same where it matters"),
            ),
        };
        Some(Warning::new(code, text))
    }
}
