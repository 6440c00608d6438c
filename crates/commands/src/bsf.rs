//! `runcast bsf`: iterative algorithms as Map and Reduce over a list. One module per subcommand.

pub mod calibrate;
pub mod launch;
mod own;
pub mod predict;
pub mod run;
pub mod validate;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `runcast bsf`.
#[derive(Debug, Clone, Args)]
pub struct BsfArgs {
    #[command(subcommand)]
    pub to: Bsf,
}

/// What is to be done.
#[derive(Debug, Clone, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a process")]
pub enum Bsf {
    /// Time, speedup and the scalability boundary from counts or measured costs
    Predict(predict::PredictArgs),
    /// A program on the skeleton: serially, on threads or under MPI
    Run(run::RunArgs),
    /// The costs of a program on this machine, measured with one worker
    Calibrate(calibrate::CalibrateArgs),
    /// Predicted against measured times: how good the cost model is
    Validate(validate::ValidateArgs),
}

/// Does it.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &BsfArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        Bsf::Predict(args) => predict::run(args, context),
        Bsf::Run(args) => run::run(args, context),
        Bsf::Calibrate(args) => calibrate::run(args, context),
        Bsf::Validate(args) => validate::run(args, context),
    }
}

impl BsfArgs {
    /// Whether it looks at [`Context::interrupt`] and stops in good order.
    pub fn stops_by_itself(&self) -> bool {
        match &self.to {
            Bsf::Predict(_) => false,
            Bsf::Validate(args) => args.runs.run.is_some(),
            Bsf::Run(_) | Bsf::Calibrate(_) => true,
        }
    }
}
