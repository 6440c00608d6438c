//! `runcast bsp`: programs of supersteps. One module per subcommand.

pub mod learn;
pub mod predict;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `runcast bsp`.
#[derive(Debug, Clone, Args)]
pub struct BspArgs {
    #[command(subcommand)]
    pub to: Bsp,
}

/// What is to be done.
#[derive(Debug, Clone, Subcommand)]
pub enum Bsp {
    /// When each processor finishes each superstep: BSP and OBSP*
    Predict(predict::PredictArgs),
    /// A program of supersteps, from recorded runs on few processes
    Learn(learn::LearnArgs),
}

/// Does it.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &BspArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        Bsp::Predict(args) => predict::run(args, context),
        Bsp::Learn(args) => learn::run(args, context),
    }
}
