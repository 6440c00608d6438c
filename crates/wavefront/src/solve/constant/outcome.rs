//! What can come of one state in a phase.

use super::groups::Groups;
use super::mass::{Front, Mass, Tied, all_but_one};
use super::tables::Tables;
use crate::solve::chain::State;
use crate::solve::phase::Phase;
use std::collections::BTreeMap;
use std::ops::Add;

/// The parts that an outcome is computed from.
pub(super) struct Network<'a> {
    pub phase: &'a Phase<'a>,
    pub tables: &'a Tables,
    pub groups: &'a Groups,
    pub delay: u64,
}

/// The wavefront after a phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// Who starts how many ticks before all others; none where they start together.
    pub lead: Option<(usize, i64)>,
    pub probability: f64,
    /// E\[Phi; this way\], in ticks.
    pub phase: f64,
    /// E\[N; this way\].
    pub iterations: f64,
}

/// All that can come of a state.
pub(super) struct Outcome {
    pub ways: Vec<Way>,
    /// By Phi: its probability, and E\[N\] on it.
    pub clock: Vec<(i64, f64, f64)>,
    /// The smallest N that there could be, and from there on P(N <= v), P(N > v).
    pub least: u64,
    pub levels: Vec<(f64, f64)>,
    /// E\[N_i\].
    pub updates: Vec<f64>,
}

impl Way {
    pub fn times(&self, share: f64) -> Way {
        Way {
            lead: self.lead,
            probability: self.probability * share,
            phase: self.phase * share,
            iterations: self.iterations * share,
        }
    }

    /// Against process 1.
    pub fn offsets(&self, size: usize) -> Vec<i64> {
        let mut offsets = vec![0; size];
        match self.lead {
            Some((0, ticks)) => offsets[1..].fill(ticks),
            Some((leader, ticks)) => offsets[leader] = -ticks,
            None => {}
        }
        offsets
    }
}

impl Outcome {
    pub fn iterations_mean(&self) -> f64 {
        self.clock.iter().map(|(_, _, iterations)| iterations).sum()
    }

    pub fn phase_mean(&self) -> f64 {
        self.clock.iter().map(|(ticks, probability, _)| *ticks as f64 * probability).sum()
    }

    /// P(N = v) from the smallest on; the smaller side is the one that is subtracted.
    pub fn pmf(&self) -> Vec<f64> {
        let mut pmf = Vec::with_capacity(self.levels.len() + 1);
        let mut last = (0.0, self.clock.iter().map(|(_, probability, _)| probability).sum::<f64>());
        for level in &self.levels {
            pmf.push(if level.0 <= level.1 { level.0 - last.0 } else { last.1 - level.1 }.max(0.0));
            last = *level;
        }
        pmf.push(last.1);
        pmf
    }

    /// The smallest and the largest N.
    pub fn extremes(&self) -> (u64, u64) {
        let least = self.levels.iter().take_while(|(up_to, _)| *up_to == 0.0).count() as u64;
        let most = self.levels.iter().rposition(|(_, above)| *above > 0.0).map_or(0, |level| level as u64 + 1);
        (self.least + least, self.least + most)
    }
}

/// The ends of alpha that one process can have.
struct Ends {
    list: Vec<(i64, f64)>,
}

/// What is summed up over all events of a state.
struct Sums {
    /// By leader and lead; the last is all together.
    ways: Vec<Way>,
    clock: BTreeMap<i64, (f64, f64)>,
    levels: Vec<(f64, f64)>,
    least: u64,
}

/// A kind of end of the phase.
#[derive(Clone, Copy)]
struct Event {
    leader: Option<usize>,
    /// The ends of the phase on the leader and on all others.
    own_end: i64,
    other_end: i64,
}

impl Network<'_> {
    /// About how many multiplications a state takes, in the mode that takes most.
    pub fn steps(&self) -> f64 {
        let model = self.phase.model();
        let of_mode = |mode: usize| {
            let laws = || (0..model.size()).map(|process| self.phase.alpha(mode, process));
            let values: usize = laws().map(|law| law.support().len()).sum();
            let (least, most) = (laws().map(|law| law.least()).min(), laws().map(|law| law.most()).max());
            let range = most.unwrap_or(0) - least.unwrap_or(0) + 2 * self.delay + 1;
            let times = (2.0 * values as f64).min(range as f64);
            let window = times.min(self.delay as f64) + 3.0;
            let levels =
                (0..model.size()).map(|process| self.tables.of(mode, process).after(i64::MAX).most() + 1).max();
            10.0 * times * window * levels.unwrap_or(1) as f64 * model.size() as f64
        };
        (0..model.modes.count()).map(of_mode).fold(0.0, f64::max)
    }

    pub fn outcome(&self, state: &State) -> Outcome {
        let ends: Vec<Ends> = state
            .offsets
            .iter()
            .enumerate()
            .map(|(process, offset)| {
                let alpha = self.phase.alpha(state.mode, process).support().iter();
                Ends { list: alpha.map(|(ticks, probability)| (offset + *ticks as i64, *probability)).collect() }
            })
            .collect();
        let earliest = ends.iter().map(|ends| ends.list[0].0).max().unwrap_or(0);
        let mut times: Vec<i64> = ends.iter().flat_map(|ends| ends.list.iter().map(|(time, _)| *time)).collect();
        times.sort_unstable();
        times.dedup();
        let mut sums = self.sums(state.mode, &ends, times[times.len() - 1]);
        for last in times.iter().filter(|time| **time >= earliest) {
            for level in 0..sums.levels.len().max(1) {
                self.ending_at(*last, level, state.mode, &ends, &times, &mut sums);
            }
        }
        Outcome {
            ways: sums.ways.into_iter().filter(|way| way.probability > 0.0).collect(),
            clock: sums.clock.into_iter().map(|(ticks, (p, iterations))| (ticks, p, iterations)).collect(),
            least: sums.least,
            levels: sums.levels,
            updates: self.updates(state.mode, &ends, &times),
        }
    }

    fn sums(&self, mode: usize, ends: &[Ends], last: i64) -> Sums {
        let processes = || self.phase.model().processes.iter().enumerate();
        let least = processes().map(|(_, process)| u64::from(process.alpha_updates)).max().unwrap_or(0);
        let most = processes().map(|(index, process)| {
            let longest = last - ends[index].list[0].0 + self.delay as i64;
            u64::from(process.alpha_updates) + self.tables.of(mode, index).after(longest).most()
        });
        let levels = most.max().unwrap_or(least).max(least) - least;
        let none = |lead| Way { lead, probability: 0.0, phase: 0.0, iterations: 0.0 };
        let leads = (0..ends.len()).flat_map(|leader| (1..=self.delay as i64).map(move |ticks| Some((leader, ticks))));
        let ways = leads.chain([None]).map(none).collect();
        Sums { ways, clock: BTreeMap::new(), levels: vec![(0.0, 0.0); levels as usize], least }
    }

    /// All events in which the leader ends alpha at `last`, looking at whether N is above a level.
    fn ending_at(&self, last: i64, level: usize, mode: usize, ends: &[Ends], times: &[i64], sums: &mut Sums) {
        let delay = self.delay as i64;
        let most = sums.least + level as u64;
        let mass = |process: usize, wait: i64, probability: f64| {
            let own = u64::from(self.phase.model().processes[process].alpha_updates);
            let (up_to, above) = self.tables.of(mode, process).after(wait).split(most - own);
            Mass { all: probability, up_to: probability * up_to, above: probability * above }
        };
        let leaders: Vec<(usize, f64)> = (ends.iter().enumerate())
            .map(|(process, ends)| (process, ends.at(last)))
            .filter(|(_, probability)| *probability > 0.0)
            .collect();
        // Up to here the second makes no difference to the leader.
        let far = (last - delay).min(last - 1);
        let until = |process: usize, from: i64, to: i64| {
            let list = &ends[process].list;
            let range = list.partition_point(|(time, _)| *time <= from)..list.partition_point(|(time, _)| *time <= to);
            list[range].iter().map(|(time, p)| mass(process, last + delay - time, *p)).fold(Mass::default(), Mass::add)
        };
        let processes = 0..ends.len();
        let mut before: Vec<Mass> = processes.clone().map(|process| until(process, i64::MIN, far)).collect();
        let others = all_but_one(&before, Mass::SURE, |a, b| a * b);
        for (leader, probability) in &leaders {
            let event = Event { leader: Some(*leader), own_end: last, other_end: last + delay };
            sums.add(self, event, level, others[*leader] * mass(*leader, 0, *probability));
        }
        let near = times.partition_point(|time| *time <= far)..times.partition_point(|time| *time < last);
        for second in &times[near] {
            let fronts: Vec<Front<Mass>> = processes
                .clone()
                .map(|process| Front { before: before[process], now: until(process, second - 1, *second) })
                .collect();
            let others = all_but_one(&fronts, Front { before: Mass::SURE, now: Mass::default() }, Front::and);
            let wait = second + delay - last;
            for (leader, probability) in &leaders {
                let event = Event { leader: Some(*leader), own_end: second + delay, other_end: last + delay };
                sums.add(self, event, level, others[*leader].now * mass(*leader, wait, *probability));
            }
            before.iter_mut().zip(&fronts).for_each(|(before, front)| *before += front.now);
        }
        let nobody = Tied { none: Mass::SURE, one: Mass::default(), more: Mass::default() };
        let tied = processes.fold(nobody, |tied, process| {
            let one = until(process, last - 1, last);
            tied.and(Tied { none: before[process], one, more: Mass::default() })
        });
        let event = Event { leader: None, own_end: last + delay, other_end: last + delay };
        sums.add(self, event, level, tied.more);
    }

    /// E\[N_i\]: the wait of i is the largest of the others, plus the delay, less its own.
    fn updates(&self, mode: usize, ends: &[Ends], times: &[i64]) -> Vec<f64> {
        let mut updates = vec![0.0; ends.len()];
        if self.phase.model().processes.iter().all(|process| process.beta_updates == 0) {
            return updates;
        }
        let mut before = vec![0.0; ends.len()];
        for time in times {
            let fronts: Vec<Front<f64>> =
                ends.iter().zip(&before).map(|(ends, before)| Front { before: *before, now: ends.at(*time) }).collect();
            let others = all_but_one(&fronts, Front { before: 1.0, now: 0.0 }, Front::and);
            for (process, front) in others.iter().enumerate().filter(|(_, front)| front.now > 0.0) {
                let table = self.tables.of(mode, process);
                let mean = |(own, p): &(i64, f64)| p * table.after(time + self.delay as i64 - own).mean;
                updates[process] += front.now * ends[process].list.iter().map(mean).sum::<f64>();
            }
            before.iter_mut().zip(&fronts).for_each(|(before, front)| *before += front.now);
        }
        updates
    }
}

impl Ends {
    fn at(&self, time: i64) -> f64 {
        self.list.binary_search_by_key(&time, |(time, _)| *time).map_or(0.0, |place| self.list[place].1)
    }
}

impl Sums {
    fn add(&mut self, network: &Network<'_>, event: Event, level: usize, mass: Mass) {
        if mass.all <= 0.0 {
            return;
        }
        if let Some(sums) = self.levels.get_mut(level) {
            *sums = (sums.0 + mass.up_to, sums.1 + mass.above);
        }
        // The probability is the same at every level.
        let probability = if level == 0 { mass.all } else { 0.0 };
        let iterations = probability * self.least as f64 + mass.above;
        let ticks = if event.leader == Some(0) { event.own_end } else { event.other_end };
        let clock = self.clock.entry(ticks).or_insert((0.0, 0.0));
        *clock = (clock.0 + probability, clock.1 + iterations);
        let lead = event.other_end - event.own_end;
        let together = self.ways.len() - 1;
        let place = match event.leader {
            Some(leader) if lead > 0 => network.groups.first(leader) * network.delay as usize + lead as usize - 1,
            _ => together,
        };
        let way = &mut self.ways[place];
        way.probability += probability;
        way.phase += probability * ticks as f64;
        way.iterations += iterations;
    }
}
