//! Converts solutions, in ticks, into documents, in seconds.

use super::Shown;
use super::document::{
    AsymptoticEntry, ClassEntry, Estimate, Estimates, Intervals, IterationsEntry, ModelEntry, OperatorEstimate,
    PhaseEntry, StatesEntry, WavefrontEntry,
};
use runcast_wavefront::model::Contraction;
use runcast_wavefront::solve::growth::{self, OperatorKind};
use runcast_wavefront::solve::rates;
use runcast_wavefront::solve::solution::{HalfWidths, States};
use runcast_wavefront::{Model, Solution};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Whole numbers above this are none in every reader of JSON.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;
/// Probability that an interval of a Monte-Carlo estimate holds.
const LEVEL: f64 = 0.95;

/// What was solved.
pub(crate) fn model(model: &Model) -> ModelEntry {
    let rho = match &model.contraction {
        Contraction::Unknown => None,
        Contraction::Rho(rho) => Some(*rho),
        Contraction::Operator(operator) => Some(1.0 - operator.gap),
    };
    let is_moded = model.modes.count() > 1 || model.modes.names.iter().any(|name| !name.is_empty());
    ModelEntry {
        name: model.name.clone(),
        processes: model.size(),
        process_names: model.processes.iter().map(|process| process.name.clone()).collect(),
        step_s: model.step_s,
        omega: model.omega,
        rho: rho.and_then(finite),
        contraction_log10: model.digits_per_application().and_then(finite),
        semantics: model.semantics,
        tie: model.tie,
        alpha_updates: model.processes.iter().map(|process| process.alpha_updates).collect(),
        beta_updates: model.processes.iter().map(|process| process.beta_updates).collect(),
        x0_ticks: model.start.clone(),
        modes: if is_moded { model.modes.names.clone() } else { Vec::new() },
    }
}

/// What is known about the states.
pub(super) fn states(states: &States) -> StatesEntry {
    StatesEntry {
        bound: (states.bound <= MOST_WHOLE).then_some(states.bound as u64),
        bound_log10: states.bound_log10,
        reachable: states.reachable,
        recurrent: states.recurrent,
        closed_classes: states.closed_classes,
        period: states.period,
        solved: states.solved,
    }
}

/// The closed classes.
pub(super) fn classes(solution: &Solution, step_s: f64) -> Vec<ClassEntry> {
    let entry = |class: &runcast_wavefront::solve::solution::Class| ClassEntry {
        weight: class.weight,
        states: class.states,
        period: class.period,
        phase_mean_s: step_s * class.phase_mean,
        iterations_mean: class.iterations_mean,
    };
    solution.classes.iter().map(entry).collect()
}

/// Covariances per phase.
pub(crate) fn asymptotic(solution: &Solution, step_s: f64) -> Option<AsymptoticEntry> {
    let moments = solution.asymptotic?;
    Some(AsymptoticEntry {
        phase_var_s2: finite(step_s * step_s * moments.phase_var)?,
        iterations_var: finite(moments.iterations_var)?,
        cov_s: finite(step_s * moments.cov)?,
    })
}

/// The estimates, with that of the operator where there is one.
pub(crate) fn estimates(found: &rates::Estimates, operator: Option<&growth::OperatorEstimate>) -> Estimates {
    let entry = |estimate: Option<rates::Estimate>| {
        estimate.map_or_else(Estimate::default, |estimate| Estimate {
            rate_per_iteration: finite(estimate.rate_per_iteration),
            rate_per_phase: finite(estimate.rate_per_phase),
            phases: finite(estimate.phases),
            time_s: finite(estimate.time_s),
            sd_published_s: estimate.sd_published_s.and_then(finite),
            sd_autocov_s: estimate.sd_autocov_s.and_then(finite),
        })
    };
    Estimates {
        worst: entry(found.worst),
        average: entry(found.average),
        best: entry(found.best),
        baudet: entry(found.baudet),
        operator: operator.map(of_operator),
    }
}

fn of_operator(found: &growth::OperatorEstimate) -> OperatorEstimate {
    // A bound that does not fall bounds nothing; the growth of products is what it is.
    let is_rate = found.kind == OperatorKind::Lyapunov || found.rate_per_phase > 0.0;
    let rate = |value: f64| finite(value).filter(|_| is_rate);
    OperatorEstimate {
        estimate: Estimate {
            rate_per_iteration: rate(found.rate_per_iteration),
            rate_per_phase: rate(found.rate_per_phase),
            phases: found.phases.and_then(finite),
            time_s: found.time_s.and_then(finite),
            sd_published_s: None,
            sd_autocov_s: found.sd_autocov_s.and_then(finite),
        },
        kind: found.kind,
        bound_rate_per_phase: found.bound_rate_per_phase.and_then(finite),
        ci_rate_per_phase: found.interval,
    }
}

/// The interval of the operator's time, where its rate or the phase was sampled; an end may be open.
///
/// Both intervals are taken at their worst together.
pub(super) fn time_interval(solution: &Solution, operator: &growth::OperatorEstimate) -> Option<[Option<f64>; 2]> {
    let time_s = operator.time_s?;
    let half = solution.half_widths.as_ref().map(|half| half.phase.phase_mean / solution.phase.phase_mean);
    if half.is_none() && operator.interval.is_none() {
        return None;
    }
    let half = half.unwrap_or(0.0);
    let rate = operator.rate_per_phase;
    let [slow, fast] = operator.interval.unwrap_or([rate, rate]);
    let at = |other: f64, factor: f64| (other > 0.0).then(|| time_s * rate / other * factor).and_then(finite);
    Some([at(fast, (1.0 - half).max(0.0)), at(slow, 1.0 + half)])
}

/// The most frequent wavefronts.
pub(crate) fn wavefronts(model: &Model, solution: &Solution, shown: Shown) -> Vec<WavefrontEntry> {
    let most = match shown {
        Shown::Most(most) => most,
        Shown::All => usize::MAX,
    };
    let entry = |wavefront: &runcast_wavefront::solve::solution::Wavefront| WavefrontEntry {
        x_ticks: wavefront.offsets.clone(),
        prob: wavefront.probability,
        mode: model.modes.names.get(wavefront.mode).filter(|name| !name.is_empty()).cloned(),
    };
    solution.wavefront.iter().take(most).map(entry).collect()
}

/// The law of N.
pub(crate) fn iterations(solution: &Solution) -> Vec<IterationsEntry> {
    let pmf = solution.iterations_pmf.iter();
    pmf.map(|&(iterations, prob)| IterationsEntry { iterations, prob }).collect()
}

/// The law of Phi.
pub(super) fn phase(solution: &Solution) -> Option<Vec<PhaseEntry>> {
    let pmf = solution.phase_pmf.as_ref()?;
    Some(pmf.iter().map(|&(ticks, prob)| PhaseEntry { ticks, prob }).collect())
}

/// The intervals of a Monte-Carlo estimate, under the names of the fields.
pub(crate) fn intervals(solution: &Solution, step_s: f64) -> Option<Intervals> {
    let half = solution.half_widths.as_ref()?;
    let (phase, square_s2) = (&solution.phase, step_s * step_s);
    let mut fields = BTreeMap::new();
    let mut tell = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    tell("phase_mean_s", around(phase.phase_mean, half.phase.phase_mean, step_s));
    tell("phase_var_s2", around(phase.phase_var, half.phase.phase_var, square_s2));
    tell("iterations_mean", around(phase.iterations_mean, half.phase.iterations_mean, 1.0));
    tell("iterations_var", around(phase.iterations_var, half.phase.iterations_var, 1.0));
    tell("cov_iterations_phase_s", around(phase.cov, half.phase.cov, step_s));
    let each = solution.updates_mean.iter().zip(&half.updates_mean);
    tell("updates_mean", each.map(|(mean, half)| around(*mean, *half, 1.0)).collect());
    if let Some(asymptotic) = solution.asymptotic {
        let HalfWidths { asymptotic: half, .. } = half;
        tell(
            "asymptotic",
            json!({
                "phase_var_s2": around(asymptotic.phase_var, half.phase_var, square_s2),
                "iterations_var": around(asymptotic.iterations_var, half.iterations_var, 1.0),
                "cov_s": around(asymptotic.cov, half.cov, step_s),
            }),
        );
    }
    Some(Intervals { level: LEVEL, fields })
}

fn around(value: f64, half: f64, unit: f64) -> Value {
    match (finite(unit * (value - half)), finite(unit * (value + half))) {
        (Some(low), Some(high)) => json!([low, high]),
        _ => Value::Null,
    }
}

/// What is undefined is null.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
