//! The document of kind `wavefront-simulate`.

use super::SimulateArgs;
use super::play::Played;
use crate::wavefront::solve::Shown;
use crate::wavefront::solve::answer::{self, finite};
use crate::wavefront::solve::document::{
    AsymptoticEntry, Intervals, IterationsEntry, ModelEntry, QuantileEntry, WavefrontEntry,
};
use runcast_core::Warning;
use runcast_core::statistics::{mean, sample_variance};
use runcast_wavefront::Model;
use runcast_wavefront::model::Read;
use runcast_wavefront::simulate::{Converged, Simulated};
use runcast_wavefront::solve::solution::Ties;
use serde::Serialize;

/// Quantiles reported for the time of a run.
const QUANTILES: [f64; 4] = [0.05, 0.5, 0.95, 0.99];
/// Wavefronts reported at most.
const WAVEFRONTS: usize = 20;

/// The document of kind `wavefront-simulate`. What was not asked for is absent, what is undefined is null.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    /// What played the phases.
    pub engine: &'static str,
    /// Phases; with `--repetitions`, of each run.
    pub phases: u64,
    /// Runs from the start of the model; 1 without `--repetitions`.
    pub runs: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// What was simulated.
    pub model: ModelEntry,
    /// Independent replications that count.
    pub replications: u64,
    /// Phases of each that do not count.
    pub warm_up_phases: u64,
    /// E\[Phi\].
    pub phase_mean_s: f64,
    /// Its standard error.
    pub phase_mean_se_s: Option<f64>,
    /// Var Phi, on process 1.
    pub phase_var_s2: f64,
    /// E\[N\].
    pub iterations_mean: f64,
    /// Its standard error.
    pub iterations_mean_se: Option<f64>,
    /// Var N.
    pub iterations_var: f64,
    /// Cov(N, Phi).
    pub cov_iterations_phase_s: f64,
    /// E\[N\] under both rules for ties, under abort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations_mean_ties: Option<Ties>,
    /// Covariances per phase of sums over many phases.
    pub asymptotic: Option<AsymptoticEntry>,
    /// E\[A_i + N_i\].
    pub updates_mean: Vec<f64>,
    /// The most frequent wavefronts.
    pub wavefront: Vec<WavefrontEntry>,
    /// The law of N.
    pub iterations_pmf: Vec<IterationsEntry>,
    /// How fast it was.
    pub phases_per_s: f64,
    /// The times of runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeEntry>,
    /// How fast the error falls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converge: Option<ConvergeEntry>,
    /// Intervals, by field; null where there is one replication of one phase.
    pub ci: Option<Intervals>,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
}

/// The times of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeEntry {
    /// Phases of a run.
    pub phases: u64,
    pub mean_s: f64,
    /// The standard deviation; null for one run.
    pub sd_s: Option<f64>,
    /// Times that a share of the runs does not exceed.
    pub quantiles: Vec<QuantileEntry>,
    /// The same without the level that the processes share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Box<TimeEntry>>,
}

/// How fast the error falls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConvergeEntry {
    /// Runs to the wanted accuracy.
    pub runs: u64,
    /// Those that came so far.
    pub converged: u64,
    /// Digits an iteration.
    pub rate_per_iteration: Option<f64>,
    /// Digits a phase.
    pub rate_per_phase: Option<f64>,
    /// Mean time to the wanted accuracy; null where a run did not come so far.
    pub time_mean_s: Option<f64>,
    /// Its standard deviation.
    pub time_sd_s: Option<f64>,
}

impl Document {
    /// What a simulation gave.
    pub(super) fn new(args: &SimulateArgs, read: &Read, played: &Played) -> Document {
        let (model, simulated) = (&read.model, &played.simulated);
        let (solution, step_s) = (&simulated.solution, model.step_s);
        let moments = &solution.phase;
        let converge = played.converged.as_ref().map(|converged| converge(converged, step_s));
        Document {
            kind: "wavefront-simulate",
            version: 1,
            engine: args.engine.name(),
            phases: args.phases,
            runs: args.runs.unwrap_or(1),
            seed: args.seed.seed,
            model: answer::model(model),
            replications: simulated.replications,
            warm_up_phases: simulated.warm_up,
            phase_mean_s: step_s * moments.phase_mean,
            phase_mean_se_s: simulated.errors.and_then(|(error, _)| finite(step_s * error)),
            phase_var_s2: step_s * step_s * moments.phase_var,
            iterations_mean: moments.iterations_mean,
            iterations_mean_se: simulated.errors.and_then(|(_, error)| finite(error)),
            iterations_var: moments.iterations_var,
            cov_iterations_phase_s: step_s * moments.cov,
            iterations_mean_ties: solution.ties,
            asymptotic: answer::asymptotic(solution, step_s),
            updates_mean: solution.updates_mean.clone(),
            wavefront: answer::wavefronts(model, solution, Shown::Most(WAVEFRONTS)),
            iterations_pmf: answer::iterations(solution),
            phases_per_s: played.phases_per_s.round(),
            time: args.runs.and_then(|_| {
                let base: Vec<f64> = simulated.totals.iter().map(|ticks| step_s * *ticks as f64).collect();
                let base = time(args.phases, base);
                match (&played.under_level_s, &model.level) {
                    (Some(times_s), _) => {
                        time(args.phases, times_s.clone()).map(|under| TimeEntry { base: base.map(Box::new), ..under })
                    }
                    (None, Some(_)) => None,
                    (None, None) => base,
                }
            }),
            warnings: warnings(read, simulated, converge.as_ref()),
            converge,
            ci: answer::intervals(solution, step_s),
        }
    }
}

/// None where no run is complete.
fn time(phases: u64, mut times_s: Vec<f64>) -> Option<TimeEntry> {
    if times_s.is_empty() {
        return None;
    }
    times_s.sort_by(f64::total_cmp);
    let quantile = |q: f64| {
        // The least time that a share q of the runs does not exceed.
        let place = (q * times_s.len() as f64 - 1e-9).ceil().max(1.0) as usize - 1;
        QuantileEntry { q, time_s: times_s[place.min(times_s.len() - 1)] }
    };
    Some(TimeEntry {
        phases,
        mean_s: mean(&times_s),
        sd_s: sample_variance(&times_s).map(f64::sqrt),
        quantiles: QUANTILES.map(quantile).to_vec(),
        base: None,
    })
}

fn converge(converged: &Converged, step_s: f64) -> ConvergeEntry {
    let times: Vec<f64> = converged.times.iter().map(|ticks| step_s * *ticks as f64).collect();
    let is_complete = times.len() as u64 == converged.runs;
    ConvergeEntry {
        runs: converged.runs,
        converged: times.len() as u64,
        rate_per_iteration: converged.rate_per_iteration.and_then(finite),
        rate_per_phase: converged.rate_per_phase.and_then(finite),
        time_mean_s: is_complete.then(|| mean(&times)).and_then(finite),
        time_sd_s: if is_complete { sample_variance(&times).map(f64::sqrt).and_then(finite) } else { None },
    }
}

fn warnings(read: &Read, simulated: &Simulated, converge: Option<&ConvergeEntry>) -> Vec<Warning> {
    let mut warnings = read.warnings.clone();
    let mut warn = |code: &str, text: String| warnings.push(Warning::new(code, text));
    if simulated.solution.asymptotic.is_none() {
        let text = match closed_modes(&read.model) {
            true => "modes end in one of several closed classes: spreads over many phases are null",
            false => "there are too few phases for spreads over many phases: these are null",
        };
        warn("no_asymptotic", text.to_owned());
    }
    if simulated.is_short {
        let text = "phases are correlated over longer than the replications tell: the asymptotic values are rough; give \
                    more --phases";
        warn("slow_mixing", text.to_owned());
    }
    if simulated.dropped > 0 {
        let text = "there are more wavefronts than memory for them: only those that came first were counted, their \
                    frequencies are right";
        warn("wavefronts_capped", text.to_owned());
    }
    if let Some(entry) = converge {
        if entry.rate_per_phase.is_none() {
            let text = "the error is 0 after finitely many phases: there is no rate";
            warn("no_rate", text.to_owned());
        }
        if entry.converged < entry.runs {
            let text = format!(
                "{} of {} runs did not come to the wanted accuracy: the time to it is null",
                entry.runs - entry.converged,
                entry.runs
            );
            warn("not_converged", text);
        }
    }
    warnings
}

/// Whether there is more than one mode.
fn closed_modes(model: &Model) -> bool {
    model.modes.count() > 1
}
