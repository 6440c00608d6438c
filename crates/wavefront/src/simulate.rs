//! Phases played by random numbers: by the recursion of the model, fast, and event by event, sharing only the draws.
//!
//! Whatever is random comes from streams of [`SplitMix`](runcast_core::random::SplitMix), one for each independent
//! replication, so that the number of threads changes nothing.

mod alias;
mod batches;
mod converge;
mod events;
mod monte_carlo;
mod recursion;
mod slowed;
mod small;
mod summary;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod trace;
mod wavefronts;

pub use converge::{ConvergeOptions, Converged, converge};
pub use events::Events;
pub use monte_carlo::{Beginning, MonteCarloOptions, Simulated, monte_carlo, simulate};
pub use recursion::Recursion;
pub use slowed::RunTimes;
pub use tables::Tables;
pub use trace::Traced;

/// What one phase was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// Phi: its duration on process 1, in ticks.
    pub ticks: u64,
    /// N: the most updates of a process, under the model's rule for ties.
    pub iterations: u32,
    /// The same under the other rule; equal to `iterations` where ties mean nothing.
    pub iterations_other: u32,
}

/// What plays phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// The formulas of the model: millions of phases per second
    Recursion,
    /// A queue of events, every process a machine: slower, and independent of the formulas
    Events,
}

runcast_core::words!(EngineKind::name: Recursion = "recursion", Events = "events");

/// What plays phases.
trait Engine {
    /// Plays the next phase.
    fn phase(&mut self) -> Phase;
    /// Updates and offsets of the last phase, and the mode of the next one.
    fn last(&self) -> (&[u32], &[i64], usize);
    /// Plays a phase; gives when it began, when alpha was over, when it was over, the updates and those thrown away, by
    /// process, in ticks since process 1 began it.
    fn follow(&mut self, row: impl FnMut(i64, i64, i64, u32, u32)) -> Phase;

    /// Plays phases and shows each to `see`.
    fn play(&mut self, phases: u64, mut see: impl See) {
        for _ in 0..phases {
            let phase = self.phase();
            let (updates, offsets, mode) = self.last();
            see.see(phase, updates, offsets, mode);
        }
    }
}

/// What looks at phases.
trait See {
    /// A phase, with the updates and the offsets at its end and the mode of the next one.
    fn see(&mut self, phase: Phase, updates: &[u32], offsets: &[i64], mode: usize);
}

/// Anything that takes these.
struct Each<F>(F);

impl<F: FnMut(Phase, &[u32], &[i64], usize)> See for Each<F> {
    #[inline(always)]
    fn see(&mut self, phase: Phase, updates: &[u32], offsets: &[i64], mode: usize) {
        (self.0)(phase, updates, offsets, mode);
    }
}

/// Looks away.
struct Ignore;

impl See for Ignore {
    #[inline(always)]
    fn see(&mut self, _: Phase, _: &[u32], _: &[i64], _: usize) {}
}
