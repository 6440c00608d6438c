//! The command line of `runcast bsf run`.

use super::super::launch::LaunchArgs;
use super::program::SettingArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::OutputFile;
use crate::options::word;
use crate::options::{duration_s, positive};
use clap::{Args, ValueHint};
use runcast_bsf::programs::{PROGRAMS, Program};
use runcast_bsf::skeleton::mpi;
use runcast_bsf::skeleton::{Backend, Checkpointing, CollectiveChoice, Every, Limits, RunOptions, Waiting};
use runcast_core::{Problem, Warning};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Arguments of `runcast bsf run`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::BSF_RUN)]
pub struct RunArgs {
    /// The program
    #[arg(value_name = "PROGRAM", value_parser = clap::builder::PossibleValuesParser::new(PROGRAMS.map(|info| info.name)))]
    pub program: String,
    #[command(flatten)]
    pub settings: SettingArgs,

    /// Where the workers are [default: serial; started by an MPI launcher: mpi]
    #[arg(long, value_name = "WHERE", help_heading = "Workers", value_parser = word::<Backend>())]
    pub backend: Option<Backend>,
    /// Number of workers [default: 1; as one rank of an MPI program: all other ranks]
    #[arg(long, value_name = "COUNT", help_heading = "Workers")]
    pub workers: Option<usize>,
    /// Threads of each worker [default: 1]
    #[arg(long, value_name = "COUNT", help_heading = "Workers", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// How orders and partial results travel
    #[arg(long, value_name = "HOW", default_value_t = CollectiveChoice::Flat, help_heading = "Workers", value_parser = word::<CollectiveChoice>())]
    pub collective: CollectiveChoice,
    /// What those do who have nothing to do: lowest latency, or leave the core to others
    #[arg(long, value_name = "HOW", default_value_t = Waiting::Sleep, help_heading = "Workers", value_parser = word::<Waiting>())]
    pub wait: Waiting,
    /// Same bits for any number of workers and threads and any collective
    #[arg(long, help_heading = "Workers")]
    pub reproducible: bool,

    /// Make exactly so many iterations [default: gravity 10, cimmino without --epsilon 100, else until it converges]
    #[arg(long, value_name = "COUNT", help_heading = "Stopping", value_parser = clap::value_parser!(u64).range(1..))]
    pub iterations: Option<u64>,
    /// Make at most so many iterations [default: 1000000]
    #[arg(long = "max-iterations", id = "limit iterations", value_name = "COUNT", help_heading = "Stopping", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub max_iterations: Option<u64>,
    /// Stop after so long
    #[arg(long = "time-limit", id = "limit time", value_name = "DURATION", value_parser = duration_s, help_heading = "Stopping")]
    pub time_limit: Option<f64>,
    /// Steps that are so many times longer than the first one are divergence
    #[arg(long = "divergence-factor", id = "limit divergence", value_name = "FACTOR", value_parser = positive, default_value = "1e6", help_heading = "Stopping", hide_short_help = true)]
    pub divergence_factor: f64,

    /// Save into FILE, from which the run can be resumed; the file before it gets .previous at the end of its name
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Saving")]
    pub checkpoint: Option<PathBuf>,
    /// Save every so many iterations (100), or so often (30s)
    #[arg(long = "checkpoint-every", id = "checkpoint every", value_name = "N|DURATION", value_parser = every, default_value = "30s", requires = "checkpoint", help_heading = "Saving", hide_short_help = true)]
    pub checkpoint_every: Every,
    /// Go on from a file that --checkpoint has saved
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Saving")]
    pub resume: Option<PathBuf>,

    /// Show the approximation every so many iterations
    #[arg(long = "print-every", id = "show approximation", value_name = "COUNT", help_heading = "Output", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub print_every: Option<u64>,
    /// Write the times of the phases, a row a region and rank; - is the standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub timings: Option<OutputFile>,
    /// Write the times of the phases of every iteration; - is the standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub trace: Option<OutputFile>,

    #[command(flatten)]
    pub launch: LaunchArgs,
}

impl RunArgs {
    /// Where the workers are. Processes that a launcher has started would each do the whole work, were they no ranks.
    pub(super) fn backend(&self) -> Backend {
        let default = || if mpi::under_launcher().is_some() { Backend::Mpi } else { Backend::Serial };
        self.backend.unwrap_or_else(default)
    }

    /// The program with its settings.
    ///
    /// # Errors
    /// What is wrong with the settings and the files that they name.
    pub(super) fn program(&self, context: &mut Context) -> Result<Program, Failure> {
        let on_stdout = |path: &Option<OutputFile>| path.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if on_stdout(&self.timings) && on_stdout(&self.trace) {
            let problem = Problem::new("stdout_taken", "--timings and --trace both write to the standard output");
            return Err(problem.at("--trace").value("-").hint("name a file for one of them").into());
        }
        Ok(Program::new(&self.program, &self.settings.read(context)?)?)
    }

    /// Threads of each worker.
    pub(super) fn threads(&self) -> usize {
        self.threads.map_or(1, usize::from)
    }

    /// Number of workers; of a rank that is not told, all other ranks; 0 if their number is unknown.
    fn workers(&self) -> usize {
        let others = || mpi::under_launcher().and_then(|world| world.size?.checked_sub(1)).unwrap_or(0);
        self.workers.unwrap_or_else(|| if self.backend() == Backend::Mpi { others() } else { 1 })
    }

    /// How many iterations there will be, if that is known beforehand.
    pub(super) fn iterations_of(&self, program: &Program) -> Option<u64> {
        // Whoever sets a limit wants to see how far it gets.
        let default = || program.default_iterations().filter(|_| self.max_iterations.is_none());
        self.iterations.or_else(default)
    }

    /// How the skeleton is to run it.
    pub(super) fn run_options(&self, program: &Program, context: &Context) -> Result<RunOptions, Failure> {
        let default = Limits::default();
        let limits = Limits {
            iterations: self.iterations_of(program),
            max_iterations: self.max_iterations.unwrap_or(default.max_iterations),
            time: self.time_limit.map(|limit| duration("--time-limit", limit)).transpose()?,
            divergence_factor: self.divergence_factor,
        };
        Ok(RunOptions {
            backend: self.backend(),
            workers: self.workers(),
            threads: self.threads(),
            collective: self.collective,
            wait: self.wait,
            reproducible: self.reproducible,
            limits,
            checkpoint: self.checkpoint.clone().map(|file| Checkpointing { file, every: self.checkpoint_every }),
            resume: self.resume.clone(),
            trace: self.trace.is_some(),
            interrupt: Some(Arc::clone(&context.interrupt)),
            stall_timeout: self.launch.stall_timeout.map(|limit| duration("--stall-timeout", limit)).transpose()?,
            on_iteration: None,
        })
    }

    /// Options that were given and do nothing.
    pub(super) fn unused(&self) -> Option<Warning> {
        let default = LaunchArgs::default();
        let given = if self.launch.retries > 0 {
            "--retries"
        } else if self.launch.launcher != default.launcher {
            "--launcher"
        } else {
            return None;
        };
        let message = format!("{given} is for processes of MPI, and does nothing without --backend mpi");
        (self.backend() != Backend::Mpi).then(|| Warning::new("unused_option", message))
    }
}

/// What an option says, as a duration.
///
/// # Errors
/// It is too long to be one.
pub fn duration(option: &str, seconds: f64) -> Result<Duration, Problem> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| Problem::new("out_of_range", format!("{seconds} s is too long")).at(option))
}

/// `100` iterations, or `30s`.
fn every(text: &str) -> Result<Every, String> {
    let allowed = || "allowed are a number of iterations from 1 on, such as 100, or a time, such as 30s".to_owned();
    if let Ok(iterations) = text.trim().parse::<u64>() {
        return if iterations > 0 { Ok(Every::Iterations(iterations)) } else { Err(allowed()) };
    }
    // A number alone means iterations, and there are no halves of them.
    let is_number = text.trim().parse::<f64>().is_ok();
    let seconds = duration_s(text).ok().filter(|_| !is_number);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).map(Every::Time).ok_or_else(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_saved_every_so_many_iterations_or_so_often() {
        assert_eq!(every("100"), Ok(Every::Iterations(100)));
        assert_eq!(every("30s"), Ok(Every::Time(Duration::from_secs(30))));
        assert_eq!(every("2 min"), Ok(Every::Time(Duration::from_secs(120))));
        for bad in ["0", "-3", "1.5", "often", "0s", ""] {
            assert!(every(bad).is_err(), "{bad}");
        }
    }
}
