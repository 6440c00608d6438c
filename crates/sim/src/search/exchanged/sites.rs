//! Where exchanged hardware takes time, and why a cost does not follow.

use super::{Effect, Exchange, Site, What, is_same};
use crate::application::{Block, Programs};
use crate::model::{On, Operand, Rule, RuleFormula, Scale, Variable, exponent};
use crate::run::Prepared;
use crate::world::{SystemWorld, World};
use runcast_core::Problems;

/// Sites reported at most.
const MOST_SITES: usize = 20;
/// From this share of hidden time on a change is only a part of what it should be.
const PARTLY: f64 = 0.05;

/// Blocks of a component, or of the devices of a machine: in the file, now, and with all figures doubled. Of processes that run live
/// the blocks are not known: there the times of whole runs decide.
pub(super) fn of_component(
    exchange: &mut Exchange,
    component: usize,
    runs: [&Prepared; 3],
    is_changed: bool,
    is_same_doubled: &dyn Fn() -> Result<bool, Problems>,
) -> Result<(), Problems> {
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
            let is_reached = |place: usize| now.system().is_within(place, component);
            if !is_reached(device) && !is_reached(machine) {
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
                reason: is_hidden.then(|| match reason(now, block, rule, device) {
                    // What the caller sets is what is looked at.
                    "set_hides" if exchange.what == What::Attribute => "constant".into(),
                    reason => reason.into(),
                }),
                value_from: Some(from),
                value_to: Some(to),
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
    let is_live = application.labels.iter().any(|label| label.programs == Programs::Live);
    if is_live && found.is_empty() && !is_changed && is_same_doubled()? {
        let rules = rules_about(now, |on| on == On::Compute).filter(|rule| is_blind(rule));
        exchange.sites = named(now, rules, "compute");
        if !exchange.sites.is_empty() {
            (exchange.effect, exchange.share) = (Effect::Hidden, 1.0);
            return Ok(());
        }
    }
    let total: f64 = found.iter().map(|(site, _)| site.share).sum();
    let share = |time: f64| if total > 0.0 { time / total } else { 0.0 };
    exchange.share = 0.0 + share(found.iter().filter(|(_, is_hidden)| *is_hidden).map(|(site, _)| site.share).sum());
    let any_changes =
        found.iter().any(|(site, _)| site.value_from.zip(site.value_to).is_some_and(|(from, to)| !is_same(from, to)));
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

/// Blocks that differ with a parameter and cost the same, and if there are none but other messages, the rules about these.
pub(super) fn of_parameter(
    exchange: &mut Exchange,
    before: &Prepared,
    now: &Prepared,
    sends_other: bool,
) -> Result<(), Problems> {
    let stages = [before.stage(0)?, now.stage(0)?];
    let [Some(first), Some(last)] = [stages[0].system_world(), stages[1].system_world()] else { return Ok(()) };
    let [one, other] = [before, now].map(|prepared| &prepared.recorded.application);
    let is_alike = one.blocks.len() == other.blocks.len();
    for (label, used) in last.label_uses().iter().enumerate().filter(|(_, used)| used.count > 0) {
        for (number, times) in other.executions(label) {
            let Some(block) = other.blocks.get(number as usize) else { continue };
            let was = one.blocks.get(number as usize).filter(|_| is_alike);
            if was == Some(block) {
                continue;
            }
            let class = last.place(used.first).class;
            let Ok((_, _, rule)) = last.source_of(block, class) else { continue };
            let Ok(to) = last.compute(block, class).map(|cost| cost.seconds) else { continue };
            let from = was.and_then(|was| first.compute(was, class).ok()).map(|cost| cost.seconds);
            exchange.sites.push(Site {
                file: rule.map_or(String::new(), |rule| rule.location.file.clone()),
                line: rule.map_or(0, |rule| rule.location.line),
                on: "compute".into(),
                kind: block.kind.clone(),
                text: text(block, rule),
                reason: Some(if block.time_s.is_some() { "time_given" } else { "constant" }.into()),
                value_from: from,
                value_to: Some(to),
                share: to * times,
            });
        }
    }
    let total: f64 = exchange.sites.iter().map(|site| site.share).sum();
    exchange.sites.iter_mut().for_each(|site| site.share = if total > 0.0 { site.share / total } else { 0.0 });
    exchange.sites.sort_by(|a, b| b.share.total_cmp(&a.share));
    exchange.sites.truncate(MOST_SITES);
    match exchange.sites.is_empty() {
        true if sends_other => of_network(exchange, now, true),
        true => Ok(()),
        false => {
            (exchange.effect, exchange.share) = (Effect::Hidden, 1.0);
            Ok(())
        }
    }
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
    of_coefficients(world, formula)
}

/// Why the coefficients of a formula do not follow.
fn of_coefficients(world: &SystemWorld, formula: &RuleFormula) -> &'static str {
    let coefficients: Vec<_> = formula
        .names
        .iter()
        .filter_map(|used| match &used.operand {
            Operand::Coefficient(name) => world.models().iter().find_map(|model| model.coefficients.get(name)),
            _ => None,
        })
        .collect();
    match coefficients.iter().any(|one| one.scales == Some(Scale::None)) {
        true => "scales_none",
        false if coefficients.iter().any(|one| exponent(one.unit) == 0) => "no_unit",
        false => "constant",
    }
}

/// Rules that give messages and collectives of a run their time, whatever the network.
pub(super) fn of_network(exchange: &mut Exchange, now: &Prepared, has_messages: bool) -> Result<(), Problems> {
    let stage = now.stage(0)?;
    let Some(world) = stage.system_world() else { return Ok(()) };
    let collectives = &now.recorded.application.collectives;
    let is_used = |on: On| match on {
        On::P2p | On::One2one => has_messages,
        On::Collective(kind) => collectives.iter().any(|one| one.kind == kind),
        _ => false,
    };
    exchange.sites = named(world, rules_about(world, is_used), "message");
    if !exchange.sites.is_empty() {
        (exchange.effect, exchange.share) = (Effect::Hidden, 1.0);
    }
    Ok(())
}

/// Rules with a formula about something, of the models in use, each once.
fn rules_about(world: &SystemWorld, about: impl Fn(On) -> bool) -> impl Iterator<Item = &Rule> {
    let rules = world.models().iter().flat_map(|model| &model.rules);
    let mut seen = Vec::new();
    rules.filter(move |rule| {
        let is_new = !seen.contains(&&rule.location);
        seen.push(&rule.location);
        is_new && about(rule.on) && rule.value.is_some()
    })
}

/// Rules as sites whose values are not known in advance.
fn named<'r>(world: &SystemWorld, rules: impl Iterator<Item = &'r Rule>, on: &'static str) -> Vec<Site> {
    let site = |(rule, formula): (&Rule, &RuleFormula)| Site {
        file: rule.location.file.clone(),
        line: rule.location.line,
        on: on.into(),
        kind: rule.filter(crate::model::Filter::Type).unwrap_or_default().to_owned(),
        text: formula.text.clone(),
        reason: Some(of_coefficients(world, formula).into()),
        value_from: None,
        value_to: None,
        share: 0.0,
    };
    let mut all: Vec<Site> =
        rules.filter_map(|rule| Some((rule, rule.value.as_ref()?))).take(MOST_SITES).map(site).collect();
    let share = 1.0 / all.len().max(1) as f64;
    all.iter_mut().for_each(|site| site.share = share);
    all
}

/// Whether the formula of a rule on computing names nothing that an entry could change.
fn is_blind(rule: &Rule) -> bool {
    let depends = |operand: &Operand| match operand {
        Operand::Hardware(_) | Operand::Node(_) => true,
        Operand::Variable(variable) => matches!(variable, Variable::NodeCores | Variable::H | Variable::Bw),
        _ => false,
    };
    rule.value.as_ref().is_some_and(|formula| !formula.names.iter().any(|name| depends(&name.operand)))
}
