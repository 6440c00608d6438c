//! Advice in sentences: the extremes, what they cost in the other objectives, how many processes are enough, which hardware.

use super::schedule::Schedule;
use super::{Tried, words};
use crate::human::{quantity, significant};
use runcast_sim::exchanged;
use runcast_sim::optimize::Objective;
use runcast_sim::sweep::Axis;

/// A run that is slower by no more than this share is as good, if it takes less.
const NEARLY: f64 = 1.1;
/// A run that is slower by no more than this is as fast, to the digits that are shown.
const AS_FAST: f64 = 1.005;

pub(super) fn advice(
    axes: &[Axis],
    allowed: &[&Tried],
    front: &[&Tried],
    objectives: &[Objective],
    schedule: Option<&Schedule>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let least = |objective: Objective| {
        let told = allowed.iter().filter(|one| objective.of(&one.result).is_some());
        told.min_by(|a, b| {
            let value = |one: &Tried| objective.of(&one.result).unwrap_or(f64::INFINITY);
            value(a).total_cmp(&value(b)).then(a.result.time_s.total_cmp(&b.result.time_s))
        })
        .copied()
    };
    let Some(fastest) = least(Objective::Time) else { return lines };
    lines.push(fastest_of_all(axes, allowed, fastest));
    for objective in objectives.iter().copied().filter(|objective| *objective != Objective::Time) {
        let Some(best) = least(objective) else { continue };
        let (Some(value), Some(at_fastest)) = (objective.of(&best.result), objective.of(&fastest.result)) else {
            continue;
        };
        if best.point == fastest.point || at_fastest <= value {
            lines.push(format!("least {}: the fastest, too", objective.word()));
            continue;
        }
        let saved = 100.0 * (1.0 - value / at_fastest);
        let slower = best.result.time_s / fastest.result.time_s;
        let price = match slower < AS_FAST {
            true => "and as fast".to_owned(),
            false => format!("which takes {} times less time", significant(slower, 3)),
        };
        lines.push(format!(
            "least {}: {} with {}, {} % less than the fastest, {price}",
            objective.word(),
            words(axes, &best.point),
            told(objective, value),
            significant(saved, 2),
        ));
    }
    lines.extend(enough(axes, allowed, fastest));
    lines.extend(hardware(axes, allowed));
    if let Some(schedule) = schedule {
        let parts: Vec<String> = schedule
            .parts
            .iter()
            .map(|part| {
                format!(
                    "{} on {} machines ({}) for {}",
                    part.app,
                    part.machines,
                    part.params,
                    quantity(part.time_s, "s")
                )
            })
            .collect();
        lines.push(format!("run the applications {}: {}", schedule.way, parts.join("; ")));
    }
    if front.len() == 1 && objectives.len() > 1 {
        lines.push("one configuration is best in everything".to_owned());
    }
    lines
}

fn told(objective: Objective, value: f64) -> String {
    match objective {
        Objective::Time => quantity(value, "s"),
        Objective::Energy => quantity(value, "J"),
        Objective::Failure | Objective::Cost | Objective::Price => significant(value, 3),
    }
}

/// The fewest processes that are nearly as fast as the fastest, all else the same.
fn enough(axes: &[Axis], allowed: &[&Tried], fastest: &Tried) -> Option<String> {
    let fewest = allowed.iter().filter(|one| one.result.time_s <= NEARLY * fastest.result.time_s).min_by(|a, b| {
        let key = |one: &Tried| (one.result.processes, one.result.time_s);
        let ((p, t), (q, u)) = (key(a), key(b));
        p.cmp(&q).then(t.total_cmp(&u))
    })?;
    if fewest.result.processes >= fastest.result.processes {
        return None;
    }
    Some(format!(
        "{} processes are enough: {} takes {}, {} % more than the fastest with {} processes",
        fewest.result.processes,
        words(axes, &fewest.point),
        quantity(fewest.result.time_s, "s"),
        significant(100.0 * (fewest.result.time_s / fastest.result.time_s - 1.0), 2),
        fastest.result.processes
    ))
}

/// The fastest configuration, or those that take the same time to the last digits: none of these is the fastest.
fn fastest_of_all(axes: &[Axis], allowed: &[&Tried], fastest: &Tried) -> String {
    let (at, time) = (words(axes, &fastest.point), quantity(fastest.result.time_s, "s"));
    let ties = allowed.iter().filter(|one| one.point != fastest.point);
    let ties: Vec<_> = ties.filter(|one| exchanged::is_same(one.result.time_s, fastest.result.time_s)).collect();
    match ties.as_slice() {
        [] => format!("fastest: {at} in {time}"),
        [one] => format!("equally fast: {at} and {} in {time}", words(axes, &one.point)),
        more => format!("equally fast: {at} and {} others in {time}", more.len()),
    }
}

/// The entries of an axis with which a configuration takes this time.
fn as_fast_entries(allowed: &[&Tried], number: usize, time_s: f64) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for one in allowed.iter().filter(|one| exchanged::is_same(one.result.time_s, time_s)) {
        let entry = one.point.values[number].to_string();
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

/// For each kind of hardware that varies: which entry is fastest, which takes the least energy.
fn hardware(axes: &[Axis], allowed: &[&Tried]) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, axis) in axes.iter().enumerate().filter(|(_, axis)| axis.name.starts_with("hardware.")) {
        let best = |value: &dyn Fn(&Tried) -> Option<f64>| {
            let told = allowed.iter().filter_map(|one| Some((value(one)?, one)));
            told.min_by(|(a, _), (b, _)| a.total_cmp(b))
                .map(|(value, one)| (one.point.values[number].to_string(), value))
        };
        let thriftiest = best(&|one| one.result.energy_j);
        let fastest = best(&|one| Some(one.result.time_s));
        let ties = fastest.as_ref().map_or_else(Vec::new, |(_, time_s)| as_fast_entries(allowed, number, *time_s));
        let component = axis.name.trim_start_matches("hardware.");
        if let (Some((_, time_s)), true) = (&fastest, ties.len() > 1) {
            let energy = thriftiest.map_or(String::new(), |(thrifty, energy_j)| {
                format!(", {thrifty} takes the least energy ({})", quantity(energy_j, "J"))
            });
            let time = quantity(*time_s, "s");
            lines.push(format!("{component}: {} are equally fast ({time}){energy}", ties.join(" and ")));
            continue;
        }
        lines.push(match (fastest, thriftiest) {
            (Some((fast, time_s)), Some((thrifty, energy_j))) if fast != thrifty => format!(
                "{component}: {fast} is fastest ({}), {thrifty} takes the least energy ({})",
                quantity(time_s, "s"),
                quantity(energy_j, "J")
            ),
            (Some((fast, time_s)), Some((_, energy_j))) => format!(
                "{component}: {fast} is fastest ({}) and takes the least energy ({})",
                quantity(time_s, "s"),
                quantity(energy_j, "J")
            ),
            (Some((fast, time_s)), None) => format!("{component}: {fast} is fastest ({})", quantity(time_s, "s")),
            (None, _) => continue,
        });
    }
    lines
}
