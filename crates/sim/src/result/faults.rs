//! Faults during a run: what they cost, replayed many times over one simulation of the applications.
//!
//! ```text
//! what an application uses fails at the rate Lambda while it runs; a fault voids all since the last finished checkpoint;
//! then the downtime D, in which nothing fails, and the restart R, in which a fault costs both again
//! a segment of computing s, ended by a checkpoint of cost C:
//!   faults  exp(Lambda*R)*(exp(Lambda*(s + C)) - 1)          time  faults*(1/Lambda + D)
//! ```
//!
//! These are the means; N equal segments give E(N) of [`crate::reliability`]. Faults are a Poisson process: no draw depends on
//! what came before, so a replay draws faults alone, however many segments lie between them.

mod read;
mod replay;

pub use read::{read, written};
pub use replay::{Played, Replayed, Source, replay};

use crate::reliability::{Checkpoint, best_segments};
use serde::Serialize;

/// How an application saves its state, and how often.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Faults {
    /// What checkpoints, restarts and downtime take.
    pub checkpoint: Checkpoint,
    pub rhythm: Rhythm,
}

/// When checkpoints are made.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Rhythm {
    /// As often as makes the expected time least; never if a checkpoint costs nothing, which says that there is none.
    #[default]
    Best,
    /// After this many seconds of computing, and at the end.
    Interval(f64),
    /// At the end of each of so many equal parts.
    Segments(u64),
}

/// The parts of an application between checkpoints, in seconds of computing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segments {
    pub each_s: f64,
    /// How many of these there are.
    pub full: f64,
    /// A shorter one at the end; 0: there is none.
    pub rest_s: f64,
}

/// Means of an application with faults.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Expected {
    /// Seconds from its start to its end.
    pub time_s: f64,
    /// Faults.
    pub count: f64,
}

/// Means over replays: a field of the document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct FaultsResult {
    /// Faults that ended an application, all applications together.
    pub count_mean: Option<f64>,
    /// Seconds of work that faults made void: computing and checkpoints since the last finished checkpoint.
    pub lost_s_mean: Option<f64>,
    /// From 0 to the end of the last application; none: it does not finish.
    pub time_s: Option<f64>,
    /// Lower end of the interval; none below 10 replays.
    pub time_low_s: Option<f64>,
    pub time_high_s: Option<f64>,
    /// Replays of the simulation.
    pub replays: u64,
}

impl Segments {
    /// Those of this many seconds of computing.
    pub fn of(time_s: f64, rate: f64, faults: &Faults) -> Segments {
        let equal = |count: f64| Segments { each_s: time_s / count, full: count, rest_s: 0.0 };
        match faults.rhythm {
            Rhythm::Segments(count) => equal(count.max(1) as f64),
            Rhythm::Best => equal(best_segments(rate, &faults.checkpoint, time_s).unwrap_or(1.0)),
            Rhythm::Interval(each_s) => {
                let full = (time_s / each_s * (1.0 + 1e-12)).floor();
                let rest_s = (time_s - full * each_s).max(0.0);
                // What rounding leaves is no segment.
                let rest_s = if full > 0.0 && rest_s <= 1e-9 * each_s { 0.0 } else { rest_s };
                Segments { each_s, full, rest_s }
            }
        }
    }

    /// Seconds without any fault.
    pub fn smooth_s(&self, checkpoint: &Checkpoint) -> f64 {
        self.full * (self.each_s + checkpoint.cost_s) + self.last_s(checkpoint)
    }

    /// Seconds of computing.
    pub fn work_s(&self) -> f64 {
        self.full * self.each_s + self.rest_s
    }

    /// Leaves what follows the last checkpoint of this many seconds of computing and checkpoints; gives the seconds that are
    /// void.
    pub fn stop(&mut self, worked_s: f64, checkpoint: &Checkpoint) -> f64 {
        if worked_s <= 0.0 {
            return 0.0;
        }
        let one_s = self.each_s + checkpoint.cost_s;
        let done = if one_s > 0.0 { (worked_s / one_s).floor().min(self.full) } else { self.full };
        self.full -= done;
        (worked_s - done * one_s).max(0.0)
    }

    /// Seconds of the shorter segment, with its checkpoint.
    fn last_s(&self, checkpoint: &Checkpoint) -> f64 {
        if self.rest_s > 0.0 { self.rest_s + checkpoint.cost_s } else { 0.0 }
    }

    /// Means with faults at a rate; infinite beyond what numbers reach.
    pub fn expected(&self, rate: f64, checkpoint: &Checkpoint) -> Expected {
        if rate <= 0.0 {
            return Expected { time_s: self.smooth_s(checkpoint), count: 0.0 };
        }
        let of = |seconds: f64| (rate * checkpoint.restart_s).exp() * (rate * seconds).exp_m1();
        let last_s = self.last_s(checkpoint);
        let full = if self.full > 0.0 { self.full * of(self.each_s + checkpoint.cost_s) } else { 0.0 };
        let count = full + if last_s > 0.0 { of(last_s) } else { 0.0 };
        Expected { time_s: count * (1.0 / rate + checkpoint.downtime_s), count }
    }
}

#[cfg(test)]
mod tests;
