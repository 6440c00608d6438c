//! The document of kind `wavefront-solve`. It is read again by `report`.

use runcast_core::Warning;
use runcast_wavefront::model::{Semantics, Tie};
use runcast_wavefront::solve::growth::OperatorKind;
use runcast_wavefront::solve::sensitivity::Sensitivity;
use runcast_wavefront::solve::solution::{Extremes, Method, Ties};
use runcast_wavefront::solve::time::{Tail, TimeMethod};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The document of kind `wavefront-solve`. What was not asked for is absent, what is undefined is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// `wavefront-solve`
    pub kind: String,
    /// Of the document.
    pub version: u32,
    /// The same in one word.
    pub schema: String,
    /// `exact` or `monte_carlo`.
    pub method: Method,
    /// Why this method.
    pub why: String,
    /// Whether the extremes of N are `exact` or `analytic`.
    pub extremes: Extremes,
    /// What was solved.
    pub model: ModelEntry,
    /// What is known about the states.
    pub states: StatesEntry,
    /// Closed classes that are reached, by decreasing weight.
    pub classes: Vec<ClassEntry>,
    /// E\[Phi\].
    pub phase_mean_s: f64,
    /// Var Phi, on process 1.
    pub phase_var_s2: f64,
    /// E\[N\].
    pub iterations_mean: f64,
    /// Var N.
    pub iterations_var: f64,
    /// Smallest N.
    pub iterations_min: u64,
    /// Largest N.
    pub iterations_max: u64,
    /// Cov(N, Phi).
    pub cov_iterations_phase_s: f64,
    /// E\[N\] under both rules for ties, under abort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations_mean_ties: Option<Ties>,
    /// E\[A_i + N_i\].
    pub updates_mean: Vec<f64>,
    /// E\[N\]/E\[Phi\].
    pub speed_per_s: f64,
    /// omega/L.
    pub phases_needed: Option<f64>,
    /// The spread at a fixed number of phases.
    pub sd_fixed_phases_s: Option<f64>,
    /// Covariances per phase of sums over many phases.
    pub asymptotic: Option<AsymptoticEntry>,
    /// Rates, phases, times and spreads.
    pub estimates: Estimates,
    /// The most probable wavefronts.
    pub wavefront: Vec<WavefrontEntry>,
    /// The law of N.
    pub iterations_pmf: Vec<IterationsEntry>,
    /// The law of Phi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_pmf: Option<Vec<PhaseEntry>>,
    /// The law of the time of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeEntry>,
    /// Degrees of asynchronism side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees: Option<Vec<DegreeEntry>>,
    /// Which of them is best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingEntry>,
    /// What holds a run up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
    /// Intervals of a Monte-Carlo estimate, by field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci: Option<Intervals>,
    /// Seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
}

/// What was solved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelEntry {
    pub name: Option<String>,
    /// How many processes there are.
    pub processes: usize,
    pub process_names: Vec<String>,
    /// Seconds of a tick.
    pub step_s: f64,
    /// Wanted accuracy in decimal digits.
    pub omega: f64,
    /// rho(A).
    pub rho: Option<f64>,
    /// L = -log10 rho(A).
    pub contraction_log10: Option<f64>,
    /// `abort` or `complete`.
    pub semantics: Semantics,
    /// `counts` or `discards`.
    pub tie: Tie,
    /// A of each process.
    #[serde(rename = "A")]
    pub alpha_updates: Vec<u32>,
    /// B of each process.
    #[serde(rename = "B")]
    pub beta_updates: Vec<u32>,
    /// Start offsets against process 1.
    pub x0_ticks: Vec<i64>,
    /// Names of the modes; empty without modes.
    pub modes: Vec<String>,
}

/// What is known about the states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatesEntry {
    /// Upper bound known before solving; null above 2^53.
    pub bound: Option<u64>,
    /// Its decimal logarithm.
    pub bound_log10: f64,
    /// States that are reached from the start.
    pub reachable: Option<u64>,
    /// Those in closed classes.
    pub recurrent: Option<u64>,
    /// Closed classes among them.
    pub closed_classes: Option<u64>,
    /// Least common multiple of the periods.
    pub period: Option<u64>,
    /// States that were solved, after lumping.
    pub solved: Option<u64>,
}

/// A closed class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassEntry {
    /// The probability to end in it.
    pub weight: f64,
    /// States in it.
    pub states: u64,
    pub period: u64,
    /// E\[Phi\] in it.
    pub phase_mean_s: f64,
    /// E\[N\] in it.
    pub iterations_mean: f64,
}

/// Covariances per phase of sums over many phases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AsymptoticEntry {
    /// Of the time.
    pub phase_var_s2: f64,
    /// Of the iterations.
    pub iterations_var: f64,
    /// Of both.
    pub cov_s: f64,
}

/// The estimates by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimates {
    /// By the largest number of iterations.
    pub worst: Estimate,
    /// One contraction a phase.
    pub average: Estimate,
    /// By the smallest number of iterations.
    pub best: Estimate,
    /// By the bound of Baudet.
    pub baudet: Estimate,
    /// By what the operator achieves; only with an operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<OperatorEstimate>,
}

impl Estimates {
    /// All that are there, with their names.
    pub fn named(&self) -> Vec<(&'static str, &Estimate)> {
        let mut named =
            vec![("worst", &self.worst), ("average", &self.average), ("best", &self.best), ("baudet", &self.baudet)];
        named.extend(self.operator.as_ref().map(|operator| ("operator", &operator.estimate)));
        named
    }

    /// Those that say the same, as they do where A = 1 and B = 0, as one.
    pub fn merged(&self) -> Vec<(String, &Estimate)> {
        let mut merged: Vec<(String, &Estimate)> = Vec::new();
        for (name, estimate) in self.named() {
            match merged.last_mut().filter(|(_, last)| last.says_the_same_as(estimate)) {
                Some((names, _)) => names.push_str(&format!(", {name}")),
                None => merged.push((name.to_owned(), estimate)),
            }
        }
        merged
    }

    /// What to go by: the operator's where there is one, else one contraction a phase.
    pub fn to_go_by(&self) -> (&'static str, &Estimate) {
        match &self.operator {
            Some(operator) if operator.estimate.time_s.is_some() => ("operator", &operator.estimate),
            _ => ("average", &self.average),
        }
    }
}

/// A rate and what follows from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Digits per iteration.
    pub rate_per_iteration: Option<f64>,
    /// Digits per phase.
    pub rate_per_phase: Option<f64>,
    /// Phases to the wanted accuracy.
    pub phases: Option<f64>,
    /// Mean time.
    pub time_s: Option<f64>,
    /// Its spread as published.
    pub sd_published_s: Option<f64>,
    /// Its spread with the correlation of phases.
    pub sd_autocov_s: Option<f64>,
}

impl Estimate {
    /// But for rounding.
    fn says_the_same_as(&self, other: &Estimate) -> bool {
        let all = |it: &Estimate| {
            [it.rate_per_iteration, it.rate_per_phase, it.phases, it.time_s, it.sd_published_s, it.sd_autocov_s]
        };
        let same = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs(),
            (a, b) => a == b,
        };
        all(self).into_iter().zip(all(other)).all(same)
    }
}

/// The estimate that knows the operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OperatorEstimate {
    /// What all estimates have.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// `first_moment` or `lyapunov`.
    pub kind: OperatorKind,
    /// The rate of the first moment, which is safe.
    pub bound_rate_per_phase: Option<f64>,
    /// Its interval, where it was sampled.
    pub ci_rate_per_phase: Option<[f64; 2]>,
}

/// A wavefront and how often it is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WavefrontEntry {
    /// Offsets against process 1.
    pub x_ticks: Vec<i64>,
    /// How often.
    pub prob: f64,
    /// The mode; null without modes.
    pub mode: Option<String>,
}

/// A number of iterations and how often it is there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IterationsEntry {
    /// N.
    pub iterations: u64,
    /// How often.
    pub prob: f64,
}

/// A duration of a phase and how often it is there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PhaseEntry {
    /// Phi.
    pub ticks: u64,
    /// How often.
    pub prob: f64,
}

/// The law of the time of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeEntry {
    /// `exact`, `normal` or `monte_carlo`; `level_recursion` or `level_normal` where the processes share a level.
    pub method: TimeMethod,
    /// Phases of the run.
    pub phases: u64,
    pub mean_s: f64,
    /// Its standard deviation.
    pub sd_s: Option<f64>,
    pub quantiles: Vec<QuantileEntry>,
    /// Probabilities to exceed a time.
    pub tails: Vec<Tail>,
    /// Points of its distribution function, for pictures.
    #[serde(default)]
    pub cdf: Vec<CdfEntry>,
    /// The law without the level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseEntry>,
    /// The level, averaged over the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<LevelEntry>,
    /// The law under the level in closed form, as a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level_normal: Option<BaseEntry>,
}

/// The time of a run without the level that the processes share, or with it in closed form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaseEntry {
    /// `exact`, `normal` or `monte_carlo`; `level_normal` for the closed form.
    pub method: TimeMethod,
    pub mean_s: f64,
    pub sd_s: f64,
    pub quantiles: Vec<QuantileEntry>,
}

/// The level of the logarithm of times, averaged over a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LevelEntry {
    pub mean: f64,
    pub sd: f64,
}

/// A quantile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QuantileEntry {
    /// The probability.
    pub q: f64,
    pub time_s: f64,
}

/// A point of a distribution function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CdfEntry {
    pub time_s: f64,
    /// P(T <= time).
    pub probability: f64,
}

/// A degree of asynchronism.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DegreeEntry {
    pub name: String,
    /// A of each process.
    #[serde(rename = "A")]
    pub alpha_updates: Vec<u32>,
    /// B of each process.
    #[serde(rename = "B")]
    pub beta_updates: Vec<u32>,
    /// How it was solved.
    pub method: Method,
    /// E\[Phi\].
    pub phase_mean_s: f64,
    /// E\[N\].
    pub iterations_mean: f64,
    /// All estimates.
    pub estimates: Estimates,
    /// Interval of the time by the operator's estimate, where something was sampled; an end may be open.
    #[serde(default)]
    pub ci_time_s: Option<[Option<f64>; 2]>,
}

/// Which degree is best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankingEntry {
    /// `operator`, or null where nothing justifies a ranking.
    pub by: Option<String>,
    /// Names, best first.
    pub order: Vec<String>,
    /// Times over the best, in this order.
    pub time_ratio: Vec<f64>,
    /// For each place, whether it cannot be distinguished from the one before.
    #[serde(default)]
    pub tied: Vec<bool>,
    /// Why there is no ranking, or what it leaves open.
    pub reason: Option<String>,
}

/// Intervals of a Monte-Carlo estimate, by field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Probability that each holds.
    pub level: f64,
    /// The intervals.
    #[serde(flatten)]
    pub fields: BTreeMap<String, serde_json::Value>,
}

impl Intervals {
    /// Half the width of the interval of a field.
    pub fn half_width(&self, field: &str) -> Option<f64> {
        let ends = self.fields.get(field)?.as_array()?;
        Some(0.5 * (ends.get(1)?.as_f64()? - ends.first()?.as_f64()?))
    }
}
