//! The laws of each mode: those of the processes and links, and their overrides in a state.

use super::lattice::{self, Lattice};
use super::{Parts, described};
use crate::model::file::measured::Pilot;
use crate::model::file::modes::{Override, Set, Target};
use crate::model::file::process::Entry;
use crate::model::file::refused;
use crate::model::law::Law;
use crate::model::{Laws, Modes};
use runcast_core::Problem;
use runcast_core::toml::Reader;
use std::sync::Arc;

/// Maximum number of laws of links, over all modes.
const MOST_ENTRIES: usize = 10_000_000;

/// All modes: one if there are none, else the product of the sets.
pub(super) fn modes(reader: &mut Reader<'_>, parts: &Parts<'_, '_>, laws: &Lattice) -> Option<Modes> {
    let before = reader.problem_count();
    let processes = parts.processes.len();
    let count: usize = parts.modes.iter().map(|set| set.states.len()).product();
    if count * processes * processes > MOST_ENTRIES {
        let message = format!("{count} modes of {processes} processes");
        let problem = Problem::new("too_large", message).allowed(format!("{MOST_ENTRIES} links in all modes"));
        return refused(reader, &parts.network.place, problem);
    }
    for (index, factor) in parts.updates() {
        lattice::check_update(reader, described(parts, index), laws.times(index, factor));
    }
    let base = base(reader, parts, laws);
    let base = base.filter(|_| reader.problem_count() == before)?;
    if parts.modes.is_empty() {
        return Some(Modes::single(base));
    }
    let mut modes =
        Modes { names: vec![String::new()], transition: vec![vec![1.0]], start: vec![1.0], laws: vec![base] };
    for set in &parts.modes {
        modes = product(&modes, set, laws, &parts.pilot);
    }
    Some(modes)
}

/// The laws outside all modes.
fn base(reader: &mut Reader<'_>, parts: &Parts<'_, '_>, lattice: &Lattice) -> Option<Laws> {
    let message = |index: usize| lattice.times(index, parts.pilot.messages);
    let processes = parts.processes.len();
    let own = Arc::new(Law::constant(0));
    let mut links: Vec<Vec<Option<&Arc<Law>>>> = vec![vec![parts.network.default.map(message); processes]; processes];
    for (from, to, law) in &parts.network.links {
        for &from in from {
            to.iter().for_each(|&to| links[from][to] = Some(message(*law)));
        }
    }
    let pairs = (0..processes).flat_map(|from| (0..processes).map(move |to| (from, to)));
    let missing: Vec<(usize, usize)> = pairs.filter(|&(from, to)| from != to && links[from][to].is_none()).collect();
    if let Some(&(from, to)) = missing.first() {
        let name = |index: usize| &parts.processes[index].name;
        let more = if missing.len() > 1 { format!(", nor {} more", missing.len() - 1) } else { String::new() };
        let problem = Problem::new("missing", format!("the link {} -> {} has no law{more}", name(from), name(to)));
        let problem = problem.allowed("a law for every link");
        return refused(
            reader,
            &parts.network.place,
            problem.hint("[network] default = { constant = \"0.3s\" } is for all links"),
        );
    }
    let row = |from: usize| -> Vec<Arc<Law>> {
        let laws = links[from].iter().enumerate();
        laws.map(|(to, law)| Arc::clone(law.filter(|_| from != to).unwrap_or(&own))).collect()
    };
    let update = |(process, factor): (&Entry, &f64)| Arc::clone(lattice.times(process.update, *factor));
    Some(Laws {
        update: parts.processes.iter().zip(&parts.pilot.factors).map(update).collect(),
        message: (0..processes).map(row).collect(),
    })
}

/// Modes of both at once, the state of the later set varying fastest; both chains move on their own.
fn product(modes: &Modes, set: &Set, laws: &Lattice, pilot: &Pilot) -> Modes {
    let states = set.states.len();
    let pairs: Vec<(usize, usize)> =
        (0..modes.count()).flat_map(|mode| (0..states).map(move |state| (mode, state))).collect();
    let name = |&(mode, state): &(usize, usize)| match modes.names[mode].as_str() {
        "" => set.states[state].clone(),
        name => format!("{name}, {}", set.states[state]),
    };
    let row = |&(mode, state): &(usize, usize)| {
        let into = |&(next, to): &(usize, usize)| modes.transition[mode][next] * set.transition[state][to];
        pairs.iter().map(into).collect()
    };
    let of_mode = |&(mode, state): &(usize, usize)| {
        let mut changed = modes.laws[mode].clone();
        let in_force = set.overrides.iter().filter(|over| over.state == state);
        in_force.for_each(|over| put(&mut changed, over, laws, pilot));
        changed
    };
    Modes {
        names: pairs.iter().map(name).collect(),
        transition: pairs.iter().map(row).collect(),
        start: pairs.iter().map(|&(mode, state)| modes.start[mode] * set.start[state]).collect(),
        laws: pairs.iter().map(of_mode).collect(),
    }
}

fn put(changed: &mut Laws, over: &Override, lattice: &Lattice, pilot: &Pilot) {
    match &over.target {
        Target::Updates(processes) => {
            for &process in processes {
                changed.update[process] = Arc::clone(lattice.times(over.law, pilot.factors[process]));
            }
        }
        Target::Messages(from, to) => {
            let law = lattice.times(over.law, pilot.messages);
            let pairs = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
            pairs.filter(|(from, to)| from != to).for_each(|(from, to)| changed.message[from][to] = Arc::clone(law));
        }
    }
}
