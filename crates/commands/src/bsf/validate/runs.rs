//! Runs in place of a table: a program with each number of workers.

mod line;
mod options;
mod origin;
mod plan;
mod progress;
mod series;

pub use options::RunsArgs;

use super::super::calibrate::busy;
use super::super::launch::{LaunchArgs, let_the_master_speak};
use super::super::own::Own;
use super::super::run::error;
use super::{ModelArgs, ValidateArgs, validated};
use crate::context::Context;
use crate::failure::Failure;
use crate::human::count;
use crate::output::{Content, Destination, OutFile, Output};
use line::Line;
use plan::Plan;
use progress::Watched;
use runcast_bench::Machine;
use runcast_bsf::cost::MOST_ELEMENTS;
use runcast_bsf::programs::Program;
use runcast_bsf::skeleton::mpi::{self, World};
use runcast_core::table::ReadOptions;
use runcast_core::{Problem, Table};
use series::Series;
use std::path::Path;

/// Runs with each number of workers by default.
const REPETITIONS: u32 = 3;

/// Runs a program with each number of workers, and holds predictions against the times.
///
/// # Errors
/// What is wrong with the options, before anything is run; why a run gave nothing.
pub(super) fn run(args: &ValidateArgs, name: &str, context: &mut Context) -> Result<Output, Failure> {
    if let Some(world) = mpi::under_launcher().filter(|world| world.size != Some(1)) {
        return refused(world);
    }
    check_stdout(args, context)?;
    if let Some(own) = Own::of(name, &args.runs.figures)? {
        return run_own(args, &own, context);
    }
    let program = Program::new(name, &args.runs.settings.read(context)?)?;
    let plan = Plan::of(args, &program)?;
    plan.workers.iter().try_for_each(|&workers| error::check_workers(workers as usize, program.list_length()))?;
    // The table has all numbers of workers that are asked for.
    let model = ModelArgs { workers: None, ..args.model.clone() };
    rehearse(args, &model, &plan, &program, context)?;
    let machine = Machine::observe();
    let series = measured(args, &plan, &program, context)?;
    let mut table = table_of(&series.csv())?;
    table.warnings.extend(busy(&machine));
    table.warnings.extend(plan.crowded(&machine));
    if let Some(costs) = &model.params {
        table.warnings.extend(origin::difference(&context.read_text(costs)?, program.name(), &args.runs));
    }
    table.warnings.extend(series.warnings.iter().cloned());
    let output = validated(&table, &model, &args.choice, &args.output, context)?;
    Ok(noted(output, args, &plan, &series))
}

/// The same with a program of the user's own.
fn run_own(args: &ValidateArgs, own: &Own, context: &mut Context) -> Result<Output, Failure> {
    super::check(&args.model)?;
    let runs = &args.runs;
    let launched = runs.launch != LaunchArgs::default();
    let given = [
        ("--backend", runs.backend.is_some()),
        ("--threads", runs.threads.is_some()),
        ("--wait", runs.wait.is_some()),
        ("--launcher", launched),
        ("--iterations", runs.iterations.is_some() && !own.has_phases()),
    ];
    Own::check_unused(&given, &runs.settings, &own.command)?;
    let workers = plan::workers(args.model.workers.as_ref(), MOST_ELEMENTS)?;
    workers.iter().try_for_each(|&workers| error::check_workers(workers as usize, MOST_ELEMENTS))?;
    let collective = plan::collective(&args.model.collectives())?;
    let machine = Machine::observe();
    let found = own.measured(&workers, runs.repeat.unwrap_or(REPETITIONS), collective, runs.iterations, context)?;
    let timings = runs.timings.as_deref();
    if let Some(to @ Destination::Path(_)) = timings.map(Destination::of) {
        // Whatever becomes of them.
        OutFile { to, content: Content::Bytes(found.csv.clone().into_bytes()) }.write(None, &[])?;
    }
    let mut table = table_of(&found.csv)?;
    table.warnings.extend(busy(&machine));
    table.warnings.extend(found.warnings);
    let model = ModelArgs { workers: None, ..args.model.clone() };
    let mut choice = args.choice.clone();
    choice.metric = choice.metric.or_else(|| own.figure().map(str::to_owned));
    let output = validated(&table, &model, &choice, &args.output, context)?;
    Ok(written(output.with_file(timings, found.csv), timings))
}

/// Runs with several numbers of workers cannot be made in the ranks of one.
fn refused(world: World) -> Result<Output, Failure> {
    if world.rank > 0 {
        let_the_master_speak();
        return Ok(Output::default().exit(2));
    }
    let message = "runs with several numbers of workers cannot be made by processes that are there already";
    let problem = Problem::new("under_launcher", message).at("--run");
    Err(problem.hint("start it without mpirun or srun: with --backend mpi it starts them itself").into())
}

/// The standard output has room for one; after hours of runs it is too late to say so.
fn check_stdout(args: &ValidateArgs, context: &Context) -> Result<(), Problem> {
    let named = [
        ("--timings", args.runs.timings.as_deref()),
        ("--report", args.output.report.as_deref()),
        ("-o", args.output.out.path()),
    ];
    let taking = named.into_iter().filter(|(_, path)| path.is_some_and(|path| path.as_os_str() == "-"));
    let mut taking: Vec<&str> = taking.map(|(option, _)| option).collect();
    taking.extend(context.command_line.iter().any(|word| word == "--json").then_some("--json"));
    match taking.as_slice() {
        [first, second, ..] => {
            let message = format!("{first} and {second} both write to the standard output");
            Err(Problem::new("stdout_taken", message).at(*first).value("-").hint(format!("name a file: {first} FILE")))
        }
        _ => Ok(()),
    }
}

/// Finds out what is wrong with the options before hours of runs are made for them: with times that nobody measured.
fn rehearse(
    args: &ValidateArgs,
    model: &ModelArgs,
    plan: &Plan,
    program: &Program,
    context: &mut Context,
) -> Result<(), Failure> {
    if let Some(path) = model.params.as_ref().filter(|path| path.as_os_str() == "-") {
        // It can be read once only.
        let problem = Problem::new("not_from_stdin", "the costs are needed before and after the runs");
        return Err(problem.at("--costs").value(path.display().to_string()).hint("name a file").into());
    }
    let table = table_of(&Series::made_up(plan, program).csv())?;
    validated(&table, model, &args.choice, &args.output, context).map(|_| ())
}

/// Repetition by repetition, so that a slow hour of the machine hits all numbers of workers alike.
fn measured(args: &ValidateArgs, plan: &Plan, program: &Program, context: &mut Context) -> Result<Series, Failure> {
    let line = Line { program: program.name(), args: &args.runs, collective: plan.collective };
    let watched = Watched::begin(&format!("running {}, size {}", program.name(), program.size()), plan.runs(), context);
    watched.during(context, |watched, context| {
        let iterations = plan.iterations(|workers, iterations| line.run(workers, iterations, context))?;
        let mut series = Series::new(iterations);
        for (rep, workers) in plan.order() {
            watched.next(&count(workers as usize, "worker", "workers"));
            series.add(rep, workers, &line.run(workers, iterations, context)?);
            series.save(args.runs.timings.as_deref())?;
        }
        Ok(series)
    })
}

fn table_of(csv: &str) -> Result<Table, Failure> {
    let mut table = Table::read("the runs", csv.as_bytes(), &ReadOptions::default())?;
    // There is no such file that someone could look into.
    table.files.clear();
    Ok(table)
}

fn noted(output: Output, args: &ValidateArgs, plan: &Plan, series: &Series) -> Output {
    let iterations = count(series.iterations as usize, "iteration", "iterations");
    let runs = match plan.repeat {
        1 => format!("each time is the median of {iterations}"),
        repeat => format!("each time is the median of {repeat} runs, of each the median of {iterations}"),
    };
    let timings = args.runs.timings.as_deref();
    written(output.noted(runs).with_file(timings, series.csv()), timings)
}

fn written(output: Output, timings: Option<&Path>) -> Output {
    match timings.filter(|path| path.as_os_str() != "-") {
        Some(path) => output.noted(format!("wrote {}", path.display())),
        None => output,
    }
}
