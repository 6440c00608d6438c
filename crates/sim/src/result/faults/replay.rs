//! One replay: the faults of all that is used, drawn over the time of applications that were simulated once.

use super::Segments;
use crate::noise::exponential;
use crate::reliability::Checkpoint;
use runcast_core::random::SplitMix;

/// An application as it was simulated, without faults.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    pub start_s: f64,
    pub segments: Segments,
}

/// What fails, and whom it stops.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub rate_per_s: f64,
    /// Applications that use it, by number.
    pub apps: Vec<usize>,
}

/// What a replay comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Replayed {
    /// Faults that stopped an application.
    pub count: u64,
    /// Seconds of work that they made void.
    pub lost_s: f64,
    /// End of the last application.
    pub end_s: f64,
}

/// An application on its way.
struct State {
    /// When it last began or will begin: its start, or the end of a downtime.
    from_s: f64,
    /// Seconds of restart after that.
    restart_s: f64,
    /// What is left, from the last finished checkpoint.
    left: Segments,
}

impl State {
    fn end_s(&self, checkpoint: &Checkpoint) -> f64 {
        self.from_s + self.restart_s + self.left.smooth_s(checkpoint)
    }

    /// Stops at a time; gives what is lost.
    fn stop(&mut self, at_s: f64, checkpoint: &Checkpoint) -> f64 {
        let lost_s = self.left.stop(at_s - self.from_s - self.restart_s, checkpoint);
        self.from_s = at_s + checkpoint.downtime_s;
        self.restart_s = checkpoint.restart_s;
        lost_s
    }
}

/// Replays applications with faults of these sources.
pub fn replay(apps: &[Played], sources: &[Source], checkpoint: &Checkpoint, random: &mut SplitMix) -> Replayed {
    let begin = |app: &Played| State { from_s: app.start_s, restart_s: 0.0, left: app.segments };
    let mut states: Vec<State> = apps.iter().map(begin).collect();
    let rate: f64 = sources.iter().map(|source| source.rate_per_s).sum();
    let mut replayed = Replayed::default();
    let mut now = 0.0_f64;
    loop {
        let mut end_s = 0.0_f64;
        let mut running_s = f64::INFINITY;
        for state in &states {
            let end = state.end_s(checkpoint);
            end_s = end_s.max(end);
            if end > now {
                running_s = running_s.min(state.from_s);
            }
        }
        replayed.end_s = end_s;
        if rate <= 0.0 || end_s <= now {
            return replayed;
        }
        // While nobody runs, nothing that is used can fail.
        now = now.max(running_s) + exponential(random) / rate;
        if now >= end_s {
            return replayed;
        }
        let mut drawn = if sources.len() > 1 { random.uniform() * rate } else { 0.0 };
        let hit = sources.iter().find(|source| {
            drawn -= source.rate_per_s;
            drawn < 0.0
        });
        for &app in hit.or(sources.last()).map_or(&[][..], |source| &source.apps) {
            let state = &mut states[app];
            if now >= state.from_s && now < state.end_s(checkpoint) {
                replayed.count += 1;
                replayed.lost_s += state.stop(now, checkpoint);
            }
        }
    }
}
