//! `runcast record`: records an MPI program as it is, unchanged. One module per step.

pub(crate) mod application;
mod check;
mod dump;
mod environment;
mod export;
mod finish;
pub(crate) mod ideal;
mod import;
mod library;
pub(crate) mod load;
mod open;
pub(crate) mod places;
mod ranks;
mod run;
mod show;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::OutputPath;
use crate::options::{duration_s, megabytes, word};
use crate::output::Output;
use clap::{Args, Subcommand, ValueHint};
use runcast_core::Problem;
use std::path::PathBuf;

pub use open::open;
pub(crate) use run::{how_it_ended, watched};

/// Arguments of `runcast record`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct RecordArgs {
    #[command(subcommand)]
    pub to: Option<Record>,
    /// The folder for the recording; made if it is missing
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "rec")]
    pub output: OutputPath,
    /// The usual command line: mpirun -n 16 ./app
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    #[command(flatten)]
    pub recorder: RecorderArgs,
    /// A parameter of the program, kept with the recording: N=100; may be repeated
    #[arg(long, value_name = "NAME=V", value_parser = parameter)]
    pub set: Vec<(String, f64)>,
    /// Keep the files of the ranks beside recording.rcr
    #[arg(long)]
    pub keep_ranks: bool,
    /// Write over files that are there
    #[arg(long)]
    pub force: bool,
}

/// Whether hardware counters are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Counters {
    /// Where that needs no system call: nowhere yet.
    #[default]
    Auto,
    /// At each call.
    On,
    /// Never.
    Off,
}

runcast_core::words!(Counters::word: Auto = "auto", On = "on", Off = "off");

/// How the recorder is built and what it keeps.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct RecorderArgs {
    /// The compiler that the program was built with [default: $MPICC, beside the launcher, in PATH]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::ExecutablePath, help_heading = "Recorder")]
    pub mpicc: Option<String>,
    /// Return addresses that make a call site, outwards to main
    #[arg(long, value_name = "FRAMES", default_value_t = 4, hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=16), help_heading = "Recorder")]
    pub depth: u32,
    /// The longest sequence of calls that is looked for as a loop
    #[arg(long, value_name = "CALLS", default_value_t = 256, hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=65_536), help_heading = "Recorder")]
    pub window: u32,
    /// Memory of a rank, above which only counts and sums are kept
    #[arg(long, value_name = "BYTES", default_value = "64MiB", value_parser = megabytes, help_heading = "Recorder")]
    pub limit: u64,
    /// How often each rank saves what it has, for the case that it is killed
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration_s, help_heading = "Recorder")]
    pub flush: f64,
    /// Instructions and cycles of blocks: on reads them by a system call at each call; auto where that costs nothing
    #[arg(long, value_name = "WHEN", default_value_t = Counters::Auto, hide_short_help = true, value_parser = word::<Counters>(), help_heading = "Recorder")]
    pub counters: Counters,
    /// Let as many ranks compute at once as a node has cores
    #[arg(long, help_heading = "Recorder")]
    pub gate: bool,
}

/// What is to be done beside recording.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub enum Record {
    /// Print lines after which a batch script records
    Env(environment::EnvArgs),
    /// Print what the link command of a static program needs
    Flags(environment::FlagsArgs),
    /// Put together what a batch run has left
    Finish(finish::FinishArgs),
    /// Show where the time of recordings went, and what limits them
    Show(show::ShowArgs),
    /// Read traces of other tools, such as OTF2 or Paraver
    Import(import::ImportArgs),
    /// Write a recording for other simulators, or for Perfetto
    Export(export::ExportArgs),
    /// Show the calls and loops of a recording
    Dump(dump::DumpArgs),
}

const EXAMPLES: &str = "\
Examples:
  runcast record -- mpirun -n 16 ./app 100
  runcast record -o rec-8 --set N=100 -- mpirun -n 8 ./app 100";

/// Does it.
///
/// # Errors
/// Those of the step that fails.
pub fn run(args: &RecordArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        None => run::run(args, context),
        Some(Record::Env(args)) => environment::env(args, context),
        Some(Record::Flags(args)) => environment::flags(args, context),
        Some(Record::Finish(args)) => finish::run(args, context),
        Some(Record::Show(args)) => show::run(args, context),
        Some(Record::Import(args)) => import::run(args, context),
        Some(Record::Export(args)) => export::run(args, context),
        Some(Record::Dump(args)) => dump::run(args, context),
    }
}

/// `N=100`.
fn parameter(text: &str) -> Result<(String, f64), String> {
    let allowed = || "NAME=NUMBER is allowed, such as N=100".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(allowed)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let value = crate::options::number(value).map_err(|_| allowed())?;
    if is_name { Ok((name.to_owned(), value)) } else { Err(allowed()) }
}

/// The folder of a recording that has to be there.
fn folder(path: &std::path::Path) -> Result<PathBuf, Failure> {
    if path.is_dir() {
        return Ok(path.to_owned());
    }
    let problem = Problem::new("no_recording", "there is no such folder").in_file(path.display().to_string());
    Err(problem.hint("runcast record -o DIR -- mpirun -n 4 ./app makes one").into())
}
