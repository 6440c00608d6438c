//! How likely a run is to fail, how long it takes when it does, and how often to save its state.
//!
//! ```text
//! rate Lambda = sum over used components count/mtbf      failure probability = 1 - exp(-Lambda*T)
//! restart from the beginning, downtime D:                E = (1/Lambda + D)*(exp(Lambda*T) - 1)
//! checkpoints of cost C, recovery R, N equal segments:   E(N) = N*exp(Lambda*R)*(1/Lambda + D)*(exp(Lambda*(T/N + C)) - 1)
//! ```
//!
//! Failures are a Poisson process: independent, at a constant rate, also during checkpoints, recovery and downtime but the
//! last. J. T. Daly, *A higher order estimate of the optimum checkpoint interval for restart dumps*, FGCS 22, 2006; J. W.
//! Young, *A first order approximation to the optimum checkpoint interval*, CACM 17, 1974. With D = 0 the last line is Daly's
//! equation for the complete model.
//!
//! Erratum: \[M\] prints no equations for reliability; these are the textbook ones.

mod interval;
mod rates;

pub use interval::{daly, exact, young};
pub use rates::{Rates, rates};

use serde::Serialize;

/// Expectations beyond this, in seconds, are none.
pub const FOREVER_S: f64 = 1e300;

/// The text for an expectation beyond [`FOREVER_S`].
pub const DOES_NOT_FINISH: &str = "does not finish";

/// How the state of a run is saved.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Checkpoint {
    /// Seconds for a checkpoint; 0: the run is not saved, only `downtime` counts.
    pub cost_s: f64,
    /// Seconds to get the state back.
    pub restart_s: f64,
    /// Seconds from a failure to the next start.
    pub downtime_s: f64,
}

/// Chance of failure and expected times of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reliability {
    /// Sum of the rates of all used components; none if none is known.
    pub failure_rate_per_s: Option<f64>,
    /// The chance of at least one failure during the run.
    pub failure_probability: Option<f64>,
    /// Mean time to the end when each failure means to begin again; none: unknown, or it does not finish.
    pub expected_time_s: Option<f64>,
    pub checkpoint: Option<CheckpointPlan>,
    /// The text in place of a missing number.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// How often to save, and the result.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CheckpointPlan {
    /// Seconds for a checkpoint.
    pub cost_s: f64,
    /// Seconds to get the state back.
    pub restart_s: f64,
    /// Seconds from a failure to the next start.
    pub downtime_s: f64,
    /// Young's estimate of the best computing time between checkpoints.
    pub interval_young_s: Option<f64>,
    /// Daly's estimate.
    pub interval_daly_s: Option<f64>,
    pub interval_exact_s: Option<f64>,
    /// The number of equal segments with the least expected time.
    pub segments: Option<f64>,
    /// Computing time of such a segment.
    pub interval_s: Option<f64>,
    /// Mean time to the end with them.
    pub expected_time_s: Option<f64>,
}

/// The chance of at least one failure in a time.
///
/// ```
/// # use runcast_sim::reliability::failure_probability;
/// // 1000 machines of 5 years, 24 h.
/// let rate = 1000.0 / (5.0 * 8760.0);
/// assert!((failure_probability(rate, 24.0) - 0.4218634575).abs() < 1e-10);
/// ```
pub fn failure_probability(rate: f64, time: f64) -> f64 {
    -(-rate * time).exp_m1()
}

/// Mean time to the end when each failure means downtime and a new beginning; infinite beyond what numbers reach.
pub fn expected_restart(rate: f64, downtime: f64, time: f64) -> f64 {
    if rate <= 0.0 { time } else { (1.0 / rate + downtime) * (rate * time).exp_m1() }
}

/// Mean time to the end with this many equal segments, each followed by a checkpoint; infinite beyond what numbers reach.
pub fn expected_with_checkpoints(rate: f64, checkpoint: &Checkpoint, time: f64, segments: f64) -> f64 {
    if rate <= 0.0 {
        return time + segments * checkpoint.cost_s;
    }
    let segment = (rate * (time / segments + checkpoint.cost_s)).exp_m1();
    segments * (rate * checkpoint.restart_s).exp() * (1.0 / rate + checkpoint.downtime_s) * segment
}

/// The number of equal segments with the least expected time. E(N) is convex in N, with its least value at T/tau.
///
/// Above 0 only for costs above 0: otherwise more segments are always better, and there is none.
pub fn best_segments(rate: f64, checkpoint: &Checkpoint, time: f64) -> Option<f64> {
    if checkpoint.cost_s.is_nan() || checkpoint.cost_s <= 0.0 {
        return None;
    }
    if rate <= 0.0 || time <= 0.0 {
        return Some(1.0);
    }
    let continuous = time / exact(rate, checkpoint.cost_s);
    let below = continuous.floor().max(1.0);
    let above = below + 1.0;
    let cost = |segments| expected_with_checkpoints(rate, checkpoint, time, segments);
    Some(if cost(above) < cost(below) { above } else { below })
}

impl Reliability {
    /// Of a run of this many seconds, with components that fail at this rate together; none if no rate is known.
    pub fn of(rate_per_s: Option<f64>, time_s: f64, checkpoint: Option<&Checkpoint>) -> Self {
        let mut notes = Vec::new();
        let mut finite = |seconds: f64, what: &str| {
            if seconds.is_finite() && seconds <= FOREVER_S {
                return Some(seconds);
            }
            notes.push(format!("{what}: {DOES_NOT_FINISH}"));
            None
        };
        let downtime_s = checkpoint.map_or(0.0, |checkpoint| checkpoint.downtime_s);
        let expected_time_s = rate_per_s.and_then(|rate| {
            finite(expected_restart(rate, downtime_s, time_s), "a run that begins again after each failure")
        });
        let plan = checkpoint.filter(|checkpoint| checkpoint.cost_s > 0.0).map(|checkpoint| {
            let known = rate_per_s.filter(|rate| *rate > 0.0);
            let segments = rate_per_s.and_then(|rate| best_segments(rate, checkpoint, time_s));
            let expected_time_s = rate_per_s.zip(segments).and_then(|(rate, segments)| {
                finite(expected_with_checkpoints(rate, checkpoint, time_s, segments), "a run with checkpoints")
            });
            CheckpointPlan {
                cost_s: checkpoint.cost_s,
                restart_s: checkpoint.restart_s,
                downtime_s: checkpoint.downtime_s,
                interval_young_s: known.map(|rate| young(rate, checkpoint.cost_s)),
                interval_daly_s: known.map(|rate| daly(rate, checkpoint.cost_s)),
                interval_exact_s: known.map(|rate| exact(rate, checkpoint.cost_s)),
                segments,
                interval_s: segments.map(|segments| time_s / segments),
                expected_time_s,
            }
        });
        Reliability {
            failure_rate_per_s: rate_per_s,
            failure_probability: rate_per_s.map(|rate| failure_probability(rate, time_s)),
            expected_time_s,
            checkpoint: plan,
            notes,
        }
    }
}

#[cfg(test)]
mod tests;
