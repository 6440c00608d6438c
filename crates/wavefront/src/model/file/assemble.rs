//! From entries to a model: the step, the laws on the lattice, modes, and overrides by options.

mod combine;
mod lattice;

use super::head::{DEFAULT_OMEGA, OMEGA, RHO, STEP, is_omega, is_rho, is_step};
use super::law::Described;
use super::process::Entry;
use super::sources::Sources;
use super::{Parts, operator, sending, step};
use crate::model::binning::{MOST_TICKS, on_tick};
use crate::model::degree::MOST_DEGREES;
use crate::model::distribution::Shape;
use crate::model::file::refused;
use crate::model::overrides::{MOST_UPDATES, spread};
use crate::model::{Contraction, Degree, Model, Overrides, Process, Read};
use lattice::Lattice;
use runcast_core::Problem;
use runcast_core::toml::{Node, Place, Reader, Table, integer, out_of_range, plain};
use toml::de::DeValue;

pub(super) fn assemble(
    reader: &mut Reader<'_>,
    parts: Parts<'_, '_>,
    overrides: &Overrides,
    sources: &mut Sources<'_>,
) -> Option<Read> {
    let updates = updates(reader, &parts.processes, overrides);
    let step_s = step_of(reader, &parts, overrides);
    let degrees = degrees(reader, parts.head.degrees, parts.processes.len());
    let rates = contraction(reader, &parts, overrides, sources);
    let omega = omega(reader, &parts, overrides);
    let start = step_s.and_then(|step_s| start(reader, parts.head.start, parts.processes.len(), step_s));
    let laws = step_s.and_then(|step_s| lattice::laws(reader, &parts.laws, step_s));
    let scaled = step_s.and_then(|step_s| lattice::scaled(reader, &parts, step_s));
    let modes = laws.zip(scaled).and_then(|(laws, scaled)| combine::modes(reader, &parts, &Lattice { laws, scaled }));
    let (step_s, updates, (contraction, polynomial)) = (step_s?, updates?, rates?);
    let processes = parts.processes.iter().zip(updates);
    let mut model = Model {
        name: parts.head.name.clone(),
        step_s,
        processes: processes
            .map(|(entry, (alpha_updates, beta_updates))| Process {
                name: entry.name.clone(),
                alpha_updates,
                beta_updates,
            })
            .collect(),
        semantics: overrides.semantics.unwrap_or(parts.head.semantics),
        tie: overrides.tie.unwrap_or(parts.head.tie),
        start: start?,
        modes: modes?,
        omega: omega?,
        contraction,
        level: parts.level.clone(),
        sigma_factor: parts.head.sigma_factor,
        pilot_log_sd: parts.pilot.log_sd,
        has_sends: false,
    };
    sending::apply(reader, &parts, &mut model);
    lattice::check_alpha(reader, &parts, &model);
    let (warnings, notes) = (reader.take_warnings(), std::mem::take(&mut reader.notes));
    Some(Read { model, degrees: degrees?, polynomial, work: parts.work, warnings, notes })
}

/// A and B of each process.
fn updates(reader: &mut Reader<'_>, entries: &[Entry], overrides: &Overrides) -> Option<Vec<(u32, u32)>> {
    let mut of = |option: &str, given: &Option<Vec<u32>>, own: &dyn Fn(&Entry) -> u32, least: u32| {
        let Some(given) = given else { return Some(entries.iter().map(own).collect()) };
        let spread = spread(given, entries.len()).and_then(|numbers: Vec<u32>| {
            let wrong = numbers.iter().find(|number| !(least..=MOST_UPDATES).contains(*number));
            let allowed = format!("{least} to {MOST_UPDATES}");
            wrong.map_or(Ok(()), |wrong| Err(out_of_range(option, &wrong.to_string(), &allowed)))?;
            Ok(numbers)
        });
        spread.map_err(|problem| reader.wrong_option(problem.at(option))).ok()
    };
    let alpha: Option<Vec<u32>> = of("--A", &overrides.alpha_updates, &|entry| entry.alpha_updates, 1);
    let beta = of("--B", &overrides.beta_updates, &|entry| entry.beta_updates, 0);
    Some(alpha?.into_iter().zip(beta?).collect())
}

fn step_of(reader: &mut Reader<'_>, parts: &Parts<'_, '_>, overrides: &Overrides) -> Option<f64> {
    if let Some(step_s) = overrides.step_s {
        if !is_step(step_s) {
            reader.wrong_option(out_of_range("the step", &format!("{step_s} s"), STEP).at("--step"));
            return None;
        }
        return Some(step_s);
    }
    if parts.head.step_s.is_some() {
        return parts.head.step_s;
    }
    let in_ticks = parts.laws.iter().find(|law| matches!(law.distribution.shape, Shape::Ticks(_)));
    if let Some(law) = in_ticks {
        let problem = Problem::new("missing", format!("the times of {} are in ticks, and no step is given", law.who));
        let place = Place { pointer: "/wavefront/step".to_owned(), ..parts.head.place.clone() };
        return refused(reader, &place, problem.allowed(STEP).hint("step = \"1s\" in [wavefront], or --step 1s"));
    }
    let updates: Vec<usize> = parts.processes.iter().map(|process| process.update).collect();
    let (step_s, why) = step::chosen(&parts.laws, &updates).unwrap_or((1.0, "no time is above 0".to_owned()));
    let message = format!("no step is given: {step_s} s, so that {why}");
    reader.warn(&parts.head.place, "step_chosen", message);
    if !is_step(step_s) {
        return refused(reader, &parts.head.place, out_of_range("the step", &format!("{step_s} s"), STEP));
    }
    Some(step_s)
}

fn omega(reader: &mut Reader<'_>, parts: &Parts<'_, '_>, overrides: &Overrides) -> Option<f64> {
    if let Some(omega) = overrides.omega {
        if !is_omega(omega) {
            reader.wrong_option(out_of_range("omega", &omega.to_string(), OMEGA).at("--omega"));
            return None;
        }
        return Some(omega);
    }
    let has_rates = overrides.rho.is_some() || parts.head.rho.is_some() || parts.operator.is_some();
    if parts.head.omega.is_none() && has_rates {
        reader.notes.push(format!("no omega is given: {DEFAULT_OMEGA} decimal digits"));
    }
    Some(parts.head.omega.unwrap_or(DEFAULT_OMEGA))
}

type Rates = (Contraction, Option<crate::model::operator::polynomial::Polynomial>);

fn contraction(
    reader: &mut Reader<'_>,
    parts: &Parts<'_, '_>,
    overrides: &Overrides,
    sources: &mut Sources<'_>,
) -> Option<Rates> {
    if let Some(rho) = overrides.rho {
        if !is_rho(rho) {
            reader.wrong_option(out_of_range("rho", &rho.to_string(), RHO).at("--rho"));
            return None;
        }
        if let Some(table) = &parts.operator {
            let message = format!("--rho {rho} replaces the operator of the file");
            reader.warn(&table.place, "operator_replaced", message);
        }
        return Some((Contraction::Rho(rho), None));
    }
    match (&parts.head.rho, &parts.operator) {
        (Some((_, place)), Some(_)) => {
            let problem = Problem::new("conflict", "rho and [operator] are both given");
            refused(reader, place, problem.allowed("one of them: the rho of an operator is found from its matrix"))
        }
        (Some((rho, _)), None) => Some((Contraction::Rho(*rho), None)),
        (None, Some(table)) => {
            let names: Vec<&str> = parts.processes.iter().map(|process| process.name.as_str()).collect();
            let (operator, polynomial) = operator::read(reader, table, &names, sources)?;
            Some((Contraction::Operator(std::sync::Arc::new(operator)), polynomial))
        }
        (None, None) => Some((Contraction::Unknown, None)),
    }
}

/// The start offsets against process 1, in ticks.
fn start(reader: &mut Reader<'_>, node: Option<Node<'_, '_>>, processes: usize, step_s: f64) -> Option<Vec<i64>> {
    let Some(node) = node else { return Some(vec![0; processes]) };
    let pointer = "/wavefront/x0";
    let nodes = reader.list(node, pointer, "a list of ticks, or of times in quotes")?;
    let place = reader.place(node, pointer);
    if nodes.len() != processes {
        let problem = Problem::new("length", format!("x0 has {} entries for {processes} processes", nodes.len()));
        return refused(reader, &place, problem.allowed(format!("{processes} offsets")));
    }
    let offsets = reader.each(nodes, pointer, |reader, node, pointer| offset(reader, node, pointer, step_s))?;
    let first = offsets[0];
    if first != 0 {
        reader.notes.push(format!("x0 is relative to process 1: {first} ticks are subtracted from each offset"));
    }
    Some(offsets.into_iter().map(|offset| offset - first).collect())
}

fn offset(reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str, step_s: f64) -> Option<i64> {
    let place = reader.place(node, pointer);
    let ticks = match node.value.get_ref() {
        DeValue::String(_) => {
            let (seconds, _) = reader.signed_time_at(node, pointer)?;
            let at = seconds / step_s;
            if on_tick(at).is_none() {
                let message = format!("the offset {seconds} s in x0 is {} ticks, the nearest", at.round());
                reader.warn(&place, "rounded", message);
            }
            at.round()
        }
        value => match (integer(value), plain(value)) {
            (Some(_), Some(ticks)) => ticks,
            _ => {
                reader.wrong_type(node, &place, "a whole number of ticks, or a time in quotes");
                return None;
            }
        },
    };
    if ticks.abs() <= MOST_TICKS as f64 {
        return Some(ticks as i64);
    }
    refused(reader, &place, out_of_range("the offset", &ticks.to_string(), &format!("at most {MOST_TICKS} ticks")))
}

/// `degrees = [ { name = "async 1", A = 1, B = 1 } ]`.
fn degrees(reader: &mut Reader<'_>, node: Option<Node<'_, '_>>, processes: usize) -> Option<Vec<Degree>> {
    let Some(node) = node else { return Some(Vec::new()) };
    let pointer = "/wavefront/degrees";
    let nodes = reader.list(node, pointer, "a list such as [ { name = \"async 1\", A = 1, B = 1 } ]")?;
    if nodes.len() > MOST_DEGREES {
        let place = reader.place(node, pointer);
        let problem = Problem::new("too_many", format!("{} degrees", nodes.len()));
        return refused(reader, &place, problem.allowed(format!("at most {MOST_DEGREES}")));
    }
    reader.each(nodes, pointer, |reader, node, pointer| {
        let table = reader.table(node, pointer.to_owned(), "a table such as { name = \"async 1\", A = 1, B = 1 }")?;
        reader.allow(&table, &["name", "A", "B"], "a degree");
        let name = reader.text(&table, "name", "a text").map(|(name, _)| name);
        let alpha = counts(reader, &table, "A", 1, processes);
        let beta = counts(reader, &table, "B", 0, processes);
        let mut degree = Degree { name: String::new(), alpha: alpha?, beta: beta? };
        degree.name = name.unwrap_or_else(|| degree.label());
        Some(degree)
    })
}

/// One number of updates for all, or one a process; the least where nothing is given.
fn counts(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str, least: u32, processes: usize) -> Option<Vec<u32>> {
    let Some(node) = table.get(key) else { return Some(vec![least; processes]) };
    let pointer = table.at(key);
    let one = |reader: &mut Reader<'_>, node: Node<'_, '_>, pointer: &str| {
        let most = u64::from(MOST_UPDATES);
        reader.whole_at(node, pointer, key, u64::from(least), most).map(|number| number as u32)
    };
    let numbers = match node.value.get_ref() {
        DeValue::Array(_) => {
            let nodes = reader.list(node, &pointer, "a list of numbers")?;
            reader.each(nodes, &pointer, one)?
        }
        _ => vec![one(reader, node, &pointer)?],
    };
    let place = reader.place(node, &pointer);
    reader.found(&place, spread(&numbers, processes))
}

/// The law that a number means.
fn described<'p>(parts: &'p Parts<'_, '_>, index: usize) -> &'p Described {
    &parts.laws[index]
}
