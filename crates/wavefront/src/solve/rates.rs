//! Rates of convergence, expected times, and their spread (\[C\] 4 and App. C, D).
//!
//! With L = -log10 rho digits gained by one application, omega digits wanted, S = E\[N\]/E\[Phi\] iterations per second:
//!
//! ```text
//! R_worst = L/N_max    R_average = L/E[N]    R_best = L/N_min    R_baudet = L/(2*max(A_i+B_i) - 1)    per iteration
//! K = omega/(E[N]*R) phases, time = omega/(S*R)
//! sigma = h*sqrt(K*(C_PhiPhi - C_NPhi^2/C_NN)), or h*sqrt(K*C_PhiPhi) where C_NN = 0
//! ```
//!
//! The published sigma takes C in one phase, as if phases were independent; the other takes the asymptotic covariance.

use crate::Model;
use crate::solve::chain;
use crate::solve::solution::{Moments, Solution};

/// What is estimated from a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Digits gained by an iteration.
    pub rate_per_iteration: f64,
    /// Digits gained by a phase: the same times E\[N\].
    pub rate_per_phase: f64,
    /// Phases needed; not rounded.
    pub phases: f64,
    /// Mean run time.
    pub time_s: f64,
    /// Its spread as published, with the covariances of one phase; none with several classes.
    pub sd_published_s: Option<f64>,
    /// Its spread with asymptotic covariances; none with several classes.
    pub sd_autocov_s: Option<f64>,
}

/// The four estimates, and what belongs to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimates {
    /// Every phase has the most iterations that it can have, and one application counts.
    pub worst: Option<Estimate>,
    /// The mean number of iterations, of which one counts.
    pub average: Option<Estimate>,
    /// Every phase has the fewest iterations that it can have.
    pub best: Option<Estimate>,
    /// Baudet's bound: one of 2 max (A_i + B_i) - 1 iterations counts.
    pub baudet: Option<Estimate>,
    /// S: iterations per second.
    pub speed_per_s: f64,
    /// omega/L: phases until the accuracy is reached, if each applies the operator once; none without L.
    pub phases_needed: Option<f64>,
    /// Spread of the time of that many phases; none without L or with several classes.
    pub sd_fixed_phases_s: Option<f64>,
}

/// All estimates; none of a rate where nothing is known about the operator, or where it is not a contraction.
///
/// # Examples
/// ```
/// use runcast_wavefront::cases;
/// use runcast_wavefront::solve::chain::{Chain, Limits};
/// use runcast_wavefront::solve::rates;
/// let model = cases::constant_network(1);
/// let solution = Chain::build(&model, &Limits::default()).unwrap().solution(&Default::default());
/// let average = rates::estimates(&model, &solution).average.unwrap();
/// assert!((average.time_s - 145.350881).abs() < 1e-6);
/// ```
pub fn estimates(model: &Model, solution: &Solution) -> Estimates {
    let digits = digits(model);
    let phase = &solution.phase;
    let phases_needed = digits.map(|digits| model.omega / digits);
    let most_updates =
        model.processes.iter().map(|process| f64::from(process.alpha_updates) + f64::from(process.beta_updates));
    let baudet = 2.0 * most_updates.fold(1.0, f64::max) - 1.0;
    let of = |divisor: f64| digits.map(|digits| estimate(model, solution, digits / divisor));
    Estimates {
        worst: of(solution.iterations_max as f64),
        average: of(phase.iterations_mean),
        best: of(solution.iterations_min as f64),
        baudet: of(baudet),
        speed_per_s: phase.iterations_mean / (phase.phase_mean * model.step_s),
        phases_needed,
        sd_fixed_phases_s: phases_needed
            .zip(solution.asymptotic)
            .map(|(phases, asymptotic)| model.step_s * (phases * asymptotic.phase_var).sqrt()),
    }
}

/// The estimate of one rate per iteration.
pub fn estimate(model: &Model, solution: &Solution, rate_per_iteration: f64) -> Estimate {
    let rate_per_phase = solution.phase.iterations_mean * rate_per_iteration;
    let phases = model.omega / rate_per_phase;
    let spread = |moments: Moments| model.step_s * (phases * left(moments)).sqrt();
    Estimate {
        rate_per_iteration,
        rate_per_phase,
        phases,
        time_s: phases * solution.phase.phase_mean * model.step_s,
        sd_published_s: solution.asymptotic.map(|_| spread(solution.phase)),
        sd_autocov_s: solution.asymptotic.map(spread),
    }
}

/// What is left of the variance of Phi at a given number of iterations.
fn left(moments: Moments) -> f64 {
    if moments.iterations_var == 0.0 {
        return moments.phase_var;
    }
    let left = moments.phase_var - moments.cov * moments.cov / moments.iterations_var;
    if left <= chain::NOTHING * moments.phase_var { 0.0 } else { left }
}

/// L, where it is a positive number.
fn digits(model: &Model) -> Option<f64> {
    model.digits_per_application().filter(|digits| *digits > 0.0 && digits.is_finite())
}
