//! The answers about one phase in the long run, by whatever method. Times are in ticks.

use crate::model::Tie;
use serde::{Deserialize, Serialize};

/// What is known about the phases of a model in the long run.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// How it was found.
    pub method: Method,
    /// Whether the extremes of the iterations are those of recurrent transitions, or bounds.
    pub extremes: Extremes,
    /// What is known about the states of the chain.
    pub states: States,
    /// Closed classes that are reached, by decreasing weight; none by Monte-Carlo.
    pub classes: Vec<Class>,
    /// Moments of N (iterations of a phase) and Phi (its duration on process 1) in one stationary phase.
    pub phase: Moments,
    /// Smallest N of a recurrent transition.
    pub iterations_min: u64,
    /// Largest N of a recurrent transition.
    pub iterations_max: u64,
    /// E\[N\] under both rules for ties, under abort.
    pub ties: Option<Ties>,
    /// E\[A_i + N_i\] of each process.
    pub updates_mean: Vec<f64>,
    /// Covariances per phase of sums over many phases; the means are those of `phase`. Undefined with several classes.
    pub asymptotic: Option<Moments>,
    /// The stationary law over pairs of mode and wavefront, by decreasing probability (then by offsets), not lumped.
    pub wavefront: Vec<Wavefront>,
    /// The law of N, ascending.
    pub iterations_pmf: Vec<(u64, f64)>,
    /// The law of Phi, ascending, where it was asked for.
    pub phase_pmf: Option<Vec<(u64, f64)>>,
    /// Half-widths of the 95 % intervals of a Monte-Carlo estimate.
    pub half_widths: Option<HalfWidths>,
}

/// How a solution was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// From the chain itself.
    Exact,
    /// From independent replications of a simulation.
    MonteCarlo,
}

/// What the extremes of N are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extremes {
    /// Those of transitions between recurrent states.
    Exact,
    /// max A_i and max (A_i + B_i).
    Analytic,
}

/// What is known about the states.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct States {
    /// Upper bound known before solving; infinite where it overflows.
    pub bound: f64,
    /// Its decimal logarithm, which does not overflow.
    pub bound_log10: f64,
    /// States (pairs of mode and wavefront) that are reached from the start.
    pub reachable: Option<u64>,
    /// Those in closed classes.
    pub recurrent: Option<u64>,
    /// Closed classes among them.
    pub closed_classes: Option<u64>,
    /// Least common multiple of the periods of the classes.
    pub period: Option<u64>,
    /// States that were solved, after lumping.
    pub solved: Option<u64>,
}

/// A closed class of states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    /// The probability to end in it.
    pub weight: f64,
    /// States in it, not lumped.
    pub states: u64,
    pub period: u64,
    /// E\[Phi\] in it, in ticks.
    pub phase_mean: f64,
    /// E\[N\] in it.
    pub iterations_mean: f64,
}

/// Means, variances and the covariance of N and Phi.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// E\[Phi\], in ticks.
    pub phase_mean: f64,
    /// Var Phi, in ticks squared.
    pub phase_var: f64,
    /// E\[N\].
    pub iterations_mean: f64,
    /// Var N.
    pub iterations_var: f64,
    /// Cov(N, Phi), in ticks.
    pub cov: f64,
}

/// E\[N\] where an update that ends with the last message counts, and where it does not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ties {
    pub counts: f64,
    /// It does not.
    pub discards: f64,
}

impl Ties {
    /// Of the mean under a rule, and that under the other one.
    pub fn of(rule: Tie, own: f64, other: f64) -> Ties {
        match rule {
            Tie::Counts => Ties { counts: own, discards: other },
            Tie::Discards => Ties { counts: other, discards: own },
        }
    }
}

/// Where the processes are at the start of a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Wavefront {
    /// The mode of the phase that starts.
    pub mode: usize,
    /// Offsets against process 1, in ticks; the first is 0.
    pub offsets: Vec<i64>,
    /// How often it is so.
    pub probability: f64,
}

impl Wavefront {
    /// By decreasing probability, then by offsets and mode.
    pub(crate) fn sort(all: &mut [Wavefront]) {
        all.sort_by(|a, b| {
            let by_state = || (&a.offsets, a.mode).cmp(&(&b.offsets, b.mode));
            b.probability.total_cmp(&a.probability).then_with(by_state)
        });
    }
}

/// Half-widths of 95 % intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfWidths {
    /// Of the moments of one phase.
    pub phase: Moments,
    /// Of the asymptotic ones (their means are not looked at).
    pub asymptotic: Moments,
    /// Of E\[A_i + N_i\].
    pub updates_mean: Vec<f64>,
    /// Phases that were simulated, in all replications.
    pub phases: u64,
}
