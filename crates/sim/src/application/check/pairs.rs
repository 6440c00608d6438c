//! Farms and their workers, one-to-one sends and receives: the k-th call of one side belongs to the k-th of the other.

use crate::application::{Application, Op, Programs, Site};
use crate::build::recorder::Awaited;
use runcast_core::Problem;
use std::collections::HashMap;

/// Sets the farm of each `FarmWorker`, and the number of messages of each `One2OneRecv`.
pub(super) fn fill(application: &mut Application, awaited: &[Awaited]) -> Result<(), Problem> {
    for label in 0..application.labels.len() {
        for program in different(&application.labels[label].programs) {
            fill_program(application, awaited, label as u32, program)?;
        }
    }
    Ok(())
}

/// The different programs of a label, ascending. A program belongs to one label.
pub(super) fn different(programs: &Programs) -> Vec<u32> {
    match programs {
        Programs::Same(program) => vec![*program],
        Programs::PerRank(programs) => {
            let mut different = programs.clone();
            different.sort_unstable();
            different.dedup();
            different
        }
        Programs::Live => Vec::new(),
    }
}

fn fill_program(application: &mut Application, awaited: &[Awaited], label: u32, program: u32) -> Result<(), Problem> {
    let mut taken: HashMap<u32, u32> = HashMap::new();
    let mut received: HashMap<u32, usize> = HashMap::new();
    for index in 0..application.programs[program as usize].ops.len() {
        let (op, site) = application.programs[program as usize].ops[index];
        let filled = match op {
            Op::FarmWorker(number) => {
                let nth = taken.entry(number).or_insert(0);
                *nth += 1;
                nth_farm(application, awaited[number as usize], *nth - 1).map(Op::FarmWorker)
            }
            Op::One2OneRecv { label: from, .. } => {
                let nth = received.entry(from).or_insert(0);
                *nth += 1;
                nth_count(application, from, label, *nth - 1).map(|count| Op::One2OneRecv { label: from, count })
            }
            _ => continue,
        };
        let filled = filled.map_err(|problem| placed(application, problem, site))?;
        application.programs[program as usize].ops[index].0 = filled;
    }
    Ok(())
}

/// A problem at a place in the script.
pub(super) fn placed(application: &Application, problem: Problem, site: Site) -> Problem {
    match application.sites.get(site.0 as usize) {
        Some(line) if *line > 0 => problem.in_file(application.file.clone()).at_line(u64::from(*line)),
        _ => problem,
    }
}

/// The farm that a worker takes part in: the `nth` that its master hands out to the worker's label, in the order of
/// the master's program.
pub(crate) fn nth_farm(application: &Application, awaited: Awaited, nth: u32) -> Result<u32, Problem> {
    let master = application.name_of(awaited.master);
    let worker = &application.labels[awaited.label as usize].name;
    let Some(program) = application.program_of(awaited.master) else {
        return Err(Problem::new(
            "farm_unknown",
            format!("farm_worker: `{master}` reads messages or the clock, so its farms are not known in advance"),
        )
        .hint("let a label that does neither be the master of the farm"));
    };
    let farms = application.programs[program as usize].ops.iter().filter_map(|(op, _)| match op {
        Op::Farm(farm) if application.farms[*farm as usize].to == awaited.label => Some(*farm),
        _ => None,
    });
    let known = farms.clone().count();
    farms.clone().nth(nth as usize).ok_or_else(|| {
        let message = match known {
            0 => format!("farm_worker: `{master}` calls no farm{{to = \"{worker}\"}}"),
            _ => format!("farm_worker: `{master}` calls farm{{to = \"{worker}\"}} {known} times, but this is one more"),
        };
        Problem::new("farm_missing", message)
    })
}

/// Number of messages of the `nth` one-to-one receive of label `to` from label `from`.
fn nth_count(application: &Application, from: u32, to: u32, nth: usize) -> Result<u64, Problem> {
    let (sender, receiver) = (&application.labels[from as usize], &application.labels[to as usize].name);
    if matches!(sender.programs, Programs::Live) {
        return Err(Problem::new(
            "count_unknown",
            format!(
                "one2one_recv: `{}` reads messages or the clock, so its sends are not known in advance",
                sender.name
            ),
        )
        .hint("use send and recv between these labels"));
    }
    let mut found = None;
    for program in different(&sender.programs) {
        let sends = application.programs[program as usize].ops.iter().filter_map(|(op, _)| match op {
            Op::One2OneSend { label, count, .. } if *label == to => Some(*count),
            _ => None,
        });
        let Some(count) = sends.clone().nth(nth) else {
            return Err(Problem::new(
                "send_missing",
                format!(
                    "one2one_recv: receive {} of `{receiver}` has no send: `{}` calls one2one_send{{to = \"{receiver}\"}} {} times",
                    nth + 1,
                    sender.name,
                    sends.count()
                ),
            ));
        };
        if found.is_some_and(|found| found != count) {
            return Err(Problem::new(
                "counts_differ",
                format!("one2one_recv: the ranks of `{}` give different counts to their one2one_send", sender.name),
            ));
        }
        found = Some(count);
    }
    Ok(found.unwrap_or(0))
}
