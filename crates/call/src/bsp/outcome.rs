//! The result of a calculation.

use super::prepare::Prepared;
use super::program::Synchronization;
use super::run::{Clocks, Event, Log, NONE, Record, StepRecord};
use indexmap::IndexMap;
use serde::Serialize;

/// The finish time of each processor, in each reading; times are absolute, in seconds, in the order of the ranks.
#[derive(Debug)]
pub struct Outcome<'p> {
    prepared: &'p Prepared,
    /// The value of every parameter.
    pub parameters: IndexMap<String, f64>,
    clocks: Clocks,
    has_raw: bool,
    record: Option<Record>,
}

/// A reading of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Each processor waits for those that send to it.
    Obsp,
    /// Each superstep ends with a barrier.
    Bsp,
}

/// A superstep of a machine; the lists have one entry for each of its processors.
#[derive(Debug, Clone, Serialize)]
pub struct Step<'o> {
    /// Its number; inside groups `1:0/2`: superstep 2 of group 0 in superstep 1.
    pub path: String,
    /// Its name in the program.
    pub name: Option<&'o str>,
    pub task: &'o str,
    /// 0 for the whole machine, 1 in its groups.
    pub depth: u32,
    /// Its first processor, as a rank.
    pub first_rank: u32,
    /// Number of processors.
    pub processors: u32,
    /// How the processors synchronize.
    pub sync: Synchronization,
    /// Finish times, OBSP*.
    pub obsp_finish_s: &'o [f64],
    /// Finish times, BSP.
    pub bsp_finish_s: &'o [f64],
    /// Waiting times, OBSP*.
    pub wait_s: &'o [f64],
    /// h of each, OBSP*.
    pub h_bytes: &'o [f64],
}

/// A piece of the critical path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segment {
    /// The processor, as a rank.
    pub rank: u32,
    pub path: String,
    pub kind: Kind,
    pub from_s: f64,
    pub to_s: f64,
}

/// What a processor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It computes.
    Work,
    /// It communicates: g*h + L.
    Comm,
}

/// A group of processors from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span<'o> {
    pub task: &'o str,
    /// Its first processor, as a rank.
    pub first_rank: u32,
    /// Number of processors.
    pub processors: u32,
    /// 1 for groups of the whole machine.
    pub depth: u32,
    pub from_s: f64,
    pub to_s: f64,
}

impl<'p> Outcome<'p> {
    pub(super) fn new(
        prepared: &'p Prepared,
        parameters: IndexMap<String, f64>,
        clocks: Clocks,
        has_raw: bool,
        record: Option<Record>,
    ) -> Self {
        Outcome { prepared, parameters, clocks, has_raw, record }
    }

    /// Number of processors.
    pub fn processors(&self) -> usize {
        self.clocks.start.len()
    }

    /// From the earliest start to the latest finish, OBSP*.
    pub fn obsp_time_s(&self) -> f64 {
        self.time_s(&self.clocks.obsp)
    }

    /// From the earliest start to the latest finish, BSP.
    pub fn bsp_time_s(&self) -> f64 {
        self.time_s(&self.clocks.bsp)
    }

    /// The same with one g, L and p for everything; none if the program does not give them.
    pub fn raw_bsp_time_s(&self) -> Option<f64> {
        self.has_raw.then(|| self.time_s(&self.clocks.raw))
    }

    /// BSP over OBSP*; none if OBSP* takes no time.
    pub fn gain(&self) -> Option<f64> {
        let gain = self.bsp_time_s() / self.obsp_time_s();
        gain.is_finite().then_some(gain)
    }

    /// Start time of each processor.
    pub fn start_s(&self) -> &[f64] {
        &self.clocks.start
    }

    /// Finish time of each processor, OBSP*.
    pub fn obsp_finish_s(&self) -> &[f64] {
        &self.clocks.obsp
    }

    /// Finish time of each processor, BSP.
    pub fn bsp_finish_s(&self) -> &[f64] {
        &self.clocks.bsp
    }

    /// How long each processor works.
    pub fn work_s(&self) -> &[f64] {
        &self.clocks.work
    }

    /// How long each processor waits, OBSP*.
    pub fn wait_s(&self) -> &[f64] {
        &self.clocks.wait
    }

    /// How long the messages of each processor take, OBSP*.
    pub fn comm_s(&self) -> &[f64] {
        &self.clocks.comm
    }

    /// The supersteps in the order in which they begin, a machine before its groups; empty if they were not recorded.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let record = self.record.as_ref();
        record.into_iter().flat_map(move |record| record.steps.iter().map(move |step| self.step(record, step)))
    }

    /// The critical path, without gaps from a start to the latest finish, OBSP*.
    ///
    /// Backwards: where a processor waited for another, the path continues there; among those that finish at the same
    /// time, at the processor itself, else at the lowest. Empty if it was not recorded.
    pub fn critical_path(&self) -> Vec<Segment> {
        let Some(record) = &self.record else { return Vec::new() };
        let events = self.critical_events(&record.obsp, &self.clocks.obsp);
        let told = |event: &Event| Segment {
            rank: event.rank,
            path: path_of(record, event.step),
            kind: if event.is_comm { Kind::Comm } else { Kind::Work },
            from_s: event.from,
            to_s: event.to,
        };
        let mut segments: Vec<Segment> = events.iter().map(told).collect();
        // A start of zero length marks a processor where the path begins but that does nothing itself.
        let path = segments.get(1).map(|next| next.path.clone());
        match (segments.first_mut(), path) {
            (Some(start), Some(path)) => start.path = path,
            _ => segments.clear(),
        }
        if segments.get(1).is_some_and(|next| next.rank == segments[0].rank) {
            segments.remove(0);
        }
        segments
    }

    /// The ranks of the critical path of a reading, with the interval of each; for pictures.
    pub fn critical_stretches(&self, reading: Reading) -> Vec<(u32, f64, f64)> {
        let mut stretches: Vec<(u32, f64, f64)> = Vec::new();
        let Some((log, clock)) = self.log(reading) else { return stretches };
        for event in self.critical_events(log, clock).iter().filter(|event| event.to > event.from) {
            match stretches.last_mut() {
                Some(last) if last.0 == event.rank => last.2 = event.to,
                _ => stretches.push((event.rank, event.from, event.to)),
            }
        }
        stretches
    }

    /// Activities of some ranks, each in the order of time: kind, from, to. The gaps between are waiting.
    pub fn activity(&self, reading: Reading, ranks: &[u32]) -> Vec<Vec<(Kind, f64, f64)>> {
        let mut lanes = vec![Vec::new(); ranks.len()];
        let Some((log, _)) = self.log(reading) else { return lanes };
        let lane_of: IndexMap<u32, usize> = ranks.iter().enumerate().map(|(lane, rank)| (*rank, lane)).collect();
        for event in log.events.iter().filter(|event| event.to > event.from) {
            if let Some(lane) = lane_of.get(&event.rank) {
                let kind = if event.is_comm { Kind::Comm } else { Kind::Work };
                lanes[*lane].push((kind, event.from, event.to));
            }
        }
        lanes
    }

    pub fn groups(&self, reading: Reading) -> Vec<Span<'_>> {
        let Some(record) = &self.record else { return Vec::new() };
        let told = record.groups.iter().map(|group| {
            let (from_s, to_s) = if reading == Reading::Obsp { group.obsp } else { group.bsp };
            let task = self.prepared.tasks.get(group.task as usize).map_or("", |task| task.name.as_str());
            Span { task, first_rank: group.first, processors: group.procs, depth: group.depth, from_s, to_s }
        });
        told.collect()
    }

    /// Finish time of each processor in a reading.
    pub fn finish_s(&self, reading: Reading) -> &[f64] {
        if reading == Reading::Obsp { &self.clocks.obsp } else { &self.clocks.bsp }
    }

    fn log(&self, reading: Reading) -> Option<(&Log, &[f64])> {
        let record = self.record.as_ref()?;
        match reading {
            Reading::Obsp => Some((&record.obsp, &self.clocks.obsp)),
            Reading::Bsp => Some((record.bsp.as_ref()?, &self.clocks.bsp)),
        }
    }

    /// From the start to the latest finish.
    fn critical_events(&self, log: &Log, clock: &[f64]) -> Vec<Event> {
        let latest = clock.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let rank = clock.iter().position(|at| *at == latest).unwrap_or(0);
        let mut events = Vec::new();
        let mut next = log.last.get(rank).copied().unwrap_or(NONE);
        while let Some(event) = log.events.get(next as usize) {
            events.push(*event);
            next = event.previous;
        }
        events.reverse();
        events
    }

    fn step<'o>(&'o self, record: &'o Record, step: &StepRecord) -> Step<'o> {
        let task = &self.prepared.tasks[step.task as usize];
        let code = &task.steps[step.step as usize];
        let range = step.offset..step.offset + step.procs as usize;
        Step {
            path: path(record, step),
            name: code.name.as_deref(),
            task: &task.name,
            depth: step.depth,
            first_rank: step.first,
            processors: step.procs,
            sync: code.synchronization,
            obsp_finish_s: &record.obsp_finish_s[range.clone()],
            bsp_finish_s: &record.bsp_finish_s[range.clone()],
            wait_s: &record.wait_s[range.clone()],
            h_bytes: &record.h_bytes[range],
        }
    }

    fn time_s(&self, clock: &[f64]) -> f64 {
        let earliest = self.clocks.start.iter().copied().fold(f64::INFINITY, f64::min);
        clock.iter().copied().fold(f64::NEG_INFINITY, f64::max) - earliest
    }
}

fn path_of(record: &Record, step: u32) -> String {
    record.steps.get(step as usize).map_or_else(String::new, |step| path(record, step))
}

/// From the outermost superstep to this one.
fn path(record: &Record, step: &StepRecord) -> String {
    let mut parts = vec![step.number.to_string()];
    let mut inner = step;
    while let Some(outer) = record.steps.get(inner.outer as usize) {
        parts.push(format!("{}:{}/", outer.number, inner.group));
        inner = outer;
    }
    parts.reverse();
    parts.concat()
}
