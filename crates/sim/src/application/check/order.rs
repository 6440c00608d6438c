//! Whether all members of a group call the same collectives in the same order.

use super::pairs::{different, placed};
use crate::application::{Application, CollectiveKind, Op, Programs, Site};
use runcast_core::Problem;
use std::collections::{BTreeMap, HashMap};

/// Limit of comparing two programs iteration by iteration: programs equal for this long are taken to be equal.
const MOST_STEPS: u64 = 1_000_000;

/// Compares the programs of the members of each group.
pub(super) fn check(application: &Application) -> Result<(), Problem> {
    let mut groups_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, group) in application.groups.iter().enumerate() {
        groups_of.entry(group.label).or_default().push(number as u32);
    }
    for (label, groups) in groups_of {
        let label = &application.labels[label as usize];
        if let Programs::PerRank(programs) = &label.programs {
            check_label(application, label.first, programs, &different(&label.programs), &groups)?;
        }
    }
    Ok(())
}

fn check_label(
    application: &Application,
    first_process: u64,
    programs: &[u32],
    all: &[u32],
    groups: &[u32],
) -> Result<(), Problem> {
    // The calls of each program, group by group, with loops.
    let mut calls: HashMap<(u32, u32), Vec<(Step, Site)>> = HashMap::new();
    for program in all {
        for (group, steps) in calls_of(application, *program) {
            calls.insert((*program, group), steps);
        }
    }
    let mut lowest: HashMap<u32, u64> = HashMap::new();
    for (rank, program) in programs.iter().enumerate() {
        lowest.entry(*program).or_insert(rank as u64);
    }
    let none = Vec::new();
    for group in groups {
        let mut members: Vec<(u64, u32)> = match &application.groups[*group as usize].members {
            None => lowest.iter().map(|(program, rank)| (*rank, *program)).collect(),
            Some(members) => members.iter().map(|rank| (*rank, programs[*rank as usize])).collect(),
        };
        members.sort_unstable();
        let Some((first_rank, first)) = members.first().copied() else { continue };
        let expected = calls.get(&(first, *group)).unwrap_or(&none);
        for (rank, program) in members.into_iter().skip(1).filter(|(_, program)| *program != first) {
            let found = calls.get(&(program, *group)).unwrap_or(&none);
            if let Some((left, right)) = first_difference(expected, found) {
                return Err(told(application, (first_process + first_rank, left), (first_process + rank, right)));
            }
        }
    }
    Ok(())
}

/// A call or a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Call(u32),
    Repeat { count: u64, len: u32 },
}

/// The collective calls of a program by group; loops without any are left out.
fn calls_of(application: &Application, program: u32) -> BTreeMap<u32, Vec<(Step, Site)>> {
    let ops = &application.programs[program as usize].ops;
    let groups = ops.iter().filter_map(|(op, _)| Some(application.collectives[called(*op)? as usize].group));
    let groups: std::collections::BTreeSet<u32> = groups.collect();
    groups.into_iter().map(|group| (group, calls_in(application, ops, group))).collect()
}

fn calls_in(application: &Application, ops: &[(Op, Site)], group: u32) -> Vec<(Step, Site)> {
    let mut steps: Vec<(Step, Site)> = Vec::new();
    // Open loops: their ends, and the positions of their steps.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    loop {
        while let Some((_, step)) = open.pop_if(|(end, _)| *end == at) {
            close(&mut steps, step);
        }
        let Some((op, site)) = ops.get(at) else { return steps };
        at += 1;
        match *op {
            Op::Repeat { count: 0, len } => at += len as usize,
            Op::Repeat { count, len } => {
                open.push((at + len as usize, steps.len()));
                steps.push((Step::Repeat { count, len: 0 }, *site));
            }
            op => {
                if let Some(call) = called(op)
                    && application.collectives[call as usize].group == group
                {
                    steps.push((Step::Call(call), *site));
                }
            }
        }
    }
}

fn called(op: Op) -> Option<u32> {
    match op {
        Op::Collective(call) | Op::Icollective { collective: call, .. } => Some(call),
        _ => None,
    }
}

/// A loop has ended: it is removed if empty, and replaced by its body if it runs once.
fn close(steps: &mut Vec<(Step, Site)>, step: usize) {
    let body = (steps.len() - step - 1) as u32;
    match &mut steps[step].0 {
        Step::Repeat { count, len } if body > 0 && *count > 1 => *len = body,
        _ => {
            steps.remove(step);
        }
    }
}

type Call = Option<(u32, Site)>;

/// The first call in which two programs differ.
fn first_difference(left: &[(Step, Site)], right: &[(Step, Site)]) -> Option<(Call, Call)> {
    if left.iter().map(|(step, _)| step).eq(right.iter().map(|(step, _)| step)) {
        return None;
    }
    let (mut left, mut right) = (Walk::new(left), Walk::new(right));
    for _ in 0..MOST_STEPS {
        match (left.next(), right.next()) {
            (None, None) => return None,
            (Some((one, _)), Some((other, _))) if one == other => {}
            pair => return Some(pair),
        }
    }
    None
}

/// Walks through the calls of a program, loops iteration by iteration.
struct Walk<'a> {
    steps: &'a [(Step, Site)],
    at: usize,
    loops: Vec<(usize, usize, u64)>,
}

impl<'a> Walk<'a> {
    fn new(steps: &'a [(Step, Site)]) -> Self {
        Walk { steps, at: 0, loops: Vec::new() }
    }
}

impl Iterator for Walk<'_> {
    type Item = (u32, Site);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((start, end, left)) = self.loops.last_mut()
                && *end == self.at
            {
                *left -= 1;
                if *left > 0 {
                    self.at = *start;
                } else {
                    self.loops.pop();
                }
                continue;
            }
            let (step, site) = *self.steps.get(self.at)?;
            self.at += 1;
            match step {
                Step::Call(call) => return Some((call, site)),
                Step::Repeat { count, len } => self.loops.push((self.at, self.at + len as usize, count)),
            }
        }
    }
}

/// The error, with the two calls and their sites.
fn told(application: &Application, left: (u64, Call), right: (u64, Call)) -> Problem {
    let says = |(process, call): (u64, Call)| {
        let name = application.name_of(process);
        let Some((call, site)) = call else { return format!("`{name}` makes no further call") };
        let collective = &application.collectives[call as usize];
        let root = if rooted(collective.kind) { format!(", root {}", collective.root) } else { String::new() };
        let place = application.place_of(site);
        format!("`{name}` calls {} of {} bytes{root} ({place})", collective.kind.name(), collective.size)
    };
    let problem = Problem::new(
        "collectives_differ",
        format!("processes of one group call different collectives: {}, but {}", says(left), says(right)),
    )
    .hint("all members must call the same collectives in the same order, with the same root");
    match right.1.or(left.1) {
        Some((_, site)) => placed(application, problem, site),
        None => problem,
    }
}

fn rooted(kind: CollectiveKind) -> bool {
    matches!(kind, CollectiveKind::Bcast | CollectiveKind::Scatter | CollectiveKind::Gather | CollectiveKind::Reduce)
}
