//! The result of a run of a program of any types.

use super::problem::{Judgement, Problem, Visit};
use crate::cost::Collective;
use crate::skeleton::{self, Iteration, Outcome, RunError, RunOptions, Status, Times};
use runcast_core::Warning;
use serde_json::{Map, Value};
use xxhash_rust::xxh3::Xxh3;

/// The result of a run of a program.
#[derive(Debug, Clone)]
pub struct Report {
    pub status: Status,
    /// Iterations done, those before a resumed run included.
    pub iterations: u64,
    /// Elements that were present in the last iteration.
    pub counter: u64,
    /// The norm of the last step; none if there is none, or if it is no longer a number.
    pub step_norm: Option<f64>,
    /// Geometric mean of the ratios of consecutive norms.
    pub growth_rate: Option<f64>,
    /// The largest error, if the exact solution is known.
    pub error_max: Option<f64>,
    /// The first ten numbers of the result; none in place of NaN.
    pub result_head: Vec<Option<f64>>,
    /// Equal if and only if the numbers of the result are, bit by bit: XXH3 with 128 bits, in hexadecimal digits.
    pub result_digest: String,
    /// Wall time of the iterations, those before a resumed run included \[s\].
    pub time_s: f64,
    /// The collective in use at the end.
    pub collective: Collective,
    /// The iteration from which the run was resumed.
    pub resumed_from: Option<u64>,
    /// Times of the phases.
    pub times: Times,
    /// Numbers by which the result can be checked.
    pub checks: Map<String, Value>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// An approximation on the way.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// State of the run.
    pub at: &'a Iteration,
    /// The numbers of the approximation.
    pub numbers: &'a [f64],
}

/// Maximum number of numbers in [`Report::result_head`].
const HEAD: usize = 10;

/// The visitor that runs a problem.
pub(super) struct Run<'a, F> {
    pub options: &'a RunOptions,
    pub every: u64,
    pub look: F,
}

impl<F: FnMut(Look<'_>) + Send> Visit for Run<'_, F> {
    type Out = Result<Option<Report>, RunError>;

    fn visit<P: Problem>(mut self, problem: &P) -> Self::Out {
        let algorithm = problem
            .algorithm()
            .output_every(self.every, |x, at| (self.look)(Look { at, numbers: &problem.numbers(x) }));
        let outcome = skeleton::run(algorithm, self.options)?;
        Ok(outcome.map(|outcome| report(problem, outcome)))
    }
}

fn report<P: Problem>(problem: &P, outcome: Outcome<P::Approximation>) -> Report {
    let numbers = problem.numbers(&outcome.approximation);
    let Judgement { error_max, checks, warnings } = problem.judge(&outcome.approximation);
    Report {
        status: outcome.status,
        iterations: outcome.iterations,
        counter: outcome.counter,
        step_norm: outcome.step_norm.filter(|norm| norm.is_finite()),
        growth_rate: outcome.growth_rate.filter(|rate| rate.is_finite()),
        error_max: error_max.filter(|error| error.is_finite()),
        result_head: numbers
            .iter()
            .take(HEAD)
            .map(|number| Some(*number).filter(|number| number.is_finite()))
            .collect(),
        result_digest: digest(&numbers),
        time_s: outcome.time_s,
        collective: outcome.collective,
        resumed_from: outcome.resumed_from,
        times: outcome.times,
        checks,
        warnings: outcome.warnings.into_iter().chain(warnings).collect(),
    }
}

/// A digest of the exact bits, the same on every machine.
fn digest(numbers: &[f64]) -> String {
    let mut hasher = Xxh3::new();
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    format!("{:032x}", hasher.digest128())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_sees_every_bit() {
        assert_eq!(digest(&[1.0, 2.0]), digest(&[1.0, 2.0]));
        assert_eq!(digest(&[]).len(), 32);
        for other in [[1.0, 2.0 + f64::EPSILON * 2.0], [2.0, 1.0]] {
            assert_ne!(digest(&[1.0, 2.0]), digest(&other));
        }
        assert_ne!(digest(&[0.0]), digest(&[-0.0]));
    }
}
