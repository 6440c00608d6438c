//! The options of runs in place of a table.

use super::super::super::launch::{LaunchArgs, parallel_backend};
use super::super::super::run::SettingArgs;
use crate::options::paths::OutputFile;
use crate::options::word;
use clap::{Args, ValueHint};
use runcast_bsf::skeleton::{Backend, Waiting};
use runcast_core::Problem;

/// Runs in place of a table.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Runs")]
pub struct RunsArgs {
    /// In place of TABLE: run PROGRAM with each number of --workers: jacobi, cimmino, gravity, stats; or one of your own,
    /// './kmeans 3000' on the skeleton, else with its workers: './solve -t {workers}'
    #[arg(long, value_name = "PROGRAM")]
    pub run: Option<String>,
    /// The time in the output of a program of your own: 'solve_s=^solved in ([0-9.]+) s'
    #[arg(long = "figure", value_name = "NAME=REGEX", hide_short_help = true)]
    pub figures: Vec<String>,
    /// Where the workers are [default: threads]
    #[arg(long, value_name = "WHERE", value_parser = parallel_backend())]
    pub backend: Option<Backend>,
    /// Threads of each worker [default: 1]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// What those do who have nothing to do [default: sleep]
    #[arg(long, value_name = "HOW", value_parser = word::<Waiting>())]
    pub wait: Option<Waiting>,
    /// Iterations of each run [default: as many as take 1 s, at least 20]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(2..))]
    pub iterations: Option<u64>,
    /// Runs with each number of workers [default: 3]
    #[arg(long = "repetitions", alias = "repeat", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
    /// Write the times of the runs, a table that can be given again; - is the standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub timings: Option<OutputFile>,
    #[command(flatten)]
    pub settings: SettingArgs,
    #[command(flatten)]
    pub launch: LaunchArgs,
}

impl RunsArgs {
    /// Whether the workers are processes of MPI.
    pub fn is_mpi(&self) -> bool {
        self.backend == Some(Backend::Mpi)
    }

    /// As on the command line.
    pub fn backend_name(&self) -> &'static str {
        if self.is_mpi() { "mpi" } else { "threads" }
    }

    /// As on the command line.
    pub fn wait_name(&self) -> &'static str {
        self.wait.unwrap_or(Waiting::Sleep).name()
    }

    /// Threads of each worker.
    pub fn threads(&self) -> usize {
        self.threads.map_or(1, usize::from)
    }

    /// Without `--run`, what is said about runs does nothing.
    ///
    /// # Errors
    /// Names the first such option.
    pub fn check_unused(&self) -> Result<(), Problem> {
        let launch = LaunchArgs::default();
        let given = [
            ("--figure", !self.figures.is_empty()),
            ("--backend", self.backend.is_some()),
            ("--wait", self.wait.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--repetitions", self.repeat.is_some()),
            ("--timings", self.timings.is_some()),
            ("--launcher", self.launch.launcher != launch.launcher),
            ("--stall-timeout", self.launch.stall_timeout.is_some()),
            ("--retries", self.launch.retries != launch.retries),
        ];
        let given = given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name.to_owned());
        let setting = || self.settings.set.first().map(|(name, _)| format!("--{name}"));
        let Some(given) = given.or_else(setting) else { return Ok(()) };
        let problem = Problem::new("unused_option", format!("{given} is for runs, and a table has them already"));
        Err(problem.at(given).hint("to make runs in place of a table: --run PROGRAM"))
    }
}
