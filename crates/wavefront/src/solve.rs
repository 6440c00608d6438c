//! From a model to numbers: the choice of the method, and its results.
//!
//! ```text
//! bound        how many states there can be          phase, lump     a phase in two stages; processes that are alike
//! chain        the chain, listed and eliminated      constant        one constant message time, any number of processes
//! tensor       large chains, nothing stored          solution        what all methods give
//! rates        the published estimates               growth          the rate of the operator at hand
//! time         the law of the time of many phases    sensitivity     the critical path
//! ```
//!
//! The mathematics is in `docs/theory/wavefront.md`.

pub mod bound;
pub mod chain;
pub mod constant;
pub mod growth;
pub mod lump;
pub mod phase;
pub mod rates;
pub mod sensitivity;
pub mod solution;
pub mod tensor;
#[cfg(test)]
mod tests;
pub mod time;

pub use solution::Solution;

use crate::Model;
use crate::simulate::{MonteCarloOptions, monte_carlo};
use bound::Bound;
use chain::{Chain, Limits};
use phase::Phase;
use runcast_core::Warning;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tensor::TensorError;

/// Time that a simulation takes, about, on one core.
const SECONDS: f64 = 2.0;

/// States that are listed and eliminated where no other exact method works: a minute.
const MOST_ELIMINATED: u64 = 6_000;

/// Entries of such a chain: about 1 GB.
const MOST_ENTRIES: u64 = 32_000_000;

/// How far the bound may be above the states that are allowed, before it is believed.
const SLACK: f64 = 4.0;

/// A model, solved.
#[derive(Debug)]
pub struct Solved {
    /// The answers.
    pub solution: Solution,
    /// The chain, where it was small enough to be listed.
    pub chain: Option<Chain>,
    /// Why this method was taken, as a sentence without a full stop.
    pub why: String,
    /// What is undefined, or less sure than it seems.
    pub warnings: Vec<Warning>,
}

/// Why a model was not solved.
#[derive(Debug, Clone, PartialEq)]
pub enum SolveError {
    /// The exact method was demanded, and the chain is too large for it.
    TooLarge {
        /// How many states it may have.
        bound: Bound,
        /// Of what there is too much.
        what: String,
    },
    /// It was interrupted.
    Interrupted,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::TooLarge { bound, what } => {
                write!(f, "the chain is too large for the exact method: it can have {bound} states, and {what}")
            }
            SolveError::Interrupted => write!(f, "it was interrupted"),
        }
    }
}

impl std::error::Error for SolveError {}

/// Solves a model by the method that fits: exactly where that is possible, else by simulation.
///
/// A chain that can be listed is listed, since that yields the most; next comes the method for one constant message
/// time; then the method that stores no matrix, where as many states are allowed, equal processes counted as one.
///
/// # Errors
/// The exact method was demanded, and the chain is too large for it; or it was interrupted.
///
/// # Examples
/// ```
/// use runcast_wavefront::{cases, solve::{SolveOptions, solve}};
/// let solved = solve(&cases::two_point(), &SolveOptions::default()).unwrap();
/// assert_eq!(solved.why, "its 5 states can be listed");
/// ```
pub fn solve(model: &Model, options: &SolveOptions) -> Result<Solved, SolveError> {
    let bound = Bound::of(model);
    chosen(model, options, &bound).map(|mut solved| {
        solved.solution.states.bound = bound.states;
        solved.solution.states.bound_log10 = bound.log10;
        solved
    })
}

fn chosen(model: &Model, options: &SolveOptions, bound: &Bound) -> Result<Solved, SolveError> {
    if options.method == Wanted::MonteCarlo {
        return simulated(model, options, String::from("it was asked for"));
    }
    let why_not = match exact(model, options) {
        Ok(solved) => return Ok(solved),
        Err(Inexact::Interrupted) => return Err(SolveError::Interrupted),
        Err(Inexact::TooLarge(what)) => what,
    };
    match options.method {
        Wanted::Exact => Err(SolveError::TooLarge { bound: *bound, what: why_not }),
        _ => simulated(model, options, format!("there can be {bound} states, and {why_not}")),
    }
}

/// Why there is no exact solution.
enum Inexact {
    Interrupted,
    TooLarge(String),
}

fn exact(model: &Model, options: &SolveOptions) -> Result<Solved, Inexact> {
    // What a phase is made of is too much for every exact method.
    if let Err(error) = Phase::new(model) {
        return Err(Inexact::TooLarge(error.to_string()));
    }
    let limits = Limits::default();
    let limits = Limits { max_states: limits.max_states.min(options.max_states), lump: options.lump, ..limits };
    if let Some(solved) = listed(model, options, &limits) {
        return Ok(solved);
    }
    if model.sends_on() {
        let max_states = MOST_ELIMINATED.min(options.max_states);
        let limits = Limits { max_states, max_entries: MOST_ENTRIES, lump: options.lump };
        let why = "with sends one after the other only chains that can be listed are solved exactly";
        return listed(model, options, &limits).ok_or_else(|| Inexact::TooLarge(why.to_owned()));
    }
    match constant::solution(model, options) {
        Some(Ok(solution)) => {
            let why = String::from("all messages take the same time: a leader and its lead are all there is to know");
            return Ok(Solved { warnings: warnings(&solution), solution, chain: None, why });
        }
        Some(Err(error)) if !fits(model, options) => return Err(Inexact::TooLarge(error.to_string())),
        _ => {}
    }
    if !fits(model, options) {
        let most = options.max_states;
        return Err(Inexact::TooLarge(format!("at most {most} are solved exactly (--max-states)")));
    }
    let wanted = tensor::Options {
        lump: options.lump,
        phase_pmf: options.phase_pmf,
        tie_bracket: true,
        interrupt: options.interrupt.clone(),
    };
    let what = match tensor::solution(model, &wanted) {
        Ok(solution) if solution.states.solved.is_none_or(|states| states <= options.max_states) => {
            let why = String::from("the chain fits into memory, though its matrix would not");
            return Ok(Solved { warnings: warnings(&solution), solution, chain: None, why });
        }
        Ok(_) => format!("at most {} are solved exactly (--max-states)", options.max_states),
        Err(TensorError::Interrupted) => return Err(Inexact::Interrupted),
        // What mixes too slowly for it, or falls into classes, can still be eliminated.
        Err(error @ (TensorError::SlowMixing { .. } | TensorError::NotIrreducible { .. })) => {
            let max_states = MOST_ELIMINATED.min(options.max_states);
            let limits = Limits { max_states, max_entries: MOST_ENTRIES, lump: options.lump };
            match listed(model, options, &limits) {
                Some(solved) => return Ok(solved),
                None => error.to_string(),
            }
        }
        Err(error) => error.to_string(),
    };
    Err(Inexact::TooLarge(what))
}

fn listed(model: &Model, options: &SolveOptions, limits: &Limits) -> Option<Solved> {
    let chain = Chain::build(model, limits).ok()?;
    let solution = chain.solution(options);
    let why = match chain.states.len() {
        1 => String::from("its only state can be listed"),
        states => format!("its {states} states can be listed"),
    };
    Some(Solved { warnings: warnings(&solution), solution, chain: Some(chain), why })
}

/// Whether there may be few enough states: by the bound, in which equal processes are one if they may be; somewhat more
/// may turn out to be fewer.
fn fits(model: &Model, options: &SolveOptions) -> bool {
    let bound = if options.lump { Bound::lumped(model) } else { Bound::of(model) };
    bound.states <= SLACK * options.max_states as f64
}

fn simulated(model: &Model, options: &SolveOptions, why: String) -> Result<Solved, SolveError> {
    let mut wanted = MonteCarloOptions::new(options.seed).within_seconds(model, SECONDS);
    wanted.phase_pmf = options.phase_pmf;
    wanted.interrupt = options.interrupt.clone();
    let solution = monte_carlo(model, &wanted).ok_or(SolveError::Interrupted)?;
    Ok(Solved { warnings: warnings(&solution), solution, chain: None, why })
}

fn warnings(solution: &Solution) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if solution.classes.len() > 1 {
        let text = format!(
            "{} closed classes are reached: means are weighted over them, and the spreads are null",
            solution.classes.len()
        );
        warnings.push(Warning::new("several_classes", text));
    }
    warnings
}

/// How a model is to be solved.
#[derive(Debug, Clone)]
pub struct SolveOptions {
    /// Which method is allowed.
    pub method: Wanted,
    /// States up to which the exact method is taken.
    pub max_states: u64,
    /// Whether equal processes are solved as one.
    pub lump: bool,
    /// Whether the law of Phi is wanted.
    pub phase_pmf: bool,
    /// Start of the random numbers of a simulation.
    pub seed: u64,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Which method is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// Exactly where the chain is small enough, else by Monte-Carlo
    #[default]
    Auto,
    /// From the chain itself
    Exact,
    /// From a simulation, with intervals
    MonteCarlo,
}

runcast_core::words!(Wanted::name: Auto = "auto", Exact = "exact", MonteCarlo = "monte-carlo");

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions {
            method: Wanted::Auto,
            max_states: 50_000,
            lump: true,
            phase_pmf: false,
            seed: 0,
            interrupt: None,
        }
    }
}
