//! All configurations simulated at values of the coefficients, in parallel, and once only for the same values.

use super::kept::Kept;
use super::runs::Configuration;
use super::{CalibrateArgs, MetricArg};
use crate::context::Context;
use crate::failure::Failure;
use crate::sim::run::{inputs, progress::Bar};
use rayon::prelude::*;
use runcast_core::{Problem, Problems, statistics};
use runcast_sim::calibrate::{Free, Moments, Observed};
use runcast_sim::experiment::Value;
use runcast_sim::run::{self, Prepared, Variation};
use runcast_sim::sweep;
use runcast_sim::system::attributes;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Simulations of a calibration.
pub(super) struct Simulations<'c> {
    /// Each configuration, ready for any coefficients.
    prepared: Vec<Prepared>,
    configurations: &'c [Configuration],
    metric: MetricArg,
    pool: rayon::ThreadPool,
    bar: Bar,
    done: AtomicU64,
    /// By configuration, names with the bits of their values, and number of simulations.
    known: Mutex<HashMap<(usize, Point, u64), Moments>>,
    /// Those of earlier runs.
    kept: Kept,
}

/// Names and the bits of their values.
type Point = Vec<(String, u64)>;

impl<'c> Simulations<'c> {
    pub fn new(
        prepared: &Prepared,
        base: &Variation,
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
            configurations,
            metric: args.metric,
            pool,
            bar: Bar::new(context),
            done: AtomicU64::new(0),
            known: Mutex::new(HashMap::new()),
            kept: Kept::open(args.resume.as_deref())?,
        })
    }

    /// What was measured, of the rows to calibrate on.
    pub fn real_of_training(&self) -> Vec<f64> {
        self.training_rows().map(|row| self.configurations[row].real).collect()
    }

    /// The same, with the spread of the runs.
    pub fn observed_of_training(&self) -> Vec<Observed> {
        self.training_rows().map(|row| self.configurations[row].observed).collect()
    }

    fn training_rows(&self) -> impl Iterator<Item = usize> {
        (0..self.configurations.len()).filter(|&row| !self.configurations[row].is_held_out)
    }

    /// Moments of the rows to calibrate on, of so many simulations each.
    pub fn training(&self, free: &[Free], values: &[f64], seeds: u64) -> Result<Vec<Moments>, Problem> {
        self.rows(&self.training_rows().collect::<Vec<_>>(), free, values, seeds)
    }

    /// Moments of all rows.
    pub fn all(&self, free: &[Free], values: &[f64], seeds: u64) -> Result<Vec<Moments>, Problem> {
        self.rows(&(0..self.configurations.len()).collect::<Vec<_>>(), free, values, seeds)
    }

    fn rows(&self, rows: &[usize], free: &[Free], values: &[f64], seeds: u64) -> Result<Vec<Moments>, Problem> {
        let point: Point = free.iter().zip(values).map(|(one, value)| (one.name.clone(), value.to_bits())).collect();
        self.pool.install(|| rows.par_iter().map(|&row| self.one(row, &point, seeds)).collect())
    }

    fn one(&self, row: usize, point: &Point, seeds: u64) -> Result<Moments, Problem> {
        let key = (row, point.clone(), seeds);
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(*known);
        }
        let mut variation = self.prepared[row].variation.clone();
        for (name, bits) in point {
            give(&mut variation, name, f64::from_bits(*bits))?;
        }
        let prepared = self.prepared[row].again(&variation).map_err(|Problems(problems)| self.at(row, problems))?;
        let of_file = self.kept.is_used().then(|| sweep::simulation_key(&prepared, self.metric.name(), seeds));
        if let Some(known) = of_file.as_ref().and_then(|key| self.kept.get(key)) {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, known);
            return Ok(known);
        }
        let interrupt = self.bar.interrupt();
        let one = |repetition: u64| -> Result<f64, Problem> {
            let result = run::repetition(&prepared, repetition, &interrupt);
            let result = result.map_err(|Problems(problems)| self.at(row, problems))?;
            match self.metric {
                MetricArg::Time => Ok(result.time_s),
                MetricArg::Energy => result.energy_j.ok_or_else(|| {
                    Problem::new("no_energy", "the system does not tell the energy")
                        .hint("give power_load to its processors")
                }),
            }
        };
        let values = (0..seeds).map(one).collect::<Result<Vec<f64>, Problem>>()?;
        let sd = statistics::sample_variance(&values).map_or(0.0, f64::sqrt);
        let moments = Moments { mean: statistics::mean(&values), sd };
        if let Some(key) = of_file {
            self.kept.add(&key, moments);
        }
        self.bar.count(self.done.fetch_add(seeds, Ordering::Relaxed) + seeds);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, moments);
        Ok(moments)
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

/// Configurations that were left out.
pub(super) struct LeftOut {
    pub count: usize,
    /// Why the first was.
    pub first: Problem,
}

/// The configurations that can be placed, and those that cannot.
///
/// # Errors
/// None can be placed.
pub(super) fn placeable(
    prepared: &Prepared,
    base: &Variation,
    configurations: Vec<Configuration>,
) -> Result<(Vec<Configuration>, Option<LeftOut>), Failure> {
    let mut kept = Vec::with_capacity(configurations.len());
    let mut left_out: Option<LeftOut> = None;
    for one in configurations {
        let mut variation = base.clone();
        for (name, value) in &one.parameters {
            variation.set(name, value.clone())?;
        }
        // What else is wrong with a configuration is told when it is simulated.
        match prepared.again(&variation).ok().and_then(|prepared| run::unplaced(&prepared)) {
            None => kept.push(one),
            Some(first) => left_out.get_or_insert(LeftOut { count: 0, first }).count += 1,
        }
    }
    match left_out {
        Some(LeftOut { first, .. }) if !kept.iter().any(|one| !one.is_held_out) => {
            let message = format!("no configuration to calibrate on can be placed; the first: {}", first.message);
            Err(Failure::undone(Problem { message, ..first }))
        }
        left_out => Ok((kept, left_out)),
    }
}

/// Gives a value to a name: `c.NAME`, `noise.NAME`, or an attribute `ID.KEY` in SI base units.
pub(super) fn give(variation: &mut Variation, name: &str, value: f64) -> Result<(), Problem> {
    let is_attribute = !name.starts_with("c.") && !name.starts_with("noise.");
    let unit = name.rsplit_once('.').and_then(|(_, key)| attributes::known(key)).map_or("", |known| known.unit());
    let value = if is_attribute { Value::Text(format!("{value:e}{unit}")) } else { Value::Number(value) };
    variation.set(name, value)
}
