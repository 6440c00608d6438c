//! Recorded details: supersteps, and the activities of each processor.

use super::Clocks;
use super::close::Last;
use super::frame::Frame;

/// Marks a missing event.
pub(in super::super) const NONE: u32 = u32::MAX;
/// Paths are written out at the end, and should fit into memory then.
const MOST_PATH_BYTES: u64 = 150_000_000;

/// Recorded details.
#[derive(Debug)]
pub(in super::super) struct Record {
    /// In the order in which they begin.
    pub steps: Vec<StepRecord>,
    /// By processor of each step, at its `offset`.
    pub obsp_finish_s: Vec<f64>,
    pub bsp_finish_s: Vec<f64>,
    pub wait_s: Vec<f64>,
    pub h_bytes: Vec<f64>,
    pub groups: Vec<GroupSpan>,
    pub obsp: Log,
    pub bsp: Option<Log>,
    path_bytes: u64,
    /// Last events before the superstep that ends.
    before: Vec<u32>,
    before_bsp: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(in super::super) struct StepRecord {
    pub task: u32,
    /// In the task.
    pub step: u32,
    /// The record of the superstep whose group this is in.
    pub outer: u32,
    pub group: u32,
    pub number: u64,
    pub depth: u32,
    pub first: u32,
    pub procs: u32,
    pub offset: usize,
    path_length: u32,
}

/// A group from its start to its end, in both readings.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct GroupSpan {
    pub task: u32,
    pub first: u32,
    pub procs: u32,
    pub depth: u32,
    pub obsp: (f64, f64),
    pub bsp: (f64, f64),
}

/// Events of the processors in one reading, each with the one that it waited for.
#[derive(Debug)]
pub(in super::super) struct Log {
    pub events: Vec<Event>,
    /// By processor: its last event; after a barrier that costs nothing, that of the one that it waited for.
    pub last: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Event {
    pub rank: u32,
    pub step: u32,
    pub is_comm: bool,
    pub from: f64,
    pub to: f64,
    /// The event before it on the critical path.
    pub previous: u32,
}

impl Record {
    pub(super) fn new(start: &[f64], with_bsp: bool) -> Self {
        Record {
            steps: Vec::new(),
            obsp_finish_s: Vec::new(),
            bsp_finish_s: Vec::new(),
            wait_s: Vec::new(),
            h_bytes: Vec::new(),
            groups: Vec::new(),
            obsp: Log::new(start),
            bsp: with_bsp.then(|| Log::new(start)),
            path_bytes: 0,
            before: Vec::new(),
            before_bsp: Vec::new(),
        }
    }

    /// Records the begin of a superstep; false if its path would be too long.
    pub(super) fn begin(&mut self, frame: &mut Frame) -> bool {
        let outer = self.steps.get(frame.outer as usize).map_or(0, |outer| outer.path_length + 1);
        let path_length = outer + 8;
        self.path_bytes += u64::from(path_length);
        let offset = self.obsp_finish_s.len();
        frame.record = self.steps.len() as u32;
        self.steps.push(StepRecord {
            task: frame.task as u32,
            step: frame.step as u32,
            outer: frame.outer,
            group: frame.group as u32,
            number: frame.number,
            depth: frame.depth,
            first: frame.first as u32,
            procs: frame.procs as u32,
            offset,
            path_length,
        });
        for field in [&mut self.obsp_finish_s, &mut self.bsp_finish_s, &mut self.wait_s, &mut self.h_bytes] {
            field.resize(offset + frame.procs, 0.0);
        }
        self.path_bytes <= MOST_PATH_BYTES
    }

    pub(super) fn work(&mut self, step: u32, rank: usize, from: (f64, f64), to: (f64, f64)) {
        self.obsp.work(step, rank, from.0, to.0);
        if let Some(log) = &mut self.bsp {
            log.work(step, rank, from.1, to.1);
        }
    }

    /// A superstep without communication ends.
    pub(super) fn close_silently(&mut self, frame: &Frame, clocks: &Clocks, all: Last) {
        let offset = self.steps[frame.record as usize].offset;
        self.obsp_finish_s[offset..offset + frame.procs].copy_from_slice(&clocks.obsp[frame.range()]);
        self.bsp_finish_s[offset..offset + frame.procs].fill(all.at);
        let Some(log) = &mut self.bsp else { return };
        let last = log.last[frame.first + all.who as usize];
        for rank in frame.range().filter(|rank| clocks.bsp[*rank] != all.at) {
            log.last[rank] = last;
        }
    }

    pub(super) fn before_closing(&mut self, frame: &Frame) {
        self.before.clear();
        self.before.extend_from_slice(&self.obsp.last[frame.range()]);
        if let Some(log) = &self.bsp {
            self.before_bsp.clear();
            self.before_bsp.extend_from_slice(&log.last[frame.range()]);
        }
    }

    /// A processor leaves a superstep with communication.
    pub(super) fn close(
        &mut self,
        frame: &Frame,
        me: usize,
        ready: f64,
        (last, done): (Last, f64),
        (last_bsp, done_bsp): (Last, f64),
        h_bytes: f64,
    ) {
        let at = self.steps[frame.record as usize].offset + me;
        (self.obsp_finish_s[at], self.bsp_finish_s[at]) = (done, done_bsp);
        (self.wait_s[at], self.h_bytes[at]) = (last.at - ready, h_bytes);
        self.obsp.comm(frame.record, frame.first + me, (last.at, done), self.before[last.who as usize]);
        if let Some(log) = &mut self.bsp {
            log.comm(frame.record, frame.first + me, (last_bsp.at, done_bsp), self.before_bsp[last_bsp.who as usize]);
        }
    }

    pub(super) fn join(&mut self, frame: &mut Frame, clocks: &Clocks) {
        frame.span = self.groups.len() as u32;
        let least = |clock: &[f64]| clock[frame.range()].iter().copied().fold(f64::INFINITY, f64::min);
        self.groups.push(GroupSpan {
            task: frame.task as u32,
            first: frame.first as u32,
            procs: frame.procs as u32,
            depth: frame.depth,
            obsp: (least(&clocks.obsp), 0.0),
            bsp: (least(&clocks.bsp), 0.0),
        });
    }

    /// A group is done.
    pub(super) fn leave(&mut self, frame: &Frame, clocks: &Clocks) {
        let most = |clock: &[f64]| clock[frame.range()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if let Some(span) = self.groups.get_mut(frame.span as usize) {
            (span.obsp.1, span.bsp.1) = (most(&clocks.obsp), most(&clocks.bsp));
        }
    }
}

impl Log {
    /// Every processor begins with an event of zero length, at its start.
    fn new(start: &[f64]) -> Self {
        let events = start.iter().zip(0u32..);
        let events =
            events.map(|(&at, rank)| Event { rank, step: NONE, is_comm: false, from: at, to: at, previous: NONE });
        Log { events: events.collect(), last: (0..start.len() as u32).collect() }
    }

    fn work(&mut self, step: u32, rank: usize, from: f64, to: f64) {
        if to > from {
            let previous = self.last[rank];
            self.push(Event { rank: rank as u32, step, is_comm: false, from, to, previous });
        }
    }

    /// Communication; of zero length if it costs nothing but the path comes from another processor.
    fn comm(&mut self, step: u32, rank: usize, (from, to): (f64, f64), previous: u32) {
        let comes_from = self.events.get(previous as usize).map(|event| event.rank as usize);
        if to > from || comes_from != Some(rank) {
            self.push(Event { rank: rank as u32, step, is_comm: true, from, to, previous });
        }
    }

    fn push(&mut self, event: Event) {
        self.last[event.rank as usize] = self.events.len() as u32;
        self.events.push(event);
    }
}
