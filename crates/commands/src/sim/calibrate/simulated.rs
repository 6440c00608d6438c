//! All configurations simulated at values of the coefficients, in parallel, and once only for the same values.

use super::names::Wanted;
use super::runs::Configuration;
use super::{CalibrateArgs, MetricArg};
use crate::context::Context;
use crate::failure::Failure;
use crate::sim::run::{inputs, progress::Bar};
use rayon::prelude::*;
use runcast_core::{Problem, Problems};
use runcast_sim::run::{self, Prepared, RunControl, Variation};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Simulations of a calibration.
pub(super) struct Simulations<'c> {
    /// Each configuration, ready for any coefficients.
    prepared: Vec<Prepared>,
    names: Vec<String>,
    configurations: &'c [Configuration],
    metric: MetricArg,
    pool: rayon::ThreadPool,
    bar: Bar,
    done: AtomicU64,
    /// By configuration and bits of the coefficients.
    known: Mutex<HashMap<(usize, Vec<u64>), f64>>,
}

impl<'c> Simulations<'c> {
    pub fn new(
        prepared: &Prepared,
        base: &Variation,
        wanted: &Wanted,
        configurations: &'c [Configuration],
        args: &CalibrateArgs,
        context: &mut Context,
    ) -> Result<Self, Failure> {
        let one = |configuration: &Configuration| {
            let mut variation = base.clone();
            for (name, value) in &configuration.parameters {
                variation.set(name, value.clone())?;
            }
            prepared.again(&variation)
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(args.experiment.threads()).build();
        let pool = pool.map_err(|error| Failure::undone(Problem::new("threads", error.to_string())))?;
        let all: Result<Vec<Prepared>, Problems> = pool.install(|| configurations.par_iter().map(one).collect());
        let all = all.map_err(|Problems(problems)| {
            let with_hint = |problem: Problem| match problem.code.as_str() {
                "unknown_parameter" => problem.hint("choose the columns that are parameters: --params p,n"),
                _ => problem,
            };
            inputs::failure(Problems(problems.into_iter().map(with_hint).collect()))
        })?;
        Ok(Simulations {
            prepared: all,
            names: wanted.free.iter().map(|one| one.name.clone()).collect(),
            configurations,
            metric: args.metric,
            pool,
            bar: Bar::new(context),
            done: AtomicU64::new(0),
            known: Mutex::new(HashMap::new()),
        })
    }

    /// What was measured, of the rows to calibrate on.
    pub fn real_of_training(&self) -> Vec<f64> {
        self.configurations.iter().filter(|one| !one.is_held_out).map(|one| one.real).collect()
    }

    /// The simulated values of the rows to calibrate on.
    pub fn training(&self, coefficients: &[f64]) -> Result<Vec<f64>, Problem> {
        let rows: Vec<usize> =
            (0..self.configurations.len()).filter(|&row| !self.configurations[row].is_held_out).collect();
        self.rows(&rows, coefficients)
    }

    /// The simulated values of all rows.
    pub fn all(&self, coefficients: &[f64]) -> Result<Vec<f64>, Problem> {
        let rows: Vec<usize> = (0..self.configurations.len()).collect();
        self.rows(&rows, coefficients)
    }

    fn rows(&self, rows: &[usize], coefficients: &[f64]) -> Result<Vec<f64>, Problem> {
        self.pool.install(|| rows.par_iter().map(|&row| self.one(row, coefficients)).collect())
    }

    fn one(&self, row: usize, coefficients: &[f64]) -> Result<f64, Problem> {
        let key = (row, coefficients.iter().map(|value| value.to_bits()).collect::<Vec<_>>());
        if let Some(value) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(*value);
        }
        let mut variation = self.prepared[row].variation.clone();
        variation.coefficients.extend(self.names.iter().cloned().zip(coefficients.iter().copied()));
        let interrupt = self.bar.interrupt();
        let simulated = self.prepared[row]
            .again(&variation)
            .and_then(|prepared| run::simulate(&prepared, &RunControl::new(&interrupt)));
        let result = simulated.map_err(|Problems(problems)| self.at(row, problems))?.result;
        let value = match self.metric {
            MetricArg::Time => result.time_s,
            MetricArg::Energy => result.energy_j.ok_or_else(|| {
                Problem::new("no_energy", "the system does not tell the energy")
                    .hint("give power_load to its processors")
            })?,
        };
        self.bar.count(self.done.fetch_add(1, Ordering::Relaxed) + 1);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value);
        Ok(value)
    }

    /// The first problem, with the configuration that it happened at.
    fn at(&self, row: usize, problems: Vec<Problem>) -> Problem {
        let mut problem =
            problems.into_iter().next().unwrap_or_else(|| Problem::new("not_simulated", "cannot be simulated"));
        if problem.code != run::INTERRUPTED {
            let words: Vec<String> =
                self.configurations[row].parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
            problem.message += &format!(" (at {})", words.join(", "));
        }
        problem
    }

    pub fn end(&self, context: &mut Context) {
        self.bar.end(context);
    }
}
