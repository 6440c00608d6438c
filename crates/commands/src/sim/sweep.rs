//! `runcast sim sweep`: all combinations of parameters and hardware, one row each, in a table that can be resumed.

mod document;
mod file;
mod row;
mod seen;
mod speedup;

pub(crate) use file::is_failed;

pub use document::Document;
pub use row::Row;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::output::Output;
use crate::sim::run::progress::Bar;
use crate::sim::run::{ExperimentArgs, inputs};
use clap::Args;
use runcast_core::{Problem, Problems, Warning};
use runcast_sim::exchanged::{self, Exchange};
use runcast_sim::experiment::Varied;
use runcast_sim::run::{self, Inputs, Prepared};
use runcast_sim::sweep::{self, Axis, Point};
use runcast_sim::world::Scaled;
use seen::Seen;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Arguments of `runcast sim sweep`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct SweepArgs {
    #[command(flatten)]
    pub experiment: ExperimentArgs,

    /// What varies, over the experiment's own: p=1..1024*2; may be repeated
    #[arg(long, value_name = "NAME=VALUES", help_heading = "Sweep")]
    pub vary: Vec<String>,
    /// Simulations at once (all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096), help_heading = "Sweep")]
    pub jobs: Option<u64>,
    /// Add speedup and efficiency against the least value of this parameter
    #[arg(long, value_name = "PARAM", help_heading = "Sweep")]
    pub speedup: Option<String>,
    #[command(flatten)]
    pub out: OutArgs,
}

const EXAMPLES: &str = "\
Examples:
  runcast sim sweep sort/experiment.toml -o sort.csv
  runcast sim sweep sort/experiment.toml --vary p=powers:2 --speedup p
  runcast sim sweep sort/experiment.toml --vary p=1..64*2 \\
    --vary hardware.cpu=intel-xeon-l5640,amd-epyc-9654 -o both.csv
  runcast fit sort.csv";

/// Processes of rules without an end, such as `powers:2`.
const MOST_OF_A_RULE: f64 = 1024.0;

/// What is swept, as the files and options say it.
pub(crate) struct Plan {
    pub axes: Vec<Axis>,
    pub points: Vec<Point>,
}

/// Sweeps.
///
/// # Errors
/// What is wrong with the files and options; no combination can be simulated; an interrupt, with what is in the table.
pub fn run(args: &SweepArgs, context: &mut Context) -> Result<Output, Failure> {
    let inputs = inputs::read(&args.experiment, context)?;
    let base = run::prepare(&inputs, &args.experiment.variation()?).map_err(inputs::failure)?;
    let plan = Plan::new(args, &inputs)?;
    check_names(&base, &plan.axes, &plan.points, &args.vary)?;
    let keys: Vec<String> = plan.points.iter().map(|point| sweep::key(&base, &plan.axes, point)).collect();
    let mut table = file::SweepTable::new(&plan.axes, args.speedup.is_some());
    if let Some(path) = args.file().filter(|_| context.on_disk) {
        table.open(path, context)?;
    }
    let missing: Vec<usize> = (0..plan.points.len()).filter(|&index| !table.has(&keys[index])).collect();
    let left: Vec<Point> = missing.iter().map(|&index| plan.points[index].clone()).collect();
    let taken_over = plan.points.len() - missing.len();
    let header = table.header.clone();
    let shared = Mutex::new((&mut table, None::<Failure>));
    let seen = Seen::default();
    let on_row = |index: usize, row: sweep::Row| {
        if let Ok(result) = &row.result {
            seen.take(&left[index], result);
        }
        let cells = file::cells(&header, base.fidelity.word(), &plan.axes, &left[index], &row);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(failure) = shared.0.add(row.key, cells) {
            shared.1.get_or_insert(failure);
        }
    };
    let ended = simulate(args, &base, &plan.axes, &left, context, &on_row);
    if let Some(failure) = shared.into_inner().unwrap_or_else(PoisonError::into_inner).1 {
        return Err(failure);
    }
    let exchanges = match ended {
        Ok(()) => examined(&base, &plan.axes, &seen, context)?,
        Err(_) => Exchanges::default(),
    };
    let (mut output, failed) = finish(args, &plan, table, (&keys, taken_over), exchanges, context)?;
    if let Err(problems) = ended {
        output.problems.extend(problems.0);
        return Ok(output.exit(1));
    }
    Ok(judged(output, failed, plan.points.len()))
}

/// What exchanged hardware does, for the first configuration.
#[derive(Default)]
struct Exchanges {
    /// What it, and attributes, do to the result, and which parameters do nothing.
    exchange: Vec<Exchange>,
    /// Coefficients that follow it.
    scaled: Vec<Scaled>,
}

/// What exchanged hardware does.
fn examined(base: &run::Prepared, axes: &[Axis], seen: &Seen, context: &mut Context) -> Result<Exchanges, Failure> {
    let bar = Bar::new(context);
    // With noise rows differ by their draws.
    let changed = if base.inputs.experiment.noise.is_some() { Vec::new() } else { seen.changed(axes) };
    let is_changed = |axis: usize| changed.get(axis).is_some_and(|changed| *changed);
    let exchange = exchanged::examine_axes(base, axes, &is_changed, &bar.interrupt());
    bar.end(context);
    Ok(Exchanges { exchange: exchange.map_err(inputs::failure)?, scaled: exchanged::scaled_axes(base, axes) })
}

/// What a sweep would simulate; no script is run.
///
/// # Errors
/// What is wrong with the files and options, as far as it is seen.
pub(crate) fn plan(args: &SweepArgs, context: &mut Context) -> Result<(Arc<Inputs>, Plan), Failure> {
    let inputs = inputs::read(&args.experiment, context)?;
    args.experiment.variation()?;
    let plan = Plan::new(args, &inputs)?;
    Ok((inputs, plan))
}

/// Simulates some points; `done` is given the cells of each as they come, in any order.
///
/// # Errors
/// What is wrong with the files and options; an interrupt.
pub(crate) fn compute(
    args: &SweepArgs,
    points: &[u64],
    context: &mut Context,
    done: &(dyn Fn(u64, Row) + Sync),
) -> Result<(), Failure> {
    let inputs = inputs::read(&args.experiment, context)?;
    let base = run::prepare(&inputs, &args.experiment.variation()?).map_err(inputs::failure)?;
    let plan = Plan::new(args, &inputs)?;
    check_names(&base, &plan.axes, &plan.points, &args.vary)?;
    let wanted = points.iter().map(|&point| plan.points.get(point as usize).cloned().map(|found| (point, found)));
    let (numbers, left): (Vec<u64>, Vec<Point>) = wanted.collect::<Option<Vec<_>>>().into_iter().flatten().unzip();
    if numbers.len() != points.len() {
        let problem = Problem::new("no_such_point", "the sweep has no such point");
        return Err(Failure::undone(problem.allowed(format!("0 to {}", plan.points.len().saturating_sub(1)))));
    }
    let header = file::header(&plan.axes, args.speedup.is_some());
    let mut exchanges = Exchanges::default();
    if numbers.contains(&0) {
        exchanges = examined(&base, &plan.axes, &Seen::default(), context)?;
    }
    let on_row = |index: usize, row: sweep::Row| {
        let cells = file::cells(&header, base.fidelity.word(), &plan.axes, &left[index], &row);
        let (exchange, scaled) = match numbers[index] {
            0 => (exchanges.exchange.clone(), exchanges.scaled.clone()),
            _ => Default::default(),
        };
        done(numbers[index], Row { cells, exchange, scaled });
    };
    simulate(args, &base, &plan.axes, &left, context, &on_row).map_err(Failure::undone)
}

/// The output of a sweep whose points were computed elsewhere; those that are not there are left out.
///
/// # Errors
/// What is wrong with the files and options; a row of another sweep.
pub(crate) fn assemble(args: &SweepArgs, mut rows: Vec<(u64, Row)>, context: &mut Context) -> Result<Output, Failure> {
    let (_, plan) = plan(args, context)?;
    let mut table = file::SweepTable::new(&plan.axes, args.speedup.is_some());
    rows.sort_by_key(|(point, _)| *point);
    let mut keys = Vec::with_capacity(rows.len());
    let columns = table.header.len();
    let mut exchanges = Exchanges::default();
    for (point, Row { cells, exchange, scaled }) in rows {
        let Some(key) = cells.last().filter(|_| cells.len() == columns && point < plan.points.len() as u64) else {
            let problem = Problem::new("internal", "a row is of another sweep").value(cells.join(","));
            return Err(Failure::undone(problem));
        };
        keys.push(key.clone());
        table.add(key.clone(), cells)?;
        exchanges.exchange.extend(exchange);
        exchanges.scaled.extend(scaled);
    }
    let (output, failed) = finish(args, &plan, table, (&keys, 0), exchanges, context)?;
    Ok(judged(output, failed, plan.points.len()))
}

fn simulate(
    args: &SweepArgs,
    base: &run::Prepared,
    axes: &[Axis],
    points: &[Point],
    context: &mut Context,
    on_row: &(dyn Fn(usize, sweep::Row) + Sync),
) -> Result<(), Problems> {
    let bar = Bar::new(context);
    let (done, of) = (AtomicU64::new(0), points.len() as u64);
    let each = |index: usize, row: sweep::Row| {
        on_row(index, row);
        bar.done(done.fetch_add(1, Ordering::Relaxed) + 1, of);
    };
    // Elsewhere it is the worker who says how many.
    let asked = args.jobs.filter(|_| context.on_disk);
    let jobs = asked.map_or_else(|| args.experiment.threads(), |jobs| jobs as usize);
    let ended = sweep::run(base, axes, points, jobs, &bar.interrupt(), &each);
    bar.end(context);
    ended
}

/// The table in order, the document and the text; and how many rows failed.
fn finish(
    args: &SweepArgs,
    plan: &Plan,
    mut table: file::SweepTable,
    (keys, taken_over): (&[String], usize),
    Exchanges { exchange, scaled }: Exchanges,
    context: &Context,
) -> Result<(Output, usize), Failure> {
    if let Some(parameter) = &args.speedup {
        speedup::fill(&mut table, &plan.axes, parameter, keys);
    }
    let bytes = table.finish(keys)?;
    let mut document = Document::new(&plan.axes, &table, keys, taken_over);
    let failed = document.failed;
    document.warnings.extend(exchange.iter().filter_map(Exchange::warning));
    document.exchange = exchange;
    document.scaled = scaled;
    if failed > 0 {
        let first = table.first_failure(keys).unwrap_or_default();
        let message =
            format!("{failed} of {} combinations could not be simulated; the first: {first}", plan.points.len());
        document.warnings.push(Warning::new("not_simulated", message));
    }
    let mut output = Output::of(document.clone())
        .human(document::text(&document, context.screen))
        .warned(document.warnings.iter().cloned());
    if let Some(path) = args.file() {
        output = output.noted(format!("wrote {}: {} rows", path.display(), document.rows.len()));
    }
    let is_written = args.file().is_some() && context.on_disk;
    Ok((output.with_file(args.out.path().filter(|_| !is_written), bytes), failed))
}

/// With the exit code that so many failed rows mean.
pub(crate) fn judged(mut output: Output, failed: usize, points: usize) -> Output {
    if failed == points {
        output.problems.push(Problem::new("not_simulated", "no combination could be simulated"));
        return output.exit(2);
    }
    output
}

impl SweepArgs {
    /// The table's file, if it is one.
    fn file(&self) -> Option<&Path> {
        self.out.path().filter(|path| path.as_os_str() != "-")
    }
}

impl Plan {
    fn new(args: &SweepArgs, inputs: &Inputs) -> Result<Plan, Failure> {
        let axes = axes(&args.vary, &args.experiment, inputs)?;
        if let Some(parameter) = &args.speedup
            && !axes.iter().any(|axis| axis.name == *parameter)
        {
            let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
            let problem = Problem::new("not_varied", format!("{parameter} does not vary")).at("--speedup");
            return Err(problem.value(parameter.as_str()).allowed(names.join(", ")).into());
        }
        let points = sweep::points(&axes, inputs.experiment.repetitions.unwrap_or(1))?;
        Ok(Plan { axes, points })
    }
}

/// Refuses names that mean nothing before anything is simulated.
pub(crate) fn check_names(base: &Prepared, axes: &[Axis], points: &[Point], options: &[String]) -> Result<(), Failure> {
    sweep::check_names(base, axes, points).map_err(|problem| {
        let name = problem.value.clone().unwrap_or_default();
        let is_option = |text: &String| text.split('=').next().is_some_and(|there| there.trim() == name);
        let experiment = &base.inputs.experiment;
        match experiment.vary.iter().find(|varied| varied.name == name) {
            Some(varied) if !options.iter().any(is_option) => varied.spot.locate(&experiment.file, problem).into(),
            _ => problem.at("--vary").into(),
        }
    })
}

/// What options vary comes in place of what the experiment varies under the same name; what options set does not vary.
pub(crate) fn axes(options: &[String], experiment: &ExperimentArgs, inputs: &Inputs) -> Result<Vec<Axis>, Failure> {
    let mut vary: Vec<Varied> = inputs.experiment.vary.clone();
    vary.retain(|varied| !experiment.fixes(&varied.name));
    for text in options {
        let varied = Varied::option(text, "--vary", MOST_OF_A_RULE)?;
        match vary.iter_mut().find(|there| there.name == varied.name) {
            Some(there) => *there = varied,
            None => vary.push(varied),
        }
    }
    Ok(sweep::axes(&vary, inputs)?)
}
