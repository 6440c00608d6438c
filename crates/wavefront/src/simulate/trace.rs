//! What each process did in each phase.

use super::{Engine, Phase};

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

impl Tracer {
    /// Plays a phase and writes it down.
    pub fn phase(&mut self, engine: &mut impl Engine) -> Phase {
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
