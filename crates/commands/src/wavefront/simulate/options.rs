//! The command line of `runcast wavefront simulate`.

use crate::failure::Failure;
use crate::options::SeedArgs;
use crate::options::paths::{InputFile, OutputFile};
use crate::options::word;
use crate::wavefront::solve::ChangeArgs;
use clap::{Args, ValueHint};
use runcast_core::Problem;
use runcast_wavefront::Model;
use runcast_wavefront::model::Contraction;
use runcast_wavefront::simulate::EngineKind;

/// Phases beyond this, of all runs together, are too many to wait for.
const MOST_PHASES: u64 = 1_000_000_000_000;
/// Rows of a trace, which is made in memory.
const MOST_ROWS: u64 = 5_000_000;

/// Arguments of `runcast wavefront simulate`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct SimulateArgs {
    /// The model: processes, links and the laws of their times
    #[arg(value_name = "MODEL.toml", value_hint = ValueHint::FilePath)]
    pub model: InputFile,
    /// Phases; with --repetitions, of each run
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=MOST_PHASES))]
    pub phases: u64,
    /// Runs from the start of the model, whose times are told
    #[arg(long = "repetitions", alias = "runs", value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub runs: Option<u64>,
    /// What plays the phases
    #[arg(long, value_name = "ENGINE", default_value = "recursion", value_parser = word::<EngineKind>())]
    pub engine: EngineKind,
    /// Iterate the error of the model's operator from random starts: its rate, and the time to the wanted accuracy
    #[arg(long)]
    pub converge: bool,
    #[command(flatten)]
    pub seed: SeedArgs,

    #[command(flatten)]
    pub changes: ChangeArgs,

    /// Write what each process did in each phase, as CSV; - is the standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub trace: Option<OutputFile>,
}

const EXAMPLES: &str = "\
Examples:
  runcast wavefront simulate lab.toml
  runcast wavefront simulate lab.toml --engine events --phases 100000 --set B=2
  runcast wavefront simulate lab.toml --repetitions 10000 --phases 131
  runcast wavefront simulate operator.toml --converge
  runcast wavefront simulate lab.toml --repetitions 1 --phases 50 --trace phases.csv";

impl SimulateArgs {
    /// What options ask of a model.
    ///
    /// # Errors
    /// They ask for too much, or for what it does not have.
    pub(super) fn check(&self, model: &Model) -> Result<(), Failure> {
        let phases = self.all_phases();
        if phases > MOST_PHASES {
            let problem = Problem::new("too_many_phases", format!("{phases} phases in all runs"));
            return Err(problem.at("--phases").allowed(format!("at most {MOST_PHASES}")).into());
        }
        let rows = phases.saturating_mul(model.size() as u64);
        if self.trace.is_some() && rows > MOST_ROWS {
            let problem = Problem::new("too_many_rows", format!("the trace would have {rows} rows"));
            let problem = problem.at("--trace").allowed(format!("at most {MOST_ROWS}"));
            return Err(problem.hint("give fewer --phases or --repetitions").into());
        }
        if self.converge && !matches!(model.contraction, Contraction::Operator(_)) {
            let problem = Problem::new("no_operator", "the model has no operator whose error could be iterated");
            return Err(problem.at("--converge").hint("put an [operator] with a matrix in place of rho").into());
        }
        if self.engine == EngineKind::Events && model.sends_on() {
            let problem = Problem::new("sends", "the queue of events knows no sends one after the other");
            return Err(problem.at("--engine").allowed("recursion").into());
        }
        Ok(())
    }

    /// Phases of all runs together.
    pub(super) fn all_phases(&self) -> u64 {
        self.phases.saturating_mul(self.runs.unwrap_or(1))
    }
}
