//! `runcast sim jobs`: a log of jobs on a system under a policy of its queue.

mod document;

pub use document::Document;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::options::paths::{InputFile, OutputFile};
use crate::output::Output;
use crate::plots;
use crate::sim::catalogue::CatalogueArgs;
use crate::sim::run::progress::Bar;
use crate::tables;
use clap::{Args, ValueEnum, ValueHint};
use runcast_core::{Problem, Problems, Warning};
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_sim::jobs::{self, Faults, Policy, Statistics, Window};
use runcast_sim::system::{self, Changes, System, Totals};
use std::sync::atomic::Ordering;

const EXAMPLES: &str = "\
Examples:
  runcast sim jobs month.swf --system cluster.toml --policy easy -o jobs.csv
  runcast sim jobs month.swf --system cluster.toml --on rack --from 0 --to 7d --faults";

/// Arguments of `runcast sim jobs`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct JobsArgs {
    /// A log in the Standard Workload Format
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub log: InputFile,
    /// The system
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub system: InputFile,
    /// The component that the jobs run on (default: the whole system)
    #[arg(long, value_name = "ID")]
    pub on: Option<String>,
    /// What a processor of the log is
    #[arg(long, value_name = "UNIT", default_value = "core")]
    pub unit: Unit,
    /// Who starts when
    #[arg(long, value_name = "P", default_value = "easy")]
    pub policy: PolicyArg,
    /// Leave out what is submitted before this time of the log
    #[arg(long, value_name = "T", value_parser = time)]
    pub from: Option<f64>,
    /// Leave out what is submitted at this time or later
    #[arg(long, value_name = "T", value_parser = time)]
    pub to: Option<f64>,
    /// Components fail, by their mtbf: jobs start over, or at their last checkpoint
    #[arg(long)]
    pub faults: bool,
    /// Seed of the faults
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Draw busy and waiting processors over time
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot: Option<OutputFile>,
    #[command(flatten)]
    pub catalogue: CatalogueArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

/// What a processor of a log is on a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    /// A core of its processors
    Core,
    /// A whole machine
    Machine,
}

/// Who starts when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PolicyArg {
    /// First come, first served
    Fcfs,
    /// Jobs may pass that do not delay the first one
    Easy,
}

/// Simulates the queue.
///
/// # Errors
/// What is wrong with log and system; an interrupt.
pub fn run(args: &JobsArgs, context: &mut Context) -> Result<Output, Failure> {
    let catalogue = args.catalogue.read(context)?;
    let text = context.read_text(&args.system)?;
    let read =
        system::read(&text, &tables::name_of(&args.system), &catalogue, &Changes::default()).map_err(Problems)?;
    let system = read.system;
    let system = match &args.on {
        Some(id) => system.part(id).ok_or_else(|| no_component(&system, id))?,
        None => system,
    };
    let totals = system.totals();
    let size = match args.unit {
        Unit::Core => totals.cores as u64,
        Unit::Machine => totals.machines,
    };
    if size == 0 {
        let problem = Problem::new("no_processors", "there is no processor that jobs could run on").at("--unit");
        return Err(problem.hint("--unit machine counts machines").into());
    }
    let text = context.read_text(&args.log)?;
    let window = Window { from_s: args.from.unwrap_or(f64::NEG_INFINITY), to_s: args.to.unwrap_or(f64::INFINITY) };
    let log = jobs::read(&text, &tables::name_of(&args.log), size, window)?;
    drop(text);
    let mut warnings = read.warnings;
    // Jobs of a log exchange no messages.
    warnings.retain(|warning| warning.code != "no_network");
    warnings.extend(log.warnings.iter().cloned());
    let faults = faults(args, &totals, size, system.faults, &mut warnings);
    let policy = match args.policy {
        PolicyArg::Fcfs => Policy::Fcfs,
        PolicyArg::Easy => Policy::Easy,
    };
    let bar = Bar::new(context);
    let interrupt = bar.interrupt();
    let scheduled = jobs::schedule(&log.jobs, size, policy, faults, &mut |arrived| {
        bar.done(arrived as u64, log.jobs.len() as u64);
        match interrupt.load(Ordering::Relaxed) {
            true => Err(runcast_sim::run::interrupted()),
            false => Ok(()),
        }
    });
    bar.end(context);
    let scheduled = scheduled.map_err(Failure::undone)?;
    let statistics = Statistics::of(&scheduled, size);
    let document = Document::new(args, size, &log, &statistics, &totals, warnings);
    let mut output = Output::of(document.clone())
        .human(document.text(context.screen))
        .warned(document.warnings.iter().cloned())
        .with_file(args.out.path(), document::table(&scheduled));
    if let Some(path) = &args.plot {
        output.files.push(plots::file(path, &document::plot(&scheduled, &document))?);
    }
    Ok(output)
}

/// Reads the files that the command reads.
///
/// # Errors
/// Those that cannot be read.
pub(crate) fn read_files(args: &JobsArgs, context: &mut Context) -> Result<(), Failure> {
    args.catalogue.read(context)?;
    context.read_text(&args.system)?;
    context.read_text(&args.log)?;
    Ok(())
}

/// The rate of one processor, if faults were asked for.
fn faults(
    args: &JobsArgs,
    totals: &Totals,
    size: u64,
    saved: Option<runcast_sim::faults::Faults>,
    warnings: &mut Vec<Warning>,
) -> Option<Faults> {
    if !args.faults {
        return None;
    }
    let Some(rate) = totals.failure_rate_per_s.filter(|rate| *rate > 0.0) else {
        let text = "no component has a failure rate: nothing fails; give it mtbf".to_owned();
        warnings.push(Warning::new("no_failure_rate", text));
        return None;
    };
    Some(Faults { rate_per_s: rate / size as f64, seed: args.seed, saved })
}

fn no_component(system: &System, id: &str) -> Problem {
    let ids: Vec<&str> = system.components.iter().map(|component| component.id.as_str()).collect();
    let problem = Problem::new("unknown_component", format!("there is no component {id}")).value(id).at("--on");
    match runcast_formula::nearest(id, ids.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean {near}?")),
        None => problem.allowed(ids.join(", ")),
    }
}

fn time(text: &str) -> Result<f64, String> {
    parse_quantity(text, Dimension::Time).map_err(|error| error.to_string())
}
