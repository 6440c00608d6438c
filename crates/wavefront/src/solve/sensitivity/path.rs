//! The critical path on a listed chain.
//!
//! The meetings are followed a tick deeper than the chain needs: a message that arrives together with the leader's shares
//! the path with it, one that arrives earlier does not.

use super::Critical;
use crate::model::law::Law;
use crate::model::{Model, Semantics};
use crate::solve::chain::Chain;
use crate::solve::phase::{Behind, Phase};
use std::collections::{BTreeMap, HashMap};

/// Entries of both stages.
const MOST_ENTRIES: usize = 10_000_000;
/// Multiplications in total.
const MOST_WORK: usize = 50_000_000_000;
const MOST_SWEEPS: usize = 200_000;
/// What the shares may still move by in total.
const SETTLED: f64 = 1e-13;
/// What shares, all of them at most 1, move by from rounding alone.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Shares and times, and whether they have settled. None: too large, or interrupted.
pub(super) fn critical(chain: &Chain, stop: &dyn Fn() -> bool) -> Option<(Critical, bool)> {
    let paths = Paths::new(chain, stop)?;
    let (through, settled) = paths.through(stop)?;
    Some((paths.critical(&through), settled))
}

/// The recurrent states, the meetings after them, and who is waited for.
struct Paths<'c> {
    chain: &'c Chain,
    recurrent: Vec<usize>,
    /// By recurrent state: meeting, ticks to the leader's end of alpha, probability.
    departures: Vec<Vec<(usize, i64, f64)>>,
    meetings: Vec<Meeting>,
}

struct Meeting {
    behind: Vec<u32>,
    /// By receiver: its ends of the phase.
    ends: Vec<Vec<End>>,
    arrivals: Vec<Arrival>,
    /// For each arrival, by receiver, the place of its end.
    places: Vec<u32>,
}

struct Arrival {
    /// Among the recurrent.
    state: usize,
    probability: f64,
}

/// An end of a receiver's phase after a meeting.
struct End {
    after: i64,
    probability: f64,
    /// By sender: E\[share | end\], E\[share * ticks of the message | end\].
    share: Vec<f64>,
    time: Vec<f64>,
    /// E\[overrun | end\].
    overrun: f64,
}

impl<'c> Paths<'c> {
    fn new(chain: &'c Chain, stop: &dyn Fn() -> bool) -> Option<Paths<'c>> {
        let (model, size) = (&chain.model, chain.model.size());
        let recurrent: Vec<usize> = (0..chain.states.len()).filter(|state| chain.stationary()[*state] > 0.0).collect();
        let index: HashMap<(usize, &[i64]), usize> = (recurrent.iter().enumerate())
            .map(|(place, state)| ((chain.states[*state].mode, chain.states[*state].offsets.as_slice()), place))
            .collect();
        let phase = Phase::new(model).ok()?;
        let depth: Vec<Vec<u32>> = (0..model.modes.count()).map(|mode| depth(model, mode)).collect::<Option<_>>()?;
        let mut known: HashMap<(usize, Vec<u32>), usize> = HashMap::new();
        let mut list: Vec<(usize, Vec<u32>)> = Vec::new();
        let (mut departures, mut left) = (Vec::with_capacity(recurrent.len()), MOST_ENTRIES);
        for state in &recurrent {
            if stop() {
                return None;
            }
            let (mode, offsets) = (chain.states[*state].mode, &chain.states[*state].offsets);
            let mut row = Vec::new();
            let walk = Behind { offsets, alpha: phase.alphas(mode), depth: &depth[mode] };
            walk.visit(left as u64, |ticks, rows| {
                for (behind, probability) in rows.iter() {
                    let place = *known.entry((mode, behind.to_vec())).or_insert_with(|| {
                        list.push((mode, behind.to_vec()));
                        list.len() - 1
                    });
                    row.push((place, ticks, probability));
                }
                Ok(())
            })
            .ok()?;
            left = left.checked_sub(row.len())?;
            departures.push(row);
        }
        let mut meetings = Vec::with_capacity(list.len());
        for (mode, behind) in list {
            if stop() {
                return None;
            }
            let mut waits = HashMap::new();
            let ends = (0..size).map(|to| ends(&phase, mode, &behind, to, &mut waits)).collect();
            let mut meeting = Meeting { behind, ends, arrivals: Vec::new(), places: Vec::new() };
            meeting.arrive(&model.modes.transition[mode], &index, left)?;
            left = left.checked_sub(meeting.arrivals.len())?;
            meetings.push(meeting);
        }
        Some(Paths { chain, recurrent, departures, meetings })
    }

    fn size(&self) -> usize {
        self.chain.model.size()
    }

    /// q, by state, then process.
    fn through(&self, stop: &dyn Fn() -> bool) -> Option<(Vec<f64>, bool)> {
        let size = self.size();
        let work = self.departures.iter().map(Vec::len).sum::<usize>()
            + self
                .meetings
                .iter()
                .map(|meeting| meeting.arrivals.len() + size * meeting.ends.iter().map(Vec::len).sum::<usize>())
                .sum::<usize>();
        // T_1(K) ends at process 1.
        let mut through: Vec<f64> =
            (0..self.recurrent.len() * size).map(|place| f64::from(u8::from(place % size == 0))).collect();
        let mut last = f64::INFINITY;
        for _ in 0..(MOST_WORK / (work * size).max(1)).clamp(100, MOST_SWEEPS) {
            if stop() {
                return None;
            }
            let next = self.before(&self.at_meetings(&through));
            let mut moved: f64 = 0.0;
            for (now, next) in through.iter_mut().zip(next) {
                moved = moved.max((next - *now).abs());
                // Halfway, so that periodic chains settle, too.
                *now = 0.5 * (*now + next);
            }
            // What is still to come, if it shrinks as it did.
            let ratio = (moved / last).min(1.0 - 1e-9);
            if moved == 0.0 || (moved / (1.0 - ratio) <= SETTLED && last.is_finite()) || moved <= ROUNDING {
                return Some((through, true));
            }
            last = moved;
        }
        Some((through, false))
    }

    /// By meeting, then process: the chance that the path comes through it, given the meeting.
    fn at_meetings(&self, through: &[f64]) -> Vec<f64> {
        let size = self.size();
        let mut senders = vec![0.0; self.meetings.len() * size];
        for (meeting, senders) in self.meetings.iter().zip(senders.chunks_exact_mut(size)) {
            for (ends, onward) in meeting.ends.iter().zip(meeting.onward(through, size)) {
                for (end, onward) in ends.iter().zip(onward) {
                    senders.iter_mut().zip(&end.share).for_each(|(sum, share)| *sum += onward * share);
                }
            }
        }
        senders
    }

    fn before(&self, senders: &[f64]) -> Vec<f64> {
        let size = self.size();
        let mut through = vec![0.0; self.recurrent.len() * size];
        for (row, through) in self.departures.iter().zip(through.chunks_exact_mut(size)) {
            for (meeting, _, probability) in row {
                let senders = &senders[meeting * size..(meeting + 1) * size];
                through.iter_mut().zip(senders).for_each(|(sum, sender)| *sum += probability * sender);
            }
        }
        through
    }

    fn critical(&self, through: &[f64]) -> Critical {
        let size = self.size();
        let mut critical = Critical::zero(size);
        let senders = self.at_meetings(through);
        let mut weight = vec![0.0; self.meetings.len()];
        for (row, state) in self.departures.iter().zip(&self.recurrent) {
            let stationary = self.chain.stationary()[*state];
            let offsets = &self.chain.states[*state].offsets;
            for (meeting, ticks, probability) in row {
                weight[*meeting] += stationary * probability;
                for process in 0..size {
                    let mass = stationary * probability * senders[meeting * size + process];
                    // One that is as far behind as it is followed has no part in the path.
                    let alpha = ticks - i64::from(self.meetings[*meeting].behind[process]) - offsets[process];
                    critical.process_share[process] += mass;
                    critical.process_time[process] += mass * alpha as f64;
                }
            }
        }
        for (meeting, weight) in self.meetings.iter().zip(&weight) {
            for (to, (ends, onward)) in meeting.ends.iter().zip(meeting.onward(through, size)).enumerate() {
                for (end, onward) in ends.iter().zip(onward) {
                    for from in 0..size {
                        critical.link_share[from * size + to] += weight * onward * end.share[from];
                        critical.link_time[from * size + to] += weight * onward * end.time[from];
                    }
                    critical.overrun_time += weight * onward * end.overrun;
                }
            }
        }
        critical
    }
}

impl Meeting {
    /// By receiver and end: P(that end, and the path continues from it).
    fn onward(&self, through: &[f64], size: usize) -> Vec<Vec<f64>> {
        let mut onward: Vec<Vec<f64>> = self.ends.iter().map(|ends| vec![0.0; ends.len()]).collect();
        for (arrival, places) in self.arrivals.iter().zip(self.places.chunks_exact(size)) {
            let through = &through[arrival.state * size..(arrival.state + 1) * size];
            for ((onward, place), through) in onward.iter_mut().zip(places).zip(through) {
                onward[*place as usize] += arrival.probability * through;
            }
        }
        onward
    }

    /// Lists all states that can follow; given the meeting, the receivers are independent.
    fn arrive(&mut self, next: &[f64], index: &HashMap<(usize, &[i64]), usize>, left: usize) -> Option<()> {
        let count = self
            .ends
            .iter()
            .try_fold(next.iter().filter(|p| **p > 0.0).count(), |all, ends| all.checked_mul(ends.len()))?;
        if count > left {
            return None;
        }
        let size = self.ends.len();
        let mut places = vec![0; size];
        let mut offsets = vec![0; size];
        loop {
            let ends = || self.ends.iter().zip(&places).map(|(ends, place)| &ends[*place as usize]);
            let probability: f64 = ends().map(|end| end.probability).product();
            let first = self.ends[0][places[0] as usize].after;
            offsets.iter_mut().zip(ends()).for_each(|(offset, end)| *offset = end.after - first);
            for (mode, share) in next.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                if let Some(state) = index.get(&(mode, offsets.as_slice())) {
                    self.arrivals.push(Arrival { state: *state, probability: probability * share });
                    self.places.extend_from_slice(&places);
                }
            }
            let Some(at) = (0..size).find(|at| places[*at] as usize + 1 < self.ends[*at].len()) else {
                return Some(());
            };
            places[at] += 1;
            places[..at].fill(0);
        }
    }
}

/// How far behind the leader each process is followed.
fn depth(model: &Model, mode: usize) -> Option<Vec<u32>> {
    let laws = &model.modes.laws[mode];
    let deep = |(from, process): (usize, &crate::model::Process)| {
        let message =
            (0..model.size()).filter(|to| *to != from).map(|to| laws.message[from][to].most()).max().unwrap_or(0);
        let updates = match model.semantics {
            Semantics::Abort => 0,
            Semantics::Complete => u64::from(process.beta_updates).checked_mul(laws.update[from].most())?,
        };
        u32::try_from(message.max(updates).checked_add(1)?).ok()
    };
    model.processes.iter().enumerate().map(deep).collect()
}

/// The ends of a receiver's phase, counted from the leader's end of alpha, ascending.
fn ends(
    phase: &Phase<'_>,
    mode: usize,
    behind: &[u32],
    to: usize,
    waits: &mut HashMap<(usize, i64), Vec<(i64, f64)>>,
) -> Vec<End> {
    let (laws, size) = (&phase.model().modes.laws[mode], behind.len());
    let own = Law::constant(0);
    let came = |from: usize| if from == to { &own } else { &*laws.message[from][to] };
    let at = |from: usize, time: i64| {
        u64::try_from(time + i64::from(behind[from])).map_or(0.0, |ticks| came(from).at(ticks))
    };
    let before = |from: usize, time: i64| match time + i64::from(behind[from]) {
        ticks if ticks > 0 => came(from).up_to(ticks as u64 - 1),
        _ => 0.0,
    };
    let first = (0..size).map(|from| came(from).least() as i64 - i64::from(behind[from])).max().unwrap_or(0);
    let mut times: Vec<i64> = (0..size)
        .flat_map(|from| came(from).support().iter().map(move |(ticks, _)| *ticks as i64 - i64::from(behind[from])))
        .filter(|time| *time >= first)
        .collect();
    times.sort_unstable();
    times.dedup();
    let mut found: BTreeMap<i64, End> = BTreeMap::new();
    for time in times {
        let shares: Vec<f64> = (0..size)
            .map(|from| {
                // By how many others arrive at the same time; none later.
                let mut ties = vec![at(from, time)];
                for other in (0..size).filter(|other| *other != from) {
                    let (now, earlier) = (at(other, time), before(other, time));
                    ties.push(0.0);
                    for count in (0..ties.len()).rev() {
                        ties[count] = ties[count] * earlier + if count > 0 { ties[count - 1] * now } else { 0.0 };
                    }
                }
                ties.iter().enumerate().map(|(others, probability)| probability / (others + 1) as f64).sum()
            })
            .collect();
        let probability: f64 = shares.iter().sum();
        if probability == 0.0 {
            continue;
        }
        let wait = time + i64::from(behind[to]);
        let overruns = waits.entry((to, wait)).or_insert_with(|| phase.overruns(mode, to, wait));
        for (overrun, chance) in overruns.iter() {
            let end = found.entry(time + overrun).or_insert_with(|| End {
                after: time + overrun,
                probability: 0.0,
                share: vec![0.0; size],
                time: vec![0.0; size],
                overrun: 0.0,
            });
            end.probability += probability * chance;
            end.overrun += probability * chance * *overrun as f64;
            for from in 0..size {
                end.share[from] += shares[from] * chance;
                end.time[from] +=
                    if from == to { 0.0 } else { shares[from] * chance * (time + i64::from(behind[from])) as f64 };
            }
        }
    }
    let mut ends: Vec<End> = found.into_values().collect();
    for end in &mut ends {
        let all = end.probability;
        end.overrun /= all;
        end.share.iter_mut().chain(&mut end.time).for_each(|value| *value /= all);
    }
    ends
}
