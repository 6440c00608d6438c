//! The best of many configurations: Pareto fronts, a seeded search where there are too many, machines shared out among
//! several applications (docs/theory/sim.md, section 10).

pub mod evolution;
pub mod pareto;
pub mod partition;
pub mod shares;

use crate::run::{self, Prepared, RunControl, RunResult};
use crate::sweep::{self, Axis, Point};
use rayon::prelude::*;
use runcast_core::{Problem, Problems};
use runcast_formula::Formula;
use std::sync::atomic::AtomicBool;

/// Default limit of evaluations of an exhaustive search.
pub const BUDGET: u64 = 10_000;

/// An objective, to be minimized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Time of the run.
    Time,
    /// Energy of what is used.
    Energy,
    /// Chance that it fails.
    Failure,
    /// Price of machines and energy for the time.
    Cost,
    /// Purchase price of what is used.
    Price,
}

runcast_core::words!(
    Objective::word: Time = "time", Energy = "energy", Failure = "failure", Cost = "cost", Price = "price"
);

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Search {
    /// Combinations of what varies.
    Grid,
    /// The same with all partitions of the machines among applications.
    Partitions,
}

runcast_core::words!(Search::word: Grid = "grid", Partitions = "partitions");

impl Objective {
    /// Its value in a result; none where it is unknown.
    pub fn of(self, result: &RunResult) -> Option<f64> {
        match self {
            Objective::Time => Some(result.time_s),
            Objective::Energy => result.energy_j,
            Objective::Failure => result.reliability.failure_probability,
            Objective::Cost => result.cost,
            Objective::Price => result.price,
        }
    }
}

/// Values that a constraint may name, beside the numbers that vary.
pub const CONSTRAINED: [&str; 8] =
    ["time_s", "energy_j", "power_mean_w", "cost", "price", "failure_probability", "expected_time_s", "processes"];

fn named(result: &RunResult, name: &str) -> Option<f64> {
    match name {
        "time_s" => Some(result.time_s),
        "energy_j" => result.energy_j,
        "power_mean_w" => result.power_mean_w,
        "cost" => result.cost,
        "price" => result.price,
        "failure_probability" => result.reliability.failure_probability,
        "expected_time_s" => result.reliability.expected_time_s,
        "processes" => Some(result.processes as f64),
        _ => None,
    }
}

/// Whether a result satisfies a constraint. An unknown value does not.
///
/// # Errors
/// Those of the formula.
pub fn keeps(constraint: &Formula, axes: &[Axis], point: &Point, result: &RunResult) -> Result<bool, Problem> {
    let varied = |name: &str| {
        let at = axes.iter().position(|axis| axis.name == name)?;
        point.values[at].number()
    };
    let unknown = |name: &&String| named(result, name).or_else(|| varied(name)).is_none();
    if constraint.names().iter().find(unknown).is_some() {
        return Ok(false);
    }
    let value = constraint.evaluate(|name| named(result, name).or_else(|| varied(name)));
    value
        .map(|value| value != 0.0 && !value.is_nan())
        .map_err(|error| Problem::new("formula", error.to_string()).at("--constraint").value(constraint.text()))
}

/// Simulates points in parallel, means over their repetitions; in the order of the points.
///
/// # Errors
/// An interrupt. What is wrong with one point is in its place.
pub fn evaluate(
    base: &Prepared,
    axes: &[Axis],
    points: &[Point],
    interrupt: &AtomicBool,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Result<RunResult, Problem>>, Problem> {
    let one = |point: &Point| -> Result<Result<RunResult, Problem>, Problem> {
        let simulated = sweep::prepare(base, axes, point)
            .and_then(|prepared| run::simulate(&prepared, &RunControl::new(interrupt)));
        done();
        match simulated {
            Ok(simulated) => Ok(Ok(simulated.result)),
            Err(Problems(problems)) => {
                let problem = problems.into_iter().next().unwrap_or_default();
                if problem.code == run::INTERRUPTED { Err(problem) } else { Ok(Err(problem)) }
            }
        }
    };
    points.par_iter().map(one).collect()
}
