//! What should be known about a solution beside its numbers.

use runcast_core::Warning;
use runcast_wavefront::model::Contraction;
use runcast_wavefront::solve::solution::Method;
use runcast_wavefront::{Model, Solution};

/// Why there are no rates, where there are none.
pub(super) fn of(model: &Model) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if matches!(model.contraction, Contraction::Unknown) {
        let text = "neither rho nor an operator is given: rates, phases and times of the estimates are null";
        warnings.push(Warning::new("no_rate", text));
    } else if model.digits_per_application().is_none() {
        let text = "rho(|M|) is not below 1: convergence is not assured under every schedule, and the rates are null";
        warnings.push(Warning::new("no_contraction", text));
    }
    warnings
}

/// What a simulation leaves open.
pub(super) fn of_method(solution: &Solution) -> Option<Warning> {
    let text = "phases were simulated: states and classes are not known (null), and the other numbers to within `ci`";
    (solution.method == Method::MonteCarlo).then(|| Warning::new("simulated", text))
}

/// Each warning once; what is reported for the model is not repeated for its degrees.
pub(super) fn each_once(warnings: Vec<Warning>) -> Vec<Warning> {
    let mut kept: Vec<Warning> = Vec::new();
    // An iteration that ends after finitely many steps has no rate either, and does converge.
    let is_nilpotent = warnings.iter().any(|warning| warning.code == "nilpotent");
    for warning in warnings.into_iter().filter(|warning| !is_nilpotent || warning.code != "no_contraction") {
        let is_told = |known: &Warning| {
            known.code == warning.code && (known.message == warning.message || warning.code == "no_contraction")
        };
        if !kept.iter().any(is_told) {
            kept.push(warning);
        }
    }
    kept
}
