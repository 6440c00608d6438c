//! `runcast sim optimize`: the configurations that nothing beats in all objectives, and advice.

mod advice;
mod document;
mod options;
mod schedule;
mod shares;

pub use document::Document;
pub use options::OptimizeArgs;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::sim::run::inputs;
use crate::sim::run::progress::Bar;
use crate::sim::sweep::{axes, check_names};
use runcast_core::{Problem, Warning};
use runcast_formula::Formula;
use runcast_sim::exchanged::{self, Effect, Exchange};
use runcast_sim::optimize::shares::Machines;
use runcast_sim::optimize::{self, CONSTRAINED, Objective, Search, evolution, pareto};
use runcast_sim::run::{self, Prepared, RunResult};
use runcast_sim::sweep::{self, Axis, Point};
use std::sync::atomic::{AtomicU64, Ordering};

/// A configuration that was simulated.
pub(crate) struct Tried {
    pub point: Point,
    pub result: RunResult,
    /// Whether it keeps to all constraints.
    pub is_allowed: bool,
}

/// Optimizes.
///
/// # Errors
/// What is wrong with the files and options; no configuration can be simulated, or none keeps to the constraints.
pub fn run(args: &OptimizeArgs, context: &mut Context) -> Result<Output, Failure> {
    let inputs = inputs::read(&args.experiment, context)?;
    let base = run::prepare(&inputs, &args.experiment.variation()?).map_err(inputs::failure)?;
    let mut axes = axes(&args.vary, &args.experiment, &inputs)?;
    let seed = args.experiment.seed.unwrap_or(inputs.experiment.seed);
    let machines: Option<Machines> = match args.search {
        Search::Grid => None,
        Search::Partitions => Some(shares::machines(&base, &axes)?),
    };
    if axes.is_empty() && machines.is_none() {
        let problem = Problem::new("nothing_varies", "nothing varies, so there is nothing to choose").at("[vary]");
        return Err(problem.hint("--vary p=1..64*2, or [vary] in the experiment").into());
    }
    let ends: Vec<Point> = [false, true].map(|last| corner(&axes, last)).into();
    check_names(&base, &axes, &ends, &args.vary)?;
    let left_out = exchanged::leave_out(&base, &mut axes).map_err(inputs::failure)?;
    let constraints = constraints(&args.constraint, &axes)?;
    let all = if machines.is_some() { shares::with_shares(&base, &axes) } else { axes.clone() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs()).build();
    let pool = pool.map_err(|error| Failure::undone(Problem::new("threads", error.to_string())))?;
    let bar = Bar::new(context);
    let searched: Result<_, Failure> = pool.install(|| {
        // Prices do not depend on times: they can be compared whatever hides these.
        let objectives = args.objectives();
        if objectives.iter().any(|objective| *objective != Objective::Price) {
            let refused = exchanged::refuse(&base, &axes, &objectives, &bar.interrupt());
            refused.map_err(|problem| inputs::failure(problem.into()))?;
        }
        let exchange = exchanged::examine_axes(&base, &axes, &|_| true, &bar.interrupt()).map_err(inputs::failure)?;
        let searched = match &machines {
            None => search(args, seed, &base, &axes, &constraints, &bar)?,
            Some(machines) => shares::search(args, seed, &base, (&axes, &all), machines, &constraints, &bar)?,
        };
        Ok((searched, exchange, exchanged::scaled_axes(&base, &axes)))
    });
    let schedule = match &searched {
        Ok(_) if inputs.experiment.apps.len() > 1 && machines.is_none() => {
            pool.install(|| schedule::schedule(args, &base, &axes, &bar))
        }
        _ => Ok(None),
    };
    bar.end(context);
    let ((searched, exchange, scaled), schedule) = (searched?, schedule?);
    let objectives = told(args, &searched.tried)?;
    let allowed: Vec<&Tried> = searched.tried.iter().filter(|one| one.is_allowed).collect();
    if allowed.is_empty() {
        let problem = Problem::new("none_allowed", "no configuration keeps to the constraints").at("--constraint");
        return Err(Failure::undone(problem.value(args.constraint.join("; "))));
    }
    let values: Vec<Vec<f64>> = allowed
        .iter()
        .map(|one| objectives.iter().map(|objective| objective.of(&one.result).unwrap_or(f64::INFINITY)).collect())
        .collect();
    let indices = pareto::front_with_equals(&values, exchanged::is_same);
    let front: Vec<&Tried> = indices.into_iter().map(|index| allowed[index]).collect();
    let mut advice = advice::advice(&all, &allowed, &front, &objectives, schedule.as_ref());
    let partly = exchange.iter().filter(|one| one.effect == Effect::PartlyHidden);
    advice.extend(partly.filter_map(Exchange::warning).map(|warning| warning.message));
    let mut document = Document::new(seed, &all, &objectives, &front, &searched, schedule, advice);
    document.warnings.extend(exchange.iter().filter_map(Exchange::warning));
    document.exchange = exchange;
    document.scaled = scaled;
    document.warnings.extend(
        left_out.iter().map(|one| Warning::new("left_out", format!("{} is left out: {}", one.value, one.reason))),
    );
    document.left_out = left_out;
    if searched.failed > 0 {
        let first = searched.first_failure.as_deref().unwrap_or_default();
        let message = format!("{} configurations could not be simulated; the first: {first}", searched.failed);
        document.warnings.push(Warning::new("not_simulated", message));
    }
    if !searched.is_exhaustive {
        let message = format!(
            "{} of {} configurations were tried by {} search: the front may lack some of the best",
            searched.tried.len(),
            searched.combinations,
            if machines.is_some() { "a local" } else { "an evolutionary" }
        );
        document.warnings.push(Warning::new("not_exhaustive", message));
    }
    let table = document::table(&document, &all);
    Ok(Output::of(document.clone())
        .human(document::text(&document, context.screen))
        .warned(document.warnings.iter().cloned())
        .with_file(args.out.path(), table))
}

/// What a search has found.
#[derive(Default)]
pub(crate) struct Searched {
    pub tried: Vec<Tried>,
    pub is_exhaustive: bool,
    pub combinations: f64,
    pub failed: usize,
    pub first_failure: Option<String>,
}

fn search(
    args: &OptimizeArgs,
    seed: u64,
    base: &Prepared,
    axes: &[Axis],
    constraints: &[Formula],
    bar: &Bar,
) -> Result<Searched, Failure> {
    let combinations: f64 = axes.iter().map(|axis| axis.values.len() as f64).product();
    let is_exhaustive = combinations <= args.budget as f64;
    let (done, of) = (AtomicU64::new(0), combinations.min(args.budget as f64) as u64);
    let step = || bar.done(done.fetch_add(1, Ordering::Relaxed) + 1, of);
    let interrupt = bar.interrupt();
    let mut searched = Searched { is_exhaustive, combinations, ..Searched::default() };
    let trial = |points: &[Point], searched: &mut Searched| -> Result<Vec<Option<usize>>, Problem> {
        let results = optimize::evaluate(base, axes, points, &interrupt, &step)?;
        points.iter().zip(results).map(|(point, result)| searched.take(point, result, axes, constraints)).collect()
    };
    let ended = if is_exhaustive {
        sweep::points(axes, 1).and_then(|points| trial(&points, &mut searched)).map(drop)
    } else {
        let sizes: Vec<usize> = axes.iter().map(|axis| axis.values.len()).collect();
        let objectives = args.objectives();
        let mut evaluate = |grid: &[evolution::Point]| {
            let points: Vec<Point> = grid.iter().map(|indices| at(axes, indices)).collect();
            let places = trial(&points, &mut searched)?;
            Ok(places.into_iter().map(|place| searched.values(place?, &objectives)).collect())
        };
        evolution::search(&sizes, args.budget as usize, seed, &mut evaluate).map(drop)
    };
    ended.map_err(|problem| inputs::failure(problem.into()))?;
    searched.some()
}

impl Searched {
    /// Itself, if anything could be simulated.
    fn some(self) -> Result<Searched, Failure> {
        if self.tried.is_empty() {
            let first = self.first_failure.unwrap_or_default();
            let message = format!("no configuration could be simulated; the first: {first}");
            return Err(Failure::input(Problem::new("not_simulated", message)));
        }
        Ok(self)
    }

    /// Keeps what was simulated; gives its place.
    fn take(
        &mut self,
        point: &Point,
        result: Result<RunResult, Problem>,
        axes: &[Axis],
        constraints: &[Formula],
    ) -> Result<Option<usize>, Problem> {
        let result = match result {
            Ok(result) => result,
            Err(problem) => {
                self.failed += 1;
                self.first_failure.get_or_insert_with(|| format!("{}: {}", words(axes, point), problem.message));
                return Ok(None);
            }
        };
        let mut is_allowed = true;
        for constraint in constraints {
            is_allowed &= optimize::keeps(constraint, axes, point, &result)?;
        }
        self.tried.push(Tried { point: point.clone(), result, is_allowed });
        Ok(Some(self.tried.len() - 1))
    }

    /// Objectives of what was tried; none if a constraint forbids it. An unknown value is worse than any other.
    fn values(&self, place: usize, objectives: &[Objective]) -> Option<Vec<f64>> {
        let one = self.tried.get(place).filter(|one| one.is_allowed)?;
        Some(objectives.iter().map(|objective| objective.of(&one.result).unwrap_or(f64::INFINITY)).collect())
    }
}

/// The point of all first values, or of all last.
fn corner(axes: &[Axis], last: bool) -> Point {
    let index = |axis: &Axis| if last { axis.values.len() - 1 } else { 0 };
    at(axes, &axes.iter().map(index).collect::<Vec<_>>())
}

fn at(axes: &[Axis], indices: &[usize]) -> Point {
    Point { values: axes.iter().zip(indices).map(|(axis, &index)| axis.values[index].clone()).collect(), repetition: 0 }
}

/// `p=8, hardware.cpu=amd-epyc-9654`.
pub(crate) fn words(axes: &[Axis], point: &Point) -> String {
    let each = axes.iter().zip(&point.values).map(|(axis, value)| format!("{}={value}", axis.name));
    each.collect::<Vec<_>>().join(", ")
}

/// Formulas over results and over what varies.
fn constraints(texts: &[String], axes: &[Axis]) -> Result<Vec<Formula>, Failure> {
    let mut all = Vec::with_capacity(texts.len());
    for text in texts {
        let wrong = |problem: Problem| problem.at("--constraint").value(text.as_str());
        let formula = Formula::parse(text).map_err(|error| {
            let mut problem = wrong(Problem::new("formula", error.to_string()));
            problem.hint = error.hint();
            problem
        })?;
        let is_known = |name: &str| CONSTRAINED.contains(&name) || axes.iter().any(|axis| axis.name == name);
        if let Some(name) = formula.names().iter().find(|name| !is_known(name)) {
            let known: Vec<&str> = CONSTRAINED.into_iter().chain(axes.iter().map(|axis| axis.name.as_str())).collect();
            let problem = wrong(Problem::new("unknown_name", format!("nothing is called {name}")));
            let mut problem = problem.allowed(known.join(", "));
            problem.hint = runcast_formula::nearest(name, known).map(|near| format!("did you mean {near}?"));
            return Err(problem.into());
        }
        all.push(formula);
    }
    Ok(all)
}

/// The objectives that have a value: those that were asked for must have one, the usual ones are left out silently.
fn told(args: &OptimizeArgs, tried: &[Tried]) -> Result<Vec<Objective>, Failure> {
    let is_told = |objective: &Objective| tried.iter().any(|one| objective.of(&one.result).is_some());
    if args.objectives.is_empty() {
        return Ok(args.objectives().into_iter().filter(is_told).collect());
    }
    if let Some(objective) = args.objectives().into_iter().find(|objective| !is_told(objective)) {
        let why = match objective {
            Objective::Energy => "give power_load to processors",
            Objective::Failure => "give mtbf to components",
            Objective::Cost => "give price_hour to machines, or --energy-price",
            Objective::Price => "give price to components",
            Objective::Time => "",
        };
        let problem = Problem::new("not_told", format!("the system does not tell the {}", objective.word()));
        return Err(problem.at("--objective").hint(why).into());
    }
    Ok(args.objectives())
}
