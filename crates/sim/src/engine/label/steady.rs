//! Loops that have come to a steady state are not gone through: a billion iterations cost what a few do.
//!
//! The rule: when all that decides what happens next (clocks, events, messages, places in programs; see [`super::state`]) is the
//! same at two ends of iterations, but for a shift of time and for how many iterations are left, then what happened in between
//! happens again. Times are whole ticks, so this is not an approximation. As many periods as fit into all loops that continued are
//! skipped, up to the last iteration of the first one to end. Which states are compared follows Brent: the one of reference is
//! replaced after 1, 2, 4, 8, .. ends of iterations.
//!
//! With noise no two iterations are the same, and nothing is skipped.

use super::classes::Classes;
use super::run::Run;
use super::state::{Change, ClassState, Event, Progress, State, Waits, What};
use super::walk::Turn;
use crate::application::{Application, Op, Site};
use crate::job::Job;
use crate::outcome::{ACTIVITIES, Activity, Interval};
use crate::plain::Order;
use crate::tick::Tick;
use runcast_core::Problem;
use std::cmp::Reverse;

/// Watches the ends of iterations of one class.
#[derive(Debug, Default)]
pub struct Watch {
    enabled: bool,
    /// An iteration of the marker has ended: the depth of the loop, the outermost if several have.
    pub turned: Option<usize>,
    marker: Option<u32>,
    /// How many loops are in one another in a class's program, at most.
    nesting: Vec<u32>,
    /// Ends of iterations of others since the last one of the marker.
    of_others: u32,
    /// For loops by depth.
    depths: Vec<Depth>,
    /// Events from which on it is watched when an observer wants every interval.
    from_event: u64,
}

/// What is compared at the ends of iterations of a loop.
#[derive(Debug, Default)]
struct Depth {
    reference: Option<Box<Reference>>,
    /// Ends of iterations since the reference was taken, and when it is replaced.
    since: u64,
    limit: u64,
}

/// A state to compare with.
#[derive(Debug)]
struct Reference {
    at: Tick,
    relative: State,
    still: State,
    turns: Vec<Vec<Turn>>,
    progress: Progress,
}

/// Events that are played one by one when an observer watches intervals.
const EVENTS_TO_SEE: u64 = 3_000_000;
/// Ends of iterations of other classes before one of them becomes the marker.
const PATIENCE: u32 = 10_000;
/// States with more events and classes are not compared: it would cost more than it saves.
const MOST_TO_COMPARE: usize = 1 << 18;

impl Watch {
    pub fn new(job: &Job<'_>, application: &Application, classes: &Classes, sees: bool) -> Self {
        let mut by_program = std::collections::HashMap::new();
        let nesting: Vec<u32> = classes
            .list
            .iter()
            .map(|class| {
                let ops = &application.programs[class.program as usize].ops;
                *by_program.entry(class.program).or_insert_with(|| nesting(ops))
            })
            .collect();
        Watch {
            enabled: !job.world.is_noisy() && !job.world.has_trace() && nesting.iter().any(|nesting| *nesting > 0),
            nesting,
            from_event: if sees { EVENTS_TO_SEE } else { 0 },
            ..Watch::default()
        }
    }

    /// A class has come to the end of an iteration.
    #[inline]
    pub fn turn(&mut self, class: u32, depth: usize) {
        if !self.enabled {
            return;
        }
        // Inner loops are seen in outer ones: the marker has most of them. One that is busy elsewhere is replaced.
        let nesting = |class: u32| self.nesting[class as usize];
        let marked = self
            .marker
            .is_some_and(|marker| marker == class || nesting(marker) >= nesting(class) && self.of_others < PATIENCE);
        if !marked {
            self.marker = Some(class);
            self.depths.clear();
        }
        if self.marker == Some(class) {
            self.of_others = 0;
            self.turned = Some(self.turned.map_or(depth, |known| known.min(depth)));
        } else {
            self.of_others += 1;
        }
    }

    /// A time to draw at random was asked for: nothing repeats any more.
    pub fn never(&mut self) {
        self.enabled = false;
        self.depths.clear();
    }
}

/// How many loops are in one another.
fn nesting(ops: &[(Op, Site)]) -> u32 {
    let (mut ends, mut most): (Vec<usize>, usize) = (Vec::new(), 0);
    for (at, (op, _)) in ops.iter().enumerate() {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
        }
        if let Op::Repeat { count, len } = op
            && *count > 2
        {
            ends.push(at + 1 + *len as usize);
            most = most.max(ends.len());
        }
    }
    most as u32
}

/// Times as they are seen from now: what is past counts as now where only the future matters.
struct Relative<'a> {
    now: Tick,
    counters: &'a [u32],
    /// Past times as they are: of those who only wait.
    still: bool,
}

impl Change for Relative<'_> {
    fn clock(&mut self, at: &mut Tick) {
        *at = at.saturating_sub(self.now);
    }

    fn exact(&mut self, at: &mut Tick) {
        if !self.still {
            *at = at.wrapping_sub(self.now);
        }
    }

    fn order(&mut self, order: &mut Order, class: u32) {
        order.made = order.made.wrapping_sub(self.now);
        order.counter = order.counter.wrapping_sub(self.counters[class as usize]);
    }
}

/// Later by so much.
struct Later {
    by: Tick,
    overflow: bool,
}

impl Change for Later {
    fn clock(&mut self, at: &mut Tick) {
        match at.checked_add(self.by) {
            Some(later) => *at = later,
            None => self.overflow = true,
        }
    }

    fn exact(&mut self, at: &mut Tick) {
        self.clock(at);
    }

    fn order(&mut self, order: &mut Order, _: u32) {
        self.clock(&mut order.made);
    }
}

impl Run<'_> {
    /// The marker has ended an iteration: compares, and skips what repeats.
    pub fn look(&mut self, depth: usize) -> Result<(), Problem> {
        let Some(marker) = self.watch.marker else { return Ok(()) };
        if self.state.classes[marker as usize].waits == Waits::Ended {
            self.watch.marker = None;
            self.watch.depths.clear();
            return Ok(());
        }
        if self.progress.counts.events < self.watch.from_event
            || self.queue.len() + self.state.classes.len() > MOST_TO_COMPARE
        {
            return Ok(());
        }
        // Inner loops begin again.
        self.watch.depths.truncate(depth);
        self.watch.depths.resize_with(depth, Depth::default);
        let mut watched = std::mem::take(&mut self.watch.depths[depth - 1]);
        watched.since += 1;
        if let Some(reference) = &watched.reference
            && self.same_as(reference, marker)
            && let Some(periods) = self.periods(reference)
        {
            return self.skip(reference, periods);
        }
        if watched.reference.is_none() || watched.since >= watched.limit {
            watched.since = 0;
            watched.limit = (2 * watched.limit).max(1);
            watched.reference = Some(Box::new(Reference {
                at: self.now,
                relative: self.seen(false),
                still: self.seen(true),
                turns: self.state.classes.iter().map(|class| class.walk.turns.clone()).collect(),
                progress: self.progress.clone(),
            }));
        }
        self.watch.depths[depth - 1] = watched;
        Ok(())
    }

    /// The state as seen from now.
    fn seen(&self, still: bool) -> State {
        let mut state = self.state.clone();
        let mut events: Vec<Event> = self.queue.iter().map(|Reverse(event)| *event).collect();
        events.sort_unstable();
        state.events = events;
        state.classes.iter_mut().for_each(|class| class.walk.without_turns());
        state.change(&mut Relative { now: self.now, counters: &self.progress.counters, still });
        state
    }

    /// Whether the state is that of the reference but for a shift of time.
    fn same_as(&self, reference: &Reference, marker: u32) -> bool {
        // The marker alone first: it costs little, and mostly says no.
        let mut own: ClassState = self.state.classes[marker as usize].clone();
        own.walk.without_turns();
        own.change(&mut Relative { now: self.now, counters: &self.progress.counters, still: false });
        if own != reference.relative.classes[marker as usize] || self.queue.len() != reference.relative.events.len() {
            return false;
        }
        let (relative, still) = (self.seen(false), self.seen(true));
        let mut classes = relative.classes.iter().zip(&still.classes);
        let mut before = reference.relative.classes.iter().zip(&reference.still.classes);
        let mut meetings = relative.meetings.iter().zip(&still.meetings);
        let mut meetings_before = reference.relative.meetings.iter().zip(&reference.still.meetings);
        relative.events == reference.relative.events
            && relative.links == reference.relative.links
            && classes.all(|(moved, stood)| before.next().is_some_and(|known| moved == known.0 || stood == known.1))
            && meetings
                .all(|(moved, stood)| meetings_before.next().is_some_and(|known| moved == known.0 || stood == known.1))
    }

    /// How many periods fit into all loops that continued since the reference. None: some loop ended in between.
    fn periods(&self, reference: &Reference) -> Option<u64> {
        let mut periods = u64::MAX;
        for (class, before) in self.state.classes.iter().zip(&reference.turns) {
            let mut went_on = false;
            for (now, before) in class.walk.turns.iter().zip(before) {
                let since = before.left.checked_sub(now.left);
                match since {
                    Some(0) => {}
                    // An inner loop that is elsewhere in another iteration of an outer one.
                    _ if went_on => return None,
                    None => return None,
                    Some(since) => {
                        went_on = true;
                        periods = periods.min((now.left - 1) / since);
                    }
                }
            }
        }
        // Without anything that continues there is nothing to skip.
        (periods != u64::MAX).then_some(periods)
    }

    /// Skips this many periods.
    fn skip(&mut self, reference: &Reference, periods: u64) -> Result<(), Problem> {
        if periods == 0 {
            return Ok(());
        }
        let period = self.now - reference.at;
        let by = period.checked_mul(periods).ok_or_else(|| self.job.tick.overflow())?;
        let until = self.job.tick.add(self.now, by)?;
        for (class, before) in self.state.classes.iter_mut().zip(&reference.turns) {
            for (now, before) in class.walk.turns.iter_mut().zip(before) {
                now.left -= (before.left - now.left) * periods;
            }
        }
        let mut overflow = false;
        for class in 0..self.state.classes.len() {
            if self.progress.counters[class] == reference.progress.counters[class] {
                // It has ended, or only waits: what it knows of times is past.
                continue;
            }
            self.report_skipped(class as u32, &reference.progress, periods, by);
            let mut later = Later { by, overflow: false };
            self.state.classes[class].change(&mut later);
            overflow |= later.overflow;
        }
        let mut later = Later { by, overflow: false };
        for (number, meeting) in self.state.meetings.iter_mut().enumerate() {
            let mut still = meeting.clone();
            still.change(&mut Relative { now: self.now, counters: &self.progress.counters, still: true });
            // No member came or went, and the times of those who came stay as they are.
            if still != reference.still.meetings[number] {
                meeting.change(&mut later);
            }
        }
        self.state.links.iter_mut().for_each(|link| link.change(&mut later));
        overflow |= later.overflow;
        let mut events = std::mem::take(&mut self.queue).into_vec();
        for Reverse(event) in &mut events {
            event.at = event.at.saturating_add(by);
            later.order(&mut event.order, event.made_by);
            if let What::Arrive(message) = &mut event.what {
                message.change(&mut later);
            }
        }
        if overflow || later.overflow {
            return Err(self.job.tick.overflow());
        }
        self.queue = events.into();
        self.now = until;
        self.progress.repeat(&reference.progress, periods);
        Ok(())
    }

    /// An observer gets what was skipped in sum: how much of each activity, one after the other.
    fn report_skipped(&mut self, class: u32, before: &Progress, periods: u64, by: Tick) {
        let (sums, old) = (&self.progress.sums[class as usize], &before.sums[class as usize]);
        let state = &self.state.classes[class as usize];
        let mut from = state.ledger.settled_to();
        let until = from.saturating_add(by);
        for (at, activity) in ACTIVITY.iter().enumerate() {
            let ticks = (sums.ticks[at] - old.ticks[at]) * u128::from(periods);
            let to = from.saturating_add(u64::try_from(ticks).unwrap_or(Tick::MAX)).min(until);
            if to > from {
                let collective = *activity == Activity::Collective;
                let interval = Interval {
                    activity: *activity,
                    collective,
                    from,
                    to,
                    site: state.site,
                    phase: sums.phase,
                    cause: None,
                };
                self.observer
                    .interval(u32::try_from(self.classes.list[class as usize].process).unwrap_or(u32::MAX), interval);
                from = to;
            }
        }
    }
}

/// Activities in their order.
const ACTIVITY: [Activity; ACTIVITIES] =
    [Activity::Compute, Activity::Overhead, Activity::Transfer, Activity::Wait, Activity::Collective, Activity::Io];
