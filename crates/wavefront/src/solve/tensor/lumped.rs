//! One phase on states that do not distinguish equal processes.
//!
//! A state has, for each group of equal processes, the multiset of their lags. One process after the other leaves the
//! multiset of lags for the multiset of how far behind they end alpha; given the meeting, the ends enter a multiset of ends
//! one by one.

use super::arrive::spread;
use super::axis::{self, Axis};
use super::count::Beta;
use super::engine::{Engine, Limit};
use super::plain;
use super::times::{Shape, Times, arrival};
use crate::model::{Model, Tie};
use crate::solve::lump::Multisets;

pub(super) struct Lumped<'m> {
    model: &'m Model,
    shape: Shape,
    groups: Vec<Vec<usize>>,
    /// By group.
    states: Vec<Multisets>,
    meetings: Vec<Multisets>,
    ends: Vec<Multisets>,
    /// By group and multiset of ends, the state of each last end of all.
    settled: Vec<Vec<u32>>,
    modes: Vec<Mode>,
}

struct Mode {
    times: Times,
    /// By group.
    axes: Vec<Axis>,
    betas: Vec<Beta>,
}

/// Bytes, and products of numbers in a phase.
pub(super) fn needs(model: &Model, shape: &Shape, groups: &[Vec<usize>]) -> (f64, f64) {
    let counts = model.processes.iter().any(|process| process.beta_updates > 0);
    let lags = shape.lag + 1;
    let (mut bytes, mut states, mut meetings, mut followed, mut ends) = (0.0, 1.0, 1.0, 1.0, 1.0);
    for group in groups {
        let (size, depth, length) = (group.len(), shape.clip[group[0]] + 1, shape.latest[group[0]] + 1);
        let width = if counts && shape.abort { shape.clip[group[0]] + length } else { depth };
        let table = |values: usize| 4.0 * values as f64 * Multisets::expected(values, size) * 1.5;
        bytes += table(lags)
            + table(depth)
            + table(length)
            + table(width)
            + 4.0 * Multisets::expected(length, size) * lags as f64;
        bytes += 8.0 * shape.rows() as f64 * (depth + width) as f64;
        states *= Multisets::expected(lags, size);
        meetings *= Multisets::expected(depth, size);
        followed *= Multisets::expected(width, size);
        ends *= Multisets::expected(length, size);
    }
    let modes = model.modes.count() as f64;
    let length = shape.latest.iter().copied().max().unwrap_or(0) as f64 + 1.0;
    let turns = (shape.turn.1 - shape.turn.0 + 1) as f64;
    let departing = turns * shape.size as f64 * states.max(meetings) * length.min(20.0) * 8.0;
    let bytes = bytes + plain::solving(states * modes) + 8.0 * 4.0 * followed.max(meetings);
    // A process whose end the meeting determines is done at once.
    let following = shape.levels(model) * plain::PARTS_OF_FOLLOWING * followed * ends * length / 8.0;
    (bytes, modes * (departing + meetings * ends * length + following))
}

impl<'m> Lumped<'m> {
    pub fn new(model: &'m Model, shape: Shape, groups: Vec<Vec<usize>>) -> Lumped<'m> {
        let sets = |values: &dyn Fn(usize) -> usize| -> Vec<Multisets> {
            groups.iter().map(|group| Multisets::new(values(group[0]), group.len())).collect()
        };
        let states = sets(&|_| shape.lag + 1);
        let meetings = sets(&|process| shape.clip[process] + 1);
        let ends = sets(&|process| shape.latest[process] + 1);
        let settled = ends.iter().zip(&states).map(|(ends, states)| settled(ends, states)).collect();
        let modes = (0..model.modes.count()).map(|mode| Mode::new(model, &shape, &groups, mode)).collect();
        Lumped { model, shape, groups, states, meetings, ends, settled, modes }
    }

    /// Meetings after a phase's alphas, and weighted with how much the turn is above `center`; gives the sum of all
    /// weights with the square of that.
    fn depart(
        &self,
        axes: &[Axis],
        meetings: &[Multisets],
        measure: &[f64],
        center: f64,
        out: &mut [f64],
        timed: &mut [f64],
    ) -> f64 {
        let mut squares = 0.0;
        let met = met(meetings);
        let mut current = Vec::new();
        let mut next = Vec::new();
        for turn in self.shape.turn.0..=self.shape.turn.1 {
            current.clear();
            current.extend_from_slice(measure);
            for (group, axis) in axes.iter().enumerate() {
                let outer: usize = meetings[..group].iter().map(|sets| sets.count(sets.size)).product();
                let inner: usize = self.states[group + 1..].iter().map(|sets| sets.count(sets.size)).product();
                let (from, to) = (&self.states[group], &meetings[group]);
                for moved in 0..from.size {
                    transfer((from, to), moved, (outer, inner), turn, axis, &current, &mut next);
                    std::mem::swap(&mut current, &mut next);
                }
            }
            let above = turn as f64 - center;
            for (((value, met), out), timed) in current.iter().zip(&met).zip(out.iter_mut()).zip(timed.iter_mut()) {
                if *met {
                    *out += value;
                    *timed += above * value;
                    squares += above * above * value;
                }
            }
        }
        squares
    }

    /// Adds the states after the meetings to `out`, and, weighted with the last end, to `timed`; gives the sums with the
    /// last end of `later` and with its square of `weights`. `followed`: from the clip point on the meetings determine the end.
    #[expect(clippy::too_many_arguments, reason = "weights and sums of two kinds")]
    fn arrive(
        &self,
        mode: &Mode,
        betas: &[Beta],
        (meetings, followed): (&[Multisets], bool),
        weights: &[f64],
        later: &[f64],
        out: &mut [f64],
        timed: &mut [f64],
    ) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        let mut work = Work::new(self);
        let met = met(meetings);
        let mut place = vec![0; meetings.len()];
        for (meeting, met) in met.iter().enumerate() {
            if !met || weights[meeting] == 0.0 && later[meeting] == 0.0 {
                continue;
            }
            let mut rest = meeting;
            for (group, sets) in meetings.iter().enumerate().rev() {
                let count = sets.count(sets.size);
                place[group] = rest % count;
                rest /= count;
            }
            work.meet(self, meetings, &place, followed);
            work.ends(self, &mode.times, betas);
            self.settle(&work.laws, |state, last, probability| {
                let (weight, later) = (weights[meeting] * probability, later[meeting] * probability);
                let last = last as f64;
                out[state] += weight;
                timed[state] += later + last * weight;
                sums.0 += last * later;
                sums.1 += last * last * weight;
            });
        }
        sums
    }

    /// Visits the states of all combinations of ends, with the last end and the probability.
    fn settle(&self, laws: &[Vec<f64>], mut visit: impl FnMut(usize, usize, f64)) {
        if let [law] = laws {
            let (sets, lags) = (&self.ends[0], self.shape.lag + 1);
            for (index, probability) in law.iter().enumerate().filter(|(_, probability)| **probability != 0.0) {
                let last = sets.without_largest(sets.size, index).1;
                visit(self.settled[0][index * lags + last] as usize, last, *probability);
            }
            return;
        }
        self.combine(laws, 0, 0, 1.0, &mut Vec::new(), &mut visit);
    }

    fn combine(
        &self,
        laws: &[Vec<f64>],
        group: usize,
        last: usize,
        probability: f64,
        chosen: &mut Vec<usize>,
        visit: &mut impl FnMut(usize, usize, f64),
    ) {
        let Some(law) = laws.get(group) else {
            let lags = self.shape.lag + 1;
            let state = chosen.iter().enumerate().fold(0, |state, (group, index)| {
                let sets = &self.states[group];
                state * sets.count(sets.size) + self.settled[group][index * lags + last] as usize
            });
            visit(state, last, probability);
            return;
        };
        let sets = &self.ends[group];
        for (index, share) in law.iter().enumerate().filter(|(_, share)| **share != 0.0) {
            chosen.push(index);
            let last = last.max(sets.without_largest(sets.size, index).1);
            self.combine(laws, group + 1, last, probability * share, chosen, visit);
            chosen.pop();
        }
    }
}

/// By multiset of ends and last end of all, the multiset of lags.
fn settled(ends: &Multisets, states: &Multisets) -> Vec<u32> {
    let mut table = Vec::with_capacity(ends.count(ends.size) * states.values);
    let mut values = vec![0; ends.size];
    for index in 0..ends.count(ends.size) {
        ends.values_of(index, &mut values);
        for last in 0..states.values {
            let possible = values.iter().all(|value| *value <= last);
            let lags = values.iter().map(|value| last - (*value).min(last));
            table.push(if possible { states.number(lags) as u32 } else { 0 });
        }
    }
    table
}

/// Which meetings have a process at 0.
fn met(meetings: &[Multisets]) -> Vec<bool> {
    let mut met = vec![false];
    for sets in meetings {
        let mut values = vec![0; sets.size];
        let leads: Vec<bool> = (0..sets.count(sets.size))
            .map(|index| {
                sets.values_of(index, &mut values);
                values[0] == 0
            })
            .collect();
        met = met.iter().flat_map(|before| leads.iter().map(move |leads| *before || *leads)).collect();
    }
    met
}

/// Takes the largest lag out of each multiset and puts how far behind that process ends alpha into the other one.
fn transfer(
    (from, to): (&Multisets, &Multisets),
    moved: usize,
    (outer, inner): (usize, usize),
    turn: i64,
    axis: &Axis,
    current: &[f64],
    next: &mut Vec<f64>,
) {
    let left = from.size - moved;
    let (now, then) = (from.count(left), from.count(left - 1));
    let (had, has) = (to.count(moved), to.count(moved + 1));
    next.clear();
    next.resize(outer * then * has * inner, 0.0);
    for block in 0..outer {
        for index in 0..now {
            let (shorter, lag) = from.without_largest(left, index);
            let (row, range) = axis.row(turn + lag as i64);
            let values = &current[(block * now + index) * had * inner..][..had * inner];
            let target = &mut next[(block * then + shorter) * has * inner..][..has * inner];
            for (set, part) in values.chunks_exact(inner).enumerate() {
                if part.iter().all(|value| *value == 0.0) {
                    continue;
                }
                let with = to.with(moved, set);
                for behind in range.clone() {
                    let probability = row[behind];
                    let place = &mut target[with[behind] as usize * inner..][..inner];
                    place.iter_mut().zip(part).for_each(|(sum, value)| *sum += probability * value);
                }
            }
        }
    }
}

/// One meeting at a time.
struct Work {
    /// By process: how far behind, and the end, if the meeting determines it.
    behind: Vec<usize>,
    known: Vec<Option<usize>>,
    values: Vec<usize>,
    arrived: Vec<f64>,
    up_to: Vec<f64>,
    end: Vec<f64>,
    next: Vec<f64>,
    /// By group: the law of the multiset of ends.
    laws: Vec<Vec<f64>>,
}

impl Work {
    fn new(engine: &Lumped<'_>) -> Work {
        let size = engine.shape.size;
        Work {
            behind: vec![0; size],
            known: vec![None; size],
            values: Vec::new(),
            arrived: Vec::new(),
            up_to: Vec::new(),
            end: Vec::new(),
            next: Vec::new(),
            laws: vec![Vec::new(); engine.groups.len()],
        }
    }

    /// Lays out a meeting.
    fn meet(&mut self, engine: &Lumped<'_>, meetings: &[Multisets], place: &[usize], followed: bool) {
        for ((group, sets), index) in engine.groups.iter().zip(meetings).zip(place) {
            self.values.resize(sets.size, 0);
            sets.values_of(*index, &mut self.values);
            let clip = engine.shape.clip[group[0]];
            for (process, value) in group.iter().zip(&self.values) {
                self.behind[*process] = (*value).min(clip);
                self.known[*process] = (followed && *value >= clip).then(|| *value - clip);
            }
        }
    }

    /// The laws of the ends of all groups.
    fn ends(&mut self, engine: &Lumped<'_>, times: &Times, betas: &[Beta]) {
        let leader = self.behind.iter().position(|behind| *behind == 0).unwrap_or(0);
        for (index, group) in engine.groups.iter().enumerate() {
            let sets = &engine.ends[index];
            let law = &mut self.laws[index];
            law.clear();
            law.push(1.0);
            let mut before = None;
            for (size, process) in group.iter().enumerate() {
                let what = (self.behind[*process], self.known[*process]);
                // The end of the leader and of an equal process that ends alpha with it have one law.
                if before != Some(what) {
                    let places = engine.shape.arrival[*process] + 1;
                    self.arrived.resize(places, 0.0);
                    self.up_to.resize(places, 0.0);
                    arrival(times, leader, *process, &self.behind, &mut self.arrived, &mut self.up_to);
                    self.end.clear();
                    self.end.resize(engine.shape.latest[*process] + 1, 0.0);
                    match what.1 {
                        Some(end) => self.end[end] = self.arrived[end],
                        None => {
                            for (came, probability) in self.arrived.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                                for (over, share) in betas[index].after(came + what.0).iter().enumerate() {
                                    if *share > 0.0 {
                                        self.end[came + over] += probability * share;
                                    }
                                }
                            }
                        }
                    }
                    before = Some(what);
                }
                self.next.clear();
                self.next.resize(sets.count(size + 1), 0.0);
                for (set, probability) in law.iter().enumerate().filter(|(_, probability)| **probability != 0.0) {
                    for (with, share) in sets.with(size, set).iter().zip(&self.end) {
                        self.next[*with as usize] += probability * share;
                    }
                }
                std::mem::swap(law, &mut self.next);
            }
        }
    }
}

impl Mode {
    fn new(model: &Model, shape: &Shape, groups: &[Vec<usize>], mode: usize) -> Mode {
        let times = Times::of(model, &model.modes.laws[mode]);
        let axes = groups.iter().map(|group| Axis::plain(&times.alpha[group[0]], shape, group[0])).collect();
        let beta = |group: &Vec<usize>| Beta::new(model, mode, group[0], None, Tie::Counts, shape.wait[group[0]]);
        Mode { times, axes, betas: groups.iter().map(beta).collect() }
    }
}

impl Lumped<'_> {
    /// The measure after a phase, plain and weighted with how much longer than `center` it took, and the sum with the
    /// square of that.
    fn whole_phase(&self, mode: usize, measure: &[f64], center: f64, out: &mut [f64], timed: &mut [f64]) -> f64 {
        let mode = &self.modes[mode];
        let mut weights = vec![0.0; Lumped::places_of(&self.meetings)];
        let mut later = weights.clone();
        let squares = self.depart(&mode.axes, &self.meetings, measure, center, &mut weights, &mut later);
        out.fill(0.0);
        timed.fill(0.0);
        let sums = self.arrive(mode, &mode.betas, (&self.meetings, false), &weights, &later, out, timed);
        squares + 2.0 * sums.0 + sums.1
    }

    fn places_of(sets: &[Multisets]) -> usize {
        sets.iter().map(|sets| sets.count(sets.size)).product()
    }
}

impl Engine for Lumped<'_> {
    fn places(&self) -> usize {
        Lumped::places_of(&self.states)
    }

    fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    fn lags(&self, place: usize, lags: &mut [usize]) -> Option<f64> {
        let mut rest = place;
        let mut arrangements = 1.0;
        for (group, sets) in self.groups.iter().zip(&self.states).rev() {
            let count = sets.count(sets.size);
            let mut values = vec![0; sets.size];
            sets.values_of(rest % count, &mut values);
            rest /= count;
            let mut run = 0;
            for (index, (process, value)) in group.iter().zip(&values).enumerate() {
                lags[*process] = *value;
                run = if index > 0 && values[index - 1] == *value { run + 1 } else { 1 };
                arrangements *= (index + 1) as f64 / run as f64;
            }
        }
        lags.contains(&0).then_some(arrangements.round())
    }

    fn place(&self, lags: &[usize]) -> Option<usize> {
        if lags.iter().any(|lag| *lag > self.shape.lag) {
            return None;
        }
        let number = |(group, sets): (&Vec<usize>, &Multisets)| sets.number(group.iter().map(|process| lags[*process]));
        let indices = self.groups.iter().zip(&self.states).map(number);
        Some(indices.zip(&self.states).fold(0, |place, (index, sets)| place * sets.count(sets.size) + index))
    }

    fn step(&self, mode: usize, measure: &[f64], out: &mut [f64]) {
        let mut timed = vec![0.0; out.len()];
        self.whole_phase(mode, measure, 0.0, out, &mut timed);
    }

    fn timed(&self, mode: usize, measure: &[f64], center: f64, timed: &mut [f64]) -> f64 {
        let mut out = vec![0.0; timed.len()];
        self.whole_phase(mode, measure, center, &mut out, timed)
    }

    fn limited(&self, mode: usize, measure: &[f64], limit: Limit, center: f64, out: &mut [f64]) -> f64 {
        let (index, mode, shape) = (mode, &self.modes[mode], &self.shape);
        let alike = self.groups.iter().map(|group| group[0]);
        let (betas, axes) = axis::limited(self.model, shape, &mode.times.alpha, (index, limit), alike);
        let sets = |(group, axis): (&Vec<usize>, &Axis)| Multisets::new(axis.width, group.len());
        let meetings: Vec<Multisets> = self.groups.iter().zip(&axes).map(sets).collect();
        let mut weights = vec![0.0; Lumped::places_of(&meetings)];
        let mut later = weights.clone();
        self.depart(&axes, &meetings, measure, center, &mut weights, &mut later);
        let mut timed = vec![0.0; out.len()];
        out.fill(0.0);
        self.arrive(mode, &betas, (&meetings, shape.abort), &weights, &later, out, &mut timed);
        timed.iter().sum()
    }

    fn first(&self, mode: usize, lags: &[usize], out: &mut [f64]) {
        let mode = &self.modes[mode];
        let alpha = &mode.times.alpha;
        let met = met(&self.meetings);
        let mut weights = vec![0.0; met.len()];
        let mut part = vec![0.0; met.len()];
        for turn in axis::turns(alpha, lags) {
            part.fill(0.0);
            part[0] = 1.0;
            let mut filled = 1;
            for (group, sets) in self.groups.iter().zip(&self.meetings) {
                let mut law = vec![1.0];
                for (size, process) in group.iter().enumerate() {
                    let row = axis::row(&alpha[*process], self.shape.clip[*process], turn + lags[*process] as i64);
                    let mut next = vec![0.0; sets.count(size + 1)];
                    for (set, probability) in law.iter().enumerate() {
                        for (with, share) in sets.with(size, set).iter().zip(&row) {
                            next[*with as usize] += probability * share;
                        }
                    }
                    law = next;
                }
                spread(&mut part, &mut filled, &law);
            }
            for ((sum, value), met) in weights.iter_mut().zip(&part).zip(&met) {
                if *met {
                    *sum += value;
                }
            }
        }
        let (later, mut timed) = (vec![0.0; weights.len()], vec![0.0; out.len()]);
        out.fill(0.0);
        self.arrive(mode, &mode.betas, (&self.meetings, false), &weights, &later, out, &mut timed);
    }
}
