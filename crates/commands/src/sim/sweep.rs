//! `runcast sim sweep`: all combinations of parameters and hardware, a row each, into a table that is resumed.

mod document;
mod file;
mod speedup;

pub use document::Document;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::output::Output;
use crate::sim::run::progress::Bar;
use crate::sim::run::{ExperimentArgs, inputs};
use clap::Args;
use runcast_core::{Problem, Warning};
use runcast_sim::experiment::Varied;
use runcast_sim::run;
use runcast_sim::sweep::{self, Axis};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arguments of `runcast sim sweep`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct SweepArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
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
    #[allow(missing_docs)]
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

/// Sweeps.
///
/// # Errors
/// What is wrong with the files and options; no combination can be simulated; an interrupt, with what is in the table.
pub fn run(args: &SweepArgs, context: &mut Context) -> Result<Output, Failure> {
    let inputs = inputs::read(&args.experiment, context)?;
    let base = run::prepare(&inputs, &args.experiment.variation()?).map_err(inputs::failure)?;
    let axes = axes(&args.vary, &base)?;
    if let Some(parameter) = &args.speedup
        && !axes.iter().any(|axis| axis.name == *parameter)
    {
        let names: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
        let problem = Problem::new("not_varied", format!("{parameter} does not vary")).at("--speedup");
        return Err(problem.value(parameter.as_str()).allowed(names.join(", ")).into());
    }
    let points = sweep::points(&axes, inputs.experiment.repetitions)?;
    let keys: Vec<String> = points.iter().map(|point| sweep::key(&base, &axes, point)).collect();
    let path = args.out.path().filter(|path| path.as_os_str() != "-");
    let mut table = file::SweepTable::new(&axes, args.speedup.is_some());
    if let Some(path) = path {
        table.open(path, context)?;
    }
    let missing: Vec<usize> = (0..points.len()).filter(|&index| !table.has(&keys[index])).collect();
    let left: Vec<sweep::Point> = missing.iter().map(|&index| points[index].clone()).collect();
    let taken_over = points.len() - missing.len();

    let bar = Bar::new(context);
    let (done, of) = (AtomicU64::new(0), left.len() as u64);
    let shared = Mutex::new((&mut table, None::<Failure>));
    let on_row = |index: usize, row: sweep::Row| {
        let cells = file::cells(&left[index], &row);
        let mut shared = shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Err(failure) = shared.0.add(row.key, cells) {
            shared.1.get_or_insert(failure);
        }
        drop(shared);
        bar.done(done.fetch_add(1, Ordering::Relaxed) + 1, of);
    };
    let jobs = args.jobs.map_or_else(|| args.experiment.threads(), |jobs| jobs as usize);
    let ended = sweep::run(&base, &axes, &left, jobs, &bar.interrupt(), &on_row);
    let unwritten = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).1;
    bar.end(context);
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    if let Some(parameter) = &args.speedup {
        speedup::fill(&mut table, &axes, parameter, &keys);
    }
    let bytes = table.finish(&keys)?;
    let mut document = Document::new(&axes, &table, &keys, taken_over);
    let failed = document.failed;
    if failed > 0 {
        let first = table.first_failure(&keys).unwrap_or_default();
        let message = format!("{failed} of {} combinations could not be simulated; the first: {first}", points.len());
        document.warnings.push(Warning::new("not_simulated", message));
    }
    let mut output = Output::of(document.clone())
        .human(document::text(&document, context.screen))
        .warned(document.warnings.iter().cloned());
    match (path, args.out.path()) {
        (Some(path), _) => {
            output = output.noted(format!("wrote {}: {} rows", path.display(), document.rows.len()));
        }
        (None, stdout) => output = output.with_file(stdout, bytes),
    }
    if let Err(problems) = ended {
        output.problems.extend(problems.0);
        return Ok(output.exit(1));
    }
    if failed == points.len() {
        output.problems.push(Problem::new("not_simulated", "no combination could be simulated"));
        return Ok(output.exit(2));
    }
    Ok(output)
}

/// What options vary comes in place of what the experiment varies under the same name.
pub(crate) fn axes(options: &[String], base: &run::Prepared) -> Result<Vec<Axis>, Failure> {
    let mut vary: Vec<Varied> = base.inputs.experiment.vary.clone();
    for text in options {
        let varied = Varied::option_up_to(text, "--vary", MOST_OF_A_RULE)?;
        match vary.iter_mut().find(|there| there.name == varied.name) {
            Some(there) => *there = varied,
            None => vary.push(varied),
        }
    }
    Ok(sweep::axes(&vary, base)?)
}
