//! Exchanges of hardware that cannot change the time, and what hides the difference: nothing can be recommended among entries
//! that give the same time to the last digit.
//!
//! Whether an exchange changes anything is determined by evaluation, never by names: the first and the last configuration are
//! simulated with each entry; if all take the same time, the cost of each block is computed with both entries.

use super::evaluate;
use crate::experiment::Value;
use crate::model::{Location, On, Rule};
use crate::run::{self, Prepared};
use crate::sweep::{self, Axis, Point};
use crate::system::System;
use crate::world::{SystemWorld, World};
use runcast_core::Problem;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Times that differ by less than this share are the same.
const SAME: f64 = 1e-9;
/// Maximum number of reasons reported.
const MOST_REASONS: usize = 4;

/// Figures of a device that decide what a block costs by the default law.
const FIGURES: [&str; 6] =
    ["cores", "efficiency", "flops_double", "flops_single", "mem_bandwidth", "mem_bandwidth_core"];
const NETWORK_FIGURES: [&str; 8] = ["bandwidth", "latency", "L", "o", "g", "G", "O", "S"];

/// Whether two times are the same to the last digits.
pub fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * one.abs().max(other.abs())
}

/// Refuses axes of hardware that cannot change the time.
///
/// # Errors
/// `exchange_hidden`, with the rule or the `set` that hides the difference; an interrupt.
pub fn refuse(base: &Prepared, axes: &[Axis], interrupt: &AtomicBool) -> Result<(), Problem> {
    if !axes.iter().any(|axis| component(axis).is_some() && axis.values.len() > 1) {
        return Ok(());
    }
    // Draws differ from entry to entry: without them equal costs are equal times.
    let mut inputs = (*base.inputs).clone();
    inputs.experiment.noise = None;
    inputs.experiment.repetitions = 1;
    let Ok(base) = run::prepare(&Arc::new(inputs), &base.variation) else { return Ok(()) };
    for (number, axis) in axes.iter().enumerate() {
        let Some(id) = component(axis).filter(|_| axis.values.len() > 1) else { continue };
        let mut hiding = Hiding::default();
        for point in corners(axes) {
            let points = entries(axes, number, &point);
            let results = evaluate(&base, axes, &points, interrupt, &|| {})?;
            let done: Vec<(&Point, f64)> = points
                .iter()
                .zip(&results)
                .filter_map(|(point, result)| Some((point, result.as_ref().ok()?.time_s)))
                .collect();
            let Some((first, others)) = done.split_first() else { continue };
            if others.iter().any(|(_, time_s)| !is_same(*time_s, first.1)) {
                hiding = Hiding { is_changed: true, ..hiding };
                break;
            }
            for (other, _) in others {
                hiding.look(&base, axes, id, first.0, other);
            }
        }
        if let Some(problem) = hiding.problem(id, &axis.values) {
            return Err(problem);
        }
    }
    Ok(())
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
    let with = |value: &Value| {
        let mut point = point.clone();
        point.values[number] = value.clone();
        point
    };
    axes[number].values.iter().map(with).collect()
}

/// Why a cost is the same with two entries.
#[derive(Debug, Clone, PartialEq)]
struct Reason {
    text: String,
    location: Option<Location>,
    hint: &'static str,
}

const NAME_FIGURES: &str = "let the rule name figures of the hardware, such as hw.flops_double, hw.clock or bw, or let its \
     coefficient depend on one: { value = \"2.9ns\", scales = \"scalar\" }";
const NO_SET: &str = "leave the figures to the catalogue: remove them from set";
const LEAVE_OUT: &str = "do not vary what nothing depends on";

/// What was found about an axis.
#[derive(Default)]
struct Hiding {
    is_changed: bool,
    reasons: Vec<Reason>,
}

impl Hiding {
    /// Looks at the costs at two points that differ in the entry.
    fn look(&mut self, base: &Prepared, axes: &[Axis], id: &str, one: &Point, other: &Point) {
        let (Ok(one), Ok(other)) = (sweep::prepare(base, axes, one), sweep::prepare(base, axes, other)) else { return };
        let (Ok(first), Ok(second)) = (one.stage(0), other.stage(0)) else { return };
        let (Some(first), Some(second)) = (first.system_world(), second.system_world()) else { return };
        let system = first.system();
        let is_network = system.networks.iter().any(|network| network.id == id);
        match system.find(id).filter(|_| !is_network) {
            Some(component) => self.computing(&one, component, first, second),
            None => self.network(id, first, second.system()),
        }
    }

    /// Blocks that run on a component, or on the devices of a machine.
    fn computing(&mut self, prepared: &Prepared, component: usize, first: &SystemWorld, second: &SystemWorld) {
        let application = &prepared.recorded.application;
        let system = first.system();
        let mut is_used = false;
        for label in first.label_uses().iter().filter(|label| label.count > 0) {
            for block in label.blocks.iter().filter_map(|block| application.blocks.get(*block as usize)) {
                let (here, there) = (first.place(label.first).class, second.place(label.first).class);
                let Ok((device, machine, rule)) = first.source_of(block, here) else { continue };
                if device != component && machine != component {
                    continue;
                }
                is_used = true;
                let (Ok(cost), Ok(other)) = (first.compute(block, here), second.compute(block, there)) else {
                    continue;
                };
                if !is_same(cost.seconds, other.seconds) {
                    self.is_changed = true;
                    return;
                }
                let reason = match rule {
                    _ if block.time_s.is_some() => Some(Reason {
                        text: format!("the script gives the seconds of a block{}", of_kind(&block.kind)),
                        location: None,
                        hint: "give its ops or its size instead of time, and a rule if necessary",
                    }),
                    Some(rule) => of_rule(rule),
                    None => {
                        let own = |index: usize| {
                            of_set(
                                system,
                                &system.components[index].id,
                                &system.components[index].own,
                                &FIGURES,
                                system.components[index].line,
                            )
                        };
                        own(device).or_else(|| own(machine))
                    }
                };
                self.reasons.extend(reason);
            }
        }
        let is_live = application.labels.iter().any(|label| label.programs == crate::application::Programs::Live);
        if is_live {
            // What live processes compute is not known in advance: rules that name nothing of the hardware hide it.
            self.reasons.extend(
                system.models.iter().flat_map(|model| &model.rules).filter(|rule| is_blind(rule)).filter_map(of_rule),
            );
        } else if !is_used {
            let text = format!("no block runs on {}", system.components[component].id);
            self.reasons.push(Reason { text, location: None, hint: LEAVE_OUT });
        }
    }

    /// Messages over a network.
    fn network(&mut self, id: &str, first: &SystemWorld, second: &System) {
        let system = first.system();
        let find = |system: &System| system.networks.iter().position(|network| network.id == id);
        let (Some(one), Some(other)) = (find(system), find(second)) else { return };
        let (one, other) = (&system.networks[one], &second.networks[other]);
        let figures = |network: &crate::system::Network| (network.bandwidth(), network.latency_s());
        if figures(one) == figures(other) {
            self.reasons.extend(of_set(system, id, &one.own, &NETWORK_FIGURES, one.line));
            return;
        }
        let rules = system.models.iter().flat_map(|model| &model.rules).filter(|rule| is_about_messages(rule.on));
        let rules: Vec<Reason> = rules.filter_map(of_rule).collect();
        if rules.is_empty() {
            let text = format!("no message over {id} decides it");
            self.reasons.push(Reason { text, location: None, hint: LEAVE_OUT });
        }
        self.reasons.extend(rules);
    }

    /// The refusal, if the exchange changes nothing and something hides it. Entries whose figures are alike tie rightly.
    fn problem(mut self, id: &str, entries: &[Value]) -> Option<Problem> {
        let mut seen: Vec<Reason> = Vec::new();
        self.reasons.retain(|reason| {
            let is_new = !seen.contains(reason);
            if is_new {
                seen.push(reason.clone());
            }
            is_new
        });
        let first = self.reasons.first().filter(|_| !self.is_changed)?;
        let place = |location: &Location| format!(" ({}:{})", location.file, location.line);
        let told: Vec<String> = self
            .reasons
            .iter()
            .take(MOST_REASONS)
            .map(|reason| format!("{}{}", reason.text, reason.location.as_ref().map_or(String::new(), place)))
            .collect();
        let more = self.reasons.len().saturating_sub(MOST_REASONS);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let message = format!("exchanging {id} cannot change the time: {}{more}", told.join(", "));
        let names: Vec<String> = entries.iter().map(ToString::to_string).collect();
        let problem = Problem::new("exchange_hidden", message).value(names.join(", ")).hint(first.hint);
        Some(match &first.location {
            Some(location) => location.locate(problem),
            None => problem.at(format!("hardware.{id}")),
        })
    }
}

fn of_kind(kind: &str) -> String {
    if kind.is_empty() { String::new() } else { format!(" of type {kind}") }
}

fn of_rule(rule: &Rule) -> Option<Reason> {
    let formula = rule.value.as_ref()?;
    let text = format!("the rule \"{}\" yields the same for each entry", formula.text);
    Some(Reason { text, location: Some(rule.location.clone()), hint: NAME_FIGURES })
}

/// What a component or a network sets itself, in place of the catalogue.
fn of_set(system: &System, id: &str, own: &[String], figures: &[&str], line: u64) -> Option<Reason> {
    let keys: Vec<&str> = own.iter().map(String::as_str).filter(|key| figures.contains(key)).collect();
    if keys.is_empty() {
        return None;
    }
    let text = format!("{id} sets {} itself, regardless of the entry", keys.join(" and "));
    let location = Location { file: system.file.clone(), line, column: 1, pointer: id.to_owned() };
    Some(Reason { text, location: Some(location), hint: NO_SET })
}

/// Whether the formula of a rule on computing names nothing that an entry could change.
fn is_blind(rule: &Rule) -> bool {
    use crate::model::{Operand, Variable};
    let depends = |operand: &Operand| match operand {
        Operand::Hardware(_) | Operand::Node(_) => true,
        Operand::Variable(variable) => matches!(variable, Variable::NodeCores | Variable::H | Variable::Bw),
        _ => false,
    };
    rule.on == On::Compute
        && rule.value.as_ref().is_some_and(|formula| !formula.names.iter().any(|name| depends(&name.operand)))
}

fn is_about_messages(on: On) -> bool {
    !matches!(on, On::Compute | On::Overhead | On::Throughput | On::Power | On::FailureRate | On::Contention)
}
