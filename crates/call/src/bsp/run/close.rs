//! The end of a superstep: who waits for whom, and the cost of messages: (2), (4).

use super::super::prepare::{BlockCode, ME, RANK, StepCode, TaskCode};
use super::super::program::Synchronization;
use super::frame::Frame;
use super::record::Record;
use super::scope::{Evaluator, Once};
use super::traffic::{Sending, Traffic};
use super::{Clocks, RawCosts};
use runcast_core::Problem;

/// Ends supersteps, in buffers that are used again.
#[derive(Debug)]
pub(super) struct Closer {
    traffic: Traffic,
    /// By processor of the machine, in OBSP*: when the last processor it waits for is done, which one that is, and h.
    latest: Vec<f64>,
    last: Vec<u32>,
    h_bytes: Vec<f64>,
}

/// The superstep that ends.
pub(super) struct Closing<'c> {
    pub evaluator: &'c Evaluator<'c>,
    pub task: &'c TaskCode,
    pub code: &'c StepCode,
    pub raw: Option<&'c RawCosts>,
}

/// The last of some processors to be done: when, and which one.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub at: f64,
    pub who: u32,
}

impl Closer {
    pub(super) fn new(messages: u64) -> Self {
        Closer { traffic: Traffic::new(messages), latest: Vec::new(), last: Vec::new(), h_bytes: Vec::new() }
    }

    pub(super) fn close(
        &mut self,
        step: &Closing<'_>,
        frame: &mut Frame,
        clocks: &mut Clocks,
        record: Option<&mut Record>,
    ) -> Result<(), Box<Problem>> {
        let range = frame.range();
        let all = Last::of(&clocks.bsp[range.clone()]);
        let all_raw = clocks.raw.get(range.clone()).map(Last::of);
        let Some(block) = step.code.block.as_ref().filter(|_| step.code.synchronization != Synchronization::None)
        else {
            // BSP: a barrier that costs nothing.
            if let Some(record) = record {
                record.close_silently(frame, clocks, all);
            }
            clocks.bsp[range.clone()].fill(all.at);
            if let Some(all) = all_raw {
                clocks.raw[range].fill(all.at);
            }
            return Ok(());
        };
        let mut sending = Sending { evaluator: step.evaluator, task: step.task, frame, duplex: block.duplex };
        self.traffic.gather(&step.code.traffic, step.code.expect.as_ref(), &mut sending)?;
        let largest = self.traffic.bytes.iter().copied().fold(0.0, f64::max);
        match step.code.synchronization {
            Synchronization::Barrier => self.wait_for_all(&clocks.obsp[range.clone()], largest),
            _ => self.wait_for_senders(&clocks.obsp[range.clone()]),
        }
        let mut costs = Costs::new(block);
        let mut record = record;
        if let Some(record) = &mut record {
            record.before_closing(frame);
        }
        for (me, rank) in range.enumerate() {
            (frame.values[ME], frame.values[RANK]) = (me as f64, rank as f64);
            let (gap, latency) = costs.of(step, &mut frame.values)?;
            let comm = gap * self.h_bytes[me] + latency;
            let ready = clocks.obsp[rank];
            let (from, from_bsp) = (self.latest[me], all.at);
            let done = from + comm;
            let done_bsp = from_bsp + (gap * largest + latency);
            if !done.is_finite() || !done_bsp.is_finite() {
                return Err(step.evaluator.too_large(Some(&block.latency), &frame.values));
            }
            clocks.wait[rank] += from - ready;
            clocks.comm[rank] += comm;
            if let Some(record) = &mut record {
                let last = Last { at: from, who: self.last[me] };
                let of_bsp = Last { at: from_bsp, who: if clocks.bsp[rank] == all.at { me as u32 } else { all.who } };
                record.close(frame, me, ready, (last, done), (of_bsp, done_bsp), self.h_bytes[me]);
            }
            clocks.obsp[rank] = done;
            clocks.bsp[rank] = done_bsp;
            if let (Some(raw), Some(all)) = (step.raw, all_raw) {
                let done = all.at + (raw.gap * largest + raw.latency);
                if !done.is_finite() {
                    return Err(step.evaluator.too_large(Some(&block.latency), &frame.values));
                }
                clocks.raw[rank] = done;
            }
        }
        Ok(())
    }

    fn wait_for_all(&mut self, ready: &[f64], largest: f64) {
        let all = Last::of(ready);
        self.latest.clear();
        self.latest.resize(ready.len(), all.at);
        self.h_bytes.clear();
        self.h_bytes.resize(ready.len(), largest);
        self.last.clear();
        self.last.extend(ready.iter().zip(0u32..).map(|(at, me)| if *at == all.at { me } else { all.who }));
    }

    fn wait_for_senders(&mut self, ready: &[f64]) {
        self.latest.clear();
        self.latest.extend_from_slice(ready);
        self.last.clear();
        self.last.extend(0..ready.len() as u32);
        self.h_bytes.clear();
        self.h_bytes.extend_from_slice(&self.traffic.bytes);
        let (is_h, bytes) = (self.traffic.is_h, &self.traffic.bytes);
        let mut wait = |from: u32, to: usize, value: f64, at: f64| {
            if at > self.latest[to] {
                (self.latest[to], self.last[to]) = (at, from);
            } else if at == self.latest[to] && self.last[to] as usize != to && from < self.last[to] {
                self.last[to] = from;
            }
            if !is_h {
                self.h_bytes[to] = self.h_bytes[to].max(value);
            }
        };
        for &(from, to) in &self.traffic.pairs {
            wait(from, to as usize, bytes[from as usize], ready[from as usize]);
        }
        // All wait for a processor that sends to all, itself included.
        let mut first: Option<Last> = None;
        let mut most = 0.0f64;
        for &from in &self.traffic.to_all {
            let at = ready[from as usize];
            most = most.max(bytes[from as usize]);
            if first.is_none_or(|first| at > first.at || (at == first.at && from < first.who)) {
                first = Some(Last { at, who: from });
            }
        }
        if let Some(first) = first {
            for to in 0..ready.len() {
                wait(first.who, to, most, first.at);
            }
        }
    }
}

impl Last {
    /// The lowest of those that are done last.
    fn of(ready: &[f64]) -> Self {
        let mut last = Last { at: ready.first().copied().unwrap_or(0.0), who: 0 };
        for (&at, who) in ready.iter().zip(0u32..) {
            if at > last.at {
                last = Last { at, who };
            }
        }
        last
    }
}

/// g and L of each processor.
struct Costs<'c> {
    gap: Once<'c>,
    is_bandwidth: bool,
    latency: Once<'c>,
}

impl<'c> Costs<'c> {
    fn new(block: &'c BlockCode) -> Self {
        Costs { gap: Once::new(&block.gap), is_bandwidth: block.is_bandwidth, latency: Once::new(&block.latency) }
    }

    fn of(&mut self, step: &Closing<'_>, values: &mut [f64]) -> Result<(f64, f64), Box<Problem>> {
        let (evaluator, task) = (step.evaluator, step.task);
        let latency = evaluator.at_least_zero(task, &mut self.latency, values, "a time of 0 or more")?;
        let gap = evaluator.at_least_zero(task, &mut self.gap, values, "a time per byte of 0 or more")?;
        if !self.is_bandwidth {
            return Ok((gap, latency));
        }
        let inverse = 1.0 / gap;
        if inverse.is_finite() {
            return Ok((inverse, latency));
        }
        Err(evaluator.trouble(self.gap.cell, gap, values, "a bandwidth above 0"))
    }
}
