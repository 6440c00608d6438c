//! The command line of `wavefront run`.

use super::super::solve::OverrideArgs;
use crate::bsf::launch::{LaunchArgs, parallel_backend};
use crate::options::paths::OutputPath;
use crate::options::{PlotArgs, SeedArgs, duration_s, positive};
use clap::{Args, ValueHint};
use runcast_bsf::skeleton::{Backend, mpi};
use std::path::PathBuf;

/// Phases of a run at most: all of them are kept in memory until it has ended.
const PHASES_MOST: u64 = 1_000_000;
/// Runs at most.
const RUNS_MOST: u64 = 100_000;

/// Arguments of `runcast wavefront run`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// The model: processes, links, the laws of their times, and the operator
    #[arg(value_name = "MODEL.toml", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,

    /// Where the processes are [default: threads; started by an MPI launcher: mpi]
    #[arg(long, value_name = "WHERE", value_parser = parallel_backend(), help_heading = "Run")]
    pub backend: Option<Backend>,
    /// Phases of a run
    #[arg(long, value_name = "COUNT", default_value_t = 100, help_heading = "Run", value_parser = clap::value_parser!(u64).range(1..=PHASES_MOST))]
    pub phases: u64,
    /// Runs, one after the other
    #[arg(long = "repetitions", alias = "runs", value_name = "N", default_value_t = 1, help_heading = "Run", value_parser = clap::value_parser!(u64).range(1..=RUNS_MOST))]
    pub runs: u64,
    /// Times are drawn from the model: updates sleep, messages are delivered at their time
    #[arg(long, help_heading = "Run")]
    pub emulate: bool,
    /// Degrees side by side until their digits are gained: B,.. or A/B,.., or model for those of the file
    #[arg(long, value_name = "B,..|A/B,..", help_heading = "Run")]
    pub degrees: Option<String>,
    /// Runs go on until so many digits are gained, omega for those of the model; in at most 8 times --phases
    #[arg(long = "until", id = "set until", value_name = "DIGITS", value_parser = until, help_heading = "Run")]
    pub until: Option<Until>,
    /// Each update does work of so long more, as on a core that nobody disturbs [default: that of the model's samples]
    #[arg(long, value_name = "TIME", value_parser = duration_s, conflicts_with = "emulate", help_heading = "Run")]
    pub work: Option<f64>,
    /// Write phases.csv, updates.csv, messages.csv and runs.csv into DIR
    #[arg(short = 'o', long = "output", alias = "out", value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Run")]
    pub out: Option<OutputPath>,

    #[command(flatten)]
    pub plot: PlotArgs,
    #[command(flatten)]
    pub overrides: OverrideArgs,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub launch: StartArgs,
}

/// When a run has gained enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Until {
    /// The digits of the model.
    Omega,
    /// So many.
    Digits(f64),
}

fn until(text: &str) -> Result<Until, String> {
    match text {
        "omega" => Ok(Until::Omega),
        _ => positive(text).map(Until::Digits),
    }
}

/// The options about how MPI is started; a part of those of programs that can be started again.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Starting MPI")]
pub struct StartArgs {
    /// What starts the processes; {processes} is their number
    #[arg(long, value_name = "COMMAND", default_value = "mpirun -n {processes}")]
    pub launcher: String,
    /// Give up when no phase ends in so long [default: 10 times the longest one, at least 60 s]
    #[arg(long = "stall-timeout", id = "limit stall", value_name = "DURATION", value_parser = duration_s, hide_short_help = true)]
    pub stall_timeout: Option<f64>,
    /// Given to the ranks by the process that watches them.
    #[arg(long, hide = true, value_name = "RESTARTS")]
    pub launched: Option<u32>,
}

const EXAMPLES: &str = "\
Examples:
  runcast wavefront run lab.toml --emulate --phases 250
  runcast wavefront run lab.toml --phases 1000 --work 2ms --set B=1 -o runs
  runcast wavefront run lab.toml --backend mpi --set semantics=complete --repetitions 5
  runcast wavefront run lab.toml --degrees 0,1,2 --until omega --repetitions 20 --plot times.svg
  mpirun -n 3 runcast wavefront run lab.toml --phases 500 --json
  runcast evaluate --predictions predicted.csv --runs runs/runs.csv";

impl RunArgs {
    /// Whether runs go on until digits are gained.
    pub(super) fn is_campaign(&self) -> bool {
        self.degrees.is_some() || self.until.is_some()
    }

    /// Where the processes are. Those that a launcher has started would each make the whole run, were they no ranks.
    pub(super) fn backend(&self) -> Backend {
        let default = || if mpi::under_launcher().is_some() { Backend::Mpi } else { Backend::Threads };
        self.backend.unwrap_or_else(default)
    }
}

impl StartArgs {
    /// As the launcher takes them: nothing is started again, for there is nothing to go on from.
    pub(super) fn args(&self) -> LaunchArgs {
        LaunchArgs {
            launcher: self.launcher.clone(),
            stall_timeout: self.stall_timeout,
            launched: self.launched,
            ..LaunchArgs::default()
        }
    }
}
