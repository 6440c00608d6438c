//! `runcast cll run`: runs a program that records, and checks what recording costs it.

mod launch;
mod overhead;
mod told;

use crate::bench::{LauncherChoice, launcher_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::OutputPath;
use crate::output::Output;
use clap::{Args, ValueEnum, ValueHint};
use launch::{Kind, Launch};
use runcast_core::Warning;
use serde::Serialize;

/// Arguments of `runcast cll run`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// The program, built with `runcast cll cc`, and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Where traces go; made if it is missing
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath, default_value = ".")]
    pub output: OutputPath,
    /// How many times to run it; runs are numbered on from those in DIR, or from $CLL_RUN
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repetitions: u32,
    /// Also run it with outer regions alone, and with none, three times each, and compare
    #[arg(long)]
    pub check_overhead: bool,
    /// The clock of the regions [default: $CLL_CLOCK, else mono]
    #[arg(long, value_name = "CLOCK")]
    pub clock: Option<Clock>,
    /// What starts it: local, or the command of an MPI launcher with its options, such as 'mpirun --bind-to core'
    #[arg(long, value_name = "COMMAND", default_value = "local", value_parser = launcher_of)]
    pub launcher: LauncherChoice,
    /// How many processes an MPI launcher starts
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub processes: Option<u32>,
}

/// A clock of the run-time library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Clock {
    /// That of the system, clock_gettime
    Mono,
    /// The time-stamp counter of the processor, where it is invariant
    Tsc,
}

const EXAMPLES: &str = "\
Examples:
  runcast cll run -o traces -- ./solver 4096
  runcast cll run --check-overhead -- mpirun -n 4 ./solver 4096
  runcast cll run --repetitions 5 --launcher mpirun --processes 4 -- ./solver 4096";

/// Rounds of a check: the fewest whose medians have a standard error.
const ROUNDS: u32 = 3;

/// The document of `cll run`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    /// The recorded runs.
    runs: Vec<RunEntry>,
    /// What recording costs; null where that was not asked for, or could not be found out.
    overhead: Option<overhead::Overhead>,
    warnings: Vec<Warning>,
}

/// A run.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RunEntry {
    pub run: u64,
    /// `ok`, or how it failed, as in tables of `bench`.
    pub status: String,
    pub wall_s: Option<f64>,
    pub cpu_s: Option<f64>,
    /// Files of the traces that it left.
    pub traces: Vec<String>,
}

/// Runs it.
///
/// # Errors
/// It cannot be started, or there is no folder for traces.
pub fn run(args: &RunArgs, context: &mut Context) -> Result<Output, Failure> {
    let launch = Launch::of(args)?;
    let mut document = Document { kind: "cll-run", version: 1, runs: Vec::new(), overhead: None, warnings: Vec::new() };
    let mut rounds = Vec::new();
    let full = if args.check_overhead { args.repetitions.max(ROUNDS) } else { args.repetitions };
    for round in 0..full {
        let first = launch.run(Kind::Full, context)?;
        let mut goes_on = first.goes_on;
        if args.check_overhead && round < ROUNDS && goes_on {
            let outer = launch.run(Kind::Outer, context)?;
            let off = launch.run(Kind::Off, context)?;
            goes_on = outer.goes_on && off.goes_on;
            rounds.push(overhead::Round { full: first.clone(), outer, off });
        }
        document.warnings.extend(first.warnings);
        document.runs.push(first.entry);
        if !goes_on {
            break;
        }
    }
    if args.check_overhead {
        let checked = overhead::compare(&rounds);
        document.warnings.extend(checked.warnings);
        document.overhead = checked.overhead;
    }
    document.warnings.dedup_by(|a, b| a.code == b.code && a.message == b.message);
    let failed = context.is_interrupted() || document.runs.iter().any(|run| run.status != "ok");
    let human = told::text(&document.runs, document.overhead.as_ref(), context.screen);
    let warnings = document.warnings.clone();
    let next = document.runs.iter().any(|run| !run.traces.is_empty());
    let output = Output::of(document).human(human).warned(warnings).exit(u8::from(failed));
    if failed || !next {
        return Ok(output);
    }
    Ok(output.noted(format!("next: runcast llac -e 'load {}/*.csv as t; show t'", args.output.display())))
}
