//! All ranks of a run together: a tree of machines for each visit of the region that communicates.

use super::align::aligned;
use super::events::{Event, Recorded};
use super::periods::in_rounds;
use super::steps::{RankStep, steps};
use runcast_core::Problem;
use std::collections::BTreeMap;

/// The supersteps of a process of a machine; what its parts did is in machines of their own.
pub type Member = Vec<RankStep>;

/// A machine of a visit: a group of processes and what they did.
#[derive(Debug, Clone)]
pub struct Machine {
    pub run: usize,
    /// The machine that was split, in which superstep, into which group of how many.
    pub parent: Option<(usize, usize, usize, usize)>,
    pub members: Vec<Member>,
}

/// A run: what its ranks recorded of visits of one region.
#[derive(Debug, Clone)]
pub struct Run {
    pub processes: usize,
    /// Its values, which are the parameters of the program.
    pub values: Vec<(String, f64)>,
    /// For each visit, the time of each rank \[s\].
    pub times_s: Vec<Vec<f64>>,
    /// What its ranks did that supersteps do not say.
    pub unlearned: Vec<String>,
    /// For each visit, what each rank did in it.
    visits: Vec<Vec<Member>>,
}

/// The outermost region that holds synchronizations: of several, that which takes longest.
pub fn procedure(ranks: &[Recorded]) -> Option<String> {
    let mut times: BTreeMap<&str, f64> = BTreeMap::new();
    for rank in ranks {
        for (place, event) in rank.events.iter().enumerate() {
            let Event::Region { name, start_s, end_s, .. } = event else { continue };
            let inside = |event: &Event| matches!(event, Event::Sync { at_s, .. } if at_s >= start_s);
            let outer = |event: &Event| matches!(event, Event::Region { start_s: other, .. } if other <= start_s);
            if rank.events[..place].iter().rev().take_while(|event| end(event) >= *start_s).any(inside)
                && !rank.events[place + 1..].iter().any(outer)
            {
                *times.entry(name).or_default() += end_s - start_s;
            }
        }
    }
    times.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name.to_owned())
}

fn end(event: &Event) -> f64 {
    match event {
        Event::Region { end_s, .. } => *end_s,
        Event::Send { at_s, .. }
        | Event::Wait { at_s }
        | Event::Sync { at_s, .. }
        | Event::Partition { at_s, .. }
        | Event::Done { at_s }
        | Event::Unlearned { at_s, .. } => *at_s,
    }
}

impl Run {
    /// The visits of a region in a run; one run for each set of its values.
    ///
    /// # Errors
    /// `missing_rank`: not all ranks are there. `different`: they have not visited it equally often, or partitions do not match.
    pub fn of(ranks: &[Recorded], procedure: &str) -> Result<Vec<Run>, Problem> {
        let processes = ranks.iter().map(|rank| rank.processes).max().unwrap_or(0);
        let mut sorted: Vec<&Recorded> = ranks.iter().collect();
        sorted.sort_by_key(|rank| rank.rank);
        if sorted.len() != processes || sorted.iter().enumerate().any(|(at, rank)| rank.rank != at) {
            let message = format!("{} files of events for {processes} ranks", sorted.len());
            return Err(
                Problem::new("missing_rank", message).hint("give all files of a run, and those of one run alone")
            );
        }
        let of_ranks: Vec<Vec<Visit>> = sorted.iter().map(|rank| visits(rank, procedure)).collect();
        let different = |what: &str| Problem::new("different", format!("{what} of the region {procedure}"));
        let count = of_ranks.first().map_or(0, Vec::len);
        if of_ranks.iter().any(|visits| visits.len() != count) {
            return Err(different("ranks differ in the number of visits"));
        }
        let mut unlearned: Vec<String> = Vec::new();
        for event in sorted.iter().flat_map(|rank| &rank.events) {
            if let Event::Unlearned { what, .. } = event
                && !unlearned.contains(what)
            {
                unlearned.push(what.clone());
            }
        }
        let mut runs: Vec<Run> = Vec::new();
        for visit in 0..count {
            let values = of_ranks[0][visit].values.clone();
            let members = of_ranks.iter().map(|visits| visits[visit].steps.clone()).collect::<Option<Vec<Member>>>();
            let members = members.ok_or_else(|| different("partitions and their ends do not match in a visit"))?;
            let members = aligned(members);
            let times = of_ranks.iter().map(|visits| visits[visit].time_s).collect();
            match runs.iter_mut().find(|run| run.values == values) {
                Some(run) => {
                    run.times_s.push(times);
                    run.visits.push(members);
                }
                None => {
                    let (times_s, visits, unlearned) = (vec![times], vec![members], unlearned.clone());
                    runs.push(Run { processes, values, times_s, unlearned, visits });
                }
            }
        }
        Ok(runs)
    }

    /// How long its fastest visit took: of that, the slowest rank \[s\].
    pub fn measured_s(&self) -> f64 {
        self.fastest().iter().copied().fold(0.0, f64::max)
    }

    /// The ranks' times in the fastest visit \[s\].
    pub fn fastest(&self) -> &[f64] {
        let slowest = |times: &Vec<f64>| times.iter().copied().fold(0.0, f64::max);
        self.times_s.iter().min_by(|a, b| slowest(a).total_cmp(&slowest(b))).map_or(&[], Vec::as_slice)
    }
}

/// A visit of the region by one rank.
struct Visit {
    values: Vec<(String, f64)>,
    time_s: f64,
    steps: Option<Vec<RankStep>>,
}

fn visits(rank: &Recorded, procedure: &str) -> Vec<Visit> {
    let mut visits = Vec::new();
    let mut from = 0;
    for (place, event) in rank.events.iter().enumerate() {
        let Event::Region { name, start_s, time_s, values, .. } = event else { continue };
        if name != procedure {
            continue;
        }
        let inside = &rank.events[from..place];
        let first = inside.iter().position(|event| begin(event) >= *start_s).unwrap_or(inside.len());
        visits.push(Visit { values: values.clone(), time_s: *time_s, steps: steps(&inside[first..]) });
        from = place + 1;
    }
    visits
}

fn begin(event: &Event) -> f64 {
    match event {
        Event::Region { start_s, .. } => *start_s,
        other => end(other),
    }
}

/// Visits of a run that are looked at: what they do is the same, or there is no program.
const MOST_VISITS: usize = 100;

/// The machines of visits, each before its parts.
///
/// # Errors
/// `different`: processes of a machine do not take the same supersteps.
pub fn machines(runs: &[Run]) -> Result<Vec<Machine>, Problem> {
    let mut machines = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        for members in run.visits.iter().take(MOST_VISITS) {
            add(&mut machines, number, None, members.clone())?;
        }
    }
    Ok(machines)
}

fn add(
    machines: &mut Vec<Machine>,
    run: usize,
    parent: Option<(usize, usize, usize, usize)>,
    members: Vec<Member>,
) -> Result<(), Problem> {
    let words = |member: &Member| -> Vec<_> {
        member.iter().map(|step| (step.sync(), step.part.as_ref().map(|(ends, _)| ends.clone()))).collect()
    };
    let Some(first) = members.first().map(words) else { return Ok(()) };
    if let Some(other) = members.iter().position(|member| words(member) != first) {
        let message =
            format!("processes 0 and {other} of a machine of {} do not take the same supersteps", members.len());
        return Err(Problem::new("different", message));
    }
    if first.iter().flat_map(|(_, ends)| ends).any(|ends| ends.last() != Some(&members.len())) {
        return Err(Problem::new("different", "the groups of a partition are not those of its machine"));
    }
    let members = in_rounds(members);
    let first = members.first().map(words).unwrap_or_default();
    let own = machines.len();
    machines.push(Machine { run, parent, members: members.clone() });
    for (step, (_, ends)) in first.iter().enumerate() {
        let Some(ends) = ends else { continue };
        let mut from = 0;
        for (group, &end) in ends.iter().enumerate() {
            let part = members[from..end].iter().map(|member| match &member[step].part {
                Some((_, steps)) => steps.clone(),
                None => Vec::new(),
            });
            add(machines, run, Some((own, step, group, ends.len())), part.collect())?;
            from = end;
        }
    }
    Ok(())
}
