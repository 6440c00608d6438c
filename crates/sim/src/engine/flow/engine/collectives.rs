//! Collectives that all enter before any leaves: by formula, and of devices as flows over the links that they use.
//!
//! What a ring of devices sends from one to the next in all its steps is one flow, which begins when all have come and the
//! latency of all steps is over. Alone it takes the time of the formula; beside others it shares their links.

use super::process::Blocked;
use super::{Run, What};
use crate::collective::devices::{DeviceAlgorithm, Part, Stream, costs};
use crate::collective::{Decision, Layout, closed, members, process_of};
use crate::flow::requests::Slot;
use crate::job::Collectives;
use crate::platform::Endpoint;
use runcast_core::Problem;
use std::collections::VecDeque;
use std::sync::Arc;

/// A collective whose bytes flow.
#[derive(Debug)]
pub struct Streaming {
    meeting: u32,
    group: u32,
    algorithm: DeviceAlgorithm,
    layout: Arc<Layout>,
    /// What is left, the present part first.
    parts: VecDeque<Part>,
    /// Flows that have not ended.
    open: u32,
}

/// Flows of collectives are called by their number and this.
const STREAM: u32 = 1 << 31;

/// The collective that a flow belongs to; none: it is a message.
pub fn of_flow(who: u32) -> Option<u32> {
    (who & STREAM != 0).then_some(who & !STREAM)
}

impl Run<'_> {
    /// A process enters a collective.
    pub(super) fn enter(&mut self, own: u32, collective: u32, request: Option<u32>) -> Result<(), Problem> {
        let process = &mut self.processes[own as usize];
        let who = (own, process.cursor.site());
        let (number, all_there) = self.meetings.enter(self.application, who, collective, request, self.now)?;
        match request {
            Some(request) => {
                process.open += 1;
                process.requests.insert(request, Slot::Closed(number));
            }
            None => process.blocked = Blocked::Meets(number),
        }
        if !all_there {
            return Ok(());
        }
        self.counts.collectives += 1;
        if self.begin_streams(number, collective)? {
            return Ok(());
        }
        let seconds = closed(self.application, &self.job, collective)?;
        let at = self.later(self.tick.of(seconds)?)?;
        self.post(at, What::Leave(number));
        Ok(())
    }

    /// All leave a collective; those that do not wait for it leave when they do.
    pub(super) fn leave(&mut self, number: u32) -> Result<(), Problem> {
        let meeting = self.meetings.get(number);
        meeting.is_over = true;
        for (own, _) in std::mem::take(&mut meeting.entered) {
            if self.processes[own as usize].blocked == Blocked::Meets(number) {
                self.account_blocked(own);
                self.meetings.leave(number);
                self.processes[own as usize].blocked = Blocked::No;
                self.ready.push_back(own);
            }
            self.look_at_several(own)?;
        }
        Ok(())
    }

    /// Whether the bytes of a collective flow.
    fn begin_streams(&mut self, meeting: u32, collective: u32) -> Result<bool, Problem> {
        if self.job.collectives != Collectives::Usual {
            return Ok(false);
        }
        let Decision::Devices(algorithm, layout) = self.job.decision(self.application, collective)? else {
            return Ok(false);
        };
        let call = &self.application.collectives[collective as usize];
        if self.job.world.collective(call, members(self.application, call.group))?.is_some() {
            return Ok(false);
        }
        let parts = costs(algorithm, call, &layout, &self.job).parts.into();
        let streaming = Streaming { meeting, group: call.group, algorithm, layout, parts, open: 0 };
        let number = self.streaming.insert(streaming);
        self.begin_part(number)?;
        Ok(true)
    }

    /// The latency of the first part that is left begins; without one the collective is over.
    fn begin_part(&mut self, number: u32) -> Result<(), Problem> {
        let state = &self.streaming[number];
        let Some(part) = state.parts.front() else {
            let meeting = state.meeting;
            self.streaming.remove(number);
            self.leave(meeting)?;
            return Ok(());
        };
        let latency = self.tick.of(part.latency_s)?;
        if latency == 0 {
            return self.stream(number);
        }
        let at = self.later(latency)?;
        self.post(at, What::Part(number));
        Ok(())
    }

    /// The bytes of a part flow.
    pub(super) fn stream(&mut self, number: u32) -> Result<(), Problem> {
        let state = &mut self.streaming[number];
        let Some(part) = state.parts.pop_front() else { return self.begin_part(number) };
        let (layout, algorithm) = (Arc::clone(&state.layout), state.algorithm);
        let (g, m) = (layout.each, layout.machines);
        let is_hierarchy = algorithm == DeviceAlgorithm::Hierarchical;
        for at in 0..layout.count() {
            let (machine, index) = (at / g, at % g);
            // In a machine a hierarchy has a ring of its own.
            if part.inner.bytes > 0.0 && (index + 1 < g || is_hierarchy) {
                self.begin_stream(number, &part.inner, (at, machine * g + (index + 1) % g), 0)?;
            }
            let next = (machine + 1) % m;
            if part.outer.bytes > 0.0 && is_hierarchy {
                self.begin_stream(number, &part.outer, (at, next * g + index), 0)?;
            } else if part.outer.bytes > 0.0 && index + 1 == g {
                self.begin_stream(number, &part.outer, (at, next * g), layout.spread())?;
            }
        }
        if self.streaming[number].open == 0 { self.begin_part(number) } else { Ok(()) }
    }

    /// Bytes flow from one member to another, on each of some rails.
    fn begin_stream(
        &mut self,
        number: u32,
        stream: &Stream,
        (from, to): (u64, u64),
        rails: u64,
    ) -> Result<(), Problem> {
        let (group, layout) = (self.streaming[number].group, &self.streaming[number].layout);
        let end = |at: u64| -> Endpoint {
            let process = process_of(self.application, group, layout.member(at));
            self.processes[process as usize].place.into()
        };
        let (from, to) = (end(from), end(to));
        let lanes = rails.count_ones().max(1);
        let bytes = stream.bytes / f64::from(lanes);
        for lane in 0..lanes {
            let rail = (rails != 0).then(|| nth_bit(rails, lane));
            let way = self.job.platform.way_on(from, to, rail, &mut self.route);
            // As much as takes the time of the formula there.
            let (amount, limit) = match way.bandwidth.is_finite() {
                true => (bytes * stream.per_byte_s * way.bandwidth, f64::INFINITY),
                false => (bytes, 1.0 / stream.per_byte_s),
            };
            if amount <= 0.0 || (self.route.is_empty() && limit.is_infinite()) {
                continue;
            }
            let flow = self.sharing.prepare(&self.route, amount, limit, number | STREAM);
            self.sequence += 1;
            self.sharing.start(self.now, flow, self.sequence, bytes);
            self.streaming[number].open += 1;
        }
        Ok(())
    }

    /// A flow of a collective has ended.
    pub(super) fn stream_ended(&mut self, number: u32) -> Result<(), Problem> {
        self.streaming[number].open -= 1;
        if self.streaming[number].open == 0 { self.begin_part(number) } else { Ok(()) }
    }
}

/// Number of the nth bit that is set.
fn nth_bit(bits: u64, nth: u32) -> u32 {
    let mut left = bits;
    for _ in 0..nth {
        left &= left - 1;
    }
    left.trailing_zeros()
}
