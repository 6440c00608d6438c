//! `runcast wavefront`: iterations on machines shared with others. One module per subcommand.

pub mod model_file;
pub mod run;
pub mod sample;
pub mod simulate;
pub mod solve;
mod watch;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};
use runcast_wavefront::model::Overrides;
use std::path::Path;

/// Arguments of `runcast wavefront`.
#[derive(Debug, Clone, Args)]
pub struct WavefrontArgs {
    #[command(subcommand)]
    pub to: Wavefront,
}

/// What is to be done.
#[derive(Debug, Clone, Subcommand)]
pub enum Wavefront {
    /// Times of updates and messages on this machine, and whether they suit the model
    Sample(sample::SampleArgs),
    /// How long a phase and a run take, how sure that is, which degree of asynchronism is best
    Solve(solve::SolveArgs),
    /// Phases played event by event, without the solver
    Simulate(simulate::SimulateArgs),
    /// A real iteration on threads or under MPI, against its prediction
    Run(run::RunArgs),
}

/// Does it.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &WavefrontArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        Wavefront::Sample(args) => sample::run(args, context),
        Wavefront::Solve(args) => solve::run(args, context),
        Wavefront::Simulate(args) => simulate::run(args, context),
        Wavefront::Run(args) => run::run(args, context),
    }
}

/// Reads a model and the files that it names.
///
/// # Errors
/// What is wrong with them.
pub(crate) fn read_files(model: &Path, context: &mut Context) -> Result<(), Failure> {
    model_file::read(model, &Overrides::default(), context).map(drop)
}

impl WavefrontArgs {
    /// Whether it looks at [`Context::interrupt`] and stops in good order.
    pub fn stops_by_itself(&self) -> bool {
        matches!(self.to, Wavefront::Sample(_) | Wavefront::Run(_) | Wavefront::Simulate(_))
    }
}
