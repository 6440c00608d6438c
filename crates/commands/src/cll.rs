//! `runcast cll`: sources with complexity formulas. A module a subcommand.

pub mod cc;
pub mod runtime;
pub mod translate;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `runcast cll`.
#[derive(Debug, Clone, Args)]
pub struct CllArgs {
    #[command(subcommand)]
    #[allow(missing_docs)]
    pub to: Cll,
}

/// What is to be done.
#[derive(Debug, Clone, Subcommand)]
pub enum Cll {
    /// Call a C or C++ compiler so that what it builds records regions
    Cc(cc::CcArgs),
    /// Annotated C or C++ into programs that record variables and times
    Translate(translate::TranslateArgs),
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
        Cll::Runtime(args) => runtime::run(args, context),
    }
}
