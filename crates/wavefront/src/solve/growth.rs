//! The rate of convergence of the operator at hand, extra updates included.
//!
//! The estimates of \[C\] credit a phase with one application of the operator, or with as many as it has iterations. What
//! the updates of a phase achieve depends on the operator: process i repeats n_i = A_i + N_i times `z_i <- M_ii z_i +
//! sum of M_ij y_j`, a linear map F(n) of the pieces as broadcast and the newest ones. With r digits gained per phase,
//!
//! ```text
//! first moment   r = -log10 lambda,  lambda the growth per phase of E |F|(n_K) .. |F|(n_1),  |F| built of |M|
//! Lyapunov       r = -log10 of the growth per phase of a long random product of F(n)
//! rate per iteration = r / E[N]      phases = omega / r      time = omega E[Phi] / r
//! ```
//!
//! For M without negative entries the first moment is nearly sharp; it never exceeds the almost sure rate (Jensen), so for
//! other matrices it is a safe bound, though it can be a loose one.

mod krylov;
mod moment;
mod product;

use crate::model::operator::pieces::Pieces;
use crate::model::operator::{Operator, Rate};
use crate::model::{Contraction, Model};
use crate::solve::chain::{Chain, ClassOf};
use crate::solve::solution::Solution;
use product::{Failure, Sampled};
use runcast_core::problem::Warning;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How the rate is to be found.
#[derive(Debug, Clone, Default)]
pub struct OperatorOptions {
    /// Of random products.
    pub seed: u64,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// How the rate was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorKind {
    /// The growth of the first moment of |M|.
    FirstMoment,
    /// The growth of random products, with an interval.
    Lyapunov,
}

/// The operator-aware estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorEstimate {
    /// How it was found.
    pub kind: OperatorKind,
    /// r: digits gained per phase; negative where the error grows.
    pub rate_per_phase: f64,
    /// r / E\[N\].
    pub rate_per_iteration: f64,
    /// Digits per phase that are sure for every operator bounded by |M|; none where |M| is not known to contract.
    pub bound_rate_per_phase: Option<f64>,
    /// The 95 % interval of a sampled rate per phase.
    pub interval: Option<[f64; 2]>,
    /// Phases until omega digits are gained; none where the error does not fall.
    pub phases: Option<f64>,
    /// Seconds until then.
    pub time_s: Option<f64>,
    /// step * sqrt(phases * asymptotic variance of Phi) \[s\]; none with several classes.
    pub sd_autocov_s: Option<f64>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// Why there is no estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEstimate {
    /// The model knows a spectral radius at most.
    #[error("the model has no operator")]
    NoOperator,
    /// Finitely many updates reach the fixed point: there is no rate.
    #[error("the error becomes 0 after finitely many updates")]
    Vanishes,
    /// The updates of a phase are more than can be followed.
    #[error("the updates of a phase are too many, or the matrix is too large, to follow the error")]
    TooLarge,
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// The operator-aware rate of the model, and the time that follows from it.
///
/// # Errors
/// The model has no operator, its error vanishes, or it was interrupted.
pub fn operator_estimate(
    model: &Model,
    chain: Option<&Chain>,
    solution: &Solution,
    options: &OperatorOptions,
) -> Result<OperatorEstimate, NoEstimate> {
    let Contraction::Operator(operator) = &model.contraction else { return Err(NoEstimate::NoOperator) };
    let stop = || options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    let stopped = || if stop() { Err(NoEstimate::Interrupted) } else { Ok(()) };
    if operator.gap >= 1.0 {
        return Err(NoEstimate::Vanishes);
    }
    let sampled = |absolute: bool| {
        let pieces = Pieces::new(operator, model.size(), absolute);
        sampled_rate(model, chain, &pieces, &solution.updates_mean, options.seed, &stop).map_err(
            |failure| match failure {
                Failure::Vanishes => NoEstimate::Vanishes,
                Failure::TooLarge => NoEstimate::TooLarge,
                Failure::Interrupted => NoEstimate::Interrupted,
            },
        )
    };
    let mut warnings = Vec::new();
    let moment = first_moment(model, chain, operator, &stop, &mut warnings);
    stopped()?;
    let least = operator.digits_per_application();
    let with_signs = operator.rate == Rate::Lyapunov || (operator.rate == Rate::Auto && !operator.is_nonnegative());
    if moment.is_some_and(|rate| !rate.is_finite()) {
        return Err(if moment == Some(f64::INFINITY) { NoEstimate::Vanishes } else { NoEstimate::TooLarge });
    }
    let (kind, rate, interval) = match moment {
        Some(rate) if !with_signs => (OperatorKind::FirstMoment, rate, None),
        _ => {
            if !with_signs {
                warnings.push(Warning::new(
                    "first_moment_too_large",
                    "the chain is too large for the first moment: the rate is that of sampled products, with its interval",
                ));
            }
            let Sampled { rate, half_width } = sampled(!with_signs)?;
            (OperatorKind::Lyapunov, rate, Some([rate - half_width, rate + half_width]))
        }
    };
    if least.is_none() {
        warnings.push(Warning::new(
            "no_contraction",
            "the spectral radius of |M| is not below 1: convergence under every schedule is not assured",
        ));
    }
    // Every phase applies |M| at least once.
    let bound = moment.or(least).filter(|bound| *bound > 0.0);
    let phases = (rate > 0.0).then(|| model.omega / rate);
    let spread = |variance: f64| phases.map(|phases| model.step_s * (phases * variance.max(0.0)).sqrt());
    Ok(OperatorEstimate {
        kind,
        rate_per_phase: rate,
        rate_per_iteration: rate / solution.phase.iterations_mean,
        bound_rate_per_phase: bound,
        interval,
        phases,
        time_s: phases.map(|phases| phases * solution.phase.phase_mean * model.step_s),
        sd_autocov_s: solution.asymptotic.and_then(|moments| spread(moments.phase_var)),
        warnings,
    })
}

/// Digits per phase of the first moment of |M|: of the slowest class.
/// Phases until the first moment of an error falls by so many digits: |e| is followed from the start of the model as in the
/// estimate, and not only its growth in the long run. `error` is that of each row.
///
/// # Errors
/// The model has no operator, the chain is not listed or too large, the digits are never gained, or it was interrupted.
pub fn phases_from(
    model: &Model,
    chain: Option<&Chain>,
    error: &[f64],
    options: &OperatorOptions,
) -> Result<u64, NoEstimate> {
    let Contraction::Operator(operator) = &model.contraction else { return Err(NoEstimate::NoOperator) };
    let stop = || options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    let pieces = Pieces::new(operator, model.size(), true);
    let error = pieces.arranged(&error.iter().map(|error| error.abs()).collect::<Vec<f64>>());
    let fallen = if has_constant_counts(model) {
        moment::fixed_fall(&pieces, &alpha_updates(model), error, model.omega, &stop)
    } else {
        moment::fall(chain.ok_or(NoEstimate::TooLarge)?, &pieces, &error, model.omega, &stop)
    };
    if stop() { Err(NoEstimate::Interrupted) } else { fallen.ok_or(NoEstimate::TooLarge) }
}

impl OperatorEstimate {
    /// The same with this number of phases in place of omega over the rate.
    #[must_use]
    pub fn over(self, phases: f64, model: &Model, solution: &Solution) -> OperatorEstimate {
        let spread = |variance: f64| model.step_s * (phases * variance.max(0.0)).sqrt();
        OperatorEstimate {
            phases: Some(phases),
            time_s: Some(phases * solution.phase.phase_mean * model.step_s),
            sd_autocov_s: solution.asymptotic.map(|moments| spread(moments.phase_var)),
            ..self
        }
    }
}

fn first_moment(
    model: &Model,
    chain: Option<&Chain>,
    operator: &Operator,
    stop: &dyn Fn() -> bool,
    warnings: &mut Vec<Warning>,
) -> Option<f64> {
    let (alpha, constant) = (alpha_updates(model), has_constant_counts(model));
    // One update each is one application of |M|; from 1 - rho, its rate is exact near 1, too.
    if let (true, true, Some(digits)) =
        (constant, alpha.iter().all(|count| *count == 1), operator.digits_per_application())
    {
        return Some(digits);
    }
    let pieces = Pieces::new(operator, model.size(), true);
    let radii = if constant {
        vec![moment::fixed_growth(&pieces, &alpha, stop)?]
    } else {
        let chain = chain?;
        let radius = |class: &ClassOf| moment::growth(chain, &class.members, &pieces, stop);
        chain.classes().iter().map(radius).collect::<Option<Vec<_>>>()?
    };
    let slowest = radii.into_iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    if slowest.unsettled > 1e-10 {
        let message = format!("the growth per phase still moved by {:.1e} of itself", slowest.unsettled);
        warnings.push(Warning::new("growth_unsettled", message));
    }
    Some(-slowest.value.log10())
}

fn alpha_updates(model: &Model) -> Vec<u32> {
    model.processes.iter().map(|process| process.alpha_updates).collect()
}

/// Whether every phase has the same updates: then the times have no part in the rate.
fn has_constant_counts(model: &Model) -> bool {
    model.size() == 1 || model.processes.iter().all(|process| process.beta_updates == 0)
}

/// The rate of sampled products: of the slowest class, where the classes are known.
fn sampled_rate(
    model: &Model,
    chain: Option<&Chain>,
    pieces: &Pieces,
    updates: &[f64],
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Sampled, Failure> {
    let classes = chain.map_or(&[][..], Chain::classes);
    let constant = has_constant_counts(model).then(|| moment::signed_growth(pieces, &alpha_updates(model))).flatten();
    if let Some(radius) = constant {
        return Ok(Sampled { rate: -radius.log10(), half_width: 0.0 });
    }
    let (Some(chain), true) = (chain, classes.len() > 1) else {
        return product::growth(model, pieces, updates, true, seed, stop);
    };
    let mut slowest: Option<Sampled> = None;
    for class in classes {
        let state = &chain.states[class.members[0]];
        let mut inside = model.clone();
        inside.start = state.offsets.clone();
        inside
            .modes
            .start
            .iter_mut()
            .enumerate()
            .for_each(|(mode, share)| *share = f64::from(u8::from(mode == state.mode)));
        let sampled = product::growth(&inside, pieces, updates, false, seed, stop)?;
        if slowest.is_none_or(|slowest| sampled.rate < slowest.rate) {
            slowest = Some(sampled);
        }
    }
    slowest.ok_or(Failure::Vanishes)
}

#[cfg(test)]
mod tests;
