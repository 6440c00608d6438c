//! How long many phases take: mean, spread, quantiles and the chance of late runs.
//!
//! The law of T_1(K) - T_1(0) is exact where states times durations allow it, by dynamic programming; else normal with the
//! asymptotic variance, or by replications. \[C\] defers the law and rare events; they are ours.

mod law;
mod normal;
mod rate;
mod replications;
mod threshold;
mod tilted;

use crate::model::Model;
use crate::solve::chain::Chain;
use crate::solve::solution::{Moments, Solution};
pub use law::TimeLaw;
use law::time_law;
use rate::RateFunction;
use runcast_core::problem::Warning;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
pub use threshold::Threshold;

/// Multiplications of the dynamic programming that are worth their time: some 10 s.
const MOST_WORK: f64 = 2e10;
/// Numbers it may hold at once.
const MOST_NUMBERS: f64 = 3e7;

/// Correlation times that a run must be long, at least, to have a normal law.
const MANY: f64 = 20.0;

#[derive(Debug, Clone)]
pub struct TimeOptions {
    /// K: phases of a run.
    pub phases: u64,
    /// Levels of the quantiles, from 0 to 1.
    pub quantiles: Vec<f64>,
    /// Which times are late.
    pub thresholds: Vec<Threshold>,
    /// Of the replications, where it comes to them.
    pub seed: u64,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// How the law of the time was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeMethod {
    /// By dynamic programming over states and time.
    Exact,
    /// As a normal law with the asymptotic variance.
    Normal,
    /// By replications of a simulation.
    MonteCarlo,
    /// As a mixture of lognormal laws, of the level that the processes share.
    LevelNormal,
    /// By simulation phase by phase, under paths of that level.
    LevelRecursion,
}

runcast_core::words!(TimeMethod::name: Exact = "exact", Normal = "normal", MonteCarlo = "monte_carlo", LevelNormal = "level_normal", LevelRecursion = "level_recursion");

/// Which law of the time is wanted where processes share a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunLaw {
    /// By simulation where it takes a second or two at most, else in closed form
    #[default]
    Auto,
    /// Phase by phase, under paths of the level
    Recursion,
    /// In closed form: a mixture of lognormal laws
    LevelNormal,
    /// Without the level
    Base,
}

runcast_core::words!(RunLaw::name: Auto = "auto", Recursion = "recursion", LevelNormal = "level-normal", Base = "base");

#[derive(Debug, Clone, PartialEq)]
pub struct TimeEstimate {
    /// How it was found.
    pub method: TimeMethod,
    /// K.
    pub phases: u64,
    /// Mean \[s\].
    pub mean_s: f64,
    /// Standard deviation \[s\].
    pub sd_s: f64,
    /// Level and time \[s\], as asked.
    pub quantiles: Vec<(f64, f64)>,
    /// The chances of late runs, as asked.
    pub tails: Vec<Tail>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// The chance of a run later than a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// The threshold \[s\].
    pub threshold_s: f64,
    /// P(T > threshold).
    pub probability: f64,
    /// Rate per phase at which it falls with the phases; none beyond what can be, or where it is not known.
    pub rate: Option<f64>,
    /// Tilt of the chain under which such runs are typical.
    pub theta_per_tick: Option<f64>,
    /// exp(-phases * rate), 0 beyond what can be.
    pub chernoff: Option<f64>,
}

/// The law of the time of `options.phases` phases on process 1, from the start offsets and the start mode.
///
/// None: it was interrupted.
pub fn estimate(
    model: &Model,
    chain: Option<&Chain>,
    solution: &Solution,
    options: &TimeOptions,
) -> Option<TimeEstimate> {
    let stop = || options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    let mut warnings = Vec::new();
    if let Some(chain) = chain.filter(|chain| affordable(chain, solution, options.phases)) {
        let law = time_law(chain, options.phases, &stop)?;
        let mut answer = by_law(model, &law, TimeMethod::Exact, solution, options);
        let mut rates = RateFunction::new(chain);
        for (tail, threshold) in answer.tails.iter_mut().zip(&options.thresholds) {
            let ticks = threshold.ticks(model.step_s, options.phases, solution.phase.phase_mean);
            let Some(point) = rates.at(ticks / options.phases as f64, &stop) else {
                if stop() {
                    return None;
                }
                warnings.push(Warning::new(
                    "rate_unknown",
                    format!("the chain mixes too slowly for the rate at a threshold of {} s", tail.threshold_s),
                ));
                continue;
            };
            (tail.rate, tail.theta_per_tick) = (point.rate, point.theta);
            tail.chernoff = Some(point.rate.map_or(0.0, |rate| (-(options.phases as f64) * rate).exp()));
            if point.theta.is_none() {
                warnings.push(Warning::new(
                    "threshold_beyond_reach",
                    format!("no run of many phases takes longer than {} s: theta is null", tail.threshold_s),
                ));
            }
        }
        answer.warnings = warnings;
        return Some(answer);
    }
    let why = if chain.is_some() { "the exact law would take too long" } else { "the chain cannot be listed" };
    // Phases that are correlated over a good part of the run do not add up to a normal law.
    let settles = |moments: &Moments| moments.phase_var * MANY <= options.phases as f64 * solution.phase.phase_var;
    let mut answer = match solution.asymptotic.filter(settles) {
        Some(asymptotic) => {
            warnings.push(Warning::new(
                "time_normal",
                format!("the law of the time is approximated as normal, with the asymptotic variance: {why}"),
            ));
            let law = normal::law(options.phases as f64, solution.phase.phase_mean, asymptotic.phase_var.max(0.0));
            by_normal(model, law, solution, options)
        }
        None => {
            let scaled = if options.phases > replications::LONGEST {
                format!(", of {} phases, drawn out to the length that is asked for", replications::LONGEST)
            } else {
                String::new()
            };
            warnings.push(Warning::new(
                "time_monte_carlo",
                format!("the law of the time is that of simulated runs{scaled}: {why}"),
            ));
            let law = replications::law(model, options.phases, options.seed, &stop)?;
            by_law(model, &law, TimeMethod::MonteCarlo, solution, options)
        }
    };
    answer.warnings = warnings;
    Some(answer)
}

/// Whether the dynamic programming is worth its time and memory.
fn affordable(chain: &Chain, solution: &Solution, phases: u64) -> bool {
    let (states, meetings) = (chain.states.len(), chain.meetings.len());
    let leave = (0..states).flat_map(|state| chain.departures(state)).map(|way| way.ticks);
    let come = (0..meetings).flat_map(|meeting| chain.arrivals(meeting)).map(|way| way.ticks as i64);
    let ends = |(least, most): (i64, i64), ticks: i64| (least.min(ticks), most.max(ticks));
    let (least, most) = leave.fold((i64::MAX, 0), ends);
    let (soonest, latest) = come.fold((i64::MAX, 0), ends);
    let range = (most - least + latest - soonest) as f64 + 1.0;
    let phases = phases as f64;
    let variance = solution.asymptotic.map_or(range * range / 4.0, |moments| moments.phase_var.max(0.0));
    // 9 standard deviations hold all but 1e-18 on each side.
    let width = (phases * range).min(18.0 * (phases * variance).sqrt() + 4.0 * range);
    let numbers = (states + meetings) as f64 * width;
    // Rows are made again in each phase, however short they are.
    let rows = 100.0 * (states + meetings) as f64;
    phases * (chain.entries() as f64 * width + rows) <= MOST_WORK
        && numbers + 3.0 * chain.entries() as f64 <= MOST_NUMBERS
}

fn by_law(
    model: &Model,
    law: &TimeLaw,
    method: TimeMethod,
    solution: &Solution,
    options: &TimeOptions,
) -> TimeEstimate {
    let tail = |threshold: &Threshold| {
        let ticks = threshold.ticks(model.step_s, options.phases, solution.phase.phase_mean);
        unrated(ticks * model.step_s, law.above(ticks.floor() as i64))
    };
    TimeEstimate {
        method,
        phases: options.phases,
        mean_s: law.mean() * model.step_s,
        sd_s: law.sd() * model.step_s,
        quantiles: options.quantiles.iter().map(|q| (*q, law.quantile(*q) as f64 * model.step_s)).collect(),
        tails: options.thresholds.iter().map(tail).collect(),
        warnings: Vec::new(),
    }
}

fn by_normal(model: &Model, law: normal::Lattice, solution: &Solution, options: &TimeOptions) -> TimeEstimate {
    let tail = |threshold: &Threshold| {
        let ticks = threshold.ticks(model.step_s, options.phases, solution.phase.phase_mean);
        unrated(ticks * model.step_s, law.above(ticks.floor()))
    };
    TimeEstimate {
        method: TimeMethod::Normal,
        phases: options.phases,
        mean_s: law.mean * model.step_s,
        sd_s: law.sd * model.step_s,
        quantiles: options.quantiles.iter().map(|q| (*q, law.quantile(*q) * model.step_s)).collect(),
        tails: options.thresholds.iter().map(tail).collect(),
        warnings: Vec::new(),
    }
}

fn unrated(threshold_s: f64, probability: f64) -> Tail {
    Tail { threshold_s, probability, rate: None, theta_per_tick: None, chernoff: None }
}

#[cfg(test)]
mod tests;
