//! The exact method on large chains: nothing of the size of the transition matrix is ever stored.
//!
//! A state is how long before the process that starts last each process starts (its *lag*). A phase goes by way of the
//! *meeting*: who ends alpha last, and how far *behind* the others ended theirs. Given the meeting the ends of all processes
//! are independent, so that each half is a few small matrices, applied along one coordinate at a time:
//!
//! ```text
//! state -> meeting    for each turn (last start to last end of alpha) and leader one matrix a process, P(alpha = turn + lag - behind)
//! meeting -> state    sum over behind of prod_i q_i(end_i | behind but i), one process after the other
//! ```
//!
//! Source: \[C\], Eq. 6 and 7 and App. A, which sums over all values of all times instead.
//!
//! The stationary law and the sums over later phases solve linear equations with I - P (the module `krylov`), so that the
//! chain may have a period; several closed classes get the probabilities that the start gives them. The modes are solved
//! for themselves, however slow they are.

mod answer;
mod arrive;
mod axis;
mod closure;
mod count;
mod depart;
mod ends;
mod engine;
mod faces;
mod follow;
mod krylov;
mod lumped;
mod pair;
mod plain;
mod times;
mod waits;
mod wavefronts;
mod whole;

#[cfg(test)]
mod tests;

pub use answer::Effort;

use crate::markov::LongRun;
use crate::model::law::Law;
use crate::model::{Laws, Model};
use crate::solve::lump;
use crate::solve::solution::Solution;
use engine::Engine;
use lumped::Lumped;
use plain::Plain;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use times::Shape;
use waits::Waits;
use whole::Whole;

/// Bytes that may be taken.
const MOST_BYTES: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0;

/// Products of numbers in one phase that may be taken: about 10 s of one core.
const MOST_WORK: f64 = 2e10;

/// Phases after which the search for states, or for the stationary law, is given up: at most, and at least.
const MOST_STEPS: (f64, f64) = (3000.0, 150.0);

#[derive(Debug, Clone)]
pub struct Options {
    /// Whether equal processes are solved as one.
    pub lump: bool,
    /// Whether the law of Phi is wanted.
    pub phase_pmf: bool,
    /// Whether E\[N\] is wanted under the other rule for ties, too.
    pub tie_bracket: bool,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Options { lump: true, phase_pmf: false, tie_bracket: true, interrupt: None }
    }
}

/// What solving a model takes, known before anything is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needs {
    /// Bytes of memory.
    pub bytes: f64,
    /// Products of numbers for one phase.
    pub work: f64,
    /// Whether equal processes are solved as one.
    pub lumped: bool,
}

impl Needs {
    fn fits(&self) -> bool {
        self.bytes <= MOST_BYTES && self.work <= MOST_WORK
    }
}

/// Why there is no solution.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TensorError {
    /// It would take more memory, or more work for one phase, than is allowed.
    TooLarge(Needs),
    /// The wavefront forgets so slowly that the stationary law cannot be trusted.
    SlowMixing {
        /// Phases that were applied.
        steps: usize,
    },
    /// There are several closed classes within one class of modes, whose probabilities are not known.
    NotIrreducible {
        /// Closed classes that were found.
        classes: usize,
    },
    /// Equal processes never start together, so that their order does not distinguish them.
    NotLumpable,
    /// A stop was asked for.
    Interrupted,
}

impl fmt::Display for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TensorError::TooLarge(needs) => {
                write!(f, "the chain takes {:.2e} bytes and {:.2e} operations a phase", needs.bytes, needs.work)
            }
            TensorError::SlowMixing { steps } => {
                write!(f, "the chain forgets its start so slowly that {steps} phases do not settle its law")
            }
            TensorError::NotIrreducible { classes } => {
                write!(f, "{classes} closed classes of states within the modes cannot be weighed")
            }
            TensorError::NotLumpable => write!(f, "equal processes never start a phase together"),
            TensorError::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for TensorError {}

/// How many products of numbers of the plain way take as long as one of the lumped way, which jumps about in memory.
const PLAIN_IS_FASTER: f64 = 8.0;

/// Products a phase up to which the lumped way is taken even where the plain one would be faster: some seconds.
const CHEAP: f64 = 3e9;

/// What solving the model takes.
pub fn needs(model: &Model, lump: bool) -> Needs {
    choose(model, &Shape::of(model), lump).0
}

/// The way that is taken, and the groups of equal processes where they are solved as one.
fn choose(model: &Model, shape: &Shape, lump: bool) -> (Needs, Option<Vec<Vec<usize>>>) {
    let laws = laws(model);
    let (bytes, work) = plain::needs(model, shape);
    let plain = Needs { bytes: bytes + laws, work, lumped: false };
    let groups = if lump { lump::groups(model) } else { Vec::new() };
    if !lump || groups.len() == model.size() {
        return (plain, None);
    }
    let (bytes, work) = lumped::needs(model, shape, &groups);
    let lumped = Needs { bytes: bytes + laws, work, lumped: true };
    if !lumped.fits() || (plain.fits() && work > CHEAP && plain.work <= PLAIN_IS_FASTER * work) {
        return (plain, None);
    }
    (lumped, Some(groups))
}

/// Bytes of the laws of times and of their sums, without gaps.
fn laws(model: &Model) -> f64 {
    let width = |law: &Law| (law.most() - law.least() + 1) as f64;
    let of_mode = |laws: &Laws| {
        let alpha = |process: usize| f64::from(model.processes[process].alpha_updates) * width(&laws.update[process]);
        let link = |from: usize, to: usize| 56.0 * width(&laws.message[from][to]) + 24.0 * alpha(from);
        let row = |from: usize| 48.0 * alpha(from) + (0..model.size()).map(|to| link(from, to)).sum::<f64>();
        (0..model.size()).map(row).sum::<f64>()
    };
    model.modes.laws.iter().map(of_mode).sum()
}

/// Everything about one phase in the long run.
///
/// # Errors
/// [`TensorError`] states why the model cannot be solved this way; Monte Carlo accepts any.
pub fn solution(model: &Model, options: &Options) -> Result<Solution, TensorError> {
    solution_with_effort(model, options).map(|(solution, _)| solution)
}

/// The same, with what it took.
///
/// # Errors
/// As [`solution`].
pub fn solution_with_effort(model: &Model, options: &Options) -> Result<(Solution, Effort), TensorError> {
    let shape = Shape::of(model);
    let (needs, groups) = choose(model, &shape, options.lump);
    if !needs.fits() {
        return Err(TensorError::TooLarge(needs));
    }
    let Some(groups) = groups else {
        return solve(model, &shape, &Plain::new(model, shape.clone()), options, needs);
    };
    match solve(model, &shape, &Lumped::new(model, shape.clone(), groups), options, needs) {
        Err(TensorError::NotLumpable) => solution_with_effort(model, &Options { lump: false, ..options.clone() }),
        done => done,
    }
}

fn solve(
    model: &Model,
    shape: &Shape,
    engine: &dyn Engine,
    options: &Options,
    needs: Needs,
) -> Result<(Solution, Effort), TensorError> {
    let whole = Whole {
        engine,
        modes: &model.modes,
        long_run: LongRun::of(&model.modes.transition, &model.modes.start),
        interrupt: options.interrupt.as_deref(),
        most_steps: (10.0 * MOST_WORK / needs.work).clamp(MOST_STEPS.1, MOST_STEPS.0) as usize,
        steps: Cell::new(0),
    };
    let waits = Waits::new(model, shape, &whole);
    answer::solution(model, &waits, &start(model), options)
}

/// The lags at the start.
fn start(model: &Model) -> Vec<usize> {
    let last = model.start.iter().copied().max().unwrap_or(0);
    model.start.iter().map(|offset| (last - offset) as usize).collect()
}
