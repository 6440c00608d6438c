//! Like machines in contiguous shares, one for each application: all partitions where they are few, else a seeded local search.
//!
//! M like machines go to A applications in `C(M + A - 1, A - 1)` ways. Over several kinds these numbers multiply; partitions that
//! leave an application without a machine do not count (inclusion and exclusion over those that have none).
//!
//! The search starts from even shares, then from random ones. It moves some machines of a kind from one application to another,
//! exchanges a machine for one of another kind, or takes the next value of something else that varies; the best of all such
//! moves is taken until none is better.

use crate::place::Share;
use crate::platform::MachineId;
use crate::system::{Kind, System};
use runcast_core::Problem;
use runcast_core::random::SplitMix;
use std::collections::{HashMap, HashSet};

/// Starts of a search.
const RESTARTS: usize = 8;

/// Machines of each kind that each application has: by kind, then by application.
pub type Counts = Vec<Vec<u32>>;

/// What is tried: an index for each of the other things that vary, and the machines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub indices: Vec<usize>,
    pub counts: Counts,
}

/// What a state costs; none: it is not allowed, or cannot be simulated.
pub type Costs = Option<Vec<f64>>;
/// What finds out what states cost.
pub type Evaluate<'e> = dyn FnMut(&[State]) -> Result<Vec<Costs>, Problem> + 'e;

/// The machines of a system as applications may share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machines {
    /// First number and count of each stretch of like machines.
    kinds: Vec<(MachineId, u32)>,
    applications: usize,
}

impl Machines {
    /// Those of a system, for so many applications. Volunteers are lent to whoever has jobs: they are no one's share, unless
    /// there is nothing else.
    pub fn of(system: &System, applications: usize) -> Machines {
        let is_lent = |component: usize| system.components[component].kind == Kind::Volunteer;
        let runs = system.machines();
        let only_lent = runs.iter().all(|run| is_lent(run.component));
        let mut kinds: Vec<(MachineId, u32)> = Vec::new();
        let mut last: Option<usize> = None;
        for run in runs.iter().filter(|run| only_lent || !is_lent(run.component)) {
            match kinds.last_mut().filter(|(first, count)| last == Some(run.component) && first + *count == run.first) {
                Some((_, count)) => *count += run.count,
                None => kinds.push((run.first, run.count)),
            }
            last = Some(run.component);
        }
        Machines { kinds, applications }
    }

    /// Machines in all.
    pub fn count(&self) -> u64 {
        self.kinds.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// Number of partitions.
    pub fn partitions(&self) -> f64 {
        let among = |applications: usize| -> f64 {
            let one = |(_, count): &(MachineId, u32)| match applications {
                0 => f64::from(u8::from(*count == 0)),
                _ => choose(u64::from(*count) + applications as u64 - 1, applications as u64 - 1),
            };
            self.kinds.iter().map(one).product()
        };
        let term = |without: usize| {
            let sign = if without.is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * choose(self.applications as u64, without as u64) * among(self.applications - without)
        };
        (0..=self.applications).map(term).sum::<f64>().max(0.0)
    }

    /// All partitions, the first application with the fewest machines first.
    pub fn all(&self) -> Vec<Counts> {
        let mut all: Vec<Counts> = vec![Vec::new()];
        for (_, count) in &self.kinds {
            let ways = compositions(*count, self.applications);
            let longer = |counts: &Counts| {
                let ways = ways.iter().cloned();
                ways.map(|way| counts.iter().cloned().chain([way]).collect::<Counts>()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.retain(|counts| self.all_have_some(counts));
        all
    }

    /// The share of each application: contiguous within each kind.
    pub fn shares(&self, counts: &Counts) -> Vec<Share> {
        let mut stretches: Vec<Vec<(MachineId, MachineId)>> = vec![Vec::new(); self.applications];
        for ((first, _), counts) in self.kinds.iter().zip(counts) {
            let mut next = *first;
            for (own, count) in stretches.iter_mut().zip(counts).filter(|(_, count)| **count > 0) {
                match own.last_mut().filter(|(_, last)| last + 1 == next) {
                    Some((_, last)) => *last += count,
                    None => own.push((next, next + count - 1)),
                }
                next += count;
            }
        }
        stretches.into_iter().map(Share::new).collect()
    }

    fn all_have_some(&self, counts: &Counts) -> bool {
        (0..self.applications).all(|app| counts.iter().any(|kind| kind[app] > 0))
    }

    /// As even as it goes, a machine more to the first.
    fn even(&self) -> Counts {
        let each = |(kind, (_, count)): (usize, &(MachineId, u32))| {
            let applications = self.applications as u32;
            // Remainders of one kind go where those of the kind before ended.
            let has_more =
                |app: u32| (app + applications - kind as u32 % applications) % applications < count % applications;
            (0..applications).map(|app| count / applications + u32::from(has_more(app))).collect()
        };
        self.kinds.iter().enumerate().map(each).collect()
    }

    /// Any partition: each kind is cut at random.
    fn random(&self, random: &mut SplitMix) -> Counts {
        let each = |(_, count): &(MachineId, u32)| {
            let mut cuts: Vec<u32> = (1..self.applications).map(|_| random.below(*count as usize + 1) as u32).collect();
            cuts.sort_unstable();
            let ends = cuts.iter().copied().chain([*count]);
            ends.scan(0, |before, end| Some(end - std::mem::replace(before, end))).collect()
        };
        self.kinds.iter().map(each).collect()
    }

    /// Partitions that one move makes of another.
    fn neighbors(&self, counts: &Counts) -> Vec<Counts> {
        let mut all = Vec::new();
        let mut add = |moves: &[(usize, usize, usize, u32)]| {
            let mut next = counts.clone();
            for &(kind, from, to, machines) in moves {
                if next[kind][from] < machines {
                    return;
                }
                next[kind][from] -= machines;
                next[kind][to] += machines;
            }
            if self.all_have_some(&next) {
                all.push(next);
            }
        };
        let applications = 0..self.applications;
        let pairs: Vec<(usize, usize)> =
            applications.clone().flat_map(|from| applications.clone().map(move |to| (from, to))).collect();
        for &(from, to) in pairs.iter().filter(|(from, to)| from != to) {
            for (kind, of_kind) in counts.iter().enumerate() {
                let mut machines = 1;
                while machines <= of_kind[from] {
                    add(&[(kind, from, to, machines)]);
                    machines = machines.saturating_mul(4);
                }
                for other in 0..self.kinds.len() {
                    if other != kind {
                        add(&[(kind, from, to, 1), (other, to, from, 1)]);
                    }
                }
            }
        }
        all
    }
}

/// Tries states until the best neighbor of each start is no better, or so many were tried; everything that was tried is what
/// `evaluate` was asked for. Start k minimizes objective k, modulo their number, ties by the others.
///
/// # Errors
/// Those of the evaluation.
pub fn search(
    machines: &Machines,
    sizes: &[usize],
    budget: usize,
    seed: u64,
    objectives: usize,
    evaluate: &mut Evaluate<'_>,
) -> Result<(), Problem> {
    let mut known: HashMap<State, Costs> = HashMap::new();
    let mut random = SplitMix::new(seed, 0);
    for restart in 0..RESTARTS {
        let mut at = match restart {
            0 => State { indices: vec![0; sizes.len()], counts: machines.even() },
            _ => State {
                indices: sizes.iter().map(|size| random.below(*size)).collect(),
                counts: machines.random(&mut random),
            },
        };
        if !machines.all_have_some(&at.counts) {
            at.counts = machines.even();
        }
        let first = restart % objectives.max(1);
        let worth = |costs: &Costs| -> Vec<f64> {
            let Some(costs) = costs else { return vec![f64::INFINITY] };
            costs[first..].iter().chain(&costs[..first]).copied().collect()
        };
        let is_better = |one: &[f64], other: &[f64]| {
            one.iter()
                .zip(other)
                .map(|(a, b)| a.total_cmp(b))
                .find(|order| order.is_ne())
                .is_some_and(|order| order.is_lt())
        };
        ask(std::slice::from_ref(&at), &mut known, budget, evaluate)?;
        let mut value = worth(known.get(&at).unwrap_or(&None));
        loop {
            let near = neighbors(machines, sizes, &at);
            ask(&near, &mut known, budget, evaluate)?;
            let mut best: Option<(&State, Vec<f64>)> = None;
            for state in &near {
                let Some(costs) = known.get(state) else { continue };
                let worth = worth(costs);
                if is_better(&worth, best.as_ref().map_or(&value, |(_, best)| best)) {
                    best = Some((state, worth));
                }
            }
            let Some((state, worth)) = best else { break };
            (at, value) = (state.clone(), worth);
        }
        if known.len() >= budget {
            break;
        }
    }
    Ok(())
}

/// Evaluates those that are not known, as far as the budget goes.
fn ask(
    states: &[State],
    known: &mut HashMap<State, Costs>,
    budget: usize,
    evaluate: &mut Evaluate<'_>,
) -> Result<(), Problem> {
    let mut seen: HashSet<&State> = HashSet::new();
    let fresh = states.iter().filter(|state| !known.contains_key(*state) && seen.insert(state));
    let fresh: Vec<State> = fresh.take(budget.saturating_sub(known.len())).cloned().collect();
    if fresh.is_empty() {
        return Ok(());
    }
    let costs = evaluate(&fresh)?;
    known.extend(fresh.into_iter().zip(costs));
    Ok(())
}

fn neighbors(machines: &Machines, sizes: &[usize], at: &State) -> Vec<State> {
    let moved = machines.neighbors(&at.counts).into_iter().map(|counts| State { indices: at.indices.clone(), counts });
    let mut all: Vec<State> = moved.collect();
    for (place, size) in sizes.iter().enumerate() {
        let here = at.indices[place];
        for index in [here.checked_sub(1), Some(here + 1).filter(|next| next < size)].into_iter().flatten() {
            let mut next = at.clone();
            next.indices[place] = index;
            all.push(next);
        }
    }
    all
}

/// All ways to write a number as a sum of so many, each 0 or more.
fn compositions(sum: u32, parts: usize) -> Vec<Vec<u32>> {
    match parts {
        0 => Vec::new(),
        1 => vec![vec![sum]],
        _ => (0..=sum)
            .flat_map(|first| {
                let rest = compositions(sum - first, parts - 1).into_iter();
                rest.map(move |rest| [vec![first], rest].concat())
            })
            .collect(),
    }
}

/// Binomial coefficient.
fn choose(n: u64, k: u64) -> f64 {
    (0..k.min(n)).fold(1.0, |product, step| product * (n - step) as f64 / (step + 1) as f64)
        * f64::from(u8::from(k <= n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn machines(kinds: &[u32], applications: usize) -> Machines {
        let mut next = 0;
        let kind = |count: &u32| {
            let first = next;
            next += count;
            (first, *count)
        };
        Machines { kinds: kinds.iter().map(kind).collect(), applications }
    }

    /// Each application has work and minds the kinds of machines differently; the slowest counts.
    fn cost(counts: &Counts) -> f64 {
        let speeds = [[1.0, 3.0], [2.0, 1.0], [1.0, 1.0]];
        let work = [60.0, 40.0, 20.0];
        let time = |app: usize| {
            work[app] / counts.iter().enumerate().map(|(kind, of)| speeds[app][kind] * f64::from(of[app])).sum::<f64>()
        };
        (0..3).map(time).fold(0.0, f64::max)
    }

    #[test]
    fn shares_are_contiguous_within_each_kind() {
        let machines = machines(&[4, 3], 2);
        let text = |counts: &Counts| machines.shares(counts).iter().map(Share::to_string).collect::<Vec<_>>();
        assert_eq!(text(&vec![vec![3, 1], vec![1, 2]]), ["0-2+4", "3+5-6"]);
        // What follows on without a gap is one stretch.
        assert_eq!(text(&vec![vec![0, 4], vec![1, 2]]), ["4", "0-3+5-6"]);
        assert_eq!(text(&vec![vec![4, 0], vec![1, 2]]), ["0-4", "5-6"]);
        assert_eq!(machines.even(), [vec![2, 2], vec![1, 2]]);
    }

    #[test]
    fn a_search_finds_the_best_of_all() {
        let machines = machines(&[9, 6], 3);
        let best = machines.all().iter().map(cost).fold(f64::INFINITY, f64::min);
        let (mut tried, mut found) = (0, f64::INFINITY);
        let mut evaluate = |states: &[State]| {
            tried += states.len();
            let costs: Vec<f64> = states.iter().map(|state| cost(&state.counts) + state.indices[0] as f64).collect();
            found = costs.iter().copied().fold(found, f64::min);
            Ok(costs.into_iter().map(|cost| Some(vec![cost])).collect())
        };
        search(&machines, &[3], 10_000, 7, 1, &mut evaluate).expect("found");
        assert_eq!(found, best);
        assert!(tried < 3 * machines.all().len() / 2, "{tried} of {}", 3 * machines.all().len());
        let mut asked = 0;
        let mut counts = |states: &[State]| {
            asked += states.len();
            Ok(vec![None; states.len()])
        };
        search(&machines, &[3], 25, 7, 1, &mut counts).expect("ended");
        assert_eq!(asked, 25);
    }

    proptest! {
        #[test]
        fn as_many_as_counted_each_a_partition(kinds in prop::collection::vec(0u32..5, 1..4), applications in 1usize..4) {
            let machines = machines(&kinds, applications);
            let all = machines.all();
            prop_assert_eq!(all.len() as f64, machines.partitions());
            for counts in &all {
                for (kind, of) in kinds.iter().zip(counts) {
                    prop_assert_eq!(*kind, of.iter().sum::<u32>());
                }
                for share in machines.shares(counts) {
                    prop_assert_eq!(&Share::parse(&share.to_string()).expect("read again"), &share);
                }
            }
            let mut random = SplitMix::new(1, 0);
            for counts in [machines.even(), machines.random(&mut random)] {
                prop_assert!(kinds.iter().zip(&counts).all(|(kind, of)| *kind == of.iter().sum::<u32>()));
                for next in machines.neighbors(&counts) {
                    prop_assert!(all.contains(&next), "{:?} of {:?}", next, counts);
                }
            }
        }
    }
}
