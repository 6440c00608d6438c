//! What the chain says of the run.

use runcast_core::Warning;
use runcast_core::numeric::normal;
use runcast_wavefront::Model;
use runcast_wavefront::model::Contraction;
use runcast_wavefront::solve::growth::{OperatorEstimate, OperatorKind, OperatorOptions, operator_estimate};
use runcast_wavefront::solve::solution::{Method, Ties, Wavefront};
use runcast_wavefront::solve::{SolveOptions, Solved, Wanted, solve};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The level of the ranges of runs.
pub(super) const INTERVAL_LEVEL: f64 = 0.9;
/// Larger chains are simulated: the answer should not take longer than the run.
const STATES_MOST: u64 = 5_000;
/// States times rows of the operator, up to which its rate is sought.
const WORK_MOST: f64 = 5e6;

/// What the chain says of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Predicted {
    /// `exact` or `monte_carlo`.
    pub method: Method,
    /// Mean of Phi.
    pub phase_mean_s: f64,
    /// Mean of N.
    pub iterations_mean: f64,
    /// The same under both rules for ties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations_mean_ties: Option<Ties>,
    /// Means of A_i + N_i.
    pub updates_mean: Vec<f64>,
    /// Digits gained a phase, by the operator-aware rate.
    pub rate_per_phase: Option<f64>,
    /// `first_moment` or `lyapunov`.
    pub rate_kind: Option<OperatorKind>,
    /// Mean time of the phases that are held against it.
    pub time_s: f64,
    /// Its standard deviation.
    pub time_sd_s: Option<f64>,
    /// The range of the time of a run, of the level [`INTERVAL_LEVEL`]: that of phases that are drawn afresh.
    pub time_low_s: Option<f64>,
    pub time_high_s: Option<f64>,
    /// The stationary wavefronts.
    #[serde(skip)]
    pub wavefronts: Vec<Wavefront>,
}

impl Predicted {
    /// Solves the model; a run has so many phases, and the laws are from so many times as many, or are known.
    ///
    /// # Errors
    /// Why there is no prediction.
    pub fn of(
        model: &Model,
        (phases, laws_of): (f64, Option<u64>),
        seed: u64,
        interrupt: Option<Arc<AtomicBool>>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Predicted, String> {
        let solved = solved(model, seed, interrupt)?;
        let rate = operator(model, &solved, seed, warnings).map(|found| (found.rate_per_phase, found.kind));
        let (rate_per_phase, rate_kind) = rate.filter(|(rate, _)| rate.is_finite()).unzip();
        let Solved { solution, .. } = solved;
        let (step_s, phase) = (model.step_s, solution.phase);
        let sd_s = |phase_var: f64| step_s * (phases * phase_var).max(0.0).sqrt();
        let time_s = phases * step_s * phase.phase_mean;
        let time_sd_s = solution.asymptotic.map(|asymptotic| sd_s(asymptotic.phase_var));
        // Means of the laws are as uncertain as those of the phases that they are from.
        let doubt = laws_of.map_or(1.0, |runs| (1.0 + 1.0 / runs.max(1) as f64).sqrt());
        let off_s = time_sd_s.map(|sd_s| doubt * sd_s * normal::quantile(0.5 + 0.5 * INTERVAL_LEVEL));
        Ok(Predicted {
            method: solution.method,
            phase_mean_s: step_s * phase.phase_mean,
            iterations_mean: phase.iterations_mean,
            iterations_mean_ties: solution.ties,
            updates_mean: solution.updates_mean,
            rate_per_phase,
            rate_kind,
            time_s,
            time_sd_s,
            time_low_s: off_s.map(|off_s| (time_s - off_s).max(0.0)),
            time_high_s: off_s.map(|off_s| time_s + off_s),
            wavefronts: solution.wavefront,
        })
    }
}

/// The chain of a run, solved; simulated where that would take longer than the run.
///
/// # Errors
/// Why there is none.
pub(super) fn solved(model: &Model, seed: u64, interrupt: Option<Arc<AtomicBool>>) -> Result<Solved, String> {
    let options = SolveOptions { max_states: STATES_MOST, seed, interrupt, ..SolveOptions::default() };
    let simulated = || solve(model, &SolveOptions { method: Wanted::MonteCarlo, ..options.clone() });
    solve(model, &options).or_else(|_| simulated()).map_err(|error| error.to_string())
}

/// What the operator gains in a phase.
pub(super) fn operator(
    model: &Model,
    solved: &Solved,
    seed: u64,
    warnings: &mut Vec<Warning>,
) -> Option<OperatorEstimate> {
    let Contraction::Operator(operator) = &model.contraction else { return None };
    let states = solved.chain.as_ref().map_or(1, |chain| chain.states.len());
    if states as f64 * operator.dimension() as f64 > WORK_MOST {
        let message = format!("no rate is predicted for {states} states and {} rows", operator.dimension());
        warnings.push(Warning::new("no_rate", message));
        return None;
    }
    let options = OperatorOptions { seed, interrupt: None };
    match operator_estimate(model, solved.chain.as_ref(), &solved.solution, &options) {
        Ok(estimate) => {
            warnings.extend(estimate.warnings.iter().cloned());
            Some(estimate)
        }
        Err(error) => {
            warnings.push(Warning::new("no_rate", error.to_string()));
            None
        }
    }
}
