//! The command line of `runcast bsf calibrate`.

use super::super::launch::{LaunchArgs, parallel_backend};
use super::super::own::Own;
use super::super::run::{SettingArgs, duration, error};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::options::paths::OutputFile;
use crate::options::word;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use runcast_bsf::programs::{PROGRAMS, Program};
use runcast_bsf::skeleton::{Backend, CalibrateOptions, RunOptions, Waiting, mpi};
use runcast_core::Problem;
use std::path::Path;
use std::sync::Arc;

/// Arguments of `runcast bsf calibrate`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::BSF_CALIBRATE)]
pub struct CalibrateArgs {
    /// The program
    #[arg(value_name = "PROGRAM", required_unless_present = "run", conflicts_with = "run",
        value_parser = PossibleValuesParser::new(PROGRAMS.map(|info| info.name)))]
    pub program: Option<String>,
    #[command(flatten)]
    pub settings: SettingArgs,
    /// In place of PROGRAM: one of your own on the skeleton, which takes --workers and --timings
    #[arg(long, value_name = "COMMAND")]
    pub run: Option<String>,

    /// Where the worker is: a thread of this process, or a process of MPI [default: threads; as a rank of MPI: mpi]
    #[arg(long, value_name = "WHERE", value_parser = parallel_backend(), help_heading = "Measuring")]
    pub backend: Option<Backend>,
    /// What is written: times, or pieces: blocks with the step of a cache, messages with protocols, collectives
    #[arg(long, value_name = "FORM", default_value_t = CostForm::Times, value_parser = word::<CostForm>(), help_heading = "Measuring")]
    pub form: CostForm,
    /// Threads of the worker [default: 1]
    #[arg(long, value_name = "COUNT", help_heading = "Measuring", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// What those do who have nothing to do: lowest latency, or leave the core to others
    #[arg(long, value_name = "HOW", default_value_t = Waiting::Sleep, help_heading = "Measuring", value_parser = word::<Waiting>())]
    pub wait: Waiting,
    /// Workers of the runs to be predicted: so many partial results their master holds [default: cores of this machine]
    #[arg(long, value_name = "COUNT", help_heading = "Measuring")]
    pub workers: Option<usize>,
    /// Round trips for every size of a message, and folds over all partial results
    #[arg(long = "repetitions", alias = "repeat", value_name = "N", default_value_t = 30, help_heading = "Measuring",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub repeat: u32,

    #[command(flatten)]
    pub out: OutArgs,
    /// Write the times of messages over their size as a table; - is the standard output
    #[arg(long = "timings", alias = "messages", value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub messages: Option<OutputFile>,

    #[command(flatten)]
    pub launch: LaunchArgs,
}

/// What costs consist of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostForm {
    /// A time of each kind.
    Times,
    /// Blocks over their size, messages by protocols, collectives as a whole.
    Pieces,
}

runcast_core::words!(CostForm::name: Times = "times", Pieces = "pieces");

impl CalibrateArgs {
    /// The program with its settings.
    ///
    /// # Errors
    /// What is wrong with the settings and the files that they name.
    pub fn program(&self, context: &mut Context) -> Result<Program, Failure> {
        Ok(Program::new(self.program.as_deref().unwrap_or_default(), &self.settings.read(context)?)?)
    }

    /// A program of the user's own. What other programs get as options stands in its command.
    ///
    /// # Errors
    /// An option that it does not take; a program without phases.
    pub fn own(&self, command: &str) -> Result<Own, Failure> {
        let given = [
            ("--form", self.form == CostForm::Pieces),
            ("--backend", self.backend.is_some()),
            ("--threads", self.threads.is_some()),
            ("--wait", self.wait != Waiting::Sleep),
        ];
        Own::check_unused(&given, &self.settings, command)?;
        let own = Own::of(command, &[])?.ok_or_else(|| {
            let problem = Problem::new("not_own", format!("{command} comes with runcast")).at("--run").value(command);
            problem.hint(format!("runcast bsf calibrate {command}"))
        })?;
        if !own.has_phases() {
            let problem = Problem::new("no_times", "only a program on the skeleton leaves times of its phases");
            let problem = problem.at("--run").value(command);
            return Err(problem
                .hint(format!(
                    "fit the times of whole runs: runcast bsf validate --run '{command}' --fit -o costs.toml"
                ))
                .into());
        }
        Ok(own)
    }

    /// Only one file can go to the standard output.
    ///
    /// # Errors
    /// Both go there.
    pub fn check_files(&self) -> Result<(), Problem> {
        let on_stdout = |path: Option<&Path>| path.is_some_and(|path| path.as_os_str() == "-");
        if on_stdout(self.out.path()) && on_stdout(self.messages.as_deref()) {
            let problem = Problem::new("stdout_taken", "-o and --timings both write to the standard output");
            return Err(problem.at("--timings").value("-").hint("name a file for one of them"));
        }
        Ok(())
    }

    /// Where the worker is. Processes that a launcher has started would each measure alone, were they no ranks.
    pub fn backend(&self) -> Backend {
        let is_rank = || mpi::under_launcher().is_some_and(|world| world.size != Some(1));
        match self.backend {
            Some(Backend::Mpi) => Backend::Mpi,
            None if is_rank() => Backend::Mpi,
            _ => Backend::Threads,
        }
    }

    /// Whether the worker is a process of MPI.
    pub fn is_mpi(&self) -> bool {
        self.backend() == Backend::Mpi
    }

    /// Threads of the worker.
    pub fn threads(&self) -> usize {
        self.threads.map_or(1, usize::from)
    }

    /// Workers of the runs to be predicted.
    ///
    /// # Errors
    /// None, or more than the list can occupy.
    pub fn planned_workers(&self, program: &Program) -> Result<usize, Failure> {
        let most = program.list_length();
        let workers = self.workers.unwrap_or_else(|| super::cores().min(usize::try_from(most).unwrap_or(usize::MAX)));
        error::check_workers(workers, most)?;
        Ok(workers)
    }

    /// How the skeleton is to measure.
    ///
    /// # Errors
    /// A time is too long.
    pub fn options(&self, workers: usize, context: &Context) -> Result<CalibrateOptions, Failure> {
        let run = RunOptions {
            backend: self.backend(),
            threads: self.threads(),
            wait: self.wait,
            interrupt: Some(Arc::clone(&context.interrupt)),
            stall_timeout: self.launch.stall_timeout.map(|limit| duration("--stall-timeout", limit)).transpose()?,
            ..RunOptions::default()
        };
        Ok(CalibrateOptions {
            run,
            repeat: self.repeat as usize,
            workers,
            in_pieces: self.form == CostForm::Pieces,
            ..CalibrateOptions::default()
        })
    }
}
