//! What each process did in each phase.

use super::{Events, Phase, Recursion};

/// A phase on a process. Times are ticks since process 1 began the first phase of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traced {
    /// The process, counted from 0.
    pub process: u32,
    /// The phase, counted from 1.
    pub phase: u64,
    pub begin: i64,
    /// When subphase alpha was over.
    pub alpha_end: i64,
    /// When it was over.
    pub end: i64,
    /// A_i + N_i.
    pub updates: u32,
    /// Updates that were thrown away.
    pub discarded: u32,
}

/// Follows an engine from phase to phase.
#[derive(Debug, Default)]
pub(super) struct Tracer {
    phases: u64,
    /// When process 1 began the phase to come.
    now: i64,
    rows: Vec<Traced>,
}

/// What can be followed.
pub(super) trait Followed {
    /// Plays a phase; gives when it began, when alpha was over, when it was over, the updates and those thrown away, by
    /// process, in ticks since process 1 began it.
    fn follow(&mut self, row: impl FnMut(i64, i64, i64, u32, u32)) -> Phase;
    /// Updates and offsets of the last phase, and the mode of the next one.
    fn last(&self) -> (&[u32], &[i64], usize);
}

impl Tracer {
    /// Plays a phase and writes it down.
    pub fn phase(&mut self, engine: &mut impl Followed) -> Phase {
        self.phases += 1;
        let (now, phase, mut process) = (self.now, self.phases, 0);
        let rows = &mut self.rows;
        let played = engine.follow(|begin, alpha_end, end, updates, discarded| {
            let (begin, alpha_end, end) = (now + begin, now + alpha_end, now + end);
            rows.push(Traced { process, phase, begin, alpha_end, end, updates, discarded });
            process += 1;
        });
        self.now += played.ticks as i64;
        played
    }

    /// What was written down.
    pub fn rows(self) -> Vec<Traced> {
        self.rows
    }
}

impl Followed for Recursion {
    fn follow(&mut self, mut row: impl FnMut(i64, i64, i64, u32, u32)) -> Phase {
        let begins = self.offsets().to_vec();
        let phase = self.phase();
        for (process, begin) in begins.into_iter().enumerate() {
            let end = self.offsets()[process] + phase.ticks as i64;
            row(begin, self.alpha_ends()[process], end, self.updates()[process], self.discarded()[process]);
        }
        phase
    }

    fn last(&self) -> (&[u32], &[i64], usize) {
        (self.updates(), self.offsets(), self.mode())
    }
}

impl Followed for Events {
    fn follow(&mut self, mut row: impl FnMut(i64, i64, i64, u32, u32)) -> Phase {
        let phase = self.phase();
        let first = self.times()[0].begin as i64;
        for times in self.times() {
            let since = |time: u64| time as i64 - first;
            row(since(times.begin), since(times.broadcast), since(times.end), times.updates, times.discarded);
        }
        phase
    }

    fn last(&self) -> (&[u32], &[i64], usize) {
        (self.updates(), self.offsets(), self.mode())
    }
}
