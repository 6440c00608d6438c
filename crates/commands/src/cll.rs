//! `runcast cll`: sources with complexity formulas. One module per subcommand.

pub mod cc;
pub mod run;
pub mod runtime;
mod scratch;
pub(crate) use scratch::Scratch;
pub(crate) mod started;
pub mod suggest;
pub mod translate;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `runcast cll`.
#[derive(Debug, Clone, Args)]
pub struct CllArgs {
    #[command(subcommand)]
    pub to: Cll,
}

/// What is to be done.
#[derive(Debug, Clone, Subcommand)]
pub enum Cll {
    /// Call a C or C++ compiler so that what it builds records regions
    Cc(cc::CcArgs),
    /// Suggest formulas for loops that have none, as a patch
    Suggest(suggest::SuggestArgs),
    /// Annotated C or C++ into programs that record variables and times
    Translate(translate::TranslateArgs),
    /// Run a program that records, and check what recording costs
    Run(run::RunArgs),
    /// Write out the run-time library, with the PUB adapter
    Runtime(runtime::RuntimeArgs),
}

/// Does it.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &CllArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        Cll::Cc(args) => cc::run(args, context),
        Cll::Translate(args) => translate::run(args, context),
        Cll::Run(args) => run::run(args, context),
        Cll::Suggest(args) => suggest::run(args, context),
        Cll::Runtime(args) => runtime::run(args, context),
    }
}
