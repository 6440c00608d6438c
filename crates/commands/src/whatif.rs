//! What if? The curve of an experiment while its system is being edited: the current configuration first, within a budget,
//! and nothing that is known already.

mod clock;
mod grow;
mod places;
pub mod remarks;

use crate::command::Command;
use crate::context::Context;
use crate::failure::Failure;
use crate::remote;
use crate::sim::Sim;
use crate::sim::run::document::metrics;
use crate::sim::run::inputs;
use clock::Clock;
use remarks::Remark;
use runcast_core::Problem;
use runcast_sim::experiment::Value;
use runcast_sim::job::Fidelity;
use runcast_sim::run::{self, Prepared, RunControl, RunResult, Variation, calibrated_range};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Values of a curve, at most.
pub const MOST_VALUES: usize = 64;
/// Metrics that can be asked for: those of `sim run`.
pub const METRICS: [&str; 5] = ["time_s", "energy_j", "expected_time_s", "failure_probability", "cost"];

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The simulation as a command line: `sim run EXPERIMENT`, with the catalogues that it sees.
    pub argv: Vec<String>,
    /// The parameter of the curve; none: the one that counts processes.
    pub param: Option<String>,
    /// Its values; none: up to 9 about the current one.
    pub values: Vec<f64>,
    /// Metrics beside the time.
    pub metrics: Vec<String>,
    /// Milliseconds after which points are looked at less closely.
    pub budget_ms: u64,
    /// Points that are known, by their keys.
    pub known: BTreeMap<String, Known>,
}

/// What is known of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Known {
    pub time_s: f64,
    /// Lower end of the range of the time.
    pub low_s: Option<f64>,
    /// Upper end.
    pub high_s: Option<f64>,
    pub fidelity: String,
    /// Other metrics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, f64>,
}

/// What comes of it, as it comes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// A configuration.
    Point {
        /// Parameters of the curve; empty: there is none.
        at: BTreeMap<String, f64>,
        /// Equal keys are equal results.
        key: String,
        /// None: it cannot be simulated.
        known: Option<Known>,
        /// Why not.
        problem: Option<String>,
        is_cached: bool,
        /// Less closely than the experiment says.
        is_quick: bool,
    },
    /// Digests of the parts of the system by their ids, and those on which no process runs.
    Parts { parts: BTreeMap<String, String>, idle: Vec<String> },
    /// What physics says of the system.
    Remarks { items: Vec<Remark> },
    /// The budget was used up before all points were there.
    Budget,
}

/// Simulates; each line goes to `tell` once it is known.
///
/// # Errors
/// What is wrong with the experiment and the files that it names.
pub fn answer(asked: &Asked, context: &mut Context, tell: &dyn Fn(&Line)) -> Result<(), Failure> {
    let clock = Clock::start(context.interrupt.clone(), Duration::from_millis(asked.budget_ms))?;
    let Command::Sim(args) = remote::admit(&asked.argv, &|_| true)?.command else { return Err(no_experiment()) };
    let Sim::Run(args) = args.to else { return Err(no_experiment()) };
    let inputs = inputs::read(&args.experiment, context)?;
    let variation = args.experiment.variation()?;
    let mut grown = None;
    let base = match run::prepare(&inputs, &variation) {
        Ok(base) => base,
        Err(problems) => {
            let fits = problems.0.first().and_then(|problem| grow::grown(&inputs, problem));
            let Some((other, remark)) = fits else { return Err(inputs::failure(problems)) };
            grown = Some(remark);
            run::prepare(&Arc::new(other), &variation).map_err(inputs::failure)?
        }
    };
    let param = asked.param.clone().or_else(|| places::counting(&base));
    let current = param.as_deref().and_then(|name| places::current(&base, name));
    let values = match asked.values.is_empty() {
        true => param.as_deref().zip(current).map(|(name, now)| places::about(&base, name, now)).unwrap_or_default(),
        false => asked.values.clone(),
    };
    let mut items = Vec::new();
    let mut tried = Tried { asked, clock: &clock, base: &base, last: None };
    for (number, at) in places::order(param.as_deref(), current, &values).into_iter().enumerate() {
        let line = tried.point(at.clone());
        tell(&line);
        let last = tried.last.take();
        if number == 0 {
            let result = last.as_ref().map(|(_, result)| result);
            let (parts, idle) = parts(&base, result);
            tell(&Line::Parts { parts, idle });
            let found = remarks::of(&base, result, &asked.metrics);
            items = grown.take().into_iter().chain(found).collect();
            tell(&Line::Remarks { items: items.clone() });
        } else if let Some((prepared, result)) = last {
            // More processes reach more machines: what these lack, the current configuration need not miss.
            let found = remarks::of(&prepared, Some(&result), &asked.metrics);
            let is_new = |one: &Remark| {
                one.code == remarks::NO_NETWORK
                    && !items.iter().any(|known: &Remark| (&known.code, &known.part) == (&one.code, &one.part))
            };
            let new: Vec<Remark> = found.into_iter().filter(is_new).map(|one| one.at(&at)).collect();
            if !new.is_empty() {
                items.extend(new);
                tell(&Line::Remarks { items: items.clone() });
            }
        }
        if clock.is_far_over() {
            tell(&Line::Budget);
            break;
        }
    }
    Ok(())
}

fn no_experiment() -> Failure {
    Problem::new("not_an_experiment", "this is not the simulation of an experiment").into()
}

/// Points of a curve, one by one.
struct Tried<'a> {
    asked: &'a Asked,
    clock: &'a Clock,
    base: &'a Prepared,
    /// The point, if it was simulated as closely as the experiment says.
    last: Option<(Prepared, RunResult)>,
}

impl Tried<'_> {
    fn point(&mut self, at: BTreeMap<String, f64>) -> Line {
        // What was interrupted says nothing of the configuration: it was looked at too briefly.
        let failed = |at, key, problem: Problem| Line::Point {
            at,
            key,
            known: None,
            is_quick: is_interrupted(&problem),
            problem: Some(problem.message),
            is_cached: false,
        };
        let mut variation = self.base.variation.clone();
        variation.params.extend(at.iter().map(|(name, value)| (name.clone(), Value::Number(*value))));
        let ready = || -> Result<(String, Prepared), runcast_core::Problems> {
            let prepared = self.base.again(&variation)?;
            Ok((key(&prepared, &self.asked.metrics)?, prepared))
        };
        let mut prepared = ready();
        // A budget that ended while it was prepared: what is known needs no more than that.
        if prepared.as_ref().is_err_and(|problems| problems.0.first().is_some_and(is_interrupted)) {
            self.clock.extend();
            prepared = ready();
        }
        let (prepared, key) = match prepared {
            Ok((key, prepared)) => (prepared, key),
            Err(problems) => return failed(at, String::new(), problems.0.into_iter().next().unwrap_or_default()),
        };
        if let Some(known) = self.asked.known.get(&key) {
            let known = Some(known.clone());
            return Line::Point { at, key, known, problem: None, is_cached: true, is_quick: false };
        }
        if !self.clock.is_over() {
            match simulated(&prepared, self.clock, true) {
                Ok(result) => {
                    let known = Some(known(&result, &self.asked.metrics));
                    self.last = Some((prepared, result));
                    return Line::Point { at, key, known, problem: None, is_cached: false, is_quick: false };
                }
                Err(problem) if !is_interrupted(&problem) => return failed(at, key, problem),
                Err(_) => {}
            }
        }
        match self.quick(&variation) {
            Ok(result) => {
                let known = Some(known(&result, &self.asked.metrics));
                Line::Point { at, key, known, problem: None, is_cached: false, is_quick: true }
            }
            Err(problem) => failed(at, key, problem),
        }
    }

    /// The same by label: its cost does not rise with the number of processes.
    fn quick(&self, variation: &Variation) -> Result<RunResult, Problem> {
        self.clock.extend();
        let variation = Variation { fidelity: Some(Fidelity::Label), ..variation.clone() };
        let first = |problems: runcast_core::Problems| problems.0.into_iter().next().unwrap_or_default();
        let prepared = self.base.again(&variation).map_err(first)?;
        simulated(&prepared, self.clock, false)
    }
}

/// Whether it ended for lack of time.
pub fn is_interrupted(problem: &Problem) -> bool {
    [run::INTERRUPTED, "script_time"].contains(&problem.code.as_str())
}

fn simulated(prepared: &Prepared, clock: &Clock, with_range: bool) -> Result<RunResult, Problem> {
    let control = RunControl::new(clock.interrupt());
    let first = |problems: runcast_core::Problems| problems.0.into_iter().next().unwrap_or_default();
    let mut result = run::simulate(prepared, &control).map_err(first)?.result;
    if with_range {
        calibrated_range(prepared, &mut result, &control).map_err(first)?;
    }
    Ok(result)
}

fn known(result: &RunResult, wanted: &[String]) -> Known {
    let others =
        metrics(result).into_iter().filter(|(name, _)| *name != "time_s" && wanted.iter().any(|one| one == name));
    Known {
        time_s: result.time_s,
        low_s: result.time_low_s,
        high_s: result.time_high_s,
        fidelity: result.fidelity.to_owned(),
        others: others.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
    }
}

/// What the result depends on, in 64 characters. Energy, cost and failures depend on idle parts, too.
fn key(prepared: &Prepared, metrics: &[String]) -> Result<String, runcast_core::Problems> {
    let essence = prepared.essence()?;
    let system = prepared.system.as_ref().filter(|_| metrics.iter().any(|name| name != "time_s"));
    let whole = system.map(|read| format!("{:?}{:?}", read.system.components, read.system.networks));
    Ok(digest(&format!("{essence}{whole:?}{metrics:?}")))
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Digests of components and networks, and the ids of components on which no process runs.
fn parts(base: &Prepared, result: Option<&RunResult>) -> (BTreeMap<String, String>, Vec<String>) {
    let Some(read) = &base.system else { return (BTreeMap::new(), Vec::new()) };
    let system = &read.system;
    let components = system.components.iter().map(|one| {
        let own = (&one.kind, &one.count, &one.attributes, &one.parts, &one.model);
        (one.id.clone(), digest(&format!("{own:?}")))
    });
    let networks = system.networks.iter().map(|one| {
        let own = (&one.attributes, &one.parts, &one.topology, &one.through);
        (format!("network {}", one.id), digest(&format!("{own:?}")))
    });
    let idle = base.idle().unwrap_or_default().into_iter().map(|index| system.components[index].id.clone());
    let devices = result.into_iter().flat_map(|result| &result.components);
    let unused = devices.filter(|one| one.used == 0 && one.busy_s.is_some()).map(|one| one.id.clone());
    (components.chain(networks).collect(), idle.chain(unused).collect())
}

#[cfg(test)]
mod tests;
