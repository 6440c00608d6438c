//! What people should know about curves.

use super::curves::{Curve, Model};
use super::times::{Run, Times};
use crate::human;
use runcast_bsf::cost::Costs;
use runcast_bsf::fit::Both;
use runcast_core::Warning;

/// By how much the losses may differ, as a share of the l1 curve.
const TOLERATED_DIFFERENCE: f64 = 0.02;

/// The run that may be why the losses differ.
pub(super) fn outlier(times: &Times, both: &Both, requested: &[u64], curve: &Curve) -> Option<Warning> {
    let workers = times.workers().into_iter().chain(requested.iter().copied());
    let found = both.disagreement(workers, TOLERATED_DIFFERENCE)?;
    let message = format!(
        "{}: l2 and l1 differ by {} at {}; furthest from the l1 curve, by {}, is the time with {}, {}",
        curve.name(),
        human::percent(Some(100.0 * found.difference)),
        with_workers(found.workers),
        human::percent(Some(100.0 * found.suspect_error)),
        with_workers(found.suspect.workers),
        human::quantity(found.suspect.time_s, "s"),
    );
    let warning = Warning::new("outlier_suspected", message);
    let suspect = times.train.iter().find(|run: &&Run| run.measured.workers == found.suspect.workers);
    Some(match suspect {
        Some(run) => run.warn(warning),
        None => warning,
    })
}

/// No boundary, or one beyond what was fitted.
pub(super) fn boundary(curve: &Curve, level: f64) -> Option<Warning> {
    let (name, most) = (curve.name(), curve.most_fitted()?);
    let Some(k_max) = curve.k_max() else {
        let above = curve.k_max_range(level).and_then(|(low, _)| low);
        let above = above.map_or(String::new(), |low| {
            format!(
                "; with a probability of {} % it is above {}",
                human::significant(50.0 * (1.0 + level), 3),
                human::significant(low, 4)
            )
        });
        let message = format!("{name}: no cost per worker is seen up to {most} workers, and so no boundary{above}");
        return Some(Warning::new("boundary_not_seen", message));
    };
    (k_max > most as f64).then(|| {
        let (boundary, times) = (human::significant(k_max, 4), human::significant(k_max / most as f64, 2));
        let message =
            format!("{name}: the boundary, {boundary} workers, is {times} times the most that were fitted, {most}");
        Warning::new("extrapolation", message)
    })
}

/// Coefficients that cannot be distinguished.
pub(super) fn undetermined(curve: &Curve) -> Option<Warning> {
    let Model::Fit(fit) = &curve.model else { return None };
    (!fit.is_identifiable()).then(|| {
        let name = curve.name();
        let message = format!("{name}: the fitted numbers of workers cannot tell its three coefficients apart; elsewhere ranges have no end");
        Warning::new("undetermined", message)
    })
}

/// As many numbers of workers as coefficients.
pub(super) fn few_points(times: &Times) -> Option<Warning> {
    let message = "three numbers of workers are fitted by three coefficients: nothing is left to tell flat from tree, and the ranges rest on the noise of the repetitions (without any: 1 %); who knows the program names its --collective";
    (times.train.len() == 3).then(|| Warning::new("few_points", message))
}

/// What costs say without any number of workers.
pub(super) fn of_costs(costs: &Costs) -> Option<Warning> {
    if costs.k_max().is_none() {
        let message = "nothing in the costs grows with the workers, and so there is no boundary";
        return Some(Warning::new("no_boundary", message));
    }
    (!costs.applicable()).then(|| {
        let message = "a worker costs more than all the work: every worker makes it slower";
        Warning::new("communication_bound", message)
    })
}

/// `1 worker`, `320 workers`
fn with_workers(count: u64) -> String {
    format!("{count} {}", if count == 1 { "worker" } else { "workers" })
}
