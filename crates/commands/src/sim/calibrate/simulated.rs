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
use runcast_sim::model::{CoefficientFile, Law};
use runcast_sim::run::{self, Prepared, Variation};
use runcast_sim::sweep;
use runcast_sim::system::attributes;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Simulations of a calibration.
pub(super) struct Simulations<'c> {
    /// Each configuration, ready for any coefficients.
    prepared: Vec<Prepared>,
    configurations: &'c [Configuration],
    metric: MetricArg,
    pool: rayon::ThreadPool,
    bar: Bar,
    done: AtomicU64,
    taken_over: AtomicU64,
    /// How many the search takes, roughly.
    about: u64,
    /// By configuration, laws, names with the bits of their values, and number of simulations.
    known: Mutex<HashMap<(usize, String, Point, u64), Moments>>,
    /// Those of earlier runs.
    kept: Kept,
}

/// Names and the bits of their values.
type Point = Vec<(String, u64)>;

/// A law of the blocks of a type, laid over the models.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    /// Type and law: `sort=nlogn`.
    pub name: String,
    pub file: Arc<CoefficientFile>,
    /// Its rules, as files say them.
    pub rules: String,
}

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
        let all: Vec<Result<Prepared, Problems>> = pool.install(|| configurations.par_iter().map(one).collect());
        // Of several problems the first in order, whichever thread finds one first.
        let all: Result<Vec<Prepared>, Problems> = all.into_iter().collect();
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
            taken_over: AtomicU64::new(0),
            about: about(args, configurations),
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

    /// Each configuration, ready for any coefficients, with whether it is one to calibrate on.
    pub fn prepared(&self) -> impl Iterator<Item = (&Prepared, bool)> {
        self.prepared.iter().zip(self.configurations).map(|(prepared, one)| (prepared, !one.is_held_out))
    }

    /// How many were simulated, or taken over.
    pub fn count(&self) -> u64 {
        self.done.load(Ordering::Relaxed) + self.taken_over.load(Ordering::Relaxed)
    }

    /// Moments of the rows to calibrate on, of so many simulations each.
    pub fn training(&self, laws: &[Trial], free: &[Free], values: &[f64], seeds: u64) -> Result<Vec<Moments>, Problem> {
        self.rows(&self.training_rows().collect::<Vec<_>>(), laws, free, values, seeds)
    }

    /// Moments of all rows.
    pub fn all(&self, laws: &[Trial], free: &[Free], values: &[f64], seeds: u64) -> Result<Vec<Moments>, Problem> {
        self.rows(&(0..self.configurations.len()).collect::<Vec<_>>(), laws, free, values, seeds)
    }

    /// Means of some of the rows to calibrate on, counted among these.
    pub fn means(
        &self,
        rows: &[usize],
        laws: &[Trial],
        free: &[Free],
        values: &[f64],
        seeds: u64,
    ) -> Result<Vec<f64>, Problem> {
        let training: Vec<usize> = self.training_rows().collect();
        let rows: Vec<usize> = rows.iter().map(|&row| training[row]).collect();
        Ok(self.rows(&rows, laws, free, values, seeds)?.into_iter().map(|one| one.mean).collect())
    }

    fn rows(
        &self,
        rows: &[usize],
        laws: &[Trial],
        free: &[Free],
        values: &[f64],
        seeds: u64,
    ) -> Result<Vec<Moments>, Problem> {
        let point: Point = free.iter().zip(values).map(|(one, value)| (one.name.clone(), value.to_bits())).collect();
        let all: Vec<Result<Moments, Problem>> =
            self.pool.install(|| rows.par_iter().map(|&row| self.one(row, laws, &point, seeds)).collect());
        // Of several problems the first in order, whichever thread finds one first.
        all.into_iter().collect()
    }

    fn one(&self, row: usize, laws: &[Trial], point: &Point, seeds: u64) -> Result<Moments, Problem> {
        let names: Vec<&str> = laws.iter().map(|law| law.name.as_str()).collect();
        let key = (row, names.join(" "), point.clone(), seeds);
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(*known);
        }
        let prepared = with(&self.prepared[row], laws, point).map_err(|Problems(problems)| self.at(row, problems))?;
        let of_file = self.kept.is_used().then(|| sweep::simulation_key(&prepared, self.metric.name(), seeds));
        if let Some(known) = of_file.as_ref().and_then(|key| self.kept.get(key)) {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, known);
            self.taken_over.fetch_add(seeds, Ordering::Relaxed);
            return Ok(known);
        }
        let one = |repetition: u64| {
            self.metric_of(&prepared, repetition).map_err(|Problems(problems)| self.at(row, problems))
        };
        let values = (0..seeds).map(one).collect::<Result<Vec<f64>, Problem>>()?;
        let sd = statistics::sample_variance(&values).map_or(0.0, f64::sqrt);
        let moments = Moments { mean: statistics::mean(&values), sd };
        if let Some(key) = of_file {
            self.kept.add(&key, moments);
        }
        let done = self.done.fetch_add(seeds, Ordering::Relaxed) + seeds;
        self.bar.count(done, self.taken_over.load(Ordering::Relaxed), self.about);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, moments);
        Ok(moments)
    }

    /// The metric of one configuration that is not among the runs, without noise.
    pub fn elsewhere(
        &self,
        prepared: &Prepared,
        laws: &[Trial],
        free: &[Free],
        values: &[f64],
    ) -> Result<f64, Problems> {
        let point: Point = free.iter().zip(values).map(|(one, value)| (one.name.clone(), value.to_bits())).collect();
        self.metric_of(&with(prepared, laws, &point)?, 0)
    }

    fn metric_of(&self, prepared: &Prepared, repetition: u64) -> Result<f64, Problems> {
        let result = run::repetition(prepared, repetition, &self.bar.interrupt())?;
        match self.metric {
            MetricArg::Time => Ok(result.time_s),
            MetricArg::Energy => result.energy_j.ok_or_else(|| {
                let problem = Problem::new("no_energy", "the system does not tell the energy");
                problem.hint("give power_load to its processors").into()
            }),
        }
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

/// How many simulations a search usually takes: about eight steps from each start, with a derivative by each name; of laws, half
/// of that for each fold of each.
fn about(args: &CalibrateArgs, configurations: &[Configuration]) -> u64 {
    const STEPS: u64 = 8;
    let rows = configurations.iter().filter(|one| !one.is_held_out).count() as u64;
    let count = |prefix: &str| args.free.iter().filter(|name| name.trim_start().starts_with(prefix)).count() as u64;
    let (names, laws, noise) = (args.free.len() as u64, count("law."), count("noise."));
    let starts = u64::from(args.starts);
    let a_step = rows * (names + 1);
    let search = match noise {
        0 => STEPS * starts * a_step,
        _ => STEPS * a_step * (16 * (starts + 1) + 64),
    };
    let folds = rows.min(20) / 2 + starts;
    search + laws * Law::ALL.len() as u64 * folds * STEPS / 2 * a_step
}

/// A configuration with laws and values.
fn with(prepared: &Prepared, laws: &[Trial], point: &Point) -> Result<Prepared, Problems> {
    let mut variation = prepared.variation.clone();
    variation.laws.extend(laws.iter().map(|law| Arc::clone(&law.file)));
    for (name, bits) in point {
        give(&mut variation, name, f64::from_bits(*bits))?;
    }
    prepared.again(&variation)
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
        // Other errors of a configuration are reported when it is simulated.
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
